//! Classes of libraries that Maven fetches, and what `raddle check` says of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use classpath::Jdk;
use serde_json::Value;

/// The folder with all jars that a `pom.xml` in `fixtures` names.
pub fn jars(of: &str) -> PathBuf {
    let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(of).join("pom.xml");
    let jars = Path::new(env!("CARGO_TARGET_TMPDIR")).join(of).join("jars");
    let status = Command::new("mvn")
        .args(["-q", "-B", "-f"])
        .arg(pom)
        .arg("dependency:copy-dependencies")
        .arg(format!("-DoutputDirectory={}", jars.display()))
        .status();
    assert!(status.expect("Maven must be on the path").success(), "Maven could not fetch the jars");
    jars
}

/// All jars of a folder, in one order.
pub fn class_path(jars: &Path) -> OsString {
    let mut jars: Vec<PathBuf> =
        std::fs::read_dir(jars).expect("the jars").map(|entry| entry.expect("a jar").path()).collect();
    jars.sort();
    std::env::join_paths(jars).expect("a class path")
}

/// What an executable says of a class.
#[allow(dead_code)] // Some benchmarks only need the jars.
pub fn check(raddle: &Path, jdk: &Jdk, jars: &Path, class: &str, options: &[&str]) -> Value {
    let class_path = class_path(jars);
    let mut command = Command::new(raddle);
    command.arg("check").arg(class).arg("--java-home").arg(&jdk.home).arg("--classpath").arg(class_path);
    command.args(["--json", "-"]).args(options);
    let output = command.stderr(Stdio::null()).output().expect("raddle");
    let mut document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    document["classes"][0].take()
}

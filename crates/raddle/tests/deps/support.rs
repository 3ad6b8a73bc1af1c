//! How these tests run things.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use classpath::Jdk;
use tempfile::TempDir;

/// The JDKs of this machine that the engine runs on, with a compiler; there has to be one.
pub fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

/// `raddle deps`, with a JDK in the environment.
pub fn deps(jdk: &Jdk, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["--color", "never", "deps"]).args(args).env("JAVA_HOME", &jdk.home);
    command
}

/// What a command prints that must succeed.
pub fn shown(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{command:?}: {status}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// The one line with which a command must fail.
pub fn refused(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let line = String::from_utf8(stderr).unwrap();
    assert_eq!((status.code(), stdout.len(), line.lines().count()), (Some(2), 0, 1), "{command:?}: {line}");
    line.strip_prefix("error: ").unwrap().trim_end().to_owned()
}

/// The fixtures of this command, compiled.
pub fn fixtures(jdk: &Jdk) -> TempDir {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/deps");
    let sources = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let target = tempfile::tempdir().unwrap();
    compile(jdk, target.path(), sources);
    target
}

pub fn compile(jdk: &Jdk, target: &Path, sources: impl IntoIterator<Item = impl AsRef<OsStr>>) {
    let mut javac = Command::new(jdk.javac());
    javac.args(["-g", "-nowarn", "-cp"]).arg(target).arg("-d").arg(target).args(sources);
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

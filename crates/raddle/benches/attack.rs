//! Faulty classes in the style of libraries, each with a correct twin, which were written against `raddle check`
//! with the README alone at hand: how many faults are found, and what is said of the twins.
//!
//! `cargo bench -p raddle --bench attack` checks all of `fixtures/attack/classes` on the first JDK with one worker,
//! for at most 30 seconds each, up to the first finding. That takes about an hour and a half. After `--` come a number
//! of seconds and beginnings of names, such as `b c01`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use classpath::Jdk;
use serde_json::Value;

const SECONDS: u64 = 30;

fn main() {
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let seconds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(SECONDS);
    let names: Vec<&String> = arguments.iter().filter(|argument| argument.parse::<u64>().is_err()).collect();
    let jdk = Jdk::installed().into_iter().next().expect("no JDK of Java 17 to 25 was found");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/attack/classes");
    let expected = std::fs::read_to_string(folder.join("EXPECTED.txt")).expect("the list of classes");
    let mut pairs: Vec<Vec<&str>> = expected.lines().map(|line| line.split(' ').take(3).collect()).collect();
    pairs.retain(|pair| names.is_empty() || names.iter().any(|name| pair[0].starts_with(&**name)));
    pairs.truncate(if quick { 1 } else { usize::MAX });
    let compiled = tempfile::tempdir().expect("a folder");
    println!("Java {}, {seconds} s at most\n\n| class | verdict | seconds | twin | seconds |", jdk.version);
    println!("|---|---|---|---|---|");
    let (mut found, mut clean, mut alarms) = (0, 0, 0);
    for pair in &pairs {
        let [package, faulty, twin] = pair[..] else { panic!("a line of the list has a package and two classes") };
        compile(&jdk, &folder.join(package), compiled.path());
        let [faulty, twin] = [faulty, twin].map(|class| check(&jdk, compiled.path(), package, class, seconds));
        found += u32::from(faulty.1 == "violation");
        clean += u32::from(faulty.1 == "clean");
        alarms += u32::from(twin.1 == "violation");
        println!("| {} | {} | {:.1} | {} | {:.1} |", faulty.0, faulty.1, faulty.2, twin.1, twin.2);
    }
    println!("\nOf {} faults {found} were found, {clean} called clean; {alarms} twins were accused.", pairs.len());
}

fn compile(jdk: &Jdk, package: &Path, into: &Path) {
    let sources: Vec<PathBuf> =
        std::fs::read_dir(package).expect("the sources").map(|entry| entry.expect("a source").path()).collect();
    let status = Command::new(jdk.javac()).args(["-g", "-nowarn", "-d"]).arg(into).args(sources).status();
    assert!(status.expect("javac").success());
}

/// The name of a class, what is said of it, and after how many seconds.
fn check(jdk: &Jdk, compiled: &Path, package: &str, class: &str, seconds: u64) -> (String, String, f64) {
    let class = format!("{package}.{class}");
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.arg("check").arg(&class).arg("--java-home").arg(&jdk.home).arg("--classpath").arg(compiled);
    command.args(["--first", "--jobs", "1", "--json", "-", "--budget", &format!("{seconds}s"), "--out"]);
    let output = command.arg(folder.path()).stderr(Stdio::null()).output().expect("raddle");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let said = &document["classes"][0];
    let verdict = said["verdict"].as_str().unwrap_or("nothing was said").to_owned();
    (class, verdict, said["seconds"].as_f64().unwrap_or_default())
}

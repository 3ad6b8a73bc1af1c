//! The command, run as a user would.

use classpath::Jdk;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Compiles sources with plain `javac` into a folder.
pub fn compile(jdk: &Jdk, sources: &[PathBuf], class_path: &Path, into: &Path) {
    let mut javac = Command::new(jdk.javac());
    javac.args(["-g", "-nowarn", "-cp"]).arg(class_path).arg("-d").arg(into).args(sources);
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Checks end after an amount of work (`--effort`), or at a finding. This only bounds one that hangs.
pub const BUDGET: &str = "20m";

/// The program with these arguments, in a folder of its own.
pub struct Raddle<'j> {
    jdk: &'j Jdk,
    pub folder: TempDir,
}

impl<'j> Raddle<'j> {
    pub fn new(jdk: &'j Jdk) -> Raddle<'j> {
        Raddle { jdk, folder: tempfile::tempdir().unwrap() }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.args(arguments).arg("--java-home").arg(&self.jdk.home).current_dir(self.folder.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Checks with one worker, and gives the exit status and the report. Test threads are as many as there are cores.
    pub fn check(&self, class_path: &Path, arguments: &[&str]) -> (i32, Value) {
        let class_path = class_path.to_str().unwrap();
        let options = ["check", "--json", "-", "--jobs", "1", "--budget", BUDGET, "--classpath", class_path];
        let output = self.run(&[&options[..], arguments].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let report = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code().unwrap(), report)
    }

    /// Runs a finding a hundred times, each of which must fail with the events of the first.
    pub fn replays(&self, class: &str, finding: &Value) {
        let output = self.run(&["replay", finding["replay"].as_str().unwrap(), "--times", "100"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let said = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{said}{finding:#}");
        let last = format!("{class}: failed 100 of 100 times, with the same events as when it was found");
        assert_eq!(text.lines().last(), Some(&*last), "{said}{finding:#}");
    }

    /// The one line with which it refuses.
    pub fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!((line.lines().count(), &*output.stdout), (1, &b""[..]), "{line}");
        line
    }
}

//! The command, run as a user would.

use classpath::Jdk;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of fixtures.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// Compiles sources with plain `javac`, and gives the folder of the classes.
pub fn compile(jdk: &Jdk, sources: &[PathBuf], class_path: &str) -> tempfile::TempDir {
    let classes = tempfile::tempdir().unwrap();
    let mut javac = Command::new(jdk.javac());
    javac.args(["-g", "-nowarn", "-cp", class_path, "-d"]).arg(classes.path()).args(sources);
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    classes
}

/// What the tests explore ends by itself, or after a number of executions. This only bounds what hangs.
const BUDGET: &str = "10m";

/// The program with these arguments, in a folder of its own.
pub struct Raddle<'j> {
    jdk: &'j Jdk,
    pub folder: tempfile::TempDir,
}

impl<'j> Raddle<'j> {
    pub fn new(jdk: &'j Jdk) -> Raddle<'j> {
        Raddle { jdk, folder: tempfile::tempdir().unwrap() }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.args(arguments).arg("--java-home").arg(&self.jdk.home).current_dir(self.folder.path());
        if arguments[0] == "explore" && !arguments.contains(&"--budget") {
            command.args(["--budget", BUDGET]);
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Explores, and gives the exit status and the report.
    pub fn explore(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.run(&[&["explore", "--json", "-"], arguments].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let report = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code().unwrap(), report)
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

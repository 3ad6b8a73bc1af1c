//! A check that is stopped before its end.

use crate::classes::{Compiled, all};
use crate::jdks;
use crate::support::Raddle;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The documents of findings below a folder.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("raddle-out")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path().join("finding.json")).filter(|file| file.is_file()).collect()
}

#[test]
fn what_was_found_until_then_is_kept_and_told() {
    let jdk = &jdks()[0];
    let mut classes = all();
    classes.retain(|class| class.name == "Series");
    let compiled = Compiled::new(jdk, &classes);
    let (raddle, temporary) = (Raddle::new(jdk), tempfile::tempdir().unwrap());
    let class_path = compiled.of(&classes[0]);
    let mut command =
        raddle.command(&["check", "Series", "--budget", "10m", "--classpath", class_path.to_str().unwrap()]);
    command.env("TMPDIR", temporary.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while documents(raddle.folder.path()).is_empty() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it was stopped");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["ConcurrentModificationException", "Series: not thread-safe, ", "stopped by a signal"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let found = documents(raddle.folder.path());
    assert!(!found.is_empty(), "{text}");
    for document in found {
        let output = raddle.run(&["replay", document.to_str().unwrap(), "--times", "100"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("Series: failed 100 of 100 times, with the same events"), "{text}");
    }
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "nothing is left");
}

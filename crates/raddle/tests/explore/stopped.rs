//! Runs that are stopped before their end.

use crate::jdks;
use crate::support::{Raddle, compile, folder};
use classpath::Jdk;
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Stdio};

/// Each execution is a deadlock; from the fourth on there is none that ends.
const STUCK: &str = r#"
public class Stuck {
    /** Fields of interfaces are not put back between executions. */
    interface Left {
        java.util.Map<String, String> BEHIND = new java.util.HashMap<>();
    }

    public static void main(String[] arguments) throws Exception {
        int executions = Integer.parseInt(Left.BEHIND.getOrDefault("executions", "0")) + 1;
        Left.BEHIND.put("executions", Integer.toString(executions));
        // A serial one, one that is found, and that one once more.
        if (executions > 3) {
            new java.io.File("hangs").createNewFile();
            while (true) {
            }
        }
        Object lock = new Object();
        Thread other = new Thread(() -> {
            synchronized (lock) {
                lock.notify();
            }
        });
        other.start();
        other.join();
        synchronized (lock) {
            lock.wait();
        }
    }
}
"#;

/// A run of it that has found the deadlock, and now hangs. Its temporary files are in the folder.
fn hanging(raddle: &Raddle<'_>, classes: &Path, temporary: &Path) -> Child {
    let mut command = raddle.command(&["explore", "Stuck", "--classpath", classes.to_str().unwrap()]);
    command.env("TMPDIR", temporary).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !has(temporary, "hangs") {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it was stopped");
        std::thread::yield_now();
    }
    child
}

fn classes(jdk: &Jdk) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Stuck.java");
    std::fs::write(&source, STUCK).unwrap();
    compile(jdk, &[source], "")
}

#[test]
fn what_was_found_is_shown_as_what_it_is() {
    let jdk = &jdks()[0];
    let (classes, raddle, temporary) = (classes(jdk), Raddle::new(jdk), tempfile::tempdir().unwrap());
    let child = hanging(&raddle, classes.path(), temporary.path());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Stuck deadlocks: thread 0 waits to be notified on java.lang.Object",
        "notifies",
        "Fails with no preemption as it was found; it was not shrunk yet, and its cause was not looked for.",
        "found after 1 execution,",
        "Stuck: 1 finding in 1 execution,",
        "not certified: stopped by a signal",
    ] {
        assert!(flat.contains(part), "no {part:?} in\n{text}");
    }
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn what_a_killed_run_leaves_the_next_removes() {
    let jdk = &jdks()[0];
    let (classes, raddle, temporary) = (classes(jdk), Raddle::new(jdk), tempfile::tempdir().unwrap());
    let mut child = hanging(&raddle, classes.path(), temporary.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let left = temporary.path().join(format!("raddle-{}", child.id()));
    assert!(left.exists());
    let account = compile(jdk, &[folder("programs/AccountLocked.java")], "");
    let mut next = raddle.command(&["explore", "AccountLocked", "--classpath", account.path().to_str().unwrap()]);
    assert!(next.env("TMPDIR", temporary.path()).output().unwrap().status.success());
    assert!(!left.exists());
}

/// Whether there is a file of that name below a folder. What vanishes in the meantime is not there.
fn has(folder: &Path, name: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name() == name || entry.path().is_dir() && has(&entry.path(), name))
}

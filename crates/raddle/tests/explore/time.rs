//! Time that passes although threads could go on.

use crate::jdks;
use crate::support::{Raddle, compile};

/// Whoever polls gives up if it takes too long. It does so only where time passes while it could poll on, and the one that it
/// waits for does not go on at once.
const POLLS: &str = r#"
public class Polls {
    static volatile boolean ready;

    public static void main(String[] arguments) throws Exception {
        Thread slow = new Thread(() -> {
            try {
                Thread.sleep(1000);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            ready = true;
        });
        long end = System.nanoTime() + 500_000_000L;
        slow.start();
        for (int polls = 0; polls < 250 && !ready; polls++) {
        }
        if (!ready && System.nanoTime() > end) {
            throw new AssertionError("gave up");
        }
        slow.join();
    }
}
"#;

#[test]
fn a_finding_that_needs_time_to_pass_is_found_and_replays() {
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Polls.java");
    std::fs::write(&file, POLLS).unwrap();
    for jdk in jdks() {
        let classes = compile(&jdk, std::slice::from_ref(&file), "");
        let raddle = Raddle::new(&jdk);
        let class_path = classes.path().to_str().unwrap();
        let (status, report) = raddle.explore(&[
            "Polls",
            "--explorer",
            "pct",
            "--first",
            "--executions",
            "200",
            "--classpath",
            class_path,
        ]);
        assert_eq!(status, 1, "{report:#}");
        let finding = &report["findings"][0];
        assert_eq!(finding["what"], "java.lang.AssertionError: gave up");
        let document = finding["replay"].as_str().unwrap();
        let output = raddle.run(&["replay", document, "--times", "20"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let last = "Polls: failed 20 of 20 times, with the same events as when it was found";
        assert_eq!(text.lines().last(), Some(last), "{text}");
        // Without its note of when time has passed it cannot be followed.
        let path = raddle.folder.path().join(document);
        let mut without: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert!(without.as_object_mut().unwrap().remove("timeouts").is_some());
        std::fs::write(&path, without.to_string()).unwrap();
        let output = raddle.run(&["replay", document]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("is not what it was when this was found"), "{text}");
    }
}

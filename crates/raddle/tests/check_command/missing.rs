//! A class that is not on the class path is no violation of the class that asks for it.

use crate::jdks;
use crate::support::{Raddle, compile};
use classpath::Jdk;
use tempfile::TempDir;

const CLASSES: [(&str, &str); 4] = [
    ("Gone", "class Gone { static void call() {} }"),
    (
        // No object of it can be made.
        "Missing",
        "public class Missing {
            private int count;
            public Missing() { Gone.call(); }
            public void add() { count++; }
        }",
    ),
    (
        // Asks for it only if two calls meet.
        "MissingSometimes",
        "public class MissingSometimes {
            private boolean isBusy;
            public void enter() {
                if (isBusy) Gone.call();
                isBusy = true;
                isBusy = false;
            }
        }",
    ),
    (
        // One method cannot be called, and two can.
        "MissingInPart",
        "public class MissingInPart {
            private int count;
            public void call() { Gone.call(); }
            public synchronized void add() { count++; }
            public synchronized int count() { return count; }
        }",
    ),
];

fn compiled(jdk: &Jdk) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = CLASSES.map(|(name, text)| {
        let file = folder.path().join(format!("{name}.java"));
        std::fs::write(&file, text).unwrap();
        file
    });
    compile(jdk, &files, folder.path(), folder.path());
    std::fs::remove_file(folder.path().join("Gone.class")).unwrap();
    folder
}

#[test]
fn a_class_that_is_missing_is_named_and_is_no_violation() {
    for jdk in &jdks() {
        println!("JDK {}", jdk.version);
        let (classes, raddle) = (compiled(jdk), Raddle::new(jdk));
        for class in ["Missing", "MissingSometimes"] {
            let (status, report) = raddle.check(classes.path(), &[class, "--effort", "500000"]);
            let report = &report["classes"][0];
            assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
            let reason = "class Gone is not on the class path: name its jar or folder with --classpath";
            assert_eq!(report["reason"], reason, "{report:#}");
            assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{report:#}");
        }
        let (status, report) = raddle.check(classes.path(), &["MissingInPart", "--effort", "4000000"]);
        // What could be run is right, and what matters needs the class.
        assert_eq!((status, &report["classes"][0]["verdict"]), (2, &"unknown".into()), "{report:#}");
        let reason = report["classes"][0]["reason"].as_str().unwrap();
        assert!(reason.starts_with("barely tested: ") && reason.contains("--classpath"), "{reason}");
        let rejections = report["classes"][0]["rejections"].to_string();
        assert!(rejections.contains("MissingInPart.call throws java.lang.NoClassDefFoundError: Gone"), "{rejections}");
    }
}

//! Tests that a check keeps are those that it ran: their programs compile and run, and their jobs are done again.

use crate::jdks;
use crate::support::{Raddle, compile};
use std::path::Path;
use std::process::Command;

#[test]
fn kept_tests_can_be_run() {
    for jdk in &jdks() {
        let raddle = Raddle::new(jdk);
        let class_path = raddle.folder.path().join("classes");
        std::fs::create_dir(&class_path).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/classes/BinLocked.java");
        compile(jdk, &[source], Path::new(""), &class_path);
        // What is there from another check goes.
        let old = raddle.folder.path().join("raddle-out/tests/BinLocked/9");
        std::fs::create_dir_all(&old).unwrap();
        let check = || raddle.check(&class_path, &["BinLocked", "--effort", "200000", "--keep-tests", "3"]).1;
        let report = check();
        let kept = report["classes"][0]["kept"].as_array().unwrap();
        assert_eq!((kept.len(), old.exists()), (3, false), "{report:#}");
        for test in kept {
            let java = raddle.folder.path().join(test["java"].as_str().unwrap());
            compile(jdk, std::slice::from_ref(&java), &class_path, &class_path);
            let name = java.file_stem().unwrap().to_str().unwrap();
            let output = Command::new(jdk.java()).arg("-cp").arg(&class_path).args([name, "1"]).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(said.trim().parse::<f64>().is_ok_and(|rate| rate > 1.0), "{said}");
            let text = std::fs::read_to_string(java).unwrap();
            let calls = test["threads"].as_array().unwrap().iter().flat_map(|calls| calls.as_array().unwrap());
            calls.for_each(|call| assert!(text.contains(call.as_str().unwrap()), "{call} in {text}"));
            let task = test["task"].as_str().unwrap();
            let jobs = ["jobs", task, "--classpath", class_path.to_str().unwrap(), "--jobs", "1", "--out", "again"];
            let output = raddle.run(&jobs);
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(said.contains(": done, ") && said.contains(" 0 failures"), "{said}");
        }
        // The same seed keeps the same tests.
        let told = |test: &serde_json::Value| (test["prefix"].clone(), test["threads"].clone());
        let again = check();
        let again = again["classes"][0]["kept"].as_array().unwrap();
        assert_eq!(kept.iter().map(told).collect::<Vec<_>>(), again.iter().map(told).collect::<Vec<_>>());
    }
}

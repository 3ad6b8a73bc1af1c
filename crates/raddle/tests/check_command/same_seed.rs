//! The same seed gives the same: the same tests, and with one worker the same findings in the same order.

use crate::classes::{Class, Compiled, all};
use crate::jdks;
use crate::support::Raddle;
use classpath::Jdk;
use serde_json::{Value, json};
use std::path::Path;

/// All that a check says of findings but when they were found, and the Java tests.
fn findings(jdk: &Jdk, class: &Class, class_path: &Path, arguments: &[&str]) -> Vec<Value> {
    let raddle = Raddle::new(jdk);
    let options: Vec<&str> = class.options.iter().map(String::as_str).collect();
    let (status, mut report) = raddle.check(class_path, &[&[&*class.name], &*options, arguments].concat());
    assert_eq!(status, 1, "{}: {report:#}", class.name);
    let findings = report["classes"][0]["findings"].as_array_mut().unwrap();
    for finding in findings.iter_mut() {
        finding["seconds_to_find"].take();
        let test = std::fs::read_to_string(raddle.folder.path().join(finding["test"].as_str().unwrap())).unwrap();
        finding["text"] = json!(test.replace(class_path.to_str().unwrap(), ""));
    }
    findings.clone()
}

#[test]
fn the_same_seed_gives_the_same_findings() {
    let jdk = &jdks()[0];
    let mut classes = all();
    classes.retain(|class| !class.expected.is_empty());
    let compiled = Compiled::new(jdk, &classes);
    for class in &classes {
        for strategy in ["pairs", "auto"] {
            let arguments = ["--first", "--seed", "7", "--budget", "60s", "--strategy", strategy];
            let check = || findings(jdk, class, &compiled.of(class), &arguments);
            assert_eq!(check(), check(), "{} {strategy}", class.name);
        }
    }
}

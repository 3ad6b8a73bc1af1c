//! The same seed gives the same with one worker: the same tests, and the same findings in the same order.

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

fn compiled(jdk: &Jdk, names: &[&str]) -> (Vec<Class>, Compiled) {
    let mut classes = all();
    classes.retain(|class| names.contains(&&*class.name));
    assert_eq!(classes.len(), names.len());
    let compiled = Compiled::new(jdk, &classes);
    (classes, compiled)
}

#[test]
fn the_same_seed_gives_the_same_first_finding() {
    let jdk = &jdks()[0];
    let (classes, compiled) = compiled(jdk, &["LaterVector", "LazyRange", "PooledSource", "Series"]);
    for class in &classes {
        for strategy in ["pairs", "random"] {
            let arguments = ["--first", "--seed", "7", "--effort", "5000000", "--strategy", strategy];
            let check = || findings(jdk, class, &compiled.of(class), &arguments);
            let (one, other) = (check(), check());
            assert_eq!((&one, one.len()), (&other, 1), "{} {strategy}", class.name);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_findings_in_the_same_order() {
    let jdk = &jdks()[0];
    let (classes, compiled) = compiled(jdk, &["Bin", "Motivating"]);
    for class in &classes {
        let arguments = ["--seed", "7", "--effort", "2000000", "--strategy", "pairs"];
        let check = || findings(jdk, class, &compiled.of(class), &arguments);
        let (one, other) = (check(), check());
        println!("{}: {} findings", class.name, one.len());
        assert!(!one.is_empty());
        assert_eq!(one, other, "{}", class.name);
    }
}

//! What is wrong with a class is found, whatever the seed; what is found replays, and is a Java test.

use crate::classes::{Class, Compiled, all};
use crate::jdks;
use crate::support::{BUDGET, Raddle, compile};
use classpath::Jdk;
use serde_json::Value;
use std::path::Path;

/// How much work a search is allowed, so that it runs the same tests on every machine. The second is for faults
/// that are found late.
const EFFORTS: [&str; 2] = ["3000000", "30000000"];

fn failing() -> Vec<Class> {
    let mut classes = all();
    classes.retain(|class| !class.expected.is_empty());
    classes
}

/// What becomes of findings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// All are replayed, and their tests compiled.
    Replayed,
    /// Nothing: that takes several times as long as finding them.
    Nothing,
}

fn finds(jdk: &Jdk, class: &Class, class_path: &Path, seed: u64, then: Then) {
    let seed = seed.to_string();
    // Where one fault is expected it is mostly found first. Else the search goes on to its end.
    let at_first = (class.expected.len() == 1).then_some(vec!["--first", "--effort", EFFORTS[1]]);
    let to_the_end = EFFORTS.map(|effort| vec!["--effort", effort]);
    let (raddle, status, report) = at_first
        .into_iter()
        .chain(to_the_end)
        .map(|options| check(jdk, class, class_path, &[&["--seed", &seed], &*options].concat()))
        .find(|(_, _, report)| class.expected.iter().all(|expected| expected.find(report).is_some()))
        .unwrap_or_else(|| panic!("{} with seed {seed}: not found: {:?}", class.name, class.expected));
    assert_eq!((status, &report["verdict"]), (1, &"violation".into()), "{report:#}");
    let findings = report["findings"].as_array().unwrap();
    for finding in findings.iter().filter(|_| then == Then::Replayed) {
        raddle.replays(&class.name, finding);
        let test = raddle.folder.path().join(finding["test"].as_str().unwrap());
        compile(jdk, &[test], class_path, tempfile::tempdir().unwrap().path());
    }
}

fn check<'j>(jdk: &'j Jdk, class: &Class, class_path: &Path, arguments: &[&str]) -> (Raddle<'j>, i32, Value) {
    let raddle = Raddle::new(jdk);
    let options: Vec<&str> = class.options.iter().map(String::as_str).collect();
    let (status, mut report) = raddle.check(class_path, &[&[&*class.name], &*options, arguments].concat());
    let report = report["classes"][0].take();
    let ran = format!("{} tests, effort {}, {} s", report["tests"], report["effort"], report["seconds"]);
    println!("JDK {} {} {}: {ran}", jdk.version, class.name, arguments.join(" "));
    for finding in report["findings"].as_array().unwrap() {
        println!("    {} {} in {}", finding["kind"], finding["exception"], finding["threads"]);
    }
    (raddle, status, report)
}

/// Checks each class with the seeds that this gives for its place in the order of their names.
fn finds_with(seeds: impl Fn(u64) -> Vec<u64>, then: Then) {
    let (classes, jdk) = (failing(), &jdks()[0]);
    let compiled = Compiled::new(jdk, &classes);
    for (class, place) in classes.iter().zip(0..) {
        seeds(place).into_iter().for_each(|seed| finds(jdk, class, &compiled.of(class), seed, then));
    }
}

// Two tests, for they take longest and can run side by side.
#[test]
fn faults_are_found_and_what_is_found_replays_and_compiles() {
    finds_with(|_| vec![1], Then::Replayed);
}

/// One other seed for each class; with `RADDLE_SEEDS=all` four, which takes four times as long.
#[test]
fn faults_are_found_with_other_seeds() {
    let all = std::env::var("RADDLE_SEEDS").is_ok_and(|seeds| seeds == "all");
    finds_with(|place| if all { (2..=5).collect() } else { vec![2 + place % 4] }, Then::Nothing);
}

#[test]
fn faults_are_found_on_every_jdk() {
    let classes = failing();
    for jdk in &jdks()[1..] {
        let compiled = Compiled::new(jdk, &classes);
        classes.iter().for_each(|class| finds(jdk, class, &compiled.of(class), 1, Then::Nothing));
    }
}

#[test]
fn a_report_says_where_locks_are_taken_and_which_object_is_which() {
    for jdk in &jdks() {
        let raddle = Raddle::new(jdk);
        let limits = ["--jobs", "1", "--effort", EFFORTS[1], "--budget", BUDGET];
        let output = raddle.run(&[&["check", "java.lang.StringBuffer", "--first"], &limits[..]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let objects = text.lines().filter(|line| line.starts_with("    StringBuffer "));
        let told: Vec<_> = objects.filter_map(|line| Some(line.split_once("  // StringBuffer#")?.1)).collect();
        assert_eq!(told.len(), 2, "{text}");
        assert_ne!(told[0], told[1], "{text}");
        // The methods are synchronized: no instruction of theirs takes the lock.
        let locks: Vec<_> = text.lines().filter(|line| line.contains(" locks StringBuffer#")).collect();
        assert!(locks.len() >= 2 && locks.iter().all(|line| line.contains("StringBuffer.java:")), "{text}");
    }
}

//! What is wrong with a class is found, whatever the seed; what is found replays, and is a Java test.

use crate::classes::{Class, Compiled, all};
use crate::support::{BUDGET, Raddle, compile};
use crate::{is_thorough, jdks};
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

fn finds(jdk: &Jdk, class: &Class, class_path: &Path, seed: u64) {
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
    for finding in findings {
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

/// Checks every other class, each with one seed. With `RADDLE_SEEDS=all` it is each class with all five seeds, which
/// takes ten times as long.
fn finds_every_other(jdk: &Jdk, first: usize) {
    let all = is_thorough();
    let classes = failing();
    let places: Vec<usize> = (0..classes.len()).filter(|place| all || place % 2 == first).collect();
    let compiled = Compiled::new(jdk, &classes);
    for place in places {
        let class = &classes[place];
        let seeds = if all { (1..=5).collect() } else { vec![1] };
        seeds.into_iter().for_each(|seed| finds(jdk, class, &compiled.of(class), seed));
    }
}

// Two tests, for they take longest and can run side by side: one on the first JDK, one on the last.

#[test]
fn faults_are_found_and_what_is_found_replays_and_compiles() {
    finds_every_other(&jdks()[0], 0);
}

#[test]
fn faults_are_found_on_another_jdk() {
    finds_every_other(jdks().last().unwrap(), 1);
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

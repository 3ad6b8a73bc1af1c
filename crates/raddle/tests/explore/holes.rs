//! What opaque code does is an event, is known to make no difference, or keeps a certificate from being given.
//!
//! Each fixture of `holes/fail` is found, or nothing is certified and what was not seen is named; none of
//! `holes/pass` is accused. Those of `holes/doubt` fail only by chance or by weak memory that no schedule shows: they
//! are not certified without a bound. With `RADDLE_DPOR` set, reduction alone explores, so that nothing is found by
//! luck. `RADDLE_FIXTURES` names another folder of fixtures.

use crate::fixtures::{self, Fixture};
use crate::worker::Worker;
use crate::{AUTO, jdks};
use classpath::Jdk;
use raddle::worker::protocol::{Answer, Explore, Explored, Explorer, Plan};
use std::time::Duration;

/// Bounds a fixture whose threads block inside the virtual machine. Others need a small part of it.
const LIMIT: Duration = Duration::from_secs(120);

/// What is said of a fixture, in a line.
fn said(answer: Answer) -> String {
    let explored = match answer {
        // What fails then is told only if the first execution of a virtual machine fails so.
        Answer::Done(report) if report.unrestored.is_some() => {
            return format!("not restored: {}", report.unrestored.unwrap());
        }
        Answer::Done(report) => report.explored.unwrap(),
        Answer::Refused(why) => panic!("refused: {why}"),
        Answer::Unknown(reason) => return format!("unknown: {reason}"),
    };
    let Explored { certificate, findings, unseen, weak, unexpected, .. } = &explored;
    if let Some(finding) = findings.first() {
        return format!("found: {}", finding.failure.what);
    }
    match certificate {
        Some(certificate) => {
            let holds = if certificate.race_free { "" } else { ", sequentially consistent executions only" };
            let weak = if weak.is_some() { ", weak accesses" } else { "" };
            format!("certified{holds}{weak}{}", if certificate.chance { ", chance fixed" } else { "" })
        }
        None if !unseen.is_empty() => format!("unseen: {}", unseen.join("; ")),
        None if *unexpected > 0 => "not certified: executions did not go as they had to".into(),
        None => "not certified".into(),
    }
}

/// Explores all fixtures of a folder.
fn explore(folder: &str, jdk: &Jdk) -> Vec<(Fixture, String)> {
    let fixtures = fixtures::all(folder, jdk);
    let classes = tempfile::tempdir().unwrap();
    fixtures::compile(jdk, &fixtures, classes.path());
    let mut worker = Worker::start(jdk, classes.path(), &[]);
    let mut all = Vec::new();
    for fixture in fixtures {
        // Without luck: what only reduction runs shows what it does not know of.
        let explorer = if std::env::var_os("RADDLE_DPOR").is_some() { Explorer::Dpor } else { Explorer::Auto };
        let plan = Explore { explorer, first: true, executions: 300, explain_millis: 600_000, ..AUTO };
        let answer = worker.ask_within(&fixture.job(Plan::Explore(plan)), Some(LIMIT));
        let leaves_behind = matches!(&answer, Answer::Done(report) if report.unrestored.is_some());
        if leaves_behind || matches!(answer, Answer::Unknown(_)) {
            worker = Worker::start(jdk, classes.path(), &[]);
        }
        let said = said(answer);
        println!("JDK {} {folder}/{}: {said}", jdk.version, fixture.name);
        all.push((fixture, said));
    }
    all
}

#[test]
fn nothing_is_certified_that_was_not_seen() {
    let mut wrong = Vec::new();
    for jdk in jdks() {
        for folder in ["fail", "pass", "doubt"] {
            for (fixture, said) in explore(&format!("holes/{folder}"), &jdk) {
                let is_right = match folder {
                    "fail" => !said.starts_with("certified"),
                    "pass" => !said.starts_with("found"),
                    _ => said != "certified",
                };
                if !is_right {
                    wrong.push(format!("{folder}/{} on {}: {said}", fixture.name, jdk.feature));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// For each hook that watches, a fixture that is taken for right without it.
const NOTICED_BY: [(&str, &str); 10] = [
    ("asksOfEnd", "EndClears"),
    ("endsWithThreads", "EndOfGroup"),
    ("copiesMemory", "DirectBulk"),
    ("initialises", "InitTally"),
    ("watchesElement", "CodePoint"),
    ("watchesEnter", "HookTwice"),
    ("watchesExit", "HookTwice"),
    ("watchesField", "CauseTwice"),
    ("watchesNative", "LoaderTwice"),
    ("watchesStatic", "DefaultHandler"),
];

#[test]
fn without_its_hook_a_hole_is_not_noticed() {
    let jdk = jdks().pop().unwrap();
    let all = fixtures::all("holes/fail", &jdk);
    for (hook, name) in NOTICED_BY {
        let fixture = all.iter().find(|fixture| fixture.name == name).unwrap();
        let classes = tempfile::tempdir().unwrap();
        fixtures::compile(&jdk, std::slice::from_ref(fixture), classes.path());
        // A walk may find by luck what nothing tells of.
        let plan = Explore { explorer: Explorer::Dpor, first: true, executions: 1_000, ..AUTO };
        let [with, without] = [&[][..], &[hook]].map(|left_out| {
            let mut worker = Worker::start_without_all(left_out, &jdk, classes.path());
            said(worker.ask(&fixture.job(Plan::Explore(plan))))
        });
        println!("JDK {} {name} with {hook}: {with}; without: {without}", jdk.version);
        assert_ne!(with, without, "{name} does not need {hook}");
    }
}

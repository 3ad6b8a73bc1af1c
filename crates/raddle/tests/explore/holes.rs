//! What opaque code does is an event, is known to make no difference, or keeps a certificate from being given.
//!
//! Each fixture of `holes/fail` is found, or nothing is certified and what was not seen is named; none of `holes/pass` is
//! accused. Those of `holes/doubt` fail only by chance or by weak memory that no schedule shows: they are not certified without a bound.

use crate::fixtures::{self, Fixture};
use crate::worker::Worker;
use crate::{AUTO, jdks};
use classpath::Jdk;
use raddle::worker::protocol::{Answer, Explore, Explored, Plan};
use std::collections::BTreeMap;
use std::path::Path;

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
        let plan = Explore { first: true, executions: 300, explain_millis: 600_000, ..AUTO };
        let answer = worker.ask(&fixture.job(Plan::Explore(plan)));
        if matches!(answer, Answer::Unknown(_)) {
            worker = Worker::start(jdk, classes.path(), &[]);
        }
        let said = said(answer);
        println!("JDK {} {folder}/{}: {said}", jdk.version, fixture.name);
        all.push((fixture, said));
    }
    all
}

/// `RADDLE_BLESS=1` writes the file anew, for the JDKs that are here.
#[test]
fn nothing_is_certified_that_was_not_seen() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explore/holes.txt");
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let blessed: BTreeMap<String, String> =
        text.lines().filter_map(|line| line.split_once(": ")).map(|(key, what)| (key.into(), what.into())).collect();
    let (mut seen, mut wrong) = (blessed.clone(), Vec::new());
    for jdk in jdks() {
        for folder in ["fail", "pass", "doubt"] {
            for (fixture, said) in explore(&format!("holes/{folder}"), &jdk) {
                let key = format!("{folder} {} on {}", fixture.name, jdk.feature);
                let is_right = match folder {
                    "fail" => !said.starts_with("certified"),
                    "pass" => !said.starts_with("found"),
                    _ => said != "certified",
                };
                if !is_right {
                    wrong.push(format!("{key}: {said}"));
                }
                seen.insert(key, said);
            }
        }
    }
    if std::env::var_os("RADDLE_BLESS").is_some() {
        let lines: String = seen.iter().map(|(key, what)| format!("{key}: {what}\n")).collect();
        std::fs::write(&file, lines).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    if std::env::var_os("RADDLE_BLESS").is_none() {
        // The words after the first are for readers: of several failures another may be the first.
        let is_other = |key: &String, what: &String| blessed.get(key).map(|known| word(known)) != Some(word(what));
        let differences: Vec<_> = seen.iter().filter(|(key, what)| is_other(key, what)).collect();
        assert!(differences.is_empty(), "not as blessed: {differences:#?}");
    }
}

/// What is said, without the details.
fn word(said: &str) -> &str {
    said.split([':', ',']).next().unwrap_or(said)
}

/// For each hook that watches, a fixture that is taken for right without it.
const NOTICED_BY: [(&str, &str); 6] = [
    ("copiesMemory", "DirectBulk"),
    ("initialises", "InitTally"),
    ("watchesElement", "CodePoint"),
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
        let plan = Explore { first: true, executions: 1_000, ..AUTO };
        let [with, without] = [&[][..], &[hook]].map(|left_out| {
            let mut worker = Worker::start_without_all(left_out, &jdk, classes.path());
            said(worker.ask(&fixture.job(Plan::Explore(plan))))
        });
        println!("JDK {} {name} with {hook}: {with}; without: {without}", jdk.version);
        assert_ne!(with, without, "{name} does not need {hook}");
    }
}

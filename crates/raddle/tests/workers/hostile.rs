//! Each fixture of `hostile` costs one job, with the reason that its header names, and nothing else.

use std::time::Duration;

use classpath::Jdk;
use host::CallResult;
use raddle::supervisor::{Outcome, Task};
use raddle::worker::protocol::{Answer, Finding};

use crate::support::{Run, compile, fixtures, header, honest, jdks, job, name, random, task};

/// What the job after each hostile one does: it fails under some schedules.
fn honest_task(key: String) -> Task {
    task(key, job(&honest("fail/ArrayListAdd"), random(0, 40)))
}

#[test]
fn a_hostile_job_costs_itself_and_nothing_else() {
    let threads: Vec<_> = jdks().into_iter().map(|jdk| std::thread::spawn(move || check(&jdk))).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn check(jdk: &Jdk) {
    let sources = fixtures("hostile");
    let classes = compile(jdk, &[sources.clone(), vec![honest("fail/ArrayListAdd")]].concat());
    let alone = Run::new(jdk, classes.path(), &[honest_task("alone".into())]);
    alone.finish(&["--jobs", "1"]);
    let expected = alone.outcomes().remove("alone").unwrap();
    assert!(matches!(&expected.answer, Answer::Done(report) if report.failures > 0), "{:?}", expected.answer);

    let mut tasks = Vec::new();
    for source in &sources {
        let budget = header(source, "budget").map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
        tasks.push(Task { budget, ..task(name(source), job(source, random(0, 3))) });
        tasks.push(honest_task(format!("after {}", name(source))));
    }
    let run = Run::new(jdk, classes.path(), &tasks);
    // One worker at a time, so the job after a hostile one runs where that one did.
    run.finish(&["--jobs", "1", "--heap", "256"]);
    run.assert_tidy();
    let (outcomes, found) = (run.outcomes(), run.found());
    let report = run.report();
    for source in &sources {
        let name = name(source);
        let wanted = header(source, "expect").unwrap();
        let what = format!("JDK {} {name}", jdk.version);
        let outcome = &outcomes[&name];
        match &outcome.answer {
            Answer::Done(done) => assert_eq!((&*wanted, done.failures), ("done", 0), "{what}: {done:?}"),
            Answer::Refused(why) => panic!("{what} was refused: {why}"),
            Answer::Unknown(reason) => {
                assert!(format!("{reason:?}").starts_with(&wanted), "{what}: {reason:?}, not {wanted}");
                assert!(report.contains(&format!("{name}: unknown: {reason}\n")), "{report}");
            }
        }
        let thrown: Vec<_> = found.get(&name).into_iter().flatten().flat_map(thrown).collect();
        assert_eq!(thrown, Vec::from_iter(header(source, "found")), "{what} has found");
        assert_eq!(report.contains(&format!("{name}: unknown: ")) && !thrown.is_empty(), is_found(&report, &name));
        assert_eq!(outcomes[&format!("after {name}")], expected, "after {what}");
        println!("{what}: {}", report.lines().find(|line| line.starts_with(&format!("{name}: "))).unwrap());
    }
    check_printed(&outcomes["Prints"]);
}

/// The classes of exceptions that calls have ended with.
fn thrown(finding: &Finding) -> Vec<String> {
    let thrown = finding.shown.suffixes.iter().flatten().filter_map(|call| match call {
        CallResult::Threw(thrown) => Some(thrown.class.clone()),
        _ => None,
    });
    thrown.collect()
}

/// Whether the report says that a job has found something before it was cut off.
fn is_found(report: &str, name: &str) -> bool {
    let mut lines = report.lines().skip_while(|line| !line.starts_with(&format!("{name}: "))).skip(1);
    lines.by_ref().take_while(|line| line.starts_with(' ')).any(|line| line.starts_with("    found before that: "))
}

/// The serial execution and three more have written nine lines each, and the end of it is kept.
fn check_printed(outcome: &Outcome) {
    let lines = "the end of standard output\nand of standard error\n".len() as u64;
    assert_eq!(outcome.printed.bytes, 4 * (8_000_000 + lines));
    assert!(outcome.printed.tail.len() < 10_000, "{} bytes were kept", outcome.printed.tail.len());
    assert!(outcome.printed.tail.contains("and of standard error"));
}

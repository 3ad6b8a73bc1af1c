//! Threads and synchronizers answer what they answer without us: who waits, who holds, what state a thread is in.

use crate::jdks;
use crate::worker::Worker;
use classpath::Jdk;
use host::Limits;
use raddle::worker::protocol::{Job, Plan};
use std::path::{Path, PathBuf};
use std::process::Command;
use testcase::{Argument, Call, Operation, TestCase};

/// Each line of `Queries.main` is a state of threads and locks, with what they answer in it.
#[test]
fn every_question_is_answered_as_hotspot_answers_it() {
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let expected = answers_of_hotspot(&jdk, folder.path());
        assert!(expected.len() > 20, "{expected:?}");
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for (scene, expected) in expected.iter().enumerate() {
            let report = worker.run(&job(scene, expected));
            println!("JDK {} scene {scene}: {} traces", jdk.version, report.traces);
            assert_eq!((report.failures, report.unstable), (0, 0), "{scene}: {expected}\n{:#?}", report.shown);
        }
    }
}

/// What the same program says where nothing is rewritten.
fn answers_of_hotspot(jdk: &Jdk, folder: &Path) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/queries/Queries.java");
    let run = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(Command::new(jdk.javac()).args(["-g", "-nowarn", "-d"]).arg(folder).arg(source));
    let java: PathBuf = jdk.home.join("bin/java");
    run(Command::new(java).arg("-cp").arg(folder).arg("Queries")).lines().map(str::to_owned).collect()
}

/// One scene, under random schedules: whatever they are, it asks when it is there.
fn job(scene: usize, expected: &str) -> Job {
    let (class, descriptor) = ("Queries".to_owned(), "(ILjava/lang/String;)V".to_owned());
    let call = Call {
        operation: Operation::Static { class: class.clone(), name: "expect".into(), descriptor },
        arguments: vec![Argument::Int(scene as i32), Argument::String(expected.into())],
    };
    let test = TestCase { prefix: vec![], suffixes: vec![vec![call]], probes: vec![] };
    let plan = Plan::Random { seed: 0, executions: 40, exhaust: false };
    Job { test, under_test: vec![class], plan, limits: Limits::default(), opened: vec![] }
}

//! Test cases written down in Rust, and Java sources for them.

use classpath::Jdk;
use host::CallResult;
use raddle::worker::protocol::{Job, Plan, Report};
use std::process::Command;
use tempfile::TempDir;
use testcase::{Argument, Behaviour, Call, Implementation, Operation, TestCase};

use crate::worker::Worker;

pub fn call(operation: Operation, arguments: Vec<Argument>) -> Call {
    Call { operation, arguments }
}

pub fn construct(class: &str, descriptor: &str, arguments: Vec<Argument>) -> Call {
    call(Operation::Construct { class: class.into(), descriptor: descriptor.into() }, arguments)
}

/// A new object of a class whose constructor has no parameters.
pub fn new(class: &str) -> Call {
    construct(class, "()V", vec![])
}

/// Calls an instance method, given as `name(...)...`.
pub fn invoke(class: &str, method: &str, receiver: Argument, arguments: Vec<Argument>) -> Call {
    let (name, descriptor) = split(method);
    call(Operation::Virtual { class: class.into(), name, descriptor, receiver }, arguments)
}

/// Calls a static method.
pub fn invoke_static(class: &str, method: &str, arguments: Vec<Argument>) -> Call {
    let (name, descriptor) = split(method);
    call(Operation::Static { class: class.into(), name, descriptor }, arguments)
}

pub fn implement(class: &str, methods: Vec<Implementation>) -> Call {
    call(Operation::Implement { class: class.into(), descriptor: "()V".into(), methods }, vec![])
}

/// A method that is implemented, given as `name(...)...`.
pub fn does(method: &str, does: Behaviour) -> Implementation {
    let (name, descriptor) = split(method);
    Implementation { name, descriptor, does }
}

fn split(method: &str) -> (String, String) {
    let (name, descriptor) = method.split_at(method.find('(').unwrap());
    (name.to_owned(), descriptor.to_owned())
}

pub fn value(number: usize) -> Argument {
    Argument::Value(number)
}

pub fn text(text: &str) -> Argument {
    Argument::String(text.into())
}

/// A job of one execution with that seed, whatever comes of it.
pub fn once(test: &TestCase, seed: u64) -> Job {
    let plan = Plan::Random { seed, executions: 1, exhaust: true };
    Job { test: test.clone(), under_test: vec![], plan, limits: host::Limits::default(), opened: vec![] }
}

/// Runs a test case once for each of so many seeds.
pub fn run_seeds(worker: &mut Worker, test: &TestCase, seeds: u64) -> Vec<Report> {
    (0..seeds).map(|seed| worker.run(&once(test, seed))).collect()
}

/// Runs calls one after the other in one suffix, after a prefix, and shows what each gave.
pub fn show(worker: &mut Worker, prefix: Vec<Call>, suffix: Vec<Call>) -> Vec<String> {
    let test = TestCase { prefix, suffixes: vec![suffix], probes: vec![] };
    let shown = worker.run(&once(&test, 0)).shown;
    assert!(shown.prefix.iter().all(|result| matches!(result, CallResult::Returned(_))), "{:#?}", shown.prefix);
    shown.suffixes[0].iter().map(written).collect()
}

/// A result in a line.
pub fn written(result: &CallResult) -> String {
    match result {
        CallResult::Returned(value) => value.to_string(),
        CallResult::Threw(thrown) => {
            format!("{}: {}", thrown.class, thrown.message.as_deref().unwrap_or("no message"))
        }
        CallResult::CutOff => "cut off".into(),
    }
}

/// Compiles sources, each given by its path, into a folder.
pub fn compile(jdk: &Jdk, sources: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(jdk.javac());
    command.args(["-g", "-nowarn", "-d"]).arg(folder.path());
    for (name, source) in sources {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, source).unwrap();
        command.arg(file);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

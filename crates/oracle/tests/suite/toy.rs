//! Toy programs: calls on a stack of numbers with a counter, which can be run in any order of calls.

use oracle::{Ended, Given, Kind, Linearization, Observation};
use testcase::{Call, Operation, TestCase};

/// What a call returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    Number(i32),
    /// All that is on the stack.
    Stack(Vec<i32>),
    /// Something that nobody could read.
    Unread,
}

impl Given for Value {
    fn kind(&self) -> Kind {
        match self {
            Value::Number(_) => Kind::Scalar,
            Value::Stack(_) => Kind::Aggregate,
            Value::Unread => Kind::Unknown,
        }
    }
}

pub fn number(number: i32) -> Ended<Value> {
    Ended::Returned(Value::Number(number))
}

pub fn threw(class: &str) -> Ended<Value> {
    Ended::Threw(class.to_owned())
}

/// A call of the method with that name and number.
pub fn call(name: &str) -> Call {
    let (class, name, descriptor) = ("Toy".into(), name.into(), "()I".into());
    Call { operation: Operation::Static { class, name, descriptor }, arguments: vec![] }
}

pub fn test(suffixes: &[&[&str]]) -> TestCase {
    let suffixes = suffixes.iter().map(|calls| calls.iter().map(|name| call(name)).collect()).collect();
    TestCase { suffixes, probes: vec![call("stack")], ..TestCase::default() }
}

/// What the calls of a test case do to a stack if they are made one after the other. With `one_thread` an exception ends all
/// calls, and not only those of its thread.
pub fn run(test: &TestCase, order: &[usize], one_thread: bool) -> Observation<Value> {
    let mut stack = Vec::new();
    let mut observation = Observation { suffixes: vec![Vec::new(); test.suffixes.len()], ..Observation::default() };
    for &suffix in order {
        let ended = &mut observation.suffixes[suffix];
        if matches!(ended.last(), Some(Ended::Threw(_))) {
            continue;
        }
        let made = make(&test.suffixes[suffix][ended.len()], &mut stack);
        let threw = matches!(made, Ended::Threw(_));
        ended.push(made);
        if threw && one_thread {
            break;
        }
    }
    observation.probes = test.probes.iter().map(|probe| make(probe, &mut stack)).collect();
    observation
}

/// The same for a linearization, both ways.
pub fn run_both(test: &TestCase, of: &Linearization) -> [Observation<Value>; 2] {
    [run(test, of.order(), true), run(test, of.order(), false)]
}

fn make(call: &Call, stack: &mut Vec<i32>) -> Ended<Value> {
    let Operation::Static { name, .. } = &call.operation else { unreachable!("toy calls are static") };
    match name.as_str() {
        "pop" => stack.pop().map_or_else(|| threw("Empty"), number),
        "size" => number(stack.len() as i32),
        "stack" => Ended::Returned(Value::Stack(stack.clone())),
        push => {
            stack.push(push.strip_prefix("push").unwrap().parse().unwrap());
            number(stack.len() as i32)
        }
    }
}

//! The test case that the benchmarks run: two threads call `add` on one `Vector` each.

use raddle::worker::protocol::{Job, Plan};
use testcase::{Argument, Call, Operation, TestCase};

/// So many executions of it under random schedules.
pub fn job(executions: u64) -> Job {
    let vector = "java/util/Vector".to_owned();
    let add = |value: &str| Call {
        operation: Operation::Virtual {
            class: vector.clone(),
            name: "add".into(),
            descriptor: "(Ljava/lang/Object;)Z".into(),
            receiver: Argument::Value(0),
        },
        arguments: vec![Argument::String(value.into())],
    };
    let construct = Operation::Construct { class: vector.clone(), descriptor: "()V".into() };
    let test = TestCase {
        prefix: vec![Call { operation: construct, arguments: vec![] }],
        suffixes: vec![vec![add("a")], vec![add("b")]],
        probes: vec![],
    };
    let plan = Plan::Random { seed: 0, executions, exhaust: true };
    Job { test, under_test: vec![vector], plan, limits: host::Limits::default(), opened: vec![] }
}

//! Exceptions that are never held against a class.

use std::collections::BTreeSet;

use testcase::{Argument, Behaviour, Call, Operation, TestCase};

/// What the virtual machine throws when it is at its end, and what ends threads on request: how full a heap is says nothing about the
/// order of calls. A stack is another matter: calls that have no end in each other, and do in every order, are not thread-safe.
const OF_MACHINE: [&str; 6] = [
    "java.lang.VirtualMachineError",
    "java.lang.OutOfMemoryError",
    "java.lang.InternalError",
    "java.lang.UnknownError",
    "java.util.zip.ZipError",
    "java.lang.ThreadDeath",
];

/// What test frameworks throw where a test does not apply.
const ASSUMPTIONS: [&str; 3] = [
    "org.junit.AssumptionViolatedException",
    "org.junit.internal.AssumptionViolatedException",
    "org.opentest4j.TestAbortedException",
];

/// Whether exceptions of this class say nothing about the class under test, whatever the test.
pub fn is_excused(class: &str) -> bool {
    OF_MACHINE.contains(&class) || is_assumption(class)
}

/// Whether exceptions of this class say that a test does not apply.
pub fn is_assumption(class: &str) -> bool {
    ASSUMPTIONS.contains(&class)
}

/// The classes of exceptions that methods throw which the test itself has written.
pub fn thrown_by_test(test: &TestCase) -> BTreeSet<String> {
    let mut classes = BTreeSet::new();
    let calls = test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
    calls.for_each(|call| of_call(call, &mut classes));
    classes
}

/// Whether a method that the test has written gives null, as it says.
pub fn gives_null(test: &TestCase) -> bool {
    let calls = test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
    calls.into_iter().any(|call| match &call.operation {
        Operation::Implement { methods, .. } => {
            methods.iter().any(|method| method.does == Behaviour::Return(Argument::Null))
        }
        _ => false,
    })
}

fn of_call(call: &Call, classes: &mut BTreeSet<String>) {
    if let Operation::Implement { methods, .. } = &call.operation {
        methods.iter().for_each(|method| of_behaviour(&method.does, classes));
    }
}

fn of_behaviour(behaviour: &Behaviour, classes: &mut BTreeSet<String>) {
    match behaviour {
        Behaviour::Throw { class, .. } => {
            classes.insert(class.replace('/', "."));
        }
        Behaviour::Call(call) => of_call(call, classes),
        Behaviour::InTurn(turns) => turns.iter().for_each(|turn| of_behaviour(turn, classes)),
        Behaviour::Nothing | Behaviour::Return(_) => {}
    }
}

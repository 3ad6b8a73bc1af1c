//! Arguments that a caller could not have: a number or a text that a call of another thread is about to give out.
//!
//! `tree.isWithin(1, 0)` may complain that there is no category 1 while `tree.add("a")`, which will return 1, is under
//! way. Nobody was told of a category 1, so nobody would ask for it: the test has guessed it.
//!
//! The same holds for a connection that was given back to its pool and is about to be lent to another thread: whoever has
//! given it back does not use it.

use host::{CallResult, Execution, Value};
use oracle::Place;
use testcase::{Argument, Operation, TestCase};

/// Exceptions by which a class says that an argument is none that it knows. Those of other packages than the JDK's count,
/// too: they are thrown by decision.
const COMPLAINTS: [&str; 3] =
    ["java.lang.IllegalArgumentException", "java.lang.IllegalStateException", "java.util.NoSuchElementException"];

/// Whether a call complains, so that it is worth the while to ask what others returned.
pub fn complains(execution: &Execution, at: Place) -> bool {
    let Place::Suffix { suffix, call } = at else { return false };
    let Some(CallResult::Threw(thrown)) = execution.suffixes.get(suffix).and_then(|calls| calls.get(call)) else {
        return false;
    };
    let is_of_jdk = thrown.class.starts_with("java.") || thrown.class.starts_with("javax.");
    !is_of_jdk || COMPLAINTS.contains(&&*thrown.class)
}

/// Whether the call that complains was given what a call of another thread, which has changed something, had not returned
/// when this one began. The execution must say what calls returned.
pub fn is_guessed(test: &TestCase, execution: &Execution, at: Place) -> bool {
    let Place::Suffix { suffix, call } = at else { return false };
    let Some(made) = test.suffixes[suffix].get(call) else { return false };
    let begin = |suffix: usize, call: usize| call.checked_sub(1).map_or(0, |before| execution.ends[suffix][before]);
    let begun = begin(suffix, call);
    let changes = |other: usize, number: usize, ended: usize| {
        let steps = &execution.trace.steps[begin(other, number)..ended.min(execution.trace.steps.len())];
        steps.iter().any(|step| step.thread.0 as usize == other + 1 && step.event.kind.is_write())
    };
    let is_told = |other: usize, number: usize, value: &Value| {
        let by = &test.suffixes[other][number].operation;
        let mut got = made.arguments.iter().chain(made.operation.receiver());
        got.any(|argument| {
            is_same(argument, value)
                || is_known(test, execution, suffix, argument, (by, value))
                || is_given_back(test, execution, argument, value)
        })
    };
    (0..execution.suffixes.len()).filter(|other| *other != suffix).any(|other| {
        let results = execution.suffixes[other].iter().zip(&execution.ends[other]).enumerate();
        let mut later = results.filter(|(_, (_, ended))| **ended > begun);
        later.any(|(number, (result, &ended))| match result {
            CallResult::Returned(value) => is_told(other, number, value) && changes(other, number, ended),
            _ => false,
        })
    })
}

fn is_same(argument: &Argument, value: &Value) -> bool {
    match (argument, value) {
        (Argument::Int(one), Value::Int(other)) => one == other,
        (Argument::Long(one), Value::Long(other)) => one == other,
        (Argument::String(one), Value::String(other)) => one == other,
        _ => false,
    }
}

/// Whether an argument is what an earlier call returned, and is the same by chance. It is not by chance if the thread was
/// told it by a call of the same method: then two were told the same. What the prefix was told may have been given back.
fn is_known(
    test: &TestCase,
    execution: &Execution,
    suffix: usize,
    argument: &Argument,
    (by, value): (&Operation, &Value),
) -> bool {
    let (Argument::Value(number), Value::Int(_) | Value::Long(_) | Value::String(_)) = (argument, value) else {
        return false;
    };
    let is_it = |result: Option<&CallResult>| matches!(result, Some(CallResult::Returned(told)) if told == value);
    match number.checked_sub(test.prefix.len()) {
        None => is_it(execution.prefix.get(*number)),
        Some(call) => {
            let is_same_method = test.suffixes[suffix].get(call).is_some_and(|made| is_of(&made.operation, by));
            !is_same_method && is_it(execution.suffixes[suffix].get(call))
        }
    }
}

/// Whether an argument is an object that the prefix was given and has handed to somebody again, and that another call
/// returned.
fn is_given_back(test: &TestCase, execution: &Execution, argument: &Argument, value: &Value) -> bool {
    let (Argument::Value(number), Value::Object(lent)) = (argument, value) else { return false };
    let is_it = matches!(
        execution.prefix.get(*number),
        Some(CallResult::Returned(Value::Object(given))) if given.number == lent.number
    );
    is_it && test.prefix.iter().skip(number + 1).any(|call| call.arguments.contains(argument))
}

fn is_of(one: &Operation, other: &Operation) -> bool {
    match (one, other) {
        (Operation::Virtual { name, descriptor, .. }, Operation::Virtual { name: other, descriptor: of_other, .. }) => {
            (name, descriptor) == (other, of_other)
        }
        _ => false,
    }
}

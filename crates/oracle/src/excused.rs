//! Exceptions that are never held against a class.

use std::collections::BTreeSet;

use testcase::{Argument, Behaviour, Call, Implementation, Operation, TestCase};

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

/// How descriptors of methods end that give numbers.
const NUMBERS: [&str; 6] = [")B", ")S", ")I", ")J", ")F", ")D"];

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
    gives(test, |_, method| method.does == Behaviour::Return(Argument::Null))
}

/// Types of tasks, as descriptors name them.
const TASKS: [&str; 3] = ["Ljava/lang/Runnable;", "Ljava/util/concurrent/Callable;", "Ljava/util/TimerTask;"];
/// Types of the JDK that say that they run what they are given.
const RUNNERS: [&str; 3] = [
    "java/util/concurrent/Executor",
    "java/util/concurrent/ExecutorService",
    "java/util/concurrent/ScheduledExecutorService",
];

/// Whether a method that the test has written may be given a task, as an executor is, and does not run it: that may be what somebody
/// waits for.
pub fn drops_tasks(test: &TestCase) -> bool {
    let takes_task = |method: &Implementation| {
        let parameters = method.descriptor.split(')').next().unwrap_or_default();
        TASKS.iter().any(|task| parameters.contains(task))
    };
    let mut calls = test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
    calls.any(|call| match &call.operation {
        Operation::Implement { class, methods, .. } => {
            let runs_none =
                RUNNERS.contains(&&**class) && !methods.iter().any(|method| method.does.runs_what_it_gets());
            runs_none || methods.iter().any(|method| takes_task(method) && !method.does.runs_what_it_gets())
        }
        _ => false,
    })
}

/// Whether a method that the test has written gives a number below one, which is no weight, size or time: whoever asked
/// for one may complain. What compares gives such numbers by right.
pub fn gives_no_amount(test: &TestCase) -> bool {
    gives(test, |class, method| {
        let gives_number = NUMBERS.iter().any(|end| method.descriptor.ends_with(end));
        class != "java/util/Comparator" && gives_number && is_below_one(&method.does)
    })
}

fn is_below_one(does: &Behaviour) -> bool {
    match does {
        Behaviour::Return(Argument::Byte(number)) => *number < 1,
        Behaviour::Return(Argument::Short(number)) => *number < 1,
        Behaviour::Return(Argument::Int(number)) => *number < 1,
        Behaviour::Return(Argument::Long(number)) => *number < 1,
        Behaviour::Return(Argument::Float(number)) => *number < 1.0,
        Behaviour::Return(Argument::Double(number)) => *number < 1.0,
        Behaviour::Nothing => true,
        Behaviour::InTurn(turns) => turns.iter().any(is_below_one),
        Behaviour::Return(_) | Behaviour::Throw { .. } | Behaviour::Call(_) => false,
    }
}

fn gives(test: &TestCase, is_so: impl Fn(&str, &Implementation) -> bool) -> bool {
    let mut calls = test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
    calls.any(|call| match &call.operation {
        Operation::Implement { class, methods, .. } => methods.iter().any(|method| is_so(class, method)),
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

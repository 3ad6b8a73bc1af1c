//! Executions after which nothing can be said about the test case: neither that it passes nor that it fails.
//!
//! What such an execution shows depends on how full a heap or a stack was, or on threads that nobody scheduled; and it
//! leaves a virtual machine behind that later test cases should not run in.

use host::{CallResult, Execution, PrepareError, ResolveError, Stop, Thrown};

use super::desk;
use super::reason::Reason;

/// Why nothing can be said after an execution; None if something can.
pub fn doubt(execution: &Execution) -> Option<Reason> {
    desk::host_is_exhausted().or_else(|| of_stop(execution)).or_else(uncontrolled).or_else(|| {
        let calls = execution.suffixes.iter().flatten().chain(&execution.prefix).chain(&execution.probes);
        let thrown = calls.filter_map(|call| match call {
            CallResult::Threw(thrown) => Some(thrown),
            _ => None,
        });
        thrown.chain(execution.uncaught.iter().map(|(_, thrown)| thrown)).find_map(of_thrown)
    })
}

/// The same for the serial execution that comes first: if that alone does not end, no schedule is to blame.
pub fn doubt_serial(execution: &Execution) -> Option<Reason> {
    match execution.stop {
        Some(Stop::TooManyEvents) => Some(Reason::Endless { events: execution.trace.steps.len() }),
        _ => doubt(execution),
    }
}

/// Whether a test case that cannot be prepared is one that has done something, and not just a wrong one.
pub fn doubt_preparation(error: &PrepareError) -> Option<Reason> {
    let of_error = || match error {
        PrepareError::Resolve(ResolveError::Missing { thrown, .. }) => of_thrown(thrown),
        _ => None,
    };
    desk::host_is_exhausted().or_else(of_error)
}

fn of_stop(execution: &Execution) -> Option<Reason> {
    match execution.stop.as_ref()? {
        Stop::Exit(status) => Some(Reason::Exit { status: *status }),
        Stop::TooManyThreads => Some(Reason::TooManyThreads),
        Stop::Deadlock(_) | Stop::TooManyEvents | Stop::Diverged(_) => None,
    }
}

fn uncontrolled() -> Option<Reason> {
    match host::uncontrolled_threads() {
        0 => None,
        threads => Some(Reason::Uncontrolled { threads }),
    }
}

fn of_thrown(thrown: &Thrown) -> Option<Reason> {
    match &*thrown.class {
        "java.lang.OutOfMemoryError" => Some(Reason::OutOfMemory),
        "java.lang.StackOverflowError" => Some(Reason::StackOverflow),
        "java.lang.ThreadDeath" => Some(Reason::ThreadDeath),
        "java.lang.ExceptionInInitializerError" => {
            Some(thrown.cause.as_deref().and_then(of_thrown).unwrap_or_else(|| initialiser(thrown)))
        }
        "java.lang.NoClassDefFoundError"
            if thrown.message.as_ref().is_some_and(|message| message.starts_with("Could not initialize class")) =>
        {
            Some(initialiser(thrown))
        }
        _ => None,
    }
}

fn initialiser(thrown: &Thrown) -> Reason {
    let thrown = thrown.cause.as_deref().unwrap_or(thrown);
    let message = thrown.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
    Reason::Initialiser { thrown: format!("{}{message}", thrown.class) }
}

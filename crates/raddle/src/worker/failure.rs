//! What is wrong with an execution, and how it is told from what is wrong with others.

use explore::{Hang, hang};
use host::{CallResult, Execution, Stop, Thrown};

use super::ending::{End, tell};
use super::protocol::{Failure, FailureKind};
use super::stop;

/// What is wrong with an execution that ended so, if anything is. With `must_end`, threads that are left waiting are.
pub fn failure(execution: &Execution, end: End, must_end: bool) -> Option<Failure> {
    let calls = execution.suffixes.iter().flatten().chain(&execution.prefix).chain(&execution.probes);
    let thrown = calls.filter_map(|call| match call {
        CallResult::Threw(thrown) => Some(thrown),
        _ => None,
    });
    if let Some(thrown) = thrown.chain(execution.uncaught.iter().map(|(_, thrown)| thrown)).next() {
        return (!oracle::is_assumption(&thrown.class)).then(|| of_thrown(thrown));
    }
    if let Some(Stop::Exit(status)) = execution.stop {
        let what = format!("System.exit({status})");
        return (status != 0).then(|| Failure { kind: FailureKind::Exception, place: what.clone(), what });
    }
    of_stuck(execution, must_end).or_else(|| (end == End::Cut).then(|| of_endless(execution, end)))
}

/// Who waits for what in an execution that is stuck.
pub fn of_stuck(execution: &Execution, must_end: bool) -> Option<Failure> {
    if let Some(Stop::Deadlock(blocked)) = &execution.stop {
        let what = stop::describe(execution).unwrap_or_default() + lost(execution);
        return Some(Failure { kind: FailureKind::Deadlock, what, place: place(blocked) });
    }
    let left: Vec<_> = execution.left.iter().filter(|blocked| !blocked.daemon).cloned().collect();
    (must_end && !left.is_empty()).then(|| {
        let waits = stop::describe_all(&left, &execution.awaited);
        let what = format!("the program does not end: {waits}{}", lost(execution));
        Failure { kind: FailureKind::Deadlock, what, place: place(&left) }
    })
}

/// What is said besides if a thread waits for a notification that was given too early.
fn lost(execution: &Execution) -> &'static str {
    match hang(&tell(execution, End::Stuck)) {
        Some(Hang::LostNotification { .. }) => "; a notification was given there before, when nobody waited",
        _ => "",
    }
}

/// What goes on in an execution that has no end.
pub fn of_endless(execution: &Execution, end: End) -> Failure {
    let what = match hang(&tell(execution, end)) {
        Some(Hang::Livelock(threads)) => {
            let threads: Vec<_> = threads.iter().map(|thread| thread.0.to_string()).collect();
            format!("livelock: threads {} go round and round, and nobody changes what they look at", threads.join(", "))
        }
        _ => format!("no end after {} events", execution.trace.steps.len()),
    };
    Failure { kind: FailureKind::Hang, what, place: String::new() }
}

/// What is said of an execution that failed in a way which has no name of its own.
pub fn unnamed(execution: &Execution) -> Failure {
    let what = stop::describe(execution).unwrap_or_else(|| "a call did not return".to_owned());
    Failure { kind: FailureKind::Exception, place: String::new(), what }
}

/// What is said of an exception.
pub fn of_thrown(thrown: &Thrown) -> Failure {
    Failure {
        kind: FailureKind::Exception,
        what: stop::describe_thrown(thrown),
        // The message may have numbers in it that depend on the schedule.
        place: format!("{} {}", thrown.class, thrown.frames.first().map_or("", |frame| frame)),
    }
}

/// Where threads wait, in whatever order.
fn place(blocked: &[host::Blocked]) -> String {
    let mut sites: Vec<_> =
        blocked.iter().map(|blocked| format!("{} {}", blocked.event.kind.name(), blocked.event.site.0)).collect();
    sites.sort();
    sites.join(", ")
}

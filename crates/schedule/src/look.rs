//! Threads that only look, as far as the last events show.

use std::collections::BTreeSet;

use crate::event::{EventKind, ThreadId};
use crate::scheduler::Choice;
use crate::trace::Step;

/// Upper bound on the events of a round that is noticed.
const MAX_ROUND: usize = 12;
/// Number of events, for each thread that can go on, in which nobody has done anything but look.
const LONG: usize = 200;

/// Whether an event only looks at something.
pub fn is_look(kind: EventKind) -> bool {
    use EventKind::{Alive, ClearInterrupted, FailedUpdate, Interrupted, Read, State, TryLock, VolatileRead, Yield};
    // An attempt to take a lock that is held; one that succeeds is followed by more than looks.
    matches!(
        kind,
        Read | VolatileRead | FailedUpdate | Yield | Alive | Interrupted | ClearInterrupted | TryLock | State
    )
}

/// Whether an event may be part of a round that changes nothing: it looks, or takes a lock to look, or gives it back.
pub fn is_idle(kind: EventKind) -> bool {
    is_look(kind) || matches!(kind, EventKind::Lock | EventKind::Unlock | EventKind::Attempt)
}

/// Whether whoever can go on has only looked at things for long, each in turn.
pub fn all_look(choice: &Choice<'_>) -> bool {
    let steps = &choice.trace.steps;
    let long = LONG * choice.runnable.len() + 4 * MAX_ROUND;
    steps.len() >= long
        && steps[steps.len() - long..].iter().all(|step| is_idle(step.event.kind) && choice.can_run(step.thread))
}

/// Whether the thread's last events, all in a row, are rounds of the same events, which change nothing.
pub fn goes_round(choice: &Choice<'_>, thread: ThreadId) -> bool {
    went_round(&choice.trace.steps, thread)
}

/// The same of an execution that has ended after these steps.
pub fn went_round(steps: &[Step], thread: ThreadId) -> bool {
    let tail = &steps[steps.len().saturating_sub(4 * MAX_ROUND)..];
    tail.len() == 4 * MAX_ROUND
        && tail.iter().all(|step| step.thread == thread && is_idle(step.event.kind))
        && (1..=MAX_ROUND).any(|round| tail[round..] == tail[..tail.len() - round])
}

/// Whether an execution that has ended after these steps went round at the end: each thread that did something there.
pub fn all_went_round(steps: &[Step]) -> bool {
    let late = &steps[steps.len().saturating_sub(16 * MAX_ROUND)..];
    let threads: BTreeSet<ThreadId> = late.iter().map(|step| step.thread).collect();
    !threads.is_empty()
        && threads.iter().all(|&thread| {
            let of_it: Vec<Step> = late.iter().filter(|step| step.thread == thread).copied().collect();
            went_round(&of_it, thread)
        })
}

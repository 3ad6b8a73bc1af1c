//! The policy where nothing else is said: whoever runs goes on as long as it can.

use schedule::{Choice, EventKind, ThreadId, Turn};

/// A turn that has no end is looked at after so many events, for its thread may spin.
const LOOK_AFTER: u32 = 200;
/// Longer rounds than this are not noticed.
const MAX_ROUND: usize = 12;

/// The turn of the thread that went last if it can go on and does not spin; else of the first of those in `order`
/// that can go on, the others after them by number.
pub(crate) fn stay(choice: &Choice<'_>, order: &[ThreadId]) -> Turn {
    let rank = |thread: ThreadId| order.iter().position(|&other| other == thread).unwrap_or(order.len());
    let goes_on = choice.last.filter(|&last| choice.can_run(last) && !has_spun(choice, last));
    let thread = goes_on.unwrap_or_else(|| {
        let others = choice.threads().filter(|&thread| Some(thread) != choice.last);
        let first = others.min_by_key(|&thread| (rank(thread), thread));
        first.or(choice.last).expect("internal bug: a choice without threads")
    });
    Turn { thread, events: LOOK_AFTER }
}

/// The turn of a thread that is to run as long as it can.
pub(crate) fn whole(thread: ThreadId) -> Turn {
    Turn { thread, events: LOOK_AFTER }
}

/// Whether whoever can go on has only looked at things for long, each in turn.
pub fn all_look(choice: &Choice<'_>) -> bool {
    let steps = &choice.trace.steps;
    let long = LOOK_AFTER as usize * choice.runnable.len() + 4 * MAX_ROUND;
    steps.len() >= long
        && steps[steps.len() - long..].iter().all(|step| is_look(step.event.kind) && choice.can_run(step.thread))
}

/// Whether an event only looks at something.
pub fn is_look(kind: EventKind) -> bool {
    use EventKind::{Alive, ClearInterrupted, FailedUpdate, Interrupted, Read, State, TryLock, VolatileRead, Yield};
    // An attempt to take a lock that is held; one that succeeds is followed by more than looks.
    matches!(
        kind,
        Read | VolatileRead | FailedUpdate | Yield | Alive | Interrupted | ClearInterrupted | TryLock | State
    )
}

/// Whether the thread's last events, all in a row, are rounds that only read.
pub(crate) fn has_spun(choice: &Choice<'_>, thread: ThreadId) -> bool {
    goes_round(choice, thread, is_look)
}

/// Whether the thread's last events, all in a row, are rounds of the same events, each of which is idle.
pub fn goes_round(choice: &Choice<'_>, thread: ThreadId, is_idle: impl Fn(EventKind) -> bool) -> bool {
    let steps = &choice.trace.steps;
    let tail = &steps[steps.len().saturating_sub(4 * MAX_ROUND)..];
    tail.len() == 4 * MAX_ROUND
        && tail.iter().all(|step| step.thread == thread && is_idle(step.event.kind))
        && (1..=MAX_ROUND).any(|round| tail[round..] == tail[..tail.len() - round])
}

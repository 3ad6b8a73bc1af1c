//! The policy where nothing else is said: whoever runs goes on as long as it can.

use schedule::{Choice, ThreadId, Turn, goes_round};

/// A turn that has no end is looked at after so many events, for its thread may spin.
const LOOK_AFTER: u32 = 200;

/// The turn of the thread that went last if it can go on and does not spin; else of the first of those in `order`
/// that can go on, the others after them by number.
pub(crate) fn stay(choice: &Choice<'_>, order: &[ThreadId]) -> Turn {
    let can_go_on = choice.last.filter(|&last| choice.can_run(last));
    if let Some(last) = can_go_on.filter(|&last| !goes_round(choice, last)) {
        return whole(last);
    }
    match in_its_place(choice, order) {
        Some(other) => whole(other),
        // Others may wait for a lock that it takes in each round, and be left out whenever it is asked.
        None => Turn { thread: can_go_on.expect("internal bug: a choice without threads"), events: 1 },
    }
}

/// Who goes on in place of the thread that went last: the first of those in `order` that can, the others after them by
/// number.
pub(crate) fn in_its_place(choice: &Choice<'_>, order: &[ThreadId]) -> Option<ThreadId> {
    let rank = |thread: ThreadId| order.iter().position(|&other| other == thread).unwrap_or(order.len());
    let steps = &choice.trace.steps;
    let late = &steps[steps.len().saturating_sub(LOOK_AFTER as usize * choice.runnable.len())..];
    // Of several that spin each would be left for the other, and nobody else have a turn.
    let spins = choice.last.is_some_and(|last| choice.can_run(last));
    let ran_lately = |thread| spins && late.iter().any(|step| step.thread == thread);
    let others = choice.threads().filter(|&thread| Some(thread) != choice.last);
    others.min_by_key(|&thread| (ran_lately(thread), rank(thread), thread))
}

/// The turn of a thread that is to run as long as it can.
pub(crate) fn whole(thread: ThreadId) -> Turn {
    Turn { thread, events: LOOK_AFTER }
}

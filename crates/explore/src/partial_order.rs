//! A number for an equivalence class of executions, and what comes last in all of one.

use crate::execution::Execution;
use crate::timeline::Timeline;
use schedule::FastMap;
use schedule::{EventKind, ObjectId};

/// A number that two executions of a test share if they are equivalent, and (but for accidents of hashing) only
/// then: they have the same events in the same happens-before order. Objects count by who touches them, so their
/// numbers may differ.
///
/// For audits: an exploration that claims to be without repetition must never see one twice.
pub fn partial_order(execution: &Execution<'_>) -> u64 {
    let Timeline { steps, order, names, .. } = Timeline::of(execution);
    let key = |step: usize| mix(names.label(order.thread(step)), order.number(step) as u64);
    // Of all events that touch an object the one with the least key names it, whenever that happens.
    let mut objects: FastMap<ObjectId, u64> = FastMap::default();
    for (step, (_, event)) in steps.iter().enumerate() {
        let name = objects.entry(event.object).or_insert(u64::MAX);
        *name = key(step).min(*name);
    }
    let mut sum = 0u64;
    for (step, &(thread, event)) in steps.iter().enumerate() {
        let is_about_thread = event.kind.is_about_thread();
        let slot = match event.kind {
            EventKind::Attempt => event.attempted().map_or(0, |attempted| match attempted.kind {
                EventKind::Join => names.label(attempted.slot as usize),
                kind => kind as u64,
            }),
            _ if is_about_thread || event.kind == EventKind::LockInVain => names.label(event.slot as usize),
            // A condition is numbered as an object is; which it is follows from what the thread has done.
            EventKind::Wait | EventKind::Wake | EventKind::Notify | EventKind::NotifyAll => 0,
            _ => event.slot as u64,
        };
        let mut hash = mix(mix(key(step), event.kind as u64), slot);
        hash = mix(hash, event.site.0 as u64);
        hash = mix(hash, if event.object == ObjectId::NONE { u64::MAX } else { objects[&event.object] });
        for (other, &count) in order.clock(step).iter().enumerate() {
            if count != 0 && other != thread {
                hash = hash.wrapping_add(mix(names.label(other), count as u64));
            }
        }
        // A sum does not depend on the order in which the events happened to come.
        sum = sum.wrapping_add(mix(hash, 0x5851_f42d_4c95_7f2d));
    }
    sum
}

/// Whether all that other threads did happens before the last event, so that it is the last in every equivalent execution.
/// That they end counts for nothing.
pub fn is_after_all(execution: &Execution<'_>) -> bool {
    let Timeline { steps, order, .. } = Timeline::of(execution);
    let Some(last) = steps.len().checked_sub(1) else { return true };
    let does = |step: usize| !matches!(steps[step].1.kind, EventKind::Begin | EventKind::End);
    (0..last).all(|step| !does(step) || order.thread(step) == order.thread(last) || order.happens_before(step, last))
}

/// Not the same if the two are exchanged, nor for other small numbers: a thread and the number of an event are both.
fn mix(hash: u64, word: u64) -> u64 {
    let z = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 31).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 29
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::End;
    use schedule::{Event, SiteId, Step, ThreadId, Trace};

    fn is_last(steps: &[(u16, EventKind, u32)]) -> bool {
        let step = |&(thread, kind, object): &(u16, EventKind, u32)| {
            // Threads are in the slot.
            let slot = if matches!(kind, EventKind::Start | EventKind::Join) { object } else { 0 };
            let event = Event { kind, object: ObjectId(object), slot, site: SiteId::NONE };
            Step { thread: ThreadId(thread), event }
        };
        let trace = Trace { steps: steps.iter().map(step).collect() };
        is_after_all(&Execution { trace: &trace, pending: &[], timed_out: &[], end: End::Done })
    }

    #[test]
    fn what_another_thread_does_is_over_only_if_events_say_so() {
        use EventKind::{End, Join, Read, Start, Write};
        let alone = [(0, Start, 1), (1, Write, 7), (1, End, 0), (0, Write, 8)];
        assert!(!is_last(&alone), "nothing orders the two writes");
        assert!(is_last(&[(0, Start, 1), (1, Write, 7), (1, End, 0), (0, Join, 1)]));
        assert!(is_last(&[(0, Start, 1), (1, Write, 7), (1, End, 0), (0, Read, 7)]), "that it ends is nothing");
        assert!(is_last(&[(0, Write, 7)]) && is_last(&[]));
    }
}

//! A number for an equivalence class of executions.

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

/// Not the same if the two are exchanged, nor for other small numbers: a thread and the number of an event are both.
fn mix(hash: u64, word: u64) -> u64 {
    let z = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 31).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 29
}

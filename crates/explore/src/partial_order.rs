//! A number for an equivalence class of executions.

use crate::execution::Execution;
use crate::hash::FastMap;
use crate::timeline::Timeline;
use schedule::ObjectId;

/// A number that two executions of a test share if they are equivalent, and (but for accidents of hashing) only
/// then: they have the same events in the same happens-before order. Objects count by who touches them, so their
/// numbers may differ.
///
/// For audits: an exploration that claims to be without repetition must never see one twice.
pub fn partial_order(execution: &Execution<'_>) -> u64 {
    let timeline = Timeline::of(execution);
    let key = |step: usize| (timeline.order.thread(step) as u64) << 32 | timeline.order.number(step) as u64;
    // The first event of the lowest thread that touches an object names it, whenever that happens.
    let mut objects: FastMap<ObjectId, u64> = FastMap::default();
    for (step, (_, event)) in timeline.steps.iter().enumerate() {
        let name = objects.entry(event.object).or_insert(u64::MAX);
        *name = key(step).min(*name);
    }
    let mut sum = 0u64;
    for (step, (thread, event)) in timeline.steps.iter().enumerate() {
        let mut hash = mix(key(step), event.kind as u64);
        hash = mix(hash, (event.slot as u64) << 32 | event.site.0 as u64);
        hash = mix(hash, if event.object == ObjectId::NONE { u64::MAX } else { objects[&event.object] });
        for (other, &count) in timeline.order.clock(step).iter().enumerate() {
            if count != 0 && other != *thread {
                hash = mix(hash, (other as u64) << 32 | count as u64);
            }
        }
        // A sum does not depend on the order in which the events happened to come.
        sum = sum.wrapping_add(mix(hash, 0x5851_f42d_4c95_7f2d));
    }
    sum
}

fn mix(hash: u64, word: u64) -> u64 {
    let z = (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 31).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 29
}

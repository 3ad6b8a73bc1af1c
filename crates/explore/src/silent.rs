//! Silent accesses, held against the order of events.
//!
//! Where no thread can notice when an access happens, it need not be an event, and an explorer has far less to decide.
//! That it cannot be noticed is seen afterwards: of two silent accesses of one place by two threads, one of them a
//! write, events must say which comes first. If they do in every execution that is explored, they do in all.
//!
//! In short: take an execution in which two such accesses are in no order, and of these one that is as short as can be.
//! Up to the later of the two all conflicts are in order, so it is equivalent to the beginning of an execution whose
//! threads run silently from event to event, and so to one that was explored. There both accesses were made, and seen.
//!
//! An access is ordered before another if the next event of its thread happens before the last event of the other's
//! thread, as for accesses by opaque code ([`unordered`](crate::unordered)). Places of events that cannot be silent are
//! no matter here: two events that conflict are in order.

use crate::execution::Execution;
use crate::timeline::Timeline;
use schedule::{FastMap, ThreadId};

/// A silent access, or an event that may conflict with one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SilentAccess {
    /// Who.
    pub thread: ThreadId,
    /// Number of events before it.
    pub at: usize,
    /// Which place. Two accesses of different places have nothing to do with each other.
    pub place: usize,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is an event.
    pub is_event: bool,
}

/// The accesses that conflict with another, one of the two silent, and are not ordered with it. By their index. Accesses of one
/// place must be in a row, and those of a thread in order.
pub fn unordered_silent(execution: &Execution<'_>, accesses: &[SilentAccess]) -> Vec<usize> {
    if accesses.is_empty() {
        return Vec::new();
    }
    let Timeline { steps, order, names, .. } = Timeline::of(execution);
    let mut own_steps: FastMap<usize, Vec<usize>> = FastMap::default();
    for (step, (thread, _)) in steps.iter().enumerate() {
        own_steps.entry(*thread).or_default().push(step);
    }
    let around = |access: &SilentAccess| {
        let own = own_steps.get(&names.name(access.thread)).map_or(&[][..], |own| own);
        let next = own.partition_point(|&step| step < access.at);
        (next.checked_sub(1).map(|last| own[last]), own.get(next).copied())
    };
    let before = |first: Option<usize>, second: Option<usize>| match (first, second) {
        (Some(first), Some(second)) => order.happens_before(first, second),
        _ => false,
    };
    let mut is_unordered = vec![false; accesses.len()];
    let mut begin = 0;
    for of_place in accesses.chunk_by(|one, other| one.place == other.place) {
        let bounds: Vec<_> = of_place.iter().map(around).collect();
        for (second, access) in of_place.iter().enumerate() {
            // Whatever comes before one that is in order with this comes before this, too: of each thread only those since
            // its last event that happens before count, and they are at the end.
            for (first, other) in of_place[..second].iter().enumerate().rev() {
                let conflicts = other.thread != access.thread
                    && (other.writes || access.writes)
                    && !(other.is_event && access.is_event);
                let ((last, next), (other_last, other_next)) = (bounds[second], bounds[first]);
                if conflicts && !before(other_next, last) && !before(next, other_last) {
                    is_unordered[begin + first] = true;
                    is_unordered[begin + second] = true;
                }
            }
        }
        begin += of_place.len();
    }
    (0..accesses.len()).filter(|&access| is_unordered[access]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::End;
    use schedule::{Event, EventKind, ObjectId, SiteId, Step, Trace};

    const LOCK: ObjectId = ObjectId(7);

    /// Two threads, one after the other, that each take a lock.
    fn locked() -> Vec<Step> {
        let step = |thread: u16, kind, object| {
            let event = Event { kind, object, slot: 0, site: SiteId(0) };
            Step { thread: ThreadId(thread), event }
        };
        let of_thread = |thread| {
            [
                step(thread, EventKind::Begin, ObjectId::NONE),
                step(thread, EventKind::Lock, LOCK),
                step(thread, EventKind::Unlock, LOCK),
                step(thread, EventKind::End, ObjectId::NONE),
            ]
        };
        [of_thread(1), of_thread(2)].concat()
    }

    fn check(accesses: &[SilentAccess], expected: &[usize]) {
        let trace = Trace { steps: locked() };
        let execution = Execution { trace: &trace, pending: &[], timed_out: &[], end: End::Done };
        assert_eq!(unordered_silent(&execution, accesses), expected);
    }

    fn access(thread: u16, at: usize, writes: bool) -> SilentAccess {
        SilentAccess { thread: ThreadId(thread), at, place: 0, writes, is_event: false }
    }

    #[test]
    fn a_lock_around_both_orders_them() {
        check(&[access(1, 2, true), access(2, 6, true)], &[]);
        // One comes after its lock was given up, or before it was taken.
        check(&[access(1, 3, true), access(2, 6, true)], &[0, 1]);
        check(&[access(1, 2, true), access(2, 5, true)], &[0, 1]);
        check(&[access(1, 1, true), access(2, 6, true)], &[]);
    }

    #[test]
    fn only_conflicts_matter() {
        check(&[access(1, 3, false), access(2, 6, false)], &[]);
        check(&[access(1, 3, true), access(1, 3, false)], &[]);
        check(&[access(1, 3, true), SilentAccess { place: 1, ..access(2, 6, true) }], &[]);
        let event = |access| SilentAccess { is_event: true, ..access };
        check(&[event(access(1, 3, true)), event(access(2, 6, true))], &[]);
        check(&[event(access(1, 3, true)), access(2, 6, true)], &[0, 1]);
    }
}

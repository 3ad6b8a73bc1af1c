//! Accesses that are no events, held against the order of events.
//!
//! An explorer runs every order of dependent events. What threads do between events it does not see, and two such
//! accesses of one place, one of them a write, may come in either order. If events order them they come in the same
//! order in every equivalent execution, and nothing is missed. If not, the exploration is blind to them.
//!
//! An access is ordered before another if the next event of its thread happens before the last event of the other's
//! thread. That two accesses follow events that are ordered is not enough: the first may be late.
//!
//! A monitor that such code takes ([`Event::MONITOR`]) matters only where another thread may have to wait while it
//! holds it: then both may wait for each other. All else that it keeps apart are accesses, which are seen.

use crate::execution::Execution;
use crate::timeline::Timeline;
use schedule::{Event, EventKind, ObjectId, ThreadId};

/// An access that is no event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unseen {
    /// Who.
    pub thread: ThreadId,
    /// Number of events before it.
    pub at: usize,
    /// Which place. Two accesses of different places have nothing to do with each other.
    pub place: usize,
    /// Whether it writes.
    pub writes: bool,
    /// The object by which events name the place, and the slot unless all of the object is meant, if there are such
    /// events.
    pub event: Option<(ObjectId, Option<u32>)>,
}

/// Events that a thread may have to wait at.
const WAITS: [EventKind; 7] = [
    EventKind::Join,
    EventKind::Lock,
    EventKind::LockInVain,
    EventKind::LockWithin,
    EventKind::Park,
    EventKind::Wait,
    EventKind::Wake,
];

/// The accesses that conflict with another, or with an event, and are not ordered with it. By their index.
pub fn unordered(execution: &Execution<'_>, accesses: &[Unseen]) -> Vec<usize> {
    if accesses.is_empty() {
        return Vec::new();
    }
    let Timeline { steps, order, names, .. } = Timeline::of(execution);
    let own_steps = |thread: ThreadId| {
        let name = names.name(thread);
        steps.iter().enumerate().filter(move |(_, (of, _))| *of == name).map(|(step, _)| step)
    };
    let around: Vec<_> = accesses
        .iter()
        .map(|access| {
            let last = own_steps(access.thread).take_while(|&step| step < access.at).last();
            (last, own_steps(access.thread).find(|&step| step >= access.at))
        })
        .collect();
    let before = |first: Option<usize>, second: Option<usize>| match (first, second) {
        (Some(first), Some(second)) => order.happens_before(first, second),
        _ => false,
    };
    let meets_access = |index: usize| {
        let access = &accesses[index];
        accesses.iter().enumerate().any(|(other_index, other)| {
            let ((last, next), (other_last, other_next)) = (around[index], around[other_index]);
            other.place == access.place
                && other.thread != access.thread
                && (other.writes || access.writes)
                && !before(next, other_last)
                && !before(other_next, last)
        })
    };
    // Whether a thread that takes a monitor may have to wait for something else before it gives the monitor up.
    let may_wait = |lock: usize, thread, monitor: ObjectId| {
        let own = steps.iter().enumerate().skip(lock + 1).filter(|(_, (of, _))| *of == thread);
        let of_monitor = |kind| move |event: &Event| event.kind == kind && event.object == monitor;
        let mut held = 1;
        let end = own.clone().find(|(_, (_, event))| {
            held += of_monitor(EventKind::Lock)(event) as usize;
            held -= of_monitor(EventKind::Unlock)(event) as usize;
            held == 0
        });
        let end = end.map_or(steps.len(), |(step, _)| step);
        let inside: Vec<&Event> = own.filter(|(step, _)| *step < end).map(|(_, (_, event))| event).collect();
        let waits = inside.iter().any(|event| WAITS.contains(&event.kind) && event.object != monitor);
        // Whoever looks twice at the same site goes round a loop, and may wait so.
        let looks = |event: &Event| matches!(event.kind, EventKind::Read | EventKind::VolatileRead);
        let goes_round = |(at, event): (usize, &&Event)| looks(event) && inside[..at].contains(event);
        let waits = waits || inside.iter().enumerate().any(goes_round);
        let takes = accesses.iter().any(|access| {
            let other = access.event.is_some_and(|(object, slot)| slot == Some(Event::MONITOR) && object != monitor);
            other && names.name(access.thread) == thread && (lock + 1..=end).contains(&access.at)
        });
        waits || takes
    };
    let meets_event = |index: usize| {
        let (access, (last, next)) = (&accesses[index], around[index]);
        let Some((object, slot)) = access.event else { return false };
        steps.iter().enumerate().any(|(step, &(thread, event))| {
            let conflicts = match slot {
                Some(Event::MONITOR) => event.kind == EventKind::Lock && may_wait(step, thread, object),
                _ => event.kind.is_access() && slot.is_none_or(|slot| slot == event.slot),
            };
            conflicts
                && event.object == object
                && thread != names.name(access.thread)
                && (event.kind.is_write() || access.writes || slot == Some(Event::MONITOR))
                && !before(next, Some(step))
                && !before(Some(step), last)
        })
    };
    (0..accesses.len()).filter(|&index| meets_access(index) || meets_event(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::End;
    use schedule::{SiteId, Step, Trace};

    const LOCK: ObjectId = ObjectId(7);

    fn step(thread: u16, kind: EventKind, object: ObjectId) -> Step {
        Step { thread: ThreadId(thread), event: Event { kind, object, slot: 0, site: SiteId(0) } }
    }

    fn check(steps: &[Step], accesses: &[Unseen], expected: &[usize]) {
        let trace = Trace { steps: steps.to_vec() };
        let execution = Execution { trace: &trace, pending: &[], timed_out: &[], end: End::Done };
        assert_eq!(unordered(&execution, accesses), expected);
    }

    fn access(thread: u16, at: usize, writes: bool) -> Unseen {
        Unseen { thread: ThreadId(thread), at, place: 0, writes, event: None }
    }

    #[test]
    fn accesses_that_no_event_orders_are_told() {
        let begun = [step(1, EventKind::Begin, ObjectId::NONE), step(1, EventKind::End, ObjectId::NONE)];
        let both = [begun[0], begun[1], step(2, EventKind::Begin, ObjectId::NONE), step(2, EventKind::End, LOCK)];
        check(&both, &[access(1, 1, true), access(2, 3, false)], &[0, 1]);
        check(&both, &[access(1, 1, false), access(2, 3, false)], &[]);
        let elsewhere = Unseen { place: 1, ..access(2, 3, true) };
        check(&both, &[access(1, 1, true), elsewhere], &[]);
        check(&both, &[access(1, 1, true), access(1, 1, false)], &[]);
    }

    fn locked() -> Vec<Step> {
        [1, 2]
            .into_iter()
            .flat_map(|thread| {
                [
                    step(thread, EventKind::Begin, ObjectId::NONE),
                    step(thread, EventKind::Lock, LOCK),
                    step(thread, EventKind::Unlock, LOCK),
                    step(thread, EventKind::End, ObjectId::NONE),
                ]
            })
            .collect()
    }

    #[test]
    fn a_lock_around_both_orders_them_and_one_before_them_does_not() {
        check(&locked(), &[access(1, 2, true), access(2, 6, true)], &[]);
        // The first comes after its lock was given up, so it may come after the second.
        check(&locked(), &[access(1, 3, true), access(2, 6, true)], &[0, 1]);
    }

    #[test]
    fn a_monitor_matters_where_its_holder_may_wait() {
        let monitor = Unseen { event: Some((LOCK, Some(Event::MONITOR))), ..access(1, 1, false) };
        let begun = step(1, EventKind::Begin, ObjectId::NONE);
        let held = |inside: &[Step]| {
            let around = [step(2, EventKind::Lock, LOCK), step(2, EventKind::Unlock, LOCK)];
            [&[begun, around[0]], inside, &around[1..], &[step(1, EventKind::End, ObjectId::NONE)]].concat()
        };
        check(&held(&[]), &[monitor], &[]);
        check(&held(&[step(2, EventKind::Write, ObjectId(3))]), &[monitor], &[]);
        check(&held(&[step(2, EventKind::Lock, LOCK), step(2, EventKind::Unlock, LOCK)]), &[monitor], &[]);
        check(&held(&[step(2, EventKind::Lock, ObjectId(3))]), &[monitor], &[0]);
        let look = step(2, EventKind::VolatileRead, ObjectId(3));
        check(&held(&[look]), &[monitor], &[]);
        check(&held(&[look, look]), &[monitor], &[0]);
        let other = Unseen { event: Some((ObjectId(3), Some(Event::MONITOR))), place: 1, ..access(2, 2, false) };
        check(&held(&[]), &[monitor, other], &[0]);
        check(&held(&[]), &[monitor, Unseen { at: 3, ..other }], &[]);
    }

    #[test]
    fn an_access_is_held_against_events_too() {
        let place = (ObjectId(3), Some(0));
        let mut steps = locked();
        steps.insert(7, step(2, EventKind::Write, place.0));
        let read = Unseen { event: Some(place), ..access(1, 3, false) };
        check(&steps, &[read], &[0]);
        check(&steps, &[Unseen { at: 2, ..read }], &[]);
        check(&steps, &[Unseen { event: Some((ObjectId(4), Some(0))), ..read }], &[]);
        check(&steps, &[Unseen { event: Some((ObjectId(3), Some(1))), ..read }], &[]);
        check(&steps, &[Unseen { event: Some((ObjectId(3), None)), ..read }], &[0]);
    }
}

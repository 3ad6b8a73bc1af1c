//! Where the events of two threads meet, without a look at the state.
//!
//! Coarser than the relation that reduction goes by: it needs nothing but the events.

use schedule::FastMap;
use schedule::{Event, EventKind, ObjectId};

/// What some events touch.
#[derive(Debug, Default)]
pub struct Meeting {
    /// Fields and elements, and whether one of the events changes them.
    places: FastMap<(ObjectId, u32), bool>,
    /// Objects that are locked, waited on, notified.
    locked: FastMap<ObjectId, ()>,
    /// A thread ended.
    ends: bool,
    /// Something was done to a thread, or by one to itself: a start, an interrupt, a park.
    threads: bool,
    /// The status of a thread was touched, or a synchronizer, which looks at whether its thread is interrupted.
    status: bool,
}

impl Meeting {
    /// What these events touch.
    pub fn of(events: impl Iterator<Item = Event>) -> Meeting {
        let mut meeting = Meeting::default();
        for event in events {
            match sort(&event) {
                Sort::Nothing => {}
                Sort::End => meeting.ends = true,
                Sort::Thread => meeting.threads = true,
                Sort::Lock => drop(meeting.locked.insert(event.object, ())),
                Sort::Place { changes } => {
                    meeting.status |= is_status(&event);
                    *meeting.places.entry((event.object, event.slot)).or_default() |= changes;
                }
            }
        }
        meeting
    }

    /// Whether the order of an event and one of these may be seen.
    pub fn meets(&self, event: &Event) -> bool {
        match sort(event) {
            Sort::Nothing => false,
            Sort::End => self.threads || self.status,
            // Who is interrupted may wait on any of the monitors.
            Sort::Thread => self.ends || self.threads || self.status || !self.locked.is_empty(),
            Sort::Lock => self.threads || self.locked.contains_key(&event.object) || self.is_changed(event.object),
            Sort::Place { changes } => {
                let same = self.places.get(&(event.object, event.slot));
                same.is_some_and(|&changed| changes || changed)
                    || self.threads && is_status(event)
                    || changes && self.locked.contains_key(&event.object)
            }
        }
    }

    /// Whether something of an object is changed: locks of the JDK are locked, and have a state.
    fn is_changed(&self, object: ObjectId) -> bool {
        [Event::SYNCHRONIZER, Event::STATUS].iter().any(|&slot| self.places.get(&(object, slot)) == Some(&true))
    }
}

fn is_status(event: &Event) -> bool {
    [Event::SYNCHRONIZER, Event::STATUS].contains(&event.slot)
}

enum Sort {
    Nothing,
    Place { changes: bool },
    Lock,
    Thread,
    End,
}

fn sort(event: &Event) -> Sort {
    if let Some(attempted) = event.attempted() {
        return sort(&attempted);
    }
    // An update that failed here may succeed elsewhere, so it does not count as one that only looks.
    let reads = matches!(event.kind, EventKind::Read | EventKind::VolatileRead);
    match event.kind {
        EventKind::Begin | EventKind::Yield => Sort::Nothing,
        EventKind::End => Sort::End,
        kind if kind.is_access() => Sort::Place { changes: !reads },
        kind if kind.is_about_thread() || event.object == ObjectId::NONE => Sort::Thread,
        _ => Sort::Lock,
    }
}

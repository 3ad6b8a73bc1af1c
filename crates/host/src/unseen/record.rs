//! What one execution did that was no event.

use crate::objects::Objects;
use schedule::{Event, EventKind, FastMap, ObjectId, SiteId, ThreadId, Trace};
use std::collections::BTreeSet;

/// Upper bound on the accesses of one place that are kept.
const MAX_ACCESSES_PER_PLACE: usize = 256;

/// An access that is no event, of a place that several threads touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// Who.
    pub thread: ThreadId,
    /// Number of events before it.
    pub at: usize,
    /// Which place, among those of the execution.
    pub place: usize,
    /// What is done: a read, a write or an update, plain or volatile.
    pub kind: EventKind,
    /// Where in the code, if that is known.
    pub site: SiteId,
    /// The number of what is to be opened.
    pub opens: u32,
    /// The object by which events name the place, and the slot unless all of the object is meant, if events can be
    /// about it.
    pub event: Option<(ObjectId, Option<u32>)>,
    /// There were further accesses of the place, which were not kept.
    pub is_cut: bool,
    /// Whether the access can be made an event.
    pub can_open: bool,
    /// Whether a static initialiser of an application did it. Then events that order it here may not do so elsewhere.
    pub by_initialiser: bool,
}

/// The part of an object, or of what is static, that an access is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The identity hash of the object; 0 for none.
    pub hash: i32,
    /// Which field or element; None for all of the object.
    pub slot: Option<u32>,
}

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who.
    pub thread: ThreadId,
    /// Number of events before it.
    pub at: usize,
    /// What is done.
    pub kind: EventKind,
    /// Where in the code.
    pub site: SiteId,
    /// The number of what is to be opened, so that it is an event.
    pub opens: u32,
    /// Whether that is possible.
    pub can_open: bool,
    /// Whether a static initialiser of an application does it.
    pub by_initialiser: bool,
}

/// The accesses of one execution.
#[derive(Default)]
pub struct Record {
    places: FastMap<Location, Place>,
    /// Sites of which nobody knows what is done there.
    taints: BTreeSet<SiteId>,
    /// Identity hashes of objects that static initialisers have made.
    fresh: BTreeSet<i32>,
    /// Identity hashes of all others in `places`.
    known: BTreeSet<i32>,
    forgets_objects: bool,
}

#[derive(Default)]
struct Place {
    accesses: Vec<Access>,
    /// More accesses than are kept.
    is_cut: bool,
    /// Whether code that tells of events can touch it, too.
    meets_events: bool,
}

impl Record {
    /// Notes an access. With `meets_events`, the place is one that events are about elsewhere.
    pub fn note(&mut self, location: Location, access: Access, meets_events: bool) {
        self.known.insert(location.hash);
        let place = self.places.entry(location).or_default();
        place.meets_events |= meets_events;
        // Between two events of a thread, one access of a kind stands for all.
        let mut recent = place.accesses.iter().rev().take_while(|known| known.at == access.at);
        if recent.any(|known| (known.thread, known.kind) == (access.thread, access.kind)) {
            return;
        }
        if place.accesses.len() < MAX_ACCESSES_PER_PLACE {
            place.accesses.push(access);
        } else {
            place.is_cut = true;
        }
    }

    /// From now on it is not known which objects were touched: those that only a thread alone has touched have no number.
    pub fn forgets_objects(&mut self) {
        self.forgets_objects = true;
    }

    /// Whether an object that a static initialiser touches at a site was made by it: nobody has touched it before. Where
    /// that is not known, nobody knows what is done there.
    pub fn is_fresh(&mut self, hash: i32, site: SiteId, objects: &Objects) -> bool {
        if self.forgets_objects && hash != 0 {
            self.taint(site);
        }
        let is_new = || !self.known.contains(&hash) && objects.find(hash).is_none();
        if hash != 0 && !self.fresh.contains(&hash) && is_new() {
            self.fresh.insert(hash);
        }
        self.fresh.contains(&hash)
    }

    /// The places that code which tells of events can touch as well, and what was done to them.
    pub fn places(&self) -> impl Iterator<Item = (Location, &[Access])> {
        let places = self.places.iter().filter(|(location, place)| place.meets_events || location.slot.is_none());
        places.map(|(location, place)| (*location, &*place.accesses))
    }

    /// Notes that something is done at a site of which nobody knows what it is.
    pub fn taint(&mut self, site: SiteId) {
        self.taints.insert(site);
    }

    /// The accesses of places that another thread touches as well, one of them to write, and the sites of which
    /// nothing is known.
    pub fn finish(self, objects: &Objects, trace: &Trace) -> (Vec<Unseen>, Vec<SiteId>) {
        let Record { places, taints, .. } = self;
        let taints = taints.into_iter().collect();
        if places.is_empty() {
            return (Vec::new(), taints);
        }
        let places = merge(places);
        let events: Vec<_> = places.iter().map(|(location, place)| event_of(location, place, objects)).collect();
        let mut meeting: FastMap<ObjectId, Vec<(u32, ThreadId, bool)>> = FastMap::default();
        meeting.extend(events.iter().flatten().map(|(object, _)| (*object, Vec::new())));
        if !meeting.is_empty() {
            for step in &trace.steps {
                let told = match step.event.kind {
                    EventKind::Lock => (Event::MONITOR, step.thread, true),
                    kind if kind.is_access() => (step.event.slot, step.thread, kind.is_write()),
                    _ => continue,
                };
                if let Some(known) = meeting.get_mut(&step.event.object) {
                    known.push(told);
                }
            }
        }
        let mut shared = Vec::new();
        for (number, ((_, place), event)) in places.into_iter().zip(events).enumerate() {
            let at_place = |&&(slot, ..): &&(u32, ThreadId, bool)| {
                event.is_some_and(|(_, wanted)| wanted.is_none_or(|wanted| wanted == slot))
            };
            let known = event.and_then(|(object, _)| meeting.get(&object)).into_iter().flatten().filter(at_place);
            let own = place.accesses.iter().map(|access| (access.thread, access.kind.is_write()));
            let all: Vec<_> = own.chain(known.map(|&(_, thread, writes)| (thread, writes))).collect();
            if all.iter().any(|(thread, _)| *thread != all[0].0) && all.iter().any(|(_, writes)| *writes) {
                let Place { accesses, is_cut, .. } = place;
                shared.extend(accesses.into_iter().map(
                    |Access { thread, at, kind, site, opens, can_open, by_initialiser }| Unseen {
                        thread,
                        at,
                        place: number,
                        kind,
                        site,
                        opens,
                        event,
                        is_cut,
                        can_open,
                        by_initialiser,
                    },
                ));
            }
        }
        (shared, taints)
    }
}

/// All of an object and a part of it are one place. In the order of their first accesses.
fn merge(places: FastMap<Location, Place>) -> Vec<(Location, Place)> {
    let whole: BTreeSet<i32> =
        places.keys().filter(|location| location.slot.is_none()).map(|location| location.hash).collect();
    let mut merged: FastMap<Location, Place> = FastMap::default();
    for (location, place) in places {
        let slot = location.slot.filter(|_| !whole.contains(&location.hash));
        let into = merged.entry(Location { slot, ..location }).or_default();
        into.accesses.extend(place.accesses);
        into.is_cut |= place.is_cut;
        into.meets_events |= place.meets_events;
    }
    let mut merged: Vec<_> = merged.into_iter().collect();
    for (_, place) in &mut merged {
        place.accesses.sort_by_key(|access| (access.at, access.thread, access.site));
    }
    merged.sort_by_key(|(location, place)| {
        let first = place.accesses.first().map(|access| (access.at, access.thread, access.site));
        (first, location.slot)
    });
    merged
}

fn event_of(location: &Location, place: &Place, objects: &Objects) -> Option<(ObjectId, Option<u32>)> {
    let object = if location.hash == 0 { Some(ObjectId::NONE) } else { objects.find(location.hash) };
    object.filter(|_| place.meets_events || location.slot.is_none()).map(|object| (object, location.slot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedule::Step;

    fn access(thread: u16, kind: EventKind) -> Access {
        Access {
            thread: ThreadId(thread),
            at: 0,
            kind,
            site: SiteId(0),
            opens: 0,
            can_open: true,
            by_initialiser: false,
        }
    }

    fn shared(accesses: &[(Location, Access)], trace: &Trace) -> usize {
        let (mut record, mut objects) = (Record::default(), Objects::default());
        objects.number(5);
        accesses.iter().for_each(|(location, access)| record.note(*location, *access, true));
        record.finish(&objects, trace).0.len()
    }

    #[test]
    fn only_what_two_threads_touch_and_one_writes_is_shared() {
        let (part, other) = (Location { hash: 5, slot: Some(1) }, Location { hash: 5, slot: Some(2) });
        let whole = Location { hash: 5, slot: None };
        let none = Trace { steps: vec![] };
        let [read, write] = [EventKind::Read, EventKind::Write];
        assert_eq!(shared(&[(part, access(1, write)), (part, access(2, read))], &none), 2);
        assert_eq!(shared(&[(part, access(1, read)), (part, access(2, read))], &none), 0);
        assert_eq!(shared(&[(part, access(1, write)), (part, access(1, read))], &none), 0);
        assert_eq!(shared(&[(part, access(1, write)), (other, access(2, read))], &none), 0);
        assert_eq!(shared(&[(part, access(1, write)), (whole, access(2, read))], &none), 2);
    }

    #[test]
    fn events_share_places_too() {
        let part = Location { hash: 5, slot: Some(1) };
        let step = |slot| {
            let event = Event { kind: EventKind::Write, object: ObjectId(0), slot, site: SiteId(0) };
            Trace { steps: vec![Step { thread: ThreadId(2), event }] }
        };
        let read = access(1, EventKind::Read);
        assert_eq!(shared(&[(part, read)], &step(1)), 1);
        assert_eq!(shared(&[(part, read)], &step(2)), 0);
        assert_eq!(shared(&[(Location { slot: None, ..part }, read)], &step(2)), 1);
    }
}

//! Accesses that are no events, because no thread can notice when they happen.
//!
//! Most accesses of a call are of objects that it has just made, of what nobody writes, or of what a lock protects.
//! Their order follows from other events, so a scheduler need not decide on them. While an execution runs *silently*,
//! accesses of fields and elements are noted here instead of being announced.
//!
//! What kind an access is says its **key**: the number of the field, or one for all elements that the code of a class
//! touches. A key that was *raised* is loud: its accesses are events. Whoever runs executions raises the keys of silent
//! accesses that conflict and that no events order (`explore::unordered`), and begins anew. Whether an access is silent
//! must follow from what its own thread has done; else equal decisions would not lead to equal executions.
//!
//! A thread that makes very many silent accesses in a row may be waiting for another in a loop. Now and then one of them
//! is an event, and a key for which that happens again is loud for that thread, and is to be raised.

use crate::unseen::{Location, Record};
use schedule::{EventKind, FastMap, SiteId, ThreadId, is_idle};

/// The key of elements that are accessed by `Unsafe`, `VarHandle` or copying: nobody knows whose code it is.
pub const RAW_ELEMENTS: u32 = 0;

/// Upper bound on the silent accesses of a thread between two of its events.
const MAX_IN_A_ROW: u32 = 20_000;

/// After this many such events of one key the key is loud for the thread.
const FORCED_UNTIL_LOUD: u32 = 4;

/// After this many events in a row that only look, a thread tells if it has written silently meanwhile. A loop that writes
/// waits for nobody, and explorers know loops that wait by 16 rounds that change nothing.
const MAX_LOOKS: u32 = 8;

/// Upper bound on the notes of an execution. Past it all accesses are events.
const MAX_NOTES: usize = 1_000_000;

/// A silent access, or an event that one may conflict with, of a place that several threads touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silent {
    /// Who.
    pub thread: ThreadId,
    /// Number of events before it.
    pub at: usize,
    /// Which place, among those of the execution.
    pub place: usize,
    /// What is done.
    pub kind: EventKind,
    /// Where in the code, if that is known.
    pub site: SiteId,
    /// The key to raise, so that it is an event.
    pub key: u32,
    /// Whether it is an event already.
    pub is_event: bool,
}

/// What silent accesses an execution made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unannounced {
    /// How many of them came before the first event, and after each.
    pub counts: Vec<u32>,
    /// Those of places that several threads touch, one of them to write; place by place, in order.
    pub shared: Vec<Silent>,
    /// Sites of silent accesses, and who was there.
    pub sites: Vec<(ThreadId, SiteId)>,
    /// Keys that must be raised, whatever the order of events was.
    pub restless: Vec<u32>,
}

impl Unannounced {
    /// How many silent accesses there were.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }
}

/// What is known of silent accesses. Kept from execution to execution for its memory.
#[derive(Default)]
pub struct Silence {
    /// Whether accesses are silent at all.
    is_on: bool,
    raised: FastMap<u32, ()>,
    opened: FastMap<u32, ()>,
    places: FastMap<Location, Place>,
    notes: Vec<Note>,
    shared: Vec<Location>,
    counts: Vec<u32>,
    sites: Vec<(ThreadId, SiteId)>,
    /// How often an access of a key had to be an event because of its thread.
    forced: FastMap<(ThreadId, u32), u32>,
    threads: Vec<OfThread>,
}

/// What a thread has done since its last event that changed something.
#[derive(Clone, Copy, Default)]
struct OfThread {
    /// How many of its events only looked.
    looks: u32,
    /// Whether it has written silently.
    has_written: bool,
}

/// A field of an object, a static field, or all elements of an array.
struct Place {
    /// The last note about it.
    last: u32,
    is_shared: bool,
    is_written: bool,
}

struct Note {
    thread: ThreadId,
    kind: EventKind,
    is_event: bool,
    at: u32,
    site: SiteId,
    key: u32,
    /// The note before it about the same place.
    before: u32,
}

const NONE: u32 = u32::MAX;

/// An access that is about to happen.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Which place: fields by their number, arrays as a whole.
    pub location: Location,
    /// What is done.
    pub kind: EventKind,
    /// Where in the code, if that is known.
    pub site: SiteId,
    /// Its key.
    pub key: u32,
    /// How many events it would be.
    pub events: u32,
    /// Whether its thread has not been at the site before in this execution.
    pub is_new_site: bool,
}

impl Silence {
    /// An execution begins.
    pub fn begin(&mut self, is_on: bool) {
        self.is_on = is_on;
        self.places.clear();
        self.notes.clear();
        self.shared.clear();
        self.counts.clear();
        self.sites.clear();
        self.forced.clear();
        self.threads.clear();
    }

    /// Whether a thread has to tell of its silent writes before it does an event.
    pub fn must_tell(&mut self, thread: ThreadId, next: EventKind) -> bool {
        let thread = self.of_thread(thread);
        if !is_idle(next) {
            *thread = OfThread::default();
            return false;
        }
        let must_tell = thread.has_written && thread.looks >= MAX_LOOKS;
        *thread = if must_tell { OfThread::default() } else { OfThread { looks: thread.looks + 1, ..*thread } };
        must_tell
    }

    fn of_thread(&mut self, thread: ThreadId) -> &mut OfThread {
        let number = thread.0 as usize;
        if self.threads.len() <= number {
            self.threads.resize(number + 1, OfThread::default());
        }
        &mut self.threads[number]
    }

    /// Whether accesses of the execution under way can be silent.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Accesses with these keys are events from now on.
    pub fn raise(&mut self, keys: &[u32]) {
        self.raised.extend(keys.iter().map(|&key| (key, ())));
    }

    /// No key is raised any more.
    pub fn forget_raised(&mut self) {
        self.raised.clear();
    }

    /// Opaque code tells of accesses of these places, and of no others. So others do as well.
    pub fn open(&mut self, keys: impl Iterator<Item = u32>) {
        self.opened = keys.map(|key| (key, ())).collect();
    }

    /// Whether an access of a thread is silent, after so many events. It is noted.
    pub fn is_silent(&mut self, thread: ThreadId, access: &Access, at: usize) -> bool {
        let Access { location, kind, site, key, .. } = *access;
        let is_raised = self.raised.contains_key(&key) || self.opened.contains_key(&key);
        // Of a field all accesses have one key, so none is silent. Elements of one array may have several.
        if is_raised && location.slot.is_some() {
            return false;
        }
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        let is_loud = is_raised || self.is_forced(thread, key, at);
        self.note(Note { thread, kind, is_event: is_loud, at: at as u32, site, key, before: NONE }, location);
        if is_loud {
            return false;
        }
        self.counts[at] += access.events;
        if kind.is_write() {
            self.of_thread(thread).has_written = true;
        }
        if access.is_new_site {
            self.sites.push((thread, site));
        }
        true
    }

    /// Whether an access must be an event because its thread has made too many silent ones.
    fn is_forced(&mut self, thread: ThreadId, key: u32, at: usize) -> bool {
        if self.notes.len() >= MAX_NOTES {
            return true;
        }
        if self.counts[at] >= MAX_IN_A_ROW {
            *self.forced.entry((thread, key)).or_default() += 1;
            return true;
        }
        !self.forced.is_empty() && self.forced.get(&(thread, key)).is_some_and(|&times| times >= FORCED_UNTIL_LOUD)
    }

    fn note(&mut self, note: Note, location: Location) {
        let next = self.notes.len() as u32;
        let place = self.places.entry(location).or_insert(Place { last: NONE, is_shared: false, is_written: false });
        if place.last != NONE {
            let last = &self.notes[place.last as usize];
            let is_same = |other: &Note| {
                (other.thread, other.at, other.is_event) == (note.thread, note.at, note.is_event)
                    && (other.kind.is_write() || !note.kind.is_write())
            };
            // Between two events of a thread, one access stands for all that change no more.
            if is_same(last) {
                return;
            }
            if !place.is_shared && last.thread != note.thread {
                place.is_shared = true;
                self.shared.push(location);
            }
        }
        place.is_written |= note.kind.is_write();
        self.notes.push(Note { before: place.last, ..note });
        place.last = next;
    }

    /// The notes about a place, the last first.
    fn about(&self, place: &Place) -> impl Iterator<Item = &Note> {
        let note = |number: u32| self.notes.get(number as usize);
        std::iter::successors(note(place.last), move |last| note(last.before))
    }

    /// What the execution that has ended did, with accesses of opaque code that were noted elsewhere.
    pub fn finish(&mut self, unseen: &Record) -> Unannounced {
        if !self.is_on {
            return Unannounced::default();
        }
        let mut shared = Vec::new();
        let places = self.shared.iter().filter_map(|location| self.places.get(location));
        for (number, place) in places.filter(|place| place.is_written).enumerate() {
            let begin = shared.len();
            shared.extend(self.about(place).map(|note| Silent {
                thread: note.thread,
                at: note.at as usize,
                place: number,
                kind: note.kind,
                site: note.site,
                key: note.key,
                is_event: note.is_event,
            }));
            shared[begin..].reverse();
        }
        let mut restless = self.met_unseen(unseen);
        let forced = self.forced.iter().filter(|(_, times)| **times >= FORCED_UNTIL_LOUD);
        restless.extend(forced.map(|((_, key), _)| *key));
        if self.notes.len() >= MAX_NOTES {
            restless.extend(self.notes.iter().map(|note| note.key));
        }
        restless.retain(|key| !self.raised.contains_key(key) && !self.opened.contains_key(key));
        restless.sort_unstable();
        restless.dedup();
        Unannounced {
            counts: std::mem::take(&mut self.counts),
            shared,
            sites: std::mem::take(&mut self.sites),
            restless,
        }
    }

    /// The keys of accesses to places that opaque code of another thread accesses as well, one of the two to write. It
    /// is known for events alone whether they are in order.
    fn met_unseen(&self, unseen: &Record) -> Vec<u32> {
        let mut keys = Vec::new();
        // Opaque code may touch thousands of whole objects, and others thousands of places.
        let mut of_objects: Option<FastMap<_, Vec<&Place>>> = None;
        for (location, accesses) in unseen.places() {
            let same: Vec<&Place> = match location.slot {
                Some(_) => {
                    let whole = Location { slot: None, ..location };
                    [location, whole].iter().filter_map(|location| self.places.get(location)).collect()
                }
                None => {
                    let of_objects = of_objects.get_or_insert_with(|| {
                        let mut by_hash: FastMap<_, Vec<&Place>> = FastMap::default();
                        for (other, place) in &self.places {
                            by_hash.entry(other.hash).or_default().push(place);
                        }
                        by_hash
                    });
                    of_objects.get(&location.hash).cloned().unwrap_or_default()
                }
            };
            for note in same.into_iter().flat_map(|place| self.about(place)) {
                let meets = accesses
                    .iter()
                    .any(|access| access.thread != note.thread && (access.kind.is_write() || note.kind.is_write()));
                keys.extend((meets && !note.is_event).then_some(note.key));
            }
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELD: Location = Location { hash: 5, slot: Some(7) };
    const ARRAY: Location = Location { hash: 6, slot: None };

    fn access(location: Location, kind: EventKind, key: u32) -> Access {
        Access { location, kind, site: SiteId(1), key, events: 1, is_new_site: false }
    }

    fn begun() -> Silence {
        let mut silence = Silence::default();
        silence.begin(true);
        silence
    }

    #[test]
    fn what_one_thread_alone_touches_is_counted_and_not_told() {
        let mut silence = begun();
        for kind in [EventKind::Write, EventKind::Read, EventKind::Write] {
            assert!(silence.is_silent(ThreadId(1), &access(FIELD, kind, 7), 2));
        }
        let told = silence.finish(&Record::default());
        assert_eq!((told.counts, told.shared.len()), (vec![0, 0, 3], 0));
    }

    #[test]
    fn what_two_threads_touch_is_told_if_one_writes() {
        let mut silence = begun();
        for (thread, at) in [(1, 2), (1, 2), (2, 3), (1, 4)] {
            assert!(silence.is_silent(ThreadId(thread), &access(FIELD, EventKind::Read, 7), at));
            assert!(silence.is_silent(ThreadId(thread), &access(ARRAY, EventKind::Write, 8), at));
        }
        let told = silence.finish(&Record::default()).shared;
        assert_eq!(
            told.iter().map(|access| (access.thread.0, access.at)).collect::<Vec<_>>(),
            [(1, 2), (2, 3), (1, 4)]
        );
        assert!(told.iter().all(|access| access.key == 8));
    }

    #[test]
    fn a_write_after_a_read_is_told_as_well() {
        let mut silence = begun();
        for kind in [EventKind::Read, EventKind::Write, EventKind::Read] {
            assert!(silence.is_silent(ThreadId(1), &access(FIELD, kind, 7), 2));
        }
        assert!(silence.is_silent(ThreadId(2), &access(FIELD, EventKind::Read, 7), 3));
        let told = silence.finish(&Record::default()).shared;
        let kinds: Vec<_> = told.iter().map(|access| access.kind).collect();
        assert_eq!(kinds, [EventKind::Read, EventKind::Write, EventKind::Read]);
    }

    #[test]
    fn raised_keys_are_events_and_those_of_arrays_are_noted() {
        let mut silence = begun();
        silence.raise(&[7, 8]);
        assert!(!silence.is_silent(ThreadId(1), &access(FIELD, EventKind::Write, 7), 0));
        assert!(!silence.is_silent(ThreadId(1), &access(ARRAY, EventKind::Write, 8), 0));
        // The same array, by the code of another class.
        assert!(silence.is_silent(ThreadId(2), &access(ARRAY, EventKind::Read, 9), 1));
        let told = silence.finish(&Record::default()).shared;
        assert_eq!(
            told.iter().map(|access| (access.key, access.is_event)).collect::<Vec<_>>(),
            [(8, true), (9, false)]
        );
    }

    #[test]
    fn a_loop_that_writes_tells_of_it() {
        let mut silence = begun();
        let mut told = 0;
        for _ in 0..32 {
            silence.is_silent(ThreadId(1), &access(FIELD, EventKind::Write, 7), 0);
            told += u32::from(silence.must_tell(ThreadId(1), EventKind::VolatileRead));
            assert!(!silence.must_tell(ThreadId(2), EventKind::VolatileRead), "it has written nothing");
        }
        assert_eq!(told, 3);
        assert!(!silence.must_tell(ThreadId(1), EventKind::Lock) && !silence.must_tell(ThreadId(1), EventKind::Wait));
    }

    #[test]
    fn a_thread_that_only_looks_comes_to_events() {
        let mut silence = begun();
        let (mut at, mut events) = (0, 0);
        for _ in 0..10 * MAX_IN_A_ROW {
            if !silence.is_silent(ThreadId(1), &access(FIELD, EventKind::Read, 7), at) {
                (at, events) = (at + 1, events + 1);
            }
        }
        assert!(events > MAX_IN_A_ROW, "{events}");
        assert_eq!(silence.finish(&Record::default()).restless, [7]);
    }
}

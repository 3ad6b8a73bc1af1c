//! One thread as the machine sees it.

use super::wait_sets::Place;
use schedule::{Event, EventKind};

/// Its state between two events.
///
/// What it sees of hashes and random numbers follows from what it has done itself. Otherwise the order of two steps that
/// have nothing to do with each other could be told, and no event would say so.
#[derive(Debug, Clone, Copy, Default)]
pub struct Thread {
    /// What it does next.
    pub next: Option<Event>,
    /// Whether it was started.
    pub started: bool,
    /// Whether it has ended.
    pub ended: bool,
    /// Whether the virtual machine would end without waiting for it.
    pub daemon: bool,
    pub permit: bool,
    pub interrupted: bool,
    /// What it waits on, from its wait to its wake-up.
    pub waits_on: Option<Waits>,
    /// Its attempt at the next event has failed.
    pub waits: bool,
    /// Its wait, sleep, park or join is over because time has passed.
    pub timed_out: bool,
    /// What has ended its last wait, or attempt at a lock.
    pub woken: Woken,
    /// When the next event, or the wait that it ends, is over at the latest.
    pub deadline: Option<u64>,
    /// So many of its waits may still end though nothing has happened.
    pub spurious: u32,
    /// So many of its waits that are limited in time may still be over early.
    pub early: u32,
    /// Whether the scheduler is still to hear that the next event needs no cause.
    pub untold: bool,
    /// How many events it has done.
    pub done: usize,
    /// How many the one had done whose monitor it wants, when it saw that.
    pub seen: usize,
    /// Whether the last that it did was to find that monitor taken.
    pub in_vain: bool,
    /// How many events it did when only daemons were left.
    pub last_events: u32,
    /// Who it is, in whatever order threads are started.
    name: u64,
    children: u64,
    /// How far it is ahead of the common clock, by early timeouts.
    ahead: u64,
    /// How often it has looked at the clock and done nothing else since.
    looks: u32,
    naps: u32,
    hashes: u64,
    randoms: u64,
}

/// What ends a wait, or an attempt at a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Woken {
    /// A notification, a free lock, or nothing.
    #[default]
    Prompted,
    Interrupted,
    TimedOut,
}

/// A wait.
#[derive(Debug, Clone, Copy)]
pub struct Waits {
    pub place: Place,
    /// Whether an interrupt ends it.
    pub interruptible: bool,
    /// How deep the thread held the monitor.
    pub depth: u32,
}

/// So often may a thread look at the clock without doing anything else.
const LOOKS: u32 = 16;
const FIRST_NAP: u64 = 1_000_000;

impl Thread {
    /// One of the threads that are there from the start.
    pub fn own(number: usize) -> Thread {
        Thread { name: mix(number as u64), started: true, ..Thread::default() }
    }

    /// Becomes another, as far as hashes and random numbers go.
    pub fn vary(&mut self, variation: u32) {
        if variation > 0 {
            self.name = mix(self.name ^ mix(!u64::from(variation)));
        }
    }

    /// A thread that this one starts.
    pub fn child(&mut self) -> Thread {
        self.children += 1;
        Thread { name: mix(self.name ^ mix(self.children)), ..Thread::default() }
    }

    /// What it waits for may be over though no time has passed for others.
    pub fn may_be_early(&self) -> bool {
        self.early > 0 && self.deadline.is_some()
    }

    /// Has announced what it has not done, and could wait for it for ever.
    pub fn waits_for_time(&self) -> bool {
        self.next.is_some() && !self.timed_out && self.deadline.is_some()
    }

    /// It has done an event.
    pub fn note_done(&mut self, kind: EventKind) {
        match kind {
            EventKind::Read | EventKind::VolatileRead | EventKind::Update | EventKind::TryLock | EventKind::Yield => {}
            EventKind::Alive | EventKind::State | EventKind::Interrupted => {}
            // Taken to look, and given back.
            EventKind::Lock | EventKind::Unlock | EventKind::Attempt => {}
            EventKind::Sleep => self.looks = 0,
            _ => (self.looks, self.naps) = (0, 0),
        }
    }

    /// What it waited for is over before time has passed for all.
    pub fn goes_ahead(&mut self) {
        if !self.timed_out {
            self.early = self.early.saturating_sub(1);
        }
        self.ahead = self.ahead.max(self.deadline.unwrap_or(0));
    }

    /// It is about to look at the clock. If it looks again and again, as if it waited for time to pass, it should sleep
    /// for so many nanoseconds first.
    pub fn nap(&mut self) -> Option<u64> {
        self.looks += 1;
        (self.looks > LOOKS).then(|| {
            self.naps += 1;
            FIRST_NAP << (self.naps - 1).min(20)
        })
    }

    /// The time for it, given the common time.
    pub fn time(&self, now: u64) -> u64 {
        now.max(self.ahead)
    }

    /// An identity hash that it gives to an object.
    pub fn hash(&mut self) -> i32 {
        self.hashes += 1;
        // Zero means none to HotSpot.
        (mix(self.name.wrapping_add(self.hashes)) >> 33).max(1) as i32
    }

    /// The next of its numbers that look random.
    pub fn random(&mut self) -> u64 {
        self.randoms += 1;
        mix(self.name ^ mix(!self.randoms))
    }
}

/// The finalizer of SplitMix64.
fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

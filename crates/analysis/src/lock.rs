//! Locks, and sets of locks that are held.
//!
//! Definition 6 asks for locks that are taken before the first shared access and kept until after the last.
//! A set of locks at an access does not say that: a method may release and take again. So each held lock
//! carries the [`Roots`] that were accessed before it was taken. It protects all accesses of a root if that
//! root is not among them, at any access of that root.

use std::rc::Rc;

use crate::names::Map;
use crate::path::{PathId, Root};

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mode {
    /// As a monitor: `synchronized`.
    Monitor,
    /// As a `java.util.concurrent` lock, alone.
    Exclusive,
    /// As a read lock, with other readers.
    Shared,
}

/// A lock: an object and how it is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lock {
    pub path: PathId,
    pub mode: Mode,
}

/// Roots of paths, a bit each: what was accessed through which parameter, through statics, from outside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Roots(pub u16);

impl Roots {
    pub const NONE: Roots = Roots(0);
    const LAST_PARAMETER: u16 = 13;
    pub const STATIC: Roots = Roots(1 << 14);
    const OUTSIDE: Roots = Roots(1 << 15);

    /// Parameters beyond the thirteenth share a bit: that can only make locks protect less.
    pub fn parameter(number: u8) -> Roots {
        Roots(1 << u16::from(number).min(Roots::LAST_PARAMETER))
    }

    pub fn of(root: Root) -> Roots {
        match root {
            Root::Parameter(number) => Roots::parameter(number),
            Root::Static(_) => Roots::STATIC,
            Root::Outside(_) => Roots::OUTSIDE,
            Root::Anything => Roots(u16::MAX),
            Root::Fresh(_) | Root::Class(_) | Root::Text(_) => Roots::NONE,
        }
    }

    #[must_use]
    pub fn with(self, other: Roots) -> Roots {
        Roots(self.0 | other.0)
    }

    pub fn meets(self, other: Roots) -> bool {
        self.0 & other.0 != 0
    }

    /// These roots as a caller sees them, who passes arguments with those roots.
    pub fn through(self, arguments: &[Roots]) -> Roots {
        let kept = Roots(self.0 & (Roots::STATIC.0 | Roots::OUTSIDE.0));
        let parameter = |(number, roots): (usize, &Roots)| {
            if self.meets(Roots::parameter(number.min(255) as u8)) { *roots } else { Roots::NONE }
        };
        arguments.iter().enumerate().map(parameter).fold(kept, Roots::with)
    }
}

/// A lock that is held for certain.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Held {
    pub lock: Lock,
    /// What was accessed before it was taken.
    pub after: Roots,
}

/// A set of locks by number, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HeldId(pub u32);

/// All sets of held locks that were met.
#[derive(Debug, Default)]
pub struct HeldSets {
    numbers: Map<Rc<[Held]>, HeldId>,
    sets: Vec<Rc<[Held]>>,
}

impl HeldSets {
    pub fn get(&self, id: HeldId) -> Rc<[Held]> {
        self.sets[id.0 as usize].clone()
    }

    /// The locks of both sets, after whatever was accessed before either.
    pub fn meet(&mut self, a: HeldId, b: HeldId) -> HeldId {
        if a == b {
            return a;
        }
        let (a, b) = (self.get(a), self.get(b));
        let both = a.iter().filter_map(|held| {
            let other = b.iter().find(|other| other.lock == held.lock)?;
            Some(Held { lock: held.lock, after: held.after.with(other.after) })
        });
        let both = both.collect();
        self.number(both)
    }

    pub fn number(&mut self, mut held: Vec<Held>) -> HeldId {
        held.sort_unstable();
        held.dedup_by_key(|held| held.lock);
        if let Some(&known) = self.numbers.get(&*held) {
            return known;
        }
        let id = HeldId(self.sets.len() as u32);
        let held: Rc<[Held]> = held.into();
        self.numbers.insert(held.clone(), id);
        self.sets.push(held);
        id
    }
}

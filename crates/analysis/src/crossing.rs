//! Nested acquisitions in opposite order, of all pairs of methods: definition 10 of DepCon+.
//!
//! Two methods of a large class have thousands of nested acquisitions each, and their product for each pair of methods takes
//! minutes. So a method has a table: for the outer lock of another method, the inner locks with which that one crosses it. Whether
//! two methods cross is a look-up for each nested acquisition of one of them, and acquisitions that cross nothing are passed over.

use std::cell::OnceCell;

use crate::depend::{Crossing, Numbers};
use crate::facts::{ClassFacts, DoubleLock, MethodFacts, Owner};

/// The nested acquisitions of every method, for the question which of them cross.
pub struct Crossings<'f> {
    facts: &'f ClassFacts,
    /// Of each lock, those that can stand in for it.
    compatible: Vec<Numbers>,
    methods: Vec<OnceCell<OfMethod<'f>>>,
}

/// How two methods cross.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Crossed {
    /// By locks that one subject may have: none of them is that of an argument.
    pub within: bool,
    /// By a lock of an argument.
    pub beyond: bool,
}

/// The nested acquisitions of one method.
struct OfMethod<'f> {
    /// Those with locks that one subject may have.
    within: Table<'f>,
    /// Those with a lock of an argument.
    beyond: Table<'f>,
    /// Both, as the facts have them.
    all: &'f [DoubleLock],
}

/// Nested acquisitions, with what crosses them.
struct Table<'f> {
    double_locks: Vec<&'f DoubleLock>,
    /// By each lock: the inner locks of what crosses some of these if this is the outer one.
    crossed_by: Vec<Numbers>,
}

impl<'f> Crossings<'f> {
    /// Of the methods of these facts.
    pub fn of(facts: &'f ClassFacts) -> Crossings<'f> {
        let compatible = facts.locks.iter().map(|lock| lock.compatible.iter().copied().collect()).collect();
        Crossings { facts, compatible, methods: facts.methods.iter().map(|_| OnceCell::new()).collect() }
    }

    /// How two methods can block each other.
    pub fn kinds(&self, first: usize, second: usize) -> Crossed {
        let (first, second) = (self.method(first), self.method(second));
        let meet = |one: &Table<'_>, other: &Table<'_>| one.double_locks.iter().any(|double| other.crosses(double));
        Crossed {
            within: meet(&first.within, &second.within),
            beyond: first.beyond.double_locks.iter().any(|double| second.crosses(double))
                || meet(&first.within, &second.beyond),
        }
    }

    /// Whether they can.
    pub fn cross(&self, first: usize, second: usize) -> bool {
        let second = self.method(second);
        self.method(first).all.iter().any(|double| second.crosses(double))
    }

    /// One nested acquisition of the first method after the other, each with those of the second that cross it.
    pub fn between(&self, first: usize, second: usize) -> impl Iterator<Item = Crossing<'f>> {
        let second = self.method(second);
        let crossing = self.method(first).all.iter().filter(|double| second.crosses(double));
        crossing.flat_map(move |one| {
            let (of_outer, of_inner) = (&self.compatible[one.outer], &self.compatible[one.inner]);
            let crosses = move |other: &&DoubleLock| of_outer.has(other.inner) && of_inner.has(other.outer);
            second.all.iter().filter(crosses).map(move |other| (one, other))
        })
    }

    fn method(&self, method: usize) -> &OfMethod<'f> {
        self.methods[method].get_or_init(|| {
            let of: &'f MethodFacts = &self.facts.methods[method];
            let is_of_argument = |lock: usize| self.facts.locks[lock].owner == Owner::Parameter;
            let is_beyond = |double: &&DoubleLock| is_of_argument(double.outer) || is_of_argument(double.inner);
            let (beyond, within): (Vec<_>, Vec<_>) = of.double_locks.iter().partition(is_beyond);
            OfMethod { within: self.table(within), beyond: self.table(beyond), all: &of.double_locks }
        })
    }

    fn table(&self, double_locks: Vec<&'f DoubleLock>) -> Table<'f> {
        if double_locks.is_empty() {
            return Table { double_locks, crossed_by: Vec::new() };
        }
        // First by the inner locks as they are: what crosses them is then put together once for each lock, not once for each of these.
        let mut of_inner: Vec<Numbers> = Vec::new();
        of_inner.resize_with(self.compatible.len(), Numbers::default);
        for double in &double_locks {
            of_inner[double.inner].add_all(&self.compatible[double.outer]);
        }
        let mut crossed_by: Vec<Numbers> = Vec::new();
        crossed_by.resize_with(self.compatible.len(), Numbers::default);
        let inner = of_inner.iter().enumerate().filter(|(_, outer)| !outer.is_empty());
        for (inner, outer) in inner {
            for &lock in &self.facts.locks[inner].compatible {
                crossed_by[lock].add_all(outer);
            }
        }
        Table { double_locks, crossed_by }
    }
}

impl OfMethod<'_> {
    /// Whether a nested acquisition of another method crosses one of these.
    fn crosses(&self, double: &DoubleLock) -> bool {
        self.within.crosses(double) || self.beyond.crosses(double)
    }
}

impl Table<'_> {
    /// Whether a nested acquisition of another method crosses one of these.
    fn crosses(&self, double: &DoubleLock) -> bool {
        self.crossed_by.get(double.outer).is_some_and(|inner| inner.has(double.inner))
    }
}

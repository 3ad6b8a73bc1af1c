//! Dependencies between methods: definitions 7, 8 and 10 of DepCon+, with the evidence for each.

use crate::facts::{AccessFact, ClassFacts, DoubleLock, LockMode, MethodFacts, Owner};
use crate::share::{Arguments, Side};

/// How two methods depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The methods, by number; the first is not after the second.
    pub methods: (usize, usize),
    /// Definition 7: one writes what the other reads.
    pub conflict: bool,
    /// Definition 8: no lock keeps their accesses apart.
    pub parallel: bool,
    /// Definition 10: they take compatible locks in opposite order.
    pub double_lock: bool,
    /// How much they share without protection; more is more suspicious.
    pub score: u32,
    /// Whether they conflict without protection if their subjects are two and something else is shared, which is not
    /// in the definitions of the paper: see [`ClassFacts::second_shares`].
    pub second_share: bool,
}

impl Pair {
    /// Whether the pair is in M_pc.
    pub fn is_pc(&self) -> bool {
        self.conflict && self.parallel
    }
}

/// Two accesses of one location, one of which writes.
#[derive(Clone, Copy, Debug)]
pub struct Conflict<'f> {
    /// The access of the first method.
    pub first: &'f AccessFact,
    /// The access of the second.
    pub second: &'f AccessFact,
    /// Locks that both hold then, by number.
    pub common: Option<usize>,
}

impl<'f> Conflict<'f> {
    /// The same with the two in the other order, if asked.
    pub(crate) fn turned(self, turn: bool) -> Conflict<'f> {
        match turn {
            true => Conflict { first: self.second, second: self.first, ..self },
            false => self,
        }
    }
}

/// Two nested acquisitions in opposite order: of the first method and of the second.
pub type Crossing<'f> = (&'f DoubleLock, &'f DoubleLock);

/// Unprotected plain accesses of one location weigh this much.
const PLAIN: u32 = 4;
/// Those that are volatile or atomic on both sides.
const ORDERED: u32 = 2;
/// Those that a common lock protects, which is given up in between.
const SPLIT: u32 = 1;
/// A possible deadlock.
const CROSSING: u32 = 4;

impl ClassFacts {
    /// The set M: all pairs of methods, each with itself too, and how they depend on each other.
    pub fn pairs(&self) -> Vec<Pair> {
        let indices: Vec<Index<'_>> = self.methods.iter().map(|method| Index::of(self, method)).collect();
        let arguments: Vec<Arguments<'_>> = self.methods.iter().map(|method| Arguments::of(self, method)).collect();
        let mut pairs = Vec::with_capacity(indices.len() * (indices.len() + 1) / 2);
        for first in 0..indices.len() {
            for second in first..indices.len() {
                let mut pair = self.pair((first, second), &indices[first], &indices[second]);
                let sides =
                    |at: usize| Side { method: &self.methods[at], index: &indices[at], arguments: &arguments[at] };
                pair.second_share = self.has_second_share(sides(first), sides(second));
                pairs.push(pair);
            }
        }
        pairs
    }

    /// One location after the other that two methods share in conflict, each with its least protected accesses.
    pub fn conflicts(&self, first: usize, second: usize) -> Vec<Conflict<'_>> {
        let (first, second) = (Index::of(self, &self.methods[first]), Index::of(self, &self.methods[second]));
        let excludes = |a, b| self.excludes(a, b);
        self.shared(&first, &second).filter_map(|(a, b)| worst(a, b, &excludes)).collect()
    }

    /// The nested acquisitions by which two methods can block each other.
    pub fn crossings(&self, first: usize, second: usize) -> Vec<Crossing<'_>> {
        let (first, second) = (&self.methods[first].double_locks, &self.methods[second].double_locks);
        let mut found = Vec::new();
        for a in first {
            for b in second {
                if self.compatible(a.outer, b.inner) && self.compatible(a.inner, b.outer) {
                    found.push((a, b));
                }
            }
        }
        found
    }

    fn pair(&self, methods: (usize, usize), first: &Index<'_>, second: &Index<'_>) -> Pair {
        let mut conflict = false;
        let mut score = 0;
        for (a, b) in self.shared(first, second) {
            let Some(worst) = worst(a, b, &|a, b| self.excludes(a, b)) else { continue };
            conflict = true;
            let ordered = worst.first.ordered && worst.second.ordered;
            score += match (worst.common, ordered) {
                (None, false) => PLAIN,
                (None, true) => ORDERED,
                (Some(_), _) => 0,
            };
        }
        let parallel = !self.keeps_apart(&self.methods[methods.0], &self.methods[methods.1]);
        if conflict && parallel && score == 0 {
            score = SPLIT;
        }
        if !parallel {
            score = 0;
        }
        let double_lock = !self.crossings(methods.0, methods.1).is_empty();
        score += if double_lock { CROSSING } else { 0 };
        Pair { methods, conflict, parallel, double_lock, score, second_share: false }
    }

    /// Whether some lock covers all shared accesses of both.
    fn keeps_apart(&self, first: &MethodFacts, second: &MethodFacts) -> bool {
        first.lock_summary.iter().any(|&a| second.lock_summary.iter().any(|&b| self.excludes(a, b)))
    }

    /// Whether two locks are one and the same object for certain, and keep each other out.
    fn excludes(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.locks[a], &self.locks[b]);
        a.path == b.path
            && a.stable
            && b.stable
            && matches!(a.owner, Owner::Subject | Owner::Static)
            && keep_out(a.mode, b.mode)
    }

    fn compatible(&self, a: usize, b: usize) -> bool {
        self.locks[a].compatible.contains(&b)
    }

    /// The accesses of each location that both methods know and that can change.
    pub(crate) fn shared<'i, 'f>(
        &self,
        first: &'i Index<'f>,
        second: &'i Index<'f>,
    ) -> impl Iterator<Item = Shared<'i, 'f>> {
        let mut found = Vec::new();
        for (location, accesses) in &first.by_location {
            let same = std::iter::once(location).chain(&self.locations[*location].overlaps);
            for other in same {
                if let Ok(at) = second.by_location.binary_search_by_key(other, |(location, _)| *location) {
                    found.push((&accesses[..], &second.by_location[at].1[..]));
                }
            }
        }
        found.into_iter()
    }
}

/// Whether two ways to hold one lock keep each other out.
pub(crate) fn keep_out(a: LockMode, b: LockMode) -> bool {
    match (a, b) {
        (LockMode::Monitor, LockMode::Monitor) => true,
        (LockMode::Monitor, _) | (_, LockMode::Monitor) => false,
        (LockMode::Shared, LockMode::Shared) => false,
        _ => true,
    }
}

/// The least protected two accesses that conflict, if any do. `excludes` says which locks keep each other out.
pub(crate) fn worst<'f>(
    first: &[&'f AccessFact],
    second: &[&'f AccessFact],
    excludes: &dyn Fn(usize, usize) -> bool,
) -> Option<Conflict<'f>> {
    let mut worst: Option<Conflict<'f>> = None;
    for &a in first {
        for &b in second {
            // Two that only write do not conflict: whichever is last wins, as in some sequence.
            if !(a.kind.writes() && b.kind.reads() || a.kind.reads() && b.kind.writes()) {
                continue;
            }
            let held = a.held.iter().find(|a| b.held.iter().any(|b| excludes(a.lock, b.lock)));
            let common = held.map(|held| held.lock);
            if common.is_none() {
                return Some(Conflict { first: a, second: b, common });
            }
            worst = worst.or(Some(Conflict { first: a, second: b, common }));
        }
    }
    worst
}

/// The accesses of one location by two methods.
pub(crate) type Shared<'i, 'f> = (&'i [&'f AccessFact], &'i [&'f AccessFact]);

/// The accesses of a method to what is shared and can change, by location, in order.
pub(crate) struct Index<'f> {
    pub by_location: Vec<(usize, Vec<&'f AccessFact>)>,
}

impl<'f> Index<'f> {
    pub fn of(facts: &'f ClassFacts, method: &'f MethodFacts) -> Index<'f> {
        let mut shared: Vec<&AccessFact> = method
            .accesses
            .iter()
            .filter(|access| {
                let location = &facts.locations[access.location];
                !location.is_final && matches!(location.owner, Owner::Subject | Owner::Static)
            })
            .collect();
        shared.sort_by_key(|access| access.location);
        let by_location =
            shared.chunk_by(|a, b| a.location == b.location).map(|chunk| (chunk[0].location, chunk.to_vec())).collect();
        Index { by_location }
    }

    /// The accesses of a location.
    pub fn at(&self, location: usize) -> &[&'f AccessFact] {
        match self.by_location.binary_search_by_key(&location, |(location, _)| *location) {
            Ok(at) => &self.by_location[at].1,
            Err(_) => &[],
        }
    }
}

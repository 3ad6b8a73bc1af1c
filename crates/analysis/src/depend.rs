//! Dependencies between methods: definitions 7, 8 and 10 of DepCon+, with the evidence for each.

use std::collections::HashMap;
use std::rc::Rc;

use crate::crossing::Crossings;
use crate::facts::{AccessFact, ClassFacts, DoubleLock, LockMode, MethodFacts, Owner};
use crate::share::{Arguments, Side};

/// How two methods depend on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The methods, by number; the first is not after the second.
    pub methods: (usize, usize),
    /// Definition 7: one writes what the other reads; or both write the same two locations, which the paper leaves out.
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

/// The class of a location that is the elements of an array.
const ELEMENTS: &str = "[]";
/// Unprotected plain accesses of one location weigh this much.
const PLAIN: u32 = 4;
/// Those that are volatile or atomic on both sides.
const ORDERED: u32 = 2;
/// Those that a common lock protects, which is given up in between.
const SPLIT: u32 = 1;
/// A possible deadlock.
const CROSSING: u32 = 4;

/// The accesses of every method by location, for who asks about many pairs.
pub struct Accesses<'f> {
    facts: &'f ClassFacts,
    indices: Vec<Index<'f>>,
    crossings: Crossings<'f>,
    /// Of each lock, those that it keeps out.
    excluded: Vec<Numbers>,
}

impl<'f> Accesses<'f> {
    /// Of the methods of these facts.
    pub fn of(facts: &'f ClassFacts) -> Accesses<'f> {
        let indices = facts.methods.iter().map(|method| Index::of(facts, method)).collect();
        Accesses { facts, indices, crossings: Crossings::of(facts), excluded: excluded(facts) }
    }

    /// The nested acquisitions of every method.
    pub fn crossings(&self) -> &Crossings<'f> {
        &self.crossings
    }

    /// The set M: all pairs of methods, each with itself too, and how they depend on each other.
    pub fn pairs(&self) -> Vec<Pair> {
        let Accesses { facts, indices, .. } = self;
        let arguments: Vec<Arguments<'_>> = facts.methods.iter().map(|method| Arguments::of(facts, method)).collect();
        let mut pairs = Vec::with_capacity(indices.len() * (indices.len() + 1) / 2);
        for first in 0..indices.len() {
            for second in first..indices.len() {
                let mut pair = self.pair((first, second));
                let sides =
                    |at: usize| Side { method: &facts.methods[at], index: &indices[at], arguments: &arguments[at] };
                pair.second_share = facts.has_second_share(sides(first), sides(second));
                pairs.push(pair);
            }
        }
        pairs
    }

    fn pair(&self, methods: (usize, usize)) -> Pair {
        let facts = self.facts;
        let (first, second) = (&self.indices[methods.0], &self.indices[methods.1]);
        let mut conflict = false;
        let mut score = 0;
        for worst in facts.clashes(facts.shared(first, second), &|a, b| self.excludes(a, b)) {
            conflict = true;
            let ordered = worst.first.ordered && worst.second.ordered;
            score += match (worst.common, ordered) {
                (None, false) => PLAIN,
                (None, true) => ORDERED,
                (Some(_), _) => 0,
            };
        }
        let parallel = !facts.keeps_apart(&facts.methods[methods.0], &facts.methods[methods.1]);
        if conflict && parallel && score == 0 {
            score = SPLIT;
        }
        if !parallel {
            score = 0;
        }
        let double_lock = self.crossings.cross(methods.0, methods.1);
        score += if double_lock { CROSSING } else { 0 };
        Pair { methods, conflict, parallel, double_lock, score, second_share: false }
    }

    /// Accesses of two methods that conflict, so that each that conflicts with any is named: the least protected,
    /// and if none is unprotected, those that a common lock protects. One after the other, for there may be thousands.
    pub fn meetings(&self, first: usize, second: usize) -> Box<dyn Iterator<Item = Conflict<'f>> + '_> {
        let shared: Vec<Shared<'_, 'f>> = self.facts.shared(&self.indices[first], &self.indices[second]).collect();
        let shared = Rc::new(shared);
        let all = |is_wanted: fn(&Conflict<'f>) -> bool| self.least_protected(shared.clone()).filter(is_wanted);
        let mut unprotected = all(|conflict| conflict.common.is_none()).peekable();
        if unprotected.peek().is_some() {
            return Box::new(unprotected);
        }
        let mut protected = all(|_| true).peekable();
        if protected.peek().is_some() {
            return Box::new(protected);
        }
        Box::new(self.facts.clashes(shared.iter().copied(), &|a, b| self.excludes(a, b)).into_iter())
    }

    /// Of each access in turn, that with which it is least protected.
    fn least_protected<'i>(&'i self, shared: Rc<Vec<Shared<'i, 'f>>>) -> impl Iterator<Item = Conflict<'f>> + 'i {
        let worst = |a, b| worst(a, b, Meeting::Read, &|a, b| self.excludes(a, b));
        (0..shared.len()).flat_map(move |at| {
            let (a, b) = shared[at];
            let one_by_one = a.iter().map(move |a| (std::slice::from_ref(a), b));
            let other_by_other = b.iter().map(move |b| (a, std::slice::from_ref(b)));
            one_by_one.chain(other_by_other).filter_map(move |(a, b)| worst(a, b))
        })
    }

    /// Whether two locks are one and the same object for certain, and keep each other out.
    fn excludes(&self, a: usize, b: usize) -> bool {
        self.excluded[a].has(b)
    }
}

/// Of each lock, those that it keeps out.
fn excluded(facts: &ClassFacts) -> Vec<Numbers> {
    let mut of_path: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, lock) in facts.locks.iter().enumerate() {
        of_path.entry(&lock.path).or_default().push(number);
    }
    let keeps_out = |a: usize| of_path[&*facts.locks[a].path].iter().copied().filter(move |&b| facts.excludes(a, b));
    (0..facts.locks.len()).map(|lock| keeps_out(lock).collect()).collect()
}

impl ClassFacts {
    /// The set M: all pairs of methods, each with itself too, and how they depend on each other.
    pub fn pairs(&self) -> Vec<Pair> {
        Accesses::of(self).pairs()
    }

    /// One location after the other that two methods share in conflict, each with its least protected accesses.
    pub fn conflicts(&self, first: usize, second: usize) -> Vec<Conflict<'_>> {
        let (first, second) = (Index::of(self, &self.methods[first]), Index::of(self, &self.methods[second]));
        self.clashes(self.shared(&first, &second), &|a, b| self.excludes(a, b))
    }

    /// The conflicts among accesses of locations that two methods share, in their order. Two that only write one
    /// location do not conflict: whichever is last wins, as in some sequence. Of two or more locations one method may
    /// be the last at the first and the other at the second, which no sequence gives.
    pub(crate) fn clashes<'i, 'f: 'i>(
        &self,
        shared: impl Iterator<Item = Shared<'i, 'f>>,
        excludes: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<Conflict<'f>> {
        let found: Vec<(Conflict<'f>, bool)> = shared
            .filter_map(|(a, b)| {
                let read = worst(a, b, Meeting::Read, excludes).map(|conflict| (conflict, false));
                read.or_else(|| worst(a, b, Meeting::Written, excludes).map(|conflict| (conflict, true)))
            })
            .collect();
        let written = found.iter().filter(|(_, only_written)| *only_written);
        let written: usize = written.map(|(conflict, _)| self.places(conflict.first.location)).sum();
        let counts = |only_written: bool| !only_written || written > 1;
        found.into_iter().filter(|(_, only_written)| counts(*only_written)).map(|(conflict, _)| conflict).collect()
    }

    /// How many places a location stands for: one, or several.
    fn places(&self, location: usize) -> usize {
        if self.locations[location].class == ELEMENTS { 2 } else { 1 }
    }

    /// The nested acquisitions by which two methods can block each other.
    pub fn crossings(&self, first: usize, second: usize) -> Vec<Crossing<'_>> {
        Crossings::of(self).between(first, second).collect()
    }

    /// Whether some lock covers all shared accesses of both.
    fn keeps_apart(&self, first: &MethodFacts, second: &MethodFacts) -> bool {
        first.lock_summary.iter().any(|&a| second.lock_summary.iter().any(|&b| self.excludes(a, b)))
    }

    /// Whether two locks are one and the same object for certain, and keep each other out.
    pub(crate) fn excludes(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.locks[a], &self.locks[b]);
        a.path == b.path
            && a.stable
            && b.stable
            && matches!(a.owner, Owner::Subject | Owner::Static)
            && keep_out(a.mode, b.mode)
    }

    /// The accesses of each location that both methods know, that can change, and that one of them writes.
    pub(crate) fn shared<'i, 'f>(
        &self,
        first: &'i Index<'f>,
        second: &'i Index<'f>,
    ) -> impl Iterator<Item = Shared<'i, 'f>> {
        let mut found = Vec::new();
        for (location, accesses) in &first.by_location {
            let is_met = if first.writes.has(*location) { &second.reaches } else { &second.changes };
            if !is_met.has(*location) {
                continue;
            }
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

/// How two accesses of one location have to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meeting {
    /// One reads what the other writes.
    Read,
    /// Both write.
    Written,
}

/// The least protected two accesses that meet so, if any do. `excludes` says which locks keep each other out.
fn worst<'f>(
    first: &[&'f AccessFact],
    second: &[&'f AccessFact],
    meeting: Meeting,
    excludes: &dyn Fn(usize, usize) -> bool,
) -> Option<Conflict<'f>> {
    let mut worst: Option<Conflict<'f>> = None;
    for &a in first {
        for &b in second {
            let meet = match meeting {
                Meeting::Read => a.kind.writes() && b.kind.reads() || a.kind.reads() && b.kind.writes(),
                Meeting::Written => a.kind.writes() && b.kind.writes(),
            };
            if !meet {
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
    by_location: Vec<(usize, Vec<&'f AccessFact>)>,
    /// The locations that it writes.
    writes: Numbers,
    /// Those and all that may be the same.
    changes: Numbers,
    /// The locations that it touches, and all that may be the same.
    reaches: Numbers,
}

/// A set of small numbers.
#[derive(Default)]
pub(crate) struct Numbers(Vec<u64>);

impl FromIterator<usize> for Numbers {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Numbers {
        let mut set = Numbers::default();
        numbers.into_iter().for_each(|number| set.add(number));
        set
    }
}

impl Numbers {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add_all(&mut self, others: &Numbers) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word |= other;
        }
    }

    fn add(&mut self, number: usize) {
        let word = number / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    pub(crate) fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }
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
        let by_location: Vec<(usize, Vec<&AccessFact>)> =
            shared.chunk_by(|a, b| a.location == b.location).map(|chunk| (chunk[0].location, chunk.to_vec())).collect();
        let [mut writes, mut changes, mut reaches] = [(); 3].map(|_| Numbers::default());
        for (location, accesses) in &by_location {
            let is_written = accesses.iter().any(|access| access.kind.writes());
            if is_written {
                writes.add(*location);
            }
            for &same in std::iter::once(location).chain(&facts.locations[*location].overlaps) {
                reaches.add(same);
                if is_written {
                    changes.add(same);
                }
            }
        }
        Index { by_location, writes, changes, reaches }
    }

    /// The accesses of a location.
    pub fn at(&self, location: usize) -> &[&'f AccessFact] {
        match self.by_location.binary_search_by_key(&location, |(location, _)| *location) {
            Ok(at) => &self.by_location[at].1,
            Err(_) => &[],
        }
    }
}

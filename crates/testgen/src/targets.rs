//! Which pair of methods is next: what DepCon+ keeps of all pairs, in the order of CovCon.
//!
//! Pairs that conflict in parallel (M_pc) are tried on one subject, pairs that lock in opposite order (M_d) on two, and pairs that
//! conflict only if a second object is shared, which neither paper has, on two that share it. Pairs that conflict in static state
//! are tried on two subjects that share nothing else, too: each has locks of its own, and one subject may have to be in two states at
//! once for both calls to get there. Of each kind the one is next whose
//! number of tries is lowest and best explains what was covered: max(1, |tried - covered|) x max(1, tried), as CovCon has it;
//! among equals, the one that shares the most without protection and, every other time, any.
//!
//! **What is left out.** Two subjects that were given the same object and keep it (Intruder's setters). Whether they may share it is
//! for that object to say, and the class under test is seldom to blame: two wrappers of one map are a mistake of the test.
//!
//! A method that hardly ever runs even alone, because it wants objects that are hard to make, is in as many pairs as any other. Its
//! pairs wait, or a large class would be tried for little else.
//!
//! **Deviation:** CovCon begins with all pairs in random order. The static score is a better guess, but it likes methods that do
//! much, and in a large class those are slow, need objects that are hard to make, and are all of one kind. So both have their turn.

use analysis::{AccessFact, ClassFacts, Owner, Through};

use crate::relations::Relations;
use crate::rng::Rng;

/// What a pair of methods is tried for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// On one subject.
    Conflict,
    /// On two, of which one is an argument of the other's call.
    Share {
        /// The argument, counted from 0.
        argument: usize,
        /// Whether it is passed to the first method; else to the second.
        of_first: bool,
    },
    /// On two, each of which may hold the other.
    Deadlock,
    /// On two that share static state only.
    Apart,
    /// On one; nothing is known of what they share, because they do what is not known.
    Opaque,
}

/// A pair of methods to be tried.
#[derive(Clone, Debug)]
pub struct Target {
    /// The methods, by their numbers in the facts.
    pub methods: (usize, usize),
    /// What it is tried for.
    pub mode: Mode,
    /// How suspicious it is.
    pub score: u32,
    /// How many tests were tried.
    pub tried: u32,
    /// How many of them ran.
    pub ran: u32,
    /// In how many of them calls have overlapped.
    pub covered: u32,
    /// How many tests in a row were of no use.
    pub misses: u32,
    /// No new tests come to mind.
    pub exhausted: bool,
    /// One of the methods hardly ever runs, even alone.
    pub is_hopeless: bool,
    /// Decides between equals.
    chance: usize,
}

/// All targets of a class.
#[derive(Debug, Default)]
pub struct Targets {
    pub all: Vec<Target>,
    /// How many of all pairs there are.
    pub pairs: usize,
    /// How many are in M_pc or M_d, or need a second share.
    pub relevant: usize,
    turn: usize,
    /// How long those without hope have waited.
    hopeless_turn: usize,
    /// Whether chance decides between equals next.
    by_chance: bool,
}

/// Targets with a method that hardly ever runs have one turn in so many, and those that nobody else wants.
pub const HOPELESS_TURNS: usize = 9;

/// The kinds of targets that take turns.
const KINDS: [fn(&Mode) -> bool; 4] = [
    |mode| matches!(mode, Mode::Deadlock),
    |mode| matches!(mode, Mode::Conflict),
    |mode| matches!(mode, Mode::Apart),
    |mode| matches!(mode, Mode::Share { .. }),
];

impl Targets {
    /// The targets that the facts give, of methods that can be called.
    pub fn of(facts: &ClassFacts, relations: &Relations, callable: &dyn Fn(usize) -> bool, rng: &mut Rng) -> Targets {
        let mut targets = Targets::default();
        let statics = Statics::of(facts);
        for pair in facts.pairs() {
            let methods = pair.methods;
            if !callable(methods.0) || !callable(methods.1) {
                continue;
            }
            targets.pairs += 1;
            targets.relevant += usize::from(pair.is_pc() || pair.double_lock || pair.second_share);
            let mut add = |mode: Mode, score: u32| {
                let chance = rng.below(1 << 20);
                let (tried, ran, covered, misses) = (0, 0, 0, 0);
                let (exhausted, is_hopeless) = (false, false);
                let target =
                    Target { methods, mode, score, tried, ran, covered, misses, exhausted, is_hopeless, chance };
                targets.all.push(target);
            };
            if pair.double_lock {
                add(Mode::Deadlock, pair.score);
            }
            if pair.is_pc() {
                add(Mode::Conflict, pair.score);
            }
            let is_apart = statics.conflict(facts, methods);
            if is_apart {
                add(Mode::Apart, pair.score.max(1));
            }
            if pair.second_share {
                let mut ways: Vec<Mode> = Vec::new();
                for share in facts.second_shares(methods.0, methods.1) {
                    if let Through::Argument { number: argument, of_first } = share.through {
                        ways.push(Mode::Share { argument, of_first });
                    }
                }
                ways.dedup();
                ways.into_iter().for_each(|mode| add(mode, pair.score.max(1)));
            }
            let known = pair.is_pc() || pair.double_lock || pair.second_share || is_apart;
            if !known && (relations.is_opaque(methods.0) || relations.is_opaque(methods.1)) {
                add(Mode::Opaque, 0);
            }
        }
        targets
    }

    /// The next target of those that were tried less often than this, the kinds in turn. None if there is none.
    pub fn next(&mut self, below: u32, with_opaque: bool) -> Option<usize> {
        if self.turn.is_multiple_of(KINDS.len()) {
            self.by_chance = !self.by_chance;
        }
        self.hopeless_turn = (self.hopeless_turn + 1) % HOPELESS_TURNS;
        let all = self.hopeless_turn == 0;
        if !all && let Some(found) = self.in_turn(below, with_opaque, &|target| !target.is_hopeless) {
            return Some(found);
        }
        self.in_turn(below, with_opaque, &|_| true)
    }

    fn in_turn(&mut self, below: u32, with_opaque: bool, counts: &dyn Fn(&Target) -> bool) -> Option<usize> {
        let is_open = |target: &Target| counts(target) && !target.exhausted && target.tried < below;
        for _ in 0..KINDS.len() {
            let kind = KINDS[self.turn % KINDS.len()];
            self.turn += 1;
            if let Some(found) = self.lowest(&|target| kind(&target.mode) && is_open(target)) {
                return Some(found);
            }
        }
        if with_opaque { self.lowest(&|target| target.mode == Mode::Opaque && is_open(target)) } else { None }
    }

    fn lowest(&self, counts: &dyn Fn(&Target) -> bool) -> Option<usize> {
        let open = self.all.iter().enumerate().filter(|(_, target)| counts(target));
        let rank = |target: &Target| if self.by_chance { 0 } else { u32::MAX - target.score };
        open.min_by_key(|(_, target)| (target.priority(), rank(target), target.chance)).map(|(number, _)| number)
    }

    /// A method hardly ever runs, even alone, or does after all: which of them do, the slice says by their numbers.
    pub fn note_hopeless(&mut self, method: usize, hopeless: &[bool]) {
        for target in self.all.iter_mut().filter(|it| it.methods.0 == method || it.methods.1 == method) {
            target.is_hopeless = hopeless[target.methods.0] || hopeless[target.methods.1];
        }
    }
}

/// The accesses of static state by each method.
struct Statics<'f>(Vec<Vec<&'f AccessFact>>);

impl<'f> Statics<'f> {
    fn of(facts: &'f ClassFacts) -> Statics<'f> {
        let is_static = |access: &&AccessFact| {
            let location = &facts.locations[access.location];
            location.owner == Owner::Static && !location.is_final
        };
        Statics(facts.methods.iter().map(|method| method.accesses.iter().filter(is_static).collect()).collect())
    }

    /// Whether two methods conflict there though they are called on two subjects, each of which has locks of its own.
    fn conflict(&self, facts: &ClassFacts, (one, other): (usize, usize)) -> bool {
        let is_common = |lock: usize, b: &AccessFact| {
            facts.locks[lock].owner == Owner::Static && b.held.iter().any(|held| held.lock == lock)
        };
        let conflicts = |a: &AccessFact, b: &AccessFact| {
            let same = a.location == b.location || facts.locations[a.location].overlaps.contains(&b.location);
            let matters = a.kind.writes() && b.kind.reads() || a.kind.reads() && b.kind.writes();
            same && matters && !a.held.iter().any(|held| is_common(held.lock, b))
        };
        self.0[one].iter().any(|a| self.0[other].iter().any(|b| conflicts(a, b)))
    }
}

impl Target {
    fn priority(&self) -> u64 {
        u64::from(self.tried.abs_diff(self.covered).max(1)) * u64::from(self.tried.max(1))
    }
}

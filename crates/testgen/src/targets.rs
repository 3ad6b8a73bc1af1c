//! Which pair of methods is next: what DepCon+ keeps of all pairs, in the order of CovCon.
//!
//! Pairs that conflict in parallel (M_pc) are tried on one subject, pairs that lock in opposite order (M_d) on two, and pairs that
//! conflict only if a second object is shared, which neither paper has, on two that share it. Pairs of M_pc that conflict in
//! static state are tried on two subjects that share nothing else, too: one subject may have to be in two states at once for
//! both calls to get there. Of each kind the one is next whose
//! number of tries is lowest and best explains what was covered: max(1, |tried - covered|) x max(1, tried), as CovCon has it;
//! among equals, the one that shares the most without protection.
//!
//! **What is left out.** Two subjects that were given the same object and keep it (Intruder's setters). Whether they may share it is
//! for that object to say, and the class under test is seldom to blame: two wrappers of one map are a mistake of the test.
//!
//! **Deviation:** CovCon begins with all pairs in random order. The static score is a better guess, and chance decides only
//! between pairs with the same.

use std::collections::BTreeSet;

use analysis::{AccessFact, ClassFacts, MethodFacts, Owner, Through};

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
    /// In how many of them calls have overlapped.
    pub covered: u32,
    /// How many tests in a row were of no use.
    pub misses: u32,
    /// No new tests come to mind.
    pub exhausted: bool,
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
}

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
                let (tried, covered, misses, exhausted) = (0, 0, 0, false);
                targets.all.push(Target { methods, mode, score, tried, covered, misses, exhausted, chance });
            };
            if pair.double_lock {
                add(Mode::Deadlock, pair.score);
            }
            if pair.is_pc() {
                add(Mode::Conflict, pair.score);
                if statics.conflict(facts, methods) {
                    add(Mode::Apart, pair.score);
                }
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
            let known = pair.is_pc() || pair.double_lock || pair.second_share;
            if !known && (relations.is_opaque(methods.0) || relations.is_opaque(methods.1)) {
                add(Mode::Opaque, 0);
            }
        }
        targets
    }

    /// The next target of those that were tried less often than this, the kinds in turn. None if there is none.
    pub fn next(&mut self, below: u32, with_opaque: bool) -> Option<usize> {
        for _ in 0..KINDS.len() {
            let kind = KINDS[self.turn % KINDS.len()];
            self.turn += 1;
            if let Some(found) = self.lowest(&kind, below) {
                return Some(found);
            }
        }
        if with_opaque { self.lowest(&|mode| *mode == Mode::Opaque, below) } else { None }
    }

    fn lowest(&self, kind: &dyn Fn(&Mode) -> bool, below: u32) -> Option<usize> {
        let open = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, target)| kind(&target.mode) && !target.exhausted && target.tried < below);
        open.min_by_key(|(_, target)| (target.priority(), u32::MAX - target.score, target.chance)).map(|(n, _)| n)
    }
}

/// The static locations that each method touches.
struct Statics(Vec<BTreeSet<usize>>);

impl Statics {
    fn of(facts: &ClassFacts) -> Statics {
        let is_static = |access: &&AccessFact| facts.locations[access.location].owner == Owner::Static;
        let touched =
            |method: &MethodFacts| method.accesses.iter().filter(is_static).map(|access| access.location).collect();
        Statics(facts.methods.iter().map(touched).collect())
    }

    /// Whether two methods conflict there, and no lock keeps them apart.
    fn conflict(&self, facts: &ClassFacts, (one, other): (usize, usize)) -> bool {
        // Most pairs have nothing static in common, which is quickly seen.
        if self.0[one].is_empty() || self.0[other].is_empty() {
            return false;
        }
        let conflicts = facts.conflicts(one, other);
        conflicts.iter().any(|conflict| conflict.common.is_none() && self.0[one].contains(&conflict.first.location))
    }
}

impl Target {
    fn priority(&self) -> u64 {
        u64::from(self.tried.abs_diff(self.covered).max(1)) * u64::from(self.tried.max(1))
    }
}

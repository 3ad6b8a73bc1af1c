//! Which targets still have conflicts that no test has run.
//!
//! A class with a hundred methods has thousands of pairs that conflict, and most of them conflict in the same few
//! places: every setter of a chart notifies the same list of listeners. A fault is in places, not in pairs. So a target
//! is worth more if its two methods meet at places of which no other target's tests have had both.
//!
//! What is known of a conflict is the two places in the code, as the analysis has them. It counts as run once a test of
//! one target has reached both.

use std::collections::{HashMap, HashSet};

use crate::mix::ByMix;

/// A conflict: the places of the two accesses, the smaller one first.
pub type Places = (u64, u64);

/// The conflicts of all targets.
#[derive(Debug, Default)]
pub struct Novelty {
    /// Of each target, its conflicts.
    of: Vec<Vec<usize>>,
    /// Of each target, the number of its conflicts that no test has run.
    open: Vec<u32>,
    conflicts: Vec<Conflict>,
    numbers: HashMap<Places, usize, ByMix>,
}

#[derive(Debug)]
struct Conflict {
    places: Places,
    /// The targets that have it.
    targets: Vec<usize>,
    was_run: bool,
}

impl Novelty {
    /// Adds a target with its conflicts, and says by which number it goes here.
    pub fn push(&mut self, places: impl Iterator<Item = Places>) -> usize {
        let target = self.of.len();
        let mut own = HashSet::new();
        for places in places {
            let number = *self.numbers.entry(places).or_insert_with(|| {
                self.conflicts.push(Conflict { places, targets: Vec::new(), was_run: false });
                self.conflicts.len() - 1
            });
            if own.insert(number) {
                self.conflicts[number].targets.push(target);
            }
        }
        let mut own: Vec<usize> = own.into_iter().collect();
        own.sort_unstable();
        self.open.push(own.iter().filter(|&&number| !self.conflicts[number].was_run).count() as u32);
        self.of.push(own);
        target
    }

    /// The number of conflicts of a target that no test has run.
    pub fn open(&self, target: usize) -> u32 {
        self.open[target]
    }

    /// Tests of a target have run, and have reached these places.
    pub fn ran(&mut self, target: usize, is_reached: impl Fn(u64) -> bool) {
        for &number in &self.of[target] {
            let Conflict { places: (one, other), targets, was_run } = &mut self.conflicts[number];
            if !*was_run && is_reached(*one) && is_reached(*other) {
                *was_run = true;
                targets.iter().for_each(|&target| self.open[target] -= 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_that_another_target_has_run_is_not_new() {
        let mut novelty = Novelty::default();
        novelty.push([(1, 2), (1, 3), (1, 2)].into_iter());
        novelty.push([(1, 2)].into_iter());
        novelty.push([(1, 3), (4, 5)].into_iter());
        assert_eq!([0, 1, 2].map(|target| novelty.open(target)), [2, 1, 2]);
        novelty.ran(0, |place| place != 3);
        assert_eq!([0, 1, 2].map(|target| novelty.open(target)), [1, 0, 2]);
        novelty.ran(0, |_| true);
        assert_eq!([0, 1, 2].map(|target| novelty.open(target)), [0, 0, 1]);
    }
}

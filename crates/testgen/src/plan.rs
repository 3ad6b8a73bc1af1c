//! The order of a campaign: which kind of test comes when.

use crate::compose::Shape;
use crate::generator::Strategy;
use crate::targets::{HOPELESS_TURNS, Targets};

/// A test that is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// For which target; None for a random test.
    pub target: Option<usize>,
    pub shape: Shape,
}

/// What comes when.
#[derive(Debug)]
pub struct Plan {
    strategy: Strategy,
    phase: Phase,
    /// Targets have been tried so often at the end of this round.
    round: u32,
    /// How many more tests this phase has.
    left: usize,
    /// Which target has a longer test next.
    next: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Pairs,
    Longer { calls: usize },
    Threads,
    Random,
}

/// Tests of two calls a suffix, three, and so on: so many for each target, and so many at the most.
const TESTS_A_TARGET: usize = 20;
const MOST_A_PHASE: usize = 200;
/// A target has two tests each time that it is chosen, and is tried so often before anything else is.
const FIRST_ROUND: u32 = 4;
const RANDOM_TESTS: usize = 100;
/// One call a thread, two threads.
const PLAIN: Shape = Shape { grown: false, calls: 1, threads: 2 };

impl Plan {
    pub fn new(strategy: Strategy) -> Plan {
        let phase = if strategy == Strategy::Random { Phase::Random } else { Phase::Pairs };
        Plan { strategy, phase, round: FIRST_ROUND, left: RANDOM_TESTS, next: 0 }
    }

    /// What comes next; None if there is nothing to try.
    pub fn next(&mut self, targets: &mut Targets) -> Option<Vec<Step>> {
        if self.strategy == Strategy::Random {
            return Some(vec![Step { target: None, shape: PLAIN }]);
        }
        // Each phase may have nothing to do; a whole round without anything means that there is nothing.
        for _ in 0..2 * ROUND {
            let found = match self.phase {
                Phase::Pairs => self.pair(targets),
                Phase::Longer { calls } => self.variant(targets, Shape { grown: true, calls, threads: 2 }),
                Phase::Threads => self.variant(targets, Shape { grown: true, calls: 1, threads: 3 }),
                Phase::Random => self.random(),
            };
            if found.is_some() {
                return found;
            }
            self.turn((TESTS_A_TARGET * targets.all.len()).min(MOST_A_PHASE));
        }
        None
    }

    fn pair(&mut self, targets: &mut Targets) -> Option<Vec<Step>> {
        let target = Some(targets.next(self.round, true)?);
        Some(vec![Step { target, shape: PLAIN }, Step { target, shape: Shape { grown: true, ..PLAIN } }])
    }

    fn variant(&mut self, targets: &Targets, shape: Shape) -> Option<Vec<Step>> {
        let count = targets.all.len();
        self.left = self.left.checked_sub(1)?;
        // Each phase goes on where the one before has ended, so all have their turn; of those without hope one in so many.
        let mut target = self.next.checked_rem(count)?;
        for _ in 0..count {
            let waits = targets.all[target].is_hopeless && !self.left.is_multiple_of(HOPELESS_TURNS);
            if !waits {
                break;
            }
            target = (target + 1) % count;
        }
        self.next = target + 1;
        Some(vec![Step { target: Some(target), shape }])
    }

    fn random(&mut self) -> Option<Vec<Step>> {
        self.left = self.left.checked_sub(1)?;
        Some(vec![Step { target: None, shape: PLAIN }])
    }

    /// Each time all kinds of tests have had their turn, this is another.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The next phase, with so many tests unless they are random.
    fn turn(&mut self, tests: usize) {
        (self.phase, self.left) = match self.phase {
            Phase::Pairs if self.strategy == Strategy::Pairs => {
                self.round += 2;
                (Phase::Pairs, 0)
            }
            Phase::Pairs => (Phase::Longer { calls: 2 }, tests),
            Phase::Longer { calls: 2 } => (Phase::Longer { calls: 3 }, tests),
            Phase::Longer { .. } => (Phase::Threads, tests),
            Phase::Threads => (Phase::Random, RANDOM_TESTS),
            Phase::Random => {
                self.round += 2;
                (Phase::Pairs, 0)
            }
        };
    }
}

/// So many phases there are.
const ROUND: usize = 5;

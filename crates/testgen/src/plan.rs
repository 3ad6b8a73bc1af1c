//! The order of a campaign: which kind of test comes when.

use crate::compose::Shape;
use crate::generator::Strategy;
use crate::scouts::{self, Scouts};
use crate::targets::{HOPELESS_TURNS, Target, Targets};

/// A test that is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// For which target; None for a random test.
    pub target: Option<usize>,
    pub shape: Shape,
    pub aim: Aim,
}

/// What a test is to be good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// To run calls beside each other.
    Meet,
    /// To see where a long row of calls of this method and others gets, in one thread.
    Scout(usize),
    /// To reach a goal of its target, as a scout did.
    Reach(usize),
    /// To make the call of a milestone, or the one so many calls before it, beside another call.
    Near { milestone: usize, before: usize },
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
    /// How many scouts there were, and how many times a pair was next.
    scouted: usize,
    in_pairs: usize,
    /// What tests with one call for each of two threads have cost, and all others of targets and by chance.
    short: u64,
    long: u64,
    /// Which target has a short test between longer ones next, and how many there were since a longer one.
    between: usize,
    in_a_row: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Pairs,
    Scouts,
    Reach {
        turn: usize,
    },
    Near,
    /// All kinds of longer tests in turn.
    Longer {
        turn: usize,
    },
    Random,
}

/// A kind of longer tests.
#[derive(Clone, Copy)]
enum Longer {
    /// Two threads with this number of calls each.
    Calls(usize),
    /// Three threads with one call each.
    Threads,
    Random,
}

/// The kinds in turn. A budget may be over after a few dozen longer tests, so no kind waits until another is through.
const LONGER: [Longer; 7] = [
    Longer::Calls(2),
    Longer::Threads,
    Longer::Calls(3),
    Longer::Calls(2),
    Longer::Threads,
    Longer::Calls(3),
    Longer::Random,
];
/// How many longer tests a round has for each target, and at the most.
const TESTS_A_TARGET: usize = 70;
const MOST_LONGER: usize = 700;
/// A target has two tests each time that it is chosen, and is tried so often before anything else is.
pub const FIRST_ROUND: u32 = 4;
/// Each further round tries a target this often.
pub const ROUND_STEP: u32 = 2;
const RANDOM_TESTS: usize = 100;
/// So many scouts run in a round, if there is something to be reached, and so many tests then try to get to each place.
const SCOUTS: usize = 24;
const TRIES: usize = 4;
/// One of so many turns of pairs is a scout's.
const PAIRS_A_SCOUT: usize = 32;
/// So many tests near milestones there are in a round, and so many for each of them.
const NEARS: usize = 60;
const NEAR: u32 = scouts::TRIES;
/// Longer tests may cost so many times what short ones do, and so many events more.
const PACE: u64 = 2;
const LEAD: u64 = 300_000;
/// A longer one comes after so many short ones, whatever they cost: those that cannot run cost nothing.
const IN_A_ROW: usize = 64;
/// One call a thread, two threads.
const PLAIN: Shape = Shape { grown: false, calls: 1, threads: 2 };

impl Plan {
    pub fn new(strategy: Strategy) -> Plan {
        let phase = if strategy == Strategy::Random { Phase::Random } else { Phase::Pairs };
        Plan {
            strategy,
            phase,
            round: FIRST_ROUND,
            left: RANDOM_TESTS,
            next: 0,
            scouted: 0,
            in_pairs: 0,
            short: 0,
            long: 0,
            between: 0,
            in_a_row: 0,
        }
    }

    /// What comes next; None if there is nothing to try.
    pub fn next(&mut self, targets: &mut Targets, scouts: &Scouts) -> Option<Vec<Step>> {
        if self.strategy == Strategy::Random {
            return Some(vec![Step { target: None, shape: PLAIN, aim: Aim::Meet }]);
        }
        let is_longer = matches!(self.phase, Phase::Longer { .. });
        if is_longer
            && self.long > PACE * self.short + LEAD
            && self.in_a_row < IN_A_ROW
            && let Some(step) = self.short_between(targets)
        {
            self.in_a_row += 1;
            return Some(vec![step]);
        }
        self.in_a_row = 0;
        // Each phase may have nothing to do; a whole round without anything means that there is nothing.
        for _ in 0..2 * ROUND {
            let found = match self.phase {
                Phase::Pairs => self.pair(targets),
                Phase::Scouts => self.scout(targets),
                Phase::Reach { turn } => self.reach(targets, scouts, turn),
                Phase::Near => self.near(targets, scouts),
                Phase::Longer { turn } => self.longer(targets, turn),
                Phase::Random => self.random(),
            };
            if found.is_some() {
                return found;
            }
            self.turn((TESTS_A_TARGET * targets.all.len()).min(MOST_LONGER));
        }
        None
    }

    fn pair(&mut self, targets: &mut Targets) -> Option<Vec<Step>> {
        // A class may have so many pairs that nothing else has a turn.
        self.in_pairs += 1;
        if self.in_pairs.is_multiple_of(PAIRS_A_SCOUT)
            && let Some(scout) = self.next_scout(targets)
        {
            return Some(scout);
        }
        let target = Some(targets.next(self.round, true)?);
        let step = |shape| Step { target, shape, aim: Aim::Meet };
        Some(vec![step(PLAIN), step(Shape { grown: true, ..PLAIN })])
    }

    /// The methods with unreached goals and all others in turn. Each round goes on with the next.
    fn scout(&mut self, targets: &Targets) -> Option<Vec<Step>> {
        self.left = self.left.checked_sub(1)?;
        self.next_scout(targets)
    }

    fn next_scout(&mut self, targets: &Targets) -> Option<Vec<Step>> {
        let methods = |of: &mut dyn Iterator<Item = (usize, usize)>| -> Vec<usize> {
            let mut sought: Vec<usize> = of.flat_map(|(one, other)| [one, other]).collect();
            sought.sort_unstable();
            sought.dedup();
            sought
        };
        let unreached = |target: &'_ Target| -> Vec<(usize, usize)> {
            target.unreached().map(|goal| target.goals[goal].methods).collect()
        };
        let sought = methods(&mut targets.all.iter().flat_map(unreached));
        let all = methods(&mut targets.all.iter().map(|target| target.methods));
        self.scouted += 1;
        let of = if self.scouted.is_multiple_of(2) || sought.is_empty() { all } else { sought };
        let method = *of.get((self.scouted / 2).checked_rem(of.len())?)?;
        Some(vec![Step { target: None, shape: PLAIN, aim: Aim::Scout(method) }])
    }

    /// Tests for goals to which there is a way.
    fn reach(&mut self, targets: &Targets, scouts: &Scouts, turn: usize) -> Option<Vec<Step>> {
        let of_target = |(number, target): (usize, &Target)| -> Vec<Step> {
            let is_known = |goal: &usize| {
                let (one, other) = target.goals[*goal].places;
                scouts.knows(one) && (other == 0 || scouts.knows(other))
            };
            let step = |goal| Step { target: Some(number), shape: PLAIN, aim: Aim::Reach(goal) };
            target.unreached().filter(is_known).map(step).collect()
        };
        let steps: Vec<Step> = targets.all.iter().enumerate().flat_map(of_target).collect();
        (turn < TRIES && !steps.is_empty()).then(|| {
            self.phase = Phase::Reach { turn: turn + 1 };
            steps
        })
    }

    /// A test for the milestone with the fewest.
    fn near(&mut self, targets: &Targets, scouts: &Scouts) -> Option<Vec<Step>> {
        self.left = self.left.checked_sub(1)?;
        let all = scouts.milestones();
        let rounds = 1 + (self.round - FIRST_ROUND) / ROUND_STEP;
        let open = all.iter().enumerate().filter(|(_, milestone)| milestone.tried < NEAR * rounds);
        let (number, milestone) = open.min_by_key(|(_, milestone)| milestone.tried)?;
        let has_it = |target: &Target| [target.methods.0, target.methods.1].contains(&milestone.method);
        let mut fitting: Vec<usize> =
            (0..targets.all.len()).filter(|&it| has_it(&targets.all[it]) && targets.all[it].is_on_one()).collect();
        // What two threads do that both call the method comes first.
        fitting.sort_by_key(|&it| targets.all[it].methods.0 != targets.all[it].methods.1);
        let turn = milestone.tried as usize / 2;
        let target = turn.checked_rem(fitting.len()).map(|turn| fitting[turn]);
        // In turn one call before, where the call still goes its usual way, and there.
        let before = 1 - milestone.tried as usize % 2;
        Some(vec![Step { target, shape: PLAIN, aim: Aim::Near { milestone: number, before } }])
    }

    fn longer(&mut self, targets: &Targets, turn: usize) -> Option<Vec<Step>> {
        self.left = self.left.checked_sub(1)?;
        self.phase = Phase::Longer { turn: turn + 1 };
        let count = targets.all.len();
        // A target gets another kind each time around, however many there are.
        let kind = turn + turn.checked_div(count)?;
        match LONGER[kind % LONGER.len()] {
            Longer::Calls(calls) => self.variant(targets, Shape { grown: true, calls, threads: 2 }),
            Longer::Threads => self.variant(targets, Shape { grown: true, calls: 1, threads: 3 }),
            Longer::Random => Some(vec![Step { target: None, shape: PLAIN, aim: Aim::Meet }]),
        }
    }

    fn variant(&mut self, targets: &Targets, shape: Shape) -> Option<Vec<Step>> {
        let count = targets.all.len();
        // Each phase goes on where the one before has ended, so all have their turn; of those without hope one in so many.
        let mut target = self.next.checked_rem(count)?;
        for _ in 0..count {
            let waits = targets.all[target].seldom_runs() && !self.left.is_multiple_of(HOPELESS_TURNS);
            if !waits {
                break;
            }
            target = (target + 1) % count;
        }
        self.next = target + 1;
        Some(vec![Step { target: Some(target), shape, aim: Aim::Meet }])
    }

    fn random(&mut self) -> Option<Vec<Step>> {
        self.left = self.left.checked_sub(1)?;
        Some(vec![Step { target: None, shape: PLAIN, aim: Aim::Meet }])
    }

    /// Longer tests have so many schedules that one of them costs what dozens of short ones do, and most faults show in a short one,
    /// once its arguments and what was done before are right. So short ones keep pace.
    fn short_between(&mut self, targets: &Targets) -> Option<Step> {
        let count = targets.all.len();
        let is_open = |target: &Target| !target.exhausted && !target.seldom_runs();
        let turn = (0..count).map(|turn| self.between + turn).find(|turn| is_open(&targets.all[turn % count]))?;
        self.between = turn + 1;
        // A plain one every fourth time around.
        let grown = !(turn / count).is_multiple_of(4);
        Some(Step { target: Some(turn % count), shape: Shape { grown, ..PLAIN }, aim: Aim::Meet })
    }

    /// A test of this step has cost so many events.
    pub fn note_cost(&mut self, step: &Step, cost: u64) {
        match step.aim {
            Aim::Meet if step.target.is_some() && step.shape.calls == 1 && step.shape.threads == 2 => {
                self.short += cost
            }
            Aim::Meet => self.long += cost,
            Aim::Scout(_) | Aim::Reach(_) | Aim::Near { .. } => (),
        }
    }

    /// Each time all kinds of tests have had their turn, this is another.
    pub fn round(&self) -> u32 {
        self.round
    }

    /// The next phase, with so many tests unless they are random.
    fn turn(&mut self, tests: usize) {
        (self.phase, self.left) = match self.phase {
            Phase::Pairs => (Phase::Scouts, SCOUTS),
            Phase::Scouts => (Phase::Reach { turn: 0 }, 0),
            Phase::Reach { .. } => (Phase::Near, NEARS),
            Phase::Near if self.strategy == Strategy::Pairs => {
                self.round += ROUND_STEP;
                (Phase::Pairs, 0)
            }
            Phase::Near => (Phase::Longer { turn: 0 }, tests),
            // Without targets there are random tests all the same.
            Phase::Longer { turn: 0 } => (Phase::Random, RANDOM_TESTS),
            Phase::Longer { .. } | Phase::Random => {
                self.round += ROUND_STEP;
                (Phase::Pairs, 0)
            }
        };
    }
}

/// So many phases there are.
const ROUND: usize = 6;

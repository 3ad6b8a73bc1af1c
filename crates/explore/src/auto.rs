//! What pays on most tests: reduction from the first execution on, and samples beside it.
//!
//! Complete reduction runs every trace once. If it comes to its end there is a certificate, and nothing is left to run.
//! But it goes deep first: of a large test it may see, for long, only other ends of one beginning. So samples run beside
//! it, in turn: the selectively uniform random walk, partial order sampling, the sweep, and schedules with few
//! preemptions. How many depends on how much reduction has before it:
//!
//! - Each reversal that waits leads to a trace, so reduction needs at least as many executions as it has had and as wait.
//!   One sample for ten of these may run, as early as it may, though never two in a row.
//! - Where there are likely to be many more, as many samples run as that allows: [`size`] guesses by the first execution,
//!   and later the share that reduction has explored tells.
//!
//! So a test that is certified after 13 executions has one sample, and in a long one every second execution is a sample.
//! The very first execution is a random walk, which reduction then goes on from.
//!
//! Past the budget there are only samples, for ever.

use crate::bounded::Bounded;
use crate::certificate::Certificate;
use crate::dpor::{Dpor, DporCounts, DporSettings};
use crate::execution::{End, Execution, Learnt};
use crate::explorer::Explorer;
use crate::pos::Pos;
use crate::races::{Race, races};
use crate::size;
use crate::surw::Surw;
use crate::sweep::Sweep;
use schedule::Scheduler;

/// How to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AutoSettings {
    /// The number of executions that complete reduction may have.
    pub reduction_budget: u64,
    /// Whether samples run beside reduction, and its first execution is one. If not, nothing is left to chance.
    pub samples: bool,
    /// The most preemptions of schedules that are run because they have few.
    pub max_preemptions: usize,
    /// How reduction is done.
    pub dpor: DporSettings,
    /// For the samples.
    pub seed: u64,
    /// Whether to look for data races. If not, a certificate does not say that there are none, and whoever runs the
    /// executions may look for itself.
    pub detect_races: bool,
}

impl Default for AutoSettings {
    fn default() -> Self {
        AutoSettings {
            reduction_budget: 100_000,
            samples: true,
            max_preemptions: 2,
            dpor: DporSettings::default(),
            seed: 1,
            detect_races: true,
        }
    }
}

/// The most schedules that wait for their turn: they are kept in memory.
const MOST_WAITING: usize = 200_000;

/// Whoever runs a test for the first time may do more than later, such as initialise what is used on some paths only. So
/// one surprise says little.
const CHANCES: u32 = 5;

/// One sample for so many executions that reduction needs at least.
const ONE_IN: u64 = 10;

/// Until so many executions of reduction, what the first execution shows counts beside their estimate of all traces.
const ESTIMATED_AFTER: u64 = 16;
/// Factor by which the estimate may be too high until then, and later. It grows as states get branches, so early it is mostly
/// too low.
const EARLY_ERROR: f64 = 2.0;
const ERROR: f64 = 4.0;

/// What is run now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Complete reduction, with samples beside it.
    Reduction,
    /// Samples only.
    Sampling,
    /// Everything was run.
    Complete,
}

/// Who has the execution under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Reduction,
    Surw,
    Pos,
    Sweep,
    Bounded,
}

/// Samples are taken in this order, again and again.
const SAMPLES: [Turn; 4] = [Turn::Surw, Turn::Sweep, Turn::Pos, Turn::Bounded];

/// Explores by reduction and samples.
#[derive(Debug)]
pub struct Auto {
    settings: AutoSettings,
    phase: Phase,
    turn: Turn,
    dpor: Dpor,
    surw: Surw,
    pos: Pos,
    /// Known once an execution has run.
    sweep: Option<Sweep>,
    /// Schedules with few preemptions, as long as they are run.
    bounded: Option<Bounded>,
    covered: Option<usize>,
    executions: u64,
    sampled: u64,
    /// The logarithm of the number of traces, as the first execution has it.
    guess: f64,
    /// Which of [`SAMPLES`] comes next.
    next_sample: usize,
    /// How often reduction may still be begun anew, after something unexpected.
    chances: u32,
    /// Races of executions that reduction has run, the first few.
    races: Vec<Race>,
}

impl Auto {
    /// An exploration from the start.
    pub fn new(settings: AutoSettings) -> Auto {
        Auto {
            settings,
            phase: Phase::Reduction,
            turn: Turn::Reduction,
            dpor: reduction(&settings),
            surw: Surw::new(settings.seed),
            pos: Pos::new(settings.seed),
            sweep: None,
            bounded: Some(Bounded::new(settings.max_preemptions)),
            covered: None,
            executions: 0,
            sampled: 0,
            guess: 0.0,
            next_sample: 0,
            chances: CHANCES,
            races: Vec::new(),
        }
    }

    /// What is run now.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether the last execution was a sample, and not one of reduction.
    pub fn is_sampling(&self) -> bool {
        self.turn != Turn::Reduction
    }

    /// How many executions ran.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// What complete reduction has done so far.
    pub fn counts(&self) -> DporCounts {
        self.dpor.counts()
    }

    /// About which part of the traces was run, from 0 to 1; None if that cannot be said.
    pub fn explored_part(&self) -> Option<f64> {
        match self.phase {
            Phase::Reduction | Phase::Complete => self.dpor.explored_part(),
            Phase::Sampling => None,
        }
    }

    /// The certificate, once everything was run.
    pub fn certificate(&self) -> Option<Certificate> {
        let bound = self.settings.dpor.max_events_a_thread;
        (self.phase == Phase::Complete).then(|| {
            let race_free = self.settings.detect_races && self.races.is_empty();
            Certificate::of(&self.dpor.counts(), bound, race_free)
        })
    }

    /// Every schedule with at most so many preemptions was run, if any number is known.
    pub fn covered(&self) -> Option<usize> {
        self.covered
    }

    /// How many executions reduction has had.
    fn reduced(&self) -> u64 {
        let counts = self.dpor.counts();
        counts.traces + counts.redundant + counts.unexpected
    }

    /// Whether reduction was given up because what it has to keep takes too much memory.
    pub fn is_exhausted(&self) -> bool {
        self.dpor.is_exhausted()
    }

    fn reduction_is_over(&self) -> bool {
        let counts = self.dpor.counts();
        self.dpor.is_exhausted()
            || self.reduced() >= self.settings.reduction_budget
            || counts.unexpected > 0
            || counts.cut > 0
    }

    /// Whether a sample may run beside reduction now. Never two in a row.
    fn is_due(&self) -> bool {
        if !self.settings.samples || self.turn != Turn::Reduction || self.sweep.is_none() {
            return false;
        }
        let reduced = self.reduced();
        let least = reduced + self.dpor.waiting() as u64;
        self.sampled < least / ONE_IN || self.sampled < reduced && self.sampled < self.likely(reduced) / ONE_IN
    }

    /// How many traces there are likely to be. The first execution shows nothing where threads wait for each other, so the
    /// estimate counts from the start if it is higher.
    fn likely(&self, reduced: u64) -> u64 {
        let part = self.dpor.explored_part().unwrap_or(0.0);
        let traces = match reduced < ESTIMATED_AFTER {
            true if part > 0.0 => self.guess.exp().max(reduced as f64 / part / EARLY_ERROR),
            true => self.guess.exp(),
            false if part > 0.0 => reduced as f64 / part / ERROR,
            false => f64::INFINITY,
        };
        traces as u64
    }

    /// The next sample, and whose it is. Some kinds come to an end, and the random ones never do.
    fn sample(&mut self) -> (Turn, Box<dyn Scheduler + Send>) {
        loop {
            let turn = SAMPLES[self.next_sample];
            self.next_sample = (self.next_sample + 1) % SAMPLES.len();
            let next = match turn {
                Turn::Surw => self.surw.next(),
                Turn::Pos => self.pos.next(),
                Turn::Sweep => self.sweep.as_mut().and_then(Sweep::next),
                Turn::Bounded => self.bounded.as_mut().and_then(Bounded::next),
                Turn::Reduction => None,
            };
            if let Some(next) = next {
                return (turn, next);
            }
        }
    }

    fn finish_bounded(&mut self, execution: &Execution<'_>) -> Learnt {
        let Some(bounded) = &mut self.bounded else { return Learnt::Redundant };
        let learnt = bounded.finish(execution);
        // Schedules do not say when time passed, so some cannot be followed. Then no number of preemptions is covered any more.
        match bounded.completed() {
            _ if learnt == Learnt::Unexpected => (self.bounded, self.covered) = (None, None),
            completed => {
                self.covered = completed;
                self.bounded.take_if(|bounded| bounded.waiting() > MOST_WAITING);
            }
        }
        if learnt == Learnt::Unexpected { Learnt::Redundant } else { learnt }
    }

    fn finish_reduction(&mut self, execution: &Execution<'_>) -> Learnt {
        let learnt = self.dpor.finish(execution);
        if learnt == Learnt::Unexpected && self.chances > 0 {
            self.chances -= 1;
            self.dpor = reduction(&self.settings);
            self.races.clear();
        }
        let counts = matches!(learnt, Learnt::Counts | Learnt::Bounded);
        if counts && self.settings.detect_races && self.races.is_empty() {
            self.races = races(execution);
        }
        learnt
    }
}

/// Reduction from the start.
fn reduction(settings: &AutoSettings) -> Dpor {
    match settings.samples {
        true => Dpor::from_random_walk(settings.dpor, settings.seed),
        false => Dpor::new(settings.dpor),
    }
}

impl Explorer for Auto {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        if self.phase == Phase::Reduction && self.dpor.is_complete() {
            self.phase = Phase::Complete;
        }
        if self.phase == Phase::Reduction && self.reduction_is_over() {
            self.phase = Phase::Sampling;
        }
        let reduces = self.phase == Phase::Reduction && !self.is_due();
        let (turn, next) = match self.phase {
            Phase::Complete => return None,
            Phase::Reduction if reduces => match self.dpor.next() {
                Some(next) => (Turn::Reduction, next),
                // It has come to an end, and it is not complete.
                None => self.sample(),
            },
            Phase::Reduction | Phase::Sampling => self.sample(),
        };
        self.turn = turn;
        Some(next)
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        self.executions += 1;
        self.sampled += u64::from(self.turn != Turn::Reduction);
        // One that was stopped half-way says too little of the test.
        if self.sweep.is_none() && execution.end != End::Stopped {
            self.sweep = Some(Sweep::of(execution));
            // The walk then knows where threads meet, and its first one is not blind.
            self.surw.finish(execution);
            self.guess = size::traces(execution);
        }
        match self.turn {
            Turn::Reduction => self.finish_reduction(execution),
            Turn::Surw => self.surw.finish(execution),
            Turn::Pos => self.pos.finish(execution),
            Turn::Sweep => self.sweep.as_mut().map_or(Learnt::Redundant, |sweep| sweep.finish(execution)),
            Turn::Bounded => self.finish_bounded(execution),
        }
    }
}

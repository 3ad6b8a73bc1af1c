//! One stage after the other, for programs: what is cheap and finds most comes first.
//!
//! Serial orders; the sweep; complete reduction within a budget; past it, partial order sampling and the selectively
//! uniform random walk in turn. If reduction comes to its end there is a certificate, and nothing is left to run. Once
//! reduction has run for a while, every second execution is the next with few preemptions.
//!
//! [`Auto`](crate::Auto) needs far fewer executions and is what tests of a check are explored by. Programs are not yet:
//! what is reported of those that fail once, or whose threads outlive them, rests on serial orders that come first.

use crate::bounded::Bounded;
use crate::certificate::Certificate;
use crate::dpor::{Dpor, DporCounts, DporSettings};
use crate::execution::{Execution, Learnt};
use crate::explorer::Explorer;
use crate::pos::Pos;
use crate::races::{Race, races};
use crate::serial::Serial;
use crate::surw::Surw;
use crate::sweep::Sweep;
use schedule::Scheduler;

/// How to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StagedSettings {
    /// Upper bound on the executions of the sweep.
    pub sweep_budget: u64,
    /// Upper bound on the executions of complete reduction.
    pub reduction_budget: u64,
    /// Past so many executions of reduction, every second is one with few preemptions.
    pub bounded_after: u64,
    /// So few.
    pub max_preemptions: usize,
    /// How reduction is done.
    pub dpor: DporSettings,
    /// For the sampling that comes after.
    pub seed: u64,
    /// Whether to look for data races. If not, a certificate does not say that there are none, and whoever runs the
    /// executions may look for itself.
    pub detect_races: bool,
}

impl Default for StagedSettings {
    fn default() -> Self {
        StagedSettings {
            sweep_budget: 10_000,
            reduction_budget: 100_000,
            bounded_after: 2_000,
            max_preemptions: 2,
            dpor: DporSettings::default(),
            seed: 1,
            detect_races: true,
        }
    }
}

/// No more schedules wait for their turn: they are kept in memory.
const MOST_WAITING: usize = 200_000;

/// Whoever runs a test for the first time may do more than later, such as initialise what is used on some paths only. So
/// one surprise says little.
const CHANCES: u32 = 5;

/// What is run now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stage {
    /// Serial orders.
    Serial,
    /// One thread whole inside another.
    Sweep,
    /// Complete reduction.
    Reduction,
    /// Random executions.
    Sampling,
    /// Everything was run.
    Complete,
}

/// Explores in all ways, one after the other.
#[derive(Debug)]
pub struct Staged {
    settings: StagedSettings,
    phase: Stage,
    serial: Serial,
    sweep: Sweep,
    dpor: Dpor,
    pos: Pos,
    surw: Surw,
    /// Schedules with few preemptions, as long as they are run.
    bounded: Option<Bounded>,
    /// Whether the execution under way is one of those.
    is_bounded: bool,
    /// Whether the next may be.
    may_be_bounded: bool,
    covered: Option<usize>,
    executions: u64,
    swept: u64,
    sampled: u64,
    /// How often reduction may still be begun anew, after something unexpected.
    chances: u32,
    /// Races of executions that reduction has run, the first few.
    races: Vec<Race>,
}

impl Staged {
    /// An exploration from the start.
    pub fn new(settings: StagedSettings) -> Staged {
        Staged {
            settings,
            phase: Stage::Serial,
            serial: Serial::default(),
            sweep: Sweep::default(),
            dpor: Dpor::new(settings.dpor),
            pos: Pos::new(settings.seed),
            surw: Surw::new(settings.seed),
            bounded: Some(Bounded::new(settings.max_preemptions)),
            is_bounded: false,
            may_be_bounded: false,
            covered: None,
            executions: 0,
            swept: 0,
            sampled: 0,
            chances: CHANCES,
            races: Vec::new(),
        }
    }

    /// What is run now.
    pub fn phase(&self) -> Stage {
        self.phase
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
            Stage::Reduction | Stage::Complete => self.dpor.explored_part(),
            Stage::Serial | Stage::Sweep | Stage::Sampling => None,
        }
    }

    /// Whether reduction was given up for want of memory.
    pub fn is_exhausted(&self) -> bool {
        self.dpor.is_exhausted()
    }

    /// The certificate, once everything was run.
    pub fn certificate(&self) -> Option<Certificate> {
        let bound = self.settings.dpor.max_events_a_thread;
        (self.phase == Stage::Complete).then(|| {
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

    fn reduction_is_over(&self) -> bool {
        let counts = self.dpor.counts();
        self.reduced() >= self.settings.reduction_budget || counts.unexpected > 0 || counts.cut > 0
    }

    /// The next with few preemptions, if it is the turn of one.
    fn next_bounded(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        self.may_be_bounded = !self.may_be_bounded;
        let is_late = self.phase == Stage::Sampling || self.reduced() >= self.settings.bounded_after;
        let next = if is_late && self.may_be_bounded { self.bounded.as_mut()?.next() } else { None };
        self.is_bounded = next.is_some();
        next
    }

    fn finish_bounded(&mut self, execution: &Execution<'_>) -> Learnt {
        self.is_bounded = false;
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
}

impl Explorer for Staged {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        loop {
            let goes_on = matches!(self.phase, Stage::Sampling | Stage::Reduction) && !self.dpor.is_complete();
            if goes_on && let Some(next) = self.next_bounded() {
                return Some(next);
            }
            let next = match self.phase {
                Stage::Serial => self.serial.next(),
                Stage::Sweep if self.swept >= self.settings.sweep_budget => None,
                Stage::Sweep => self.sweep.next(),
                Stage::Reduction if self.dpor.is_complete() => None,
                Stage::Reduction if self.reduction_is_over() => None,
                Stage::Reduction => self.dpor.next(),
                Stage::Sampling if self.sampled.is_multiple_of(2) => self.pos.next(),
                Stage::Sampling => self.surw.next(),
                Stage::Complete => return None,
            };
            if next.is_some() {
                return next;
            }
            self.phase = match self.phase {
                Stage::Serial => Stage::Sweep,
                Stage::Sweep => Stage::Reduction,
                _ if self.dpor.is_complete() => Stage::Complete,
                _ => Stage::Sampling,
            };
        }
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        self.executions += 1;
        if self.is_bounded {
            return self.finish_bounded(execution);
        }
        let even = self.sampled.is_multiple_of(2);
        self.sampled += u64::from(self.phase == Stage::Sampling);
        match self.phase {
            Stage::Serial => {
                if self.executions == 1 {
                    self.sweep = Sweep::of(execution);
                }
                self.serial.finish(execution)
            }
            Stage::Sweep => {
                self.swept += 1;
                self.sweep.finish(execution)
            }
            Stage::Reduction => {
                let learnt = self.dpor.finish(execution);
                if learnt == Learnt::Unexpected && self.chances > 0 {
                    self.chances -= 1;
                    self.dpor = Dpor::new(self.settings.dpor);
                    self.races.clear();
                }
                let counts = matches!(learnt, Learnt::Counts | Learnt::Bounded);
                if counts && self.settings.detect_races && self.races.is_empty() {
                    self.races = races(execution);
                }
                learnt
            }
            Stage::Sampling if even => self.pos.finish(execution),
            Stage::Sampling => self.surw.finish(execution),
            Stage::Complete => Learnt::Unexpected,
        }
    }
}

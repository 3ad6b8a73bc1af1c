//! The order that pays on small tests: what is cheap and finds most comes first.
//!
//! Serial orders; the sweep; complete reduction within a budget; past it, partial order sampling and the selectively
//! uniform random walk in turn, for ever. If reduction comes to its end there is a certificate, and nothing is left
//! to run.
//!
//! Reduction goes deep first: of a large test it may never see more than other ends of one beginning. So once it has run for a while,
//! every second execution is the next with few preemptions, and what is known in the end is at least that all of those ran.

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
pub struct AutoSettings {
    /// So many executions are given to the sweep at most.
    pub sweep_budget: u64,
    /// So many executions are given to complete reduction.
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

impl Default for AutoSettings {
    fn default() -> Self {
        AutoSettings {
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
pub enum Phase {
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
pub struct Auto {
    settings: AutoSettings,
    phase: Phase,
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

impl Auto {
    /// An exploration from the start.
    pub fn new(settings: AutoSettings) -> Auto {
        Auto {
            settings,
            phase: Phase::Serial,
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
    pub fn phase(&self) -> Phase {
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
            Phase::Reduction | Phase::Complete => self.dpor.explored_part(),
            Phase::Serial | Phase::Sweep | Phase::Sampling => None,
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

    fn reduction_is_over(&self) -> bool {
        let counts = self.dpor.counts();
        self.reduced() >= self.settings.reduction_budget || counts.unexpected > 0 || counts.cut > 0
    }

    /// The next with few preemptions, if it is the turn of one.
    fn next_bounded(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        self.may_be_bounded = !self.may_be_bounded;
        let is_late = self.phase == Phase::Sampling || self.reduced() >= self.settings.bounded_after;
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

impl Explorer for Auto {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        loop {
            let goes_on = matches!(self.phase, Phase::Sampling | Phase::Reduction) && !self.dpor.is_complete();
            if goes_on && let Some(next) = self.next_bounded() {
                return Some(next);
            }
            let next = match self.phase {
                Phase::Serial => self.serial.next(),
                Phase::Sweep if self.swept >= self.settings.sweep_budget => None,
                Phase::Sweep => self.sweep.next(),
                Phase::Reduction if self.dpor.is_complete() => None,
                Phase::Reduction if self.reduction_is_over() => None,
                Phase::Reduction => self.dpor.next(),
                Phase::Sampling if self.sampled.is_multiple_of(2) => self.pos.next(),
                Phase::Sampling => self.surw.next(),
                Phase::Complete => return None,
            };
            if next.is_some() {
                return next;
            }
            self.phase = match self.phase {
                Phase::Serial => Phase::Sweep,
                Phase::Sweep => Phase::Reduction,
                _ if self.dpor.is_complete() => Phase::Complete,
                _ => Phase::Sampling,
            };
        }
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        self.executions += 1;
        if self.is_bounded {
            return self.finish_bounded(execution);
        }
        let even = self.sampled.is_multiple_of(2);
        self.sampled += u64::from(self.phase == Phase::Sampling);
        match self.phase {
            Phase::Serial => {
                if self.executions == 1 {
                    self.sweep = Sweep::of(execution);
                }
                self.serial.finish(execution)
            }
            Phase::Sweep => {
                self.swept += 1;
                self.sweep.finish(execution)
            }
            Phase::Reduction => {
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
            Phase::Sampling if even => self.pos.finish(execution),
            Phase::Sampling => self.surw.finish(execution),
            Phase::Complete => Learnt::Unexpected,
        }
    }
}

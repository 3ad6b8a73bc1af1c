//! The order that pays on small tests: what is cheap and finds most comes first.
//!
//! Serial orders; the sweep; complete reduction within a budget; past it, partial order sampling and the selectively
//! uniform random walk in turn, for ever. If reduction comes to its end there is a certificate, and nothing is left
//! to run.

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
            dpor: DporSettings::default(),
            seed: 1,
            detect_races: true,
        }
    }
}

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
    executions: u64,
    swept: u64,
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
            executions: 0,
            swept: 0,
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

    fn reduction_is_over(&self) -> bool {
        let counts = self.dpor.counts();
        let used = counts.traces + counts.redundant + counts.unexpected;
        used >= self.settings.reduction_budget || counts.unexpected > 0 || counts.cut > 0
    }
}

impl Explorer for Auto {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        loop {
            let next = match self.phase {
                Phase::Serial => self.serial.next(),
                Phase::Sweep if self.swept >= self.settings.sweep_budget => None,
                Phase::Sweep => self.sweep.next(),
                Phase::Reduction if self.dpor.is_complete() => None,
                Phase::Reduction if self.reduction_is_over() => None,
                Phase::Reduction => self.dpor.next(),
                Phase::Sampling if self.executions.is_multiple_of(2) => self.pos.next(),
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
        let even = self.executions.is_multiple_of(2);
        self.executions += 1;
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

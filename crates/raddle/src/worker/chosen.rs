//! The explorer that a job asks for.

use explore::{Auto, AutoSettings, DporSettings, Explorer, Pct, Pos, Random, Surw, Sweep};

use super::protocol::{self, Certificate};

/// So many changes of priority are looked for by PCT.
const PCT_DEPTH: usize = 3;
/// A thread may have so much of all events that are allowed.
const SHARE: usize = 5;

/// The explorer that was asked for.
pub enum Chosen {
    /// Gives a certificate if it comes to its end.
    Auto(Box<Auto>),
    Other(Box<dyn Explorer>),
}

impl Chosen {
    /// A new one, for executions of so many events at the most.
    pub fn new(plan: &protocol::Explore, max_events: usize) -> Chosen {
        let a_thread = u32::try_from(max_events / SHARE).unwrap_or(u32::MAX).max(1);
        let dpor = DporSettings { max_events_a_thread: Some(a_thread) };
        let seed = plan.seed;
        // Races are looked for in all executions, by whoever knows what they are about.
        let settings = AutoSettings {
            seed,
            dpor,
            detect_races: false,
            reduction_budget: plan.executions.min(AutoSettings::default().reduction_budget),
            ..AutoSettings::default()
        };
        Chosen::Other(match plan.explorer {
            protocol::Explorer::Auto => return Chosen::Auto(Box::new(Auto::new(settings))),
            protocol::Explorer::Dpor => {
                let settings = AutoSettings { samples: false, reduction_budget: u64::MAX, ..settings };
                return Chosen::Auto(Box::new(Auto::new(settings)));
            }
            protocol::Explorer::Sweep => Box::new(Sweep::default()),
            protocol::Explorer::Pct => Box::new(Pct::new(seed, PCT_DEPTH)),
            protocol::Explorer::Pos => Box::new(Pos::new(seed)),
            protocol::Explorer::Surw => Box::new(Surw::new(seed)),
            protocol::Explorer::Random => Box::new(Random::new(seed)),
        })
    }

    /// Whoever decides.
    pub fn explorer(&mut self) -> &mut dyn Explorer {
        match self {
            Chosen::Auto(auto) => &mut **auto,
            Chosen::Other(other) => &mut **other,
        }
    }

    /// About how many of a thousand traces were run, if that can be said.
    pub fn explored_part(&self) -> Option<u16> {
        let part = match self {
            Chosen::Auto(auto) => auto.explored_part(),
            Chosen::Other(_) => None,
        };
        part.map(|part| (part.clamp(0.0, 1.0) * 1000.0) as u16)
    }

    /// Every schedule with at most so many preemptions was run, if any number is known.
    pub fn covered(&self) -> Option<u32> {
        let covered = match self {
            Chosen::Auto(auto) => auto.covered(),
            Chosen::Other(_) => None,
        };
        covered.map(|preemptions| preemptions as u32)
    }

    /// Whether the last execution is a sample beside reduction: what it did not show, reduction may still.
    pub fn is_sampling(&self) -> bool {
        match self {
            Chosen::Auto(auto) => auto.is_sampling(),
            Chosen::Other(_) => false,
        }
    }

    /// Whether complete reduction was given up for want of memory.
    pub fn is_exhausted(&self) -> bool {
        match self {
            Chosen::Auto(auto) => auto.is_exhausted(),
            Chosen::Other(_) => false,
        }
    }

    /// What is known, if everything was run. Whether there were races it does not know, nor what waits could have ended otherwise.
    pub fn certificate(&self) -> Option<Certificate> {
        let known = match self {
            Chosen::Auto(auto) => auto.certificate(),
            Chosen::Other(_) => None,
        }?;
        Some(Certificate {
            traces: known.traces,
            race_free: known.race_free,
            events_a_thread: known.bounds.events_a_thread,
            timeouts: known.bounds.timeouts,
            wakeups: known.bounds.wakeups,
            no_wakeups: false,
            interrupts: false,
            loops: known.bounds.loops,
            chance: false,
            references: false,
        })
    }
}

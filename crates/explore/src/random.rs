//! Random walks without end, each with another seed: see [`schedule::RandomWalk`].

use crate::execution::{Execution, Learnt};
use crate::explorer::Explorer;
use crate::rng::Rng;
use schedule::{RandomWalk, Scheduler};

/// Samples executions without end.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
}

impl Random {
    /// Any seed will do.
    pub fn new(seed: u64) -> Random {
        Random { rng: Rng::new(seed) }
    }
}

impl Explorer for Random {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        Some(Box::new(RandomWalk::new(self.rng.next())))
    }

    fn finish(&mut self, _: &Execution<'_>) -> Learnt {
        Learnt::Counts
    }
}

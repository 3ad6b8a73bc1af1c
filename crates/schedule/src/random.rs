//! A random walk: at every event, each thread that can go on is as likely to run as any other.

use crate::look::all_look;
use crate::scheduler::{Choice, Divergence, Scheduler, Turn};

/// Chooses at random, the same for the same seed.
#[derive(Clone, Debug)]
pub struct RandomWalk {
    state: u64,
}

impl RandomWalk {
    /// Any seed will do.
    pub fn new(seed: u64) -> Self {
        RandomWalk { state: seed }
    }

    /// SplitMix64: small, fast, and the same everywhere.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

impl Scheduler for RandomWalk {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        // The bias of the remainder is below 2^-48 for any number of threads there can be.
        let pick = self.next() % choice.runnable.len() as u64;
        Ok(Turn { thread: choice.runnable[pick as usize].0, events: 1 })
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

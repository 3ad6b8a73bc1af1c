//! Probabilistic concurrency testing.
//!
//! S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, *A Randomized Scheduler with Probabilistic Guarantees of
//! Finding Bugs*, ASPLOS 2010. Threads have random priorities and the highest that can goes on; at `depth - 1` random
//! points of the execution the one that runs falls below all others. With n threads and k events a bug of that depth
//! is found with a probability of at least 1 / (n k^(depth - 1)).
//!
//! Deviations: k is the longest execution so far, not known in advance; a thread that yields or spins falls below
//! all others too, else one that waits for a lower one would run for ever. The guarantee is for executions without
//! that.

use crate::execution::{Execution, Learnt};
use crate::explorer::Explorer;
use crate::rng::Rng;
use schedule::{Choice, Divergence, EventKind, Scheduler, ThreadId, Turn, all_look, goes_round};

/// Samples executions without end.
#[derive(Clone, Debug)]
pub struct Pct {
    rng: Rng,
    depth: usize,
    events: usize,
}

impl Pct {
    /// For bugs of that depth, at least 1. Any seed will do.
    pub fn new(seed: u64, depth: usize) -> Pct {
        Pct { rng: Rng::new(seed), depth: depth.max(1), events: 1 }
    }
}

impl Explorer for Pct {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        let mut rng = self.rng.fork();
        let mut falls: Vec<_> = (1..self.depth).map(|_| rng.below(self.events as u64) as usize).collect();
        falls.sort_unstable_by(|a, b| b.cmp(a));
        Some(Box::new(Sample { rng, priorities: Vec::new(), falls, lowest: 0 }))
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        self.events = self.events.max(execution.trace.steps.len());
        Learnt::Counts
    }
}

struct Sample {
    rng: Rng,
    /// By thread; 0 for one that was not seen.
    priorities: Vec<i64>,
    /// The steps at which the running thread falls, the next one last.
    falls: Vec<usize>,
    lowest: i64,
}

impl Sample {
    fn fall(&mut self, thread: ThreadId) {
        self.lowest -= 1;
        self.priorities[thread.0 as usize] = self.lowest;
    }

    fn highest(&self, choice: &Choice<'_>) -> ThreadId {
        let priority = |thread: &ThreadId| self.priorities[thread.0 as usize];
        choice.threads().max_by_key(priority).expect("internal bug: a choice without threads")
    }
}

impl Scheduler for Sample {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        for thread in choice.threads() {
            let number = thread.0 as usize;
            if self.priorities.len() <= number {
                self.priorities.resize(number + 1, 0);
            }
            if self.priorities[number] == 0 {
                self.priorities[number] = 1 + (self.rng.next() >> 2) as i64;
            }
        }
        if let Some(last) = choice.trace.steps.last()
            && choice.can_run(last.thread)
            && (last.event.kind == EventKind::Yield || goes_round(choice, last.thread))
        {
            self.fall(last.thread);
        }
        let step = choice.trace.steps.len();
        while self.falls.last().is_some_and(|&fall| fall <= step) {
            self.falls.pop();
            let thread = self.highest(choice);
            self.fall(thread);
        }
        Ok(Turn { thread: self.highest(choice), events: 1 })
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

//! Partial order sampling.
//!
//! X. Yuan, J. Yang, R. Gu, *Partial Order Aware Concurrency Sampling*, CAV 2018. Every event gets a random priority
//! when it is announced, and the one with the highest goes first. When an event happens, those that wait and race
//! with it get new priorities, so that each order of racing events is as likely as it can be. No deviation; whether
//! events race is decided by the dependency relation, where locks in use count like free ones.

use crate::dependency::Footprint;
use crate::execution::{Execution, Learnt};
use crate::explorer::Explorer;
use crate::rng::Rng;
use crate::state::State;
use schedule::{Choice, Divergence, Event, Scheduler, ThreadId, Turn, all_look};

/// Samples executions without end.
#[derive(Clone, Debug)]
pub struct Pos {
    rng: Rng,
}

impl Pos {
    /// Any seed will do.
    pub fn new(seed: u64) -> Pos {
        Pos { rng: Rng::new(seed) }
    }

    /// The scheduler of one execution.
    pub fn scheduler(&mut self) -> impl Scheduler + Send + use<> {
        Sample { rng: self.rng.fork(), waiting: Vec::new(), done: 0, state: State::default() }
    }
}

impl Explorer for Pos {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        Some(Box::new(self.scheduler()))
    }

    fn finish(&mut self, _: &Execution<'_>) -> Learnt {
        Learnt::Counts
    }
}

struct Sample {
    rng: Rng,
    /// The threads that have announced an event.
    waiting: Vec<Waiting>,
    /// So many steps were looked at.
    done: usize,
    state: State,
}

struct Waiting {
    thread: ThreadId,
    event: Event,
    priority: u64,
}

impl Scheduler for Sample {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        for step in &choice.trace.steps[self.done..] {
            let thread = step.thread.0 as usize;
            let happened: Footprint = self.state.footprint(thread, step.event);
            self.waiting.retain(|waiting| waiting.thread != step.thread);
            for waiting in &mut self.waiting {
                if self.state.footprint(waiting.thread.0 as usize, waiting.event).conflicts(&happened) {
                    waiting.priority = self.rng.next();
                }
            }
            self.state.apply(thread, step.event);
        }
        self.done = choice.trace.steps.len();
        let mut best: Option<(u64, ThreadId)> = None;
        for &(thread, event) in choice.runnable {
            let priority = match self.waiting.iter().find(|waiting| waiting.thread == thread) {
                Some(waiting) => waiting.priority,
                None => {
                    let priority = self.rng.next();
                    self.waiting.push(Waiting { thread, event, priority });
                    priority
                }
            };
            best = best.max(Some((priority, thread)));
        }
        let (_, thread) = best.expect("internal bug: a choice without threads");
        Ok(Turn { thread, events: 1 })
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

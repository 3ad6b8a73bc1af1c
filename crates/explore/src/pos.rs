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
        Sample { rng: self.rng.fork(), waiting: Vec::new(), priorities: Vec::new(), done: 0, state: State::default() }
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
    /// The threads that have announced an event, in the order in which they were first seen with it.
    waiting: Vec<Waiting>,
    /// By thread: its priority, if it has announced an event.
    priorities: Vec<Option<u64>>,
    /// So many steps were looked at.
    done: usize,
    state: State,
}

struct Waiting {
    thread: ThreadId,
    event: Event,
}

impl Scheduler for Sample {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        for step in &choice.trace.steps[self.done..] {
            let thread = step.thread.0 as usize;
            let happened: Footprint = self.state.footprint(thread, step.event);
            self.waiting.retain(|waiting| waiting.thread != step.thread);
            if let Some(priority) = self.priorities.get_mut(thread) {
                *priority = None;
            }
            for waiting in &self.waiting {
                let other = waiting.thread.0 as usize;
                if self.state.footprint(other, waiting.event).conflicts(&happened) {
                    self.priorities[other] = Some(self.rng.next());
                }
            }
            self.state.apply(thread, step.event);
        }
        self.done = choice.trace.steps.len();
        let mut best: Option<(u64, ThreadId)> = None;
        for &(thread, event) in choice.runnable {
            let place = thread.0 as usize;
            if self.priorities.len() <= place {
                self.priorities.resize(place + 1, None);
            }
            let priority = *self.priorities[place].get_or_insert_with(|| {
                self.waiting.push(Waiting { thread, event });
                self.rng.next()
            });
            best = best.max(Some((priority, thread)));
        }
        let (_, thread) = best.expect("internal bug: a choice without threads");
        Ok(Turn { thread, events: 1 })
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

//! From a schedule that fails to the smallest that does.
//!
//! The fewest preemptions first, then the fewest events during which a preempted thread waits. First turns of one
//! thread are brought together as long as it still fails; then all schedules with fewer preemptions are run, and all
//! with as many. If that comes to its end within the budget, the result is the smallest there is, and is said to be.

use crate::bounded::Bounded;
use crate::execution::{End, Execution};
use crate::explorer::Explorer;
use crate::preemption::{Interference, interference};
use crate::stay::stay;
use schedule::{Choice, Divergence, Event, Schedule, Scheduler, ThreadId, Trace, Turn, all_look};

/// One execution, and whether it failed in the way that is looked for.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What happened.
    pub trace: Trace,
    /// As in [`Execution`].
    pub pending: Vec<(ThreadId, Event)>,
    /// As in [`Execution`].
    pub timed_out: Vec<(usize, ThreadId)>,
    /// Why it is over.
    pub end: End,
    /// Whether it failed.
    pub fails: bool,
}

impl Attempt {
    /// The decisions that lead to it again.
    pub fn schedule(&self) -> Schedule {
        Schedule::of(&self.trace).with_timeouts(&self.timed_out)
    }

    /// As explorers want to be told.
    pub fn execution(&self) -> Execution<'_> {
        Execution { trace: &self.trace, pending: &self.pending, timed_out: &self.timed_out, end: self.end }
    }
}

/// The smallest that was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// It fails.
    pub attempt: Attempt,
    /// How much its schedule interferes.
    pub interference: Interference,
    /// So many executions were needed.
    pub executions: usize,
    /// What is known of smaller ones.
    pub proof: Proof,
}

/// What is known of schedules that are smaller than the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proof {
    /// All were run, and none fails.
    Smallest,
    /// All with fewer preemptions were run, and none fails.
    FewestPreemptions,
    /// Some were not run.
    None,
}

/// Shrinks the schedule of an execution that has failed. `run` runs the test under a scheduler, at most `budget` times.
pub fn shrink(failing: Attempt, budget: usize, mut run: impl FnMut(Box<dyn Scheduler + Send>) -> Attempt) -> Shrunk {
    let interference_of = |attempt: &Attempt| interference(&attempt.execution());
    let (mut least, mut best, mut executions) = (interference_of(&failing), failing, 0);
    // Half the budget at most, so that some is left for the proof.
    'better: while executions < budget / 2 {
        for schedule in calmer(&Schedule::of(&best.trace)) {
            if executions >= budget / 2 {
                break;
            }
            executions += 1;
            let attempt = run(Box::new(Loosely { schedule, next: 0 }));
            if attempt.fails && interference_of(&attempt) < least {
                (least, best) = (interference_of(&attempt), attempt);
                continue 'better;
            }
        }
        break;
    }
    let mut bounded = Bounded::new(least.preemptions);
    while executions < budget
        && let Some(scheduler) = bounded.next()
        && bounded.preemptions() <= least.preemptions
    {
        executions += 1;
        let attempt = run(scheduler);
        bounded.finish(&attempt.execution());
        if attempt.fails && interference_of(&attempt) < least {
            (least, best) = (interference_of(&attempt), attempt);
        }
    }
    let proof = match bounded.completed() {
        Some(completed) if completed >= least.preemptions => Proof::Smallest,
        Some(completed) if completed + 1 >= least.preemptions => Proof::FewestPreemptions,
        None if least.preemptions == 0 => Proof::FewestPreemptions,
        _ => Proof::None,
    };
    Shrunk { attempt: best, interference: least, executions, proof }
}

/// Schedules with two turns of one thread made one: the later moved to the earlier, and the other way round.
fn calmer(schedule: &Schedule) -> impl Iterator<Item = Schedule> + use<> {
    let turns = schedule.turns.clone();
    let pairs: Vec<_> = (0..turns.len())
        .filter_map(|early| {
            let late = (early + 1..turns.len()).find(|&late| turns[late].thread == turns[early].thread)?;
            Some((early, late))
        })
        .collect();
    pairs.into_iter().flat_map(move |(early, late)| {
        let (mut forward, mut back) = (turns.clone(), turns.clone());
        let moved = forward.remove(late);
        forward[early].events += moved.events;
        let moved = back.remove(early);
        back[late - 1].events += moved.events;
        [forward, back].map(|turns| Schedule { turns, timeouts: Vec::new() })
    })
}

/// Follows a schedule as far as it can be followed, and past that lets whoever runs go on.
struct Loosely {
    schedule: Schedule,
    next: usize,
}

impl Scheduler for Loosely {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        while let Some(&turn) = self.schedule.turns.get(self.next) {
            self.next += 1;
            if choice.can_run(turn.thread) {
                return Ok(turn);
            }
        }
        Ok(stay(choice, &[]))
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

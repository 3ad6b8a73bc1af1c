//! How much a schedule interferes.

use crate::execution::Execution;
use crate::names::Names;
use crate::spin::{EVIDENCE, Spins};
use crate::state::State;
use schedule::Event;

/// What an execution's schedule costs a reader. Less is better; preemptions count first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Interference {
    /// Switches away from a thread that could have gone on. Leaving a thread that spins is none.
    pub preemptions: usize,
    /// Over all preemptions, the events of others until the thread went on.
    pub events_between: usize,
}

/// How much the schedule of this execution interferes.
pub fn interference(execution: &Execution<'_>) -> Interference {
    let mut interference = Interference { preemptions: 0, events_between: 0 };
    for_each_preemption(execution, |at, until| {
        interference.preemptions += 1;
        interference.events_between += until - at;
    });
    interference
}

/// The steps that come right after a preemption.
pub fn preemptions(execution: &Execution<'_>) -> Vec<usize> {
    let mut preemptions = Vec::new();
    for_each_preemption(execution, |at, _| preemptions.push(at));
    preemptions
}

/// Tells of each preemption the step that comes after it, and the step at which the thread went on.
fn for_each_preemption(execution: &Execution<'_>, mut found: impl FnMut(usize, usize)) {
    let (mut state, mut names, mut spins) = (State::default(), Names::default(), Spins::default());
    let steps = &execution.trace.steps;
    for (index, step) in steps.iter().enumerate() {
        let name = names.name(step.thread);
        if let Some(before) = index.checked_sub(1).map(|before| steps[before].thread).filter(|&b| b != step.thread) {
            let later = (index..steps.len()).find(|&later| steps[later].thread == before);
            let next: Option<Event> = match later {
                Some(later) => Some(steps[later].event),
                None => execution.pending.iter().find(|&&(thread, _)| thread == before).map(|&(_, event)| event),
            };
            let before = names.name(before);
            let next = next.map(|next| names.event(before, next));
            if next.is_some_and(|next| state.can_do(before, next) && spins.goes_round(before, next, EVIDENCE).is_none())
            {
                found(index, later.unwrap_or(steps.len()));
            }
        }
        let event = names.event(name, step.event);
        spins.happened(name, event, &state.footprint(name, event));
        state.apply(name, event);
        names.happened(name, event);
    }
}

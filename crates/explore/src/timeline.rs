//! A trace read back: threads by name, what each event touches, and where time has passed.
//!
//! For whoever has an execution and not the choices that led to it.

use crate::dependency::{Footprint, Space};
use crate::execution::Execution;
use crate::names::Names;
use crate::order::{After, Order};
use crate::state::State;
use schedule::{Event, EventKind};

/// The events of an execution, with names for threads, and their order.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub steps: Vec<(usize, Event)>,
    /// What would have happened next.
    pub pending: Vec<(usize, Event, Footprint)>,
    pub order: Order,
    /// The order by starts and ends of threads alone, which no schedule decides.
    pub lives: Order,
    /// At the end.
    pub state: State,
    pub names: Names,
}

impl Timeline {
    pub fn of(execution: &Execution<'_>) -> Timeline {
        let mut timeline = Timeline::default();
        let (mut names, mut starts) = (Names::default(), Vec::new());
        // The test's own threads are there from the first event of any of them on, after what the first did.
        let mut group = None;
        let mut timed_out = execution.timed_out.iter().peekable();
        for (index, step) in execution.trace.steps.iter().enumerate() {
            let thread = names.name(step.thread);
            let event = names.event(thread, step.event);
            let Timeline { order, lives, state, .. } = &mut timeline;
            let started = starts.get(thread).copied().flatten();
            if group.is_none() && thread != 0 && started.is_none() {
                group = Some(order.last_of(0));
            }
            let start = if thread == 0 { None } else { started.or(group.flatten()) };
            let mut barrier = false;
            while let Some(&(_, over)) = timed_out.next_if(|&&(at, _)| at <= index) {
                state.time_out(names.name(over));
                barrier = true;
            }
            let footprint = state.footprint(thread, event);
            order.push(thread, footprint, After { start, barrier, change: None });
            lives.push(thread, footprint.of_space(Space::Life), After { start, barrier: false, change: None });
            state.apply(thread, event);
            names.happened(thread, event);
            if event.kind == EventKind::Start {
                let started = event.slot as usize;
                starts.resize(starts.len().max(started + 1), None);
                starts[started] = Some(index);
            }
            timeline.steps.push((thread, event));
        }
        for &(thread, event) in execution.pending {
            let thread = names.name(thread);
            let event = names.event(thread, event);
            timeline.pending.push((thread, event, timeline.state.footprint(thread, event)));
        }
        timeline.names = names;
        timeline
    }
}

/// Tells of each event of an execution and what it touches, those that would have come next last. That takes no more memory than
/// the threads and monitors of the execution.
pub(crate) fn read_back(execution: &Execution<'_>, mut see: impl FnMut(Event, Footprint)) {
    let (mut names, mut state) = (Names::default(), State::default());
    let mut timed_out = execution.timed_out.iter().peekable();
    for (index, step) in execution.trace.steps.iter().enumerate() {
        let thread = names.name(step.thread);
        let event = names.event(thread, step.event);
        while let Some(&(_, over)) = timed_out.next_if(|&&(at, _)| at <= index) {
            state.time_out(names.name(over));
        }
        see(event, state.footprint(thread, event));
        state.apply(thread, event);
        names.happened(thread, event);
    }
    for &(thread, event) in execution.pending {
        let thread = names.name(thread);
        let event = names.event(thread, event);
        see(event, state.footprint(thread, event));
    }
}

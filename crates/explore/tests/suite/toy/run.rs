//! Runs a toy program under a scheduler.

use super::{Extras, Machine, Outcome, Program};
use explore::{End, Execution, Explorer, Learnt};
use schedule::{Choice, Event, Scheduler, Step, ThreadId, Trace, Turn};

/// One execution of a toy program.
#[derive(Clone, Debug)]
pub struct Ran {
    pub trace: Trace,
    pub pending: Vec<(ThreadId, Event)>,
    pub timed_out: Vec<(usize, ThreadId)>,
    pub end: End,
    pub outcome: Outcome,
}

impl Ran {
    pub fn execution(&self) -> Execution<'_> {
        Execution { trace: &self.trace, pending: &self.pending, timed_out: &self.timed_out, end: self.end }
    }
}

pub fn run(program: &Program, scheduler: &mut dyn Scheduler) -> Ran {
    run_with(program, scheduler, Extras::default(), 10_000)
}

pub fn run_with(program: &Program, scheduler: &mut dyn Scheduler, extras: Extras, max_events: usize) -> Ran {
    let mut machine = Machine::new(program, extras);
    let (mut trace, mut timed_out) = (Trace::default(), Vec::new());
    let (mut turn, mut last): (Option<Turn>, _) = (None, None);
    let end = loop {
        let mut runnable = machine.runnable();
        while runnable.is_empty() && machine.has_timed() {
            let over = machine.let_time_pass();
            over.iter().for_each(|&thread| scheduler.timed_out(thread));
            timed_out.extend(over.into_iter().map(|thread| (trace.steps.len(), thread)));
            runnable = machine.runnable();
        }
        if runnable.is_empty() {
            break if machine.pending().is_empty() { End::Done } else { End::Stuck };
        }
        let can_run = |thread| runnable.iter().any(|&(runnable, _)| runnable == thread);
        if !turn.is_some_and(|turn| turn.events > 0 && can_run(turn.thread)) {
            if machine.has_timed() && scheduler.waits_for_time(&Choice { trace: &trace, last, runnable: &runnable }) {
                let over = machine.let_time_pass();
                over.iter().for_each(|&thread| scheduler.timed_out(thread));
                timed_out.extend(over.into_iter().map(|thread| (trace.steps.len(), thread)));
                continue;
            }
            match scheduler.choose(&Choice { trace: &trace, last, runnable: &runnable }) {
                Ok(chosen) => {
                    assert!(can_run(chosen.thread) && chosen.events > 0, "{chosen:?} of {runnable:?}");
                    (turn, last) = (Some(chosen), Some(chosen.thread));
                }
                Err(_) => break End::Stopped,
            }
        }
        if trace.steps.len() >= max_events {
            break End::Cut;
        }
        let turn = turn.as_mut().unwrap();
        if turn.events != Turn::WHOLE {
            turn.events -= 1;
        }
        let event = machine.perform(turn.thread);
        if machine.is_unprompted(turn.thread) {
            scheduler.unprompted(turn.thread);
        }
        trace.steps.push(Step { thread: turn.thread, event });
    };
    Ran { trace, pending: machine.pending(), timed_out, end, outcome: machine.outcome() }
}

/// Runs all that an explorer wants, at most so many, and shows each execution with what was learnt of it.
pub fn explore(
    program: &Program,
    explorer: &mut dyn Explorer,
    extras: Extras,
    max_events: usize,
    max_executions: usize,
    mut see: impl FnMut(&Ran, Learnt),
) -> usize {
    let mut executions = 0;
    while executions < max_executions
        && let Some(mut scheduler) = explorer.next()
    {
        let mut ran = run_with(program, &mut *scheduler, extras, max_events);
        let learnt = explorer.finish(&ran.execution());
        if learnt == Learnt::Bounded {
            ran.end = End::Cut;
        }
        see(&ran, learnt);
        executions += 1;
    }
    executions
}

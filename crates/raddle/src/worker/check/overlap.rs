//! Whether calls of different suffixes really overlapped.

use host::{CallResult, Execution};
use schedule::{EventKind, Step};

/// Whether an event of one suffix lies between two events of a call of another.
pub fn overlap(execution: &Execution) -> bool {
    let steps = &execution.trace.steps;
    let threads = execution.ends.len();
    let suffix = |step: &Step| (step.thread.0 as usize).checked_sub(1).filter(|&suffix| suffix < threads);
    // For each thread: its call, and the number of events of others when that call had its last event.
    let mut calls = vec![(0, None); threads];
    let mut events = vec![0_usize; threads];
    let mut all = 0;
    for (at, step) in steps.iter().enumerate() {
        let Some(own) = suffix(step).filter(|_| !matches!(step.event.kind, EventKind::Begin | EventKind::End)) else {
            continue;
        };
        let call = execution.ends[own].iter().take_while(|&&end| end <= at).count();
        let others = all - events[own];
        match calls[own] {
            (last, Some(before)) if last == call && before != others => return true,
            _ => calls[own] = (call, Some(others)),
        }
        events[own] += 1;
        all += 1;
    }
    // A call that waits for good has been overtaken by whatever came since its last event.
    let waits = |suffix: &usize| matches!(execution.suffixes[*suffix].last(), Some(CallResult::CutOff));
    (0..threads).filter(waits).any(|own| {
        let call = execution.suffixes[own].len() - 1;
        matches!(calls[own], (last, Some(before)) if last == call && before != all - events[own])
    })
}

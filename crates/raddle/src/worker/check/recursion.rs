//! Calls in each other without end, seen on a real stack.
//!
//! A test has fewer calls in each other than there is room for, so that it is ended at the same place in every run. A recursion that
//! is deeper than that and ends is no fault.

use explore::ThenFair;
use host::Execution;
use schedule::Turn;

use crate::worker::reason::Reason;
use crate::worker::runs::Runs;

/// So many events may it take to fill a stack.
const MOST_EVENTS: usize = 2_000_000;

/// Whether an execution in which calls were too deep in each other fills a real stack as well.
pub fn has_no_end(runs: &mut Runs<'_>, execution: &Execution) -> Result<bool, Reason> {
    let Some((thread, events)) = execution.overflow else { return Ok(false) };
    // Whoever was past the limit goes on from there, and the others have their turns when there is no more to come.
    let mut schedule = execution.schedule().first(events);
    schedule.turns.push(Turn { thread, events: Turn::WHOLE });
    runs.overflows(Box::new(ThenFair::new(schedule, usize::MAX)), MOST_EVENTS)
}

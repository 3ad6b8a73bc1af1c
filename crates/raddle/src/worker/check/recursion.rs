//! Calls in each other without end, seen on a real stack.
//!
//! A test has fewer calls in each other than there is room for, so that it is ended at the same place in every run. A recursion that
//! is deeper than that and ends is no fault.

use explore::ThenFair;
use host::{Execution, Thrown};

use crate::worker::failure::recur_alike;
use crate::worker::reason::Reason;
use crate::worker::runs::Runs;

/// So many events may it take to fill a stack.
const MOST_EVENTS: usize = 2_000_000;

/// Whether an execution that has this error, because calls were too deep in each other, fills a real stack with them as well. Everyone gets
/// turns from there on: who calls itself until another is done has an end.
pub fn has_no_end(runs: &mut Runs<'_>, execution: &Execution, error: &Thrown) -> Result<bool, Reason> {
    let Some((_, events)) = execution.overflow else { return Ok(false) };
    let full = runs.overflow(Box::new(ThenFair::new(execution.schedule(), events)), MOST_EVENTS)?;
    Ok(full.iter().any(|full| recur_alike(full, error)))
}

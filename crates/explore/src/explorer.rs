//! The loop that every exploration is driven by.

use crate::execution::{Execution, Learnt};
use schedule::Scheduler;

/// Decides on executions, one after the other.
///
/// Calls alternate: [`Explorer::next`] gives the scheduler of an execution, the execution runs, and
/// [`Explorer::finish`] is told how it went. Whoever runs it need not ask the explorer how to go on: a scheduler
/// that gives up ends its execution with [`End::Stopped`](crate::End::Stopped).
pub trait Explorer {
    /// The scheduler of the next execution; None if there is nothing left to run.
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>>;

    /// The execution that [`Explorer::next`] was for is over.
    fn finish(&mut self, execution: &Execution<'_>) -> Learnt;
}

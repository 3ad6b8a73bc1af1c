//! Who says what is wrong with executions.

use host::Execution;

use super::ending::End;
use super::failure::failure;
use super::protocol::Failure;
use super::reason::Reason;
use super::runs::Runs;

/// Says what is wrong with executions. What it says of an execution must follow from its schedule: each failure is asked
/// for again before it counts, and often while it is shrunk.
pub trait Judge {
    /// An execution is one of the plan's, and not one that shrinking or a second look needs. Told before it is judged.
    fn see(&mut self, _: &Execution) {}

    /// Whether somebody looks at an execution that passed, if none fails.
    fn shows_passing(&self) -> bool {
        false
    }

    /// Whether an execution is judged by itself, and not by how others went.
    fn judges_each(&self) -> bool {
        false
    }

    /// Whether something may be wrong with an execution of which silent accesses are not known. One that is suspected is run
    /// again with all of them.
    fn suspects(&self, execution: &Execution, end: End) -> bool;

    /// What is wrong with an execution that ended so, if anything is. Others may be run to find out.
    fn failure(&mut self, runs: &mut Runs<'_>, execution: &Execution, end: End) -> Result<Option<Failure>, Reason>;
}

/// Holds each execution to be wrong that ends otherwise than a program should, whatever others do.
#[derive(Clone, Copy, Debug)]
pub struct ByItsEnd {
    /// Whether threads that are left waiting are wrong, daemons aside.
    pub must_end: bool,
}

impl Judge for ByItsEnd {
    fn shows_passing(&self) -> bool {
        true
    }

    fn judges_each(&self) -> bool {
        true
    }

    fn suspects(&self, execution: &Execution, end: End) -> bool {
        failure(execution, end, self.must_end).is_some()
    }

    fn failure(&mut self, _: &mut Runs<'_>, execution: &Execution, end: End) -> Result<Option<Failure>, Reason> {
        Ok(failure(execution, end, self.must_end))
    }
}

//! How executions end, in the words of whoever explores.

pub use explore::End;
use host::{Execution, Stop};

/// An execution as explorers want to be told of it.
pub fn tell(execution: &Execution, end: End) -> explore::Execution<'_> {
    explore::Execution { trace: &execution.trace, pending: &execution.pending, timed_out: &execution.timed_out, end }
}

/// Whether an exit comes after all that other threads did, in whatever order independent events come. An exit is no
/// event, so reduction does not bring it forward. Whoever exits has done the last event.
fn ends_all(execution: &Execution) -> bool {
    explore::is_after_all(&tell(execution, End::Done))
}

/// How an execution ended.
pub fn end(execution: &Execution) -> End {
    match &execution.stop {
        None if execution.left.is_empty() => End::Done,
        None | Some(Stop::Deadlock(_)) => End::Stuck,
        Some(Stop::Diverged(_)) => End::Stopped,
        // Nothing that others would have done is lost if there are none, in this execution or in an equivalent one.
        Some(Stop::Exit(_)) if execution.pending.is_empty() && ends_all(execution) => End::Done,
        Some(Stop::TooManyEvents | Stop::TooManyThreads | Stop::Exit(_)) => End::Cut,
    }
}

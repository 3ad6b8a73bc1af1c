//! What an explorer is told about an execution that has ended.

use schedule::{Event, ThreadId, Trace};

/// One execution, once it is over.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'e> {
    /// What happened.
    pub trace: &'e Trace,
    /// What each thread that has not ended would do next, whether it can or not, in ascending order of threads.
    /// Without this the order of an event that never ran and one that did is not explored.
    pub pending: &'e [(ThreadId, Event)],
    /// The threads whose waits were over because nothing else could go on and time has passed, each with the number
    /// of steps before that.
    pub timed_out: &'e [(usize, ThreadId)],
    /// Why it is over.
    pub end: End,
}

/// Why an execution is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum End {
    /// Its threads have ended.
    Done,
    /// No thread can go on, and not all have ended.
    Stuck,
    /// It had as many events as were allowed.
    Cut,
    /// The scheduler gave up.
    Stopped,
}

/// What an execution has taught an explorer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Learnt {
    /// The execution counts. A complete explorer promises that no other one is equivalent to it.
    Counts,
    /// The same, and the explorer stopped it because only threads that have done as many events as one may could go
    /// on. Whoever judges it should take its end for [`End::Cut`].
    Bounded,
    /// The explorer stopped it, because whatever it leads to was run before.
    Redundant,
    /// The execution did not go as the explorer was entitled to expect: it is not deterministic, or what can go
    /// on does not follow from the events as [`crate::dependency`] says. Nothing is certified after this.
    Unexpected,
}

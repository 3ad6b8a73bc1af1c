//! What was proved by exploring everything.

use crate::dpor::DporCounts;

/// Every execution of the test ran, up to equivalence and within the bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// So many classes of equivalent executions there are.
    pub traces: u64,
    /// So many executions were started in vain.
    pub redundant: u64,
    /// Under these bounds.
    pub bounds: Bounds,
    /// No execution had a data race. Then the result holds under the Java memory model; otherwise only executions
    /// that are sequentially consistent are covered.
    pub race_free: bool,
}

/// What a certificate does not cover. Each bound is named only if an execution has come upon it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// What threads would do after so many events.
    pub events_a_thread: Option<u32>,
    /// Time passes only when nothing else can go on, so other orders of timeouts and events were not run. Where
    /// early timeouts were allowed, they were run as far as they were.
    pub timeouts: bool,
    /// Spurious and early wake-ups happen as often as was allowed. If not set, none was allowed or possible.
    pub wakeups: bool,
    /// Threads that go round and round reading the same were held until it changed. A loop that counts its rounds
    /// may leave before.
    pub loops: bool,
}

impl Certificate {
    pub(crate) fn of(counts: &DporCounts, max_events_a_thread: Option<u32>, race_free: bool) -> Certificate {
        Certificate {
            traces: counts.traces,
            redundant: counts.redundant,
            bounds: Bounds {
                events_a_thread: max_events_a_thread.filter(|_| counts.bounded > 0),
                timeouts: counts.timed_out > 0,
                wakeups: counts.unprompted > 0,
                loops: counts.held > 0,
            },
            race_free,
        }
    }
}

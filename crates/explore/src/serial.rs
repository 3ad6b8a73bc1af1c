//! Serial orders: each thread whole, one after the other, in every order of the threads.
//!
//! A thread that cannot go on gives way to the next in the order. Past [`MAX_PERMUTED`] threads only the orders that
//! begin with another thread each are run.

use crate::execution::{Execution, Learnt};
use crate::explorer::Explorer;
use crate::stay::stay;
use schedule::{Choice, Divergence, EventKind, Scheduler, Step, ThreadId, Turn, all_look};

/// So many threads are run in all orders.
pub const MAX_PERMUTED: usize = 5;

/// Runs the serial orders.
#[derive(Clone, Debug, Default)]
pub struct Serial {
    /// The order of the next execution. Known once the first has run, in order of numbers.
    order: Vec<ThreadId>,
    /// How many orders were run; all of them once `done`.
    runs: usize,
    done: bool,
}

impl Explorer for Serial {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        (!self.done).then(|| Box::new(InThisOrder { order: self.order.clone() }) as _)
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        self.runs += 1;
        if self.runs == 1 {
            self.order = threads(execution);
        }
        self.done = if self.order.len() <= MAX_PERMUTED {
            !next_permutation(&mut self.order)
        } else {
            self.order.rotate_left(1);
            self.runs >= self.order.len()
        };
        Learnt::Counts
    }
}

/// The threads that did anything; the first one aside where it only waits for the others.
pub(crate) fn threads(execution: &Execution<'_>) -> Vec<ThreadId> {
    let mut threads: Vec<_> = execution.trace.steps.iter().map(|step| step.thread).collect();
    threads.extend(execution.pending.iter().map(|&(thread, _)| thread));
    threads.sort_unstable();
    threads.dedup();
    // The first thread of a test only waits for the others; that of a program starts them, and goes on.
    let starts = |step: &Step| step.thread == ThreadId(0) && step.event.kind == EventKind::Start;
    if threads.len() > 1 && threads[0] == ThreadId(0) && !execution.trace.steps.iter().any(starts) {
        threads.remove(0);
    }
    threads
}

/// The next order in the lexicographic sense. Says whether there was one.
fn next_permutation(order: &mut [ThreadId]) -> bool {
    let Some(fall) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let swap = order.iter().rposition(|thread| *thread > order[fall]).expect("internal bug: the next is greater");
    order.swap(fall, swap);
    order[fall + 1..].reverse();
    true
}

/// One serial order; threads that are not in it come last, by number.
#[derive(Debug, Default)]
pub(crate) struct InThisOrder {
    order: Vec<ThreadId>,
}

impl Scheduler for InThisOrder {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        Ok(stay(choice, &self.order))
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

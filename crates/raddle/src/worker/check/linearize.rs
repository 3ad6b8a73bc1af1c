//! All linearizations of a test case, each run in every way that an order of calls can be meant.
//!
//! In one thread, as ConTeGe has it, twice: once as the virtual machine shows itself to all executions, and once with another
//! clock, other identity hashes and random numbers, so that what depends on those is known and not compared. And with each
//! call in the thread of its suffix, for a lock that one thread takes twice is another thing than one that two threads take.

use std::sync::atomic::Ordering;

use host::{Execution, Limits, Prepared, RunSettings, Stop, Values};
use oracle::{Linearization, Observation, Serial, linearizations};
use schedule::EventKind;
use testcase::TestCase;

use super::call_by_call::{CallByCall, Manner};
use super::observe::{Seen, observe};
use crate::worker::ending::end;
use crate::worker::protocol::{Check, Oracle, Rejected};
use crate::worker::reason::Reason;
use crate::worker::runs::Runs;

/// What the linearizations show, or why nobody can say.
pub fn linearize(
    runs: &mut Runs<'_>,
    check: &Check,
    test: &TestCase,
) -> Result<Result<Serial<Seen>, Rejected>, Reason> {
    let all = linearizations(test);
    if !all.are_all() {
        return Ok(Err(Rejected::TooMany { linearizations: all.total() }));
    }
    let mut serial = Serial::new(test);
    let ways = Ways { must_end: check.explore.must_end, oracle: check.oracle, suffixes: test.suffixes.len() };
    for linearization in all {
        if !ways.run(runs, &linearization, &mut serial)? {
            return Ok(Err(Rejected::Exits));
        }
    }
    Ok(Ok(serial))
}

/// How each linearization is run.
struct Ways {
    must_end: bool,
    oracle: Oracle,
    suffixes: usize,
}

impl Ways {
    /// Runs one in all ways. False if it asks the virtual machine to end.
    fn run(&self, runs: &mut Runs<'_>, of: &Linearization, serial: &mut Serial<Seen>) -> Result<bool, Reason> {
        let merged = runs.test().merged(of.order());
        let in_one = vec![0; of.order().len()];
        let mut twice = Vec::with_capacity(2);
        for variation in [0, 1] {
            let (execution, _) = self.once(runs, Some(&merged), &in_one, Manner::Soon, variation)?;
            let Some(mut observation) = self.observe(&execution) else { return Ok(false) };
            let merged = observation.suffixes.pop().unwrap_or_default();
            observation.suffixes = of.split(merged, self.suffixes);
            twice.push(observation);
        }
        // One thread that waits for a call which it would make itself later says nothing: other threads would go on.
        let says_something = twice.iter().all(|observation| !observation.stuck && !observation.endless);
        if let (true, Some(other), Some(one)) = (says_something, twice.pop(), twice.pop()) {
            serial.add_twice(one, other);
        }
        let (first, was_blocked) = self.once(runs, None, of.order(), Manner::Soon, 0)?;
        let mut further = Vec::new();
        further.extend(was_blocked.then_some(Manner::Late));
        further.extend(waited_in_vain(&first).then_some(Manner::Untimed));
        let Some(observation) = self.observe(&first) else { return Ok(false) };
        serial.add(observation);
        for manner in further {
            let (execution, _) = self.once(runs, None, of.order(), manner, 0)?;
            let Some(observation) = self.observe(&execution) else { return Ok(false) };
            serial.add(observation);
        }
        Ok(true)
    }

    /// Runs once, in one thread if there is a test with one, and says whether a call had to let another go on.
    fn once(
        &self,
        runs: &mut Runs<'_>,
        merged: Option<&Prepared>,
        order: &[usize],
        manner: Manner,
        variation: u32,
    ) -> Result<(Execution, bool), Reason> {
        let of_job = runs.settings();
        let settings = RunSettings {
            // A wait that is over early, or without cause, is not what an order of calls is about.
            limits: Limits { early_timeouts: false, spurious_wakeups: 0, ..of_job.limits },
            values: if self.oracle == Oracle::Safety { Values::Identities } else { of_job.values },
            variation,
            ..of_job
        };
        let scheduler = CallByCall::new(order, manner);
        let was_blocked = scheduler.was_blocked();
        let execution = match merged {
            Some(merged) => runs.run_other(merged, Box::new(scheduler), settings)?,
            None => runs.run_as(Box::new(scheduler), settings)?,
        };
        Ok((execution, was_blocked.load(Ordering::Relaxed)))
    }

    /// None for an execution that asks the virtual machine to end.
    fn observe(&self, execution: &Execution) -> Option<Observation<Seen>> {
        let exits = matches!(execution.stop, Some(Stop::Exit(_)));
        (!exits).then(|| observe(execution, end(execution), self.must_end))
    }
}

/// Whether a wait was over by time that another call could have ended. Nobody else ends a sleep.
fn waited_in_vain(execution: &Execution) -> bool {
    execution.timed_out.iter().any(|&(at, thread)| {
        let next = execution.trace.steps[at..].iter().find(|step| step.thread == thread);
        next.is_some_and(|step| step.event.kind != EventKind::Sleep)
    })
}

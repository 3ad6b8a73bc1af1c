//! Each suffix by itself. One that fails so, or whose prefix does, is no test of threads.

use std::collections::BTreeSet;

use host::{CallResult, Execution, Prepared, RunSettings, Stop, Thrown, Value, Values};
use schedule::{EventKind, Step, ThreadId, went_round};
use testcase::{Argument, Call, Operation};

use super::call_by_call::{CallByCall, Manner};
use crate::worker::protocol::{Check, Job, Rejected};
use crate::worker::reason::Reason;
use crate::worker::runs::Runs;
use crate::worker::stop::describe_thrown;

/// After so many events whoever only spins has come to that.
const EVENTS_OF_SPIN: usize = 20_000;

/// What becomes of suffixes by themselves.
pub enum Alone {
    /// All of them return, or throw what the test itself throws: those calls, by suffix and number.
    Returns(Vec<(usize, usize)>),
    /// The test case is of no use: the first reason that there is.
    Fails(Rejected),
    /// One waits for others, which may come.
    Waits(Rejected),
}

/// Runs each suffix by itself.
pub fn try_suffixes(runs: &mut Runs<'_>, job: &Job, check: &Check) -> Result<Alone, Reason> {
    let (mut waits, mut thrown) = (None, Vec::new());
    let test = &job.test;
    let mut unsure = doubtful(runs, job);
    let of_test = oracle::thrown_by_test(test);
    // A test case without suffixes still has a prefix.
    let suffixes = if test.suffixes.is_empty() { vec![None] } else { (0..test.suffixes.len()).map(Some).collect() };
    for suffix in suffixes {
        let calls = suffix.map_or(0, |suffix| test.suffixes[suffix].len());
        let values = if unsure.is_empty() { Values::Unread } else { Values::Identities };
        // Nobody else is there to notice accesses.
        let mut settings = RunSettings { values, silent: true, alone: true, ..runs.settings() };
        let events = check.explore.events_alone.unwrap_or(usize::MAX);
        settings.limits.max_events = settings.limits.max_events.min(events);
        let alone = runs.test().alone(suffix);
        let scheduler = CallByCall::new(&vec![0; calls], Manner::Soon);
        let execution = runs.run_other(&alone, Box::new(scheduler), settings)?;
        let throws = |(_, result): &(usize, &CallResult)| matches!(result, CallResult::Threw(_));
        let throwing = execution.suffixes.first().into_iter().flatten().enumerate().filter(throws);
        thrown.extend(throwing.filter_map(|(call, _)| Some((suffix?, call))));
        // The prefix is the same for all suffixes.
        let unsure = std::mem::take(&mut unsure);
        let another = || unsure.into_iter().find_map(|call| another(runs, job, &execution, call));
        let rejected = rejected(&execution, suffix, &of_test).or_else(another);
        let is_waiting = matches!(execution.stop, Some(Stop::Deadlock(_))) && test.suffixes.len() > 1;
        let rejected = match rejected {
            Some(Rejected::SuffixEndless { suffix, call })
                if test.suffixes.len() > 1 && spins(runs, &alone, calls, events)? =>
            {
                waits = waits.or(Some(Rejected::SuffixSpins { suffix, call }));
                None
            }
            rejected => rejected,
        };
        match rejected {
            Some(Rejected::PrefixEndless { .. }) if has_returned(&execution.prefix) => {
                return Ok(Alone::Fails(Rejected::PrefixEndless { call: suspect(job) }));
            }
            Some(rejected @ Rejected::SuffixStuck { .. }) if is_waiting => waits = waits.or(Some(rejected)),
            Some(rejected) => return Ok(Alone::Fails(rejected)),
            None => {}
        }
    }
    Ok(waits.map_or(Alone::Returns(thrown), Alone::Waits))
}

/// Whether a suffix that has no end alone only looks, again and again, as whoever waits for others may do. Accesses that
/// nobody was told of do not show that, so it is run again.
fn spins(runs: &mut Runs<'_>, alone: &Prepared, calls: usize, events: usize) -> Result<bool, Reason> {
    let mut settings = RunSettings { values: Values::Unread, silent: false, alone: false, ..runs.settings() };
    settings.limits.max_events = settings.limits.max_events.min(events).min(EVENTS_OF_SPIN);
    let scheduler = CallByCall::new(&vec![0; calls], Manner::Soon);
    let execution = runs.run_other(alone, Box::new(scheduler), settings)?;
    Ok(matches!(execution.stop, Some(Stop::TooManyEvents)) && went_round(&execution.trace.steps, ThreadId(1)))
}

/// The call of the prefix that has most likely started a thread which has no end: the last one of the class under test.
fn suspect(job: &Job) -> usize {
    let prefix = &job.test.prefix;
    let is_of_class = |call: &Call| job.under_test.iter().any(|class| class == call.operation.class());
    prefix.iter().rposition(is_of_class).unwrap_or(prefix.len().saturating_sub(1))
}

/// Whether all of these calls have.
fn has_returned(calls: &[CallResult]) -> bool {
    calls.iter().all(|call| matches!(call, CallResult::Returned(_)))
}

/// Calls of the prefix that give the receivers of suffixes and may give anything: a method that has made a subject somewhere
/// in its code may return something else.
fn doubtful(runs: &Runs<'_>, job: &Job) -> Vec<usize> {
    let is_subject = |class: &str| {
        job.under_test
            .iter()
            .any(|of| of == class || runs.host.is_subclass(of, class) || runs.host.is_subclass(class, of))
    };
    let is_sure = |call: &Call| match &call.operation {
        Operation::Construct { class, .. } | Operation::Implement { class, .. } => job.under_test.contains(class),
        _ => false,
    };
    // What a subject gave out is of another class.
    let calls = job.test.suffixes.iter().flatten().filter(|call| is_subject(call.operation.class()));
    let receivers = calls.filter_map(|call| match call.operation.receiver() {
        Some(Argument::Value(number)) => Some(*number),
        _ => None,
    });
    let made = receivers.filter(|number| job.test.prefix.get(*number).is_some_and(|call| !is_sure(call)));
    Vec::from_iter(BTreeSet::from_iter(made))
}

/// Why a call that should give a subject is of no use: it gives an object of another class.
fn another(runs: &Runs<'_>, job: &Job, execution: &Execution, call: usize) -> Option<Rejected> {
    let Some(CallResult::Returned(Value::Object(object))) = execution.prefix.get(call) else { return None };
    let name = object.class.replace('.', "/");
    let is_it = job.under_test.iter().any(|class| *class == name || runs.host.is_subclass(&name, class));
    (!is_it).then(|| Rejected::Another { call, class: object.class.clone() })
}

/// Why a suffix is of no use. That a call passes on an exception which the test itself throws is no reason: what the class
/// leaves behind then is worth a look.
fn rejected(execution: &Execution, suffix: Option<usize>, of_test: &BTreeSet<String>) -> Option<Rejected> {
    if let Some(Stop::Exit(_)) = execution.stop {
        return Some(Rejected::Exits);
    }
    if let Some((call, thrown)) = threw(&execution.prefix) {
        return Some(Rejected::Prefix { call, thrown: describe_thrown(thrown) });
    }
    let calls = execution.suffixes.first().map_or(&[][..], |calls| calls);
    let uncaught = || execution.uncaught.first().map(|(_, thrown)| (calls.len().saturating_sub(1), thrown));
    let thrown = threw(calls).filter(|(_, thrown)| !of_test.contains(&*thrown.class));
    match (thrown.or_else(uncaught), suffix) {
        (Some((call, thrown)), Some(suffix)) => {
            return Some(Rejected::Suffix { suffix, call, thrown: describe_thrown(thrown) });
        }
        (Some((call, thrown)), None) => return Some(Rejected::Prefix { call, thrown: describe_thrown(thrown) }),
        (None, _) => {}
    }
    // What the prefix was cut off in has nothing to do with a suffix.
    let in_suffix = suffix.filter(|_| !matches!(execution.prefix.last(), Some(CallResult::CutOff)));
    // The last call of which anything is known is the one that did not return.
    let last = |calls: &[CallResult]| calls.len().saturating_sub(1);
    let is_endless = matches!(execution.stop, Some(Stop::TooManyEvents));
    // Where all have returned, a thread has no end that one of them has started.
    let of_started = || is_endless && has_returned(&execution.prefix) && has_returned(calls);
    execution.stop.is_some().then(|| match in_suffix {
        Some(suffix) if of_started() => match starting(execution) {
            Some(call) => Rejected::SuffixEndless { suffix, call },
            None => Rejected::PrefixEndless { call: last(&execution.prefix) },
        },
        Some(suffix) if is_endless => Rejected::SuffixEndless { suffix, call: last(calls) },
        Some(suffix) => Rejected::SuffixStuck { suffix, call: last(calls) },
        None if is_endless => Rejected::PrefixEndless { call: last(&execution.prefix) },
        None => Rejected::PrefixStuck { call: last(&execution.prefix) },
    })
}

/// The first call of the suffix that has started a thread; None if the prefix has.
fn starting(execution: &Execution) -> Option<usize> {
    let starts = |step: &Step| step.thread == ThreadId(1) && step.event.kind == EventKind::Start;
    let at = execution.trace.steps.iter().position(starts)?;
    let ends = execution.ends.first()?;
    Some(ends.iter().take_while(|&&end| end <= at).count().min(ends.len().saturating_sub(1)))
}

/// The call that threw.
fn threw(calls: &[CallResult]) -> Option<(usize, &Thrown)> {
    calls.iter().enumerate().find_map(|(call, result)| match result {
        CallResult::Threw(thrown) => Some((call, thrown)),
        _ => None,
    })
}

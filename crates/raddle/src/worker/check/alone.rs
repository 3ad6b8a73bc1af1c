//! Each suffix by itself. One that fails so, or whose prefix does, is no test of threads.

use host::{CallResult, Execution, RunSettings, Stop, Thrown, Values};
use testcase::TestCase;

use super::call_by_call::{CallByCall, Manner};
use crate::worker::protocol::Rejected;
use crate::worker::reason::Reason;
use crate::worker::runs::Runs;
use crate::worker::stop::describe_thrown;

/// Why a test case is of no use, if it is not: the first reason that there is.
pub fn try_suffixes(runs: &mut Runs<'_>, test: &TestCase) -> Result<Option<Rejected>, Reason> {
    // A test case without suffixes still has a prefix.
    let suffixes = if test.suffixes.is_empty() { vec![None] } else { (0..test.suffixes.len()).map(Some).collect() };
    for suffix in suffixes {
        let calls = suffix.map_or(0, |suffix| test.suffixes[suffix].len());
        let settings = RunSettings { values: Values::Unread, ..runs.settings() };
        let alone = runs.test().alone(suffix);
        let scheduler = CallByCall::new(&vec![0; calls], Manner::Soon);
        let execution = runs.run_other(&alone, Box::new(scheduler), settings)?;
        let rejected = rejected(&execution, suffix);
        if rejected.is_some() {
            return Ok(rejected);
        }
    }
    Ok(None)
}

fn rejected(execution: &Execution, suffix: Option<usize>) -> Option<Rejected> {
    if let Some(Stop::Exit(_)) = execution.stop {
        return Some(Rejected::Exits);
    }
    if let Some((call, thrown)) = threw(&execution.prefix) {
        return Some(Rejected::Prefix { call, thrown: describe_thrown(thrown) });
    }
    let calls = execution.suffixes.first().map_or(&[][..], |calls| calls);
    let uncaught = || execution.uncaught.first().map(|(_, thrown)| (calls.len().saturating_sub(1), thrown));
    match (threw(calls).or_else(uncaught), suffix) {
        (Some((call, thrown)), Some(suffix)) => {
            return Some(Rejected::Suffix { suffix, call, thrown: describe_thrown(thrown) });
        }
        (Some((call, thrown)), None) => return Some(Rejected::Prefix { call, thrown: describe_thrown(thrown) }),
        (None, _) => {}
    }
    // What the prefix was cut off in has nothing to do with a suffix.
    let in_suffix = suffix.filter(|_| !matches!(execution.prefix.last(), Some(CallResult::CutOff)));
    // The last call of which anything is known is the one that did not return.
    let call = in_suffix.map(|suffix| (suffix, calls.len().saturating_sub(1)));
    execution.stop.is_some().then_some(Rejected::Stuck { call })
}

/// The call that threw.
fn threw(calls: &[CallResult]) -> Option<(usize, &Thrown)> {
    calls.iter().enumerate().find_map(|(call, result)| match result {
        CallResult::Threw(thrown) => Some((call, thrown)),
        _ => None,
    })
}

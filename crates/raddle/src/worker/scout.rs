//! A row of calls in one thread: which of them get where.

use std::collections::{HashMap, HashSet};

use host::{CallResult, RunSettings, Values};
use schedule::InOrder;

use super::protocol::{Job, Scouted};
use super::reached;
use super::reason::Reason;
use super::runs::Runs;

/// Makes the calls of the only suffix, whatever they throw, and tells which of them was the first at each of these
/// places.
pub fn run(runs: &mut Runs<'_>, job: &Job, wanted: &[u64]) -> Result<(), Reason> {
    let settings = RunSettings { values: Values::Unread, goes_on: true, ..runs.settings() };
    let execution = runs.run_as(Box::new(InOrder), settings)?;
    let prefix = execution.prefix.iter().position(|result| !matches!(result, CallResult::Returned(_)));
    let mut open: HashSet<u64> = wanted.iter().copied().collect();
    let (mut places, mut hits) = (HashMap::new(), Vec::new());
    let ends = execution.ends.first().cloned().unwrap_or_default();
    for (number, step) in execution.trace.steps.iter().enumerate().filter(|(_, step)| step.thread.0 == 1) {
        let at = reached::at(step);
        let here: &Vec<u64> = places.entry(at).or_insert_with(|| reached::places(runs.host, at).collect());
        let call = ends.iter().take_while(|&&end| end <= number).count();
        let is_call = job.test.suffixes.first().is_some_and(|calls| call < calls.len());
        hits.extend(here.iter().filter(|place| is_call && open.remove(place)).map(|place| (call, *place)));
    }
    let results = execution.suffixes.first().into_iter().flatten();
    let returned = results.map(|result| matches!(result, CallResult::Returned(_))).collect();
    runs.scouted(Scouted { failed_in_prefix: prefix, hits, returned });
    Ok(())
}

//! A row of calls in one thread: which of them get where, and by which path each goes.
//!
//! The path of a call is the set of places that it touches. Where a call goes another way than those before it, the
//! state has changed in a way that the code looks at: a ring is full, a budget is used up.

use std::collections::{BTreeSet, HashMap, HashSet};

use host::{CallResult, Host, RunSettings, Values};
use schedule::InOrder;

use super::protocol::{Job, Scouted};
use super::reached::{self, Held, Spot};
use super::reason::Reason;
use super::runs::Runs;

/// Makes the calls of the only suffix, whatever they throw, and tells which of them was the first at each of these
/// places.
pub fn run(runs: &mut Runs<'_>, job: &Job, wanted: &[u64]) -> Result<(), Reason> {
    let settings = RunSettings { values: Values::Unread, goes_on: true, ..runs.settings() };
    let execution = runs.run_as(Box::new(InOrder), settings)?;
    let prefix = execution.prefix.iter().position(|result| !matches!(result, CallResult::Returned(_)));
    let mut open: HashSet<u64> = wanted.iter().copied().collect();
    let (mut places, mut parts, mut hits) = (HashMap::new(), HashMap::new(), Vec::new());
    let calls = job.test.suffixes.first().map_or(0, Vec::len);
    let mut paths = vec![BTreeSet::new(); calls];
    let mut held = Held::default();
    let ends = execution.ends.first().cloned().unwrap_or_default();
    for (number, step) in execution.trace.steps.iter().enumerate().filter(|(_, step)| step.thread.0 == 1) {
        let at = reached::at(step);
        let here: &Vec<u64> = places.entry(at).or_insert_with(|| reached::places(runs.host, at).collect());
        let call = ends.iter().take_while(|&&end| end <= number).count();
        let Some(path) = paths.get_mut(call) else { continue };
        let writes = step.event.kind.is_write();
        path.extend(*parts.entry((at, writes)).or_insert_with(|| part_of_path(runs.host, at, writes)));
        hits.extend(here.iter().filter(|place| open.remove(place)).map(|place| (call, *place)));
        let nested = held.nested(step).into_iter().flat_map(|at| reached::places(runs.host, at));
        hits.extend(nested.filter(|place| open.remove(place)).map(|place| (call, place)));
    }
    let results = execution.suffixes.first().into_iter().flatten();
    let returned = results.map(|result| matches!(result, CallResult::Returned(_))).collect();
    let paths = paths.iter().map(testgen::path).collect();
    runs.scouted(Scouted { failed_in_prefix: prefix, hits, returned, paths });
    Ok(())
}

/// What an access counts for in a path. How often a collection of the JDK looks around in itself depends on hashes and
/// sizes, so any place in one of its classes is the same; but to look is one thing, and to change something another.
fn part_of_path(host: &Host, at: Spot, writes: bool) -> Option<u64> {
    let Spot::Site(site) = at else {
        return reached::places(host, at).last().map(|place| testgen::part(place, writes));
    };
    let site = host.site(site)?;
    Some(match testgen::is_of_jdk(&site.class) {
        true => testgen::part(testgen::place(&site.class, "", 0), writes),
        false => testgen::place(&site.class, &site.method, site.pc),
    })
}

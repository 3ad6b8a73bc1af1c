//! Why nothing can be said of a class in which nothing was found, and what would help.

use std::collections::BTreeMap;

use report::thousands;

use super::advice;
use super::counts::Counts;
use super::coverage::{Coverage, LEAST_PERCENT};
use crate::worker::reason::Reason;

/// Why so little was tested that nothing can be said, and what would help.
pub fn barely(counts: &Counts, coverage: &Coverage) -> String {
    let Coverage { all, tested, .. } = coverage;
    let what = format!(
        "barely tested: {} of {} ways in which pairs of methods may hurt each other were tested, and less than \
         {LEAST_PERCENT}% say nothing",
        thousands(*tested),
        thousands(*all),
    );
    let unusable: u64 = counts.unknown.values().sum();
    let most = |of: &BTreeMap<String, u64>| of.iter().max_by_key(|(_, count)| **count).map(|(why, _)| why.clone());
    let why = match () {
        _ if 2 * coverage.out_of_reach > *all => format!("not tested: {}", coverage.untested.join("; ")),
        _ if unusable > counts.tests
            && let Some(why) = most(&counts.unknown) =>
        {
            format!("{} could not be run: {why}", report::count(unusable as usize, "test"))
        }
        _ if counts.rejected > counts.tests
            && let Some(why) = most(&counts.rejections) =>
        {
            let tests = report::count(counts.rejected as usize, "test");
            format!("{tests} failed even if calls were made alone, mostly {why}")
        }
        _ => {
            let each = counts.seconds / counts.tests.max(1) as f64;
            format!("a test takes {each:.1} s: allow more time with --budget, or leave slow methods out with --skip")
        }
    };
    advice::with_advice(&format!("{what}; {why}"))
}

/// Why no test could be run at all, if that is so.
pub fn unusable(counts: &Counts) -> Option<&str> {
    let worst = counts.unknown.iter().max_by_key(|(_, count)| **count);
    let is_worse = |count: u64| counts.tests == 0 && count >= counts.rejected;
    worst.filter(|(_, count)| is_worse(**count)).map(|(reason, _)| &**reason)
}

/// Why no test was run, where all that were tried were rejected.
pub fn in_vain(counts: &Counts) -> String {
    let tried = counts.rejected;
    if tried == 0 {
        return "the budget was over before a test had run: allow more time with --budget".into();
    }
    if let Some((class, _)) = counts.missing.iter().find(|(_, count)| 2 * **count >= tried) {
        return Reason::MissingClass { class: class.clone() }.to_string();
    }
    let why = format!("each of the {tried} tests that were tried fails even if its calls are made one after the other");
    match counts.rejections.iter().max_by_key(|(_, count)| **count) {
        Some((most, _)) => advice::with_advice(&format!("{why}; mostly {most}")),
        None => why,
    }
}

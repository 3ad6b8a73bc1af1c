//! What a search has done so far, in figures.

use std::collections::{BTreeMap, BTreeSet};

use super::refusals::Refusal;
use super::unsure::Unsure;

/// What a search came to.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Tests that were run.
    pub tests: u64,
    /// Those of them of which every schedule was run.
    pub certified: u64,
    /// Tests that were of no use: a call failed when it was alone.
    pub rejected: u64,
    /// Which call failed alone, and how, or what there was not enough of, with how often.
    pub rejections: BTreeMap<String, u64>,
    /// Classes that are not there, with how many tests were of no use because of that.
    pub missing: BTreeMap<String, u64>,
    /// Such classes that tests asked for under some schedules only.
    pub lacks: BTreeSet<String>,
    /// Tests of which nothing can be said, and why, with how many there were.
    pub unknown: BTreeMap<String, u64>,
    pub executions: u64,
    /// How much work it was, in events of all executions.
    pub effort: u64,
    /// Pairs of methods that were run together, and those with a test that was certified.
    pub tested: BTreeSet<(String, String)>,
    pub certain: BTreeSet<(String, String)>,
    /// How many tests each method was in, and in how many of them it gave another result when the same calls were made in the
    /// same order.
    pub steadiness: BTreeMap<String, (u64, u64)>,
    /// Static state that is not put back between executions, and why.
    pub unrestored: BTreeSet<String>,
    /// What the fence refused.
    pub refused: BTreeSet<String>,
    /// What threads did in tests that others may have seen and that is no event, with the number of tests. None of
    /// these is certified.
    pub unseen: BTreeMap<String, u64>,
    /// Tests with exceptions that may be by what was refused.
    pub excused: u64,
    /// Tests that fail as findings do, and show nothing else.
    pub variants: u64,
    /// What looked like findings and did not fail again in a worker that had done nothing else.
    pub withdrawn: u64,
    /// Failures that could not be reproduced.
    pub unsure: Vec<Unsure>,
    /// Calls that were refused under contention, as the class documents.
    pub refusals: Vec<Refusal>,
    /// Findings past the most that are told.
    pub untold: u64,
    pub seconds: f64,
    pub spent: Spent,
    /// No new tests came to mind.
    pub exhausted: bool,
    /// A whole round of tests was certified, and showed nothing new.
    pub saturated: bool,
}

impl Counts {
    /// Methods that mostly give another result when the same calls are made in the same order. (Now and then any method does, if
    /// it is given something that does.)
    pub fn unsteady(&self) -> Vec<&str> {
        let mostly = self.steadiness.iter().filter(|(_, (tests, unsteady))| 2 * unsteady > *tests);
        mostly.map(|(name, _)| &**name).collect()
    }
}

/// Where the time of the supervisor and of the workers went, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Writing tests.
    pub generating: f64,
    /// Tests in one thread: each suffix alone, and linearizations.
    pub serial: f64,
    /// Tests under schedules.
    pub exploring: f64,
    /// Both, to make findings smaller and to explain them.
    pub shrinking: f64,
}

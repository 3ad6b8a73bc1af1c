//! Failures of a search that could not be reproduced: they failed under a schedule once and not again, or not in a fresh
//! virtual machine.

use serde_json::{Value, json};
use testcase::TestCase;

use super::findings::Findings;
use super::methods;
use crate::unconfirmed;
use crate::worker::protocol::{Failure, Passed, Unconfirmed};

/// A failure that could not be reproduced, and the methods of its test.
#[derive(Clone, Debug)]
pub struct Unsure {
    pub unconfirmed: Unconfirmed,
    methods: Vec<String>,
}

/// At most this many are kept of one class.
const MAX_UNSURE: usize = 16;

impl Unsure {
    fn new(test: &TestCase, unconfirmed: Unconfirmed) -> Unsure {
        let methods = test.suffixes.iter().flatten().filter_map(methods::with_descriptor).collect();
        Unsure { unconfirmed, methods }
    }

    fn add_to(self, others: &mut Vec<Unsure>) {
        let is_known = others.iter().any(|other| other.unconfirmed.failure.is_same(&self.unconfirmed.failure));
        if others.len() < MAX_UNSURE && !is_known {
            others.push(self);
        }
    }

    /// In a line.
    pub fn line(&self) -> String {
        let names = self.methods.iter().map(|method| method.split('(').next().unwrap_or(method));
        let names: Vec<&str> = names.collect();
        unconfirmed::line(&self.unconfirmed).trim_end().to_owned() + &format!(" (calls: {})\n", names.join(", "))
    }

    /// For programs.
    pub fn document(&self) -> Value {
        let mut document = unconfirmed::document(&self.unconfirmed);
        document["methods"] = json!(self.methods);
        document
    }
}

/// A test has failed so, and not again under the same schedule.
pub fn note(test: &TestCase, failures: Vec<Unconfirmed>, unsure: &mut Vec<Unsure>) {
    failures.into_iter().for_each(|failure| Unsure::new(test, failure).add_to(unsure));
}

/// All that could not be reproduced in the end: these, and the findings that were withdrawn. What is a finding after all is left out.
pub fn conclude(noted: Vec<Unsure>, findings: &Findings) -> Vec<Unsure> {
    let told: Vec<&Failure> =
        findings.all.iter().filter(|found| found.is_told()).map(|found| &found.finding.failure).collect();
    let withdrawn = findings.all.iter().filter(|found| found.is_withdrawn).map(|found| {
        let failure = found.finding.failure.clone();
        Unsure::new(&found.job.test, Unconfirmed { failure, passed: Passed::Fresh })
    });
    let mut all = Vec::new();
    let is_told = |it: &Unsure| told.iter().any(|told| told.is_same(&it.unconfirmed.failure));
    withdrawn.chain(noted).filter(|it| !is_told(it)).for_each(|it| it.add_to(&mut all));
    all
}

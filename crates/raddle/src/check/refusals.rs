//! Refusals under contention: calls that were not taken because others were at it, as the class documents. They are
//! reported after all findings, and are no violations (`docs/design/oracle.md`).

use serde_json::{Value, json};
use testcase::TestCase;

use super::methods;
use crate::worker::protocol::Failure;

/// A refusal, and the methods of the test that shows it.
#[derive(Clone, Debug)]
pub struct Refusal {
    failure: Failure,
    methods: Vec<String>,
}

/// Upper bound on the refusals that are kept of one class.
const MAX_REFUSALS: usize = 16;

impl Refusal {
    /// In a line.
    pub fn line(&self) -> String {
        let names: Vec<&str> = self.methods.iter().map(|it| it.split('(').next().unwrap_or(it)).collect();
        let what = report::clean(&self.failure.what);
        format!("refusal under contention, no violation by itself: {what} (calls: {})\n", names.join(", "))
    }

    /// For programs.
    pub fn document(&self) -> Value {
        json!({ "kind": self.failure.kind.name(), "what": self.failure.what, "methods": self.methods })
    }
}

/// Adds a refusal that a test has shown, unless there is one of the same calls.
pub fn note(test: &TestCase, failure: &Failure, refusals: &mut Vec<Refusal>) {
    let methods: Vec<String> = test.suffixes.iter().flatten().filter_map(methods::with_descriptor).collect();
    let is_known = |it: &Refusal| it.failure.is_same(failure) && it.methods.iter().all(|name| methods.contains(name));
    if refusals.len() < MAX_REFUSALS && !refusals.iter().any(is_known) {
        refusals.push(Refusal { failure: failure.clone(), methods });
    }
}

//! Findings of a search, and how they are told apart.

use std::collections::BTreeSet;

use host::CallResult;
use testcase::TestCase;

use super::methods;
use crate::worker::protocol::{FailureKind, Finding, Job};

/// A violation, with the test that shows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// The job that showed it: what is run again to see it.
    pub job: Job,
    pub finding: Finding,
    /// So many executions of the whole search had run.
    pub executions_to_find: u64,
    pub seconds_to_find: f64,
    /// The job that showed it first, and how.
    pub original: (Job, Finding),
    /// Nothing smaller shows it, or there was no time to look.
    pub is_shrunk: bool,
    /// All is known of it that there will be.
    pub is_concluded: bool,
    /// It has turned out to say nothing that others do not.
    pub is_double: bool,
    /// What was last seen to fail in a worker that had done nothing else. None if nothing was, or not yet.
    pub confirmed: Option<(Job, Finding)>,
    /// It did not fail there.
    pub is_withdrawn: bool,
    /// Nothing could be said once, and it had another chance.
    pub is_tried_again: bool,
}

/// One thing that a finding says about a class: that it throws so at a place, that a method does, because of its own object or of
/// what it is given, or that a method deadlocks over locks of these classes. A class with a lock too few has as many failing pairs
/// of methods as there are pairs; a finding is worth telling if it says something that no other does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Trait {
    kind: &'static str,
    /// The exception, if it is one.
    exception: Option<String>,
    what: String,
}

impl Found {
    /// As it was found, after so many executions and seconds.
    pub fn new(job: &Job, finding: Finding, executions_to_find: u64, seconds_to_find: f64) -> Found {
        Found {
            job: job.clone(),
            original: (job.clone(), finding.clone()),
            finding,
            executions_to_find,
            seconds_to_find,
            is_shrunk: false,
            is_concluded: false,
            is_double: false,
            confirmed: None,
            is_withdrawn: false,
            is_tried_again: false,
        }
    }

    /// Whether it is to be told.
    pub fn is_told(&self) -> bool {
        self.confirmed.is_some() && self.is_open()
    }

    /// Whether it is, or may be yet.
    pub fn is_open(&self) -> bool {
        !self.is_double && !self.is_withdrawn
    }

    /// Whether its test has one call a thread.
    pub fn is_plain(&self) -> bool {
        is_plain(&self.job.test)
    }

    /// Goes back to what is confirmed or, if nothing is, to what was found first.
    pub fn restore(&mut self) {
        (self.job, self.finding) = self.confirmed.as_ref().unwrap_or(&self.original).clone();
    }

    /// Whether it is the same test under the same schedule.
    pub fn is_as(&self, (job, finding): &(Job, Finding)) -> bool {
        let (own, other) = (&self.finding.shown, &finding.shown);
        self.job.test == job.test && (&own.turns, &own.timeouts) == (&other.turns, &other.timeouts)
    }

    /// The class of the exception, if it is one.
    pub fn exception(&self) -> Option<String> {
        exception(&self.finding)
    }

    /// All that it says.
    pub fn traits(&self) -> BTreeSet<Trait> {
        traits(&self.job.test, &self.finding)
    }
}

/// Whether a test has one call a thread: then no call relies on what an earlier one of its thread has said.
pub fn is_plain(test: &TestCase) -> bool {
    test.suffixes.iter().all(|calls| calls.len() == 1)
}

/// All that a finding of a test says about the class.
pub fn traits(test: &TestCase, finding: &Finding) -> BTreeSet<Trait> {
    let failure = &finding.failure;
    let of = |what: String| Trait { kind: failure.kind.name(), exception: exception(finding), what };
    let calls = || test.suffixes.iter().flatten().filter_map(methods::with_descriptor);
    match failure.kind {
        FailureKind::Exception => {
            let failing = failing_method(test, finding);
            [Some(failure.place.clone()), failing].into_iter().flatten().map(of).collect()
        }
        // Where threads wait does not count, for two calls that take each other's locks often do so in many places.
        FailureKind::Deadlock => calls().map(|call| of(format!("{call} {}", failure.awaited))).collect(),
        FailureKind::Hang | FailureKind::Linearizability => calls().map(of).collect(),
    }
}

/// The method that the exception came out of. One that fails because others use its own object says more about the class than one
/// that is given an object which others use: whoever calls it can help that.
fn failing_method(test: &TestCase, finding: &Finding) -> Option<String> {
    let exception = exception(finding)?;
    let last = |results: &[CallResult]| match results.last() {
        Some(CallResult::Threw(thrown)) if thrown.class == exception => Some(results.len() - 1),
        _ => None,
    };
    let failing = finding.shown.suffixes.iter().zip(&test.suffixes).enumerate();
    let (suffix, call) =
        failing.filter_map(|(suffix, (results, calls))| Some((suffix, calls.get(last(results)?)?))).next()?;
    let method = methods::with_descriptor(call)?;
    let receiver = call.operation.receiver();
    let others = test.suffixes.iter().enumerate().filter(|(other, _)| *other != suffix).flat_map(|(_, calls)| calls);
    let is_shared = receiver.is_none() || others.into_iter().any(|other| other.operation.receiver() == receiver);
    Some(if is_shared { method } else { format!("{method} by what it is given") })
}

/// The class of the exception that a finding is about.
pub fn exception(finding: &Finding) -> Option<String> {
    let what = &finding.failure.what;
    let class = what.split([':', ' ']).next().unwrap_or_default();
    (finding.failure.kind == FailureKind::Exception).then(|| class.to_owned())
}

#[cfg(test)]
mod tests {
    use host::Thrown;
    use testcase::{Argument, Call, Operation};

    use super::*;
    use crate::worker::protocol::{Failure, Shown};

    /// A call of `insert` with one value, or of `clear` with none.
    fn call(on: usize, given: &[usize]) -> Call {
        let (name, descriptor) = if given.is_empty() { ("clear", "()V") } else { ("insert", "(LText;)V") };
        let receiver = Argument::Value(on);
        let operation =
            Operation::Virtual { class: "Text".into(), name: name.into(), descriptor: descriptor.into(), receiver };
        Call { operation, arguments: given.iter().map(|&value| Argument::Value(value)).collect() }
    }

    /// What is said if the first call throws while the second is made.
    fn said(first: Call, second: Call) -> BTreeSet<Trait> {
        let test = TestCase { suffixes: vec![vec![first], vec![second]], ..TestCase::default() };
        let thrown = Thrown { class: "Broken".into(), ..Thrown::default() };
        let suffixes = vec![vec![CallResult::Threw(thrown)], vec![]];
        let failure = Failure {
            kind: FailureKind::Exception,
            what: "Broken: it is".into(),
            place: "Text.insert".into(),
            ..Failure::default()
        };
        traits(&test, &Finding { failure, shown: Shown { suffixes, ..Shown::default() }, ..Finding::default() })
    }

    #[test]
    fn a_method_that_fails_by_its_own_object_says_more_than_one_that_fails_by_what_it_is_given() {
        let of_itself = said(call(0, &[0]), call(0, &[]));
        let of_another = said(call(0, &[1]), call(1, &[]));
        let of_a_third = said(call(0, &[2]), call(2, &[]));
        assert_eq!(of_another, of_a_third);
        assert!(!of_itself.is_subset(&of_another) && !of_another.is_subset(&of_itself));
        // Whatever it is given, if it is its own object that others use.
        assert_eq!(of_itself, said(call(0, &[1]), call(0, &[])));
    }
}

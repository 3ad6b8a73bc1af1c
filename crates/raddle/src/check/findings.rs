//! What a search has found so far, and what is to be done about it: each finding is made small, and must fail in a worker that has
//! done nothing else, before it is told. Workers are not known here: [`Findings::next`] says what is to be run, and whoever runs it
//! says what came of it.

use std::collections::{BTreeSet, VecDeque};

use super::clock::Haste;
use super::foreign::OwnCode;
use super::found::{Found, Trait, is_plain, traits};
use super::shrinking::{Shrinking, Trial};
use crate::worker::protocol::{Finding, Job};

/// What a search has found.
pub struct Findings {
    pub all: Vec<Found>,
    /// The code whose exceptions count: those of other classes that a test calls itself are none of the class under test.
    pub own: OwnCode,
    /// Whether one is enough.
    first: bool,
    /// Those that are to be run again in a worker of their own.
    confirming: VecDeque<usize>,
    shrinking: VecDeque<Shrinking>,
    known: BTreeSet<Trait>,
    /// The same of those with one call a thread.
    known_plain: BTreeSet<Trait>,
    /// Those that did not fail again.
    pub withdrawn: u64,
    /// Those past the most that are told.
    pub untold: u64,
    /// There was no time to confirm all of them.
    pub is_cut: bool,
}

/// What is to be run.
pub enum Step {
    /// The finding with this number, in a worker of its own.
    Confirm(usize),
    /// Something smaller; in a hurry, if there is no time for more than the last trial.
    Shrink { shrinking: Box<Shrinking>, trial: Trial, hurry: bool },
}

/// What a finding did in a worker of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    Fails,
    Passes,
    /// Nothing can be said.
    Unknown,
}

/// What did not fail again is looked at so often, for a part of it may be real; then it is known.
const MOST_WITHDRAWN: u64 = 5;
/// So many findings of one class are told.
const MOST: usize = 50;

impl Findings {
    pub fn new(first: bool) -> Findings {
        Findings {
            all: Vec::new(),
            own: OwnCode::default(),
            first,
            confirming: VecDeque::new(),
            shrinking: VecDeque::new(),
            known: BTreeSet::new(),
            known_plain: BTreeSet::new(),
            withdrawn: 0,
            untold: 0,
            is_cut: false,
        }
    }

    /// Whether nothing more has to be found.
    pub fn is_enough(&self) -> bool {
        self.first && self.all.iter().any(Found::is_open)
    }

    /// How many are to be told so far.
    pub fn told(&self) -> usize {
        self.all.iter().filter(|found| found.is_told()).count()
    }

    /// Whether something is left to be run.
    pub fn has_work(&self) -> bool {
        !self.confirming.is_empty() || !self.shrinking.is_empty()
    }

    /// What is to be run next; nothing is made smaller if something else has the turn.
    pub fn next(&mut self, haste: Haste, may_shrink: bool) -> Option<Step> {
        if haste >= Haste::Confirm {
            for shrinking in std::mem::take(&mut self.shrinking) {
                self.shrunk(shrinking.number());
            }
        }
        if haste == Haste::Over {
            self.is_cut |= !self.confirming.is_empty();
            self.confirming.clear();
        }
        if let Some(number) = self.confirming.pop_front() {
            return Some(Step::Confirm(number));
        }
        if !may_shrink {
            return None;
        }
        let hurry = haste >= Haste::Hurry;
        while let Some(mut shrinking) = self.shrinking.pop_front() {
            if let Some(trial) = shrinking.next(hurry) {
                return Some(Step::Shrink { shrinking: Box::new(shrinking), trial, hurry });
            }
        }
        None
    }

    /// What looks like a violation, after so many executions and seconds; says whether it is a new one.
    pub fn found(&mut self, job: &Job, finding: Finding, executions: u64, seconds: f64) -> bool {
        let (traits, is_plain) = (traits(&job.test, &finding), is_plain(&job.test));
        // One call a thread says more than a longer test that fails in the same way.
        let known = if is_plain { &self.known_plain } else { &self.known };
        if self.is_enough() || traits.is_subset(known) || !self.own.concerns(&job.test, &finding) {
            return false;
        }
        if is_plain {
            self.known_plain.extend(traits.iter().cloned());
        }
        self.known.extend(traits);
        let open = self.all.iter().filter(|found| found.is_open()).count();
        if open >= MOST {
            self.untold += 1;
            return false;
        }
        let number = self.all.len();
        self.all.push(Found::new(job, finding, executions, seconds));
        // The first is told as soon as it is sure, the others when they are small: a worker of its own takes a while to start. But
        // where some were nothing, it is not worth while to make others small before they are sure.
        match open > 0 && self.withdrawn == 0 {
            true => self.shrinking.push_back(Shrinking::new(number, &self.all[number])),
            false => self.confirming.push_back(number),
        }
        true
    }

    /// A trial has come to its end: the job that shows the same failure, if it does. Says which finding is to be told, if one is.
    pub fn tried(&mut self, mut shrinking: Shrinking, trial: Trial, seen: Option<(Job, Finding)>) -> Option<usize> {
        let number = shrinking.number();
        let seen = seen.filter(|(job, finding)| self.own.concerns(&job.test, finding));
        let is_last = matches!(trial, Trial::Last);
        shrinking.note(trial, seen.is_some());
        if let Some(smaller) = seen {
            // Whatever comes next, what is smaller is not lost.
            let found = &mut self.all[number];
            (found.job, found.finding) = smaller;
        }
        if !is_last {
            self.shrinking.push_front(shrinking);
            return None;
        }
        self.shrunk(number)
    }

    /// Nothing smaller was found, or there is no time.
    fn shrunk(&mut self, number: usize) -> Option<usize> {
        let found = &mut self.all[number];
        found.is_shrunk = true;
        let is_sure = found.confirmed.as_ref().is_some_and(|confirmed| found.is_as(confirmed));
        if is_sure || self.is_double(number) {
            return self.conclude(number);
        }
        self.confirming.push_back(number);
        None
    }

    /// A finding was run again in a worker of its own; says its number if it is to be told.
    pub fn ran_again(&mut self, number: usize, again: Again) -> Option<usize> {
        let found = &mut self.all[number];
        if again == Again::Fails {
            found.confirmed = Some((found.job.clone(), found.finding.clone()));
            if found.is_shrunk {
                return self.conclude(number);
            }
            self.shrinking.push_back(Shrinking::new(number, found));
            return Some(number);
        }
        if again == Again::Unknown && !found.is_tried_again {
            // A cold virtual machine may have been too slow, or one was killed.
            found.is_tried_again = true;
            self.confirming.push_back(number);
            return None;
        }
        let is_original = found.is_as(&found.original);
        // What was made of it where others had run before is not what it is.
        found.restore();
        if found.confirmed.is_some() {
            return self.conclude(number);
        }
        if !is_original {
            self.confirming.push_back(number);
            return None;
        }
        found.is_withdrawn = true;
        self.withdrawn += 1;
        self.forget();
        None
    }

    /// What is known of a finding is all that there will be.
    fn conclude(&mut self, number: usize) -> Option<usize> {
        self.all[number].is_concluded = true;
        self.all[number].is_double = self.is_double(number);
        if self.all[number].is_told() && self.all[number].is_plain() {
            self.outdo_longer();
        }
        self.forget();
        self.all[number].is_told().then_some(number)
    }

    /// Longer tests that say nothing beyond those with one call a thread are doubles of these.
    fn outdo_longer(&mut self) {
        let is_longer = |found: &Found| found.is_concluded && found.is_told() && !found.is_plain();
        for number in 0..self.all.len() {
            if is_longer(&self.all[number]) {
                self.all[number].is_double = self.all[number].traits().is_subset(&self.concluded(number, true));
            }
        }
    }

    /// All that is said by other findings of which nothing more will be known, or by those of them with one call a
    /// thread.
    fn concluded(&self, but: usize, only_plain: bool) -> BTreeSet<Trait> {
        let others = self.all.iter().enumerate().filter(|(other, _)| *other != but).map(|(_, found)| found);
        let concluded = others.filter(|found| found.is_concluded && found.is_told());
        concluded.filter(|found| !only_plain || found.is_plain()).flat_map(Found::traits).collect()
    }

    /// Whether a finding has become what others are. One that is to be shrunk yet may have to do with less than it seems.
    fn is_double(&self, number: usize) -> bool {
        let found = &self.all[number];
        found.traits().is_subset(&self.concluded(number, found.is_plain()))
    }

    /// What findings no longer have to do with is still to be found.
    fn forget(&mut self) {
        let hopeless = self.withdrawn >= MOST_WITHDRAWN;
        let known = || self.all.iter().filter(|found| found.is_open() || found.is_withdrawn && hopeless);
        self.known_plain = known().filter(|found| found.is_plain()).flat_map(Found::traits).collect();
        self.known = known().flat_map(Found::traits).collect();
    }

    /// There is no more time. What nobody is sure of is told as it is known best.
    pub fn end(&mut self, stopped: bool) {
        for number in 0..self.all.len() {
            match &self.all[number] {
                found if found.is_concluded => {}
                found if found.confirmed.is_some() => self.all[number].restore(),
                _ => self.all[number].is_double = self.is_double(number),
            }
        }
        self.is_cut |= stopped;
    }
}

#[cfg(test)]
mod tests {
    use testcase::{Argument, Call, Operation, TestCase};

    use super::*;
    use crate::worker::protocol::{Failure, FailureKind, Plan};

    /// A job with two calls that nothing needs.
    fn job() -> Job {
        let call = || Call {
            operation: Operation::Static { class: "A".into(), name: "a".into(), descriptor: "(I)V".into() },
            arguments: vec![Argument::Int(0)],
        };
        let test = TestCase { prefix: vec![call()], suffixes: vec![vec![call()], vec![call()]], probes: vec![] };
        let plan = Plan::Random { seed: 0, executions: 0, exhaust: false };
        Job { test, under_test: vec!["A".into()], plan, limits: host::Limits::default(), opened: vec![] }
    }

    fn finding(place: &str) -> Finding {
        let failure = Failure { kind: FailureKind::Exception, place: place.into(), ..Failure::default() };
        Finding { failure, ..Finding::default() }
    }

    fn found(findings: &mut Findings, place: &str) -> bool {
        findings.found(&job(), finding(place), 1, 1.0)
    }

    /// The number of the finding that is to be confirmed next.
    fn confirmed_next(findings: &mut Findings) -> usize {
        match findings.next(Haste::None, false) {
            Some(Step::Confirm(number)) => number,
            _ => panic!("nothing is to be confirmed"),
        }
    }

    /// Shrinks to the test without its prefix, and says what is to be told.
    fn shrink(findings: &mut Findings) -> Option<usize> {
        loop {
            let Some(Step::Shrink { shrinking, trial, .. }) = findings.next(Haste::None, true) else {
                panic!("nothing is shrunk")
            };
            let test = if let Trial::Smaller(test) = &trial { test.clone() } else { shrinking.test().clone() };
            let fails = test.prefix.is_empty();
            let place = shrinking.failure().place.clone();
            let seen = fails.then(|| (Job { test, ..job() }, finding(&place)));
            let is_last = matches!(trial, Trial::Last);
            let told = findings.tried(*shrinking, trial, seen);
            if is_last {
                return told;
            }
        }
    }

    #[test]
    fn the_first_is_sure_before_it_is_small_and_the_next_after() {
        let mut findings = Findings::new(false);
        assert!(found(&mut findings, "one") && !found(&mut findings, "one") && found(&mut findings, "two"));
        assert_eq!(confirmed_next(&mut findings), 0);
        assert_eq!(findings.ran_again(0, Again::Fails), Some(0), "it is told at once");
        assert!(findings.next(Haste::None, false).is_none(), "the search has the turn");
        assert_eq!(shrink(&mut findings), None, "the second, which is not sure");
        assert_eq!(confirmed_next(&mut findings), 1);
        assert_eq!(findings.ran_again(1, Again::Fails), Some(1));
        assert_eq!(shrink(&mut findings), None, "the first, whose smaller test is not sure");
        assert_eq!(confirmed_next(&mut findings), 0);
        assert_eq!(findings.ran_again(0, Again::Fails), Some(0));
        assert!(findings.all.iter().all(|found| found.job.test.prefix.is_empty() && found.is_told()));
        assert!(findings.next(Haste::None, true).is_none());
    }

    #[test]
    fn where_the_smaller_one_passes_the_original_counts() {
        let mut findings = Findings::new(false);
        assert!(found(&mut findings, "one") && found(&mut findings, "two") && found(&mut findings, "three"));
        assert_eq!(confirmed_next(&mut findings), 0);
        findings.ran_again(0, Again::Fails);
        for number in [1, 2] {
            shrink(&mut findings);
            assert_eq!(confirmed_next(&mut findings), number);
            assert_eq!(findings.ran_again(number, Again::Passes), None);
            assert_eq!(confirmed_next(&mut findings), number, "the original");
        }
        assert_eq!(findings.ran_again(1, Again::Fails), Some(1));
        assert_eq!(findings.all[1].job.test.prefix.len(), 1);
        assert_eq!(findings.ran_again(2, Again::Passes), None);
        assert_eq!((findings.withdrawn, findings.told()), (1, 2));
    }

    #[test]
    fn one_that_is_enough_is_a_true_one() {
        let mut findings = Findings::new(true);
        for withdrawn in 1..=MOST_WITHDRAWN {
            assert!(found(&mut findings, "false"));
            assert!(findings.is_enough() && !found(&mut findings, "another"));
            let number = confirmed_next(&mut findings);
            assert_eq!(findings.ran_again(number, Again::Passes), None);
            assert_eq!(findings.withdrawn, withdrawn);
            assert!(!findings.is_enough());
        }
        assert!(!found(&mut findings, "false"), "it has had its chances");
        assert!(found(&mut findings, "true"));
    }

    #[test]
    fn one_call_a_thread_takes_the_place_of_a_longer_test() {
        let mut findings = Findings::new(false);
        let mut longer = job();
        let again = longer.test.suffixes[0][0].clone();
        longer.test.suffixes[0].push(again);
        assert!(findings.found(&longer, finding("one"), 1, 1.0));
        assert_eq!(confirmed_next(&mut findings), 0);
        findings.ran_again(0, Again::Fails);
        findings.all[0].is_shrunk = true;
        findings.conclude(0);
        findings.shrinking.clear();
        assert!(!findings.found(&longer, finding("one"), 1, 1.0), "it is known");
        assert!(found(&mut findings, "one") && !found(&mut findings, "one"));
        shrink(&mut findings);
        assert_eq!(confirmed_next(&mut findings), 1);
        assert_eq!(findings.ran_again(1, Again::Fails), Some(1));
        assert!(findings.all[0].is_double && findings.all[1].is_told());
    }

    #[test]
    fn what_nothing_can_be_said_of_is_asked_once_more() {
        let mut findings = Findings::new(false);
        found(&mut findings, "one");
        assert_eq!(confirmed_next(&mut findings), 0);
        assert_eq!(findings.ran_again(0, Again::Unknown), None);
        assert_eq!(confirmed_next(&mut findings), 0);
        assert_eq!(findings.ran_again(0, Again::Unknown), None);
        assert_eq!(findings.withdrawn, 1);
    }

    #[test]
    fn when_all_time_is_over_what_is_not_sure_stays_so() {
        let mut findings = Findings::new(false);
        assert!(found(&mut findings, "one") && found(&mut findings, "two"));
        assert!(matches!(findings.next(Haste::Confirm, true), Some(Step::Confirm(0))));
        assert!(matches!(findings.next(Haste::Confirm, true), Some(Step::Confirm(1))), "nothing is shrunk any more");
        assert_eq!(findings.ran_again(0, Again::Fails), Some(0));
        assert_eq!(findings.ran_again(1, Again::Unknown), None);
        assert!(findings.next(Haste::Over, true).is_none());
        findings.end(false);
        assert!(findings.is_cut && findings.told() == 1 && findings.all[1].is_open());
    }
}

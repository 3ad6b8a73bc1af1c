//! Makes the test of a finding smaller, one trial after the other.

use std::collections::VecDeque;

use testcase::TestCase;

use super::found::Found;
use crate::worker::protocol::Failure;

/// A finding whose test is being made smaller.
#[derive(Debug)]
pub struct Shrinking {
    number: usize,
    failure: Failure,
    /// The smallest test that is known to fail so.
    test: TestCase,
    /// What is to be tried: each is one step smaller.
    open: VecDeque<TestCase>,
    /// How many more trials there may be.
    left: u32,
    is_over: bool,
}

/// What is to be run next.
#[derive(Clone, Debug)]
pub enum Trial {
    /// Does this fail in the same way?
    Smaller(TestCase),
    /// Nothing smaller does: the fewest preemptions and the cause of the smallest.
    Last,
}

/// Each trial takes some milliseconds.
const MOST_TRIALS: u32 = 200;

impl Shrinking {
    /// Of the finding with that number.
    pub fn new(number: usize, found: &Found) -> Shrinking {
        let (test, failure) = (found.job.test.clone(), found.finding.failure.clone());
        let open = testgen::smaller(&test).into();
        Shrinking { number, failure, test, open, left: MOST_TRIALS, is_over: false }
    }

    /// The finding.
    pub fn number(&self) -> usize {
        self.number
    }

    /// What is looked for.
    pub fn failure(&self) -> &Failure {
        &self.failure
    }

    /// The smallest test so far.
    pub fn test(&self) -> &TestCase {
        &self.test
    }

    /// What to run next; None once the last was run. `hurry` leaves out what is still open.
    pub fn next(&mut self, hurry: bool) -> Option<Trial> {
        if self.is_over {
            return None;
        }
        match self.open.pop_front().filter(|_| self.left > 0 && !hurry) {
            Some(test) => {
                self.left -= 1;
                Some(Trial::Smaller(test))
            }
            None => {
                self.is_over = true;
                Some(Trial::Last)
            }
        }
    }

    /// Whether a trial has failed in the same way.
    pub fn note(&mut self, trial: Trial, failed: bool) {
        if let (Trial::Smaller(test), true) = (trial, failed) {
            self.open = testgen::smaller(&test).into();
            self.test = test;
        }
    }
}

//! A test case while it is being written.

use classfile::TypeSignature;
use testcase::{Call, TestCase};

use crate::learnt::Choice;

/// Calls so far, with what is known of their values.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// What runs first, in one thread.
    pub prefix: Vec<Call>,
    /// What each of its calls gives; None for `void`.
    pub given: Vec<Option<TypeSignature>>,
    /// The calls of the prefix that give the subjects.
    pub subjects: Vec<usize>,
    /// What runs concurrently then.
    pub suffixes: Vec<Vec<Call>>,
    /// What looks at the subjects afterwards.
    pub probes: Vec<Call>,
    /// What was chosen, and for which call.
    pub choices: Vec<(Place, Choice)>,
}

/// A call of a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Of the prefix.
    Prefix(usize),
    /// Of a suffix, with its number and that of the call.
    Suffix(usize, usize),
}

impl Draft {
    /// Adds a call to the prefix, and says which it is.
    pub fn push(&mut self, call: Call, gives: Option<TypeSignature>) -> usize {
        self.prefix.push(call);
        self.given.push(gives);
        self.prefix.len() - 1
    }

    /// The test case.
    pub fn test(&self) -> TestCase {
        TestCase { prefix: self.prefix.clone(), suffixes: self.suffixes.clone(), probes: self.probes.clone() }
    }
}

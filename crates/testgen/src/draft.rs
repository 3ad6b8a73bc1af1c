//! A test case while it is being written.

use classfile::TypeSignature;
use testcase::{Behaviour, Call, Operation, TestCase};

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
    /// The thread for which each call of the prefix makes something; None if it is for all.
    pub owners: Vec<Option<usize>>,
    /// The thread for which something is being made now.
    pub owner: Option<usize>,
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
        self.owners.push(self.owner);
        self.prefix.len() - 1
    }

    /// Whether a value of the prefix can be passed by the thread for which something is being made. The subjects are shared, and
    /// what nobody can change. Anything else belongs to one thread: two that use one list at once prove nothing about the class
    /// under test, nor does one that uses what a subject was made of.
    pub fn may_use(&self, number: usize) -> bool {
        self.owner.is_none()
            || self.owner == self.owners[number]
            || self.subjects.contains(&number)
            || is_unchanging(&self.prefix[number].operation)
    }

    /// The test case.
    pub fn test(&self) -> TestCase {
        TestCase { prefix: self.prefix.clone(), suffixes: self.suffixes.clone(), probes: self.probes.clone() }
    }
}

/// Whether what an operation gives never changes, as far as can be said from outside.
fn is_unchanging(operation: &Operation) -> bool {
    match operation {
        Operation::Construct { class, .. } => class == "java/lang/Object",
        Operation::Static { name, class, .. } => name == "valueOf" && class.starts_with("java/lang/"),
        // An enum, or what others share as well.
        Operation::GetStatic { descriptor, class, .. } => {
            descriptor.trim_start_matches('L').trim_end_matches(';') == class
        }
        Operation::Implement { methods, .. } => methods
            .iter()
            .all(|method| matches!(method.does, Behaviour::Nothing | Behaviour::Return(_) | Behaviour::Throw { .. })),
        _ => false,
    }
}

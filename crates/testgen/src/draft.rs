//! A test case while it is being written.

use classfile::TypeSignature;
use testcase::{Argument, Behaviour, Call, Operation, TestCase};

use std::collections::{BTreeMap, BTreeSet};

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
    /// Calls of the prefix that give a constant of an enum.
    pub constants: BTreeSet<usize>,
    /// Calls of the prefix that make an object of a class which the test writes, below one that can remember something.
    pub remembering: BTreeSet<usize>,
    /// Calls of the prefix by which a subject gives out what only stands for something that it has.
    pub handles: BTreeSet<usize>,
    /// Calls of the prefix that give what threads are meant to share.
    pub shared: BTreeSet<usize>,
    /// Calls of the prefix by which a subject lends something, and the subject: what is given back must have been lent.
    pub lent: BTreeMap<usize, usize>,
    /// The subject of the call whose arguments are being made.
    pub receiver: Option<usize>,
    /// Whether nothing is null that can be made: one of many that a subject holds spoils all of them.
    pub without_null: bool,
    /// Whether functions that the test writes give null; None as long as there is no function.
    pub gives_null: Option<bool>,
    /// The thread or subject for which each call of the prefix makes something; None if it is for all.
    pub owners: Vec<Option<Owner>>,
    /// For which something is being made now.
    pub owner: Option<Owner>,
    /// The subject that listeners call which are made now, in tests that are about that.
    pub called_back: Option<usize>,
    /// What was chosen, and for which call.
    pub choices: Vec<(Place, Choice)>,
    /// Whether calls get what earlier calls of their thread have returned.
    pub uses_results: bool,
    /// What calls of suffixes return that may be passed on: by the suffix and the number of the call in it.
    pub results: Vec<((usize, usize), TypeSignature)>,
    /// Whether calls are being made for the time when all suffixes have ended.
    pub is_after: bool,
}

/// Stands for the value of a suffix's own call, with the number of that: what number it has is known once the prefix is
/// whole. In probes it stands for what a call of a suffix has returned, whose number is in the bits above those of the call.
pub const OWN: usize = 1 << 32;
/// Bits for the number of a call in its suffix.
const CALL_BITS: u32 = 16;

/// For whom a value is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A thread, by its suffix.
    Thread(usize),
    /// The first or second of two subjects.
    Subject(usize),
}

/// A call of a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Of the prefix.
    Prefix(usize),
    /// Of a suffix, with its number and that of the call.
    Suffix(usize, usize),
    /// Of the prefix, for the first call of a suffix: that one shows whether it was of use.
    Before(usize),
    /// Of the probes.
    Probe(usize),
    /// Any that gets the object which this call of the prefix makes, of a class that the test writes.
    Implemented(usize),
}

impl Draft {
    /// Adds a call to the prefix, and says which it is.
    pub fn push(&mut self, call: Call, gives: Option<TypeSignature>) -> usize {
        self.prefix.push(call);
        self.given.push(gives);
        self.owners.push(self.owner);
        self.prefix.len() - 1
    }

    /// Adds a call to a suffix.
    pub fn put(&mut self, thread: usize, call: Call) {
        if self.suffixes.len() <= thread {
            self.suffixes.resize(thread + 1, Vec::new());
        }
        self.suffixes[thread].push(call);
    }

    /// Whether a value of the prefix can be passed by the thread for which something is being made. The subjects
    /// are shared, what they give out as a handle, what is meant to be shared, and what nobody can change. Anything
    /// else belongs to one thread: two that use one list at once prove nothing about the class under test, nor does
    /// one that uses what a subject was made of.
    pub fn may_use(&self, number: usize) -> bool {
        let is_own = self.owner.is_none() || self.owner == self.owners[number];
        // What is lent is given back by whoever has it, even if it is a name.
        if self.lent.contains_key(&number) && !self.handles.contains(&number) {
            return is_own;
        }
        is_own
            || self.subjects.contains(&number)
            || self.handles.contains(&number)
            || self.shared.contains(&number)
            || self.is_unchanging(number)
    }

    /// Whether what a call of the prefix gives never changes, as far as can be said from outside.
    pub fn is_unchanging(&self, number: usize) -> bool {
        let returns = |does: &Behaviour| match does {
            Behaviour::Nothing | Behaviour::Throw { .. } | Behaviour::Call(_) => true,
            Behaviour::Return(Argument::Value(value)) => self.is_unchanging(*value),
            Behaviour::Return(_) => true,
            Behaviour::InTurn(_) => false,
        };
        let is_name = self.given[number].as_ref().is_some_and(is_name);
        match &self.prefix[number].operation {
            _ if is_name || self.constants.contains(&number) => true,
            Operation::Construct { class, .. } => class == "java/lang/Object",
            Operation::Static { name, class, .. } => name == "valueOf" && class.starts_with("java/lang/"),
            Operation::Implement { methods, .. } => {
                !self.remembering.contains(&number) && methods.iter().all(|method| returns(&method.does))
            }
            _ => false,
        }
    }

    /// The whole numbers of a type that calls get.
    pub fn numbers(&self, letter: char) -> Vec<&Argument> {
        let arguments = self.prefix.iter().chain(self.suffixes.iter().flatten()).flat_map(|call| &call.arguments);
        let is_of_type = |argument: &&Argument| match argument {
            Argument::Int(_) => letter == 'I',
            Argument::Long(_) => letter == 'J',
            _ => false,
        };
        arguments.filter(is_of_type).collect()
    }

    /// What earlier calls have returned that the thread may pass on for which something is being made.
    pub fn returned(&self) -> impl Iterator<Item = (usize, &TypeSignature)> {
        let is_own = |thread: usize| self.is_after || self.owner == Some(Owner::Thread(thread));
        let own = self.results.iter().filter(move |((thread, _), _)| is_own(*thread));
        own.map(|((suffix, call), of)| (self.returned_by(*suffix, *call), of))
    }

    /// What stands for what a call of a suffix returns.
    pub fn returned_by(&self, suffix: usize, call: usize) -> usize {
        let of_suffix = if self.is_after { suffix << CALL_BITS } else { 0 };
        OWN + of_suffix + call
    }

    /// The call of a suffix for whose value a number stands, as a thread or probe sees it.
    fn returning(&self, number: usize) -> Option<(usize, usize)> {
        let own = number.checked_sub(OWN)?;
        match self.owner {
            _ if self.is_after => Some(parted(own)),
            Some(Owner::Thread(thread)) => Some((thread, own)),
            _ => None,
        }
    }

    /// Whether a number stands for what one of these calls returned, and nobody was given that again.
    pub fn is_lent_just_now(&self, number: usize, is_lending: impl Fn(&Call) -> bool) -> bool {
        let Some((suffix, call)) = self.returning(number) else { return false };
        let Some(calls) = self.suffixes.get(suffix) else { return false };
        let own = Argument::Value(OWN + call);
        let by_thread = calls.iter().any(|call| call.arguments.contains(&own));
        let afterwards = self.probes.iter().any(|probe| probe.arguments.contains(&Argument::Value(number)));
        calls.get(call).is_some_and(is_lending) && !by_thread && !afterwards
    }

    /// Whether a call on a subject gets what a call of the prefix gives.
    pub fn is_known_to_subject(&self, number: usize) -> bool {
        let is_of_subject = |call: &&Call| match call.operation.receiver() {
            Some(Argument::Value(receiver)) => self.subjects.contains(receiver),
            _ => false,
        };
        let mut calls = self.prefix.iter().chain(self.suffixes.iter().flatten()).filter(is_of_subject);
        calls.any(|call| call.arguments.contains(&Argument::Value(number)))
    }

    /// The texts that calls get.
    pub fn texts(&self) -> Vec<&str> {
        let arguments = self.prefix.iter().chain(self.suffixes.iter().flatten()).flat_map(|call| &call.arguments);
        let texts = arguments.filter_map(|argument| match argument {
            Argument::String(text) => Some(&**text),
            _ => None,
        });
        texts.collect()
    }

    /// Whether a call was given what a call of the prefix gives.
    pub fn is_passed(&self, number: usize) -> bool {
        let mut calls = self.prefix.iter().chain(self.suffixes.iter().flatten());
        calls.any(|call| call.arguments.contains(&Argument::Value(number)))
    }

    /// Whether a field that is the same for all was read for another thread or subject than the one for which something is being made.
    pub fn is_taken(&self, class: &str, field: &str) -> bool {
        let mut for_others = self.prefix.iter().zip(&self.owners).filter(|(_, owner)| **owner != self.owner);
        for_others.any(|(call, _)| {
            matches!(&call.operation, Operation::GetStatic { class: of, name, .. } if of == class && name == field)
        })
    }

    /// The test case, and what was chosen for it.
    pub fn finish(mut self) -> (TestCase, Vec<(Place, Choice)>) {
        let first = self.prefix.len();
        let number = |value: usize| value.checked_sub(OWN).map_or(value, |call| first + call);
        self.suffixes.iter_mut().flatten().for_each(|call| call.renumber(&number));
        let returned = |argument: &mut Argument| {
            if let Argument::Value(number @ OWN..) = argument {
                let (suffix, call) = parted(*number - OWN);
                *argument = Argument::Returned { suffix, call };
            }
        };
        self.probes.iter_mut().for_each(|probe| probe.change_arguments(&mut { returned }));
        (TestCase { prefix: self.prefix, suffixes: self.suffixes, probes: self.probes }, self.choices)
    }
}

/// The suffix and the number of the call, as probes name them.
fn parted(number: usize) -> (usize, usize) {
    (number >> CALL_BITS, number & ((1 << CALL_BITS) - 1))
}

/// Whether values of a type are names, which never change, and under which something is kept: numbers, texts and the like.
pub fn is_name(of: &TypeSignature) -> bool {
    const NAMES: [&str; 4] = ["java/lang/String", "java/lang/Integer", "java/lang/Long", "java/util/UUID"];
    matches!(of, TypeSignature::Class(of) if NAMES.contains(&&*of.name))
}

//! What a generic class gives out and takes back: `T take()` and `give(T)` lend as methods do whose types are classes.

use testcase::{Argument, Operation};

use crate::class_info::MethodInfo;
use crate::draft::{Draft, OWN};
use crate::learnt::{Choice, Name};
use crate::maker::{Maker, Wish};
use crate::types::Bindings;

/// A method of the class under test that gives out what one of its type variables stands for, and changes the subject: a
/// pool lends what it is given back.
pub struct Giver {
    pub variable: String,
    pub owner: String,
    pub method: MethodInfo,
}

impl Giver {
    pub fn key(&self) -> Name {
        Name::of((&self.method.name, &self.method.descriptor))
    }
}

impl Maker<'_> {
    /// Whether the subject gives out what a type variable stands for.
    pub fn may_ask(&self, draft: &Draft, variable: &str) -> bool {
        draft.receiver.is_some() && self.givers.iter().any(|giver| giver.variable == variable)
    }

    /// Has the subject give something out.
    pub fn ask(
        &mut self,
        draft: &mut Draft,
        giver: usize,
        subject: usize,
        bindings: &Bindings,
        wish: &Wish<'_>,
    ) -> usize {
        let Giver { owner, method, .. } = &self.givers[giver];
        let (owner, method) = (owner.clone(), method.clone());
        let arguments = self.arguments(draft, &owner, &method, bindings, 1, None);
        let operation = Operation::Virtual {
            class: owner,
            name: method.name,
            descriptor: method.descriptor,
            receiver: Argument::Value(subject),
        };
        let number = self.push(draft, operation, arguments, Some(wish.wanted.clone()));
        draft.lent.insert(number, subject);
        number
    }

    /// Whether a method gives out what a type variable of the class stands for.
    pub fn is_giver(&self, method: Name) -> bool {
        self.givers.iter().any(|giver| giver.key() == method)
    }
}

/// The choice of something that the subject has lent, or of anything else.
pub fn of_kind(place: Name, is_lent: bool) -> Choice {
    Choice { place: Name::of((place, "lent")), what: Name::of(is_lent) }
}

/// Whether a value was given out by the subject of the call that gets it.
pub fn is_lent(draft: &Draft, value: &Argument) -> bool {
    let Argument::Value(number) = value else { return false };
    *number >= OWN || draft.lent.contains_key(number)
}

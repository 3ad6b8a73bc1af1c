//! Classes that a test writes itself: interfaces implemented, classes extended.

use crate::{Argument, Call};
use serde::{Deserialize, Serialize};

/// What a method of an implemented type does. Of the methods that are given none, those that are abstract do
/// [`Behaviour::Nothing`], and all others stay as they are.
///
/// Methods are told apart by name and descriptor. A method that is given nothing of its own, and differs from one that
/// is only by a wider return type, does what that one does: so a bridge is never missing.
#[derive(Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Implementation {
    pub name: String,
    pub descriptor: String,
    pub does: Behaviour,
}

/// The body of a method, as one statement. Its arguments may be [`Argument::Parameter`]s of the method. A primitive
/// value is boxed where an object is wanted.
#[derive(Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Behaviour {
    /// Gives 0, `false`, null or nothing.
    Nothing,
    Return(Argument),
    /// Throws a new exception, made by the constructor that takes the message, or nothing if there is none.
    Throw {
        class: String,
        message: Option<String>,
    },
    /// Makes a call and gives what it gives: so code under test that calls back can be entered again. Not for
    /// `Array` and `Implement`.
    Call(Box<Call>),
    /// Does the first of these when it is first called, the next when it is called again, and the last from then on.
    /// The calls are counted by an `AtomicInteger` of the object.
    InTurn(Vec<Behaviour>),
}

impl Behaviour {
    /// Whether it throws an exception.
    pub fn throws(&self) -> bool {
        match self {
            Behaviour::Throw { .. } => true,
            Behaviour::InTurn(turns) => turns.iter().any(Behaviour::throws),
            Behaviour::Nothing | Behaviour::Return(_) | Behaviour::Call(_) => false,
        }
    }

    /// Whether it calls a method of an object that the test has made.
    pub fn calls_back(&self) -> bool {
        match self {
            Behaviour::Call(call) => matches!(call.operation.receiver(), Some(Argument::Value(_))),
            Behaviour::InTurn(turns) => turns.iter().any(Behaviour::calls_back),
            Behaviour::Nothing | Behaviour::Return(_) | Behaviour::Throw { .. } => false,
        }
    }

    /// Whether it calls a method of what it is given, as an executor does.
    pub fn runs_what_it_gets(&self) -> bool {
        match self {
            Behaviour::Call(call) => matches!(call.operation.receiver(), Some(Argument::Parameter(_))),
            Behaviour::Nothing | Behaviour::Return(_) | Behaviour::Throw { .. } | Behaviour::InTurn(_) => false,
        }
    }

    /// Shows all arguments, in the order in which they are written.
    pub fn for_each_argument<'b>(&'b self, visit: &mut dyn FnMut(&'b Argument)) {
        match self {
            Behaviour::Nothing | Behaviour::Throw { .. } => {}
            Behaviour::Return(argument) => visit(argument),
            Behaviour::Call(call) => call.for_each_argument(visit),
            Behaviour::InTurn(turns) => turns.iter().for_each(|turn| turn.for_each_argument(visit)),
        }
    }
}

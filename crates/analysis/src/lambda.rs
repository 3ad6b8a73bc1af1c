//! Lambdas and method references: objects of classes that are made when a call site is linked.
//!
//! Each call site gets a class of its own that implements the functional interface. Its fields are what the
//! lambda captured; its one method calls the lambda's body with those and with its own parameters.

use crate::body::Ref;
use crate::names::Sym;
use crate::program::FieldId;

/// The class of the lambdas that one call site makes.
#[derive(Debug)]
pub struct Lambda {
    pub interface: Sym,
    /// The name of the interface's method.
    pub method: Sym,
    /// How the body is called: a reference kind of the class-file format.
    pub kind: u8,
    pub target: Ref,
    /// One for each captured value.
    pub captured: Vec<FieldId>,
}

/// Reference kinds of the class-file format.
pub mod kind {
    pub const VIRTUAL: u8 = 5;
    pub const STATIC: u8 = 6;
    pub const SPECIAL: u8 = 7;
    pub const NEW: u8 = 8;
    pub const INTERFACE: u8 = 9;
}

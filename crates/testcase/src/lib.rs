//! Concurrent tests of Java classes, as data.
//!
//! A [`TestCase`] is a prefix, which builds and grows the subjects in one thread, suffixes, one a thread,
//! which then run concurrently, and probes, which look at the subjects afterwards. All are lists of
//! [`Call`]s; the [`Argument`]s of a call are literals or values that earlier calls gave. A test case can
//! be written down, run, shrunk and emitted.
//!
//! ```
//! use testcase::{Argument, Call, Operation, TestCase};
//!
//! // StringBuffer a = new StringBuffer(); then, in two threads, a.append("x") and a.append("y").
//! let append = |text: &str| Call {
//!     operation: Operation::Virtual {
//!         class: "java/lang/StringBuffer".into(),
//!         name: "append".into(),
//!         descriptor: "(Ljava/lang/String;)Ljava/lang/StringBuffer;".into(),
//!         receiver: Argument::Value(0),
//!     },
//!     arguments: vec![Argument::String(text.into())],
//! };
//! let new = Operation::Construct { class: "java/lang/StringBuffer".into(), descriptor: "()V".into() };
//! let test = TestCase {
//!     prefix: vec![Call { operation: new, arguments: vec![] }],
//!     suffixes: vec![vec![append("x")], vec![append("y")]],
//!     probes: vec![],
//! };
//! assert_eq!(test.check(), Ok(()));
//! ```
//!
//! Values are numbered in the order of their calls: those of the prefix from 0, those of a suffix and
//! those of the probes from where the prefix ended. Each sees the values of the prefix and its own.

#![forbid(unsafe_code)]

use serde::{Deserialize, Serialize};

/// A prefix, the suffixes that run concurrently after it, and the probes that run after those.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TestCase {
    pub prefix: Vec<Call>,
    pub suffixes: Vec<Vec<Call>>,
    pub probes: Vec<Call>,
}

/// One call; its value has the number of the call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Call {
    pub operation: Operation,
    /// As many as the descriptor has parameters.
    pub arguments: Vec<Argument>,
}

/// What a call does. Classes are named as class files do: `java/util/Map$Entry`, `[I`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Operation {
    Construct {
        class: String,
        descriptor: String,
    },
    Static {
        class: String,
        name: String,
        descriptor: String,
    },
    Virtual {
        class: String,
        name: String,
        descriptor: String,
        receiver: Argument,
    },
    GetField {
        class: String,
        name: String,
        descriptor: String,
        receiver: Argument,
    },
    PutField {
        class: String,
        name: String,
        descriptor: String,
        receiver: Argument,
    },
    GetStatic {
        class: String,
        name: String,
        descriptor: String,
    },
    PutStatic {
        class: String,
        name: String,
        descriptor: String,
    },
    /// An array of references with these elements.
    Array {
        element: String,
    },
}

/// A value that is passed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Argument {
    Null,
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(String),
    /// The class itself, as `String.class` is in Java.
    Class(String),
    /// What the call with that number gave.
    Value(usize),
}

/// A test case names a value that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoSuchValue {
    /// The number of the call that names it.
    pub call: usize,
    /// The number that it names.
    pub value: usize,
}

impl std::fmt::Display for NoSuchValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "call {} uses value {}, which no earlier call gives", self.call, self.value)
    }
}

impl std::error::Error for NoSuchValue {}

impl TestCase {
    /// Whether every value that is used was given before.
    pub fn check(&self) -> Result<(), NoSuchValue> {
        check_calls(&self.prefix, 0)?;
        check_calls(&self.probes, self.prefix.len())?;
        self.suffixes.iter().try_for_each(|suffix| check_calls(suffix, self.prefix.len()))
    }
}

impl Operation {
    /// The object that it is done to.
    pub fn receiver(&self) -> Option<&Argument> {
        match self {
            Operation::Virtual { receiver, .. }
            | Operation::GetField { receiver, .. }
            | Operation::PutField { receiver, .. } => Some(receiver),
            _ => None,
        }
    }
}

fn check_calls(calls: &[Call], first: usize) -> Result<(), NoSuchValue> {
    for (call, number) in calls.iter().zip(first..) {
        for argument in call.arguments.iter().chain(call.operation.receiver()) {
            if let Argument::Value(value) = *argument
                && value >= number
            {
                return Err(NoSuchValue { call: number, value });
            }
        }
    }
    Ok(())
}

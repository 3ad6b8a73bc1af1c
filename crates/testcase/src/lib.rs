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
//! those of the probes from where the prefix ended. Each sees the values of the prefix and its own. Probes
//! may also use what calls of suffixes have returned, as [`Argument::Returned`].
//!
//! An interface or abstract class that a call needs can be implemented by the test itself, as an anonymous class does it
//! in Java:
//!
//! ```
//! use testcase::{Argument, Behaviour, Call, Implementation, Operation};
//!
//! // new Comparator() { public int compare(Object a, Object b) { return -1; } }
//! let compare = Implementation {
//!     name: "compare".into(),
//!     descriptor: "(Ljava/lang/Object;Ljava/lang/Object;)I".into(),
//!     does: Behaviour::Return(Argument::Int(-1)),
//! };
//! let (class, descriptor) = ("java/util/Comparator".into(), "()V".into());
//! let comparator = Call { operation: Operation::Implement { class, descriptor, methods: vec![compare] }, arguments: vec![] };
//! # let _ = comparator;
//! ```

#![forbid(unsafe_code)]

mod implementation;
mod renumber;

pub use implementation::{Behaviour, Implementation};

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// A prefix, the suffixes that run concurrently after it, and the probes that run after those.
#[derive(Clone, PartialEq, Hash, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct TestCase {
    pub prefix: Vec<Call>,
    pub suffixes: Vec<Vec<Call>>,
    pub probes: Vec<Call>,
}

/// One call; its value has the number of the call.
#[derive(Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Call {
    pub operation: Operation,
    /// As many as the descriptor has parameters.
    pub arguments: Vec<Argument>,
}

/// What a call does. Classes are named as class files do: `java/util/Map$Entry`, `[I`.
#[derive(Clone, PartialEq, Hash, Debug, Serialize, Deserialize)]
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
    /// An object of a class that the test writes: it implements the interface `class`, or extends the class `class`, whose
    /// constructor with that descriptor takes the arguments. For an interface the descriptor is `()V`.
    Implement {
        class: String,
        descriptor: String,
        methods: Vec<Implementation>,
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
    /// What a call of a suffix has returned; in the probes only. A probe is not made, nor any after it, if that call has
    /// not returned, or has returned null: whoever gets null looks at it first.
    Returned {
        /// The number of the suffix.
        suffix: usize,
        /// The number of the call in the suffix, from 0.
        call: usize,
    },
    /// The parameter with that number of the method that is being implemented; in a [`Behaviour`] only.
    Parameter(usize),
}

impl Hash for Argument {
    /// Both zeros are equal and have different hashes, for as arguments they are two.
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Argument::Null => {}
            Argument::Boolean(value) => value.hash(state),
            Argument::Byte(value) => value.hash(state),
            Argument::Char(value) => value.hash(state),
            Argument::Short(value) => value.hash(state),
            Argument::Int(value) => value.hash(state),
            Argument::Long(value) => value.hash(state),
            Argument::Float(value) => value.to_bits().hash(state),
            Argument::Double(value) => value.to_bits().hash(state),
            Argument::String(text) | Argument::Class(text) => text.hash(state),
            Argument::Value(number) | Argument::Parameter(number) => number.hash(state),
            Argument::Returned { suffix, call } => (suffix, call).hash(state),
        }
    }
}

/// A test case names a value that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoSuchValue {
    /// No earlier call gives it.
    Value {
        /// The number of the call that names it.
        call: usize,
        /// The number that it names.
        value: usize,
    },
    /// It is what a call of a suffix returns, and there is no such call, or it is not a probe that asks for it.
    Returned {
        /// The number of the call that names it.
        call: usize,
        /// The suffix and the number of the call in it that are named.
        named: (usize, usize),
    },
}

impl std::fmt::Display for NoSuchValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoSuchValue::Value { call, value } => {
                write!(f, "call {call} uses value {value}, which no earlier call gives")
            }
            NoSuchValue::Returned { call, named: (suffix, number) } => {
                write!(f, "call {call} uses what call {number} of suffix {suffix} returns, which it cannot have")
            }
        }
    }
}

impl std::error::Error for NoSuchValue {}

impl TestCase {
    /// Whether every value that is used was given before.
    pub fn check(&self) -> Result<(), NoSuchValue> {
        let first = self.prefix.len();
        check_calls(&self.prefix, 0, &[])?;
        check_calls(&self.probes, first, &self.suffixes)?;
        self.suffixes.iter().try_for_each(|suffix| check_calls(suffix, first, &[]))
    }

    /// What probes use of what suffixes return: the suffix and the number of the call in it, each once.
    pub fn handed_over(&self) -> BTreeSet<(usize, usize)> {
        let mut handed = BTreeSet::new();
        for probe in &self.probes {
            probe.for_each_argument(&mut |argument| {
                if let Argument::Returned { suffix, call } = *argument {
                    handed.insert((suffix, call));
                }
            });
        }
        handed
    }

    /// Whether a class that it writes throws something.
    pub fn throws(&self) -> bool {
        self.prefix.iter().chain(self.suffixes.iter().flatten()).any(|call| match &call.operation {
            Operation::Implement { methods, .. } => methods.iter().any(|method| method.does.throws()),
            _ => false,
        })
    }

    /// Whether a class that it writes calls an object of the test again. A call that calls that is more than one
    /// call then, and those of other threads may come between.
    pub fn calls_back(&self) -> bool {
        self.prefix.iter().chain(self.suffixes.iter().flatten()).any(|call| match &call.operation {
            Operation::Implement { methods, .. } => methods.iter().any(|method| method.does.calls_back()),
            _ => false,
        })
    }
}

impl Operation {
    /// The class that it names.
    pub fn class(&self) -> &str {
        match self {
            Operation::Construct { class, .. }
            | Operation::Static { class, .. }
            | Operation::Virtual { class, .. }
            | Operation::GetField { class, .. }
            | Operation::PutField { class, .. }
            | Operation::GetStatic { class, .. }
            | Operation::PutStatic { class, .. }
            | Operation::Array { element: class }
            | Operation::Implement { class, .. } => class,
        }
    }

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

impl Call {
    /// Shows all arguments, the receiver and those of behaviours with them.
    pub fn for_each_argument<'c>(&'c self, visit: &mut dyn FnMut(&'c Argument)) {
        self.arguments.iter().chain(self.operation.receiver()).for_each(&mut *visit);
        if let Operation::Implement { methods, .. } = &self.operation {
            methods.iter().for_each(|method| method.does.for_each_argument(visit));
        }
    }
}

/// Checks the calls of a list, which can have what these suffixes have returned.
fn check_calls(calls: &[Call], first: usize, ended: &[Vec<Call>]) -> Result<(), NoSuchValue> {
    for (call, number) in calls.iter().zip(first..) {
        let mut missing = None;
        call.for_each_argument(&mut |argument| match *argument {
            Argument::Value(value) if value >= number => {
                missing = missing.or(Some(NoSuchValue::Value { call: number, value }));
            }
            Argument::Returned { suffix, call } if ended.get(suffix).is_none_or(|calls| call >= calls.len()) => {
                missing = missing.or(Some(NoSuchValue::Returned { call: number, named: (suffix, call) }));
            }
            _ => {}
        });
        // An object that the test writes may outlive the call, and keeps what the prefix gave.
        if let (Operation::Implement { methods, .. }, None) = (&call.operation, missing) {
            let mut visit = |argument: &Argument| {
                if let Argument::Returned { suffix, call } = *argument {
                    missing = Some(NoSuchValue::Returned { call: number, named: (suffix, call) });
                }
            };
            methods.iter().for_each(|method| method.does.for_each_argument(&mut visit));
        }
        if let Some(missing) = missing {
            return Err(missing);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_in_behaviours_too() {
        let back = |receiver: usize| Call {
            operation: Operation::Virtual {
                class: "java/util/Vector".into(),
                name: "size".into(),
                descriptor: "()I".into(),
                receiver: Argument::Value(receiver),
            },
            arguments: vec![],
        };
        let implement = |receiver: usize| {
            let does = Behaviour::InTurn(vec![Behaviour::Nothing, Behaviour::Call(Box::new(back(receiver)))]);
            let methods = vec![Implementation { name: "run".into(), descriptor: "()V".into(), does }];
            let (class, descriptor) = ("java/lang/Runnable".into(), "()V".into());
            Call { operation: Operation::Implement { class, descriptor, methods }, arguments: vec![] }
        };
        let construct = Operation::Construct { class: "java/util/Vector".into(), descriptor: "()V".into() };
        let test = |receiver: usize| TestCase {
            prefix: vec![Call { operation: construct.clone(), arguments: vec![] }, implement(receiver)],
            ..TestCase::default()
        };
        assert_eq!(test(0).check(), Ok(()));
        assert!(test(0).calls_back());
        assert_eq!(test(1).check(), Err(NoSuchValue::Value { call: 1, value: 1 }), "not even the object itself");
    }

    #[test]
    fn only_probes_have_what_suffixes_return() {
        let call = |argument: Argument| {
            let (class, name, descriptor) = ("a/A".into(), "f".into(), "(I)I".into());
            Call { operation: Operation::Static { class, name, descriptor }, arguments: vec![argument] }
        };
        let returned = |suffix: usize, number: usize| call(Argument::Returned { suffix, call: number });
        let suffixes = vec![vec![call(Argument::Int(1))], vec![call(Argument::Int(1)), call(Argument::Int(2))]];
        let after = |probe: Call| TestCase { suffixes: suffixes.clone(), probes: vec![probe], ..TestCase::default() };
        assert_eq!(after(returned(1, 1)).check(), Ok(()));
        assert_eq!(after(returned(1, 1)).handed_over().into_iter().collect::<Vec<_>>(), [(1, 1)]);
        let missing = |named| Err(NoSuchValue::Returned { call: 0, named });
        assert_eq!(after(returned(0, 1)).check(), missing((0, 1)));
        assert_eq!(after(returned(2, 0)).check(), missing((2, 0)));
        let in_prefix = TestCase { prefix: vec![returned(0, 0)], ..after(call(Argument::Null)) };
        assert_eq!(in_prefix.check(), missing((0, 0)));
        let in_suffix = TestCase { suffixes: vec![suffixes[0].clone(), vec![returned(0, 0)]], ..TestCase::default() };
        assert_eq!(in_suffix.check(), missing((0, 0)));
    }
}

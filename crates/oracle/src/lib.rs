//! The thread-safety oracle: whether a concurrent execution is one that no order of its calls explains.
//!
//! Three nouns carry it. A [`Linearization`] is one order of all calls of a test case that keeps the order of each thread;
//! an [`Observation`] is what an execution has shown; [`Serial`] collects what the linearizations have shown, and says of
//! another execution whether it is a [`Violation`]. After ConTeGe (Pradel and Gross, PLDI 2012, section 4). It differs in
//! that linearizations are run before and not after something has failed, in more than one way each, for a call may depend
//! on the thread that makes it; and in that values can be compared too. This crate runs nothing and knows no Java beyond
//! the names of classes.
//!
//! ```
//! use oracle::{Ended, Given, Kind, Observation, Oracle, Serial, Violation, linearizations};
//! use testcase::{Argument, Call, Operation, TestCase};
//!
//! #[derive(Clone, PartialEq, Debug)]
//! struct Number(i32);
//! impl Given for Number {
//!     fn kind(&self) -> Kind {
//!         Kind::Scalar
//!     }
//! }
//!
//! // Two threads that count.
//! let count = Operation::Static { class: "Counter".into(), name: "count".into(), descriptor: "()I".into() };
//! let call = Call { operation: count, arguments: vec![] };
//! let test = TestCase { suffixes: vec![vec![call.clone()], vec![call]], ..TestCase::default() };
//! let returned = |one, other| Observation {
//!     suffixes: vec![vec![Ended::Returned(Number(one))], vec![Ended::Returned(Number(other))]],
//!     ..Observation::default()
//! };
//! let mut serial = Serial::new(&test);
//! for linearization in linearizations(&test) {
//!     // Whoever can run it would.
//!     serial.add(if linearization.order() == [0, 1] { returned(1, 2) } else { returned(2, 1) });
//! }
//! assert_eq!(serial.judge(&returned(2, 1), Oracle::Linearizability), None);
//! assert!(matches!(serial.judge(&returned(1, 1), Oracle::Linearizability), Some(Violation::Values { .. })));
//! assert_eq!(serial.judge(&returned(1, 1), Oracle::Safety), None);
//! ```
//!
//! **What it may miss.** Whatever a linearization shows, in whatever call: an exception of the same class is taken to be the
//! same. Values that are not comparable, and those that depend on what identical executions do not share.
//!
//! **What it never reports falsely.** Given every linearization in every way in which it can be run, what it calls a
//! violation is behaviour that no order of whole calls has. `docs/design/oracle.md` has the argument and its limits.

#![forbid(unsafe_code)]

mod excused;
mod linearization;
mod observation;
mod refusal;
mod serial;
mod violation;
mod waits;
mod weak;

pub use excused::{drops_tasks, gives_no_amount, gives_null, is_assumption, is_excused, thrown_by_test};
pub use linearization::{Linearization, Linearizations, MOST, linearizations};
pub use observation::{Ended, Given, Kind, Observation, Place};
pub use refusal::{is_rejection, refused};
pub use serial::Serial;
pub use violation::{Oracle, Rank, Violation};
pub use waits::Waits;

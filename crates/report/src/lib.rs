//! Findings as data, and in words that a Java programmer understands.
//!
//! Three nouns carry it. A [`Finding`] is a violation with all that is known of it: what it is, its cause, how to run
//! it again. Its [`Step`]s are what happened in the failing execution, one event each, with names, values and call
//! stacks. A [`View`] says how it is to be shown: how wide, how much of it, with which sources. This crate is pure: it
//! reads no file and runs nothing.
//!
//! ```
//! use report::{Fact, Finding, FindingKind, Step, StepKind, View};
//!
//! // Two threads that count: both read before either writes.
//! let step = |thread, kind, value: &str| Step {
//!     what: Some("Counter.count".into()),
//!     value: Some(value.into()),
//!     ..Step::new(thread, kind)
//! };
//! let finding = Finding {
//!     steps: vec![
//!         step(1, StepKind::Read, "0"),
//!         Step { preempts: true, ..step(2, StepKind::Read, "0") },
//!         step(2, StepKind::Write, "1"),
//!         step(1, StepKind::Write, "1"),
//!     ],
//!     cause: vec![Fact { first: 0, second: 2 }, Fact { first: 1, second: 3 }],
//!     ..Finding::new(FindingKind::Exception, "CounterTest#twice", "java.lang.AssertionError: 1")
//! };
//! let text = finding.text(&View::default());
//! assert!(text.starts_with("CounterTest#twice fails: java.lang.AssertionError: 1"));
//! assert!(text.contains("each thread reads Counter.count before the other writes it"));
//! assert_eq!(Finding::read(&finding.document()).unwrap(), finding);
//! ```
//!
//! # Limits
//!
//! Calls are known by the stacks of events only: a call without events is not shown, and two calls in a row from one
//! place are shown as one. What a report leaves out it counts. Where a line does not fit it is cut, except for the
//! command that runs the finding again. [`document`] describes the file; a step in it has its whole call stack, so
//! the file of an execution with very many events is large.

#![forbid(unsafe_code)]

mod cause;
mod code;
pub mod document;
mod finding;
mod id;
mod lines;
mod page;
mod plain;
mod step;
mod style;
mod timeline;
mod words;

pub use document::Unreadable;
pub use finding::{Ending, Fact, Finding, FindingKind, JavaTest, Proof};
pub use page::View;
pub use plain::{clean, count, thousands};
pub use step::{Frame, Object, Step, StepKind};

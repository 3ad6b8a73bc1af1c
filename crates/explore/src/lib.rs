//! Which schedule next: every one that matters, none twice, and the smallest that fails.
//!
//! Three nouns carry it. An [`Explorer`] hands out one scheduler for each execution and learns from how it went; an
//! [`Execution`] is what it is told. A [`Certificate`] is what is known once complete exploration has come to its
//! end. Around them: [`races`], [`hang`], [`shrink`](shrink()) and [`cause`](cause()) say what is wrong with an execution, how
//! little of it is needed and why. This crate knows no Java and runs nothing.
//!
//! ```
//! use explore::{Dpor, DporSettings, End, Execution, Explorer};
//! use schedule::{Choice, Event, EventKind, ObjectId, SiteId, Step, ThreadId, Trace};
//!
//! // Two threads that write one place once each: two executions that are not equivalent.
//! let write = Event { kind: EventKind::Write, object: ObjectId(0), slot: 0, site: SiteId(0) };
//! let mut dpor = Dpor::new(DporSettings::default());
//! while let Some(mut scheduler) = dpor.next() {
//!     let mut trace = Trace::default();
//!     let mut runnable = vec![(ThreadId(1), write), (ThreadId(2), write)];
//!     while !runnable.is_empty() {
//!         let turn = scheduler.choose(&Choice { trace: &trace, last: None, runnable: &runnable }).unwrap();
//!         trace.steps.push(Step { thread: turn.thread, event: write });
//!         runnable.retain(|&(thread, _)| thread != turn.thread);
//!     }
//!     dpor.finish(&Execution { trace: &trace, pending: &[], timed_out: &[], end: End::Done });
//! }
//! assert!(dpor.is_complete());
//! assert_eq!(dpor.counts().traces, 2);
//! ```
//!
//! # Limits
//!
//! At most [`MAX_THREADS`] threads. Executions must be deterministic, and what can go on must follow from the events
//! as [`dependency`] says; if not, exploration is not certified. Sequentially consistent executions only: a
//! certificate says whether that is all there is. `docs/design/exploration.md` has what may be missed.

#![forbid(unsafe_code)]

mod auto;
mod bounded;
mod cause;
mod certificate;
pub mod dependency;
mod dpor;
mod execution;
mod explorer;
mod fair;
mod hang;
mod meeting;
mod names;
mod order;
mod partial_order;
mod pct;
mod pos;
mod preemption;
mod races;
mod random;
mod rng;
mod serial;
mod shrink;
mod silent;
mod size;
mod spin;
mod state;
mod stay;
mod surw;
mod sweep;
mod timeline;
mod unseen;

pub use auto::{Auto, AutoSettings, Phase};
pub use bounded::Bounded;
pub use cause::{Cause, Fact, FactAt, Occurrence, cause};
pub use certificate::{Bounds, Certificate};
pub use dpor::{Dpor, DporCounts, DporSettings};
pub use execution::{End, Execution, Learnt};
pub use explorer::Explorer;
pub use fair::ThenFair;
pub use hang::{Hang, Held, hang};
pub use partial_order::{is_after_all, partial_order};
pub use pct::Pct;
pub use pos::Pos;
pub use preemption::{Interference, interference, preemptions};
pub use races::{Race, RaceDetector, races};
pub use random::Random;
pub use schedule::MAX_THREADS;
pub use serial::{MAX_PERMUTED, Serial};
pub use shrink::{Attempt, Proof, Shrunk, shrink};
pub use silent::{SilentAccess, unordered_silent};
pub use surw::Surw;
pub use sweep::Sweep;
pub use unseen::{Unseen, unordered};

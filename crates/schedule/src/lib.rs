//! What an execution of a concurrent test is made of, and who decides how it goes.
//!
//! Three nouns carry it. An [`Event`] is one visible step of one thread; a [`Trace`] is the events of an
//! execution in order. A [`Schedule`] is the decisions that fix an execution, and a [`Scheduler`] makes
//! them while it runs. This crate knows no Java and runs nothing: the host runs, explorers and replays
//! choose, oracles read traces.
//!
//! ```
//! use schedule::{Event, EventKind, ObjectId, Schedule, SiteId, Step, ThreadId, Trace, Turn};
//!
//! let write = Event { kind: EventKind::Write, object: ObjectId(0), slot: 12, site: SiteId(7) };
//! let steps = [1, 1, 2].map(|thread| Step { thread: ThreadId(thread), event: write });
//! let schedule = Schedule::of(&Trace { steps: steps.to_vec() });
//! assert_eq!(schedule.turns[0], Turn { thread: ThreadId(1), events: 2 });
//! ```

#![forbid(unsafe_code)]

mod event;
mod fast_map;
mod in_order;
mod look;
mod one_each;
mod random;
mod schedule;
mod scheduler;
mod thread_set;
mod trace;

pub use event::{Event, EventKind, ObjectId, SiteId, ThreadId};
pub use fast_map::{FastHasher, FastMap};
pub use in_order::InOrder;
pub use look::{all_look, all_went_round, goes_round, is_idle, is_look, went_round};
pub use one_each::one_each;
pub use random::RandomWalk;
pub use schedule::{Replay, Schedule};
pub use scheduler::{Choice, Divergence, Scheduler, Turn};
pub use thread_set::{MAX_THREADS, ThreadSet};
pub use trace::{Step, Trace};

//! How controlled threads hand control to each other, in every way in which they can meet.
//!
//! The files under test are those of the crate itself, compiled once more with [loom](https://docs.rs/loom)'s mutex, atomics,
//! thread locals and statics in place of the real ones (`sync.rs`). Loom then runs each model under every order of its threads'
//! steps, with every value that a relaxed load may see, up to a bound on preemptions where one is named. A state in which
//! nobody can go on is a lost hand-over; two accesses of one [`Held`](held::Held) that nothing orders are two holders at once.
//!
//! What is not here: HotSpot's threads, and the futex of the operating system, which the model makes from a mutex and a
//! condition. The machine and its lock table are pure, and are only ever touched under the one mutex that is modelled.

#[allow(dead_code)]
#[path = "../../src/baton.rs"]
mod baton;
#[allow(dead_code)]
#[path = "../../src/control.rs"]
mod control;
#[allow(dead_code)]
#[path = "../../src/lock_table.rs"]
mod lock_table;
#[allow(dead_code, unused_imports)]
#[path = "../../src/machine/mod.rs"]
mod machine;
#[allow(dead_code)]
#[path = "../../src/objects.rs"]
mod objects;

#[allow(dead_code)]
#[path = "../../src/silence.rs"]
mod silence;

#[allow(dead_code)]
#[path = "../../src/unseen/record.rs"]
mod record;

#[allow(dead_code)]
#[path = "../../src/unseen/held.rs"]
mod monitors;

/// Nothing is watched here.
mod unseen {
    pub(crate) use crate::monitors as held;
    pub use crate::record::{Access, Location, Record, Unseen};
}

/// Nothing is thrown here.
mod outcome {
    #[derive(Debug)]
    pub struct Thrown;
}

mod executions;
mod hand_over;
mod held;
mod sync;

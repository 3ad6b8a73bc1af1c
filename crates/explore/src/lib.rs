//! Which schedule next.
#![forbid(unsafe_code)]

pub mod dependency;
mod dpor;
mod execution;
mod hang;
mod preemption;
mod races;
mod rng;
mod explorer;
mod hash;
mod names;
mod order;
mod partial_order;
mod spin;
mod state;
mod timeline;

pub use dpor::{Dpor, DporCounts, DporSettings};
pub use execution::{End, Execution, Learnt};
pub use explorer::Explorer;
pub use hang::{Hang, Held, hang};
pub use preemption::{Interference, interference};
pub use races::{Race, races};
pub use partial_order::partial_order;

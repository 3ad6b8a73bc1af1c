//! Which schedule next.
#![forbid(unsafe_code)]

pub mod dependency;
mod dpor;
mod execution;
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
pub use partial_order::partial_order;

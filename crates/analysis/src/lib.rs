//! x

#![forbid(unsafe_code)]

mod analyzer;
mod body;
mod calls;
mod depend;
mod dispatch;
mod error;
mod facts;
mod gather;
mod handles;
mod heap;
mod hierarchy;
mod interpret;
mod known;
mod lambda;
mod lock;
mod locking;
mod names;
mod path;
mod program;
mod scope;
mod solver;
mod state;
mod store;
mod summary;
mod value;

pub use analyzer::Analyzer;
pub use depend::{Conflict, Crossing, Pair};
pub use error::Error;
pub use facts::*;
pub use solver::Limits;
pub use store::ByteStore;

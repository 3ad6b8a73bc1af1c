//! What the slots of a pool synchronize by. `tests/model.rs` puts loom's in its place.

pub use std::sync::{Condvar, Mutex, MutexGuard};

//! The crate on toy programs.

mod complete;
mod programs;
mod random;
mod toy;

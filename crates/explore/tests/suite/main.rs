//! The crate on toy programs.

mod auto;
mod bounded;
mod causes;
mod complete;
mod estimate;
mod hangs;
mod many;
mod memory;
mod programs;
mod racing;
mod random;
mod sampling;
mod serial;
mod shrinking;
mod spinning;
mod toy;

//! The oracle on toy programs, without a virtual machine.

mod judged;
mod merges;
mod random;
mod toy;

//! How much a worker may have of everything.
//!
//! A virtual machine reserves far more addresses than it uses, so the size of the address space says nothing. What is
//! limited is memory that can be written to, which is what a heap, stacks and native memory come to. The number of
//! processes is counted for a user and not for a worker, and not at all for root: a worker can start no process (see
//! `calls`), and the supervisor watches its threads.

use rustix::process::{Resource, Rlimit, setrlimit};

use super::{Fence, FenceError};

pub fn set(fence: &Fence) -> Result<(), FenceError> {
    limit(Resource::Core, "core dumps", 0)?;
    limit(Resource::Fsize, "files", fence.file_size)?;
    limit(Resource::Data, "memory", fence.memory)
}

fn limit(resource: Resource, what: &'static str, most: u64) -> Result<(), FenceError> {
    // No more than whoever started us may have.
    let most = rustix::process::getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
    let both = Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(resource, both).map_err(|error| FenceError::Limit { what, reason: error.into() })
}

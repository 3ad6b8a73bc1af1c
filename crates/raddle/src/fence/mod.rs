//! The fence around a worker: what the code under test may do to the machine that it runs on.
//!
//! A worker puts itself behind it before it loads a virtual machine, and nothing can lift it again. Three measures stand
//! beside each other, because none of them does all. [`files`]: Landlock, by path. [`calls`]: a filter of system calls,
//! for what Landlock does not know of. [`limits`]: how much of everything.
//!
//! **What it does not keep out** is in `docs/design/workers.md`.

mod calls;
mod files;
mod limits;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use files::{Missing, check};

/// What is inside the fence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fence {
    /// The one folder where files may be made, written and deleted.
    pub private: PathBuf,
    /// Files and folders that may be read, besides those that every virtual machine needs.
    pub readable: Vec<PathBuf>,
    /// How much memory the process may have to write to, in bytes.
    pub memory: u64,
    /// How long a file may become, in bytes.
    pub file_size: u64,
    /// Whether all of it stands.
    pub extent: Extent,
}

/// How much of a fence there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// All of it.
    Whole,
    /// All but what Landlock does, for kernels that have none: no network, no processes and limits, but all files.
    WithoutLandlock,
}

/// Why there is no fence.
#[derive(Debug, thiserror::Error)]
pub enum FenceError {
    /// Landlock is not there, or cannot do what is needed.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// Landlock has refused a rule.
    #[error("cannot fence the worker: {0}")]
    Landlock(#[from] landlock::RulesetError),
    /// A path could not be opened.
    #[error("cannot let the worker at {path}: {reason}")]
    Path {
        /// The path.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The filter was refused.
    #[error("cannot filter the worker's system calls: {0}")]
    Calls(String),
    /// A limit was refused.
    #[error("cannot limit the worker's {what}: {reason}")]
    Limit {
        /// What is limited.
        what: &'static str,
        /// Why not.
        reason: std::io::Error,
    },
}

impl Fence {
    /// Puts the current thread, and all that it starts from now on, behind the fence. There is no way back.
    pub fn enter(&self) -> Result<(), FenceError> {
        limits::set(self)?;
        if self.extent == Extent::Whole {
            files::restrict(self)?;
        }
        calls::filter()
    }
}

//! The supervisor's side: a pool of workers, each of which may die at any time.
//!
//! Two nouns carry it. A [`Task`] is a job with a key that means the same in every run. A [`Pool`] keeps one worker a
//! slot: tasks go in by [`Pool::submit`], and an [`Event`] comes out of [`Pool::next`] whenever something happens: what a
//! task has found so far, how far it is, and at last its [`Outcome`], in the order in which they are done. What a task comes to does not depend on the worker that runs it, nor on what ran before it: a worker
//! after which that could not be said is replaced.
//!
//! A worker that crashes, exits, hangs or runs out of something costs the task that it runs, which becomes
//! [`Answer::Unknown`](crate::worker::protocol::Answer::Unknown). A worker that somebody else kills says nothing about
//! the task: that is run again in another one, a few times.

mod death;
mod folder;
mod handle;
mod identity;
mod mail;
mod output;
mod pool;
mod process;
mod queue;
mod run;
mod session;
mod settings;
mod slot;
mod sync;
mod usage;

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::worker::protocol::{Answer, Job, News};

pub use folder::PrivateFolders;
pub use handle::Handle;
pub use identity::identity;
pub use output::Printed;
pub use pool::{Pool, Stopper};
pub use process::{StartError, WorkerProcess};
pub use run::run;
pub use session::{Ran, Session};
pub use settings::PoolSettings;

/// A job that can be told from all others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The same in every run.
    pub key: String,
    /// What is to be done.
    pub job: Job,
    /// How long it may take; by default what the pool allows.
    #[serde(default)]
    pub budget: Option<Duration>,
    /// When it has to be at its end at the latest, however long it has waited for a worker.
    #[serde(skip)]
    pub until: Option<Instant>,
    /// It is for a worker that has done nothing else, so that nothing can be left from before.
    #[serde(default)]
    pub fresh: bool,
}

/// What happens in a pool.
#[derive(Clone, Debug)]
pub enum Event {
    /// A task goes on. A task that has to be begun anew tells the same again.
    News(Arc<Task>, News),
    /// A task is done.
    Done(Arc<Task>, Outcome),
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The worker's answer, or ours where it gave none.
    pub answer: Answer,
    /// What the operating system has refused to the code under test.
    pub refused: Vec<String>,
    /// What the code under test has printed.
    pub printed: Printed,
}

//! Runs one test case in a JVM under a scheduler.
//!
//! Three nouns carry it. A [`Host`] is HotSpot in this process, with us as its agent; a process can have
//! one. [`Prepared`] is a test case whose names were looked up. An [`Execution`] is how one run of it went:
//! the trace, how each call ended, and why it ended early if it did.
//!
//! ```no_run
//! use host::{Host, JvmSettings, RunSettings};
//! use schedule::RandomWalk;
//!
//! # fn run(test: testcase::TestCase) -> Result<(), Box<dyn std::error::Error>> {
//! let mut host = Host::start(&JvmSettings {
//!     java_home: "path/to/a/jdk".into(),
//!     class_path: "target/classes".into(),
//!     folder: "a/private/folder".into(),
//!     options: vec![],
//!     left_out: vec![],
//! })?;
//! let test = host.prepare(&test, &["com/acme/Cache".into()])?;
//! let execution = host.run(&test, Box::new(RandomWalk::new(1)), RunSettings::default());
//! let again = host.run(&test, Box::new(execution.schedule().replay()), RunSettings::default());
//! assert_eq!(again.trace, execution.trace);
//! # Ok(())
//! # }
//! ```
//!
//! The executable must be linked with `-rdynamic`, so that HotSpot finds the agent in it. How it is done, and
//! what is not seen, is in `docs/design/engine.md` and under "What is opaque" in `ARCHITECTURE.md`.
//!
//! **What it may miss.** Events in opaque code; and what a thread does while it is quiet: class loading,
//! linking, static initialisers. **What it never does.** It never lets two controlled threads run at once, and
//! never goes on when a replay cannot be followed.
//!
//! **Limits.** Linux, HotSpot 17 to 25; 64 controlled threads at once; a thread that blocks in native code
//! blocks the execution.

mod agent;
mod awaited;
mod baton;
mod calls;
mod common_pool;
mod contended;
mod control;
mod definitions;
mod depth;
mod exhausted;
mod fresh_thread;
mod graph;
mod handed_over;
mod hook_class;
mod host;
mod implement;
mod initialisers;
mod instrument;
mod jdk_state;
mod jni;
mod jvm;
mod jvmti;
mod keepable;
mod kept;
mod lock_table;
mod machine;
mod made;
mod mbeans;
mod named;
mod native_methods;
mod natives;
mod objects;
mod one_core;
mod opaque;
mod opaque_arrays;
mod outcome;
mod properties;
mod raw;
mod read;
mod rearrange;
mod refusals;
mod resolve;
mod scope;
mod shutdown;
mod signals;
mod silence;
mod sites;
mod statics;
mod sync;
mod tables;
mod there_before;
mod threads;
mod thrown;
pub mod unseen;
mod value;
mod weak;

pub use calls::Values;
pub use control::{Standing, beats, standing};
pub use depth::MESSAGE as TOO_DEEP;
pub use exhausted::{Exhausted, exhausted, forgive};
pub use graph::Bounds;
pub use hook_class::names as hooks;
pub use host::{Host, PrepareError, Prepared, RunSettings};
pub use implement::NotImplementable;
pub use jvm::{JvmError, JvmSettings, write_hooks};
pub use machine::{Blocked, Limits, Stop};
pub use made::calls_made;
pub use named::Named;
pub use outcome::{Awaited, CallResult, Execution, Thrown, Told};
pub use refusals::{MOST_REFUSALS, note_refusals, take_refusals};
pub use resolve::ResolveError;
pub use silence::{Silent, Unannounced};
pub use sites::{FieldRef, Site};
pub use statics::{Unrestored, unrestored};
pub use threads::uncontrolled as uncontrolled_threads;
pub use unseen::Unseen;
pub use value::{Content, Double, Items, Object, Single, Value};

//! Runs one test case in a JVM under a scheduler.

mod agent;
mod baton;
mod control;
mod hook_class;
mod host;
mod instrument;
mod jdk_state;
mod jni;
mod jvm;
mod jvmti;
mod machine;
mod native_methods;
mod natives;
mod objects;
mod outcome;
mod raw;
mod read;
mod resolve;
mod scope;
mod sites;
mod statics;
mod threads;

pub use host::{Host, PrepareError, Prepared, RunSettings};
pub use jvm::{JvmError, JvmSettings};
pub use machine::{Blocked, Stop};
pub use outcome::{CallResult, Execution, Thrown, Value};
pub use resolve::ResolveError;
pub use sites::{FieldRef, Site};

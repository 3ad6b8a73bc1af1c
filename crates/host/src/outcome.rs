//! What an execution gave.

use crate::machine::Stop;
use schedule::{Schedule, Trace};
use serde::{Deserialize, Serialize};

/// How one execution of a test case went.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// What happened.
    pub trace: Trace,
    /// How each call of the prefix ended; shorter than the prefix if one threw.
    pub prefix: Vec<CallResult>,
    /// How each call of each suffix ended; shorter than the suffix if one threw or was cut off.
    pub suffixes: Vec<Vec<CallResult>>,
    /// How each probe ended, likewise; none ran if the execution ended early.
    pub probes: Vec<CallResult>,
    /// Exceptions that nobody has caught, in threads that the code under test has started.
    pub uncaught: Vec<(schedule::ThreadId, Thrown)>,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

impl Execution {
    /// The decisions that lead to it again.
    pub fn schedule(&self) -> Schedule {
        Schedule::of(&self.trace)
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum CallResult {
    /// It returned.
    Returned(Value),
    /// It threw.
    Threw(Thrown),
    /// It was cut off because the execution ended.
    CutOff,
}

/// A value that a call returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Value {
    Void,
    Null,
    Boolean(bool),
    Byte(i8),
    Char(u16),
    Short(i16),
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    String(String),
    /// Any other object: its class, and its number among the objects of the execution.
    Object {
        class: String,
        number: u32,
    },
}

/// An exception.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Thrown {
    /// Its class: `java.lang.NullPointerException`.
    pub class: String,
    /// Its message, if it has one.
    pub message: Option<String>,
    /// Where it was thrown, innermost first, as `StackTraceElement` writes it.
    pub frames: Vec<String>,
}

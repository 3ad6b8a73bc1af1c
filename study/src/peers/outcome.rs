//! How a tool went on a test, in numbers.

use serde::{Deserialize, Serialize};

use super::cases::Case;
use super::process::Cost;
use crate::machine::Machine;

/// A tool on a test and its twin.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    pub fail: Fail,
    pub pass: Pass,
    pub rate: Option<Rate>,
}

/// On the test that has a fault.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Fail {
    pub found: bool,
    /// Up to and with the first that failed. For a tool that does not say, executions divided by failures.
    pub executions: Option<f64>,
    /// The whole command, with the JVM's start and the report.
    pub cost: Cost,
    /// What the tool said, or why there is nothing.
    pub said: String,
}

/// On the twin that has none.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pass {
    /// Whether the tool says that nothing is left to run.
    pub exhausted: bool,
    /// Whether it reported a failure, which would be false.
    pub false_alarm: bool,
    pub executions: Option<u64>,
    pub cost: Cost,
    pub said: String,
}

/// Executions of the twin, as many as there is time for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rate {
    pub executions: u64,
    pub processor_seconds: f64,
}

impl Rate {
    /// Executions a second of processor time.
    pub fn a_second(&self) -> f64 {
        self.executions as f64 / self.processor_seconds.max(1e-9)
    }
}

/// All tools on a test.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    pub case: Case,
    pub raddle: Outcome,
    pub lincheck: Outcome,
    pub jcstress: Outcome,
}

/// A peer that could not be had.
#[derive(Debug, Serialize, Deserialize)]
pub struct Missing {
    pub peer: String,
    /// What was asked for and not there.
    pub artifact: String,
    pub said: String,
}

/// Everything, as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub struct Document {
    pub machine: Machine,
    /// Which share of the processors others than the tools had.
    pub others: Option<f64>,
    pub java: String,
    /// A hash of the `raddle` that ran, as in what is kept of checks.
    #[serde(default)]
    pub program: String,
    pub versions: Vec<(String, String)>,
    pub missing: Vec<Missing>,
    pub budget: u64,
    pub rate: u64,
    pub rows: Vec<Row>,
}

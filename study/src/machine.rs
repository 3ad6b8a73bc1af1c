//! What everything ran on.

use serde::{Deserialize, Serialize};

/// A machine, as Linux describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub processor: String,
    pub cores: usize,
    pub memory_gb: u64,
    pub linux: String,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| -> String {
            let line = text.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split(':').nth(1)).unwrap_or("unknown").trim().to_owned()
        };
        let memory = field(&read("/proc/meminfo"), "MemTotal");
        let kilobytes: u64 = memory.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0);
        Machine {
            processor: field(&read("/proc/cpuinfo"), "model name"),
            cores: std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            memory_gb: kilobytes.div_ceil(1 << 20),
            linux: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }

    /// How many threads wanted to run in the last minute.
    pub fn load() -> f64 {
        let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// In a line.
    pub fn text(&self) -> String {
        format!("{} cores of {}, {} GB of memory, Linux {}", self.cores, self.processor, self.memory_gb, self.linux)
    }
}

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

    /// In a line.
    pub fn text(&self) -> String {
        format!("{} cores of {}, {} GB of memory, Linux {}", self.cores, self.processor, self.memory_gb, self.linux)
    }
}

/// What the processors have done up to a moment, in ticks of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    all: u64,
    busy: u64,
    /// For this process and what it has started and waited for.
    own: u64,
}

impl Ticks {
    /// Up to now; None where Linux does not say.
    pub fn now() -> Option<Ticks> {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        Ticks::read(&read("/proc/stat")?, &read("/proc/self/stat")?)
    }

    fn read(machine: &str, process: &str) -> Option<Ticks> {
        let line = machine.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        // What guests take is counted for their hosts, too. Time that a hypervisor took away is others' time.
        let &[user, nice, system, idle, awaiting, hard, soft, stolen, ..] = ticks.as_slice() else { return None };
        let busy = user + nice + system + hard + soft + stolen;
        // The name of a program may have blanks, and ends the second field.
        let fields = process.rsplit_once(") ")?.1.split(' ');
        let own = fields.skip(11).take(4).map_while(|number| number.parse::<u64>().ok()).sum();
        Some(Ticks { all: busy + idle + awaiting, busy, own })
    }

    /// Which share of the processors others than this process and its children had from an earlier moment up to this one.
    pub fn others_since(&self, before: &Ticks) -> f64 {
        let others = (self.busy - before.busy).saturating_sub(self.own - before.own);
        others as f64 / (self.all - before.all).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_took_is_what_was_busy_and_not_ours() {
        let process = |own: u64| format!("7 (a name) with) S 1 1 1 0 -1 0 0 0 0 0 {own} 2 3 4 20 0 1 0");
        let before = Ticks::read("cpu  100 0 50 1000 10 0 0 0 0 0\ncpu0 1 1\n", &process(1)).unwrap();
        assert_eq!(before, Ticks { all: 1160, busy: 150, own: 10 });
        let after = Ticks::read("cpu  160 10 60 1100 20 5 5 10 3 0\n", &process(51)).unwrap();
        // Of 210 ticks 100 were busy, and 50 of these were ours.
        assert_eq!(after.others_since(&before), 50.0 / 210.0);
        assert!(Ticks::now().is_some());
    }
}

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
    /// For this process and all that it has started, those that they have started, and so on.
    own: u64,
}

impl Ticks {
    /// Up to now; None where Linux does not say.
    pub fn now() -> Option<Ticks> {
        let machine = std::fs::read_to_string("/proc/stat").ok()?;
        let folders = std::fs::read_dir("/proc").ok()?.flatten();
        // This process is there once more, as `self`.
        let numbered = folders.filter(|folder| folder.file_name().to_string_lossy().parse::<u32>().is_ok());
        // One may have ended since it was listed.
        let processes = numbered.filter_map(|folder| std::fs::read_to_string(folder.path().join("stat")).ok());
        let processes: Vec<Process> = processes.filter_map(|text| Process::read(&text)).collect();
        Ticks::read(&machine, ticks_below(std::process::id(), &processes))
    }

    fn read(machine: &str, own: u64) -> Option<Ticks> {
        let line = machine.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        // What guests take is counted for their hosts, too. Time that a hypervisor took away is others' time.
        let &[user, nice, system, idle, awaiting, hard, soft, stolen, ..] = ticks.as_slice() else { return None };
        let busy = user + nice + system + hard + soft + stolen;
        Some(Ticks { all: busy + idle + awaiting, busy, own })
    }

    /// Which share of the processors others than this process and its children had from an earlier moment up to this one.
    pub fn others_since(&self, before: &Ticks) -> f64 {
        let others = (self.busy - before.busy).saturating_sub(self.own.saturating_sub(before.own));
        others as f64 / (self.all - before.all).max(1) as f64
    }
}

/// A process, as Linux describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    id: u32,
    parent: u32,
    /// Of its own, and of what it has started and waited for.
    ticks: u64,
}

impl Process {
    fn read(text: &str) -> Option<Process> {
        // The name of a program may have blanks, and ends the second field.
        let (named, fields) = text.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let ticks = fields.get(11..15)?.iter().map_while(|number| number.parse::<u64>().ok()).sum();
        Some(Process { id: named.split(' ').next()?.parse().ok()?, parent: fields[1].parse().ok()?, ticks })
    }
}

/// The ticks of a process and of all below it.
fn ticks_below(root: u32, processes: &[Process]) -> u64 {
    let own = processes.iter().find(|process| process.id == root).map_or(0, |process| process.ticks);
    let below = processes.iter().filter(|process| process.parent == root);
    own + below.map(|process| ticks_below(process.id, processes)).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_counts_with_all_below_it() {
        let process = |id: u32, parent: u32, user: u64| {
            Process::read(&format!("{id} (a name) with) S {parent} 1 1 0 -1 0 0 0 0 0 {user} 2 3 4 20 0 1 0")).unwrap()
        };
        assert_eq!(process(7, 1, 1), Process { id: 7, parent: 1, ticks: 10 });
        let processes =
            [process(1, 0, 500), process(9, 8, 31), process(7, 1, 1), process(8, 7, 11), process(6, 1, 900)];
        assert_eq!(ticks_below(7, &processes), 10 + 20 + 40);
    }

    #[test]
    fn what_others_took_is_what_was_busy_and_not_ours() {
        let before = Ticks::read("cpu  100 0 50 1000 10 0 0 0 0 0\ncpu0 1 1\n", 10).unwrap();
        assert_eq!(before, Ticks { all: 1160, busy: 150, own: 10 });
        let after = Ticks::read("cpu  160 10 60 1100 20 5 5 10 3 0\n", 60).unwrap();
        // Of 210 ticks 100 were busy, and 50 of these were ours.
        assert_eq!(after.others_since(&before), 50.0 / 210.0);
        assert!(Ticks::now().is_some());
    }
}

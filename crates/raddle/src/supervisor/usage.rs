//! How much a process has of everything, as the kernel tells it.

use std::path::Path;

/// What a process has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Resident memory in bytes.
    pub memory: u64,
    /// Threads.
    pub threads: u64,
}

/// The resident memory of a process in bytes; None if it is gone. Nothing else is asked
/// for, because this is many times a second.
pub fn memory(process: u32) -> Option<u64> {
    let numbers = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("statm")).ok()?;
    let pages: u64 = numbers.split_whitespace().nth(1)?.parse().ok()?;
    // One that has ended and that nobody has waited for has none.
    (pages > 0).then(|| pages * rustix::param::page_size() as u64)
}

/// What a process has; None if it is gone.
pub fn of(process: u32) -> Option<Usage> {
    let status = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status")).ok()?;
    let number = |key: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(key))?;
        value.trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    Some(Usage { memory: number("VmRSS:")? * 1024, threads: number("Threads:")? })
}

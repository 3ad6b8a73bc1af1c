//! Processor time to the nanosecond, which other work on the machine adds far less to than to the time on the clock.

use std::collections::BTreeMap;

/// What each thread of a process has used so far, in nanoseconds.
#[derive(Debug)]
pub struct Used(BTreeMap<String, u64>);

/// What the threads of a process have used.
pub fn used(process: u32) -> Used {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let time = |thread: std::io::Result<std::fs::DirEntry>| {
        let path = thread.ok()?.path();
        // A thread may end in between.
        let text = std::fs::read_to_string(path.join("schedstat")).ok()?;
        Some((path.to_str()?.to_owned(), text.split(' ').next()?.parse().ok()?))
    };
    Used(threads.filter_map(time).collect())
}

impl Used {
    /// What was used since, in nanoseconds; None if a thread has ended, for then nobody knows what it has used.
    pub fn since(&self, before: &Used) -> Option<u64> {
        let old = before.0.iter().map(|(thread, before)| Some(self.0.get(thread)?.saturating_sub(*before)));
        let new = self.0.iter().filter(|(thread, _)| !before.0.contains_key(*thread)).map(|(_, time)| Some(*time));
        old.chain(new).sum()
    }
}

//! Keeps the threads of an execution on one core.
//!
//! Only one of them runs at a time, so a second core does nothing for them; and one that is woken on another core takes several
//! times as long to begin. HotSpot's own threads, which compile and collect, stay free to run elsewhere.
//!
//! Which core is the kernel's choice, for it knows what else runs: now and then the threads are let go, and stay where they are found.
//! That is done when they have had less of their core than there is of it, as where two workers have come to share one.

use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, Pid, gettid, sched_getaffinity, sched_getcpu, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// So often it is looked at how much of the core there was.
const WATCHED: Duration = Duration::from_millis(200);
/// So long the kernel has to move the threads.
const FREE: Duration = Duration::from_millis(8);
/// With less than this part of the core, in hundredths, another may be better. Two workers that share one have half of it each;
/// one that shares its core with the supervisor, or waits for its next test now and then, has more, and is better left alone.
const ENOUGH: u128 = 70;

/// The core on which the threads of executions run.
#[derive(Debug)]
pub struct Core {
    threads: Vec<Pid>,
    /// Where they may run; none if there is no choice.
    allowed: Option<CpuSet>,
    is_kept: bool,
    /// Since when that is so, and the time of a processor that the process had had by then.
    since: (Instant, Duration),
}

impl Core {
    /// For the current thread, and those that are added.
    pub fn new() -> Core {
        let allowed = sched_getaffinity(None).ok().filter(|allowed| allowed.count() > 1);
        Core { threads: vec![gettid()], allowed, is_kept: false, since: (Instant::now(), used()) }
    }

    /// Another thread, which goes where the others are from the next look on.
    pub fn add(&mut self, thread: Pid) {
        self.threads.push(thread);
        self.let_go();
    }

    /// Looks whether something is to be changed. For use between executions, in the first thread.
    pub fn look(&mut self) {
        let elapsed = self.since.0.elapsed();
        if self.allowed.is_none() || elapsed < if self.is_kept { WATCHED } else { FREE } {
            return;
        }
        if !self.is_kept {
            self.keep();
        } else if (used().saturating_sub(self.since.1)).as_micros() * 100 < elapsed.as_micros() * ENOUGH {
            self.let_go();
        } else {
            self.since = (Instant::now(), used());
        }
    }

    fn keep(&mut self) {
        let mut here = CpuSet::new();
        here.set(sched_getcpu());
        self.change(&here, true);
    }

    fn let_go(&mut self) {
        if let Some(allowed) = self.allowed {
            self.change(&allowed, false);
        }
    }

    fn change(&mut self, to: &CpuSet, is_kept: bool) {
        for thread in &self.threads {
            // A thread that is gone, or a kernel that refuses: then they run as they would without us.
            let _ = sched_setaffinity(Some(*thread), to);
        }
        self.is_kept = is_kept;
        self.since = (Instant::now(), used());
    }
}

/// How much time of a processor the process has had.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

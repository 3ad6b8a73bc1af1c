//! Threads by the same number in every execution.
//!
//! Threads are numbered as they are created, so a thread that two others might have created first has another
//! number in another schedule. What is the same in every schedule is who started it, and as the so manyth. Threads
//! that no event starts (those of the test itself) keep their number.

use schedule::FastMap;
use schedule::{Event, EventKind, ThreadId};

/// The numbers of threads, over all executions of one test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// By who started it, and as the so manyth.
    started: FastMap<(u16, u16), u16>,
    /// The other way round.
    origins: FastMap<u16, (u16, u16)>,
    next: u16,
    /// For each thread of this execution: its name, if it was started by an event.
    names: Vec<Option<u16>>,
    /// For each name: how many threads it has started in this execution.
    starts: Vec<u16>,
}

impl Names {
    /// A new execution begins.
    pub fn clear(&mut self) {
        self.names.clear();
        self.starts.clear();
    }

    pub fn name(&self, thread: ThreadId) -> usize {
        self.names.get(thread.0 as usize).copied().flatten().unwrap_or(thread.0) as usize
    }

    /// A number for a name that does not depend on the executions so far, as the name itself does.
    pub fn label(&self, name: usize) -> u64 {
        match self.origins.get(&(name as u16)) {
            Some(&(by, number)) => {
                let by = self.label(by as usize).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (by ^ (number as u64 + 1)).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1 << 63
            }
            None => name as u64,
        }
    }

    /// Whether an event has started the thread, or is announced to.
    pub fn is_started(&self, thread: ThreadId) -> bool {
        self.names.get(thread.0 as usize).is_some_and(Option::is_some)
    }

    /// The event with names in place of threads. The name is that of its own thread.
    pub fn event(&mut self, name: usize, event: Event) -> Event {
        if let Some(attempted) = event.attempted() {
            return self.event(name, attempted).attempt();
        }
        let slot = match event.kind {
            EventKind::Start => self.start(name, event.slot),
            kind if kind.is_about_thread() || kind == EventKind::LockInVain => {
                self.name(ThreadId(event.slot as u16)) as u32
            }
            _ => event.slot,
        };
        Event { slot, ..event }
    }

    /// The event has happened.
    pub fn happened(&mut self, name: usize, event: Event) {
        if event.kind == EventKind::Start {
            if self.starts.len() <= name {
                self.starts.resize(name + 1, 0);
            }
            self.starts[name] += 1;
        }
    }

    fn start(&mut self, by: usize, thread: u32) -> u32 {
        let number = self.starts.get(by).copied().unwrap_or(0);
        let name = *self.started.entry((by as u16, number)).or_insert_with(|| {
            // Above the numbers of all threads that no event starts, for those come first.
            let name = self.next.max(thread as u16);
            self.next = name + 1;
            name
        });
        self.origins.insert(name, (by as u16, number));
        let thread = thread as usize;
        if self.names.len() <= thread {
            self.names.resize(thread + 1, None);
        }
        self.names[thread] = Some(name);
        name as u32
    }
}

//! Accesses that no thread can notice are no events while a check explores: see `docs/design/speed.md`.
//!
//! What is found is run again with all accesses, judged then, and shrunk and explained so. Nothing that leaves an
//! exploration knows of silent accesses.

use std::collections::{BTreeSet, HashSet};

use explore::{SilentAccess, unordered_silent};
use host::Execution;
use schedule::Schedule;

use super::KEPT;
use crate::worker::ending::{End, tell};

/// Upper bound on the accesses of an execution that are held against each other. Where there are more, all of them become
/// events.
const MAX_COMPARED: usize = 20_000;

/// What an exploration knows of silent accesses.
#[derive(Debug, Default)]
pub struct Silence {
    /// Whether executions run silently.
    pub is_on: bool,
    /// Traces that were looked at, by their digests.
    seen: HashSet<u64>,
    /// Schedules of some executions that passed, with all accesses.
    passing: Vec<Schedule>,
}

impl Silence {
    /// For an exploration that runs silently, or not.
    pub fn new(is_on: bool) -> Silence {
        Silence { is_on, ..Silence::default() }
    }

    /// The keys that must be raised after an execution, because events do not say in which order accesses came.
    pub fn unheard(&mut self, execution: &Execution, end: End) -> Vec<u32> {
        if !self.is_on {
            return Vec::new();
        }
        let mut keys: BTreeSet<u32> = execution.silent.restless.iter().copied().collect();
        let shared = &execution.silent.shared;
        // The same events in the same order have the same accesses between them.
        if !shared.is_empty() && self.seen.insert(execution.trace.digest()) {
            if shared.len() > MAX_COMPARED {
                keys.extend(shared.iter().filter(|access| !access.is_event).map(|access| access.key));
            } else {
                let accesses: Vec<_> = shared
                    .iter()
                    .map(|access| SilentAccess {
                        thread: access.thread,
                        at: access.at,
                        place: access.place,
                        writes: access.kind.is_write(),
                        is_event: access.is_event,
                    })
                    .collect();
                let unordered = unordered_silent(&tell(execution, end), &accesses);
                keys.extend(
                    unordered.into_iter().map(|access| shared[access]).filter(|it| !it.is_event).map(|it| it.key),
                );
            }
        }
        keys.into_iter().collect()
    }

    /// Keeps an execution that passed, as long as there are few.
    pub fn keep(&mut self, execution: &Execution) {
        if self.passing.len() < KEPT {
            self.passing.push(execution.schedule_with_silent());
        }
    }

    /// Schedules of executions that passed.
    pub fn take_passing(&mut self) -> Vec<Schedule> {
        std::mem::take(&mut self.passing)
    }

    /// Exploration begins anew.
    pub fn forget(&mut self) {
        self.seen.clear();
    }
}

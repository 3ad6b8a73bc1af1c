//! Where threads have met: what says whether a test has shown anything that others had not.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use host::Execution;
use schedule::{EventKind, ObjectId, SiteId, ThreadId};

/// Contacts of executions: an access of one thread and the next of the same field or element by another, if one of them writes. Each
/// is known by the two places in the code.
#[derive(Debug, Default)]
pub struct Contacts {
    seen: HashSet<u64>,
    /// Who was last at a field or element, where, and what it did.
    last: HashMap<(ObjectId, u32), (ThreadId, SiteId, EventKind)>,
}

impl Contacts {
    /// Those of an execution are seen, too.
    pub fn see(&mut self, execution: &Execution) {
        self.last.clear();
        for step in execution.trace.steps.iter().filter(|step| step.event.kind.is_access()) {
            let (thread, event) = (step.thread, step.event);
            let last = self.last.insert((event.object, event.slot), (thread, event.site, event.kind));
            let met = last.filter(|(other, _, kind)| *other != thread && (kind.is_write() || event.kind.is_write()));
            if let Some((_, site, kind)) = met {
                let mut hasher = DefaultHasher::new();
                ((site, kind), (event.site, event.kind)).hash(&mut hasher);
                self.seen.insert(hasher.finish());
            }
        }
    }

    /// All of them, in order.
    pub fn told(&self) -> Vec<u64> {
        let mut told: Vec<u64> = self.seen.iter().copied().collect();
        told.sort_unstable();
        told
    }
}

//! Where threads have met: what says whether a test has shown anything that others had not.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use host::Execution;
use schedule::{EventKind, FastMap, ObjectId, SiteId, ThreadId};

/// Contacts of executions: an access of one thread and the next of the same field or element by another, if one of them writes. Each
/// is known by the two places in the code.
#[derive(Debug, Default)]
pub struct Contacts {
    seen: HashSet<u64>,
    /// Who was last at a field or element, where, and what it did.
    last: FastMap<(ObjectId, u32), (ThreadId, SiteId, EventKind)>,
}

impl Contacts {
    /// Those of an execution are seen, too.
    pub fn see(&mut self, execution: &Execution) {
        self.last.clear();
        for step in execution.trace.steps.iter().filter(|step| step.event.kind.is_access()) {
            let (thread, event) = (step.thread, step.event);
            let last = self.last.insert((event.object, event.slot), (thread, event.site, event.kind));
            if let Some(last) = last {
                self.meet(last, (thread, event.site, event.kind));
            }
        }
        let pairs = execution.silent.shared.windows(2).filter(|pair| pair[0].place == pair[1].place);
        for pair in pairs {
            let [one, other] = [pair[0], pair[1]].map(|access| (access.thread, access.site, access.kind));
            self.meet(one, other);
        }
    }

    fn meet(&mut self, one: (ThreadId, SiteId, EventKind), other: (ThreadId, SiteId, EventKind)) {
        if one.0 != other.0 && (one.2.is_write() || other.2.is_write()) {
            let mut hasher = DefaultHasher::new();
            ((one.1, one.2), (other.1, other.2)).hash(&mut hasher);
            self.seen.insert(hasher.finish());
        }
    }

    /// All of them, in order.
    pub fn told(&self) -> Vec<u64> {
        let mut told: Vec<u64> = self.seen.iter().copied().collect();
        told.sort_unstable();
        told
    }
}

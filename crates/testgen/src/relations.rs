//! Which methods change what others look at, from the summaries.

use std::collections::BTreeSet;

use analysis::{ClassFacts, Owner};

/// What the methods of a class have to do with each other's state.
#[derive(Default)]
pub struct Relations {
    writes: Vec<BTreeSet<usize>>,
    touches: Vec<BTreeSet<usize>>,
    /// Methods that do what is not known.
    opaque: Vec<bool>,
    /// Methods that wait for others, and those that notify them.
    waits: Vec<bool>,
    notifies: Vec<bool>,
}

impl Relations {
    /// As the summaries say.
    pub fn of(facts: &ClassFacts) -> Relations {
        let mut relations = Relations::default();
        for method in &facts.methods {
            let (mut writes, mut touches) = (BTreeSet::new(), BTreeSet::new());
            for access in &method.accesses {
                let location = &facts.locations[access.location];
                if location.is_final || !matches!(location.owner, Owner::Subject | Owner::Static) {
                    continue;
                }
                touches.insert(access.location);
                touches.extend(&location.overlaps);
                if access.kind.writes() {
                    writes.insert(access.location);
                }
            }
            relations.writes.push(writes);
            relations.touches.push(touches);
            relations.opaque.push(!method.opaque.is_empty());
            relations.waits.push(method.signals.iter().any(|signal| signal.wait));
            relations.notifies.push(method.signals.iter().any(|signal| !signal.wait));
        }
        relations
    }

    /// Whether a call of the one can change what the other does: it writes what that touches.
    pub fn changes(&self, one: usize, other: usize) -> bool {
        !self.writes[one].is_disjoint(&self.touches[other])
    }

    /// Whether the one waits, and the other may be what it waits for. That needs no conflict: whoever waits has
    /// given up the lock that keeps them apart.
    pub fn waits_for(&self, one: usize, other: usize) -> bool {
        self.waits[one] && (self.notifies[other] || self.changes(other, one))
    }

    /// Whether a method is known to wait.
    pub fn waits(&self, method: usize) -> bool {
        self.waits[method]
    }

    /// A method was seen to wait. Says whether that is news.
    pub fn note_wait(&mut self, method: usize) -> bool {
        !std::mem::replace(&mut self.waits[method], true)
    }

    /// Whether a method changes nothing that is known, and all that it does is known.
    pub fn only_looks(&self, method: usize) -> bool {
        self.writes[method].is_empty() && !self.opaque[method]
    }

    /// Whether it does what is not known.
    pub fn is_opaque(&self, method: usize) -> bool {
        self.opaque[method]
    }
}

//! Which methods change what others look at, from the summaries.

use std::collections::BTreeSet;

use analysis::{ClassFacts, Owner};

/// What the methods of a class have to do with each other's state.
pub struct Relations {
    writes: Vec<BTreeSet<usize>>,
    touches: Vec<BTreeSet<usize>>,
    /// Methods that do what is not known.
    opaque: Vec<bool>,
}

impl Relations {
    /// As the summaries say.
    pub fn of(facts: &ClassFacts) -> Relations {
        let mut relations = Relations { writes: Vec::new(), touches: Vec::new(), opaque: Vec::new() };
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
        }
        relations
    }

    /// Whether a call of the one can change what the other does: it writes what that touches.
    pub fn changes(&self, one: usize, other: usize) -> bool {
        !self.writes[one].is_disjoint(&self.touches[other])
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

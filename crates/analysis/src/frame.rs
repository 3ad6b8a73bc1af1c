//! What is known of a method so far, kept from one time that it is interpreted to the next.
//!
//! All of it only grows, so a method that is looked at again because one of its callees turned out to do more need
//! not start anew: only the stretches of code that call it are walked again, and what follows if a state changes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::lock::{Held, Lock, Roots};
use crate::names::{Map, Sym};
use crate::path::{AllocationId, PathId};
use crate::program::FieldId;
use crate::solver::InstanceId;
use crate::state::{State, meet};
use crate::summary::{Flow, Stored};
use crate::value::{EMPTY, SetId};

/// A method's states, the objects that it makes, and what it has been seen to do to others.
#[derive(Debug)]
pub struct Frame {
    /// The type of each parameter, the receiver's first.
    pub parameter_types: Vec<Sym>,
    /// The state before each step where control can meet.
    pub states: Vec<Option<State>>,
    /// What fields of new objects may hold.
    pub heap: Map<AllocationId, Vec<(FieldId, SetId)>>,
    /// Where new objects can be found by others.
    pub published: Map<AllocationId, SetId>,
    pub stores: BTreeSet<Stored>,
    pub accessed: Roots,
    pub returns: SetId,
    /// The locks that are held where the method returns, by the offset of the instruction.
    pub leaving: BTreeMap<u16, Vec<(Held, u8)>>,
    pub releases: BTreeSet<Lock>,
    /// Counts the changes of `heap` and `published`.
    pub version: u32,
    /// The stores that were met: objects, field, values. True if doing one again changes nothing, which is so where
    /// no new object is involved: it does not matter then what new objects hold and who sees them.
    pub stored: Map<(SetId, FieldId, SetId), bool>,
    /// The stores into what others can see that were met: object, field, values. With the place where what is stored can
    /// be seen, if something new is stored.
    pub shared_stores: Map<(PathId, FieldId, SetId), Option<PathId>>,
    /// What was loaded from fields: objects, field. With the version for which that holds, if it depends on that.
    pub loaded: Map<(SetId, FieldId), (Option<u32>, SetId)>,
    /// Everything that can be reached from some objects, and the version for which that holds.
    pub reached: (u32, Map<SetId, SetId>),
    /// What stores of callees did when they were last taken over.
    pub applied: Map<InstanceId, Vec<Applied>>,
}

/// The stores of a callee, taken over. As long as all of this is as it was, they do the same again.
#[derive(Debug)]
pub struct Applied {
    pub flow: Rc<Flow>,
    pub arguments: Box<[SetId]>,
    pub version: u32,
    /// The new objects that others could see before, and after.
    pub escaped: (Vec<AllocationId>, Vec<AllocationId>),
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            parameter_types: Vec::new(),
            states: Vec::new(),
            heap: Map::default(),
            published: Map::default(),
            stores: BTreeSet::new(),
            accessed: Roots::NONE,
            returns: EMPTY,
            leaving: BTreeMap::new(),
            releases: BTreeSet::new(),
            version: 0,
            stored: Map::default(),
            shared_stores: Map::default(),
            loaded: Map::default(),
            reached: (0, Map::default()),
            applied: Map::default(),
        }
    }
}

impl Frame {
    /// Gives up what only walks need: to take over effects, it is enough to know what new objects hold and where they
    /// can be found.
    pub fn forget_walks(&mut self) {
        self.states = Vec::new();
        self.stored = Map::default();
        self.shared_stores = Map::default();
        self.applied = Map::default();
    }

    /// The locks that are held wherever the method returns.
    pub fn keeps(&self) -> Vec<Held> {
        let mut ways = self.leaving.values();
        let mut kept = ways.next().cloned().unwrap_or_default();
        for held in ways {
            meet(&mut kept, held);
        }
        let mut kept: Vec<Held> = kept.into_iter().map(|(held, _)| held).collect();
        kept.sort_unstable();
        kept
    }
}

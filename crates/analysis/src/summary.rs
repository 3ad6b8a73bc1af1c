//! What a method does to what others can see, as its callers need it: in terms of its parameters.
//!
//! These are definitions 5, 6 and 9 of DepCon+ before they are read off: accesses with the locks held at each,
//! acquisitions with the locks held at each, and what a caller must know to go on (results, stores, locks that
//! stay taken or are given up).

use crate::lock::{Held, HeldId, HeldSets, Lock, Roots};
use crate::names::{Map, Sym};
use crate::path::PathId;
use crate::program::{FieldId, MethodId};
use crate::value::{EMPTY, SetId};

/// A place in the code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    pub method: MethodId,
    pub offset: u16,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessKind {
    Read,
    Write,
    /// Reads and writes in one step, as compare-and-set does.
    Update,
}

impl AccessKind {
    pub fn writes(self) -> bool {
        self != AccessKind::Read
    }
}

/// What is accessed, and how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    /// The object; None for a static field.
    pub base: Option<PathId>,
    pub field: FieldId,
    pub kind: AccessKind,
    /// Whether it is ordered: of a volatile field, or through an atomic operation.
    pub ordered: bool,
}

/// An access of what others may see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Access {
    pub touch: Touch,
    pub held: HeldId,
    pub site: Site,
}

/// The taking of a lock that is not held already.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Acquisition {
    pub lock: Lock,
    /// A lock that may be held then. Each acquisition is there once without.
    pub outer: Option<Lock>,
    pub site: Site,
}

/// A wait or a notification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal {
    pub monitor: PathId,
    pub is_wait: bool,
    pub site: Site,
}

/// A store of a reference: base, field, value. None for a static field.
pub type Stored = (Option<PathId>, FieldId, PathId);

/// Why a call is opaque.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpaqueReason {
    /// A native method.
    Native,
    /// Code of a package that the virtual machine stands on.
    Scope,
    /// Any class may be behind the type.
    Open,
    /// The class or method is not on the class path, or its file is damaged.
    Missing,
    /// The limits of the analysis were reached.
    Limit,
    /// Reflection, method handles and unknown call sites.
    Dynamic,
}

/// A call of which nothing is known but that it is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Opaque {
    pub reason: OpaqueReason,
    pub class: Sym,
    pub name: Sym,
}

/// What a method does.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    pub accesses: Vec<Access>,
    pub acquisitions: Vec<Acquisition>,
    pub signals: Vec<Signal>,
    /// Those into new objects come first.
    pub stores: Vec<Stored>,
    pub returns: SetId,
    /// What is accessed, by root.
    pub accessed: Roots,
    /// Locks that were taken and are held at every return.
    pub keeps: Vec<Held>,
    /// Locks that were given up though the method had not taken them.
    pub releases: Vec<Lock>,
    pub opaque: Vec<Opaque>,
}

impl Default for Summary {
    fn default() -> Summary {
        Summary {
            accesses: Vec::new(),
            acquisitions: Vec::new(),
            signals: Vec::new(),
            stores: Vec::new(),
            returns: EMPTY,
            accessed: Roots::NONE,
            keeps: Vec::new(),
            releases: Vec::new(),
            opaque: Vec::new(),
        }
    }
}

/// A summary in the making: each fact once, with the first place that shows it.
#[derive(Debug, Default)]
pub struct Draft {
    accesses: Map<(Touch, HeldId), Site>,
    /// Accesses of what stands for many objects: only the locks that are held at all of them matter.
    vague: Map<Touch, (HeldId, Site)>,
    acquisitions: Map<(Lock, Option<Lock>), Site>,
    signals: Map<(PathId, bool), Site>,
    opaque: Map<Opaque, ()>,
}

impl Draft {
    pub fn access(&mut self, touch: Touch, held: HeldId, site: Site) {
        note(&mut self.accesses, (touch, held), site);
    }

    pub fn vague_access(&mut self, touch: Touch, held: HeldId, site: Site, sets: &mut HeldSets) {
        match self.vague.get_mut(&touch) {
            Some(known) => *known = (sets.meet(known.0, held), known.1.min(site)),
            None => {
                self.vague.insert(touch, (held, site));
            }
        }
    }

    pub fn acquisition(&mut self, lock: Lock, held: &[Lock], site: Site) {
        note(&mut self.acquisitions, (lock, None), site);
        for &outer in held.iter().filter(|held| held.path != lock.path) {
            note(&mut self.acquisitions, (lock, Some(outer)), site);
        }
    }

    pub fn signal(&mut self, monitor: PathId, is_wait: bool, site: Site) {
        note(&mut self.signals, (monitor, is_wait), site);
    }

    pub fn opaque(&mut self, opaque: Opaque) {
        self.opaque.insert(opaque, ());
    }

    /// Moves what was noted into a summary, in order.
    pub fn finish(self, summary: &mut Summary) {
        summary.accesses =
            self.accesses.into_iter().map(|((touch, held), site)| Access { touch, held, site }).collect();
        summary.accesses.extend(self.vague.into_iter().map(|(touch, (held, site))| Access { touch, held, site }));
        summary.accesses.sort_unstable();
        let acquisitions = self.acquisitions.into_iter();
        summary.acquisitions = acquisitions.map(|((lock, outer), site)| Acquisition { lock, outer, site }).collect();
        summary.acquisitions.sort_unstable();
        let signals = self.signals.into_iter();
        summary.signals = signals.map(|((monitor, is_wait), site)| Signal { monitor, is_wait, site }).collect();
        summary.signals.sort_unstable();
        summary.opaque = self.opaque.into_keys().collect();
        summary.opaque.sort_unstable();
    }
}

/// Keeps the least site of a fact, so that it does not depend on the order in which they are met.
fn note<K: std::hash::Hash + Eq>(notes: &mut Map<K, Site>, key: K, site: Site) {
    notes.entry(key).and_modify(|known| *known = site.min(*known)).or_insert(site);
}

//! What a method does to what others can see, as its callers need it: in terms of its parameters.
//!
//! These are definitions 5, 6 and 9 of DepCon+ before they are read off: accesses with the locks held at each,
//! acquisitions with the locks held at each, and what a caller must know to go on (results, stores, locks that
//! stay taken or are given up).

use crate::lock::{Held, HeldId, Lock, Roots};
use crate::names::Sym;
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

/// What a caller must know of a method to go on after the call.
#[derive(Clone, PartialEq, Debug)]
pub struct Flow {
    /// What new objects hold that the caller comes to hold, in order.
    pub contents: Vec<Stored>,
    /// Stores into what the caller can see, in order.
    pub stores: Vec<Stored>,
    /// New objects that the caller comes to hold, with where others can see them for another reason than a store
    /// that the caller is told of, in order.
    pub publications: Vec<(PathId, PathId)>,
    pub returns: SetId,
    /// What is accessed, by root.
    pub accessed: Roots,
    /// Locks that were taken and are held at every return.
    pub keeps: Vec<Held>,
    /// Locks that were given up though the method had not taken them.
    pub releases: Vec<Lock>,
}

impl Flow {
    /// Whether the caller's objects are as they were, and no new ones come.
    pub fn stores_nothing(&self) -> bool {
        self.contents.is_empty() && self.stores.is_empty() && self.publications.is_empty()
    }
}

impl Default for Flow {
    fn default() -> Flow {
        Flow {
            contents: Vec::new(),
            stores: Vec::new(),
            publications: Vec::new(),
            returns: EMPTY,
            accessed: Roots::NONE,
            keeps: Vec::new(),
            releases: Vec::new(),
        }
    }
}

/// What a method does, with all that it calls.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub flow: Flow,
    pub accesses: Vec<Access>,
    pub acquisitions: Vec<Acquisition>,
    pub signals: Vec<Signal>,
    pub opaque: Vec<Opaque>,
}

//! Which events depend on each other.
//!
//! Two events of different threads are dependent if their order can be seen: swapping them, where they are
//! neighbours, may change what either finds, the state after them, or whether one of them can go on. Every event
//! has a [`Footprint`], the few resources that it touches and how; two events are dependent if they touch
//! one resource in ways that do not commute. `docs/design/exploration.md` has the relation as a table.
//!
//! A footprint may depend on the state in which the event happens (an inner lock touches nothing), but only on
//! such parts of it as no independent event changes. So the footprint of an announced event stays what it is
//! while only independent events happen.

use schedule::ObjectId;

/// Something that events touch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Resource {
    /// What kind of thing it is.
    pub space: Space,
    /// The object, for memory and monitors.
    pub object: ObjectId,
    /// The part of the object, for memory; the thread, for what threads own.
    pub slot: u32,
}

/// Kinds of resources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Space {
    /// A field or an element.
    Memory,
    /// A monitor: who holds it, who waits, who was notified.
    Monitor,
    /// A thread's permit to pass a park.
    Permit,
    /// Whether a thread was interrupted.
    Interrupt,
    /// Whether a thread is alive.
    Life,
    /// What a thread is seen to do: whether it runs, and what it waits for if not.
    Status,
}

/// How a resource is touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Mode {
    /// Looked at. Commutes with itself.
    Read,
    /// Changed in a way that commutes with nothing.
    Write,
    /// Set to the one value that everyone sets it to: a permit, an interrupt. Commutes with itself.
    Set,
}

impl Mode {
    /// Whether the order of the two can be seen.
    #[inline]
    pub fn conflicts(self, other: Mode) -> bool {
        self == Mode::Write || self != other
    }
}

/// One resource and how it is touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// What.
    pub resource: Resource,
    /// How.
    pub mode: Mode,
}

/// All that one event touches: at most three resources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Footprint {
    accesses: [Option<Access>; 3],
}

impl Footprint {
    /// For an event that no other thread can notice.
    pub const NONE: Footprint = Footprint { accesses: [None; 3] };

    pub(crate) fn one(space: Space, object: ObjectId, slot: u32, mode: Mode) -> Footprint {
        Footprint { accesses: [Some(Access { resource: Resource { space, object, slot }, mode }), None, None] }
    }

    pub(crate) fn and(mut self, space: Space, object: ObjectId, slot: u32, mode: Mode) -> Footprint {
        let free = self.accesses.iter_mut().find(|access| access.is_none());
        *free.expect("internal bug: an event touches too much") =
            Some(Access { resource: Resource { space, object, slot }, mode });
        self
    }

    /// The same, if it only looked.
    pub(crate) fn looked_at(mut self) -> Footprint {
        self.accesses.iter_mut().flatten().for_each(|access| access.mode = Mode::Read);
        self
    }

    /// What it touches of one kind.
    pub(crate) fn of_space(&self, space: Space) -> Footprint {
        Footprint { accesses: self.accesses.map(|access| access.filter(|access| access.resource.space == space)) }
    }

    /// What it touches.
    #[inline]
    pub fn accesses(&self) -> impl Iterator<Item = Access> + '_ {
        self.accesses.iter().flatten().copied()
    }

    /// Whether two events of different threads with these footprints are dependent.
    #[inline]
    pub fn conflicts(&self, other: &Footprint) -> bool {
        self.accesses().any(|a| other.accesses().any(|b| a.mode.conflicts(b.mode) && a.resource == b.resource))
    }
}

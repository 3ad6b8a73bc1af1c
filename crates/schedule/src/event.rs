//! Events: the visible steps of threads.

use std::fmt;

/// A thread of an execution. The first one runs the prefix and waits for the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadId(pub u16);

/// An object of an execution, numbered by first touch from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// For events that are about no object.
    pub const NONE: ObjectId = ObjectId(u32::MAX);
}

/// A place in the code under test: the host knows class, method, offset and line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SiteId(pub u32);

impl SiteId {
    /// For events that come from no place in the code under test, such as the end of a thread.
    pub const NONE: SiteId = SiteId(u32::MAX);
}

/// One visible step of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Event {
    /// What is done.
    pub kind: EventKind,
    /// The object it is done to. For what is done to another thread, the object that stands for that, if it is told.
    pub object: ObjectId,
    /// Which part of the object: the offset of a field or array element, or a thread's number.
    pub slot: u32,
    /// Where it is done.
    pub site: SiteId,
}

impl Event {
    /// Tells that a thread has written something that is no event.
    pub fn silent_writes(thread: ThreadId) -> Event {
        let object = ObjectId(ObjectId::NONE.0 - 1 - u32::from(thread.0));
        Event { kind: EventKind::Write, object, slot: Event::SILENT, site: SiteId::NONE }
    }

    /// The slot of an object's identity hash, which is fixed when it is first asked for.
    pub const HASH: u32 = u32::MAX - 1;
    /// The slot, of no object, of the clock, which goes on with every look.
    pub const CLOCK: u32 = u32::MAX - 2;

    /// The slot, of a thread's object, of whether it was started, and of what only a thread that was not can change:
    /// whether it is a daemon, and whether it was interrupted before.
    pub const STATUS: u32 = u32::MAX - 3;
    /// The slot of a thread's name.
    pub const NAME: u32 = u32::MAX - 4;
    /// The slot of a thread's priority.
    pub const PRIORITY: u32 = u32::MAX - 5;
    /// The slot of a thread's handler of exceptions that it does not catch.
    pub const HANDLER: u32 = u32::MAX - 6;
    /// The slot of all that a synchronizer of `java.util.concurrent` holds, where that is told as one.
    pub const SYNCHRONIZER: u32 = u32::MAX - 7;
    /// The slot of memory outside the heap. The object is a word of eight bytes.
    pub const MEMORY: u32 = u32::MAX - 8;
    /// The slot, of a thread's object, of what it is parked for.
    pub const BLOCKER: u32 = u32::MAX - 9;
    /// The slot of an object's monitor, where code that tells of no events takes it. No event is about it.
    pub const MONITOR: u32 = u32::MAX - 10;
    /// In place of a slot: what a thread alone has written silently. It depends on nothing that others do, and tells that a
    /// loop changes something.
    pub const SILENT: u32 = u32::MAX - 11;
    /// Slots from here on are none of fields.
    pub const FIRST_RESERVED: u32 = Event::SILENT;

    /// What is in a slot that is none of a field or element, for reports.
    pub fn reserved_name(&self) -> Option<&'static str> {
        let name = match self.slot {
            Event::HASH => "identity hash",
            Event::CLOCK => "clock",
            Event::STATUS => "status",
            Event::NAME => "name",
            Event::PRIORITY => "priority",
            Event::HANDLER => "handler of uncaught exceptions",
            Event::SYNCHRONIZER => "state and queue",
            Event::MEMORY => "memory outside the heap",
            Event::BLOCKER => "blocker",
            _ => return None,
        };
        self.kind.is_access().then_some(name)
    }

    /// In the slot of a wait and its wake-up: interrupts do not end it.
    pub const UNINTERRUPTIBLE: u32 = 1 << 31;

    /// The attempt at an event that may have to wait: see [`EventKind::Attempt`]. Its slot holds the slot of that
    /// event, and above it the kind.
    pub fn attempt(self) -> Event {
        debug_assert!(self.slot >> Event::KIND_SHIFT == 0, "internal bug: no room for the kind of an attempt");
        Event { kind: EventKind::Attempt, slot: (self.kind as u32) << Event::KIND_SHIFT | self.slot, ..self }
    }

    /// The event that this is an attempt at, if it is one.
    pub fn attempted(&self) -> Option<Event> {
        let kind = EventKind::ATTEMPTED.into_iter().find(|&kind| kind as u32 == self.slot >> Event::KIND_SHIFT)?;
        let slot = self.slot & ((1 << Event::KIND_SHIFT) - 1);
        (self.kind == EventKind::Attempt).then_some(Event { kind, slot, ..*self })
    }

    /// Number of bits of an attempt's slot below the kind of the event.
    const KIND_SHIFT: u32 = 24;

    /// Where a wait, wake-up or notification is: 0 for the monitor of the object itself, and for a condition of a lock a number
    /// that tells it from others.
    pub fn condition(&self) -> u32 {
        self.slot & !Event::UNINTERRUPTIBLE
    }

    /// Whether an interrupt ends the wait that it begins or ends. Whoever runs a test waits for threads that are no objects to it, and
    /// until they have ended.
    pub fn is_interruptible(&self) -> bool {
        match self.kind {
            EventKind::Join => self.object != ObjectId::NONE,
            _ => self.slot & Event::UNINTERRUPTIBLE == 0,
        }
    }

    /// Whether it touches something that the virtual machine keeps. The order of such events can be seen, but
    /// synchronizes nothing.
    pub fn is_of_machine(&self) -> bool {
        self.kind.is_access() && matches!(self.slot, Event::HASH | Event::CLOCK)
    }
}

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum EventKind {
    /// A thread's first step.
    Begin,
    /// A thread's last step.
    End,
    /// Reads a plain field or element.
    Read,
    /// Writes a plain field or element.
    Write,
    /// Reads a volatile field, or a field or element in a mode stronger than plain.
    VolatileRead,
    /// Writes likewise.
    VolatileWrite,
    /// Reads and writes in one step. One that finds another value than it expects only reads, which is
    /// known only once it has run.
    Update,
    /// Takes a monitor, or a lock that is like one. Waits while another thread holds it.
    Lock,
    /// Gives up a monitor.
    Unlock,
    /// Gives up a monitor and waits to be notified. The slot says where: see [`Event::condition`].
    Wait,
    /// Takes the monitor back after a wait, once notified, interrupted or timed out.
    Wake,
    /// Notifies one waiting thread, if there is one: any, or on a condition of a lock the one that has waited longest.
    Notify,
    /// Notifies all waiting threads.
    NotifyAll,
    /// Uses up the thread's permit; waits while there is none.
    Park,
    /// Gives the thread in `slot` a permit.
    Unpark,
    /// Starts the thread in `slot`.
    Start,
    /// Waits for the end of the thread in `slot`.
    Join,
    /// Lets time pass.
    Sleep,
    /// Offers to let others run.
    Yield,
    /// Interrupts the thread in `slot`.
    Interrupt,
    /// Looks whether the thread in `slot` was interrupted, and may clear that.
    Interrupted,
    /// Looks whether the thread in `slot` is alive.
    Alive,
    /// An update that found another value than it expected, and so only read. Never announced: whoever runs
    /// the execution puts it into the trace in place of [`EventKind::Update`] once the update has run.
    FailedUpdate,
    /// Looks whether the current thread was interrupted, and clears that.
    ClearInterrupted,
    /// Finds that the thread in `slot` has a monitor, by code that tells of no events, and tries again once that thread has done
    /// something. It takes nothing, and gives up the monitor if it was held to have it.
    LockInVain,
    /// Takes a lock if no other thread holds it.
    TryLock,
    /// Takes a lock, or gives up once interrupted or out of time. One that was interrupted takes nothing, also if it could.
    LockWithin,
    /// Does the event in its slot if that can go on, and begins to wait for it if not. Never waits itself. Told
    /// only where threads look at what others wait for: see [`Event::attempted`].
    Attempt,
    /// Looks at what the thread in `slot` does: whether it runs, and what it waits for if not.
    State,
}

impl EventKind {
    /// The kinds of events that attempts are told of.
    const ATTEMPTED: [EventKind; 4] = [EventKind::Lock, EventKind::Park, EventKind::Sleep, EventKind::Join];

    /// Whether an attempt is told before events of this kind, where attempts are told at all.
    pub fn is_attempted(self) -> bool {
        EventKind::ATTEMPTED.contains(&self)
    }

    /// Whether it touches the content of an object.
    pub fn is_access(self) -> bool {
        matches!(
            self,
            EventKind::Read
                | EventKind::Write
                | EventKind::VolatileRead
                | EventKind::VolatileWrite
                | EventKind::Update
                | EventKind::FailedUpdate
        )
    }

    /// Whether it is about the thread in its slot, whose object is then that of the event.
    pub fn is_about_thread(self) -> bool {
        matches!(
            self,
            EventKind::Start
                | EventKind::Unpark
                | EventKind::Join
                | EventKind::Interrupt
                | EventKind::Interrupted
                | EventKind::ClearInterrupted
                | EventKind::Alive
                | EventKind::State
        )
    }

    /// Whether it may change the content of an object.
    pub fn is_write(self) -> bool {
        matches!(self, EventKind::Write | EventKind::VolatileWrite | EventKind::Update)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Begin => "begin",
            EventKind::End => "end",
            EventKind::Read => "read",
            EventKind::Write => "write",
            EventKind::VolatileRead => "volatile read",
            EventKind::VolatileWrite => "volatile write",
            EventKind::Update => "update",
            EventKind::Lock => "lock",
            EventKind::Unlock => "unlock",
            EventKind::Wait => "wait",
            EventKind::Wake => "wake",
            EventKind::Notify => "notify",
            EventKind::NotifyAll => "notifyAll",
            EventKind::Park => "park",
            EventKind::Unpark => "unpark",
            EventKind::Start => "start",
            EventKind::Join => "join",
            EventKind::Sleep => "sleep",
            EventKind::Yield => "yield",
            EventKind::Interrupt => "interrupt",
            EventKind::Interrupted => "interrupted",
            EventKind::Alive => "alive",
            EventKind::FailedUpdate => "failed update",
            EventKind::ClearInterrupted => "clear interrupted",
            EventKind::LockInVain => "lock in vain",
            EventKind::TryLock => "try lock",
            EventKind::LockWithin => "lock within",
            EventKind::Attempt => "attempt",
            EventKind::State => "state",
        }
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_says_what_it_is_an_attempt_at() {
        for kind in EventKind::ATTEMPTED {
            let event = Event { kind, object: ObjectId(3), slot: 63, site: SiteId(5) };
            assert_eq!(event.attempt().attempted(), Some(event));
            assert_eq!(event.attempted(), None);
        }
    }
}

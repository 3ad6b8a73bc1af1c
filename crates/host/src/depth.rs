//! How deep the calls of threads may be in each other.
//!
//! Where a real stack ends depends on how much of it was compiled by then, and a recursion without an end may have more events
//! than an execution may have before it gets there. So an execution can have a limit of its own, in calls: who is past it has a
//! `StackOverflowError` at its next access of a field or an element, at the same one in every run.

use crate::control;
use crate::jvmti::Jvmti;
use schedule::ThreadId;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// The limit of the execution that is under way.
static LIMIT: AtomicU32 = AtomicU32::new(NONE);
/// The number of that execution.
static EXECUTION: AtomicU32 = AtomicU32::new(0);
/// Who was past it first, and when.
static FIRST: Mutex<Option<(ThreadId, usize)>> = Mutex::new(None);

const NONE: u32 = u32::MAX;
/// To count the calls of a stack takes long, so it is done once in so many accesses.
const INTERVAL: u32 = 64;
/// After so many accesses the limit is a part of what it was: a recursion that makes many on its way would have as many events as an
/// execution may have before it gets there.
const MANY: u32 = 10_000;
const PART: u32 = 5;

thread_local! {
    static COUNTED: Cell<Counted> = const { Cell::new(Counted { execution: 0, accesses: 0, is_due: false }) };
}

/// What a thread has done in an execution.
#[derive(Clone, Copy)]
struct Counted {
    execution: u32,
    /// Locks that it has taken count as well.
    accesses: u32,
    /// It was past the limit where no error can be thrown.
    is_due: bool,
}

/// What is said of errors that were thrown for a limit, and of no other.
pub const MESSAGE: &str = "ended by Raddle: as many calls in each other as a test may have";

/// An execution begins.
pub fn begin(limit: Option<u32>) {
    LIMIT.store(limit.unwrap_or(NONE), Ordering::Relaxed);
    EXECUTION.fetch_add(1, Ordering::Relaxed);
    *FIRST.lock().unwrap_or_else(|e| e.into_inner()) = None;
}

/// It has ended. Which thread was the first that was past the limit, and how many events there were before.
pub fn end() -> Option<(ThreadId, usize)> {
    FIRST.lock().unwrap_or_else(|e| e.into_inner()).take()
}

/// The current thread is about to access something. Whether it is past the limit, which is looked at from time to time.
#[inline]
pub fn is_past(jvmti: Jvmti) -> bool {
    let limit = LIMIT.load(Ordering::Relaxed);
    if limit == NONE {
        return false;
    }
    let counted = count();
    if counted.is_due {
        COUNTED.set(Counted { is_due: false, ..counted });
    }
    (counted.is_due || counted.is_time_to_look()) && counted.is_past(limit, jvmti)
}

/// The same after so many accesses at which nobody has looked.
pub fn is_past_after(accesses: u32, jvmti: Jvmti) -> bool {
    let limit = LIMIT.load(Ordering::Relaxed);
    if limit == NONE {
        return false;
    }
    let counted = count();
    let counted = Counted { accesses: counted.accesses.wrapping_add(accesses), ..counted };
    COUNTED.set(counted);
    counted.is_past(limit, jvmti)
}

/// The current thread is about to take a lock, where it gets no error. If it is past the limit, that is known, and it gets one at its next access.
#[inline]
pub fn is_locking(jvmti: Jvmti) {
    let limit = LIMIT.load(Ordering::Relaxed);
    if limit == NONE {
        return;
    }
    let counted = count();
    if counted.is_time_to_look() && counted.is_past(limit, jvmti) {
        COUNTED.set(Counted { is_due: true, ..counted });
    }
}

impl Counted {
    fn is_time_to_look(self) -> bool {
        self.accesses.is_multiple_of(INTERVAL)
    }

    fn is_past(self, limit: u32, jvmti: Jvmti) -> bool {
        let limit = if self.accesses > MANY { limit / PART } else { limit };
        jvmti.frames() > limit && note()
    }
}

/// What the thread has done in this execution, with what it is about to do.
#[inline]
fn count() -> Counted {
    let execution = EXECUTION.load(Ordering::Relaxed);
    let mut counted = COUNTED.get();
    if counted.execution != execution {
        counted = Counted { execution, accesses: 0, is_due: false };
    }
    counted.accesses = counted.accesses.wrapping_add(1);
    COUNTED.set(counted);
    counted
}

fn note() -> bool {
    // Where a thread that was sent home is by then says nothing.
    if control::leaves() {
        return false;
    }
    let events = control::with_machine(|machine| machine.steps()).unwrap_or(0);
    let first = control::controlled().map(|thread| (thread, events));
    let mut known = FIRST.lock().unwrap_or_else(|e| e.into_inner());
    *known = known.or(first);
    first.is_some()
}

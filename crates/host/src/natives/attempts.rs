//! Whether threads are asked what they wait for.
//!
//! Mostly they are not, and then it is no event that a thread begins to wait: it has announced what it does next,
//! and cannot go on. Where a thread can be asked for its state, or a lock for its queue, that is not enough: it may
//! have been about to wait. So an attempt is told there before each event that may have to wait, and locks of the
//! JDK queue as they do. Whoever runs executions begins anew with that once one has asked, or takes a lock where
//! permits are given.

use crate::control;
use schedule::{Event, EventKind, ObjectId};
use std::sync::atomic::{AtomicBool, Ordering};

static ON: AtomicBool = AtomicBool::new(false);

/// Whether attempts are told from now on.
pub fn begin(watched: bool) {
    ON.store(watched, Ordering::Relaxed);
}

/// Whether the code under test may give permits to threads. A lock that a thread waits for uses one up, which a
/// lock that blocks like a monitor does not.
static GIVES_PERMITS: AtomicBool = AtomicBool::new(false);

/// Whether the code under test may give permits to threads, from now on.
pub fn give_permits(gives: bool) {
    GIVES_PERMITS.store(gives, Ordering::Relaxed);
}

/// Whether a lock that is taken now has to queue as it does.
pub(super) fn needs_queues() -> bool {
    GIVES_PERMITS.load(Ordering::Relaxed)
}

#[inline]
pub(super) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The attempt that is told before an event, if one is. What the threads of a test themselves wait for has no object.
pub(super) fn attempt(event: Event) -> Option<Event> {
    let is_own = event.kind == EventKind::Join && event.object == ObjectId::NONE;
    (is_on() && event.kind.is_attempted() && !is_own && control::current().is_some()).then(|| event.attempt())
}

/// Whether the current thread's attempt has failed.
pub(super) fn has_to_wait() -> bool {
    let waits = |thread| control::with_machine(|machine| machine.has_to_wait(thread));
    control::controlled().and_then(waits).unwrap_or(false)
}

//! The JDK's synchronizers, told as what they are and not as how they are made.
//!
//! `ReentrantLock`, `Semaphore` and their like stand on `AbstractQueuedSynchronizer`, whose queue takes dozens of accesses for
//! one lock. Told one by one they give thousands of traces that differ in nothing a user of the lock can see. So what a
//! thread does inside a synchronizer up to the next event that matters (a park, a look at the clock or at an interrupt)
//! is one step: an update of the synchronizer. Their order is what it is; that each step is atomic is taken on trust. A test
//! of `java.util.concurrent` itself sees all of it, and so does one whose own classes extend the synchronizer.

use super::{interface, number, on, reading};
use crate::control;
use crate::machine::plain;
use jni_sys::{JNIEnv, jclass, jint, jobject};
use schedule::{Event, EventKind, ObjectId, ThreadId};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

static TRUSTED: AtomicBool = AtomicBool::new(true);

thread_local! {
    /// How many methods of synchronizers the thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The synchronizer whose steps are told as one.
    static INSIDE: Cell<Option<ObjectId>> = const { Cell::new(None) };
    /// Whether something else happened since the last step was told.
    static STALE: Cell<bool> = const { Cell::new(false) };
    /// How often the step has changed something.
    static WRITES: Cell<i32> = const { Cell::new(0) };
    /// Whom the step lets go on. They are told when it is over.
    static UNPARKED: RefCell<Vec<ThreadId>> = const { RefCell::new(Vec::new()) };
}

/// Whether synchronizers are taken on trust from now on.
pub fn trust(trusted: bool) {
    TRUSTED.store(trusted, Ordering::Relaxed);
}

/// Around each method of a synchronizer: 1 when it begins, -1 when it ends.
pub(super) extern "system" fn synchronizes(env: *mut JNIEnv, _: jclass, object: jobject, delta: jint) {
    if !control::is_controlled() {
        return;
    }
    let depth = DEPTH.get();
    if delta < 0 {
        DEPTH.set(depth.saturating_sub(1));
        if depth == 1 && INSIDE.get().is_some() {
            end_step();
            INSIDE.set(None);
            control::quiet(-1);
            tell_unparked();
        }
        return;
    }
    if depth == 0
        && control::current().is_some()
        && let Some(synchronizer) = trusted(env, object)
    {
        // The first access will be a step; there may be none.
        STALE.set(true);
        INSIDE.set(Some(number(env, synchronizer)));
        control::quiet(1);
    }
    DEPTH.set(depth + 1);
}

/// The synchronizer of an object that has its methods, if it is one of the JDK's.
fn trusted(env: *mut JNIEnv, object: jobject) -> Option<jobject> {
    if !TRUSTED.load(Ordering::Relaxed) {
        return None;
    }
    let (jni, reading) = (interface(env), reading());
    let name = reading.class_name(jni, object);
    let synchronizer = if name.ends_with("$ConditionObject") {
        // SAFETY: the outer object is a reference.
        reading.instance_field(jni, object, "this$0").map(|(value, _)| unsafe { value.l })?
    } else {
        object
    };
    reading.class_name(jni, synchronizer).starts_with("java.util.concurrent.").then_some(synchronizer)
}

/// An access of a thread that tells of none: inside a synchronizer it is part of a step. If something else has happened
/// since the last step, it begins a new one.
#[inline]
pub(super) fn touched(kind: impl FnOnce() -> EventKind) {
    if let Some(id) = INSIDE.get() {
        begin_step(id);
        WRITES.set(WRITES.get() + kind().is_write() as i32);
    }
}

/// The update that the thread has just done inside a synchronizer has changed nothing.
pub(super) fn failed() {
    WRITES.set(WRITES.get() - 1);
}

fn begin_step(id: ObjectId) {
    if !STALE.get() {
        return;
    }
    control::quiet(-1);
    // There may be another quiet stretch inside, such as the loading of a class; then the step is still to be told.
    if control::current().is_some() {
        STALE.set(false);
        WRITES.set(0);
        // A thread that has to leave does so at its next event.
        let _ = control::event(on(EventKind::Update, id, Event::SYNCHRONIZER));
    }
    control::quiet(1);
}

/// A step that has changed nothing has only looked.
fn end_step() {
    if !STALE.get()
        && WRITES.get() <= 0
        && let Some(thread) = control::controlled()
    {
        control::with_machine(|machine| machine.fail_update(thread));
    }
    STALE.set(true);
}

/// A look whether the current thread was interrupted. Says whether it is part of a step: one that clears what it finds is
/// told if it finds something.
pub(super) fn looks_at_interrupt(thread: ThreadId, clears: bool) -> bool {
    let finds = || control::with_machine(|machine| machine.is_interrupted(thread)).unwrap_or(false);
    match INSIDE.get() {
        Some(id) if !(clears && finds()) => {
            begin_step(id);
            true
        }
        _ => false,
    }
}

/// Runs `body` with events, also inside a synchronizer.
pub(super) fn aloud<T>(body: impl FnOnce() -> T) -> T {
    if INSIDE.get().is_none() {
        return body();
    }
    end_step();
    control::quiet(-1);
    tell_unparked();
    let value = body();
    control::quiet(1);
    value
}

/// Notes whom a step lets go on. Says whether the thread is inside a synchronizer.
pub(super) fn unparks(thread: ThreadId) -> bool {
    let inside = INSIDE.get().is_some();
    if inside {
        UNPARKED.with_borrow_mut(|unparked| unparked.push(thread));
    }
    inside
}

fn tell_unparked() {
    for thread in UNPARKED.take() {
        // No error is thrown from here: the thread leaves at its next event.
        let _ = control::event(plain(EventKind::Unpark, thread.0 as u32));
    }
}

/// A thread begins anew.
pub fn forget() {
    DEPTH.set(0);
    INSIDE.set(None);
    STALE.set(false);
    WRITES.set(0);
    UNPARKED.take();
}

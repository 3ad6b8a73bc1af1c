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
        if depth == 1 && INSIDE.take().is_some() {
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

/// An access inside a synchronizer: if something else has happened since the last step, it is a new one.
#[inline]
pub(super) fn touched() {
    if STALE.get()
        && let Some(id) = INSIDE.get()
    {
        STALE.set(false);
        control::quiet(-1);
        // A thread that has to leave does so at its next event.
        let _ = control::event(on(EventKind::Update, id, Event::SYNCHRONIZER));
        control::quiet(1);
    }
}

/// A look whether the current thread was interrupted. Says whether the step has it: an interrupt that is found is told.
pub(super) fn looks_at_interrupt(thread: ThreadId) -> bool {
    let in_step =
        INSIDE.get().is_some() && !control::with_machine(|machine| machine.is_interrupted(thread)).unwrap_or(false);
    if in_step {
        touched();
    }
    in_step
}

/// Runs `body` with events, also inside a synchronizer.
pub(super) fn aloud<T>(body: impl FnOnce() -> T) -> T {
    if INSIDE.get().is_none() {
        return body();
    }
    control::quiet(-1);
    tell_unparked();
    let value = body();
    control::quiet(1);
    STALE.set(true);
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
    UNPARKED.take();
}

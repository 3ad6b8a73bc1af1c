//! The JDK's synchronizers, told as what they are and not as how they are made.
//!
//! `ReentrantLock`, `Semaphore` and their like stand on `AbstractQueuedSynchronizer`, whose queue takes dozens of accesses for
//! one lock. Told one by one they give thousands of traces that differ in nothing a user of the lock can see. So what a
//! thread does inside a synchronizer up to the next event that matters (a park, a look at the clock or at an interrupt)
//! is one step: an update of the synchronizer. Their order is what it is; that each step is atomic is taken on trust. A test
//! of `java.util.concurrent` itself sees all of it, and so does one whose own classes extend the synchronizer. Of a
//! `ReentrantLock` more is known: see [`lock`].

use super::{alone, attempts, identity_hash, interface, lock, number, on, reading, tell};
use crate::control;
use crate::machine::{Machine, plain};
use crate::scope::Step;
use jni_sys::{JNIEnv, jclass, jint, jobject};
use schedule::{Event, EventKind, ObjectId, ThreadId};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
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
    /// The steps that are paused, with how many methods of synchronizers each is in; None where there was none.
    static PAUSED: RefCell<Vec<Option<(ObjectId, u32)>>> = const { RefCell::new(Vec::new()) };
    /// For each method that is part of a step again inside that, whether it is the outermost.
    static RESUMED: RefCell<Vec<bool>> = const { RefCell::new(Vec::new()) };
}

/// Whether synchronizers are taken on trust from now on.
pub fn trust(trusted: bool) {
    TRUSTED.store(trusted, Ordering::Relaxed);
}

/// Around each method of a synchronizer: what it does when it begins, -1 when it ends.
pub(super) extern "system" fn synchronizes(env: *mut JNIEnv, _: jclass, object: jobject, step: jint) {
    if !control::is_controlled() {
        return;
    }
    let depth = DEPTH.get();
    if step < 0 {
        DEPTH.set(depth.saturating_sub(1));
        if depth == 1 && INSIDE.get().is_some() {
            end_step();
            INSIDE.set(None);
            control::quiet(-1);
            tell_unparked();
            alone::resume(env);
        }
        return;
    }
    if depth == 0
        && control::current().is_some()
        && let Some((synchronizer, trust)) = trusted(env, object)
    {
        let id = number(env, synchronizer);
        if trust == Trust::Lock && (Step::asks(step) || attempts::needs_queues()) {
            control::with_machine(Machine::ask);
        }
        // Of a lock the step is known. Else the first access will be one; there may be none.
        let known = Step::event(step).filter(|_| trust == Trust::Lock);
        if let Some(kind) = known
            && !lock::happens(env, synchronizer, id, kind)
        {
            return;
        }
        STALE.set(known.is_none());
        INSIDE.set(Some(id));
        control::quiet(1);
        alone::suspend(env);
    }
    DEPTH.set(depth + 1);
}

/// What a class is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// What it says.
    No,
    /// A synchronizer, whose steps are told as one.
    Steps,
    /// A lock that blocks like a monitor.
    Lock,
    /// A condition, of the synchronizer that it is inside.
    Condition,
}

thread_local! {
    /// What was found out about classes, by the identity hashes of their class objects.
    static CLASSES: RefCell<HashMap<i32, Trust>> = RefCell::default();
}

/// What the class of an object is taken for.
fn trust_in(env: *mut JNIEnv, object: jobject) -> Trust {
    let jni = interface(env);
    let class = identity_hash(env, jni.class_of(object));
    if let Some(known) = CLASSES.with_borrow(|classes| classes.get(&class).copied()) {
        return known;
    }
    let name = reading().class_name(jni, object);
    let trust = match name.strip_prefix("java.util.concurrent.") {
        None => Trust::No,
        Some("locks.ReentrantLock$NonfairSync") => Trust::Lock,
        Some(rest) if rest.ends_with("$ConditionObject") => Trust::Condition,
        Some(_) => Trust::Steps,
    };
    CLASSES.with_borrow_mut(|classes| classes.insert(class, trust));
    trust
}

/// The synchronizer of an object that has its methods, if it is one of the JDK's.
fn trusted(env: *mut JNIEnv, object: jobject) -> Option<(jobject, Trust)> {
    if !TRUSTED.load(Ordering::Relaxed) {
        return None;
    }
    let (synchronizer, trust) = match trust_in(env, object) {
        Trust::Condition => {
            // SAFETY: the outer object is a reference.
            let outer =
                reading().instance_field(interface(env), object, "this$0").map(|(value, _)| unsafe { value.l })?;
            (outer, trust_in(env, outer))
        }
        trust => (object, trust),
    };
    // Who waits for a lock that blocks like a monitor is not in its queue.
    let trust = if trust == Trust::Lock && attempts::is_on() { Trust::Steps } else { trust };
    (trust != Trust::No).then_some((synchronizer, trust))
}

/// Whether an object is a lock that blocks like a monitor.
pub(super) fn is_lock(env: *mut JNIEnv, object: jobject) -> bool {
    trusted(env, object).is_some_and(|(_, trust)| trust == Trust::Lock)
}

/// The lock of a condition, if it is one that blocks like a monitor.
pub(super) fn lock_of_condition(env: *mut JNIEnv, condition: jobject) -> Option<jobject> {
    trusted(env, condition).filter(|(_, trust)| *trust == Trust::Lock).map(|(lock, _)| lock)
}

/// Whether the current thread is in a step of a synchronizer.
pub(super) fn is_inside() -> bool {
    INSIDE.get().is_some()
}

/// An access of a thread that tells of none: inside a synchronizer it is part of a step. If something else has happened
/// since the last step, it begins a new one.
#[inline]
pub(super) fn touched(env: *mut JNIEnv, kind: impl FnOnce() -> EventKind) {
    if let Some(id) = INSIDE.get() {
        begin_step(env, id);
        WRITES.set(WRITES.get() + kind().is_write() as i32);
    }
}

/// The update that the thread has just done inside a synchronizer has changed nothing.
pub(super) fn failed() {
    WRITES.set(WRITES.get() - 1);
}

/// A look at what the machine knows of the synchronizer that the thread is inside: it is part of a step. Says
/// whether there is one.
pub(super) fn looks(env: *mut JNIEnv) -> bool {
    let inside = INSIDE.get();
    if let Some(id) = inside {
        begin_step(env, id);
    }
    inside.is_some()
}

fn begin_step(env: *mut JNIEnv, id: ObjectId) {
    if !STALE.get() {
        return;
    }
    control::quiet(-1);
    // There may be another quiet stretch inside, such as the loading of a class; then the step is still to be told.
    if control::current().is_some() {
        STALE.set(false);
        // A thread that has to leave does so at its next event.
        let event = on(EventKind::Update, id, Event::SYNCHRONIZER);
        let _ = tell::around(env, std::ptr::null_mut(), event, control::event);
        // What was done to tell of it is no part of it.
        WRITES.set(0);
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
pub(super) fn looks_at_interrupt(env: *mut JNIEnv, thread: ThreadId, clears: bool) -> bool {
    let finds = || control::with_machine(|machine| machine.is_interrupted(thread)).unwrap_or(false);
    match INSIDE.get() {
        Some(id) if !(clears && finds()) => {
            begin_step(env, id);
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

/// Around what runs inside a step but is no part of it, such as the start of a thread by a pool: 1 and -1. Around what is part of
/// it again: 2 and -2.
pub(super) extern "system" fn pauses(env: *mut JNIEnv, _: jclass, delta: jint) {
    if !control::is_controlled() {
        return;
    }
    match delta {
        1 => {
            // A pool makes up for its own threads only. Others wait as part of the step.
            let paused = INSIDE.get().filter(|_| lock::is_of_pool(env)).map(|id| (id, DEPTH.get()));
            if paused.is_some() {
                leave_step();
            }
            PAUSED.with_borrow_mut(|all| all.push(paused));
        }
        -1 => resume(PAUSED.with_borrow_mut(Vec::pop).flatten()),
        2 => {
            let paused = PAUSED.with_borrow(|all| all.last().copied().flatten()).filter(|_| INSIDE.get().is_none());
            resume(paused);
            RESUMED.with_borrow_mut(|all| all.push(paused.is_some()));
        }
        _ => {
            if RESUMED.with_borrow_mut(Vec::pop) == Some(true) {
                leave_step();
            }
        }
    }
}

fn leave_step() {
    end_step();
    INSIDE.set(None);
    DEPTH.set(0);
    control::quiet(-1);
    tell_unparked();
}

fn resume(paused: Option<(ObjectId, u32)>) {
    if let Some((id, depth)) = paused {
        INSIDE.set(Some(id));
        DEPTH.set(depth);
        STALE.set(true);
        control::quiet(1);
    }
}

/// A thread begins anew.
pub fn forget() {
    PAUSED.take();
    RESUMED.take();
    DEPTH.set(0);
    INSIDE.set(None);
    STALE.set(false);
    WRITES.set(0);
    UNPARKED.take();
}

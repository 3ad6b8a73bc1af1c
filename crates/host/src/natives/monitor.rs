//! Hooks for monitors: taken, given up, waited on and notified.

use super::fixed::NANOS_A_MILLI;
use super::thread::interrupted;
use super::{at, functions, happen_to, identity_hash, interface, named_site, number, on};
use super::{tell, watch};
use crate::awaited;
use crate::control::{self, Unwind};
use crate::depth;
use crate::machine::Found;
use crate::threads;
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{EventKind, ThreadId};

pub(super) extern "system" fn enter(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    let site = named_site(site_number);
    if control::current().is_none() || object.is_null() {
        return watch::quiet_lock(env, object, site);
    }
    depth::is_locking(functions().jvmti);
    if happen_to(env, object, at(EventKind::Lock, number(env, object), 0, site)).is_none() {
        awaited::note(interface(env), object);
    }
}

pub(super) extern "system" fn exit(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    if control::current().is_some() && !object.is_null() {
        // No error is thrown from here: compilers put this call into the range of a handler that would
        // give up the monitor once more. The thread leaves at its next event.
        let event = at(EventKind::Unlock, number(env, object), 0, named_site(site_number));
        let _ = tell::around(env, object, event, control::event);
    }
}

pub(super) extern "system" fn wait(env: *mut JNIEnv, _: jclass, object: jobject, millis: jlong) -> jboolean {
    if control::current().is_none() {
        return false;
    }
    // The original throws what is to be thrown for a negative time or a monitor that is not held.
    // SAFETY: the machine has just given the references; the function is the machine's own.
    if millis < 0 || !unsafe { (functions().holds_lock)(env, std::ptr::null_mut(), object) } {
        return false;
    }
    if let Some(joined) = threads::find(identity_hash(env, object)) {
        // `Thread.join` waits for the thread to be notified by its end, which no event tells of.
        return join(env, object, joined, (millis > 0).then(|| millis as u64 * NANOS_A_MILLI));
    }
    let id = number(env, object);
    if happen_to(env, object, on(EventKind::Wait, id, 0)).is_none() {
        return true;
    }
    let real = release(env, object);
    let nanos = (millis > 0).then(|| millis as u64 * NANOS_A_MILLI);
    let wake = on(EventKind::Wake, id, 0);
    let found = tell::around(env, object, wake, |event| control::event_within(event, nanos));
    (0..real).for_each(|_| interface(env).monitor_enter(object));
    match found {
        Ok(Found(true)) => interrupted(env),
        Ok(Found(false)) => {}
        Err(Unwind) => {
            awaited::note(interface(env), object);
            interface(env).throw(functions().unwind.0);
        }
    }
    true
}

/// Gives up the real monitor, however often it is held, and says how often that was.
pub(super) fn release(env: *mut JNIEnv, object: jobject) -> usize {
    let env = interface(env);
    let mut depth = 0;
    while env.monitor_exit(object) {
        depth += 1;
    }
    env.take_exception();
    depth
}

/// Waits for a thread to end. The caller holds the thread's monitor, and must not while it waits.
pub(super) fn join(env: *mut JNIEnv, object: jobject, joined: ThreadId, nanos: Option<u64>) -> jboolean {
    let id = number(env, object);
    let depth =
        control::current().and_then(|thread| control::with_machine(|machine| machine.depth(thread, id))).unwrap_or(0);
    let real = release(env, object);
    // The monitor may have been taken by events, or by opaque code that tells of none.
    let found = (0..depth)
        .try_for_each(|_| control::event(on(EventKind::Unlock, id, 0)).map(drop))
        .and_then(|()| {
            let join = on(EventKind::Join, id, joined.0 as u32);
            tell::around(env, object, join, |event| control::event_within(event, nanos))
        })
        .and_then(|found| {
            let lock = || tell::around(env, object, on(EventKind::Lock, id, 0), control::event);
            (0..depth).try_for_each(|_| lock().map(drop)).map(|()| found)
        });
    (0..real).for_each(|_| interface(env).monitor_enter(object));
    match found {
        Ok(Found(true)) => interrupted(env),
        Ok(Found(false)) => {}
        Err(Unwind) => {
            awaited::note(interface(env), object);
            interface(env).throw(functions().unwind.0);
        }
    }
    true
}

pub(super) extern "system" fn notify(env: *mut JNIEnv, _: jclass, object: jobject) -> jboolean {
    notify_as(env, object, EventKind::Notify)
}

pub(super) extern "system" fn notify_all(env: *mut JNIEnv, _: jclass, object: jobject) -> jboolean {
    notify_as(env, object, EventKind::NotifyAll)
}

pub(super) fn notify_as(env: *mut JNIEnv, object: jobject, kind: EventKind) -> jboolean {
    // SAFETY: the machine has just given the references; the function is the machine's own.
    if control::current().is_none() || !unsafe { (functions().holds_lock)(env, std::ptr::null_mut(), object) } {
        return false;
    }
    happen_to(env, object, on(kind, number(env, object), 0));
    true
}

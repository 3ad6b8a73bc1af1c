//! Hooks for monitors: taken, given up, waited on and notified.

use super::fixed::NANOS_A_MILLI;
use super::thread::interrupted;
use super::{at, functions, happen_to, identity_hash, interface, named_site, number, on, reading};
use super::{tell, watch};
use crate::awaited;
use crate::control::{self, Unwind};
use crate::depth;
use crate::machine::Found;
use crate::threads;
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{EventKind, ThreadId};

/// The end of a thread takes its monitor, and up to Java 18 that of its group, which no event tells of: so nothing is certified, and
/// whoever waits may have been waited for by that end.
pub const MONITOR_OF_END: &str = "a monitor that the end of a thread takes as well";

pub(super) extern "system" fn enter(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    let site = named_site(site_number);
    if control::current().is_none() || object.is_null() {
        return watch::quiet_lock(env, object, site);
    }
    depth::is_locking(functions().jvmti);
    // `Thread.setName` takes it, too, and gives it up again whoever waits.
    if reading().is_of_ends(interface(env), object) && watch::is_of_application(site) {
        control::with_machine(|machine| machine.doubt_for(MONITOR_OF_END));
    }
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
    if let Some(joined) = threads::find(identity_hash(env, object)).filter(|joined| !is_waited_on(env, object, *joined))
    {
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

/// Whether code that tells of its monitors waits on a thread that was started, as on any other object. Its end notifies all who do
/// (see [`notify_of_end`]). `Thread.join` takes the monitor in code that does not.
fn is_waited_on(env: *mut JNIEnv, object: jobject, waited_on: ThreadId) -> bool {
    let id = number(env, object);
    let own = control::current();
    threads::is_started(waited_on)
        && own.is_some_and(|own| control::with_machine(|machine| machine.depth(own, id)).unwrap_or(0) > 0)
}

/// A thread that ends notifies all who wait on it.
pub fn notify_of_end(env: *mut JNIEnv, thread: jobject) {
    let id = number(env, thread);
    if control::with_machine(|machine| machine.is_waited_on(id)).unwrap_or(false) {
        let _ = control::event(on(EventKind::NotifyAll, id, 0));
    }
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

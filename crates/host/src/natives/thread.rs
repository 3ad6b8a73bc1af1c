//! Hooks for threads: started, parked, put to sleep, interrupted and looked at.

use super::fixed::{self, NANOS_A_MILLI, START_MILLIS};
use super::{functions, happen, happen_within, identity_hash, interface, is_unwind, number, on, reading};
use super::{synchronizer, tell};
use crate::awaited;
use crate::control::{self, Unwind};
use crate::machine::{Found, Stop, plain};
use crate::threads;
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{Event, EventKind};

/// The current thread finds out that it is interrupted.
pub(super) fn interrupted(env: *mut JNIEnv) {
    reading().forget_interrupt(interface(env));
    interface(env).throw_new("java/lang/InterruptedException", "");
}

pub(super) extern "system" fn park(env: *mut JNIEnv, _: jclass, absolute: jboolean, time: jlong) -> jboolean {
    synchronizer::aloud(|| park_aloud(env, absolute, time))
}

fn park_aloud(env: *mut JNIEnv, absolute: jboolean, time: jlong) -> jboolean {
    let Some(thread) = control::current() else { return false };
    let nanos = if absolute {
        let now = fixed::now(env, thread);
        Some(((time - START_MILLIS).max(0) as u64 * NANOS_A_MILLI).saturating_sub(now))
    } else {
        (time > 0).then_some(time as u64)
    };
    if happen_within(env, plain(EventKind::Park, 0), nanos).is_none() {
        awaited::note_parked(interface(env));
    }
    true
}

pub(super) extern "system" fn unpark(env: *mut JNIEnv, _: jclass, thread: jobject) -> jboolean {
    if !control::is_controlled() || thread.is_null() {
        return false;
    }
    match threads::find(identity_hash(env, thread)) {
        Some(thread) if synchronizer::unparks(thread) => true,
        Some(thread) if control::current().is_some() => {
            happen(env, plain(EventKind::Unpark, thread.0 as u32));
            true
        }
        _ => false,
    }
}

pub(super) extern "system" fn yields(env: *mut JNIEnv, _: jclass) -> jboolean {
    control::current().is_some() && {
        happen(env, plain(EventKind::Yield, 0));
        true
    }
}

pub(super) extern "system" fn sleep(env: *mut JNIEnv, class: jclass, millis: jlong) -> jboolean {
    sleep_nanos(env, class, millis.saturating_mul(NANOS_A_MILLI as jlong))
}

pub(super) extern "system" fn sleep_nanos(env: *mut JNIEnv, _: jclass, nanos: jlong) -> jboolean {
    let Some(thread) = control::current() else { return false };
    // Who sleeps for no time only looks whether it was interrupted.
    let found = match u64::try_from(nanos) {
        Ok(nanos @ 1..) => happen_within(env, plain(EventKind::Sleep, 0), Some(nanos)),
        _ => happen(env, plain(EventKind::ClearInterrupted, thread.0 as u32)),
    };
    if found == Some(Found(true)) {
        interrupted(env);
    }
    true
}

pub(super) extern "system" fn alive(env: *mut JNIEnv, _: jclass, thread: jobject) -> jint {
    if control::current().is_none() {
        return -1;
    }
    match threads::find(identity_hash(env, thread)) {
        Some(thread) => happen(env, plain(EventKind::Alive, thread.0 as u32)).map_or(0, |found| found.0 as jint),
        None => {
            happen(env, on(EventKind::VolatileRead, number(env, thread), Event::STATUS));
            -1
        }
    }
}

pub(super) extern "system" fn starting(env: *mut JNIEnv, _: jclass, thread: jobject) {
    let Some(parent) = control::current() else {
        threads::note_uncontrolled(&reading().class_name(interface(env), thread));
        return;
    };
    if happen(env, on(EventKind::VolatileWrite, number(env, thread), Event::STATUS)).is_none() {
        return;
    }
    let daemon = reading().is_daemon(interface(env), thread);
    match control::reserve_thread(parent, daemon) {
        Ok(id) => {
            threads::know(identity_hash(env, thread), id, false);
            tell::named(env, thread, id);
        }
        Err(Unwind) => interface(env).throw(functions().unwind.0),
    }
}

/// Ends the execution instead of the virtual machine. For a thread that is not under control nothing can be said,
/// and the machine does end.
pub(super) extern "system" fn halts(env: *mut JNIEnv, _: jclass, status: jint) -> jboolean {
    let stopped = control::is_controlled() && control::stop(Stop::Exit(status));
    if stopped {
        interface(env).throw(functions().unwind.0);
    }
    stopped
}

pub(super) extern "system" fn started(env: *mut JNIEnv, _: jclass, thread: jobject) {
    if control::current().is_some()
        && let Some(id) = threads::find(identity_hash(env, thread))
    {
        happen(env, plain(EventKind::Start, id.0 as u32));
        // Also when the execution is over: the thread is there, and has to leave.
        control::start_thread(id);
    }
}

pub(super) extern "system" fn interrupt(env: *mut JNIEnv, _: jclass, thread: jobject) {
    at_flag(env, thread, EventKind::Interrupt, EventKind::VolatileWrite);
}

/// Does an event at the flag that says whether a thread was interrupted.
fn at_flag(env: *mut JNIEnv, thread: jobject, of_controlled: EventKind, of_other: EventKind) {
    synchronizer::aloud(|| at_flag_aloud(env, thread, of_controlled, of_other));
}

fn at_flag_aloud(env: *mut JNIEnv, thread: jobject, of_controlled: EventKind, of_other: EventKind) {
    if control::current().is_some() {
        let event = match threads::find(identity_hash(env, thread)) {
            Some(thread) => plain(of_controlled, thread.0 as u32),
            None => on(of_other, number(env, thread), Event::INTERRUPT),
        };
        happen(env, event);
    }
}

pub(super) extern "system" fn uncaught(env: *mut JNIEnv, _: jclass, thread: jobject, exception: jobject) -> jboolean {
    if is_unwind(interface(env), exception) {
        return true;
    }
    match threads::find(identity_hash(env, thread)) {
        // What the code under test handles itself is not uncaught.
        Some(_) if functions().reading.has_handler(interface(env), thread) => false,
        Some(id) => {
            control::note_uncaught(id, functions().reading.thrown(interface(env), exception));
            true
        }
        None => false,
    }
}

pub(super) extern "system" fn look(env: *mut JNIEnv, _: jclass, thread: jobject) {
    let own = control::controlled().filter(|own| threads::find(identity_hash(env, thread)) == Some(*own));
    if own.is_some_and(|own| synchronizer::looks_at_interrupt(own, false)) {
        return;
    }
    at_flag(env, thread, EventKind::Interrupted, EventKind::VolatileRead);
}

pub(super) extern "system" fn look_own(env: *mut JNIEnv, _: jclass) {
    if control::controlled().is_some_and(|thread| synchronizer::looks_at_interrupt(thread, true)) {
        return;
    }
    synchronizer::aloud(|| {
        if let Some(thread) = control::current() {
            happen(env, plain(EventKind::ClearInterrupted, thread.0 as u32));
        }
    });
}

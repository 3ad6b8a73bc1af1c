//! Hooks for threads: started, parked, put to sleep, interrupted and looked at.

use super::access::raw_kind;
use super::fixed::{self, NANOS_A_MILLI, START_MILLIS};
use super::monitor::join;
use super::{alone, functions, happen, happen_within, identity_hash, interface, number, on, reading};
use super::{synchronizer, tell, watch};
use crate::awaited;
use crate::control::{self, Unwind};
use crate::exhausted;
use crate::machine::{Found, Seen, Stop, plain};
use crate::threads;
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{Event, EventKind, ThreadId};

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
        _ if control::current().is_none() => false,
        _ => to_started(env, thread, EventKind::Unpark, EventKind::VolatileRead) != Standing::Unknown,
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
    match to_started(env, thread, EventKind::Alive, EventKind::VolatileRead) {
        Standing::Started(found) => found.0 as jint,
        Standing::NotYet | Standing::Leaving => 0,
        Standing::Unknown => -1,
    }
}

/// Waits for a thread to end before `Thread.join` looks whether it lives. What that would do if it does is to wait, so whether it
/// found it alive makes no difference to anybody: without this there are two traces for each. Before the thread was started it
/// waits for nothing, and that is an event which the start changes.
pub(super) extern "system" fn joins(env: *mut JNIEnv, _: jclass, thread: jobject) {
    if control::current().is_none() {
        return;
    }
    let (hash, object) = (identity_hash(env, thread), number(env, thread));
    let started = || threads::find(hash).filter(|&id| has_started(id));
    if started().is_none() && happen(env, on(EventKind::VolatileRead, object, Event::STATUS)).is_none() {
        return;
    }
    if let Some(joined) = started() {
        join(env, thread, joined, None);
    }
}

/// The state of a thread as `jdk.internal.misc.VM` has it, by the flags of JVMTI.
pub(super) extern "system" fn state(env: *mut JNIEnv, _: jclass, thread: jobject) -> jint {
    if control::current().is_none() {
        return -1;
    }
    let seen = match to_started(env, thread, EventKind::State, EventKind::VolatileRead) {
        Standing::Started(_) => see(identity_hash(env, thread)),
        Standing::NotYet | Standing::Leaving => Some(Seen::New),
        Standing::Unknown => None,
    };
    match seen {
        None => -1,
        Some(Seen::New) => 0,
        Some(Seen::Terminated) => 0x2,
        Some(Seen::Runnable) => 0x4 | ALIVE,
        Some(Seen::Waiting) => 0x10 | ALIVE,
        Some(Seen::TimedWaiting) => 0x20 | ALIVE,
        Some(Seen::Blocked) => 0x400 | ALIVE,
    }
}

/// The flag of a thread that was started and has not ended.
const ALIVE: jint = 0x1;

/// What a thread that was started is seen to do. That a thread itself runs, or has ended, is known in any case.
fn see(hash: i32) -> Option<Seen> {
    let thread = threads::find(hash)?;
    let is_own = control::controlled() == Some(thread);
    control::with_machine(|machine| {
        let seen = machine.see(thread);
        if seen != Seen::Terminated && !is_own {
            machine.ask();
        }
        seen
    })
}

/// What is known of a thread to which an event is done.
#[derive(PartialEq, Eq)]
enum Standing {
    /// It was started under control, and that is what the event found.
    Started(Found),
    /// Its start is announced.
    NotYet,
    /// It was not started, or by nobody under control.
    Unknown,
    /// The execution is over.
    Leaving,
}

/// Does an event to a thread: one of the first kind if it was started, and if not, one of the second to its status.
/// If it is started before that happens, both.
fn to_started(env: *mut JNIEnv, thread: jobject, of_started: EventKind, of_other: EventKind) -> Standing {
    let (hash, object) = (identity_hash(env, thread), number(env, thread));
    let started = || threads::find(hash).filter(|&id| has_started(id));
    if started().is_none() && happen(env, on(of_other, object, Event::STATUS)).is_none() {
        return Standing::Leaving;
    }
    match (started(), threads::find(hash)) {
        (Some(id), _) => happen(env, on(of_started, object, id.0 as u32)).map_or(Standing::Leaving, Standing::Started),
        (None, Some(_)) => Standing::NotYet,
        (None, None) => Standing::Unknown,
    }
}

fn has_started(thread: ThreadId) -> bool {
    control::with_machine(|machine| machine.has_started(thread)).unwrap_or(false)
}

/// An access of what opaque code keeps of a thread.
pub(super) extern "system" fn part(env: *mut JNIEnv, _: jclass, thread: jobject, slot: jint, kind: jint) {
    if let Some(own) = control::current().filter(|_| !thread.is_null()) {
        let (kind, id) = (raw_kind(kind), number(env, thread));
        if !control::is_alone(kind) {
            happen(env, on(kind, id, slot as u32));
        }
        let is_other = || threads::find(identity_hash(env, thread)).is_some_and(|other| other != own);
        if slot as u32 == Event::BLOCKER && is_other() {
            // When it is set and cleared is no event.
            control::with_machine(|machine| machine.doubt("LockSupport.getBlocker was asked of another thread"));
        }
        if slot as u32 == Event::HANDLER {
            asks_of_end(env, std::ptr::null_mut(), thread);
        }
    }
}

/// A thread is asked for what its end clears, in code that tells of no events.
pub(super) extern "system" fn asks_of_end(env: *mut JNIEnv, _: jclass, thread: jobject) {
    let Some(own) = control::current().filter(|_| !thread.is_null()) else { return };
    if threads::find(identity_hash(env, thread)).is_some_and(|other| other != own && has_started(other)) {
        control::with_machine(|machine| machine.doubt("another thread was asked for what its end clears"));
    }
}

/// A group of threads is to end with the last of its threads, up to Java 18. Whoever makes another one in it may come too late, and
/// no event tells of that.
pub(super) extern "system" fn ends_with_threads(_: *mut JNIEnv, _: jclass, _: jobject) {
    if control::current().is_some() {
        control::with_machine(|machine| machine.doubt("a group of threads was to end with its threads"));
    }
}

/// A thread gets its number before it runs. That it was started is told once it was.
pub(super) extern "system" fn starting(env: *mut JNIEnv, _: jclass, thread: jobject) {
    let Some(parent) = control::current() else {
        let env = interface(env);
        if !threads::note_uncontrolled(&reading().class_name(env, thread), &reading().class_of_task(env, thread)) {
            exhausted::note_threads();
            // As HotSpot says it where the operating system has no more of them.
            env.throw_new("java/lang/OutOfMemoryError", "unable to create native thread");
        }
        return;
    };
    alone::end(interface(env));
    let daemon = reading().is_daemon(interface(env), thread);
    match control::reserve_thread(parent, daemon) {
        Ok(id) => {
            watch::watch(interface(env), true);
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
        happen(env, on(EventKind::Start, number(env, thread), id.0 as u32));
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
        to_started(env, thread, of_controlled, of_other);
    }
}

pub(super) extern "system" fn uncaught(env: *mut JNIEnv, _: jclass, thread: jobject, exception: jobject) -> jboolean {
    if control::leaves() {
        return true;
    }
    let known = threads::find(identity_hash(env, thread));
    if known.is_some() && control::current().is_some() {
        // Who has to leave does so without it.
        let _ = control::event(on(EventKind::VolatileRead, number(env, thread), Event::HANDLER));
    }
    match known {
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
    if own.is_some_and(|own| synchronizer::looks_at_interrupt(env, own, false)) {
        return;
    }
    at_flag(env, thread, EventKind::Interrupted, EventKind::VolatileRead);
}

pub(super) extern "system" fn look_own(env: *mut JNIEnv, _: jclass) {
    if control::controlled().is_some_and(|thread| synchronizer::looks_at_interrupt(env, thread, true)) {
        return;
    }
    synchronizer::aloud(|| {
        if let Some(thread) = control::current() {
            happen(env, plain(EventKind::ClearInterrupted, thread.0 as u32));
        }
    });
}

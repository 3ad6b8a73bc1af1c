//! Hooks that keep what the code under test can see the same, and what is no event quiet.

use super::{alone, functions, happen, interface, on, reading, synchronizer, tell, watch};
use crate::agent::LOADED;
use crate::control::{self, Unwind};
use crate::initialisers;
use crate::machine::{Found, plain};
use crate::scope::is_of_jdk;
use crate::statics;
use crate::tables;
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{Event, EventKind, ObjectId, ThreadId};

pub(super) extern "system" fn quiet(_: *mut JNIEnv, _: jclass, delta: jint) {
    control::quiet(delta);
}

/// Loaders of the JDK are part of the virtual machine. What an application's own loader does is what the
/// application does.
pub(super) extern "system" fn quiet_in(env: *mut JNIEnv, _: jclass, loader: jobject, delta: jint) {
    // Who is not under control may be here because a class is looked at, which is not to be looked at now.
    let is_of_application =
        || control::is_controlled() && !is_of_jdk(&reading().class_name(interface(env), loader).replace('.', "/"));
    if loader.is_null() || !is_of_application() {
        control::quiet(delta);
    }
}

/// A static initialiser is quiet. Which it is matters if there are other threads.
pub(super) extern "system" fn initialises(env: *mut JNIEnv, _: jclass, class: jobject, delta: jint) {
    if delta > 0 && control::is_controlled() {
        let name = reading().name_of_class(interface(env), class).replace('.', "/");
        if watch::is_watching() {
            let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
            let loaded = loaded.as_mut().expect("internal bug: no agent");
            loaded.initialisers.begin_among_threads(&loaded.under_test, &name);
        }
        initialisers::begin(name);
    } else if delta < 0 && control::is_controlled() {
        initialisers::end();
    }
    match delta > 0 {
        true => tables::begin_initialiser(interface(env)),
        false => tables::end_initialiser(interface(env)),
    }
    control::quiet(delta);
}

/// A thread that has to leave does not handle exceptions on its way: a loop that catches everything would have no end.
pub(super) extern "system" fn caught(env: *mut JNIEnv, _: jclass, _: jobject) {
    if control::current().is_some() && control::leaves() {
        interface(env).throw(functions().unwind.0);
    }
}

pub(super) const NANOS_A_MILLI: u64 = 1_000_000;

pub(super) extern "system" fn clock(env: *mut JNIEnv, _: jclass, which: jint) -> jlong {
    synchronizer::aloud(|| match control::controlled() {
        Some(thread) if which == 1 => now(env, thread) as jlong,
        Some(thread) if which == 2 => START_MILLIS * NANOS_A_MILLI as jlong + now(env, thread) as jlong,
        Some(thread) => START_MILLIS + (now(env, thread) / NANOS_A_MILLI) as jlong,
        None => -1,
    })
}

/// The time that a thread sees. Who looks first can be seen, so a look is an event.
pub(super) fn now(env: *mut JNIEnv, thread: ThreadId) -> u64 {
    if control::current().is_some() {
        if control::has_written_alone() | alone::has_written(env) {
            control::with_machine(|machine| machine.note_write(thread));
        }
        // One that looks again and again sleeps first: time passes only when nothing else can go on.
        if let Some(nanos) = control::with_machine(|machine| machine.nap(thread)).flatten() {
            nap(env, thread, nanos);
        }
        happen(env, on(EventKind::Update, ObjectId::NONE, Event::CLOCK));
    }
    control::with_machine(|machine| machine.look_at_clock(thread)).unwrap_or(0)
}

/// A thread that looks at the clock again and again sleeps. It has not asked for that, so it is not seen to wait,
/// and an interrupt is still to be noticed.
fn nap(env: *mut JNIEnv, thread: ThreadId, nanos: u64) {
    let sleep = |event| control::event_within(event, Some(nanos));
    match tell::once(env, std::ptr::null_mut(), plain(EventKind::Sleep, 0), sleep) {
        Ok(Found(true)) => drop(control::with_machine(|machine| machine.keep_interrupt(thread))),
        Ok(Found(false)) => {}
        Err(Unwind) => interface(env).throw(functions().unwind.0),
    }
}

/// Fills an array with bytes that look random, and are the same in every execution of a schedule.
pub(super) extern "system" fn random(env: *mut JNIEnv, _: jclass, array: jobject) -> jboolean {
    let Some(thread) = control::controlled().filter(|_| !array.is_null()) else { return false };
    let env = interface(env);
    let bytes: Vec<i8> = (0..env.array_length(array))
        .map(|_| control::with_machine(|machine| machine.random(thread)).unwrap_or(0) as i8)
        .collect();
    env.fill_bytes(array, &bytes);
    true
}

/// Some day in 2026: code that prints dates gets one that it can print.
pub(super) const START_MILLIS: jlong = 1_780_000_000_000;

pub(super) extern "system" fn initialized(env: *mut JNIEnv, _: jclass, class: jobject) {
    statics::note_initialized(interface(env), class);
}

//! Hooks that keep what the code under test can see the same, and what is no event quiet.

use super::{interface, number};
use crate::{control, statics};
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};

pub(super) extern "system" fn quiet(_: *mut JNIEnv, _: jclass, delta: jint) {
    control::quiet(delta);
}

pub(super) const NANOS_A_MILLI: u64 = 1_000_000;

pub(super) extern "system" fn hash(env: *mut JNIEnv, _: jclass, object: jobject) -> jint {
    if control::current().is_none() || object.is_null() {
        return -1;
    }
    // Spread, as hash codes are, so that tables look as they usually do.
    (number(env, object).0.wrapping_add(1).wrapping_mul(0x9e37_79b1) >> 1) as jint
}

pub(super) extern "system" fn clock(_: *mut JNIEnv, _: jclass, which: jint) -> jlong {
    match control::current().and_then(|_| control::with_machine(|machine| machine.look_at_clock())) {
        Some(nanos) if which == 1 => nanos as jlong,
        Some(nanos) => START_MILLIS + nanos as jlong / 1_000_000,
        None => -1,
    }
}

/// Fills an array with bytes that look random, and are the same in every execution of a schedule.
pub(super) extern "system" fn random(env: *mut JNIEnv, _: jclass, array: jobject) -> jboolean {
    if control::current().is_none() || array.is_null() {
        return false;
    }
    let env = interface(env);
    let bytes: Vec<i8> = (0..env.array_length(array))
        .map(|_| control::with_machine(|machine| machine.random()).unwrap_or(0) as i8)
        .collect();
    env.fill_bytes(array, &bytes);
    true
}

/// Some day in 2026: code that prints dates gets one that it can print.
pub(super) const START_MILLIS: jlong = 1_780_000_000_000;

pub(super) extern "system" fn initialized(env: *mut JNIEnv, _: jclass, class: jobject) {
    statics::note_initialized(interface(env), class);
}

//! Hooks for accesses of fields and elements.
//!
//! While a thread is the only one, its accesses are no events. Objects get their numbers all the same, so that those which were
//! there before others came have the same ones under every schedule.

use super::{at, functions, happen, happen_to, interface, is_array, number, on, site, synchronizer};
use super::{memory, watch};
use crate::{control, depth};
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{EventKind, ObjectId};

pub(super) extern "system" fn access(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    // An access of null is no event: the instruction itself will throw.
    if control::current().is_none() {
        synchronizer::touched(env, || site(site_number).0);
        watch::quiet(env, object, None, site_number);
    } else if !object.is_null() && !overflows(env) {
        let (id, (kind, slot)) = (number(env, object), site(site_number));
        if !control::is_alone(kind) {
            happen_to(env, object, at(kind, id, slot, site_number));
        }
    }
}

pub(super) extern "system" fn element(env: *mut JNIEnv, _: jclass, array: jobject, index: jint, site_number: jint) {
    if control::current().is_none() {
        watch::quiet(env, array, Some(index as u32), site_number);
    } else if !array.is_null() && !overflows(env) {
        let (id, (kind, _)) = (number(env, array), site(site_number));
        if !control::is_alone(kind) {
            happen_to(env, array, at(kind, id, index as u32, site_number));
        }
    }
}

pub(super) extern "system" fn statics(env: *mut JNIEnv, _: jclass, site_number: jint) {
    if control::current().is_none() {
        watch::quiet(env, std::ptr::null_mut(), None, site_number);
    } else if !overflows(env) {
        let (kind, slot) = site(site_number);
        if !control::is_alone(kind) {
            happen(env, at(kind, ObjectId::NONE, slot, site_number));
        }
    }
}

pub(super) extern "system" fn raw(env: *mut JNIEnv, _: jclass, object: jobject, offset: jlong, kind: jint) {
    if control::current().is_none() {
        return synchronizer::touched(env, || raw_kind(kind & 0xff));
    }
    let (kind, size) = (raw_kind(kind & 0xff), kind >> 8);
    if object.is_null() {
        memory::touch(env, offset, size as jlong, kind);
        return;
    }
    let Some(first) = crate::raw::place(interface(env), object, offset) else { return };
    if first.slot == crate::raw::CHANCE {
        control::with_machine(|machine| machine.note_chance());
        return;
    }
    if !first.is_seen {
        return watch::raw(env, object, first.is_static, first.slot, kind);
    }
    if control::is_alone(kind) {
        return;
    }
    // A wide access of an array of something narrower touches several elements.
    let last = if size > 1 { crate::raw::place(interface(env), object, offset + size as jlong - 1) } else { None };
    let last = last.map_or(first.slot, |last| last.slot.max(first.slot));
    // Static fields are at offsets of their class.
    let subject = if first.object == ObjectId::NONE { std::ptr::null_mut() } else { object };
    for slot in first.slot..=if first.is_element { last } else { first.slot } {
        if happen_to(env, subject, on(kind, first.object, slot)).is_none() {
            return;
        }
    }
}

/// Throws an error if the thread has more calls in each other than it may. Says whether it does. Not where the JDK updates what its locks
/// are made of, nor where monitors are given up: there it would do more harm than a stack that is full.
fn overflows(env: *mut JNIEnv) -> bool {
    let overflows = depth::is_past(functions().jvmti);
    if overflows {
        control::uncontrolled(|| interface(env).throw_new("java/lang/StackOverflowError", depth::MESSAGE));
    }
    overflows
}

/// The update that the current thread was let do has changed nothing.
pub(super) extern "system" fn failed(_: *mut JNIEnv, _: jclass) {
    match control::current() {
        Some(_) if control::was_alone() => {}
        Some(thread) => drop(control::with_machine(|machine| machine.fail_update(thread))),
        None => synchronizer::failed(),
    }
}

const RAW_KINDS: [EventKind; 5] =
    [EventKind::Read, EventKind::Write, EventKind::VolatileRead, EventKind::VolatileWrite, EventKind::Update];

/// Copies element by element, for that is how others may see it.
pub(super) extern "system" fn copy(
    env: *mut JNIEnv,
    class: jclass,
    from: jobject,
    from_index: jint,
    to: jobject,
    to_index: jint,
    count: jint,
) -> jboolean {
    if control::current().is_none() || from.is_null() || to.is_null() {
        return false;
    }
    let jni = interface(env);
    let fits = |array: jobject, index: jint| {
        is_array(jni, array)
            && index >= 0
            && count >= 0
            && index as i64 + count as i64 <= jni.array_length(array) as i64
    };
    // The original throws what is to be thrown.
    if !fits(from, from_index) || !fits(to, to_index) {
        return false;
    }
    let (source, target) = (number(env, from), number(env, to));
    if control::is_alone(EventKind::Write) {
        return false;
    }
    let backwards = source == target && from_index < to_index;
    for step in 0..count {
        let offset = if backwards { count - 1 - step } else { step };
        let (read, written) = (from_index + offset, to_index + offset);
        if happen_to(env, from, on(EventKind::Read, source, read as u32)).is_none()
            || happen_to(env, to, on(EventKind::Write, target, written as u32)).is_none()
        {
            return true;
        }
        // SAFETY: both are arrays, and the indices are inside them.
        unsafe { (functions().array_copy)(env, class, from, read, to, written, 1) };
        if jni.has_exception() {
            return true;
        }
    }
    true
}

pub(super) extern "system" fn touch(env: *mut JNIEnv, _: jclass, array: jobject, first: jint, count: jint, kind: jint) {
    let jni = interface(env);
    if control::current().is_none() || array.is_null() {
        return;
    }
    let length = jni.array_length(array) as i64;
    let end = if count < 0 { length } else { first as i64 + count as i64 };
    // The method itself throws what is to be thrown.
    if first < 0 || end > length {
        return;
    }
    let id = number(env, array);
    if control::is_alone(raw_kind(kind)) {
        return;
    }
    for index in first as i64..end {
        if happen_to(env, array, on(raw_kind(kind), id, index as u32)).is_none() {
            return;
        }
    }
}

pub(super) fn raw_kind(kind: jint) -> EventKind {
    RAW_KINDS.into_iter().find(|known| *known as jint == kind).expect("internal bug: no such access")
}

pub(super) extern "system" fn clone(env: *mut JNIEnv, _: jclass, object: jobject) {
    let jni = interface(env);
    if control::current().is_none() || object.is_null() {
        return;
    }
    let id = number(env, object);
    if control::is_alone(EventKind::Read) {
        return;
    }
    let slots: Vec<u32> = match is_array(jni, object) {
        true => (0..jni.array_length(object) as u32).collect(),
        false => crate::raw::fields(jni, object),
    };
    for slot in slots {
        if happen_to(env, object, on(EventKind::Read, id, slot)).is_none() {
            return;
        }
    }
}

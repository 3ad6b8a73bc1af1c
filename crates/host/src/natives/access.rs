//! Hooks for accesses of fields and elements.
//!
//! While a thread is the only one, its accesses are no events: see [`alone`].

use super::synchronizer;
use super::{alone, identity_hash, memory, watch};
use super::{at, functions, happen, happen_to, interface, is_array, keyed_site, named_site, number, on, site};
use crate::silence::{self, RAW_ELEMENTS};
use crate::unseen::Location;
use crate::{control, depth};
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{EventKind, ObjectId, SiteId};

/// An access that may be silent.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub kind: EventKind,
    /// The field; None for elements.
    pub slot: Option<u32>,
    pub key: u32,
    pub site: SiteId,
    /// How many events it is if it is not.
    pub events: u32,
    pub is_new_site: bool,
}

/// An access of an element by nobody knows whose code.
pub(super) fn elements(kind: EventKind) -> Access {
    Access { kind, slot: None, key: RAW_ELEMENTS, site: SiteId::NONE, events: 1, is_new_site: false }
}

/// An access of a field by nobody knows whose code.
fn field(kind: EventKind, slot: u32) -> Access {
    Access { slot: Some(slot), key: slot, ..elements(kind) }
}

/// Whether an access of an object, or of what is static if that is null, is no event, because no thread can notice when
/// it happens.
pub(super) fn is_silent(env: *mut JNIEnv, object: jobject, access: Access) -> bool {
    let Access { kind, slot, key, site, events, is_new_site } = access;
    control::may_be_silent() && {
        let hash = if object.is_null() { 0 } else { identity_hash(env, object) };
        let location = Location { hash, slot };
        control::is_silent(&silence::Access { location, kind, site, key, events, is_new_site })
    }
}

/// The same at a site.
fn is_silent_at(env: *mut JNIEnv, object: jobject, site: SiteId, is_element: bool) -> bool {
    control::may_be_silent() && {
        let (kind, slot, key, is_new_site) = keyed_site(site);
        let slot = (!is_element).then_some(slot);
        is_silent(env, object, Access { kind, slot, key, site, events: 1, is_new_site })
    }
}

pub(super) extern "system" fn access(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    let site_number = named_site(site_number);
    if alone::goes_on(env) {
        return;
    }
    // An access of null is no event: the instruction itself will throw.
    if control::current().is_none() {
        control::beat();
        synchronizer::touched(env, || site(site_number).0);
        watch::quiet(env, object, None, site_number);
    } else if !object.is_null() && !overflows(env) && !is_silent_at(env, object, site_number, false) {
        let (id, (kind, slot)) = (number(env, object), site(site_number));
        if !control::is_alone(kind) {
            happen_to(env, object, at(kind, id, slot, site_number));
        }
    }
}

pub(super) extern "system" fn element(env: *mut JNIEnv, _: jclass, array: jobject, index: jint, site_number: jint) {
    let site_number = named_site(site_number);
    if alone::goes_on(env) {
        return;
    }
    if control::current().is_none() {
        control::beat();
        watch::quiet(env, array, Some(index as u32), site_number);
    } else if !array.is_null() && !overflows(env) && !is_silent_at(env, array, site_number, true) {
        let (id, (kind, _)) = (number(env, array), site(site_number));
        if !control::is_alone(kind) {
            happen_to(env, array, at(kind, id, index as u32, site_number));
        }
    }
}

pub(super) extern "system" fn statics(env: *mut JNIEnv, _: jclass, site_number: jint) {
    let site_number = named_site(site_number);
    if alone::goes_on(env) {
        return;
    }
    if control::current().is_none() {
        control::beat();
        watch::quiet(env, std::ptr::null_mut(), None, site_number);
    } else if !overflows(env) && !is_silent_at(env, std::ptr::null_mut(), site_number, false) {
        let (kind, slot) = site(site_number);
        if !control::is_alone(kind) {
            happen(env, at(kind, ObjectId::NONE, slot, site_number));
        }
    }
}

pub(super) extern "system" fn raw(env: *mut JNIEnv, _: jclass, object: jobject, offset: jlong, kind: jint) {
    if alone::goes_on(env) {
        return;
    }
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
    let end = offset + size as jlong - 1;
    let last = if first.is_element { crate::raw::place(interface(env), object, end) } else { None };
    let last = last.map_or(first.slot, |last| last.slot.max(first.slot));
    // Static fields are at offsets of their class.
    let subject = if first.is_static { std::ptr::null_mut() } else { object };
    let slots = first.slot..=if first.is_element { last } else { first.slot };
    let access = match first.is_element {
        true => Access { events: slots.clone().count() as u32, ..elements(kind) },
        false => field(kind, first.slot),
    };
    if is_silent(env, subject, access) {
        return;
    }
    let id = first.object(interface(env), object);
    for slot in slots {
        if happen_to(env, subject, on(kind, id, slot)).is_none() {
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
    if control::is_alone(EventKind::Write) {
        return false;
    }
    if count > 0 {
        // Where one of the two is an event the other is as well, so all are counted with the second.
        let reads = is_silent(env, from, Access { events: 0, ..elements(EventKind::Read) });
        let events = if reads { 2 * count as u32 } else { 0 };
        if is_silent(env, to, Access { events, ..elements(EventKind::Write) }) && reads {
            return false;
        }
    }
    let Some(held) = one_like(env, from) else { return true };
    let (source, target) = (number(env, from), number(env, to));
    let backwards = source == target && from_index < to_index;
    for step in 0..count {
        let offset = if backwards { count - 1 - step } else { step };
        let (read, written) = (from_index + offset, to_index + offset);
        if happen_to(env, from, on(EventKind::Read, source, read as u32)).is_none() {
            return true;
        }
        // Read now: others may go on before the write.
        // SAFETY: both are arrays of the same kind, and the indices are inside them.
        unsafe { (functions().array_copy)(env, class, from, read, held, 0, 1) };
        if happen_to(env, to, on(EventKind::Write, target, written as u32)).is_none() {
            return true;
        }
        // SAFETY: both are arrays, and the indices are inside them.
        unsafe { (functions().array_copy)(env, class, held, 0, to, written, 1) };
        if jni.has_exception() {
            break;
        }
    }
    jni.delete_local(held);
    true
}

/// An array of one element that can be any of this array's. None if there is no memory, which is thrown.
fn one_like(env: *mut JNIEnv, array: jobject) -> Option<jobject> {
    let jni = interface(env);
    let class = jni.class_of(array);
    let one = match functions().jvmti.element(class) {
        // All arrays extend `Object`.
        None => {
            let object = jni.super_class(class);
            let one = jni.object_array(object, 1);
            jni.delete_local(object);
            one
        }
        Some(letter) => jni.primitive_array(letter, 1),
    };
    jni.delete_local(class);
    one
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
    let kind = raw_kind(kind);
    let access = Access { events: (end - first as i64) as u32, ..elements(kind) };
    if control::is_alone(kind) || end == first as i64 || is_silent(env, array, access) {
        return;
    }
    let (id, since) = (number(env, array), steps());
    for index in first as i64..end {
        if happen_to(env, array, on(kind, id, index as u32)).is_none() {
            return;
        }
    }
    is_whole(kind, id, since);
}

/// The number of events so far.
fn steps() -> usize {
    control::with_machine(|machine| machine.steps()).unwrap_or(0)
}

/// The current thread has made events since then of what it does to an object at once, after the last of them.
fn is_whole(kind: EventKind, object: ObjectId, since: usize) {
    if let Some(thread) = control::current() {
        control::with_machine(|machine| machine.note_whole(thread, kind, object, since));
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
    if control::is_alone(EventKind::Read) {
        return;
    }
    let is_array = is_array(jni, object);
    let slots: Vec<u32> = match is_array {
        true => (0..jni.array_length(object) as u32).collect(),
        false => crate::raw::fields(jni, object),
    };
    let all = Access { events: slots.len() as u32, ..elements(EventKind::Read) };
    if is_array && (slots.is_empty() || is_silent(env, object, all)) {
        return;
    }
    let since = steps();
    for slot in slots {
        if !is_array && is_silent(env, object, field(EventKind::Read, slot)) {
            continue;
        }
        let id = number(env, object);
        if happen_to(env, object, on(EventKind::Read, id, slot)).is_none() {
            return;
        }
    }
    if steps() > since {
        is_whole(EventKind::Read, number(env, object), since);
    }
}

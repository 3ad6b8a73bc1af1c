//! The native methods behind the hooks.

use crate::agent::LOADED;
use crate::control::{self, Unwind};
use crate::hook_class::{self, HOOKS, Hook, UNWIND};
use crate::jni::Env;
use crate::jvm::{Jvm, JvmError};
use crate::machine::{Found, plain};
use crate::read::Reading;
use crate::{raw, statics, threads};
use jni_sys::{JNIEnv, jboolean, jclass, jint, jlong, jobject};
use schedule::{Event, EventKind, ObjectId, SiteId, ThreadId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::{Arc, OnceLock};

/// Binds the hooks and switches them on.
pub fn bind(jvm: &Jvm, reading: Arc<Reading>) -> Result<(), JvmError> {
    let env = jvm.env;
    // SAFETY: these are the signatures of these functions, in all versions.
    let (identity_hash, holds_lock, array_copy) =
        unsafe { (jvm.function("JVM_IHashCode")?, jvm.function("JVM_HoldsLock")?, jvm.function("JVM_ArrayCopy")?) };
    let hooks = env.find_class(HOOKS).ok_or(JvmError::Missing("hook class"))?;
    let unwind =
        env.find_class(UNWIND).and_then(|class| env.allocate(class)).ok_or(JvmError::Missing("unwind class"))?;
    let functions = Functions { identity_hash, holds_lock, array_copy, unwind: Shared(env.global(unwind)), reading };
    FUNCTIONS.set(functions).map_err(|_| JvmError::Missing("second life"))?;
    let text = |text: String| CString::new(text).expect("internal bug: names have no zero bytes");
    let names: Vec<_> = NATIVES
        .iter()
        .map(|(hook, function)| (text(format!("{}0", hook.name)), text(hook.descriptor.to_owned()), function.0))
        .collect();
    let natives: Vec<_> = names.iter().map(|(name, descriptor, f)| (&**name, &**descriptor, *f)).collect();
    let bound = env.register_natives(hooks, &natives);
    let on = env.static_field(hooks, "on", "Z").filter(|_| bound).ok_or(JvmError::Missing("hooks"))?;
    env.set_static_boolean(hooks, on, true);
    Ok(())
}

/// The address of a native method.
struct Function(*mut c_void);

// SAFETY: an address of code is the same in every thread.
unsafe impl Sync for Function {}

static NATIVES: [(Hook, Function); hook_class::ALL.len()] = [
    (hook_class::ACCESS, Function(access as *mut c_void)),
    (hook_class::ELEMENT, Function(element as *mut c_void)),
    (hook_class::STATIC, Function(statics as *mut c_void)),
    (hook_class::ENTER, Function(enter as *mut c_void)),
    (hook_class::EXIT, Function(exit as *mut c_void)),
    (hook_class::QUIET, Function(quiet as *mut c_void)),
    (hook_class::RAW, Function(raw as *mut c_void)),
    (hook_class::WAIT, Function(wait as *mut c_void)),
    (hook_class::NOTIFY, Function(notify as *mut c_void)),
    (hook_class::NOTIFY_ALL, Function(notify_all as *mut c_void)),
    (hook_class::PARK, Function(park as *mut c_void)),
    (hook_class::UNPARK, Function(unpark as *mut c_void)),
    (hook_class::YIELD, Function(yields as *mut c_void)),
    (hook_class::SLEEP, Function(sleep as *mut c_void)),
    (hook_class::HASH, Function(hash as *mut c_void)),
    (hook_class::CLOCK, Function(clock as *mut c_void)),
    (hook_class::HOLDS, Function(holds as *mut c_void)),
    (hook_class::ALIVE, Function(alive as *mut c_void)),
    (hook_class::STARTING, Function(starting as *mut c_void)),
    (hook_class::STARTED, Function(started as *mut c_void)),
    (hook_class::INTERRUPT, Function(interrupt as *mut c_void)),
    (hook_class::FORGET, Function(forget as *mut c_void)),
    (hook_class::SLEEP_NANOS, Function(sleep_nanos as *mut c_void)),
    (hook_class::UNCAUGHT, Function(uncaught as *mut c_void)),
    (hook_class::INITIALIZED, Function(initialized as *mut c_void)),
    (hook_class::COPY, Function(copy as *mut c_void)),
    (hook_class::CLONE, Function(clone as *mut c_void)),
    (hook_class::LOOK, Function(look as *mut c_void)),
    (hook_class::LOOK_OWN, Function(look_own as *mut c_void)),
];

type IdentityHash = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jint;
type HoldsLock = unsafe extern "system" fn(*mut JNIEnv, jclass, jobject) -> jboolean;

type ArrayCopy = unsafe extern "system" fn(*mut JNIEnv, jclass, jobject, jint, jobject, jint, jint);

struct Functions {
    identity_hash: IdentityHash,
    holds_lock: HoldsLock,
    array_copy: ArrayCopy,
    unwind: Shared,
    reading: Arc<Reading>,
}

/// A global reference, which any thread may use.
struct Shared(jobject);

// SAFETY: global references may be used from any thread.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

thread_local! {
    /// What was looked up about sites: field numbers and kinds, so that the common lock is not needed.
    static SITES: RefCell<HashMap<u32, (EventKind, u32)>> = RefCell::default();
}

fn functions() -> &'static Functions {
    FUNCTIONS.get().expect("internal bug: hooks run before they are bound")
}

/// The identity hash of an object; no two objects share one.
pub fn identity_hash(env: *mut JNIEnv, object: jobject) -> i32 {
    // SAFETY: the machine has just given both; the function is the machine's own.
    unsafe { (functions().identity_hash)(env, object) }
}

/// The same, from callbacks that may come before the hooks are bound.
pub fn hash_if_bound(env: *mut JNIEnv, object: jobject) -> Option<i32> {
    FUNCTIONS.get().map(|_| identity_hash(env, object))
}

/// The number of an object in the execution.
pub fn number_of(env: Env, object: jobject) -> ObjectId {
    number(env.raw(), object)
}

/// Whether an exception is what makes threads leave.
pub fn is_unwind(env: Env, exception: jobject) -> bool {
    env.same(exception, functions().unwind.0)
}

fn number(env: *mut JNIEnv, object: jobject) -> ObjectId {
    control::object(identity_hash(env, object))
}

fn interface(env: *mut JNIEnv) -> Env {
    // SAFETY: the machine has just given the interface of this thread to a native method.
    unsafe { Env::new(env) }
}

/// What happens at a site, and to which field.
fn site(number: jint) -> (EventKind, u32) {
    SITES.with_borrow_mut(|known| {
        *known.entry(number as u32).or_insert_with(|| {
            let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
            let sites = &mut loaded.as_mut().expect("internal bug: no agent").sites;
            sites.resolve(SiteId(number as u32)).expect("internal bug: a hook names no site")
        })
    })
}

/// Does an event; a thread that has to leave does so by an error. Says what the event found, if it was done.
fn happen(env: *mut JNIEnv, event: Event) -> Option<Found> {
    happen_within(env, event, None)
}

/// The same for an event that can be over after so many nanoseconds.
fn happen_within(env: *mut JNIEnv, event: Event, nanos: Option<u64>) -> Option<Found> {
    match control::event_within(event, nanos) {
        Ok(found) => Some(found),
        Err(Unwind) => {
            interface(env).throw(functions().unwind.0);
            None
        }
    }
}

fn at(kind: EventKind, object: ObjectId, slot: u32, site: jint) -> Event {
    Event { kind, object, slot, site: SiteId(site as u32) }
}

fn on(kind: EventKind, object: ObjectId, slot: u32) -> Event {
    Event { kind, object, slot, site: SiteId::NONE }
}

extern "system" fn access(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    // An access of null is no event: the instruction itself will throw.
    if control::current().is_some() && !object.is_null() {
        let (kind, slot) = site(site_number);
        happen(env, at(kind, number(env, object), slot, site_number));
    }
}

extern "system" fn element(env: *mut JNIEnv, _: jclass, array: jobject, index: jint, site_number: jint) {
    if control::current().is_some() && !array.is_null() {
        let (kind, _) = site(site_number);
        happen(env, at(kind, number(env, array), index as u32, site_number));
    }
}

extern "system" fn statics(env: *mut JNIEnv, _: jclass, site_number: jint) {
    if control::current().is_some() {
        let (kind, slot) = site(site_number);
        happen(env, at(kind, ObjectId::NONE, slot, site_number));
    }
}

extern "system" fn enter(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    if control::current().is_some() && !object.is_null() {
        happen(env, at(EventKind::Lock, number(env, object), 0, site_number));
    }
}

extern "system" fn exit(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    if control::current().is_some() && !object.is_null() {
        // No error is thrown from here: compilers put this call into the range of a handler that would
        // give up the monitor once more. The thread leaves at its next event.
        let _ = control::event(at(EventKind::Unlock, number(env, object), 0, site_number));
    }
}

extern "system" fn quiet(_: *mut JNIEnv, _: jclass, delta: jint) {
    control::quiet(delta);
}

extern "system" fn raw(env: *mut JNIEnv, _: jclass, object: jobject, offset: jlong, kind: jint) {
    // Without an object the offset is an address outside the heap.
    if control::current().is_some() && !object.is_null() {
        let kind = RAW_KINDS.into_iter().find(|known| *known as jint == kind).expect("internal bug: no such access");
        if let Some((object, slot)) = raw::place(interface(env), object, offset) {
            happen(env, on(kind, object, slot));
        }
    }
}

const RAW_KINDS: [EventKind; 5] =
    [EventKind::Read, EventKind::Write, EventKind::VolatileRead, EventKind::VolatileWrite, EventKind::Update];

extern "system" fn wait(env: *mut JNIEnv, _: jclass, object: jobject, millis: jlong) -> jboolean {
    let Some(thread) = control::current() else { return false };
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
    let depth = control::with_machine(|machine| machine.depth(thread, id)).unwrap_or(0).max(1);
    if happen(env, on(EventKind::Wait, id, 0)).is_none() {
        return true;
    }
    let real = release(env, object);
    let nanos = (millis > 0).then(|| millis as u64 * NANOS_A_MILLI);
    let found = control::event_within(on(EventKind::Wake, id, depth), nanos);
    (0..real).for_each(|_| interface(env).monitor_enter(object));
    match found {
        Ok(Found(true)) => interrupted(env),
        Ok(Found(false)) => {}
        Err(Unwind) => interface(env).throw(functions().unwind.0),
    }
    true
}

/// Gives up the real monitor, however often it is held, and says how often that was.
fn release(env: *mut JNIEnv, object: jobject) -> usize {
    let env = interface(env);
    let mut depth = 0;
    while env.monitor_exit(object) {
        depth += 1;
    }
    env.take_exception();
    depth
}

fn interrupted(env: *mut JNIEnv) {
    interface(env).throw_new("java/lang/InterruptedException", "");
}

/// Waits for a thread to end. The caller holds the thread's monitor, and must not while it waits.
fn join(env: *mut JNIEnv, object: jobject, joined: ThreadId, nanos: Option<u64>) -> jboolean {
    let id = number(env, object);
    let depth =
        control::current().and_then(|thread| control::with_machine(|machine| machine.depth(thread, id))).unwrap_or(0);
    let real = release(env, object);
    // The monitor may have been taken by events, or by opaque code that tells of none.
    let found = (0..depth)
        .try_for_each(|_| control::event(on(EventKind::Unlock, id, 0)).map(drop))
        .and_then(|()| control::event_within(plain(EventKind::Join, joined.0 as u32), nanos))
        .and_then(|found| {
            (0..depth).try_for_each(|_| control::event(on(EventKind::Lock, id, 0)).map(drop)).map(|()| found)
        });
    (0..real).for_each(|_| interface(env).monitor_enter(object));
    match found {
        Ok(Found(true)) => interrupted(env),
        Ok(Found(false)) => {}
        Err(Unwind) => interface(env).throw(functions().unwind.0),
    }
    true
}

extern "system" fn notify(env: *mut JNIEnv, _: jclass, object: jobject) -> jboolean {
    notify_as(env, object, EventKind::Notify)
}

extern "system" fn notify_all(env: *mut JNIEnv, _: jclass, object: jobject) -> jboolean {
    notify_as(env, object, EventKind::NotifyAll)
}

fn notify_as(env: *mut JNIEnv, object: jobject, kind: EventKind) -> jboolean {
    // SAFETY: the machine has just given the references; the function is the machine's own.
    if control::current().is_none() || !unsafe { (functions().holds_lock)(env, std::ptr::null_mut(), object) } {
        return false;
    }
    happen(env, on(kind, number(env, object), 0));
    true
}

extern "system" fn park(env: *mut JNIEnv, _: jclass, absolute: jboolean, time: jlong) -> jboolean {
    if control::current().is_none() {
        return false;
    }
    let nanos = if absolute {
        let now = control::with_machine(|machine| machine.look_at_clock()).unwrap_or(0);
        Some(((time - START_MILLIS).max(0) as u64 * NANOS_A_MILLI).saturating_sub(now))
    } else {
        (time > 0).then_some(time as u64)
    };
    happen_within(env, plain(EventKind::Park, 0), nanos);
    true
}

extern "system" fn unpark(env: *mut JNIEnv, _: jclass, thread: jobject) -> jboolean {
    if control::current().is_none() || thread.is_null() {
        return false;
    }
    match threads::find(identity_hash(env, thread)) {
        Some(thread) => {
            happen(env, plain(EventKind::Unpark, thread.0 as u32));
            true
        }
        None => false,
    }
}

extern "system" fn yields(env: *mut JNIEnv, _: jclass) -> jboolean {
    control::current().is_some() && {
        happen(env, plain(EventKind::Yield, 0));
        true
    }
}

extern "system" fn sleep(env: *mut JNIEnv, class: jclass, millis: jlong) -> jboolean {
    sleep_nanos(env, class, millis.saturating_mul(NANOS_A_MILLI as jlong))
}

extern "system" fn sleep_nanos(env: *mut JNIEnv, _: jclass, nanos: jlong) -> jboolean {
    control::current().is_some() && {
        if happen_within(env, plain(EventKind::Sleep, 0), Some(nanos.max(0) as u64)) == Some(Found(true)) {
            interrupted(env);
        }
        true
    }
}

const NANOS_A_MILLI: u64 = 1_000_000;

extern "system" fn hash(env: *mut JNIEnv, _: jclass, object: jobject) -> jint {
    if control::current().is_none() || object.is_null() {
        return -1;
    }
    // Spread, as hash codes are, so that tables look as they usually do.
    (number(env, object).0.wrapping_add(1).wrapping_mul(0x9e37_79b1) >> 1) as jint
}

extern "system" fn clock(_: *mut JNIEnv, _: jclass, which: jint) -> jlong {
    match control::current().and_then(|_| control::with_machine(|machine| machine.look_at_clock())) {
        Some(nanos) if which == 1 => nanos as jlong,
        Some(nanos) => START_MILLIS + nanos as jlong / 1_000_000,
        None => -1,
    }
}

/// Some day in 2026: code that prints dates gets one that it can print.
const START_MILLIS: jlong = 1_780_000_000_000;

extern "system" fn holds(env: *mut JNIEnv, _: jclass, object: jobject) -> jint {
    match control::current() {
        Some(thread) if !object.is_null() => {
            let id = number(env, object);
            control::with_machine(|machine| (machine.depth(thread, id) > 0) as jint).unwrap_or(-1)
        }
        _ => -1,
    }
}

extern "system" fn alive(env: *mut JNIEnv, _: jclass, thread: jobject) -> jint {
    if control::current().is_none() {
        return -1;
    }
    match threads::find(identity_hash(env, thread)) {
        Some(thread) => happen(env, plain(EventKind::Alive, thread.0 as u32)).map_or(0, |found| found.0 as jint),
        None => -1,
    }
}

extern "system" fn starting(env: *mut JNIEnv, _: jclass, thread: jobject) {
    if control::current().is_none() {
        return;
    }
    match control::reserve_thread() {
        Ok(Some(id)) => threads::know(identity_hash(env, thread), id, false),
        Ok(None) => {}
        Err(Unwind) => interface(env).throw(functions().unwind.0),
    }
}

extern "system" fn started(env: *mut JNIEnv, _: jclass, thread: jobject) {
    if control::current().is_some()
        && let Some(id) = threads::find(identity_hash(env, thread))
    {
        control::start_thread(id);
        happen(env, plain(EventKind::Start, id.0 as u32));
    }
}

extern "system" fn interrupt(env: *mut JNIEnv, _: jclass, thread: jobject) {
    if control::current().is_some()
        && let Some(thread) = threads::find(identity_hash(env, thread))
    {
        happen(env, plain(EventKind::Interrupt, thread.0 as u32));
    }
}

extern "system" fn forget(_: *mut JNIEnv, _: jclass) {
    if let Some(thread) = control::current() {
        control::with_machine(|machine| machine.forget_interrupt(thread));
    }
}

extern "system" fn uncaught(env: *mut JNIEnv, _: jclass, thread: jobject, exception: jobject) -> jboolean {
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

extern "system" fn initialized(env: *mut JNIEnv, _: jclass, class: jobject) {
    statics::note_initialized(interface(env), class);
}

/// Copies element by element, for that is how others may see it.
extern "system" fn copy(
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
        jni.is_array(array) && index >= 0 && count >= 0 && index as i64 + count as i64 <= jni.array_length(array) as i64
    };
    // The original throws what is to be thrown.
    if !fits(from, from_index) || !fits(to, to_index) {
        return false;
    }
    let (source, target) = (number(env, from), number(env, to));
    let backwards = source == target && from_index < to_index;
    for step in 0..count {
        let offset = if backwards { count - 1 - step } else { step };
        let (read, written) = (from_index + offset, to_index + offset);
        if happen(env, on(EventKind::Read, source, read as u32)).is_none()
            || happen(env, on(EventKind::Write, target, written as u32)).is_none()
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

extern "system" fn clone(env: *mut JNIEnv, _: jclass, object: jobject) {
    let jni = interface(env);
    if control::current().is_none() || object.is_null() || !jni.is_array(object) {
        return;
    }
    let array = number(env, object);
    for index in 0..jni.array_length(object) {
        if happen(env, on(EventKind::Read, array, index as u32)).is_none() {
            return;
        }
    }
}

extern "system" fn look(env: *mut JNIEnv, _: jclass, thread: jobject) {
    if control::current().is_some()
        && let Some(thread) = threads::find(identity_hash(env, thread))
    {
        happen(env, plain(EventKind::Interrupted, thread.0 as u32));
    }
}

extern "system" fn look_own(env: *mut JNIEnv, _: jclass) {
    if let Some(thread) = control::current() {
        happen(env, plain(EventKind::Interrupted, thread.0 as u32));
    }
}

//! The native methods behind the hooks.

mod access;
pub mod alone;
pub mod attempts;
mod fixed;
mod hash;
mod lock;
mod memory;
pub mod monitor;
mod opaque_monitor;
pub mod synchronizer;
pub mod tell;
mod thread;
pub mod watch;

use crate::agent::{JVMTI, LOADED};
use crate::control::{self, Unwind};
use crate::hook_class::{self, HOOKS, Hook, UNWIND};
use crate::jni::Env;
use crate::jvm::{Jvm, JvmError};
use crate::jvmti::Jvmti;
use crate::machine::Found;
use crate::read::Reading;
use jni_sys::{JNIEnv, jboolean, jclass, jint, jobject};
use schedule::{Event, EventKind, FastMap, ObjectId, SiteId};
use std::cell::RefCell;
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
    let unwind = Shared(env.global(unwind));
    let jvmti = *JVMTI.get().ok_or(JvmError::Missing("tool interface"))?;
    let named = hash::Named::find(env).ok_or(JvmError::Missing("classes of java.lang"))?;
    let newest = env.find_class("java/lang/Object").and_then(|class| env.allocate(class));
    let newest = newest.ok_or(JvmError::Missing("class Object"))?;
    // SAFETY: this is the machine's own function, for an object that it has just made.
    let last_hash = unsafe { (identity_hash as IdentityHash)(env.raw(), newest) };
    let functions = Functions { last_hash, identity_hash, holds_lock, array_copy, unwind, reading, jvmti, named };
    FUNCTIONS.set(functions).map_err(|_| JvmError::Missing("second life"))?;
    let text = |text: String| CString::new(text).expect("internal bug: names have no zero bytes");
    let names: Vec<_> = NATIVES
        .iter()
        .map(|(hook, function)| (text(format!("{}0", hook.name)), text(hook.descriptor.to_owned()), function.0))
        .collect();
    let natives: Vec<_> = names.iter().map(|(name, descriptor, f)| (&**name, &**descriptor, *f)).collect();
    let bound = env.register_natives(hooks, &natives);
    let on = env.static_field(hooks, hook_class::ON, "Z").filter(|_| bound).ok_or(JvmError::Missing("hooks"))?;
    env.set_static_boolean(hooks, on, true);
    alone::bind(env, hooks)?;
    watch::bind(env, hooks)
}

/// The address of a native method.
struct Function(*mut c_void);

// SAFETY: an address of code is the same in every thread.
unsafe impl Sync for Function {}

static NATIVES: [(Hook, Function); hook_class::ALL.len()] = [
    (hook_class::ACCESS, Function(access::access as *mut c_void)),
    (hook_class::ELEMENT, Function(access::element as *mut c_void)),
    (hook_class::STATIC, Function(access::statics as *mut c_void)),
    (hook_class::ENTER, Function(monitor::enter as *mut c_void)),
    (hook_class::EXIT, Function(monitor::exit as *mut c_void)),
    (hook_class::QUIET, Function(fixed::quiet as *mut c_void)),
    (hook_class::RAW, Function(access::raw as *mut c_void)),
    (hook_class::SYNCHRONIZE, Function(synchronizer::synchronizes as *mut c_void)),
    (hook_class::FAILED, Function(access::failed as *mut c_void)),
    (hook_class::WAIT, Function(monitor::wait as *mut c_void)),
    (hook_class::NOTIFY, Function(monitor::notify as *mut c_void)),
    (hook_class::NOTIFY_ALL, Function(monitor::notify_all as *mut c_void)),
    (hook_class::PARK, Function(thread::park as *mut c_void)),
    (hook_class::UNPARK, Function(thread::unpark as *mut c_void)),
    (hook_class::YIELD, Function(thread::yields as *mut c_void)),
    (hook_class::JOIN, Function(thread::joins as *mut c_void)),
    (hook_class::SLEEP, Function(thread::sleep as *mut c_void)),
    (hook_class::HASH, Function(hash::hash as *mut c_void)),
    (hook_class::CLOCK, Function(fixed::clock as *mut c_void)),
    (hook_class::ALIVE, Function(thread::alive as *mut c_void)),
    (hook_class::STARTING, Function(thread::starting as *mut c_void)),
    (hook_class::STARTED, Function(thread::started as *mut c_void)),
    (hook_class::INTERRUPT, Function(thread::interrupt as *mut c_void)),
    (hook_class::SLEEP_NANOS, Function(thread::sleep_nanos as *mut c_void)),
    (hook_class::UNCAUGHT, Function(thread::uncaught as *mut c_void)),
    (hook_class::INITIALIZED, Function(fixed::initialized as *mut c_void)),
    (hook_class::COPY, Function(access::copy as *mut c_void)),
    (hook_class::CLONE, Function(access::clone as *mut c_void)),
    (hook_class::LOOK, Function(thread::look as *mut c_void)),
    (hook_class::ASKS_OF_END, Function(thread::asks_of_end as *mut c_void)),
    (hook_class::ENDS_WITH_THREADS, Function(thread::ends_with_threads as *mut c_void)),
    (hook_class::LOOK_OWN, Function(thread::look_own as *mut c_void)),
    (hook_class::TOUCH, Function(access::touch as *mut c_void)),
    (hook_class::RANDOM, Function(fixed::random as *mut c_void)),
    (hook_class::HALT, Function(thread::halts as *mut c_void)),
    (hook_class::PART, Function(thread::part as *mut c_void)),
    (hook_class::STATE, Function(thread::state as *mut c_void)),
    (hook_class::LOCK_WITHIN, Function(lock::locks_within as *mut c_void)),
    (hook_class::AWAIT, Function(lock::awaits as *mut c_void)),
    (hook_class::CONDITION, Function(lock::conditions as *mut c_void)),
    (hook_class::BLOCK, Function(lock::blocks as *mut c_void)),
    (hook_class::PAUSE, Function(synchronizer::pauses as *mut c_void)),
    (hook_class::INITIALISES, Function(fixed::initialises as *mut c_void)),
    (hook_class::CAUGHT, Function(fixed::caught as *mut c_void)),
    (hook_class::QUIET_IN, Function(fixed::quiet_in as *mut c_void)),
    (hook_class::COPY_MEMORY, Function(memory::copy as *mut c_void)),
    (hook_class::WATCH_FIELD, Function(watch::field as *mut c_void)),
    (hook_class::WATCH_ELEMENT, Function(watch::element as *mut c_void)),
    (hook_class::WATCH_STATIC, Function(watch::statics as *mut c_void)),
    (hook_class::WATCH_NATIVE, Function(watch::native as *mut c_void)),
    (hook_class::WATCH_ENTER, Function(opaque_monitor::enter as *mut c_void)),
    (hook_class::WATCH_EXIT, Function(opaque_monitor::exit as *mut c_void)),
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
    jvmti: Jvmti,
    named: hash::Named,
    /// The identity hash that was given last before the hooks were there.
    last_hash: i32,
}

/// A global reference, which any thread may use.
struct Shared(jobject);

// SAFETY: global references may be used from any thread.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

thread_local! {
    /// What was looked up about sites, so that the common lock is not needed.
    static SITES: RefCell<FastMap<u32, Known>> = RefCell::default();
}

/// What is known of a site that a thread has been at.
#[derive(Clone, Copy)]
struct Known {
    kind: EventKind,
    /// The number of the field; 0 for elements.
    slot: u32,
    /// See `silence`.
    key: u32,
    /// The last execution in which the thread was there silently.
    seen: u32,
}

/// Gives an object that lives in every execution the identity hash of a name.
pub fn name_hash(object: jobject, name: &str) {
    hash::give(object, name);
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

/// Runs static initialisers. Objects whose identity hashes they ask for get the same ones every time.
pub fn with_hashes_of_statics(initialize: impl FnOnce()) {
    hash::of_statics(initialize);
}

/// The real identity hashes of the objects that have shown one for the first time, since this was asked last.
pub fn first_shown() -> Vec<i32> {
    hash::first_shown()
}

/// An object that has shown an identity hash has shown none.
pub fn forget_shown(object: jobject) {
    functions().jvmti.set_tag(object, 0);
}

/// Whether a thread was never started.
pub fn is_unstarted(thread: jobject) -> bool {
    functions().jvmti.is_unstarted(thread)
}

/// What reads objects.
pub fn reading() -> &'static Reading {
    &functions().reading
}

/// Whether an exception is what makes threads leave.
pub fn is_unwind(env: Env, exception: jobject) -> bool {
    env.same(exception, functions().unwind.0)
}

fn number(env: *mut JNIEnv, object: jobject) -> ObjectId {
    control::object(identity_hash(env, object))
}

/// Whether an object is an array.
fn is_array(env: Env, object: jobject) -> bool {
    let class = env.class_of(object);
    let is_array = functions().jvmti.is_array_class(class);
    // Native methods may be called often before they return to Java.
    env.delete_local(class);
    is_array
}

fn interface(env: *mut JNIEnv) -> Env {
    // SAFETY: the machine has just given the interface of this thread to a native method.
    unsafe { Env::new(env) }
}

/// The site that a hook names.
fn named_site(number: jint) -> SiteId {
    SiteId(number as u32)
}

/// What happens at a site, and to which field.
fn site(number: SiteId) -> (EventKind, u32) {
    SITES.with_borrow_mut(|known| {
        let Known { kind, slot, .. } = *known.entry(number.0).or_insert_with(|| look_up(number));
        (kind, slot)
    })
}

/// The same with the key of the site, and whether the thread has not been there silently in this execution.
fn keyed_site(number: SiteId) -> (EventKind, u32, u32, bool) {
    let execution = control::execution();
    SITES.with_borrow_mut(|known| {
        let known = known.entry(number.0).or_insert_with(|| look_up(number));
        let is_new = std::mem::replace(&mut known.seen, execution) != execution;
        (known.kind, known.slot, known.key, is_new)
    })
}

fn look_up(number: SiteId) -> Known {
    let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
    let sites = &mut loaded.as_mut().expect("internal bug: no agent").sites;
    let (kind, slot) = sites.resolve(number).expect("internal bug: a hook names no site");
    Known { kind, slot, key: sites.key(number).unwrap_or(slot), seen: 0 }
}

/// Does an event; a thread that has to leave does so by an error. Says what the event found, if it was done.
pub fn happen(env: *mut JNIEnv, event: Event) -> Option<Found> {
    happen_within(env, event, None)
}

/// The same for an event that can be over after so many nanoseconds.
fn happen_within(env: *mut JNIEnv, event: Event, nanos: Option<u64>) -> Option<Found> {
    happen_as(env, std::ptr::null_mut(), event, nanos)
}

/// The same for an event that is about an object.
fn happen_to(env: *mut JNIEnv, object: jobject, event: Event) -> Option<Found> {
    happen_as(env, object, event, None)
}

fn happen_as(env: *mut JNIEnv, object: jobject, event: Event, nanos: Option<u64>) -> Option<Found> {
    match tell::around(env, object, event, |event| control::event_within(event, nanos)) {
        Ok(found) => Some(found),
        Err(Unwind) => {
            interface(env).throw(functions().unwind.0);
            None
        }
    }
}

fn at(kind: EventKind, object: ObjectId, slot: u32, site: SiteId) -> Event {
    Event { kind, object, slot, site }
}

fn on(kind: EventKind, object: ObjectId, slot: u32) -> Event {
    Event { kind, object, slot, site: SiteId::NONE }
}

//! The native methods behind the hooks.

use crate::agent::LOADED;
use crate::control::{self, Unwind};
use crate::hook_class::{HOOKS, UNWIND};
use crate::jni::Env;
use crate::jvm::{Jvm, JvmError};
use jni_sys::{JNIEnv, jclass, jint, jobject};
use schedule::{Event, EventKind, ObjectId, SiteId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;

/// Binds the hooks and switches them on.
pub fn bind(jvm: &Jvm) -> Result<(), JvmError> {
    let env = jvm.env;
    // SAFETY: this is the signature of that function, in all versions.
    let identity_hash = unsafe { jvm.function("JVM_IHashCode")? };
    let hooks = env.find_class(HOOKS).ok_or(JvmError::Missing("hook class"))?;
    let unwind =
        env.find_class(UNWIND).and_then(|class| env.allocate(class)).ok_or(JvmError::Missing("unwind class"))?;
    let functions = Functions { identity_hash, unwind: Shared(env.global(unwind)) };
    FUNCTIONS.set(functions).map_err(|_| JvmError::Missing("second life"))?;
    let bound = env.register_natives(
        hooks,
        &[
            (c"access0", c"(Ljava/lang/Object;I)V", access as *mut c_void),
            (c"element0", c"(Ljava/lang/Object;II)V", element as *mut c_void),
            (c"statics0", c"(I)V", statics as *mut c_void),
            (c"enter0", c"(Ljava/lang/Object;I)V", enter as *mut c_void),
            (c"exit0", c"(Ljava/lang/Object;I)V", exit as *mut c_void),
            (c"quiet0", c"(I)V", quiet as *mut c_void),
        ],
    );
    let on = env.static_field(hooks, "on", "Z").filter(|_| bound).ok_or(JvmError::Missing("hooks"))?;
    env.set_static_boolean(hooks, on, true);
    Ok(())
}

type IdentityHash = unsafe extern "system" fn(*mut JNIEnv, jobject) -> jint;

struct Functions {
    identity_hash: IdentityHash,
    unwind: Shared,
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

fn number(env: *mut JNIEnv, object: jobject) -> ObjectId {
    // SAFETY: the machine has just given both; the function is the machine's own.
    let hash = unsafe { (functions().identity_hash)(env, object) };
    control::object(hash)
}

/// The number of an object in the execution.
pub fn number_of(env: Env, object: jobject) -> ObjectId {
    number(env.raw(), object)
}

/// Whether an exception is what makes threads leave.
pub fn is_unwind(env: Env, exception: jobject) -> bool {
    env.same(exception, functions().unwind.0)
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

/// Does an event; a thread that has to leave does so by an error.
fn happen(env: *mut JNIEnv, event: Event) {
    if let Err(Unwind) = control::event(event) {
        // SAFETY: the machine has just given the interface of this thread.
        unsafe { Env::new(env) }.throw(functions().unwind.0);
    }
}

extern "system" fn access(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    // An access of null is no event: the instruction itself will throw.
    if control::current().is_some() && !object.is_null() {
        let (kind, slot) = site(site_number);
        happen(env, Event { kind, object: number(env, object), slot, site: SiteId(site_number as u32) });
    }
}

extern "system" fn element(env: *mut JNIEnv, _: jclass, array: jobject, index: jint, site_number: jint) {
    if control::current().is_some() && !array.is_null() {
        let (kind, _) = site(site_number);
        let object = number(env, array);
        happen(env, Event { kind, object, slot: index as u32, site: SiteId(site_number as u32) });
    }
}

extern "system" fn statics(env: *mut JNIEnv, _: jclass, site_number: jint) {
    if control::current().is_some() {
        let (kind, slot) = site(site_number);
        happen(env, Event { kind, object: ObjectId::NONE, slot, site: SiteId(site_number as u32) });
    }
}

extern "system" fn enter(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    if control::current().is_some() && !object.is_null() {
        let object = number(env, object);
        happen(env, Event { kind: EventKind::Lock, object, slot: 0, site: SiteId(site_number as u32) });
    }
}

extern "system" fn exit(env: *mut JNIEnv, _: jclass, object: jobject, site_number: jint) {
    if control::current().is_some() && !object.is_null() {
        let object = number(env, object);
        // No error is thrown from here: compilers put this call into the range of a handler that would
        // give up the monitor once more. The thread leaves at its next event.
        let _ = control::event(Event { kind: EventKind::Unlock, object, slot: 0, site: SiteId(site_number as u32) });
    }
}

extern "system" fn quiet(_: *mut JNIEnv, _: jclass, delta: jint) {
    control::quiet(delta);
}

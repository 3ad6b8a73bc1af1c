//! Accesses of a thread that is the only one: they are no events, and mostly do not even leave Java.
//!
//! Rewritten code asks a static field of the hook class whether the thread is alone, and goes on if it is. So what a test
//! does before its threads are there runs about as fast as it would without hooks. Now and then Java calls all the same, and
//! [`goes_on`] looks how deep the calls are and how many accesses there were: a thread without an end comes to one.
//!
//! Objects that only such accesses have touched have no number when others come. They get one when they are touched next,
//! which is the same under the same schedule, and nothing else is asked of numbers. One thing cannot be told then: whether
//! a static initialiser that runs among threads has made an object itself. See `unseen::Record::is_fresh`.

use super::{functions, interface};
use crate::control;
use crate::depth;
use crate::hook_class::{ALONE, LEFT, WRITTEN};
use crate::jni::Env;
use crate::jvm::JvmError;
use jni_sys::{JNIEnv, jclass, jfieldID, jint, jvalue};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// After so many accesses Java calls.
const STRETCH: u32 = 1024;

/// The static fields of the hook class.
struct Fields {
    hooks: jclass,
    alone: jfieldID,
    left: jfieldID,
    written: jfieldID,
}

// SAFETY: the class is a global reference, and identifiers are valid in every thread.
unsafe impl Send for Fields {}
// SAFETY: as above.
unsafe impl Sync for Fields {}

static FIELDS: OnceLock<Fields> = OnceLock::new();
/// Whether the thread that has control is the only one, and Java need not tell of its accesses.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Whether that is so but for steps of a synchronizer.
static IS_SUSPENDED: AtomicBool = AtomicBool::new(false);

/// Looks up where Java asks.
pub(super) fn bind(env: Env, hooks: jclass) -> Result<(), JvmError> {
    let field = |name, descriptor| env.static_field(hooks, name, descriptor).ok_or(JvmError::Missing("hooks"));
    let (alone, left, written) = (field(ALONE, "Z")?, field(LEFT, "I")?, field(WRITTEN, "Z")?);
    FIELDS.get_or_init(|| Fields { hooks: env.global(hooks), alone, left, written });
    Ok(())
}

/// The current thread is the only one from now on.
pub fn begin(env: Env) {
    if let Some(fields) = FIELDS.get() {
        env.set_static_boolean(fields.hooks, fields.written, false);
        fields.allow(env);
        control::passes_over_accesses();
        IS_SUSPENDED.store(false, Ordering::Relaxed);
        IS_ON.store(true, Ordering::Relaxed);
        env.set_static_boolean(fields.hooks, fields.alone, true);
    }
}

/// Runs what belongs to no execution, between two of them. Nobody is told of its accesses, so they stay in Java, too.
pub fn pass_over<T>(env: Env, body: impl FnOnce() -> T) -> T {
    if let Some(fields) = FIELDS.get() {
        fields.allow(env);
        IS_ON.store(true, Ordering::Relaxed);
        env.set_static_boolean(fields.hooks, fields.alone, true);
    }
    let value = body();
    end(env);
    value
}

/// It no longer is, or what it does matters all the same.
pub fn end(env: Env) {
    if IS_ON.swap(false, Ordering::Relaxed)
        && let Some(fields) = FIELDS.get()
    {
        env.set_static_boolean(fields.hooks, fields.alone, false);
    }
}

/// Steps of a synchronizer begin. They are events, also of a thread that is alone.
pub(super) fn suspend(env: *mut JNIEnv) {
    IS_SUSPENDED.store(IS_ON.load(Ordering::Relaxed), Ordering::Relaxed);
    end(interface(env));
}

/// The steps have ended.
pub(super) fn resume(env: *mut JNIEnv) {
    if IS_SUSPENDED.swap(false, Ordering::Relaxed)
        && control::is_still_alone()
        && let Some(fields) = FIELDS.get()
    {
        IS_ON.store(true, Ordering::Relaxed);
        interface(env).set_static_boolean(fields.hooks, fields.alone, true);
    }
}

/// Whether an access of the current thread is none to tell of, though Java has called: because it does so now and then.
#[inline]
pub(super) fn goes_on(env: *mut JNIEnv) -> bool {
    IS_ON.load(Ordering::Relaxed) && looks(interface(env))
}

#[cold]
fn looks(env: Env) -> bool {
    let Some(fields) = FIELDS.get() else { return false };
    // SAFETY: the field is an int.
    let left = unsafe { env.get_static(fields.hooks, fields.left, b'I').i };
    if left >= 0 {
        return false;
    }
    if !control::is_controlled() {
        // A thread of the JDK has come by. What it does counts for nobody.
        fields.allow(env);
        return true;
    }
    if !control::spend_alone(STRETCH) {
        end(env);
        return false;
    }
    fields.allow(env);
    if depth::is_past_after(STRETCH, functions().jvmti) {
        control::uncontrolled(|| env.throw_new("java/lang/StackOverflowError", depth::MESSAGE));
    }
    true
}

/// Whether the current thread has written something in Java, since this was asked last.
pub(super) fn has_written(env: *mut JNIEnv) -> bool {
    let Some(fields) = FIELDS.get().filter(|_| IS_ON.load(Ordering::Relaxed)) else { return false };
    let env = interface(env);
    // SAFETY: the field is a boolean.
    let written = unsafe { env.get_static(fields.hooks, fields.written, b'Z').z };
    env.set_static_boolean(fields.hooks, fields.written, false);
    written
}

impl Fields {
    fn allow(&self, env: Env) {
        env.put_static(self.hooks, self.left, b'I', jvalue { i: STRETCH as jint });
    }
}

//! Objects of the machine itself that were there before any class of an application.
//!
//! No initialiser makes them, so an initialiser that runs again does not put them back. A copy of static state leaves
//! them alone, too.

use crate::jni::Env;
use jni_sys::jobject;
use std::sync::OnceLock;

/// Global references.
struct There(Vec<jobject>);

// SAFETY: the references are global, and nothing changes the list.
unsafe impl Send for There {}
// SAFETY: as above.
unsafe impl Sync for There {}

static THERE: OnceLock<There> = OnceLock::new();

/// Remembers the standard streams, and the current thread with its group and those above it.
pub fn remember(env: Env) {
    let found = env.frame(|| {
        let mut found = streams(env);
        found.extend(thread(env).unwrap_or_default());
        found.into_iter().filter(|object| !object.is_null()).map(|object| env.global(object)).collect()
    });
    env.take_exception();
    THERE.get_or_init(|| There(found));
}

/// Whether an object is one of them.
pub fn is_one(env: Env, object: jobject) -> bool {
    THERE.get().is_some_and(|there| there.0.iter().any(|&known| env.same(known, object)))
}

/// `System.in`, `out` and `err`.
fn streams(env: Env) -> Vec<jobject> {
    let Some(system) = env.find_class("java/lang/System") else { return Vec::new() };
    let fields = [("in", "Ljava/io/InputStream;"), ("out", "Ljava/io/PrintStream;"), ("err", "Ljava/io/PrintStream;")];
    let stream = |(name, descriptor)| {
        let field = env.static_field(system, name, descriptor)?;
        // SAFETY: the field is a reference.
        Some(unsafe { env.get_static(system, field, b'L').l })
    };
    fields.into_iter().filter_map(stream).collect()
}

/// The current thread, its group, and the groups above that.
fn thread(env: Env) -> Option<Vec<jobject>> {
    let (thread, group) = (env.find_class("java/lang/Thread")?, env.find_class("java/lang/ThreadGroup")?);
    let current = env.static_method(thread, "currentThread", "()Ljava/lang/Thread;")?;
    let its_group = env.method(thread, "getThreadGroup", "()Ljava/lang/ThreadGroup;")?;
    let above = env.method(group, "getParent", "()Ljava/lang/ThreadGroup;")?;
    // SAFETY: the method gives a reference.
    let first = unsafe { env.call_static(thread, current, b'L', &[]).l };
    let mut found = vec![first];
    // SAFETY: as above.
    let mut next = unsafe { env.call(first, its_group, b'L', &[]).l };
    while !next.is_null() {
        found.push(next);
        // SAFETY: as above.
        next = unsafe { env.call(next, above, b'L', &[]).l };
    }
    Some(found)
}

//! Real monitors that a controlled thread finds taken.
//!
//! Rewritten code takes a monitor only when the machine of events says that it is free. Opaque code does not
//! ask, and may hold a monitor while it stops at an event: a thread that then wants it would block for good,
//! and all others with it. HotSpot tells before that. The thread then gives up control until another has
//! done something, looks again, and takes the monitor once it is free.

use crate::control;
use crate::jvmti::Jvmti;
use crate::natives;
use crate::threads;
use jni_sys::{JNIEnv, jobject};
use schedule::{Event, EventKind, SiteId};

/// Called by HotSpot in a thread that is about to block on a monitor.
///
/// # Safety
/// Only for HotSpot.
pub unsafe extern "system" fn contended_enter(jvmti: Jvmti, env: *mut JNIEnv, _: jobject, object: jobject) {
    if !control::is_controlled() {
        return;
    }
    let Some(hash) = natives::hash_if_bound(env, object) else { return };
    // Only now does it get a number: a thread of the JDK that happens to hold it must not change those of all objects after it.
    let event = || {
        let object = control::object(hash);
        control::event(Event { kind: EventKind::LockInVain, object, slot: 0, site: SiteId::NONE })
    };
    // Whoever is not under control goes on by itself. Threads that leave give up what they hold on their way,
    // so one that is to leave may as well block.
    control::aloud(|| while is_held_by_controlled(jvmti, env, object) && event().is_ok() {});
}

fn is_held_by_controlled(jvmti: Jvmti, env: *mut JNIEnv, object: jobject) -> bool {
    let owner = jvmti.owner(object);
    !owner.is_null()
        && threads::find(natives::identity_hash(env, owner))
            .is_some_and(|owner| control::with_machine(|machine| !machine.has_ended(owner)).unwrap_or(false))
}

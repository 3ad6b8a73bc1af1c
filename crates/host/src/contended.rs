//! Real monitors that a controlled thread finds taken.
//!
//! Rewritten code takes a monitor only when the machine of events says that it is free. Opaque code does not
//! ask, and may hold a monitor while it stops at an event: a thread that then wants it would block for good,
//! and all others with it. HotSpot tells before that. The thread then gives up control until the owner has
//! done something, looks again, and takes the monitor once it is free.
//!
//! The machine may have let it take the monitor by then, for it knows nothing of the holder. What the thread says
//! takes that back: opaque code may call rewritten code, which takes the monitor once more and asks. So it is with
//! `Throwable.printStackTrace`, which holds the stream and prints line by line.
//!
//! Two threads that want what the other one's opaque code holds wait for each other for good, also on their way out, for no error
//! gets a thread out of a monitor that it waits for: that costs the worker.

use crate::awaited;
use crate::control::{self, Unwind};
use crate::jni::Env;
use crate::jvmti::Jvmti;
use crate::natives;
use crate::threads;
use jni_sys::{JNIEnv, jobject};
use schedule::{Event, EventKind, SiteId, ThreadId};

/// Called by HotSpot in a thread that is about to block on a monitor.
///
/// # Safety
/// Only for HotSpot.
pub unsafe extern "system" fn contended_enter(jvmti: Jvmti, env: *mut JNIEnv, _: jobject, object: jobject) {
    if !control::is_controlled() {
        return;
    }
    let Some(hash) = natives::hash_if_bound(env, object) else { return };
    // Whoever is not under control goes on by itself. Threads that leave give up what they hold on their way,
    // so one that is to leave may as well block.
    control::contend(hash);
    control::aloud(|| {
        let owner = || controlled_owner(jvmti, env, object);
        while owner().is_some() {
            if wait_without(hash, owner).is_err() {
                // SAFETY: HotSpot has just given the interface of this thread.
                return awaited::note(unsafe { Env::new(env) }, object);
            }
        }
    });
}

/// Waits, without the monitor of the object with this hash, for as long as it has an owner.
fn wait_without(hash: i32, owner: impl Fn() -> Option<ThreadId>) -> Result<(), Unwind> {
    // Only now does it get a number: a thread of the JDK that happens to hold it must not change those of all objects after it.
    let object = control::object(hash);
    let event = |kind, slot| control::event(Event { kind, object, slot, site: SiteId::NONE }).map(drop);
    let depth =
        || control::with_machine(|machine| control::current().map_or(0, |thread| machine.depth(thread, object)));
    let mut taken = 0;
    while let Some(owner) = owner() {
        // What the event gives up, which nobody has after the first.
        taken += depth().unwrap_or(0);
        event(EventKind::LockInVain, owner.0.into())?;
    }
    (0..taken).try_for_each(|_| event(EventKind::Lock, 0))
}

/// The thread that has a real monitor, if it is under control and has not ended.
fn controlled_owner(jvmti: Jvmti, env: *mut JNIEnv, object: jobject) -> Option<ThreadId> {
    let owner = Some(jvmti.owner(object)).filter(|owner| !owner.is_null())?;
    let owner = threads::find(natives::identity_hash(env, owner))?;
    control::with_machine(|machine| !machine.has_ended(owner)).unwrap_or(false).then_some(owner)
}

//! What the threads of a deadlock waited for.
//!
//! The machine knows objects by number only. The thread that waits has the object itself at hand, so when it is told to
//! leave, it says of what class that is and, for a lock of `java.util.concurrent`, who owns it.

use crate::control;
use crate::jni::Env;
use crate::machine::Blocked;
use crate::natives;
use crate::outcome::Awaited;
use crate::threads;
use jni_sys::jobject;
use schedule::EventKind;
use std::sync::Mutex;

/// What threads have said since the execution began, with whether they were parked.
static NOTED: Mutex<Vec<(Awaited, bool)>> = Mutex::new(Vec::new());

/// The current thread has to leave while it wants the monitor of an object, or waits on it.
pub fn note(env: Env, object: jobject) {
    note_as(env, false, |_| Some(object));
}

/// The current thread has to leave while it is parked.
pub fn note_parked(env: Env) {
    note_as(env, true, |env| natives::reading().park_blocker(env));
}

fn note_as(env: Env, parked: bool, object: impl FnOnce(Env) -> Option<jobject>) {
    let Some(thread) = control::current() else { return };
    // The error that makes the thread leave may be pending already, and nothing can be asked while it is.
    let pending = env.take_exception();
    let known = env.frame(|| {
        let object = object(env)?;
        let reading = natives::reading();
        let owner =
            reading.owner(env, object).and_then(|owner| threads::find(natives::identity_hash(env.raw(), owner)));
        let class = reading.class_name(env, object);
        Some(Awaited { thread, object: natives::number_of(env, object), class, owner })
    });
    NOTED.lock().unwrap_or_else(|e| e.into_inner()).extend(known.map(|known| (known, parked)));
    if let Some(pending) = pending {
        env.throw(pending);
    }
}

/// What is known of the threads of a deadlock, in their order. Forgets all that was said.
pub fn take(blocked: &[Blocked]) -> Vec<Awaited> {
    let noted = std::mem::take(&mut *NOTED.lock().unwrap_or_else(|e| e.into_inner()));
    let known = blocked.iter().filter_map(|blocked| {
        // What a thread meets on its way out is not what it waited for.
        let fits = |awaited: &Awaited, parked: bool| match blocked.event.kind {
            EventKind::Park => parked,
            _ => awaited.object == blocked.event.object,
        };
        let said = noted.iter().find(|(awaited, parked)| awaited.thread == blocked.thread && fits(awaited, *parked));
        said.map(|(awaited, _)| awaited.clone())
    });
    known.collect()
}

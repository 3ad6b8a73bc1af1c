//! What the threads of a deadlock waited for.
//!
//! The machine knows objects by number only. The thread that waits has the object itself at hand, so when it is told to
//! leave, it says of what class that is, for a lock of `java.util.concurrent` who owns it, and where in the code it is.

use crate::agent::LOADED;
use crate::control;
use crate::jni::Env;
use crate::machine::Blocked;
use crate::natives;
use crate::outcome::Awaited;
use crate::scope::{is_of_jdk, shown_name};
use crate::sites::Site;
use crate::threads;
use jni_sys::jobject;
use schedule::{EventKind, SiteId, ThreadId};
use std::sync::Mutex;

/// What threads have said since the execution began.
static NOTED: Mutex<Vec<Noted>> = Mutex::new(Vec::new());

struct Noted {
    thread: ThreadId,
    /// What it wanted, as far as that is known, and whether it was parked for it.
    awaited: Option<Awaited>,
    parked: bool,
    /// The calls that it was in, innermost first.
    frames: Vec<String>,
}

/// The current thread has to leave while it wants the monitor of an object, or waits on it, or for its end.
pub fn note(env: Env, object: jobject) {
    note_as(env, false, |_| Some(object));
}

/// The current thread has to leave while it is parked.
pub fn note_parked(env: Env) {
    note_as(env, true, |env| natives::reading().park_blocker(env));
}

fn note_as(env: Env, parked: bool, object: impl FnOnce(Env) -> Option<jobject>) {
    // Nobody asks what threads wanted if they have to leave for another reason, which most do.
    let Some(thread) = control::current().filter(|_| control::is_stuck()) else { return };
    // The error that makes the thread leave may be pending already, and nothing can be asked while it is.
    let pending = env.take_exception();
    let reading = natives::reading();
    let awaited = env.frame(|| {
        let object = object(env)?;
        let owner =
            reading.owner(env, object).and_then(|owner| threads::find(natives::identity_hash(env.raw(), owner)));
        let class = shown_name(&reading.class_name(env, object)).to_owned();
        Some(Awaited { thread, object: natives::number_of(env, object), class, owner })
    });
    let frames = control::uncontrolled(|| env.frame(|| reading.stack(env)));
    NOTED.lock().unwrap_or_else(|e| e.into_inner()).push(Noted { thread, awaited, parked, frames });
    if let Some(pending) = pending {
        env.throw(pending);
    }
}

/// What is known of the threads of a deadlock, in their order. Forgets all that was said. Where the event that a thread waits for
/// has no site, the place in the code under test from which it was called is one.
pub fn take(blocked: &mut [Blocked]) -> Vec<Awaited> {
    let noted = std::mem::take(&mut *NOTED.lock().unwrap_or_else(|e| e.into_inner()));
    let known = blocked.iter_mut().filter_map(|blocked| {
        // What a thread meets on its way out is not what it waited for.
        let fits = |noted: &&Noted| {
            noted.thread == blocked.thread
                && match blocked.event.kind {
                    EventKind::Park => noted.parked,
                    _ => noted.awaited.as_ref().is_some_and(|awaited| awaited.object == blocked.event.object),
                }
        };
        let said = noted.iter().find(fits)?;
        if blocked.event.site == SiteId::NONE {
            blocked.event.site = site(&said.frames, blocked.event.kind).unwrap_or(SiteId::NONE);
        }
        said.awaited.clone()
    });
    known.collect()
}

/// The site of the innermost call that is not in the JDK.
fn site(frames: &[String], kind: EventKind) -> Option<SiteId> {
    // As `StackTraceElement` writes it: `loader//module/package.Class.method(File.java:12)`.
    let called = |frame: &String| {
        let (place, source) = frame.split_once('(')?;
        let (class, method) = place.rsplit('/').next()?.rsplit_once('.')?;
        let line = source.trim_end_matches(')').rsplit_once(':').and_then(|(_, line)| line.parse().ok());
        Some((class.replace('.', "/"), method.to_owned(), line))
    };
    let (class, method, line) = frames.iter().filter_map(called).find(|(class, ..)| !is_of_jdk(class))?;
    let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
    let sites = &mut loaded.as_mut()?.sites;
    // There is no offset, so the line tells calls of one method apart.
    Some(sites.add(Site { class, method, pc: line.unwrap_or(0), line, kind, field: None }))
}

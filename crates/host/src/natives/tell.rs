//! What a person wants to know of each event: the calls that led to it, and the value that was read or written.
//!
//! Asked for only where one execution is to be shown, for it costs far more than the events themselves. It is no part of
//! the execution: nothing that runs here is an event, and a trace is the same with it and without.
//!
//! Hooks are called before accesses, and once a hook has had its turn nobody else runs until the thread's next event. So what a
//! read will find can be looked at as the hook ends, and what a write has left at the thread's next event.

use super::{attempts, identity_hash, interface, is_array, reading};
use crate::agent::LOADED;
use crate::control::{self, Unwind};
use crate::graph::stable_name;
use crate::jni::Env;
use crate::machine::Found;
use crate::outcome::Told;
use crate::scope::shown_name;
use classfile::{JavaStr, TypeDescriptor, encode_modified_utf8};
use jni_sys::{JNIEnv, jobject, jvalue};
use schedule::{Event, ObjectId, ThreadId};
use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

static ON: AtomicBool = AtomicBool::new(false);
/// What was told since the execution began, by the number of the step.
static TOLD: Mutex<Vec<(usize, Told)>> = Mutex::new(Vec::new());

/// The names of threads that were started since.
static NAMES: Mutex<Vec<(ThreadId, String)>> = Mutex::new(Vec::new());

thread_local! {
    /// The write whose value is not known yet: its step, what it is of, and the event.
    static WRITTEN: RefCell<Option<(usize, Subject, Event)>> = const { RefCell::new(None) };
}

/// What an event is about, as a global reference.
struct Subject(jobject);

/// Whether everything is told.
#[inline]
pub(super) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Everything is told from now on.
pub fn begin() {
    TOLD.lock().unwrap_or_else(|e| e.into_inner()).clear();
    NAMES.lock().unwrap_or_else(|e| e.into_inner()).clear();
    ON.store(true, Ordering::Relaxed);
}

/// What was told of an execution.
#[derive(Default)]
pub struct Telling {
    /// Of steps, by their number.
    pub steps: Vec<(usize, Told)>,
    /// The names of threads.
    pub names: Vec<(ThreadId, String)>,
}

/// Nothing is told any more. Says what was.
pub fn end() -> Telling {
    ON.store(false, Ordering::Relaxed);
    Telling {
        steps: std::mem::take(&mut *TOLD.lock().unwrap_or_else(|e| e.into_inner())),
        names: std::mem::take(&mut *NAMES.lock().unwrap_or_else(|e| e.into_inner())),
    }
}

/// A thread was started.
pub(super) fn named(env: *mut JNIEnv, object: jobject, thread: ThreadId) {
    if is_on() {
        let name = reading().thread_name(interface(env), object);
        NAMES.lock().unwrap_or_else(|e| e.into_inner()).push((thread, name));
    }
}

/// What is known of an event before it is done.
fn before(env: *mut JNIEnv, object: jobject) -> Told {
    let env = interface(env);
    written(env);
    control::uncontrolled(|| {
        env.frame(|| Told {
            frames: reading().stack(env),
            class: (!object.is_null()).then(|| in_java(shown_name(&reading().class_name(env, object)))),
            value: None,
        })
    })
}

/// Does an event, after an attempt at it where these are told, and tells of it if everything is told.
pub(super) fn around(
    env: *mut JNIEnv,
    object: jobject,
    event: Event,
    body: impl FnOnce(Event) -> Result<Found, Unwind>,
) -> Result<Found, Unwind> {
    if let Some(attempt) = attempts::attempt(event) {
        let found = once(env, object, attempt, control::event)?;
        if !attempts::has_to_wait() {
            return Ok(found);
        }
    }
    once(env, object, event, body)
}

/// The same for one that nobody sees the thread wait for.
pub(super) fn once(
    env: *mut JNIEnv,
    object: jobject,
    event: Event,
    body: impl FnOnce(Event) -> Result<Found, Unwind>,
) -> Result<Found, Unwind> {
    let told = (is_on() && control::current().is_some()).then(|| before(env, object));
    let done = body(event);
    if let (Some(told), true) = (told, done.is_ok()) {
        after(env, object, event, told);
    }
    done
}

/// The event was done.
fn after(env: *mut JNIEnv, object: jobject, event: Event, mut told: Told) {
    let Some(step) = control::with_machine(|machine| machine.steps()).and_then(|steps| steps.checked_sub(1)) else {
        return;
    };
    // It is this thread's turn now: what is there is what it will find. Before, others may have run.
    if event.kind.is_access() && !event.kind.is_write() {
        let env = interface(env);
        told.value = control::uncontrolled(|| env.frame(|| value(env, object, event)));
    }
    TOLD.lock().unwrap_or_else(|e| e.into_inner()).push((step, told));
    if event.kind.is_write() {
        let subject = if object.is_null() { object } else { interface(env).global(object) };
        WRITTEN.set(Some((step, Subject(subject), event)));
    }
}

/// The value that the current thread has written last is known now.
pub fn written(env: Env) {
    if !is_on() {
        return;
    }
    let Some((step, Subject(object), event)) = WRITTEN.take() else { return };
    let value = control::uncontrolled(|| env.frame(|| value(env, object, event)));
    if !object.is_null() {
        env.delete_global(object);
    }
    let mut told = TOLD.lock().unwrap_or_else(|e| e.into_inner());
    if let Some((_, told)) = told.iter_mut().rev().find(|(other, _)| *other == step) {
        told.value = value;
    }
}

/// What is in a field or an element now.
fn value(env: Env, object: jobject, event: Event) -> Option<String> {
    // The hook may not have had the object at hand.
    if event.is_of_machine() || object.is_null() && event.object != ObjectId::NONE {
        return None;
    }
    if !object.is_null() && is_array(env, object) {
        let letter = reading().element_letter(env, object)?;
        let index = event.slot as usize;
        return (index < env.array_length(object)).then(|| match letter {
            b'L' | b'[' => text(env, jvalue { l: env.element(object, index) }, letter),
            _ => text(env, env.primitive_element(object, index, letter), letter),
        });
    }
    let field = LOADED.lock().unwrap_or_else(|e| e.into_inner()).as_ref()?.sites.field(event.slot)?.clone();
    let (value, letter) = match object.is_null() {
        true => reading().static_field(env, &field.class, &field.name)?,
        false => reading().instance_field(env, object, &field.name)?,
    };
    Some(text(env, value, letter))
}

/// So much of a string is shown.
const LONGEST: usize = 40;

fn text(env: Env, value: jvalue, letter: u8) -> String {
    // SAFETY: the letter says what it is.
    unsafe {
        match letter {
            b'Z' => value.z.to_string(),
            b'B' => value.b.to_string(),
            b'C' => char::from_u32(value.c as u32).map_or_else(|| format!("\\u{:04x}", value.c), |c| format!("{c:?}")),
            b'S' => value.s.to_string(),
            b'I' => value.i.to_string(),
            b'J' => value.j.to_string(),
            b'F' => value.f.to_string(),
            b'D' => value.d.to_string(),
            _ if value.l.is_null() => "null".to_owned(),
            _ => reference(env, value.l),
        }
    }
}

fn reference(env: Env, object: jobject) -> String {
    let class = reading().class_name(env, object);
    match &*class {
        "java.lang.String" => {
            let whole = env.text(object);
            let cut: String = whole.chars().take(LONGEST).collect();
            if cut.len() < whole.len() { format!("{cut:?}...") } else { format!("{cut:?}") }
        }
        "java.lang.Boolean"
        | "java.lang.Byte"
        | "java.lang.Character"
        | "java.lang.Short"
        | "java.lang.Integer"
        | "java.lang.Long"
        | "java.lang.Float"
        | "java.lang.Double" => {
            reading().instance_field(env, object, "value").map_or(class, |(value, letter)| text(env, value, letter))
        }
        _ => {
            let short = in_java(&stable_name(&class));
            let short = short.rsplit('.').next().unwrap_or(&short);
            match control::known_object(identity_hash(env.raw(), object)) {
                Some(number) => format!("{short}#{}", number.0),
                // Nobody has touched it, and this look must not give it a number.
                None => short.to_owned(),
            }
        }
    }
}

/// The name of a class as Java source has it: `int[]` for `[I`.
fn in_java(class: &str) -> String {
    let internal = class.replace('.', "/");
    let descriptor = encode_modified_utf8(&internal);
    let array = JavaStr::new(&descriptor).filter(|_| class.starts_with('[')).and_then(TypeDescriptor::new);
    array.map_or_else(|| class.to_owned(), |array| array.to_string())
}

#[cfg(test)]
mod tests {
    use super::in_java;

    #[test]
    fn arrays_are_named_as_in_java() {
        let names = ["[I", "[[Ljava.util.Map$Entry;", "java.lang.Object"].map(in_java);
        assert_eq!(names, ["int[]", "java.util.Map$Entry[][]", "java.lang.Object"]);
    }
}

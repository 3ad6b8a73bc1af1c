//! Identity hashes that are the same in every process and under every schedule.
//!
//! An object keeps the first hash that it has shown, for as long as it lives: whatever was put into a table by it must be
//! found again, also what a static initialiser or an earlier execution has put there. (Objects of the application that a copy of
//! static state is kept of live through many executions, and in each of them nobody has asked yet.) Which hash that is follows from
//! what the thread that asked first has done, and from nothing that other threads do. So who asks first can be seen, and
//! the first question is an event.

use super::{functions, happen, interface, number, on};
use crate::control;
use crate::graph::stable_name;
use crate::jni::Env;
use jni_sys::{JNIEnv, jclass, jfieldID, jint, jmethodID, jobject};
use schedule::{Event, EventKind};
use std::cell::Cell;
use std::sync::Mutex;

pub(super) extern "system" fn hash(env: *mut JNIEnv, _: jclass, object: jobject) -> jint {
    if object.is_null() {
        return -1;
    }
    if control::current().is_some() {
        control::with_machine(|machine| machine.note_chance());
    }
    let jvmti = functions().jvmti;
    if let Some(hash) = shown(jvmti.tag(object)) {
        return hash;
    }
    // HotSpot counts hashes up. What had one before the hooks were there may be in tables by it.
    let real = super::identity_hash(env, object);
    let named = if real > functions().last_hash { functions().named.name(interface(env), object) } else { None };
    let hash = match (named, control::controlled()) {
        (Some(name), _) => of_name(&name),
        _ if real <= functions().last_hash => real,
        (None, None) => next_of_statics().unwrap_or(real),
        (None, Some(thread)) => {
            if control::current().is_some() {
                if happen(env, on(EventKind::Update, number(env, object), Event::HASH)).is_none() {
                    return 0;
                }
                // Another may have asked meanwhile.
                if let Some(hash) = shown(jvmti.tag(object)) {
                    control::with_machine(|machine| machine.fail_update(thread));
                    return hash;
                }
            }
            control::with_machine(|machine| machine.hash(thread)).unwrap_or(1)
        }
    };
    jvmti.set_tag(object, hash as i64);
    FIRST_SHOWN.lock().unwrap_or_else(|e| e.into_inner()).push(real);
    hash
}

thread_local! {
    /// How many objects were asked since static initialisers run here; None when they do not.
    static ASKED_BY_STATICS: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Runs static initialisers. Objects that they ask get the same hashes every time.
pub fn of_statics(initialize: impl FnOnce()) {
    ASKED_BY_STATICS.set(Some(0));
    initialize();
    ASKED_BY_STATICS.set(None);
}

fn next_of_statics() -> Option<jint> {
    let asked = ASKED_BY_STATICS.get()?;
    ASKED_BY_STATICS.set(Some(asked + 1));
    Some(of_name(&format!("static {asked}")))
}

/// The real identity hashes of objects that have shown one.
static FIRST_SHOWN: Mutex<Vec<jint>> = Mutex::new(Vec::new());

/// Those since this was asked last.
pub fn first_shown() -> Vec<jint> {
    std::mem::take(&mut *FIRST_SHOWN.lock().unwrap_or_else(|e| e.into_inner()))
}

/// What names classes and constants of enums, which are the same in every process.
pub(super) struct Named {
    class_class: jclass,
    enum_class: jclass,
    get_name: jmethodID,
    constant: jfieldID,
}

// SAFETY: identifiers and global references are valid in every thread.
unsafe impl Send for Named {}
// SAFETY: as above.
unsafe impl Sync for Named {}

impl Named {
    pub fn find(env: Env) -> Option<Named> {
        let class_class = env.global(env.find_class("java/lang/Class")?);
        let enum_class = env.global(env.find_class("java/lang/Enum")?);
        let get_name = env.method(class_class, "getName", "()Ljava/lang/String;")?;
        let constant = env.field(enum_class, "name", "Ljava/lang/String;")?;
        Some(Named { class_class, enum_class, get_name, constant })
    }

    fn name(&self, env: Env, object: jobject) -> Option<String> {
        // SAFETY: the method returns a reference, and the field is one.
        let class_name = |class| stable_name(&env.text(unsafe { env.call(class, self.get_name, b'L', &[]).l }));
        let name = || {
            if env.is_instance(object, self.class_class) {
                Some(class_name(object))
            } else if env.is_instance(object, self.enum_class) {
                // SAFETY: as above.
                let constant = env.text(unsafe { env.get_field(object, self.constant, b'L').l });
                Some(format!("{}.{constant}", class_name(env.class_of(object))))
            } else {
                None
            }
        };
        control::uncontrolled(|| env.frame(name))
    }
}

/// Gives an object that lives in every execution the hash of a name.
pub fn give(object: jobject, name: &str) {
    functions().jvmti.set_tag(object, of_name(name) as i64);
}

fn shown(tag: i64) -> Option<jint> {
    (tag != 0).then_some(tag as jint)
}

/// FNV-1a, as a positive number.
fn of_name(name: &str) -> jint {
    let hash =
        name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3));
    ((hash ^ hash >> 32) as u32 >> 1).max(1) as jint
}

//! Offsets in objects as `Unsafe` has them, told as fields and array elements.

use crate::agent::LOADED;
use crate::control;
use crate::jni::Env;
use crate::natives;
use crate::scope::is_rewritten;
use crate::sites::FieldRef;
use crate::unseen;
use classfile::Flags;
use jni_sys::{jclass, jmethodID, jobject, jvalue};
use schedule::{FastMap, ObjectId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Mutex;

/// What is at an offset of objects of a class.
enum Content {
    /// Elements of that many bytes, from an offset on.
    Elements { first: i64, size: i64 },
    /// The numbers of fields by their offset, and whether their class tells of events.
    Fields(FastMap<i64, (u32, bool)>),
}

/// What was found out, by the identity hash of a class and whether its static fields are meant. No two classes share a
/// hash, so it holds for good.
static CONTENTS: Mutex<Option<HashMap<(i32, bool), &'static Content>>> = Mutex::new(None);

thread_local! {
    /// The same for objects that are no classes, so that the common lock is not needed.
    static OF_OBJECTS: RefCell<FastMap<i32, &'static Content>> = RefCell::default();
}

/// What an event for a raw access is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// As for an instruction that names the field or element.
    pub slot: u32,
    /// Whether it is an element of an array.
    pub is_element: bool,
    /// Whether instructions that access it tell of events.
    pub is_seen: bool,
    /// Whether it is a static field.
    pub is_static: bool,
}

/// What is at `offset` in `object`. None for a field of an opaque class that never changes.
pub fn place(env: Env, object: jobject, offset: i64) -> Option<Place> {
    let class = env.class_of(object);
    let key = natives::identity_hash(env.raw(), class);
    env.delete_local(class);
    match OF_OBJECTS.with_borrow(|known| known.get(&key).copied()) {
        Some(content) => content.at(offset),
        None => control::uncontrolled(|| env.frame(|| find(env, object, offset))),
    }
}

/// The numbers of all fields of an object that tell of events.
pub fn fields(env: Env, object: jobject) -> Vec<u32> {
    control::uncontrolled(|| {
        env.frame(|| {
            let class = env.class_of(object);
            let key = natives::identity_hash(env.raw(), class);
            let mut contents = CONTENTS.lock().unwrap_or_else(|e| e.into_inner());
            let known = contents.get_or_insert_default().entry((key, false));
            match *known.or_insert_with(|| Box::leak(Box::new(find_out(env, object, class, false)))) {
                Content::Elements { .. } => Vec::new(),
                Content::Fields(fields) => {
                    let mut seen: Vec<_> = fields.iter().filter(|(_, (_, is_seen))| *is_seen).collect();
                    seen.sort();
                    seen.into_iter().map(|(_, (field, _))| *field).collect()
                }
            }
        })
    })
}

fn find(env: Env, object: jobject, offset: i64) -> Option<Place> {
    let class = env.class_of(object);
    let is_class = env.same(class, env.class_of(class));
    let key = natives::identity_hash(env.raw(), if is_class { object } else { class });
    let mut contents = CONTENTS.lock().unwrap_or_else(|e| e.into_inner());
    let known = contents.get_or_insert_default().entry((key, is_class));
    let content = *known.or_insert_with(|| Box::leak(Box::new(find_out(env, object, class, is_class))));
    if !is_class {
        OF_OBJECTS.with_borrow_mut(|known| known.insert(key, content));
    }
    Some(Place { is_static: is_class, ..content.at(offset)? })
}

impl Content {
    /// What is at an offset.
    fn at(&self, offset: i64) -> Option<Place> {
        let (slot, is_element, is_seen) = match self {
            Content::Elements { first, size } => (((offset - *first) / (*size).max(1)) as u32, true, true),
            Content::Fields(fields) => {
                let &(field, is_seen) = fields.get(&offset)?;
                (field, false, is_seen)
            }
        };
        Some(Place { slot, is_element, is_seen, is_static: false })
    }
}

impl Place {
    /// The object that events name, given the one that it is in: static fields are at offsets of their class.
    pub fn object(&self, env: Env, object: jobject) -> ObjectId {
        if self.is_seen && !self.is_static { natives::number_of(env, object) } else { ObjectId::NONE }
    }
}

/// Asks the JDK's own `Unsafe`.
fn find_out(env: Env, object: jobject, class: jclass, is_class: bool) -> Content {
    let unsafe_class = known(env.find_class("jdk/internal/misc/Unsafe"));
    let get = known(env.static_method(unsafe_class, "getUnsafe", "()Ljdk/internal/misc/Unsafe;"));
    // SAFETY: the method returns a reference.
    let instance = unsafe { env.call_static(unsafe_class, get, b'L', &[]).l };
    let number = |name: &str, descriptor: &str, returns: u8, argument: jobject| {
        let method = known(env.method(unsafe_class, name, descriptor));
        env.call(instance, method, returns, &[jvalue { l: argument }])
    };
    let name = class_name(env, class);
    if name.starts_with('[') {
        // SAFETY: the methods return an int each; as a long since Java 25 the first.
        let size = unsafe { number("arrayIndexScale", "(Ljava/lang/Class;)I", b'I', class).i } as i64;
        let first = match env.method(unsafe_class, "arrayBaseOffset", "(Ljava/lang/Class;)I") {
            // SAFETY: as above.
            Some(method) => unsafe { env.call(instance, method, b'I', &[jvalue { l: class }]).i as i64 },
            None => {
                env.take_exception();
                // SAFETY: as above.
                unsafe { number("arrayBaseOffset", "(Ljava/lang/Class;)J", b'J', class).j }
            }
        };
        return Content::Elements { first, size };
    }
    let offset = |field: jobject, is_static: bool| {
        let name = if is_static { "staticFieldOffset" } else { "objectFieldOffset" };
        // SAFETY: the method returns a long.
        let offset = unsafe { number(name, "(Ljava/lang/reflect/Field;)J", b'J', field).j };
        (!env.drop_exception()).then_some(offset)
    };
    let mut offsets = FastMap::default();
    let mut current = if is_class { object } else { class };
    loop {
        for_each_reflected(env, current, |field, name, modifiers| {
            if (modifiers & Flags::STATIC.0 as i32 != 0) != is_class {
                return;
            }
            let declared = FieldRef { class: class_name(env, current).replace('.', "/"), name };
            if is_seed(&declared) {
                if let Some(offset) = offset(field, is_class) {
                    offsets.insert(offset, (CHANCE, false));
                }
                return;
            }
            let is_seen = is_rewritten(&declared.class);
            let is_final = modifiers & Flags::FINAL.0 as i32 != 0;
            if (is_seen || unseen::can_change(&declared.class, &declared.name, is_final))
                && let Some(offset) = offset(field, is_class)
            {
                let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
                let sites = &mut loaded.as_mut().expect("internal bug: no agent").sites;
                offsets.insert(offset, (sites.number_of_field(declared), is_seen));
            }
        });
        current = env.super_class(current);
        if is_class || current.is_null() {
            break;
        }
    }
    Content::Fields(offsets)
}

/// In place of the number of a field: what is random is made of it.
pub const CHANCE: u32 = u32::MAX;

/// Whether a field is the seed of a thread's own random numbers.
fn is_seed(field: &FieldRef) -> bool {
    field.class == "java/lang/Thread" && field.name == "threadLocalRandomSeed"
}

/// Calls `found` with name, descriptor and modifiers of each field that a class declares.
pub fn for_each_field(env: Env, class: jclass, mut found: impl FnMut(String, String, i32)) {
    for_each_reflected(env, class, |field, name, modifiers| {
        let field_class = env.class_of(field);
        let get_type = known(env.method(field_class, "getType", "()Ljava/lang/Class;"));
        // SAFETY: the methods return references.
        let descriptor = unsafe {
            let of = env.call(field, get_type, b'L', &[]).l;
            let class_class = env.class_of(of);
            let describe = known(env.method(class_class, "descriptorString", "()Ljava/lang/String;"));
            env.text(env.call(of, describe, b'L', &[]).l)
        };
        found(name, descriptor, modifiers);
    });
}

/// Calls `found` with each field that a class declares, its name and its modifiers.
fn for_each_reflected(env: Env, class: jclass, mut found: impl FnMut(jobject, String, i32)) {
    let class_class = env.class_of(class);
    // Not the public method: it hides fields of some classes.
    let declared = known(env.method(class_class, "getDeclaredFields0", "(Z)[Ljava/lang/reflect/Field;"));
    // SAFETY: the method returns a reference.
    let array = unsafe { env.call(class, declared, b'L', &[jvalue { z: false }]).l };
    if env.drop_exception() || array.is_null() {
        return;
    }
    let field_class = known(env.find_class("java/lang/reflect/Field"));
    let get_name = known(env.method(field_class, "getName", "()Ljava/lang/String;"));
    let get_modifiers = known(env.method(field_class, "getModifiers", "()I"));
    for index in 0..env.array_length(array) {
        env.frame(|| {
            let field = env.element(array, index);
            // SAFETY: the methods return an int and a reference.
            let (modifiers, name) =
                unsafe { (env.call(field, get_modifiers, b'I', &[]).i, env.call(field, get_name, b'L', &[]).l) };
            found(field, env.text(name), modifiers);
        });
    }
}

/// The name of a class, as Java has it.
pub fn class_name(env: Env, class: jclass) -> String {
    let class_class = env.class_of(class);
    let get_name: jmethodID = known(env.method(class_class, "getName", "()Ljava/lang/String;"));
    // SAFETY: the method returns a reference.
    env.text(unsafe { env.call(class, get_name, b'L', &[]).l })
}

fn known<T>(found: Option<T>) -> T {
    found.expect("internal bug: the JDK lacks a class or method that all have")
}

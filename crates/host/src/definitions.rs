//! Classes that code defines by itself, which no execution can undo.
//!
//! A virtual machine does not forget a class. Code that makes one at run time, in a static initialiser or later, and keeps it in static
//! state makes it again in the next execution, and is told that the loader has it. So a class that an earlier execution has
//! defined in the same loader, by the same bytes, is given out once more. Its static state is put back like that of others.
//!
//! To define a class twice in one execution is an error as ever. A class that is defined by other bytes than before is one that cannot be
//! put back, and [`changed`] says so.
//!
//! The native methods of `ClassLoader` are bound to functions of ours, which call the original ones. That is enough for `Lookup`, too.
//! `findLoadedClass` and `Class.forName` still find what earlier executions have defined.

use crate::jni::Env;
use crate::jvm::{Jvm, JvmError};
use crate::natives;
use classfile::ClassFile;
use jni_sys::{JNIEnv, jboolean, jclass, jint, jobject, jstring, jthrowable};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

/// At most this many definitions are known. Code that makes a loader in each execution would make for more and more.
const MAX_KNOWN: usize = 100_000;

/// The flag of `defineClass0` for a hidden class, of which there may be any number.
const HIDDEN: jint = 2;

#[derive(Default)]
struct Definitions {
    /// The number of the execution.
    execution: u64,
    /// By the identity hash of the loader, and the name.
    known: HashMap<(i32, String), Definition>,
    /// The first class that was defined otherwise than before.
    changed: Option<String>,
}

struct Definition {
    /// The length of the bytes, and a hash of them.
    bytes: (usize, u64),
    /// The execution that has defined it last.
    execution: u64,
}

static DEFINITIONS: Mutex<Option<Definitions>> = Mutex::new(None);

fn with_definitions<T>(look: impl FnOnce(&mut Definitions) -> T) -> T {
    look(DEFINITIONS.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert_default())
}

/// An execution begins: no class is defined yet.
pub fn begin() {
    with_definitions(|definitions| definitions.execution += 1);
}

/// A class, as Java names it, that the code has defined by other bytes than in an earlier execution.
pub fn changed() -> Option<String> {
    with_definitions(|definitions| definitions.changed.clone())
}

type Define0 = unsafe extern "system" fn(
    *mut JNIEnv,
    jclass,
    jobject,
    jclass,
    jstring,
    jobject,
    jint,
    jint,
    jobject,
    jboolean,
    jint,
    jobject,
) -> jclass;
type Define1 =
    unsafe extern "system" fn(*mut JNIEnv, jclass, jobject, jstring, jobject, jint, jint, jobject, jstring) -> jclass;
type FindLoaded = unsafe extern "system" fn(*mut JNIEnv, jobject, jstring) -> jclass;

struct Functions {
    define0: Define0,
    define1: Define1,
    find_loaded: FindLoaded,
    linkage_error: jclass,
}

// SAFETY: the class is a global reference, and functions are the same in every thread.
unsafe impl Send for Functions {}
// SAFETY: as above.
unsafe impl Sync for Functions {}

static FUNCTIONS: OnceLock<Functions> = OnceLock::new();

/// Binds the methods that define classes to functions of ours.
pub fn bind(jvm: &Jvm, java_home: &Path) -> Result<(), JvmError> {
    let env = jvm.env;
    let missing = || JvmError::Missing("methods that define classes");
    // SAFETY: it is the JDK's own library, which the virtual machine has loaded.
    let library = unsafe { libloading::os::unix::Library::new(java_home.join("lib/libjava.so")) };
    let library = library.map_err(|_| missing())?;
    // SAFETY: these are the signatures of these functions, in all versions.
    let functions = unsafe {
        Functions {
            define0: *library.get("Java_java_lang_ClassLoader_defineClass0").map_err(|_| missing())?,
            define1: *library.get("Java_java_lang_ClassLoader_defineClass1").map_err(|_| missing())?,
            find_loaded: jvm.function("JVM_FindLoadedClass")?,
            linkage_error: env.global(env.find_class("java/lang/LinkageError").ok_or_else(missing)?),
        }
    };
    // Its functions are used as long as the process lives.
    std::mem::forget(library);
    FUNCTIONS.set(functions).map_err(|_| missing())?;
    let loader = env.find_class("java/lang/ClassLoader").ok_or_else(missing)?;
    let bound = env.register_natives(
        loader,
        &[
            (
                c"defineClass0",
                c"(Ljava/lang/ClassLoader;Ljava/lang/Class;Ljava/lang/String;[BIILjava/security/ProtectionDomain;ZILjava/lang/Object;)Ljava/lang/Class;",
                define0 as *mut _,
            ),
            (
                c"defineClass1",
                c"(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;",
                define1 as *mut _,
            ),
        ],
    );
    if bound { Ok(()) } else { Err(missing()) }
}

fn functions() -> &'static Functions {
    FUNCTIONS.get().expect("internal bug: a method that is not bound yet")
}

#[allow(clippy::too_many_arguments)] // The JDK decides on them.
extern "system" fn define0(
    env: *mut JNIEnv,
    class: jclass,
    loader: jobject,
    lookup: jclass,
    name: jstring,
    bytes: jobject,
    offset: jint,
    length: jint,
    domain: jobject,
    initialize: jboolean,
    flags: jint,
    data: jobject,
) -> jclass {
    let define = functions().define0;
    // SAFETY: these are the arguments that the virtual machine gave for the original function.
    let defined =
        unsafe { define(env, class, loader, lookup, name, bytes, offset, length, domain, initialize, flags, data) };
    if flags & HIDDEN != 0 {
        return defined;
    }
    // SAFETY: the virtual machine has just given the interface of this thread to a native method.
    given_out(unsafe { Env::new(env) }, loader, name, (bytes, offset, length), defined)
}

#[allow(clippy::too_many_arguments)] // As above.
extern "system" fn define1(
    env: *mut JNIEnv,
    class: jclass,
    loader: jobject,
    name: jstring,
    bytes: jobject,
    offset: jint,
    length: jint,
    domain: jobject,
    source: jstring,
) -> jclass {
    let define = functions().define1;
    // SAFETY: these are the arguments that the virtual machine gave for the original function.
    let defined = unsafe { define(env, class, loader, name, bytes, offset, length, domain, source) };
    // SAFETY: the virtual machine has just given the interface of this thread to a native method.
    given_out(unsafe { Env::new(env) }, loader, name, (bytes, offset, length), defined)
}

/// The class that a method gives which was asked to define one: what came of that, or the class of an earlier execution.
fn given_out(
    env: Env,
    loader: jobject,
    name: jstring,
    (bytes, offset, length): (jobject, jint, jint),
    defined: jclass,
) -> jclass {
    let refused = env.take_exception();
    if refused.is_some_and(|error| !is_duplicate(env, error)) {
        refused.inspect(|&error| env.throw(error));
        return defined;
    }
    // Both were accepted, so the bytes are there, and are a class.
    let bytes = env.bytes_from(bytes, offset, length);
    let key = (natives::identity_hash(env.raw(), loader), internal_name(env, name, &bytes));
    let Some(error) = refused else {
        note(key, digest(&bytes));
        return defined;
    };
    let found = if is_of_earlier(&key, digest(&bytes)) { find(env, loader, &key.1) } else { None };
    if found.is_none() {
        env.throw(error);
    }
    found.unwrap_or(defined)
}

/// Whether an error says that a loader has the class that it was to define.
fn is_duplicate(env: Env, error: jthrowable) -> bool {
    let class = env.class_of(error);
    let is_duplicate = env.same(class, functions().linkage_error);
    env.delete_local(class);
    is_duplicate && natives::reading().thrown(env, error).message.is_some_and(|message| message.contains("duplicate"))
}

fn digest(bytes: &[u8]) -> (usize, u64) {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    (bytes.len(), hasher.finish())
}

/// The name of a class as class files have it. Whoever defines one need not say it.
fn internal_name(env: Env, name: jstring, bytes: &[u8]) -> String {
    match name.is_null() {
        false => env.text(name).replace('.', "/"),
        true => ClassFile::parse(bytes).map(|class| class.name().to_string()).unwrap_or_default(),
    }
}

/// A class was defined.
fn note(key: (i32, String), bytes: (usize, u64)) {
    with_definitions(|definitions| {
        if definitions.known.len() >= MAX_KNOWN {
            definitions.known.clear();
        }
        definitions.known.insert(key, Definition { bytes, execution: definitions.execution });
    });
}

/// Whether a class is there only because of an earlier execution. If so, it counts as defined in this one.
fn is_of_earlier(key: &(i32, String), bytes: (usize, u64)) -> bool {
    with_definitions(|definitions| {
        let (execution, changed) = (definitions.execution, &mut definitions.changed);
        match definitions.known.get_mut(key) {
            Some(known) if known.execution == execution => false,
            Some(known) if known.bytes == bytes => {
                known.execution = execution;
                true
            }
            // It may be that no other execution would have been told that there is one.
            _ => {
                changed.get_or_insert_with(|| key.1.replace('/', "."));
                false
            }
        }
    })
}

fn find(env: Env, loader: jobject, name: &str) -> Option<jclass> {
    let name = env.string(&name.replace('/', "."))?;
    // SAFETY: it is the virtual machine's own function, for a loader and a text that it has given.
    let found = unsafe { (functions().find_loaded)(env.raw(), loader, name) };
    env.delete_local(name);
    (!found.is_null()).then_some(found)
}

//! The worker as its own agent: HotSpot finds this entry in the executable, because of `-agentlib:raddle`.

use crate::contended;
use crate::control;
use crate::exhausted;
use crate::initialisers::Initialisers;
use crate::instrument::{instrument, instrument_elements};
use crate::jvmti::{Callbacks, Jvmti};
use crate::mbeans;
use crate::named::{Named, named};
use crate::native_methods::{CLASSES, PREFIX, change_natives};
use crate::natives::attempts;
use crate::opaque;
use crate::scope::{Treatment, is_of_jdk, is_rewritten};
use crate::sites::Sites;
use crate::threads;
use crate::weak::uses_weak_accesses;
use classfile::ClassFile;
use jni_sys::{JNI_ERR, JNI_OK, JNIEnv, JavaVM, jclass, jint, jobject};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock};

/// What the agent learns while classes are loaded.
#[derive(Default)]
pub struct Loaded {
    /// All sites of all rewritten classes.
    pub sites: Sites,
    /// Classes in scope that could not be rewritten, or not wholly, with the reason.
    pub failures: Vec<(String, String)>,
    /// The classes under test of the test that is prepared or run.
    pub under_test: Vec<String>,
    /// Classes that use accesses which Java orders less than volatile ones, each with the classes under test for
    /// which it was loaded.
    pub weak: HashSet<(Vec<String>, String)>,
    /// What classes of the application name, each with the classes under test for which it was loaded.
    pub named: HashSet<(Vec<String>, Named)>,
    /// What static initialisers of applications need.
    pub initialisers: Initialisers,
    /// How many classes were rewritten.
    pub rewritten: usize,
}

/// There is one virtual machine in a process, so there is one of these.
pub static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

/// The tool interface, once the machine has started.
pub static JVMTI: OnceLock<Jvmti> = OnceLock::new();

/// Called by HotSpot before anything is loaded.
///
/// # Safety
/// Only for HotSpot, which gives its virtual machine.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad_raddle(vm: *mut JavaVM, _options: *mut c_char, _: *mut c_void) -> jint {
    *LOADED.lock().unwrap_or_else(|e| e.into_inner()) = Some(Loaded::default());
    let called = Callbacks {
        class_file_load: class_file_load_hook,
        thread_start: threads::thread_start,
        thread_end: threads::thread_end,
        contended_enter: contended::contended_enter,
        exhausted: exhausted::exhausted_hook,
    };
    // SAFETY: HotSpot calls this with its virtual machine.
    match unsafe { Jvmti::start(vm, called, PREFIX) } {
        Some(jvmti) => {
            JVMTI.get_or_init(|| jvmti);
            JNI_OK
        }
        None => JNI_ERR,
    }
}

#[allow(clippy::too_many_arguments)] // HotSpot decides on them.
unsafe extern "system" fn class_file_load_hook(
    jvmti: Jvmti,
    _: *mut JNIEnv,
    _: jclass,
    loader: jobject,
    name: *const c_char,
    _: jobject,
    length: jint,
    data: *const u8,
    new_length: *mut jint,
    new_data: *mut *mut u8,
) {
    control::beat();
    if name.is_null() {
        return;
    }
    // SAFETY: HotSpot gives a string that ends in zero, and so many bytes of class file.
    let (name, bytes) = unsafe { (CStr::from_ptr(name), std::slice::from_raw_parts(data, length as usize)) };
    let Ok(name) = name.to_str() else { return };
    if name == mbeans::KEEPER {
        mbeans::IS_LOADED.store(true, Ordering::Relaxed);
    }
    let Some(bytes) = rewrite(name, bytes, !loader.is_null()) else { return };
    if let Some(copy) = jvmti.copy(&bytes) {
        // SAFETY: HotSpot gives two places to write to.
        unsafe { (*new_length, *new_data) = (bytes.len() as jint, copy) };
    }
}

fn rewrite(name: &str, bytes: &[u8], has_loader: bool) -> Option<Vec<u8>> {
    let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
    let loaded = loaded.as_mut()?;
    if is_rewritten(name) && !is_of_jdk(name) {
        if uses_weak_accesses(bytes) {
            loaded.weak.insert((loaded.under_test.clone(), name.to_owned()));
        }
        if let Ok(class) = ClassFile::parse(bytes) {
            loaded.initialisers.add(&class);
            for named in named(&class) {
                loaded.named.insert((loaded.under_test.clone(), named));
                if named == Named::Permits {
                    attempts::give_permits(true);
                }
            }
        }
    }
    let changed = if CLASSES.contains(&name) { change_natives(bytes).map(Cow::Owned) } else { Ok(bytes.into()) };
    let of_application = has_loader && !is_of_jdk(name);
    let sites = &mut loaded.sites;
    let rewritten = changed.and_then(|bytes| match Treatment::of(name) {
        Treatment::Ours => Ok(None),
        Treatment::Rewritten => instrument(&bytes, sites, of_application).map(Some),
        Treatment::Elements => instrument_elements(&bytes, sites).map(Some),
        Treatment::Opaque { .. } => opaque::change(&bytes, sites).map(Some),
    });
    match rewritten {
        Ok(None) => None,
        Ok(Some(instrumented)) => {
            loaded.rewritten += 1;
            for (method, error) in instrumented.left {
                loaded.failures.push((format!("{name}.{method}"), error.to_string()));
            }
            Some(instrumented.bytes)
        }
        Err(error) => {
            loaded.failures.push((name.to_owned(), error.to_string()));
            None
        }
    }
}

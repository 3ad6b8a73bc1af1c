//! Hooks for what opaque code does: accesses that are no events, and those that were made events.

use super::access::{Access, elements, is_silent, touch};
use super::{
    at, happen, happen_to, identity_hash, interface, is_array, named_site, number, on, reading, site, synchronizer,
};
use crate::agent::LOADED;
use crate::control::{self, Done};
use crate::hook_class::WATCHING;
use crate::initialisers;
use crate::jni::Env;
use crate::jvm::JvmError;
use crate::scope::is_of_jdk;
use crate::sites::{Extent, Watched};
use crate::unseen::{self, Location};
use jni_sys::{JNIEnv, jclass, jfieldID, jint, jobject};
use schedule::EventKind::{Read, Write};
use schedule::{Event, EventKind, FastMap, ObjectId, SiteId};
use std::cell::RefCell;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where it is said whether threads are watched.
struct Switch {
    hooks: jclass,
    field: jfieldID,
}

// SAFETY: the class is a global reference, and identifiers are valid in every thread.
unsafe impl Send for Switch {}
// SAFETY: as above.
unsafe impl Sync for Switch {}

static SWITCH: OnceLock<Switch> = OnceLock::new();

/// Looks up where it is said whether threads are watched.
pub(super) fn bind(env: Env, hooks: jclass) -> Result<(), JvmError> {
    let field = env.static_field(hooks, WATCHING, "Z").ok_or(JvmError::Missing("hooks"))?;
    SWITCH.get_or_init(|| Switch { hooks: env.global(hooks), field });
    Ok(())
}

/// Whether threads are watched, for code that is not Java's.
static IS_WATCHING: AtomicBool = AtomicBool::new(false);

/// Whether threads are watched: there are several under control.
pub fn is_watching() -> bool {
    IS_WATCHING.load(Ordering::Relaxed)
}

/// Threads are watched from now on, or no longer.
pub fn watch(env: Env, watching: bool) {
    IS_WATCHING.store(watching, Ordering::Relaxed);
    if let Some(switch) = SWITCH.get() {
        env.set_static_boolean(switch.hooks, switch.field, watching);
    }
}

thread_local! {
    /// What was looked up about sites, so that the common lock is not needed. None where nothing is to be watched.
    static SITES: RefCell<FastMap<u32, Option<Watched>>> = RefCell::default();
}

fn watched(site: SiteId) -> Option<Watched> {
    SITES.with_borrow_mut(|known| {
        *known.entry(site.0).or_insert_with(|| {
            let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
            loaded.as_mut().expect("internal bug: no agent").sites.watched(site)
        })
    })
}

/// The place that a site of opaque code is about.
pub(super) fn place(site: SiteId) -> Option<u32> {
    watched(site).map(|watched| watched.place)
}

pub(super) extern "system" fn field(env: *mut JNIEnv, _: jclass, object: jobject, site: jint) {
    // An access of null is nothing to watch: the instruction itself will throw.
    if !object.is_null() {
        access(env, object, None, named_site(site));
    }
}

pub(super) extern "system" fn element(env: *mut JNIEnv, _: jclass, array: jobject, index: jint, site: jint) {
    if !array.is_null() {
        access(env, array, Some(index as u32), named_site(site));
    }
}

pub(super) extern "system" fn statics(env: *mut JNIEnv, _: jclass, site: jint) {
    access(env, null_mut(), None, named_site(site));
}

pub(super) extern "system" fn native(env: *mut JNIEnv, _: jclass, object: jobject, site: jint) {
    access(env, object, None, named_site(site));
}

/// An access of an object, or of what is static if that is null. It is an event if its place was opened; else it is
/// noted.
fn access(env: *mut JNIEnv, object: jobject, index: Option<u32>, site: SiteId) {
    if control::current().is_none() {
        return;
    }
    let Some(Watched { kind, place, meets_events, is_event, extent }) = watched(site) else { return };
    let is_open = is_event || unseen::is_open(place);
    let slot = index.unwrap_or(place);
    let hash = || if object.is_null() { 0 } else { identity_hash(env, object) };
    let done = Done { kind, site, opens: place, can_open: true };
    match extent {
        Extent::Anything => control::taint(site),
        Extent::Monitor => {
            let location = Location { hash: hash(), slot: Some(Event::MONITOR) };
            control::note_unseen(location, Done { can_open: false, ..done }, true);
        }
        // No object, nothing to access.
        Extent::Whole if object.is_null() => {}
        Extent::Whole => {
            let is_array = is_array(interface(env), object);
            if is_open && is_array {
                touch(env, null_mut(), object, 0, -1, if kind.is_write() { Write } else { Read } as jint);
            } else {
                let location = Location { hash: hash(), slot: None };
                control::note_unseen(location, Done { can_open: is_array, ..done }, true);
            }
        }
        Extent::World if is_standard_output(env, object) => {}
        Extent::World if is_open => drop(happen(env, at(kind, ObjectId::NONE, slot, site))),
        Extent::World => {
            control::note_unseen(Location { hash: 0, slot: Some(slot) }, done, meets_events);
        }
        Extent::Part if !is_open => {
            control::note_unseen(Location { hash: hash(), slot: Some(slot) }, done, meets_events);
        }
        Extent::Part if object.is_null() => drop(happen(env, at(kind, ObjectId::NONE, slot, site))),
        Extent::Part if index.is_some() => {
            // Code of other classes may access the array silently.
            is_silent(env, object, Access { key: place, site, events: 0, ..elements(kind) });
            happen_to(env, object, at(kind, number(env, object), slot, site));
        }
        Extent::Part => drop(happen_to(env, object, at(kind, number(env, object), slot, site))),
    }
}

/// An access of rewritten code in a thread that is quiet: it is noted if that is in a static initialiser of an
/// application, or if an application does it, called by what is quiet.
#[inline]
pub(super) fn quiet(env: *mut JNIEnv, object: jobject, index: Option<u32>, site: SiteId) {
    if is_watching() && control::is_controlled() && !synchronizer::is_inside() {
        match initialisers::is_under_way(None) {
            true => note_initialiser(env, object, index, site),
            false => note_quiet(env, object, index, site),
        }
    }
}

#[cold]
fn note_quiet(env: *mut JNIEnv, object: jobject, index: Option<u32>, site_id: SiteId) {
    if is_of_application(site_id) {
        let (kind, field) = site(site_id);
        let hash = if object.is_null() { 0 } else { identity_hash(env, object) };
        let location = Location { hash, slot: Some(index.unwrap_or(field)) };
        control::note_unseen(location, Done { kind, site: site_id, opens: field, can_open: false }, true);
    }
}

/// Whether a site is in code of an application.
pub(super) fn is_of_application(site: SiteId) -> bool {
    let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
    let class = loaded.as_ref().and_then(|loaded| loaded.sites.get(site)).map(|site| &*site.class);
    class.is_some_and(|class| !is_of_jdk(class))
}

#[cold]
fn note_initialiser(env: *mut JNIEnv, object: jobject, index: Option<u32>, site: SiteId) {
    let (kind, field) = super::site(site);
    if object.is_null() {
        let class = {
            let loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
            loaded.as_ref().and_then(|loaded| loaded.sites.field(field)).map(|field| field.class.clone())
        };
        // What the class itself declares nobody else can see yet.
        if !initialisers::is_under_way(class.as_deref().or(Some(""))) {
            control::note_initialiser(Location { hash: 0, slot: Some(field) }, kind, site);
        }
        return;
    }
    let location = Location { hash: identity_hash(env, object), slot: Some(index.unwrap_or(field)) };
    control::note_initialiser(location, kind, site);
}

/// A static initialiser of an application takes a monitor. Others may hold it, and wait for the class.
pub(super) fn quiet_lock(env: *mut JNIEnv, object: jobject, site: SiteId) {
    if is_watching() && control::is_controlled() && initialisers::is_under_way(None) && !object.is_null() {
        control::note_initialiser_lock(identity_hash(env, object), site);
    }
}

/// An access of a field of an opaque class by `Unsafe`.
pub(super) fn raw(env: *mut JNIEnv, object: jobject, is_static: bool, field: u32, kind: EventKind) {
    if !is_watching() {
        return;
    }
    if unseen::is_open(field) {
        let id = if is_static { ObjectId::NONE } else { number(env, object) };
        happen_to(env, if is_static { null_mut() } else { object }, on(kind, id, field));
        return;
    }
    let hash = if is_static { 0 } else { identity_hash(env, object) };
    let done = Done { kind, site: SiteId::NONE, opens: field, can_open: true };
    control::note_unseen(Location { hash, slot: Some(field) }, done, true);
}

/// Whether an object writes to standard output or error, which no thread can read.
fn is_standard_output(env: *mut JNIEnv, object: jobject) -> bool {
    !object.is_null() && reading().is_standard_output(interface(env), object)
}

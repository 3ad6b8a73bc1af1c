//! Tables of the JDK that static initialisers fill: system properties and shutdown hooks.
//!
//! Both are put back between executions. An initialiser may not fill them again, because a copy of static state is
//! kept or because it is that of an interface. So it is noted when one has changed a table. Properties that it has set, as
//! the JDK does with `user.timezone` for whoever asks for the time first, are there from then on, for all executions.

use crate::control;
use crate::jni::Env;
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where the system properties are.
#[derive(Clone, Copy)]
pub struct PropertyTable {
    /// The class and the static field of the properties.
    pub system: jclass,
    pub held: jfieldID,
    /// The field of their map, and the field that counts there.
    pub map: jfieldID,
    pub counted: jfieldID,
    /// The class of the map, and its constructor that copies another.
    pub map_class: jclass,
    pub copy: jmethodID,
    /// How many there are at the beginning.
    pub count: i64,
}

/// Where to see how many entries the tables have.
struct Tables {
    properties: Option<PropertyTable>,
    /// The class and the static field of the hooks, and the field that counts.
    hooks: Option<(jclass, jfieldID, jfieldID)>,
}

// SAFETY: the classes are global references, and identifiers are valid in every thread.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

static TABLES: OnceLock<Tables> = OnceLock::new();
/// Whether an initialiser has set properties after others have, in one execution: nobody knows which are whose.
static SET_PROPERTIES: AtomicBool = AtomicBool::new(false);
/// So many properties there are before an execution does anything.
static PROPERTIES: AtomicI64 = AtomicI64::new(0);
/// A copy of the map after initialisers have set properties, as a global reference.
static WITH_THOSE_OF_INITIALISERS: Mutex<Option<Map>> = Mutex::new(None);

struct Map(jobject);

// SAFETY: it is a global reference.
unsafe impl Send for Map {}

static REGISTERED_HOOKS: AtomicBool = AtomicBool::new(false);

/// Entries of both tables.
#[derive(Clone, Copy, Default)]
struct Counts {
    properties: i64,
    hooks: i32,
}

thread_local! {
    /// How many initialisers the thread is in, and what there was when the outermost began.
    static BEGUN: Cell<(u32, Counts)> = const { Cell::new((0, Counts { properties: 0, hooks: 0 })) };
}

/// Says where the tables are.
pub fn find(properties: Option<PropertyTable>, hooks: Option<(jclass, jfieldID, jfieldID)>) {
    PROPERTIES.store(properties.map_or(0, |properties| properties.count), Ordering::Relaxed);
    TABLES.get_or_init(|| Tables { properties, hooks });
}

/// The current thread begins an initialiser.
pub fn begin_initialiser(env: Env) {
    let (depth, counts) = BEGUN.get();
    BEGUN.set((depth + 1, if depth == 0 { count(env) } else { counts }));
}

/// The current thread ends an initialiser.
pub fn end_initialiser(env: Env) {
    let (depth, before) = BEGUN.get();
    BEGUN.set((depth.saturating_sub(1), before));
    if depth == 1 {
        let now = count(env);
        if now.properties != before.properties {
            let is_first = before.properties == PROPERTIES.load(Ordering::Relaxed);
            if !is_first || !keep_properties(env, now.properties) {
                SET_PROPERTIES.store(true, Ordering::Relaxed);
            }
        }
        REGISTERED_HOOKS.fetch_or(now.hooks != before.hooks, Ordering::Relaxed);
    }
}

/// Copies the properties as they are.
fn keep_properties(env: Env, count: i64) -> bool {
    let Some(table) = TABLES.get().and_then(|tables| tables.properties) else { return false };
    let copied = control::uncontrolled(|| {
        env.frame(|| {
            let map = map(env, &table);
            let copied = env.construct(table.map_class, table.copy, &[jvalue { l: map }]);
            env.take_exception();
            (!copied.is_null()).then(|| Map(env.global(copied)))
        })
    });
    let is_kept = copied.is_some();
    if let Some(copied) = copied {
        PROPERTIES.store(count, Ordering::Relaxed);
        let before = WITH_THOSE_OF_INITIALISERS.lock().unwrap_or_else(PoisonError::into_inner).replace(copied);
        before.into_iter().for_each(|Map(before)| env.delete_global(before));
    }
    is_kept
}

/// The properties with those that initialisers have set since the last time, as a global reference; None if they have set none.
pub fn take_properties() -> Option<jobject> {
    WITH_THOSE_OF_INITIALISERS.lock().unwrap_or_else(PoisonError::into_inner).take().map(|Map(map)| map)
}

fn map(env: Env, table: &PropertyTable) -> jobject {
    // SAFETY: these are fields of references.
    unsafe { env.get_field(env.get_static(table.system, table.held, b'L').l, table.map, b'L').l }
}

/// Whether static initialisers have set system properties so that nobody knows which were set by others.
pub fn properties_by_initialiser() -> bool {
    SET_PROPERTIES.load(Ordering::Relaxed)
}

/// Whether a static initialiser has registered a shutdown hook.
pub fn hooks_by_initialiser() -> bool {
    REGISTERED_HOOKS.load(Ordering::Relaxed)
}

fn count(env: Env) -> Counts {
    let Some(tables) = TABLES.get() else { return Counts::default() };
    // SAFETY: these are fields of these types.
    env.frame(|| unsafe {
        let properties = tables.properties.map_or(0, |table| env.get_field(map(env, &table), table.counted, b'J').j);
        let hooks = tables.hooks.map_or(0, |(class, held, counted)| {
            let hooks = env.get_static(class, held, b'L').l;
            // There is no table while hooks run.
            if hooks.is_null() { 0 } else { env.get_field(hooks, counted, b'I').i }
        });
        Counts { properties, hooks }
    })
}

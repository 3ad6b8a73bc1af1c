//! Tables of the JDK that static initialisers fill: system properties and shutdown hooks.
//!
//! Both are put back between executions. An initialiser may not fill them again, because a copy of static state is
//! kept or because it is that of an interface. So it is noted when one has changed a table.

use crate::jni::Env;
use jni_sys::{jclass, jfieldID};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where to see how many entries the tables have.
struct Tables {
    /// The class and the static field of the properties, the field of their map, and the field that counts.
    properties: Option<(jclass, jfieldID, jfieldID, jfieldID)>,
    /// The class and the static field of the hooks, and the field that counts.
    hooks: Option<(jclass, jfieldID, jfieldID)>,
}

// SAFETY: the classes are global references, and identifiers are valid in every thread.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

static TABLES: OnceLock<Tables> = OnceLock::new();
static SET_PROPERTIES: AtomicBool = AtomicBool::new(false);
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
pub fn find(properties: Option<(jclass, jfieldID, jfieldID, jfieldID)>, hooks: Option<(jclass, jfieldID, jfieldID)>) {
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
        SET_PROPERTIES.fetch_or(now.properties != before.properties, Ordering::Relaxed);
        REGISTERED_HOOKS.fetch_or(now.hooks != before.hooks, Ordering::Relaxed);
    }
}

/// Whether a static initialiser has set a system property.
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
        let properties = tables.properties.map_or(0, |(system, held, map, counted)| {
            let map = env.get_field(env.get_static(system, held, b'L').l, map, b'L').l;
            env.get_field(map, counted, b'J').j
        });
        let hooks = tables.hooks.map_or(0, |(class, held, counted)| {
            let hooks = env.get_static(class, held, b'L').l;
            // There is no table while hooks run.
            if hooks.is_null() { 0 } else { env.get_field(hooks, counted, b'I').i }
        });
        Counts { properties, hooks }
    })
}

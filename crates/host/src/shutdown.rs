//! The end of a program: shutdown hooks run once its threads have ended.
//!
//! The virtual machine itself goes on to the next execution. So what the JDK does when a machine ends is called here, by the first
//! thread of the execution, and what it changes is put back before the next one.

use crate::control;
use crate::jni::Env;
use crate::machine::{Stop, plain};
use crate::properties::SystemProperties;
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};
use schedule::EventKind;
use std::sync::OnceLock;

/// How the JDK runs shutdown hooks.
pub struct Shutdown {
    /// `java.lang.Shutdown`, and its method that runs all hooks.
    class: jclass,
    shutdown: jmethodID,
    /// `java.lang.ApplicationShutdownHooks`, and the hooks of the application.
    application: jclass,
    hooks: jfieldID,
    table: jclass,
    new_table: jmethodID,
    size: jfieldID,
    /// The table that the next execution begins with, which is empty.
    empty: jobject,
    /// The files that are deleted in the end: what holds their names, which is gone after that, and how to make it anew.
    files: Option<(jclass, jfieldID, jclass, jmethodID)>,
}

impl Shutdown {
    /// None if this version has its hooks in another way.
    pub fn find(env: Env) -> Option<Shutdown> {
        let found = env.frame(|| {
            let class = env.find_class("java/lang/Shutdown")?;
            let application = env.find_class("java/lang/ApplicationShutdownHooks")?;
            let table = env.find_class("java/util/IdentityHashMap")?;
            let hooks = env.static_field(application, "hooks", "Ljava/util/IdentityHashMap;")?;
            Some(Shutdown {
                class: env.global(class),
                shutdown: env.static_method(class, "shutdown", "()V")?,
                application: env.global(application),
                hooks,
                table: env.global(table),
                new_table: env.method(table, "<init>", "()V")?,
                size: env.field(table, "size", "I")?,
                // SAFETY: the field is a reference.
                empty: env.global(unsafe { env.get_static(application, hooks, b'L').l }),
                files: files(env),
            })
        });
        env.take_exception();
        found
    }

    /// Lets initialisers be asked what they have changed.
    pub fn share(&self, properties: Option<&SystemProperties>) {
        let _ = TABLES.set(Tables {
            application: self.application,
            hooks: self.hooks,
            size: self.size,
            properties: properties.map(SystemProperties::counted),
        });
    }

    /// Waits for the threads that keep a program alive, and runs its shutdown hooks. Does nothing if it has none.
    pub fn run(&self, env: Env) {
        if control::current().is_none() || !self.has_hooks(env) {
            return;
        }
        while let Some(thread) = control::with_machine(|machine| machine.keeps_alive()).flatten() {
            if control::event(plain(EventKind::Join, thread.0.into())).is_err() {
                return;
            }
        }
        env.call_static(self.class, self.shutdown, b'V', &[]);
        // A thread that has to leave does so by an exception.
        env.drop_exception();
        // Java waits for nobody now.
        if control::with_machine(|machine| machine.keeps_alive()).flatten().is_some() {
            control::stop(Stop::Exit(0));
        }
    }

    /// Whether there are hooks that have not run.
    pub fn has_hooks(&self, env: Env) -> bool {
        env.frame(|| {
            // SAFETY: the field is a reference.
            let hooks = unsafe { env.get_static(self.application, self.hooks, b'L').l };
            // SAFETY: the field is an int.
            !hooks.is_null() && unsafe { env.get_field(hooks, self.size, b'I').i } > 0
        })
    }

    /// Nobody has registered a hook.
    pub fn restore(&mut self, env: Env) {
        env.frame(|| {
            // SAFETY: the field is a reference.
            let hooks = unsafe { env.get_static(self.application, self.hooks, b'L').l };
            // SAFETY: the field is an int.
            let is_touched = unsafe { env.get_field(self.empty, self.size, b'I').i } > 0;
            if is_touched {
                env.delete_global(self.empty);
                self.empty = env.global(env.construct(self.table, self.new_table, &[]));
            }
            if !env.same(hooks, self.empty) {
                env.put_static(self.application, self.hooks, b'L', jvalue { l: self.empty });
            }
            if let Some((class, files, names, new_names)) = self.files {
                // SAFETY: the field is a reference.
                if unsafe { env.get_static(class, files, b'L').l }.is_null() {
                    env.put_static(class, files, b'L', jvalue { l: env.construct(names, new_names, &[]) });
                }
            }
        });
    }
}

/// Where to see how many system properties and shutdown hooks there are.
struct Tables {
    application: jclass,
    hooks: jfieldID,
    size: jfieldID,
    /// The class and the static field of the properties, the field of their map, and the field that counts.
    properties: Option<(jclass, jfieldID, jfieldID, jfieldID)>,
}

// SAFETY: the classes are global references, and identifiers are valid in every thread.
unsafe impl Send for Tables {}
// SAFETY: as above.
unsafe impl Sync for Tables {}

static TABLES: OnceLock<Tables> = OnceLock::new();

/// How many system properties and shutdown hooks there are.
pub fn tables(env: Env) -> (i64, i32) {
    let Some(tables) = TABLES.get() else { return (0, 0) };
    // SAFETY: these are fields of these types.
    env.frame(|| unsafe {
        let properties = tables.properties.map_or(0, |(system, held, map, counted)| {
            let map = env.get_field(env.get_static(system, held, b'L').l, map, b'L').l;
            env.get_field(map, counted, b'J').j
        });
        let hooks = env.get_static(tables.application, tables.hooks, b'L').l;
        (properties, if hooks.is_null() { 0 } else { env.get_field(hooks, tables.size, b'I').i })
    })
}

fn files(env: Env) -> Option<(jclass, jfieldID, jclass, jmethodID)> {
    let class = env.find_class("java/io/DeleteOnExitHook")?;
    let names = env.find_class("java/util/LinkedHashSet")?;
    let files = env.static_field(class, "files", "Ljava/util/LinkedHashSet;")?;
    Some((env.global(class), files, env.global(names), env.method(names, "<init>", "()V")?))
}

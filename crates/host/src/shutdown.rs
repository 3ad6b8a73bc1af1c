//! The end of a program: shutdown hooks run once its threads have ended.
//!
//! The virtual machine itself goes on to the next execution. So what the JDK does when a machine ends is called
//! here, by the first thread of the execution, and what it changes is put back before the next one.

use crate::control;
use crate::jni::Env;
use crate::machine::{Stop, plain};
use crate::tables;
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};
use schedule::EventKind;

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
    /// The files that are deleted in the end: what holds their names, which is gone after that, and how to make it
    /// anew.
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

    /// Where to see how many hooks there are: the class and the static field of their table, and the field that counts.
    pub fn counted(&self) -> (jclass, jfieldID, jfieldID) {
        (self.application, self.hooks, self.size)
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

    /// What is not known of the hooks of a program that has ended, in words.
    pub fn doubts(&self, env: Env) -> Vec<String> {
        let late = self.has_hooks(env).then_some("a shutdown hook that was registered late was not run");
        let once =
            tables::hooks_by_initialiser().then_some("a static initialiser registers a shutdown hook, which runs once");
        late.into_iter().chain(once).map(str::to_owned).collect()
    }

    /// Whether there are hooks that have not run.
    fn has_hooks(&self, env: Env) -> bool {
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

fn files(env: Env) -> Option<(jclass, jfieldID, jclass, jmethodID)> {
    let class = env.find_class("java/io/DeleteOnExitHook")?;
    let names = env.find_class("java/util/LinkedHashSet")?;
    let files = env.static_field(class, "files", "Ljava/util/LinkedHashSet;")?;
    Some((env.global(class), files, env.global(names), env.method(names, "<init>", "()V")?))
}

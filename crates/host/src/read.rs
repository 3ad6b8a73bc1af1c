//! Reads objects of the virtual machine into values of ours.
//!
//! All of it runs without control: it must not be part of an execution. It calls methods of the JDK only.

use crate::control;
use crate::graph::{Bounds, Kind, Layouts, Reader, Seen};
use crate::jni::Env;
use crate::jvm::JvmError;
use crate::outcome::Thrown;
use crate::raw;
use crate::thrown::ReadingThrown;
use classfile::Flags;
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};

/// Methods and fields that reading needs, and what it knows of classes.
pub struct Reading {
    layouts: Layouts,
    thrown: ReadingThrown,
    handler: jfieldID,
    default_handler: jfieldID,
    blocker: jfieldID,
    interrupted: jfieldID,
    current_thread: jmethodID,
    is_daemon: jmethodID,
    name: jfieldID,
    thread_class: jclass,
    group_class: jclass,
}

// SAFETY: method identifiers are valid in every thread, and these classes are never unloaded.
unsafe impl Send for Reading {}
// SAFETY: as above.
unsafe impl Sync for Reading {}

impl Reading {
    /// Looks the methods up.
    pub fn new(env: Env) -> Result<Self, JvmError> {
        let missing = || JvmError::Missing("class Thread");
        let thread_class = env.global(env.find_class("java/lang/Thread").ok_or_else(missing)?);
        let of_handler = "Ljava/lang/Thread$UncaughtExceptionHandler;";
        let handler = env.field(thread_class, "uncaughtExceptionHandler", of_handler).ok_or_else(missing)?;
        let default_handler = env.static_field(thread_class, "defaultUncaughtExceptionHandler", of_handler);
        let class_class = env.find_class("java/lang/Class");
        let get_name = class_class.and_then(|class| env.method(class, "getName", "()Ljava/lang/String;"));
        let current_thread = env.static_method(thread_class, "currentThread", "()Ljava/lang/Thread;");
        Ok(Reading {
            layouts: Layouts::new(get_name.ok_or(JvmError::Missing("methods of java.lang"))?),
            thrown: ReadingThrown::new(env)?,
            handler,
            default_handler: default_handler.ok_or_else(missing)?,
            blocker: env.field(thread_class, "parkBlocker", "Ljava/lang/Object;").ok_or_else(missing)?,
            interrupted: env.field(thread_class, "interrupted", "Z").ok_or_else(missing)?,
            current_thread: current_thread.ok_or_else(missing)?,
            name: env.field(thread_class, "name", "Ljava/lang/String;").ok_or_else(missing)?,
            is_daemon: env.method(thread_class, "isDaemon", "()Z").ok_or_else(missing)?,
            group_class: env.global(env.find_class("java/lang/ThreadGroup").ok_or_else(missing)?),
            thread_class,
        })
    }

    /// Whether the end of a thread may take the monitor of an object: it is a thread, or a group of threads.
    pub fn is_of_ends(&self, env: Env, object: jobject) -> bool {
        env.is_instance(object, self.thread_class) || env.is_instance(object, self.group_class)
    }

    /// What is known of classes.
    pub fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// The name of an object's class: `java.lang.String`.
    pub fn class_name(&self, env: Env, object: jobject) -> String {
        control::uncontrolled(|| self.layouts.of(env, object).name.to_string())
    }

    /// The name of a class, likewise.
    pub fn name_of_class(&self, env: Env, class: jclass) -> String {
        control::uncontrolled(|| self.layouts.class_name(env, class))
    }

    /// The name of the class of what a thread runs: of its task, or its own if it has none.
    pub fn class_of_task(&self, env: Env, thread: jobject) -> String {
        let object = |object: jobject, name| match self.instance_field(env, object, name)? {
            // SAFETY: the letter says that it is a reference.
            (value, b'L') => Some(unsafe { value.l }).filter(|object| !object.is_null()),
            _ => None,
        };
        control::uncontrolled(|| {
            env.frame(|| {
                // In a holder since Java 19.
                let task = object(thread, "target").or_else(|| object(object(thread, "holder")?, "task"));
                self.class_name(env, task.unwrap_or(thread))
            })
        })
    }

    /// An exception.
    pub fn thrown(&self, env: Env, exception: jobject) -> Thrown {
        self.thrown.read(env, &self.layouts, exception)
    }

    /// Whether a thread has a handler for exceptions that nobody has caught.
    pub fn has_handler(&self, env: Env, thread: jobject) -> bool {
        // SAFETY: the fields are references.
        unsafe {
            !env.get_field(thread, self.handler, b'L').l.is_null()
                || !env.get_static(self.thread_class, self.default_handler, b'L').l.is_null()
        }
    }

    /// The calls that the current thread is in, innermost first.
    pub fn stack(&self, env: Env) -> Vec<String> {
        self.thrown.stack(env)
    }

    /// The first letter of the descriptor of an array's elements.
    pub fn element_letter(&self, env: Env, array: jobject) -> Option<u8> {
        match self.layouts.of(env, array).kind {
            Kind::Array(letter) => Some(letter),
            _ => None,
        }
    }

    /// What a field of an object holds, with the first letter of its descriptor.
    pub fn instance_field(&self, env: Env, object: jobject, name: &str) -> Option<(jvalue, u8)> {
        let layout = self.layouts.of(env, object);
        let field = layout.field(name)?;
        Some((env.get_field(object, field.id, field.letter), field.letter))
    }

    /// What a static field holds, likewise.
    pub fn static_field(&self, env: Env, class: &str, name: &str) -> Option<(jvalue, u8)> {
        let class = self.class_for_name(env, class)?;
        let mut found = None;
        raw::for_each_field(env, class, |field, descriptor, modifiers| {
            if field == name && modifiers & Flags::STATIC.0 as i32 != 0 {
                found = env.static_field(class, &field, &descriptor).map(|id| (id, descriptor.as_bytes()[0]));
            }
            env.take_exception();
        });
        let (id, letter) = found?;
        Some((env.get_static(class, id, letter), letter))
    }

    /// A class, also from inside a hook, where the virtual machine would look among those of the JDK only.
    fn class_for_name(&self, env: Env, class: &str) -> Option<jclass> {
        let (class_class, loader_class) =
            (env.find_class("java/lang/Class")?, env.find_class("java/lang/ClassLoader")?);
        let loader = env.static_method(loader_class, "getSystemClassLoader", "()Ljava/lang/ClassLoader;")?;
        let descriptor = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
        let for_name = env.static_method(class_class, "forName", descriptor)?;
        let name = env.string(&class.replace('/', "."))?;
        // SAFETY: both methods return references.
        let class = unsafe {
            let loader = env.call_static(loader_class, loader, b'L', &[]);
            env.call_static(class_class, for_name, b'L', &[jvalue { l: name }, jvalue { z: false }, loader]).l
        };
        (env.take_exception().is_none() && !class.is_null()).then_some(class)
    }

    /// Whether the virtual machine would end without waiting for a thread.
    pub fn is_daemon(&self, env: Env, thread: jobject) -> bool {
        // SAFETY: the method returns a boolean.
        control::uncontrolled(|| unsafe { env.call(thread, self.is_daemon, b'Z', &[]).z })
    }

    /// Whether an object that has a file descriptor writes to standard output or error.
    pub fn is_standard_output(&self, env: Env, object: jobject) -> bool {
        let field = |object: jobject| self.instance_field(env, object, "fd").filter(|_| !object.is_null());
        control::uncontrolled(|| {
            env.frame(|| {
                // SAFETY: the letter says that it is a reference.
                let descriptor =
                    field(object).filter(|(_, letter)| *letter == b'L').map(|(value, _)| unsafe { value.l });
                let number = descriptor.filter(|descriptor| !descriptor.is_null()).and_then(field);
                // SAFETY: the letter says that it is a number.
                number.is_some_and(|(value, letter)| letter == b'I' && matches!(unsafe { value.i }, 1 | 2))
            })
        })
    }

    /// The name of a thread.
    pub fn thread_name(&self, env: Env, thread: jobject) -> String {
        // SAFETY: the field is a reference.
        let name = unsafe { env.get_field(thread, self.name, b'L').l };
        if name.is_null() { String::new() } else { env.text(name) }
    }

    /// The current thread.
    pub fn current(&self, env: Env) -> jobject {
        // SAFETY: the method returns a reference.
        control::uncontrolled(|| unsafe { env.call_static(self.thread_class, self.current_thread, b'L', &[]).l })
    }

    /// The current thread was told that it is interrupted, and is so no longer.
    pub fn forget_interrupt(&self, env: Env) {
        env.put_field(self.current(env), self.interrupted, b'Z', jvalue { z: false });
    }

    /// A value that a call gave, whole, except that the objects in `known` are not looked into; `letter` is the first of
    /// its descriptor.
    pub fn graph(&self, env: Env, value: jvalue, letter: u8, bounds: Bounds, known: &[i32]) -> Seen {
        Reader::new(env, &self.layouts, bounds, known).read(value, letter)
    }

    /// The same, except that no object is looked into.
    pub fn identity(&self, env: Env, value: jvalue, letter: u8) -> Seen {
        Reader::new(env, &self.layouts, Bounds::default(), &[]).identify(value, letter)
    }

    /// What the current thread is parked for, if it has said so.
    pub fn park_blocker(&self, env: Env) -> Option<jobject> {
        // SAFETY: the field is a reference.
        let blocker = unsafe { env.get_field(self.current(env), self.blocker, b'L').l };
        Some(blocker).filter(|blocker| !blocker.is_null())
    }

    /// The thread that owns a lock of `java.util.concurrent`.
    pub fn owner(&self, env: Env, lock: jobject) -> Option<jobject> {
        let layout = self.layouts.of(env, lock);
        let field = layout.field("exclusiveOwnerThread").filter(|field| field.letter == b'L')?;
        // SAFETY: the letter says that it is a reference.
        Some(unsafe { env.get_field(lock, field.id, b'L').l }).filter(|owner| !owner.is_null())
    }
}

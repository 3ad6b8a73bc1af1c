//! Reads objects of the virtual machine into values of ours.
//!
//! All of it runs without control: it must not be part of an execution. It calls methods of the JDK only,
//! except that an exception's own `getMessage` may be overridden.

use crate::control;
use crate::jni::Env;
use crate::jvm::JvmError;
use crate::outcome::{Thrown, Value};
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};

/// Methods that reading needs.
pub struct Reading {
    get_name: jmethodID,
    get_message: jmethodID,
    get_stack_trace: jmethodID,
    to_string: jmethodID,
    handler: jfieldID,
    default_handler: jfieldID,
    thread_class: jclass,
}

// SAFETY: method identifiers are valid in every thread, and these classes are never unloaded.
unsafe impl Send for Reading {}
// SAFETY: as above.
unsafe impl Sync for Reading {}

impl Reading {
    /// Looks the methods up.
    pub fn new(env: Env) -> Result<Self, JvmError> {
        let method = |class: &str, name: &str, descriptor: &str| {
            let found = env.find_class(class).and_then(|class| env.method(class, name, descriptor));
            found.ok_or(JvmError::Missing("methods of java.lang"))
        };
        let missing = || JvmError::Missing("class Thread");
        let thread_class = env.global(env.find_class("java/lang/Thread").ok_or_else(missing)?);
        let of_handler = "Ljava/lang/Thread$UncaughtExceptionHandler;";
        let handler = env.field(thread_class, "uncaughtExceptionHandler", of_handler).ok_or_else(missing)?;
        let default_handler = env.static_field(thread_class, "defaultUncaughtExceptionHandler", of_handler);
        Ok(Reading {
            thread_class,
            handler,
            default_handler: default_handler.ok_or_else(missing)?,
            get_name: method("java/lang/Class", "getName", "()Ljava/lang/String;")?,
            get_message: method("java/lang/Throwable", "getMessage", "()Ljava/lang/String;")?,
            get_stack_trace: method("java/lang/Throwable", "getStackTrace", "()[Ljava/lang/StackTraceElement;")?,
            to_string: method("java/lang/StackTraceElement", "toString", "()Ljava/lang/String;")?,
        })
    }

    /// The name of an object's class: `java.lang.String`.
    pub fn class_name(&self, env: Env, object: jobject) -> String {
        control::uncontrolled(|| {
            let class = env.class_of(object);
            self.text(env, class, self.get_name).unwrap_or_default()
        })
    }

    /// An exception.
    pub fn thrown(&self, env: Env, exception: jobject) -> Thrown {
        control::uncontrolled(|| {
            env.frame(|| {
                let class = self.class_name(env, exception);
                let message = self.text(env, exception, self.get_message);
                // SAFETY: the method returns a reference.
                let trace = unsafe { env.call(exception, self.get_stack_trace, b'L', &[]).l };
                let mut frames = Vec::new();
                if env.take_exception().is_none() && !trace.is_null() {
                    for index in 0..env.array_length(trace).min(MAX_FRAMES) {
                        let frame = env.frame(|| self.text(env, env.element(trace, index), self.to_string));
                        frames.extend(frame);
                    }
                }
                Thrown { class, message, frames }
            })
        })
    }

    /// Whether a thread has a handler for exceptions that nobody has caught.
    pub fn has_handler(&self, env: Env, thread: jobject) -> bool {
        // SAFETY: the fields are references.
        unsafe {
            !env.get_field(thread, self.handler, b'L').l.is_null()
                || !env.get_static(self.thread_class, self.default_handler, b'L').l.is_null()
        }
    }

    /// A value that a call gave; `letter` is the first of its descriptor.
    pub fn value(&self, env: Env, value: jvalue, letter: u8, number: impl FnOnce(jobject) -> u32) -> Value {
        // SAFETY: the letter tells which member of the union was written.
        unsafe {
            match letter {
                b'V' => Value::Void,
                b'Z' => Value::Boolean(value.z),
                b'B' => Value::Byte(value.b),
                b'C' => Value::Char(value.c),
                b'S' => Value::Short(value.s),
                b'I' => Value::Int(value.i),
                b'J' => Value::Long(value.j),
                b'F' => Value::Float(value.f),
                b'D' => Value::Double(value.d),
                _ if value.l.is_null() => Value::Null,
                _ => env.frame(|| match self.class_name(env, value.l) {
                    class if class == "java.lang.String" => Value::String(env.text(value.l)),
                    class => Value::Object { class, number: number(value.l) },
                }),
            }
        }
    }

    /// What a method without parameters that returns a string says; None for null or an exception.
    fn text(&self, env: Env, object: jobject, method: jmethodID) -> Option<String> {
        // SAFETY: the method returns a reference.
        let string = unsafe { env.call(object, method, b'L', &[]).l };
        if env.take_exception().is_some() || string.is_null() { None } else { Some(env.text(string)) }
    }
}

/// Deeper stacks are cut: what matters is at their top.
const MAX_FRAMES: usize = 64;

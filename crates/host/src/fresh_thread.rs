//! Threads that serve every execution look to each as if they were new: without thread locals, seeds or
//! interrupts of earlier executions, and under their first name.

use crate::jdk_state::FIRST_LASTING;
use crate::jni::Env;
use jni_sys::{jfieldID, jlong, jobject, jvalue};
use schedule::ThreadId;

/// Fields of `Thread` that are cleared, with their types. Which there are depends on the version.
const CLEARED: [(&str, &str); 7] = [
    ("threadLocals", "Ljava/lang/ThreadLocal$ThreadLocalMap;"),
    ("inheritableThreadLocals", "Ljava/lang/ThreadLocal$ThreadLocalMap;"),
    ("uncaughtExceptionHandler", "Ljava/lang/Thread$UncaughtExceptionHandler;"),
    ("threadLocalRandomSeed", "J"),
    ("threadLocalRandomProbe", "I"),
    ("threadLocalRandomSecondarySeed", "I"),
    ("interrupted", "Z"),
];

/// Fields of `Thread` that get their first values back.
const KEPT: [(&str, &str); 2] = [("name", "Ljava/lang/String;"), ("contextClassLoader", "Ljava/lang/ClassLoader;")];

/// A thread with what it looked like first.
pub struct FreshThread {
    thread: jobject,
    fields: Vec<(jfieldID, u8, jvalue)>,
}

impl FreshThread {
    /// Remembers the thread that runs here, and gives it a number that is the same in every process.
    pub fn remember(env: Env, thread: ThreadId) -> Option<FreshThread> {
        let number = FIRST_LASTING + thread.0 as jlong;
        env.frame(|| {
            let class = env.find_class("java/lang/Thread")?;
            let current = env.static_method(class, "currentThread", "()Ljava/lang/Thread;")?;
            // SAFETY: the method returns a reference.
            let thread = env.global(unsafe { env.call_static(class, current, b'L', &[]).l });
            let find = |(name, descriptor): &(&str, &str)| {
                let field = env.field(class, name, descriptor);
                // This version has no such field.
                env.take_exception();
                field.map(|field| (field, descriptor.as_bytes()[0]))
            };
            let cleared = CLEARED.iter().filter_map(find).map(|(field, letter)| (field, letter, jvalue { j: 0 }));
            let kept = KEPT.iter().filter_map(find).map(|(field, letter)| {
                // SAFETY: the letter says that it is a reference.
                let first = unsafe { env.get_field(thread, field, letter).l };
                (field, letter, jvalue { l: env.global(first) })
            });
            let numbered = find(&("tid", "J")).map(|(field, letter)| (field, letter, jvalue { j: number }));
            Some(FreshThread { thread, fields: cleared.chain(kept).chain(numbered).collect() })
        })
    }

    /// Makes it look new.
    pub fn freshen(&self, env: Env) {
        for &(field, letter, value) in &self.fields {
            env.restore_field(self.thread, field, letter, value);
        }
    }
}

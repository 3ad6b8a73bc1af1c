//! Threads that serve every execution look to each as if they were new: without thread locals, seeds or
//! interrupts of earlier executions, and with their first name and priority.

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

/// The priority, which gets its first value back, too: of `Thread`, or since Java 19 of what it holds.
const PRIORITY: (&str, &str) = ("priority", "I");
const HOLDER: &str = "java/lang/Thread$FieldHolder";

/// A thread with what it looked like first.
pub struct FreshThread {
    thread: jobject,
    fields: Vec<(jfieldID, u8, jvalue)>,
    /// The object that has its priority, the field, and the value.
    priority: Option<(jobject, jfieldID, jvalue)>,
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
            let fields = cleared.chain(kept).chain(numbered).collect();
            let holder = env.field(class, "holder", &format!("L{HOLDER};"));
            env.take_exception();
            let (owner, declared) = match holder {
                // SAFETY: the field is a reference.
                Some(holder) => (env.global(unsafe { env.get_field(thread, holder, b'L').l }), env.find_class(HOLDER)?),
                None => (thread, class),
            };
            let priority = env.field(declared, PRIORITY.0, PRIORITY.1);
            env.take_exception();
            let priority = priority.map(|field| (owner, field, env.get_field(owner, field, b'I')));
            Some(FreshThread { thread, fields, priority })
        })
    }

    /// Makes it look new.
    pub fn freshen(&self, env: Env) {
        for &(field, letter, value) in &self.fields {
            env.restore_field(self.thread, field, letter, value);
        }
        if let Some((owner, field, value)) = self.priority {
            env.restore_field(owner, field, b'I', value);
        }
    }
}

//! The common pool of the JDK, made anew after executions that may have used it.
//!
//! Its threads are started by the first who needs them and live on. Here they end with their execution, and
//! a pool that still counts on them would be no pool.

use crate::jni::Env;
use classfile::{ClassFile, Flags};
use jni_sys::{jclass, jfieldID, jmethodID, jvalue};

/// The class of the pool.
const POOL: &str = "java/util/concurrent/ForkJoinPool";

/// Static fields that hold the pool, with their types. Which of the last there are depends on the version.
const HOLDERS: [(&str, &str, &str); 4] = [
    (POOL, "common", "Ljava/util/concurrent/ForkJoinPool;"),
    ("java/util/concurrent/CompletableFuture", "ASYNC_POOL", "Ljava/util/concurrent/ForkJoinPool;"),
    ("java/util/concurrent/CompletableFuture", "ASYNC_POOL", "Ljava/util/concurrent/Executor;"),
    ("java/util/concurrent/SubmissionPublisher", "ASYNC_POOL", "Ljava/util/concurrent/Executor;"),
];

/// Lets a class that holds the pool be given another: the compiler would take a final field for a constant.
pub fn make_renewable(class: &mut ClassFile<'_>) {
    let name = class.name().to_string();
    let is_holder = |field: &str| HOLDERS.iter().any(|(holder, held, _)| *holder == name && *held == field);
    for field in &mut class.fields {
        if is_holder(&class.constants.utf8(field.name).to_str()) {
            field.flags = field.flags.without(Flags::FINAL);
        }
    }
}

/// How to make the pool anew.
pub struct CommonPool {
    class: jclass,
    constructor: jmethodID,
    holders: Vec<(jclass, jfieldID)>,
}

impl CommonPool {
    /// None if this version has its pool in another way.
    pub fn find(env: Env) -> Option<CommonPool> {
        env.frame(|| {
            let class = env.global(env.find_class(POOL)?);
            let constructor = env.method(class, "<init>", "(B)V");
            let holder = |(holder, field, descriptor): &(&str, &str, &str)| {
                let class = env.find_class(holder)?;
                let found = env.static_field(class, field, descriptor).map(|field| (env.global(class), field));
                // This version has no such field.
                env.take_exception();
                found
            };
            let holders = HOLDERS.iter().filter_map(holder).collect();
            env.take_exception();
            Some(CommonPool { class, constructor: constructor?, holders })
        })
    }

    /// Makes it anew, for all who hold it.
    pub fn renew(&self, env: Env) {
        let Some(&(holder, common)) = self.holders.first() else { return };
        env.frame(|| {
            // SAFETY: the field holds a reference.
            let old = unsafe { env.get_static(holder, common, b'L').l };
            let new = env.construct(self.class, self.constructor, &[jvalue { b: 0 }]);
            if env.drop_exception() {
                return;
            }
            for &(holder, field) in &self.holders {
                // SAFETY: the field holds a reference.
                if env.same(unsafe { env.get_static(holder, field, b'L').l }, old) {
                    env.put_static(holder, field, b'L', jvalue { l: new });
                }
            }
        });
    }
}

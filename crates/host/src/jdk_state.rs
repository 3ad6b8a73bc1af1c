//! Counters of the JDK that the code under test can see the value of: numbers and names of threads, and
//! seeds. They are set back before every execution.

use crate::jni::Env;
use jni_sys::{jclass, jfieldID, jint, jlong, jobject, jvalue};

/// Where a counter starts.
#[derive(Clone, Copy)]
enum Start {
    /// Where it was when the virtual machine was up, which is the same in every process.
    There,
    /// At a number of our own, for that is not.
    At(jlong),
}

/// The number of the first thread that an execution starts. Those that serve every execution have numbers
/// below, and those of the virtual machine itself are below these.
const FIRST_STARTED: jlong = 200;
/// The number of the first thread that serves every execution.
pub const FIRST_LASTING: jlong = 100;

/// Any number will do.
const SEED: jlong = 0x5eed_5eed_5eed;

/// Static fields that count. Which there are depends on the version.
const COUNTERS: [(&str, &str, &str, Start); 13] = [
    // How far the virtual machine is on its way to its end.
    ("jdk/internal/misc/VM", "initLevel", "I", Start::There),
    ("java/lang/Shutdown", "currentRunningHook", "I", Start::There),
    ("java/lang/Thread", "threadInitNumber", "I", Start::There),
    ("java/lang/Thread", "threadSeqNumber", "J", Start::At(FIRST_STARTED)),
    ("java/lang/Thread$ThreadNumbering", "next", "I", Start::There),
    ("java/lang/ThreadLocal", "nextHashCode", ATOMIC_INT, Start::There),
    ("java/util/Random", "seedUniquifier", ATOMIC_LONG, Start::There),
    ("java/util/SplittableRandom", "defaultGen", ATOMIC_LONG, Start::At(SEED)),
    ("java/util/concurrent/ThreadLocalRandom", "seeder", ATOMIC_LONG, Start::At(SEED)),
    ("java/util/concurrent/ThreadLocalRandom", "probeGenerator", ATOMIC_INT, Start::At(SEED)),
    ("java/util/concurrent/Executors$DefaultThreadFactory", "poolNumber", ATOMIC_INT, Start::There),
    ("java/util/concurrent/ForkJoinPool", "poolIds", "I", Start::There),
    ("java/util/concurrent/ForkJoinPool", "poolNumberSequence", "I", Start::There),
];

const ATOMIC_INT: &str = "Ljava/util/concurrent/atomic/AtomicInteger;";
const ATOMIC_LONG: &str = "Ljava/util/concurrent/atomic/AtomicLong;";

/// The counters with the values they had first.
pub struct JdkState {
    counters: Vec<Counter>,
    /// The address of the next thread's number, since Java 21.
    next_thread: Option<*mut i64>,
}

enum Counter {
    Field { class: jclass, field: jfieldID, letter: u8, value: jvalue },
    Atomic { object: jobject, field: jfieldID, letter: u8, value: jvalue },
}

impl JdkState {
    /// Remembers all counters as they are now.
    pub fn remember(env: Env) -> Self {
        let counters = COUNTERS.iter().filter_map(|&(class, field, descriptor, start)| {
            let mut counter = env.frame(|| counter(env, class, field, descriptor));
            // This version has no such counter.
            env.take_exception();
            if let Some(Counter::Field { letter, value, .. } | Counter::Atomic { letter, value, .. }) = &mut counter
                && let Start::At(number) = start
            {
                *value = if *letter == b'J' { jvalue { j: number } } else { jvalue { i: number as jint } };
            }
            counter
        });
        JdkState { counters: counters.collect(), next_thread: env.frame(|| next_thread(env)) }
    }

    /// Sets all counters back.
    pub fn restore(&self, env: Env) {
        for counter in &self.counters {
            match counter {
                Counter::Field { class, field, letter, value } => {
                    env.put_static(*class, *field, *letter, *value);
                }
                Counter::Atomic { object, field, letter, value } => {
                    env.restore_field(*object, *field, *letter, *value);
                }
            }
        }
        if let Some(address) = self.next_thread {
            // SAFETY: the virtual machine has told that it counts threads there, and no thread starts now.
            unsafe { address.write_volatile(FIRST_STARTED) };
        }
    }
}

fn counter(env: Env, class: &str, field: &str, descriptor: &str) -> Option<Counter> {
    let class = env.global(env.find_class(class)?);
    let id = env.static_field(class, field, descriptor)?;
    let letter = descriptor.as_bytes()[0];
    let value = env.get_static(class, id, letter);
    if letter != b'L' {
        return Some(Counter::Field { class, field: id, letter, value });
    }
    // SAFETY: the letter says that it is a reference.
    let object = env.global(unsafe { value.l });
    let of = env.class_of(object);
    let letter = if descriptor.contains("Long") { b'J' } else { b'I' };
    let field = env.field(of, "value", if letter == b'J' { "J" } else { "I" })?;
    let value = env.get_field(object, field, letter);
    Some(Counter::Atomic { object, field, letter, value })
}

fn next_thread(env: Env) -> Option<*mut i64> {
    let class = env.find_class("java/lang/Thread")?;
    let Some(method) = env.static_method(class, "getNextThreadIdOffset", "()J") else {
        env.take_exception();
        return None;
    };
    // SAFETY: the method returns a long.
    let address = unsafe { env.call_static(class, method, b'J', &[]).j } as *mut i64;
    (!address.is_null()).then_some(address)
}

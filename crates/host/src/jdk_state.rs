//! Counters of the JDK that the code under test can see the value of: numbers and names of threads, and
//! seeds. They are set back before every execution.

use crate::jni::Env;
use jni_sys::{jclass, jfieldID, jlong, jobject, jvalue};

/// Static fields that count. Which there are depends on the version.
const COUNTERS: [(&str, &str, &str); 9] = [
    ("java/lang/Thread", "threadInitNumber", "I"),
    ("java/lang/Thread", "threadSeqNumber", "J"),
    ("java/lang/Thread$ThreadNumbering", "next", "I"),
    ("java/lang/ThreadLocal", "nextHashCode", "Ljava/util/concurrent/atomic/AtomicInteger;"),
    ("java/util/Random", "seedUniquifier", "Ljava/util/concurrent/atomic/AtomicLong;"),
    ("java/util/concurrent/ThreadLocalRandom", "probeGenerator", "Ljava/util/concurrent/atomic/AtomicInteger;"),
    (
        "java/util/concurrent/Executors$DefaultThreadFactory",
        "poolNumber",
        "Ljava/util/concurrent/atomic/AtomicInteger;",
    ),
    ("java/util/concurrent/ForkJoinPool", "poolIds", "I"),
    ("java/util/concurrent/ForkJoinPool", "poolNumberSequence", "I"),
];

/// Static fields that differ from process to process when they are first looked at. They start with
/// [`SEED`] instead.
const SEEDS: [(&str, &str, &str); 2] = [
    ("java/util/SplittableRandom", "defaultGen", "Ljava/util/concurrent/atomic/AtomicLong;"),
    ("java/util/concurrent/ThreadLocalRandom", "seeder", "Ljava/util/concurrent/atomic/AtomicLong;"),
];

/// Any number will do.
const SEED: jlong = 0x5eed_5eed_5eed;

/// The counters with the values they had first.
pub struct JdkState {
    counters: Vec<Counter>,
    /// The address of the next thread's number, since Java 21.
    next_thread: Option<(*mut i64, i64)>,
}

enum Counter {
    Field { class: jclass, field: jfieldID, letter: u8, value: jvalue },
    Atomic { object: jobject, field: jfieldID, letter: u8, value: jvalue },
}

impl JdkState {
    /// Remembers all counters as they are now.
    pub fn remember(env: Env) -> Self {
        let find = |(class, field, descriptor): &(&str, &str, &str)| {
            let counter = env.frame(|| counter(env, class, field, descriptor));
            // This version has no such counter.
            env.take_exception();
            counter
        };
        let seeds = SEEDS.iter().filter_map(find).map(|mut seed| {
            let (Counter::Field { value, .. } | Counter::Atomic { value, .. }) = &mut seed;
            value.j = SEED;
            seed
        });
        let counters = COUNTERS.iter().filter_map(find).chain(seeds).collect();
        JdkState { counters, next_thread: env.frame(|| next_thread(env)) }
    }

    /// Sets all counters back.
    pub fn restore(&self, env: Env) {
        for counter in &self.counters {
            match counter {
                Counter::Field { class, field, letter, value } => {
                    env.put_static(*class, *field, *letter, *value);
                }
                Counter::Atomic { object, field, letter, value } => {
                    env.put_field(*object, *field, *letter, *value);
                }
            }
        }
        if let Some((address, value)) = self.next_thread {
            // SAFETY: the virtual machine has told that it counts threads there, and no thread starts now.
            unsafe { address.write_volatile(value) };
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

fn next_thread(env: Env) -> Option<(*mut i64, i64)> {
    let class = env.find_class("java/lang/Thread")?;
    let Some(method) = env.static_method(class, "getNextThreadIdOffset", "()J") else {
        env.take_exception();
        return None;
    };
    // SAFETY: the method returns a long.
    let address = unsafe { env.call_static(class, method, b'J', &[]).j } as *mut i64;
    // SAFETY: it is the address of a long of the virtual machine's.
    (!address.is_null()).then(|| (address, unsafe { address.read_volatile() }))
}

//! The tests: bodies of `study/peers` with a fault, each with a twin that has none.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A test and its twin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    pub name: Cow<'static, str>,
    /// The body with a fault.
    pub fail: Cow<'static, str>,
    /// The body without.
    pub pass: Cow<'static, str>,
    /// Whether the fault shows as threads that wait for good, and as no wrong value.
    pub hangs: bool,
    pub threads: usize,
}

/// All of them.
pub const CASES: &[Case] = &[
    wrong("counter", "Counter", "CounterAtomic"),
    wrong("lost updates", "LostUpdates", "LostUpdatesBound"),
    wrong("check then act", "Registry", "RegistryAbsent"),
    wrong("last element", "LastElement", "LastElementLocked"),
    hangs("lock order", "LockOrder", "LockOrderSame", 2),
    hangs("lost notification", "Notification", "NotificationGuarded", 2),
    wrong("buffer", "Buffer", "BufferChecked"),
    wrong("reused nodes", "Stack", "StackStamped"),
    wrong("publication", "Publication", "PublicationFilled"),
    wrong("transfer", "Transfer", "TransferOneLock"),
    hangs("philosophers", "Philosophers", "PhilosophersOrdered", 3),
    wrong("reader and writer", "Pair", "PairRead"),
    wrong("spin lock", "SpinLock", "SpinLockSwap"),
];

const fn wrong(name: &'static str, fail: &'static str, pass: &'static str) -> Case {
    case(name, fail, pass, false, 2)
}

const fn hangs(name: &'static str, fail: &'static str, pass: &'static str, threads: usize) -> Case {
    case(name, fail, pass, true, threads)
}

const fn case(name: &'static str, fail: &'static str, pass: &'static str, hangs: bool, threads: usize) -> Case {
    Case { name: Cow::Borrowed(name), fail: Cow::Borrowed(fail), pass: Cow::Borrowed(pass), hangs, threads }
}

//! The tests: bodies of `study/peers` with a fault, each with a twin that has none.

use serde::Serialize;

/// A test and its twin.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Case {
    pub name: &'static str,
    /// The body with a fault.
    pub fail: &'static str,
    /// The body without.
    pub pass: &'static str,
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
    Case { name, fail, pass, hangs: false, threads: 2 }
}

const fn hangs(name: &'static str, fail: &'static str, pass: &'static str, threads: usize) -> Case {
    Case { name, fail, pass, hangs: true, threads }
}

//! Locks that block like monitors: `ReentrantLock`, unless it is fair, and its conditions.
//!
//! Taking one is one event, which waits while another thread holds it, as for a monitor. So no thread under control is ever in
//! the lock's queue, a circle of locks is a deadlock of its own kind, and there is no event for an attempt that would only wait.
//! `lock`, `tryLock` and `unlock` then do what they do, which never waits; that is in [`synchronizer`](super::synchronizer).
//! Here is what may end otherwise: attempts that time or an interrupt ends, and waits on conditions, whose queues are the
//! machine's own. A signal tells the thread that has waited longest; in which order threads take the lock back is
//! open, as the JDK leaves it. Who is interrupted leaves a condition at once.
//!
//! A thread that waits for a lock, or on a condition, is not in the queues that `getQueueLength`,
//! `hasQueuedThreads` and `getWaitingThreads` look at. So once these are asked for, locks are told as steps like
//! other synchronizers: see [`attempts`](super::attempts). How many threads wait on a condition the machine knows.

use super::fixed::{NANOS_A_MILLI, START_MILLIS, now};
use super::thread::interrupted;
use super::{functions, happen_to, interface, is_unwind, number, on, reading, synchronizer, tell};
use crate::awaited;
use crate::control::{self, Unwind};
use crate::hook_class::{BLOCKER, NO_LIMIT};
use crate::jni::Env;
use crate::machine::{Found, Woken};
use jni_sys::{JNIEnv, jboolean, jclass, jfieldID, jint, jlong, jmethodID, jobject, jvalue};
use schedule::{Event, EventKind, ObjectId};
use std::cell::Cell;
use std::sync::OnceLock;

/// Says that nothing was done, and the JDK's own method is to do it.
const NOT_DONE: jlong = -1;

/// Fields and methods of the JDK.
struct Jdk {
    state: jfieldID,
    owner: jfieldID,
    fork_join_worker: jclass,
    fork_join_pool: jclass,
    managed_block: jmethodID,
    blocker: jobject,
    to_nanos: jmethodID,
    get_time: jmethodID,
}

// SAFETY: identifiers are valid in every thread, the references are global, and these classes are never unloaded.
unsafe impl Send for Jdk {}
// SAFETY: as above.
unsafe impl Sync for Jdk {}

static JDK: OnceLock<Option<Jdk>> = OnceLock::new();

fn jdk(env: Env) -> Option<&'static Jdk> {
    let find = || {
        let found = Jdk::find(env);
        if found.is_none() {
            crate::exhausted::spoil();
        }
        found
    };
    JDK.get_or_init(|| control::uncontrolled(|| env.frame(find))).as_ref()
}

impl Jdk {
    fn find(env: Env) -> Option<Jdk> {
        let class = |name: &str| env.find_class(name);
        let synchronizer = class("java/util/concurrent/locks/AbstractQueuedSynchronizer")?;
        let ownable = class("java/util/concurrent/locks/AbstractOwnableSynchronizer")?;
        let pool = class("java/util/concurrent/ForkJoinPool")?;
        let blocker = env.allocate(class(BLOCKER)?)?;
        let blocks = "(Ljava/util/concurrent/ForkJoinPool$ManagedBlocker;)V";
        Some(Jdk {
            state: env.field(synchronizer, "state", "I")?,
            owner: env.field(ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;")?,
            fork_join_worker: env.global(class("java/util/concurrent/ForkJoinWorkerThread")?),
            managed_block: env.static_method(pool, "managedBlock", blocks)?,
            fork_join_pool: env.global(pool),
            blocker: env.global(blocker),
            to_nanos: env.method(class("java/util/concurrent/TimeUnit")?, "toNanos", "(J)J")?,
            get_time: env.method(class("java/util/Date")?, "getTime", "()J")?,
        })
    }

    /// How often a lock is taken, and by whom.
    fn held(&self, env: Env, lock: jobject) -> (jint, jobject) {
        // SAFETY: the fields are a number and a reference.
        unsafe { (env.get_field(lock, self.state, b'I').i, env.get_field(lock, self.owner, b'L').l) }
    }

    fn set_held(&self, env: Env, lock: jobject, times: jint, owner: jobject) {
        env.put_field(lock, self.owner, b'L', jvalue { l: owner });
        env.put_field(lock, self.state, b'I', jvalue { i: times });
    }
}

/// Instead of `lockInterruptibly`, without a limit, and of `tryLock` with one: 1 if the lock was taken, 0 if not, and
/// below 0 if nothing was done.
pub(super) extern "system" fn locks_within(env: *mut JNIEnv, _: jclass, lock: jobject, nanos: jlong) -> jint {
    let jni = interface(env);
    let (Some(thread), Some(jdk)) = (control::current(), jdk(jni)) else { return -1 };
    if !synchronizer::is_lock(env, lock) {
        return -1;
    }
    let event = on(EventKind::LockWithin, number(env, lock), 0);
    let taken = match nanos {
        // Who has no time only looks.
        ..=0 if nanos != NO_LIMIT => {
            if happen_to(env, lock, on(EventKind::ClearInterrupted, ObjectId::NONE, thread.0 as u32))
                == Some(Found(true))
            {
                interrupted(env);
                return 0;
            }
            tell::around(env, lock, Event { kind: EventKind::TryLock, ..event }, control::event)
        }
        _ => tell::around(env, lock, event, |event| control::event_within(event, u64::try_from(nanos).ok())),
    };
    match taken {
        Ok(Found(true)) => {
            let (current, (times, owner)) = (reading().current(jni), jdk.held(jni, lock));
            // A thread that is not under control may hold it.
            if times != 0 && !jni.same(owner, current) {
                return -1;
            }
            jdk.set_held(jni, lock, times + 1, current);
            1
        }
        Ok(Found(false)) => {
            if control::with_machine(|machine| machine.woken(thread)) == Some(Woken::Interrupted) {
                interrupted(env);
            }
            0
        }
        Err(Unwind) => {
            leave(env, lock);
            0
        }
    }
}

/// How a wait on a condition is limited.
const UNINTERRUPTIBLY: jint = 1;
const NANOS: jint = 2;
const IN_UNITS: jint = 3;
const UNTIL: jint = 4;

/// Instead of the ways to wait on a condition: says the nanoseconds that are left, or for those that say whether there was
/// time left, 1 or 0.
pub(super) extern "system" fn awaits(
    env: *mut JNIEnv,
    _: jclass,
    condition: jobject,
    time: jlong,
    limit: jobject,
    how: jint,
) -> jlong {
    let jni = interface(env);
    let (Some(thread), Some(jdk)) = (control::current(), jdk(jni)) else { return NOT_DONE };
    let Some(lock) = held_lock(env, jdk, condition) else { return NOT_DONE };
    // What the original would throw, it does.
    if limit.is_null() && how >= IN_UNITS {
        return NOT_DONE;
    }
    let nanos = match how {
        NANOS => Some(time.max(0) as u64),
        // SAFETY: the methods take a number or nothing, and return numbers.
        IN_UNITS => Some(
            control::uncontrolled(|| unsafe { jni.call(limit, jdk.to_nanos, b'J', &[jvalue { j: time }]).j }).max(0)
                as u64,
        ),
        UNTIL => {
            // SAFETY: as above.
            let millis = control::uncontrolled(|| unsafe { jni.call(limit, jdk.get_time, b'J', &[]).j });
            Some(((millis - START_MILLIS).max(0) as u64 * NANOS_A_MILLI).saturating_sub(now(env, thread)))
        }
        _ => None,
    };
    let start = if how == NANOS { now(env, thread) } else { 0 };
    let flag = if how == UNINTERRUPTIBLY { Event::UNINTERRUPTIBLE } else { 0 };
    let slot = condition_number(env, condition) | flag;
    let id = number(env, lock);
    match happen_to(env, lock, on(EventKind::Wait, id, slot)) {
        Some(Found(false)) => {}
        Some(Found(true)) => {
            interrupted(env);
            return 0;
        }
        None => return 0,
    }
    let (times, owner) = jdk.held(jni, lock);
    jdk.set_held(jni, lock, 0, std::ptr::null_mut());
    let wake = Wake { event: on(EventKind::Wake, id, slot), nanos, lock };
    match wake.managed(env, jdk, owner) {
        Ok(found) => {
            jdk.set_held(jni, lock, times, owner);
            if found == Found(true) {
                interrupted(env);
                return 0;
            }
        }
        Err(Unwind) => {
            leave(env, lock);
            return 0;
        }
    }
    let timed_out = control::with_machine(|machine| machine.woken(thread)) == Some(Woken::TimedOut);
    match how {
        // Who has no time left hears that there is none.
        NANOS => (nanos.unwrap_or(0) as jlong).saturating_sub((now(env, thread) - start) as jlong).max(0),
        _ => !timed_out as jlong,
    }
}

/// Instead of what the holder of a lock does to those that wait on a condition: 0 tells one, 1 all, 2 asks whether there are
/// any, 3 how many. Says the answer, or below 0 that nothing was done.
pub(super) extern "system" fn conditions(env: *mut JNIEnv, _: jclass, condition: jobject, how: jint) -> jint {
    // The lock asks its condition, so a look is inside a step of the lock, where the thread tells of nothing else.
    let is_look = how >= 2;
    let thread = if is_look { control::controlled() } else { control::current() };
    let (Some(_), Some(jdk)) = (thread, jdk(interface(env))) else { return -1 };
    let Some(lock) = held_lock(env, jdk, condition) else { return -1 };
    if is_look && !synchronizer::looks(env) {
        return -1;
    }
    let (id, slot) = (number(env, lock), condition_number(env, condition));
    let waiting = || control::with_machine(|machine| machine.waiting(id, slot)).unwrap_or(0) as jint;
    match how {
        0 => drop(happen_to(env, lock, on(EventKind::Notify, id, slot))),
        1 => drop(happen_to(env, lock, on(EventKind::NotifyAll, id, slot))),
        2 => return waiting().min(1),
        _ => return waiting(),
    }
    0
}

/// The lock of a condition, if it is one that blocks like a monitor, and the current thread holds it.
fn held_lock(env: *mut JNIEnv, jdk: &Jdk, condition: jobject) -> Option<jobject> {
    let jni = interface(env);
    let lock = synchronizer::lock_of_condition(env, condition)?;
    let (_, owner) = jdk.held(jni, lock);
    (!owner.is_null() && jni.same(owner, reading().current(jni))).then_some(lock)
}

/// A number that tells a condition from others, and from a monitor's own.
fn condition_number(env: *mut JNIEnv, condition: jobject) -> u32 {
    number(env, condition).0 + 1
}

/// The current thread has to leave while it wants the lock.
fn leave(env: *mut JNIEnv, lock: jobject) {
    awaited::note(interface(env), lock);
    interface(env).throw(functions().unwind.0);
}

/// The end of a wait.
#[derive(Clone, Copy)]
struct Wake {
    event: Event,
    nanos: Option<u64>,
    lock: jobject,
}

thread_local! {
    /// What a blocker is to wait for, and what came of it.
    static BLOCKS: Cell<Option<Wake>> = const { Cell::new(None) };
    static BLOCKED: Cell<Option<Result<Found, Unwind>>> = const { Cell::new(None) };
}

impl Wake {
    fn plainly(self, env: *mut JNIEnv) -> Result<Found, Unwind> {
        tell::around(env, self.lock, self.event, |event| control::event_within(event, self.nanos))
    }

    /// In a thread of a fork/join pool the pool is asked to make up for the thread that waits.
    fn managed(self, env: *mut JNIEnv, jdk: &Jdk, thread: jobject) -> Result<Found, Unwind> {
        let jni = interface(env);
        if !jni.is_instance(thread, jdk.fork_join_worker) {
            return self.plainly(env);
        }
        BLOCKS.set(Some(self));
        BLOCKED.set(None);
        jni.call_static(jdk.fork_join_pool, jdk.managed_block, b'V', &[jvalue { l: jdk.blocker }]);
        let thrown = jni.take_exception();
        match (BLOCKED.take(), thrown) {
            (Some(done), _) => done,
            (None, Some(thrown)) if is_unwind(jni, thrown) => Err(Unwind),
            // The pool has refused, so it waits all the same.
            (None, _) => self.plainly(env),
        }
    }
}

/// Whether the current thread is of a fork/join pool.
pub(super) fn is_of_pool(env: *mut JNIEnv) -> bool {
    let jni = interface(env);
    jdk(jni).is_some_and(|jdk| jni.is_instance(reading().current(jni), jdk.fork_join_worker))
}

/// What a pool lets a thread do that it makes up for.
pub(super) extern "system" fn blocks(env: *mut JNIEnv, _: jclass) -> jboolean {
    if let Some(wake) = BLOCKS.take() {
        BLOCKED.set(Some(wake.plainly(env)));
    }
    true
}

/// The current thread is about to take a lock, to try to, or to give it up. Says whether it goes on: if not, it has to leave.
pub(super) fn happens(env: *mut JNIEnv, lock: jobject, id: ObjectId, kind: EventKind) -> bool {
    let done = tell::around(env, lock, on(kind, id, 0), control::event);
    // Others leave at their next event: what gives up a lock may be in the range of a handler that does so once more.
    let leaves = done.is_err() && kind == EventKind::Lock;
    if leaves {
        leave(env, lock);
    }
    !leaves
}

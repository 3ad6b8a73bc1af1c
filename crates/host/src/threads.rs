//! Java threads as controlled threads: which is which, and those that the code under test starts itself.
//!
//! A thread is known by the identity hash of its `Thread` object. One that a controlled thread starts is
//! under control from before its `run` to after it.

use crate::control;
use crate::jni::Env;
use crate::jvmti::Jvmti;
use crate::natives;
use jni_sys::{JNIEnv, jobject};
use schedule::ThreadId;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The controlled thread of each `Thread` object, by its identity hash.
static KNOWN: Mutex<Option<HashMap<i32, Known>>> = Mutex::new(None);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    thread: ThreadId,
    /// Whether it lives on from execution to execution.
    lasting: bool,
}

/// Makes a `Thread` object known; `lasting` if it serves every execution.
pub fn know(hash: i32, thread: ThreadId, lasting: bool) {
    with_known(|known| known.insert(hash, Known { thread, lasting }));
}

/// Makes the current thread known as one that serves every execution.
pub fn know_current(env: Env, thread: ThreadId) {
    let class = env.find_class("java/lang/Thread").expect("internal bug: there is a class Thread");
    let current = env.static_method(class, "currentThread", "()Ljava/lang/Thread;");
    let current = current.expect("internal bug: there is a current thread");
    // SAFETY: the method returns a reference.
    let object = unsafe { env.call_static(class, current, b'L', &[]).l };
    know(natives::identity_hash(env.raw(), object), thread, true);
    natives::name_hash(object, &format!("raddle-{}", thread.0));
}

/// The controlled thread of a `Thread` object.
pub fn find(hash: i32) -> Option<ThreadId> {
    with_known(|known| known.get(&hash).map(|known| known.thread))
}

fn find_started(hash: i32) -> Option<ThreadId> {
    with_known(|known| known.get(&hash).filter(|known| !known.lasting).map(|known| known.thread))
}

/// Whether the code under test has started a thread, which ends with the execution.
pub fn is_started(thread: ThreadId) -> bool {
    with_known(|known| known.values().any(|known| known.thread == thread && !known.lasting))
}

/// Forgets the threads that an execution has started, and says whether there were any.
pub fn forget_started() -> bool {
    with_known(|known| {
        let all = known.len();
        known.retain(|_, known| known.lasting);
        known.len() < all
    })
}

/// How many threads were started where nothing is under control.
static UNCONTROLLED: AtomicUsize = AtomicUsize::new(0);
/// Upper bound on them. Their stacks fit into the memory of any worker; with more, what fails first for want of
/// memory is left to chance.
const MOST_UNCONTROLLED: usize = 512;

/// Notes the start of a thread that is not under control: by a static initialiser, or by another such thread. Those
/// that the JDK keeps for itself do not count. Returns whether it may start.
pub fn note_uncontrolled(thread: &str, task: &str) -> bool {
    let is_of_machine = |class: &str| class.starts_with("jdk.internal.") || class.starts_with("java.lang.ref.");
    // It frees what pictures and fonts hold outside the heap.
    let is_disposer = task == "sun.java2d.Disposer";
    let counts = !is_of_machine(thread) && !is_of_machine(task) && !is_disposer;
    !counts || UNCONTROLLED.fetch_add(1, Ordering::Relaxed) < MOST_UNCONTROLLED
}

/// How many threads that are not under control were started since the virtual machine was.
pub fn uncontrolled() -> usize {
    UNCONTROLLED.load(Ordering::Relaxed)
}

fn with_known<T>(look: impl FnOnce(&mut HashMap<i32, Known>) -> T) -> T {
    look(KNOWN.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert_default())
}

/// Called by HotSpot in a new thread.
///
/// # Safety
/// Only for HotSpot.
pub unsafe extern "system" fn thread_start(_: Jvmti, env: *mut JNIEnv, thread: jobject) {
    if let Some(id) = natives::hash_if_bound(env, thread).and_then(find_started) {
        // A thread that has to leave at once is thrown out at its first event.
        let _ = control::await_start(id, false);
    }
}

/// Called by HotSpot in a thread that ends.
///
/// # Safety
/// Only for HotSpot.
pub unsafe extern "system" fn thread_end(_: Jvmti, env: *mut JNIEnv, thread: jobject) {
    if control::is_controlled() {
        // SAFETY: HotSpot gives the interface of this thread.
        natives::tell::written(unsafe { Env::new(env) });
        natives::monitor::notify_of_end(env, thread);
    }
    control::finish();
}

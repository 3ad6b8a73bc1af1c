//! Whether the virtual machine ran out of memory or threads.
//!
//! The code under test may catch the error and go on as if nothing had been; what it does from then on depends on how
//! full the heap was, and says nothing about it. So HotSpot itself is asked.

use crate::jvmti::Jvmti;
use jni_sys::{JNIEnv, jint};
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// What there was no more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// Memory for objects, or an array larger than any memory; or for classes.
    Memory,
    /// Threads of the operating system.
    Threads,
}

/// 0 as long as there is enough of everything.
static EXHAUSTED: AtomicU8 = AtomicU8::new(0);
const MEMORY: u8 = 1;
const THREADS: u8 = 2;

/// Whether that has left something behind: memory for classes and threads do not come back, and what was asked of the virtual machine
/// meanwhile has no answer.
static LASTS: AtomicBool = AtomicBool::new(false);

/// What the virtual machine ran out of first, if it did since it was started or forgiven.
pub fn exhausted() -> Option<Exhausted> {
    match EXHAUSTED.load(Ordering::Relaxed) {
        0 => None,
        MEMORY => Some(Exhausted::Memory),
        _ => Some(Exhausted::Threads),
    }
}

/// Forgets that there was no room for an object or no stack, since what had taken it is gone. Says whether that is all that there was.
pub fn forgive() -> bool {
    let is_over = !LASTS.load(Ordering::Relaxed);
    if is_over {
        EXHAUSTED.store(0, Ordering::Relaxed);
    }
    is_over
}

/// Something was not answered for want of memory or stack, and may be taken for what is not there from now on.
pub fn spoil() {
    LASTS.store(true, Ordering::Relaxed);
}

/// More threads were to be started than may be.
pub fn note_threads() {
    spoil();
    let _ = EXHAUSTED.compare_exchange(0, THREADS, Ordering::Relaxed, Ordering::Relaxed);
}

/// The bits of the flags that say that it is the heap or threads.
const FLAG_HEAP: jint = 2;
const FLAG_THREADS: jint = 4;

/// What is said of an array that no heap has room for. No bit tells it from a want of memory for classes.
const TOO_LARGE: &[u8] = b"Requested array size exceeds VM limit";

/// Called by HotSpot in a thread that asked for what there is no more of.
///
/// # Safety
/// Only for HotSpot.
pub unsafe extern "system" fn exhausted_hook(
    _: Jvmti,
    _: *mut JNIEnv,
    flags: jint,
    _: *const c_void,
    description: *const c_char,
) {
    // SAFETY: HotSpot gives a string that lasts as long as this call, or none.
    let description = (!description.is_null()).then(|| unsafe { CStr::from_ptr(description) });
    let is_too_large = description.is_some_and(|description| description.to_bytes() == TOO_LARGE);
    if flags & FLAG_HEAP == 0 && !is_too_large {
        LASTS.store(true, Ordering::Relaxed);
    }
    let what = if flags & FLAG_THREADS != 0 { THREADS } else { MEMORY };
    // Only the first counts: what follows is its consequence.
    let _ = EXHAUSTED.compare_exchange(0, what, Ordering::Relaxed, Ordering::Relaxed);
}

//! Whether the virtual machine ran out of memory or threads.
//!
//! The code under test may catch the error and go on as if nothing had been; what it does from then on depends on how
//! full the heap was, and says nothing about it. So HotSpot itself is asked.

use crate::jvmti::Jvmti;
use jni_sys::{JNIEnv, jint};
use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicU8, Ordering};

/// What there was no more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// Memory for objects, or an array larger than any memory.
    Memory,
    /// Threads of the operating system.
    Threads,
}

/// 0 as long as there is enough of everything.
static EXHAUSTED: AtomicU8 = AtomicU8::new(0);
const MEMORY: u8 = 1;
const THREADS: u8 = 2;

/// What the virtual machine ran out of first, if it did since it was started.
pub fn exhausted() -> Option<Exhausted> {
    match EXHAUSTED.load(Ordering::Relaxed) {
        0 => None,
        MEMORY => Some(Exhausted::Memory),
        _ => Some(Exhausted::Threads),
    }
}

/// The bit of the flags that says that it is threads.
const FLAG_THREADS: jint = 4;

/// Called by HotSpot in a thread that asked for what there is no more of.
///
/// # Safety
/// Only for HotSpot.
pub unsafe extern "system" fn exhausted_hook(
    _: Jvmti,
    _: *mut JNIEnv,
    flags: jint,
    _: *const c_void,
    _: *const c_char,
) {
    let what = if flags & FLAG_THREADS != 0 { THREADS } else { MEMORY };
    // Only the first counts: what follows is its consequence.
    let _ = EXHAUSTED.compare_exchange(0, what, Ordering::Relaxed, Ordering::Relaxed);
}

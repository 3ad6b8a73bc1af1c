//! Loom's in place of what `src/sync.rs` has.

pub use crate::thread_local_of_model as thread_local;
use loom::lazy_static::Lazy;
pub use loom::sync::atomic::{AtomicU32, Ordering};
pub use loom::sync::{Mutex, MutexGuard};
pub use loom::thread::yield_now;
use std::cell::Cell;
use std::marker::PhantomData;

/// A static that is made anew in each run of a model.
pub struct LazyLock<T: 'static>(Lazy<T>);

impl<T> LazyLock<T> {
    pub const fn new(init: fn() -> T) -> Self {
        LazyLock(Lazy { init, _p: PhantomData })
    }
}

impl<T> std::ops::Deref for LazyLock<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: all of these are statics.
        let lazy: &'static Lazy<T> = unsafe { &*std::ptr::from_ref(&self.0) };
        lazy.get()
    }
}

/// A cell of each thread.
pub struct Local<T: 'static>(pub &'static loom::thread::LocalKey<Cell<T>>);

impl<T: Copy> Local<T> {
    pub fn get(&self) -> T {
        self.0.with(Cell::get)
    }

    pub fn set(&self, value: T) {
        self.0.with(|cell| cell.set(value));
    }

    pub fn replace(&self, value: T) -> T {
        self.0.with(|cell| cell.replace(value))
    }
}

/// Cells of each thread, declared as with the standard library's macro.
#[macro_export]
macro_rules! thread_local_of_model {
    ($($(#[$doc:meta])* static $name:ident: Cell<$type:ty> = const $init:block;)*) => {
        $($(#[$doc])* static $name: $crate::sync::Local<$type> = {
            loom::thread_local! { static KEY: Cell<$type> = $init; }
            $crate::sync::Local(&KEY)
        };)*
    };
}

/// Sleeping until a number changes, as the operating system does it: whoever sleeps has looked at the number while nobody
/// could wake it.
pub mod futex {
    use super::{AtomicU32, LazyLock, Mutex, Ordering};
    use loom::sync::Condvar;

    static SLEEPERS: LazyLock<(Mutex<()>, Condvar)> = LazyLock::new(|| (Mutex::new(()), Condvar::new()));

    pub fn wait(number: &AtomicU32, expected: u32) {
        let (mutex, woken) = &*SLEEPERS;
        let guard = mutex.lock().unwrap();
        // An older value would do: then whoever changed it has not been here yet, and will wake.
        if number.load(Ordering::Relaxed) == expected {
            drop(woken.wait(guard).unwrap());
        }
    }

    pub fn wake(_number: &AtomicU32) {
        let (mutex, woken) = &*SLEEPERS;
        let _guard = mutex.lock().unwrap();
        // Also those that sleep on another number: they wake for no reason, which they must bear.
        woken.notify_all();
    }
}

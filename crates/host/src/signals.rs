//! Makes room for HotSpot's signal handlers.
//!
//! Rust handles the signals of a bad access, to tell overflowing stacks. HotSpot hands what it cannot explain to the handler
//! that it found, and that one ends the process: no word about a crash would be written.

use std::ffi::c_int;

const SIGBUS: c_int = 7;
const SIGSEGV: c_int = 11;
const DEFAULT: usize = 0;

unsafe extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
}

/// Takes Rust's handlers away. For use before the virtual machine is started.
pub fn make_room() {
    for number in [SIGBUS, SIGSEGV] {
        // SAFETY: the default handling of a signal is always there, and nobody counts on the other.
        unsafe { signal(number, DEFAULT) };
    }
}

//! Any bytes are a class file that is written back as it was, or an error.

#![no_main]

#[allow(dead_code)] // Editing is the other target's.
#[path = "../../crates/classfile/tests/support/oracle.rs"]
mod oracle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = oracle::check_parse(bytes);
});

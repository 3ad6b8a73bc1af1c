//! Any class file that can be read can be edited, or says why not.

#![no_main]

#[path = "../../crates/classfile/tests/support/oracle.rs"]
mod oracle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(class) = classfile::ClassFile::parse(bytes) {
        // The file itself chooses the change, so that real classes serve as they are.
        let choice = bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
        oracle::check_edit(class, oracle::CHANGES[choice as usize % oracle::CHANGES.len()]);
    }
});

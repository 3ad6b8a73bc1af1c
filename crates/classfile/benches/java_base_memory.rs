//! How much memory reading, writing back and rewriting java.base takes, class by class.
//!
//! The peak is that of the heap beyond the classes themselves, which are in memory before. It is apart
//! from the benchmark of speed because counting costs time.

#[path = "../tests/support/rewrite.rs"]
mod rewrite;
mod support;

use classfile::ClassFile;
use peak_alloc::PeakAlloc;
use std::hint::black_box;
use support::JavaBase;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

fn main() {
    let base = JavaBase::load(!support::in_earnest());
    let largest = base.classes.iter().map(Vec::len).max().unwrap_or(0);
    println!(
        "java.base of JDK {}: {} classes, {} bytes, the largest {largest}",
        base.jdk_version,
        base.classes.len(),
        base.size()
    );
    peak("read", || base.classes.iter().for_each(|bytes| drop(black_box(ClassFile::parse(bytes).unwrap()))));
    let mut out = Vec::new();
    peak("round_trip", || {
        for bytes in &base.classes {
            out.clear();
            ClassFile::parse(bytes).unwrap().write_to(&mut out).unwrap();
        }
    });
    drop(out);
    peak("rewrite", || {
        for bytes in &base.classes {
            black_box(rewrite::rewrite(&mut ClassFile::parse(bytes).unwrap()));
        }
    });
    peak("read, all kept", || {
        let kept: Vec<_> = base.classes.iter().map(|bytes| ClassFile::parse(bytes).unwrap()).collect();
        drop(black_box(kept));
    });
}

fn peak(what: &str, pass: impl FnOnce()) {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    pass();
    println!("{what}: peak of {} bytes", HEAP.peak_usage() - before);
}

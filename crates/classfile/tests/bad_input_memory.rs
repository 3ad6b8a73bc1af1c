//! Reading a file takes no more memory than a small multiple of the file's size, whatever is in the file.
//!
//! The densest structure of the model is a frame: one byte of a `StackMapTable` becomes a `Frame` of 32
//! bytes. But it takes a byte of code to stand at, and a table with more frames than bytes of code is not
//! read, which makes 16 bytes for one; to these comes one bit for each byte of code. Next are type
//! annotations (6 bytes become 88), full frames (8 become 80) and annotations (4 become 32). A table
//! reserves memory only for entries that the file has room for beside those of all tables around it, so
//! these do not add up. The constant stands for what does not depend on the file: the first growth of small
//! vectors.
//!
//! The heap is counted for the whole process, so this file holds one test.

#[path = "support/mutation.rs"]
mod mutation;
#[path = "support/seeds.rs"]
mod seeds;
mod support;
#[path = "support/worst_cases.rs"]
mod worst_cases;

use classfile::ClassFile;
use peak_alloc::PeakAlloc;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const MULTIPLE: usize = 17;
const CONSTANT: usize = 1024;

#[test]
fn memory_is_bounded_by_the_size_of_the_file() {
    let check = |name: &str, bytes: &[u8]| {
        let peak = peak(bytes);
        assert!(peak <= MULTIPLE * bytes.len() + CONSTANT, "{name}: {} bytes took {peak}", bytes.len());
        peak as f64 / bytes.len().max(1) as f64
    };
    let mut worst = 0.0_f64;
    for (name, bytes) in worst_cases::worst_cases() {
        let multiple = check(name, &bytes);
        println!("{name}: {} bytes, {multiple:.1} times as much memory", bytes.len());
        if bytes.len() > CONSTANT {
            worst = worst.max(multiple);
        }
    }
    assert!(worst > 10.0, "the worst cases are not bad enough");

    let seeds = seeds::seeds(&support::jdks());
    let most = seeds.iter().map(|seed| check(&seed.name, &seed.bytes)).fold(0.0, f64::max);
    println!("{} real classes: at most {most:.1} times as much memory", seeds.len());

    let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (cases, most) = (Cell::new(0), Cell::new(0.0_f64));
    let result = runner.run(&(any::<Index>(), mutation::mutations()), |(seed, mutation)| {
        let seed = seed.get(&seeds);
        most.set(most.get().max(check(&seed.name, &mutation.apply(seed, &seeds))));
        cases.set(cases.get() + 1);
        Ok(())
    });
    println!("{} damaged classes: at most {:.1} times as much memory", cases.get(), most.get());
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// How many bytes are on the heap at most while the file is read, beyond those before.
fn peak(bytes: &[u8]) -> usize {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let class = ClassFile::parse(bytes);
    let peak = HEAP.peak_usage() - before;
    drop(class);
    peak
}

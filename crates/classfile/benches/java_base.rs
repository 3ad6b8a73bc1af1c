//! How fast all of java.base is read, written back and rewritten, on one core, in bytes of the original.
//!
//! The classes are in memory before the clock starts. What is measured is the toolkit and the allocator.

#[path = "../tests/support/rewrite.rs"]
mod rewrite;
mod support;

use classfile::ClassFile;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use support::JavaBase;

fn java_base(criterion: &mut Criterion) {
    let base = JavaBase::load(!support::in_earnest());
    println!("java.base of JDK {}: {} classes, {} bytes", base.jdk_version, base.classes.len(), base.size());
    let mut group = criterion.benchmark_group("java.base");
    group.throughput(Throughput::Bytes(base.size() as u64));
    group.sample_size(20).measurement_time(Duration::from_secs(15));
    group.bench_function("read", |bencher| {
        bencher.iter(|| {
            for bytes in &base.classes {
                black_box(ClassFile::parse(black_box(bytes)).unwrap());
            }
        });
    });
    let mut out = Vec::new();
    group.bench_function("round_trip", |bencher| {
        bencher.iter(|| {
            for bytes in &base.classes {
                out.clear();
                ClassFile::parse(black_box(bytes)).unwrap().write_to(&mut out).unwrap();
                black_box(&out);
            }
        });
    });
    group.bench_function("rewrite", |bencher| {
        bencher.iter(|| {
            for bytes in &base.classes {
                let mut class = ClassFile::parse(black_box(bytes)).unwrap();
                black_box(rewrite::rewrite(&mut class));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, java_base);
criterion_main!(benches);

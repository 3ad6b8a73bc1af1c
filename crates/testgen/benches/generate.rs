//! How long it takes to write a test.
//!
//! `cargo bench -p testgen --bench generate` writes tests for classes of the first JDK, as if each ran. One thread writes for all
//! workers, and what it takes is taken from them where there are as many as cores. With a part of a name behind `--`, only for
//! classes with that.

use std::time::Instant;

use analysis::{Analyzer, ByteStore};
use classpath::{ClassName, ClassPath, Jdk};
use testgen::{Feedback, Generator, Settings, Strategy};

const CLASSES: [&str; 4] = [
    "java.lang.StringBuffer",
    "java.util.Hashtable",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.atomic.AtomicReferenceArray",
];

/// So many tests are not counted: classes are read for them.
const FIRST: usize = 1_000;
const COUNTED: usize = 10_000;

fn main() {
    // `cargo test --benches` runs this too; then a few are enough.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let (first, counted) = if quick { (10, 100) } else { (FIRST, COUNTED) };
    let jdk = Jdk::installed().into_iter().next().expect("no JDK of Java 17 to 25 was found");
    let class_path = ClassPath::of_jdk(&jdk).expect("the class path of a JDK");
    println!("Java {}\n\n| class | tests | microseconds a test |\n|---|---|---|", jdk.version);
    let part = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    for class in CLASSES.into_iter().filter(|class| class.contains(&part)) {
        let (tests, micros) = write(&class_path, class, first, counted);
        println!("| {class} | {tests} | {micros:.0} |");
    }
}

/// How many tests were written, and how long each took.
fn write(class_path: &ClassPath, class: &str, first: usize, counted: usize) -> (usize, f64) {
    let name = ClassName::parse(class).expect("the name of a class");
    let bytes = ByteStore::new();
    let facts = Analyzer::new(class_path, &bytes).analyze(&name).expect("a class of the JDK");
    let settings = Settings { strategy: Strategy::Auto, seed: 1, observe: false, skip: vec![] };
    let mut generator =
        Generator::new(class_path, name.internal(), &facts, settings).expect("a class that can be tested");
    let mut next = || {
        let candidate = generator.next()?;
        generator.learn(&candidate.test, &candidate.origin, Feedback::Ran { overlapped: true, failing_probe: None });
        Some(())
    };
    let _ = std::iter::from_fn(&mut next).take(first).count();
    let begun = Instant::now();
    let tests = std::iter::from_fn(&mut next).take(counted).count();
    (tests, begun.elapsed().as_secs_f64() * 1e6 / tests.max(1) as f64)
}

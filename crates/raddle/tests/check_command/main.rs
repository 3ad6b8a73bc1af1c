//! `raddle check`: from bare classes to violations that replay.

mod bad_input;
mod classes;
mod clean;
mod excused;
mod found;
mod kept;
mod missing;
mod same_seed;
mod stalled;
mod statics;
mod stopped;
mod support;
mod verdicts;

use classpath::Jdk;

/// Every JDK on the machine; the tests need at least one.
fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

/// Whether tests try every class with every seed and JDK, as a person asks for by `RADDLE_SEEDS=all`.
fn is_thorough() -> bool {
    std::env::var("RADDLE_SEEDS").is_ok_and(|seeds| seeds == "all")
}

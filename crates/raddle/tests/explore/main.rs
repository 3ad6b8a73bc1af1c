//! Exploration on real JVMs: what fails is found, what passes is certified.

#[path = "../../../emit/tests/java/calls.rs"]
#[allow(dead_code)] // For other tests.
mod calls;
#[path = "../../../emit/tests/java/cases.rs"]
#[allow(dead_code)]
mod cases;
mod certified;
mod command;
mod emitted;
#[path = "../engine/fixtures.rs"]
mod fixtures;
mod found;
mod holes;
mod honest;
mod junit;
mod missing;
mod programs;
mod statics;
mod stopped;
mod support;
mod time;
#[path = "../engine/worker.rs"]
mod worker;

use classpath::Jdk;
use raddle::worker::protocol::{Explore, Explorer};

/// Every JDK on the machine; the tests need at least one.
fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

const AUTO: Explore = Explore {
    explorer: Explorer::Auto,
    seed: 1,
    executions: 20_000,
    events: None,
    millis: None,
    first: false,
    explain_millis: 0,
    must_end: false,
    may_lengthen: false,
    events_alone: None,
};

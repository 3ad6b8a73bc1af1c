//! Bytes that are no class file, or hardly one, give an error with its place or a class that can be used:
//! never a panic.
//!
//! The cases are the same in every run. What a case must keep is said in `support/oracle.rs`.

#[path = "support/mutation.rs"]
mod mutation;
#[path = "support/oracle.rs"]
mod oracle;
#[path = "support/seeds.rs"]
mod seeds;
mod support;
#[path = "support/worst_cases.rs"]
mod worst_cases;

use classfile::{ClassFile, ParseErrorKind};
use mutation::Mutation;
use oracle::{CHANGES, Change, check_edit, check_parse};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};
use seeds::{Seed, seeds};
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::OnceLock;

/// How the cases of a run went.
#[derive(Default)]
struct Tally {
    refused: Cell<usize>,
    accepted: Cell<usize>,
    /// Methods that were edited afterwards.
    edited: Cell<usize>,
}

impl Tally {
    /// Reads the bytes, and edits what could be read.
    fn check(&self, bytes: &[u8], changes: &[Change]) {
        match check_parse(bytes) {
            Err(_) => self.refused.set(self.refused.get() + 1),
            Ok(class) => {
                self.accepted.set(self.accepted.get() + 1);
                let edited: usize = changes.iter().map(|&change| check_edit(class.clone(), change)).sum();
                self.edited.set(self.edited.get() + edited);
            }
        }
    }

    fn tell(&self, what: &str) {
        let (refused, accepted, edited) = (self.refused.get(), self.accepted.get(), self.edited.get());
        println!("{what}: {} cases, {refused} refused, {accepted} accepted, {edited} edits", refused + accepted);
    }
}

fn all_seeds() -> &'static [Seed] {
    static SEEDS: OnceLock<Vec<Seed>> = OnceLock::new();
    SEEDS.get_or_init(|| seeds(&support::jdks()))
}

/// Runs the same cases each time, and leaves no file behind.
fn run<T: Debug>(cases: u32, strategy: impl Strategy<Value = T>, check: impl Fn(T) -> TestCaseResult) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(failure) = runner.run(&strategy, check) {
        panic!("{failure}");
    }
}

fn damaged(what: &str, cases: u32, changes: &[Change], mutation: impl Strategy<Value = Mutation>) -> Tally {
    let (seeds, tally) = (all_seeds(), Tally::default());
    run(cases, (any::<Index>(), mutation), |(seed, mutation)| {
        tally.check(&mutation.apply(seed.get(seeds), seeds), changes);
        Ok(())
    });
    tally.tell(what);
    tally
}

#[test]
fn seeds_can_be_edited() {
    let tally = Tally::default();
    for seed in all_seeds() {
        tally.check(&seed.bytes, &CHANGES);
    }
    tally.tell("seeds");
    assert!(tally.refused.get() == 0 && tally.accepted.get() > 50 && tally.edited.get() > 1000);
}

#[test]
fn flipped_bytes() {
    let tally = damaged("flipped bytes", 40_000, &[Change::Hook, Change::Wrap], mutation::flips());
    assert!(tally.refused.get() > 1000 && tally.accepted.get() > 1000);
}

#[test]
fn flipped_bytes_in_code() {
    let tally = damaged("flipped bytes in code", 40_000, &CHANGES, mutation::code_flips());
    assert!(tally.refused.get() > 1000 && tally.accepted.get() > 1000);
}

#[test]
fn other_instructions() {
    let tally = damaged("other instructions", 10_000, &CHANGES, mutation::opcodes());
    assert!(tally.accepted.get() > 9000, "such code is well formed");
}

#[test]
fn extreme_numbers() {
    let tally = damaged("extreme numbers", 40_000, &[Change::Hook, Change::Wrap], mutation::extremes());
    assert!(tally.refused.get() > 1000 && tally.accepted.get() > 1000);
}

#[test]
fn bytes_lost_and_doubled() {
    let tally = damaged("moved bytes", 20_000, &[Change::Hook], mutation::moves());
    assert!(tally.refused.get() > 1000);
}

#[test]
fn two_classes_in_one() {
    let tally = damaged("splices", 20_000, &[Change::Hook], mutation::splices());
    assert!(tally.refused.get() > 1000);
}

#[test]
fn no_beginning_of_a_class_is_a_class() {
    let tally = damaged("truncations", 20_000, &[], mutation::truncations());
    assert_eq!(tally.accepted.get(), 0);

    let mut lengths = 0;
    for seed in all_seeds().iter().filter(|seed| seed.bytes.len() < 2000).take(30) {
        for length in 0..seed.bytes.len() {
            let error = check_parse(&seed.bytes[..length]).expect_err(&seed.name);
            let expected = match error.kind {
                ParseErrorKind::NoMagic => length < 4,
                ParseErrorKind::Truncated { .. } => true,
                _ => false,
            };
            assert!(expected, "{} of {length} bytes: {error}", seed.name);
            lengths += 1;
        }
    }
    println!("truncations at every length: {lengths} cases");
    assert!(lengths > 10_000);
}

#[test]
fn random_bytes() {
    let tally = Tally::default();
    run(20_000, prop::collection::vec(any::<u8>(), 0..400), |bytes| {
        tally.check(&bytes, &CHANGES);
        let version = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        tally.check(&[&version[..], &bytes].concat(), &CHANGES);
        // A pool without constants, so that what comes behind it is read.
        tally.check(&[&version[..], &[0, 1], &bytes].concat(), &CHANGES);
        // And one with a class, so that there is something to name.
        let name = [0, 3, 1, 0, 1, b'I', 7, 0, 1, 0, 0, 0, 2, 0, 0];
        tally.check(&[&version[..], &name, &bytes].concat(), &CHANGES);
        Ok(())
    });
    tally.tell("random bytes");
    assert!(tally.refused.get() > 10_000);
}

#[test]
fn worst_cases_made_by_hand() {
    let tally = Tally::default();
    for (name, bytes) in worst_cases::worst_cases() {
        println!("{name}: {}", ClassFile::parse(&bytes).map_or_else(|error| error.to_string(), |_| "fine".into()));
        tally.check(&bytes, &CHANGES);
    }
    tally.tell("worst cases");
    assert!(tally.refused.get() > 20 && tally.accepted.get() > 10);
}

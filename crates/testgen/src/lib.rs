//! Writes concurrent tests for a Java class, from its class files and from what is known of its methods.
//!
//! Three nouns. A [`Generator`] writes tests for one class under test. A [`Candidate`] is a test that it wants to be run. And
//! [`Feedback`] says how that went: what made calls fail is chosen less often from then on, and pairs of methods whose calls have
//! overlapped wait for their next turn.
//!
//! ```
//! use analysis::{Analyzer, ByteStore};
//! use classpath::{ClassName, ClassPath, Jdk};
//! use testgen::{Feedback, Generator, Settings, Strategy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let class_path = ClassPath::of_jdk(&Jdk::find(None)?)?;
//! let bytes = ByteStore::new();
//! let facts = Analyzer::new(&class_path, &bytes).analyze(&ClassName::parse("java.lang.StringBuffer")?)?;
//! let settings = Settings { strategy: Strategy::Auto, seed: 1, observe: false, skip: vec![] };
//! let mut generator = Generator::new(&class_path, "java/lang/StringBuffer", &facts, settings)?;
//! let candidate = generator.next().unwrap();
//! assert_eq!(candidate.test.suffixes.len(), 2);
//! // Whoever runs it says how it went.
//! generator.learn(&candidate.test, &candidate.origin, Feedback::Ran { overlapped: true, failing_probe: None });
//! # Ok(())
//! # }
//! ```
//!
//! **Where it comes from.** The tasks that make calls and their parameters, and [`Strategy::Random`], are ConTeGe's. Which pairs
//! of methods are tried and on how many subjects is DepCon+'s, their order CovCon's. [`smaller`] is ours.
//!
//! **What holds.** The same seed and the same feedback give the same tests. Every test is valid, and names only what Java code in
//! the package of the class under test could name. It runs nothing.
//!
//! **What it may miss.** Objects that need a long conversation to be made; values that only a particular text or number leads to.

#![forbid(unsafe_code)]

mod afterwards;
mod beside;
mod callbacks;
mod claims;
mod class_info;
mod companions;
mod compose;
mod contege;
mod draft;
mod filling;
mod generator;
mod given_out;
mod givers;
mod goals;
mod keys;
mod learnt;
mod library;
mod literals;
mod maker;
mod messages;
mod mix;
mod novelty;
mod numbers;
mod part_pairs;
mod parts;
mod plan;
mod prices;
mod produce;
mod producers;
mod proven;
mod recipes;
mod relations;
mod rng;
mod scouts;
mod shrink;
mod subject;
mod targets;
mod types;

pub use generator::{Candidate, Feedback, Generator, Origin, Settings, Strategy};
pub use goals::{Goal, MET, RAW, WAITED, class as any_place, nested, part, path, place, raw_field};
pub use library::is_of_jdk;
pub use parts::{Beside, PartCall};
pub use plan::{FIRST_ROUND, ROUND_STEP};
pub use shrink::{size, smaller};
pub use subject::Untestable;
pub use targets::{Mode, Target};

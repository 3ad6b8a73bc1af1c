//! A stress loop: a test again and again, with new objects and new threads each time.
//!
//! Tools that run tests under the scheduler of the operating system do this. The program looks for nothing: it reports how
//! many iterations it makes a second.
//!
//! Static state is not put back between iterations, and threads that the code under test has started are not waited for.

use testcase::TestCase;

use super::header::{self, comment};
use super::{Program, body, reserve_common, source};
use crate::Unsayable;
use crate::statements::Around;
use crate::types::Types;

/// What a stress loop says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stress<'r> {
    /// The class under test, as class files name it.
    pub class: &'r str,
    /// What the test is, in a line or more, for the comment at the top.
    pub what: &'r str,
    /// Class path to compile and run it with.
    pub class_path: &'r [String],
}

/// Writes a program that counts how often it can run a test.
pub fn stress(test: &TestCase, request: &Stress<'_>, types: &dyn Types) -> Result<Program, Unsayable> {
    let source = source(test, request.class, "Stress", Around::default(), reserve_common, types)?;
    let mut lines: Vec<String> = request.what.lines().map(str::to_owned).collect();
    lines.push(String::new());
    lines.extend(USE.map(str::to_owned));
    lines.push(String::new());
    lines.extend(header::commands(request.class_path, &source.name, &source.package, "[seconds [prefix]]"));
    let prepare = format!(
        "    /** Builds the subjects in one thread, and says what the other threads then do at the same time. */\n    \
         static TestRound prepare() throws Throwable {{\n{}    }}\n",
        body(&source.parts, Around::default())
    );
    let harness = include_str!("stress.java").replace("@THREADS@", &test.suffixes.len().to_string());
    Ok(source.with(&comment(&lines), &(prepare + &harness)))
}

const USE: [&str; 6] = [
    "This program makes the calls again and again, with new objects and new threads each time, and prints how many",
    "iterations it makes a second: for so many seconds to warm up, then for as many that count. With `prefix` it only",
    "builds the objects, in one thread.",
    "",
    "Exceptions are dropped. Static state is not put back between iterations. Exit status 2: there is no figure,",
    "because the objects cannot be built or a thread does not end.",
];

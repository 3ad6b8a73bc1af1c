//! Failures that were seen but not reproduced, in words and for programs. They are no findings, and no pass either.

use serde_json::{Value, json};

use crate::worker::protocol::{FailureKind, Passed, Unconfirmed};

/// One failure in a line: what failed, where, and why it does not count.
pub fn line(unconfirmed: &Unconfirmed) -> String {
    format!("unconfirmed: {}; {}\n", report::clean(&what(unconfirmed)), report::clean(&why(unconfirmed)))
}

/// The same for programs.
pub fn document(unconfirmed: &Unconfirmed) -> Value {
    json!({
        "kind": unconfirmed.failure.kind.name(),
        "what": unconfirmed.failure.what,
        "where": place(unconfirmed),
        "why": why(unconfirmed),
    })
}

/// Why nothing can be said of what failed so; None if nothing did.
pub fn reason<'u>(all: impl IntoIterator<Item = &'u Unconfirmed>) -> Option<String> {
    let mut all = all.into_iter();
    let first = what(all.next()?);
    Some(match all.count() {
        0 => format!("a failure could not be reproduced: {first}"),
        more => format!("{} failures could not be reproduced, such as {first}", more + 1),
    })
}

fn what(unconfirmed: &Unconfirmed) -> String {
    let what = unconfirmed.failure.what.trim_start_matches("deadlock: ");
    match place(unconfirmed) {
        Some(place) => format!("{what} (at {place})"),
        None => what.to_owned(),
    }
}

fn why(unconfirmed: &Unconfirmed) -> String {
    match &unconfirmed.passed {
        Passed::SameSchedule => "it did not fail again under the same schedule".to_owned(),
        Passed::Fresh => "it did not fail in a fresh virtual machine".to_owned(),
        Passed::Unclear(reason) => format!("a fresh virtual machine gave no verdict: {reason}"),
    }
}

/// The frame that threw, or the method that recurs. Where threads wait is part of what failed.
fn place(unconfirmed: &Unconfirmed) -> Option<&str> {
    let failure = &unconfirmed.failure;
    let (_, place) = failure.place.split_once(' ').filter(|_| failure.kind == FailureKind::Exception)?;
    Some(place).filter(|place| !place.is_empty())
}

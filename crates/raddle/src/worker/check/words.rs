//! Violations in words.

use host::{Awaited, Blocked, CallResult, Execution, Host};
use oracle::Rank;
use testcase::{Call, Operation, TestCase};

use crate::worker::protocol::{Failure, FailureKind};
use crate::worker::stop;

/// A value is told with so many characters at the most.
const LONGEST: usize = 60;

/// What is said where values are wrong. One such failure is told of a test case, and one where only aggregates are.
pub fn of_values(test: &TestCase, execution: &Execution, rank: Rank) -> Failure {
    let mut told = Vec::new();
    for (suffix, (calls, results)) in test.suffixes.iter().zip(&execution.suffixes).enumerate() {
        told.extend(tell(&format!("thread {}", suffix + 1), calls, results));
    }
    told.extend(tell("afterwards", &test.probes, &execution.probes));
    let what = format!("no order of the calls gives what they did: {}", told.join("; "));
    let place = match rank {
        Rank::Scalar => "returned values",
        Rank::Aggregate => "returned aggregates",
    };
    Failure { kind: FailureKind::Linearizability, what, place: place.to_owned(), ..Failure::default() }
}

/// The same where calls that were refused are all that is wrong.
pub fn of_refusal(failure: Failure) -> Failure {
    Failure { place: "refused calls".to_owned(), is_refusal: true, ..failure }
}

/// What each of some calls came to: `thread 1: next() gave 1, next() gave 2`.
fn tell(who: &str, calls: &[Call], results: &[CallResult]) -> Option<String> {
    let told = calls.iter().zip(results).map(|(call, result)| {
        let name = name(call);
        match result {
            CallResult::Returned(host::Value::Void) => format!("{name} returned"),
            CallResult::Returned(value) => format!("{name} gave {}", cut(&value.to_string())),
            CallResult::Threw(thrown) => format!("{name} threw {}", thrown.class),
            CallResult::CutOff => format!("{name} did not return"),
        }
    });
    let told: Vec<_> = told.collect();
    (!told.is_empty()).then(|| format!("{who}: {}", told.join(", ")))
}

fn name(call: &Call) -> String {
    let of = call.operation.class();
    let class = of.rsplit(['/', '$']).next().unwrap_or(of);
    match &call.operation {
        Operation::Static { name, .. } | Operation::Virtual { name, .. } if call.arguments.is_empty() => {
            format!("{name}()")
        }
        Operation::Static { name, .. } | Operation::Virtual { name, .. } => format!("{name}(..)"),
        Operation::GetField { name, .. } | Operation::GetStatic { name, .. } => name.clone(),
        Operation::PutField { name, .. } | Operation::PutStatic { name, .. } => format!("{name} ="),
        Operation::Construct { .. } | Operation::Array { .. } | Operation::Implement { .. } => format!("new {class}"),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

/// Those of the threads that others wait for, and all if that is none: who only waits behind them is no part of it.
pub fn in_the_way(blocked: Vec<Blocked>) -> Vec<Blocked> {
    let awaited = |one: &Blocked| blocked.iter().any(|other| other.holder == Some(one.thread));
    let some: Vec<Blocked> = blocked.iter().filter(|one| awaited(one)).cloned().collect();
    if some.len() < 2 { blocked } else { some }
}

/// What threads wait for, in whatever order.
pub fn what_is_awaited(blocked: &[Blocked], awaited: &[Awaited]) -> String {
    let tell = |blocked: &Blocked| {
        let class = stop::own(blocked, awaited).map_or("", |known| &known.class);
        format!("{} {class}", blocked.event.kind.name())
    };
    let mut waits: Vec<_> = blocked.iter().map(tell).collect();
    waits.sort();
    waits.join(", ")
}

/// Where threads wait, in whatever order, by names that mean the same in every worker.
pub fn where_stuck(host: &Host, blocked: &[Blocked]) -> String {
    let tell = |blocked: &Blocked| {
        let site = host.site(blocked.event.site);
        let site = site.map_or(String::new(), |site| format!(" {}.{} {}", site.class, site.method, site.pc));
        format!("{}{site}", blocked.event.kind.name())
    };
    let mut sites: Vec<_> = blocked.iter().map(tell).collect();
    sites.sort();
    sites.join(", ")
}

//! Names of the methods that a test calls.

use testcase::{Call, Operation, TestCase};

use crate::worker::protocol::Rejected;

/// The name of the method that a call calls; `new Account` of a constructor.
pub fn name(call: &Call) -> Option<String> {
    match &call.operation {
        Operation::Virtual { name, .. } | Operation::Static { name, .. } => Some(name.clone()),
        Operation::Construct { class, .. } => Some(format!("new {}", simple(class))),
        _ => None,
    }
}

/// The same with its descriptor, as reports for programs have it.
pub fn with_descriptor(call: &Call) -> Option<String> {
    let descriptor = match &call.operation {
        Operation::Virtual { descriptor, .. }
        | Operation::Static { descriptor, .. }
        | Operation::Construct { descriptor, .. } => descriptor,
        _ => return None,
    };
    Some(format!("{}{descriptor}", name(call)?))
}

/// The last part of a name.
fn simple(class: &str) -> &str {
    class.rsplit(['/', '$']).next().unwrap_or(class)
}

/// Which call of a test failed alone, and how.
pub fn rejection(test: &TestCase, rejected: &Rejected) -> String {
    let what = |call: Option<&Call>| call.map_or_else(|| "a call".to_owned(), tell);
    let of_suffix = |suffix: usize, call: usize| what(test.suffixes.get(suffix).and_then(|calls| calls.get(call)));
    let of_prefix = |call: usize| what(test.prefix.get(call));
    let throws = |what: String, thrown: &str| {
        // Messages of exceptions hold values, those of errors say what is missing.
        let class = thrown.split([':', ' ']).next().unwrap_or_default();
        let thrown = if class.ends_with("Error") { thrown } else { class };
        format!("{what} throws {thrown}")
    };
    match rejected {
        Rejected::Prefix { call, thrown } => throws(of_prefix(*call), thrown),
        Rejected::Suffix { suffix, call, thrown } => throws(of_suffix(*suffix, *call), thrown),
        Rejected::Another { call, class } => format!("{} gives a {class}", of_prefix(*call)),
        Rejected::PrefixStuck { call } => format!("{} does not return", of_prefix(*call)),
        Rejected::SuffixStuck { suffix, call } => format!("{} does not return", of_suffix(*suffix, *call)),
        Rejected::PrefixEndless { call } => format!("{} has no end", of_prefix(*call)),
        Rejected::SuffixSpins { suffix, call } => format!("{} spins", of_suffix(*suffix, *call)),
        Rejected::SuffixEndless { suffix, call } => format!("{} has no end", of_suffix(*suffix, *call)),
        Rejected::Exits => "the virtual machine is asked to end".into(),
        Rejected::Exhausts { what } => what.clone(),
        Rejected::TooMany { .. } => "there are too many orders of the calls".into(),
    }
}

fn tell(call: &Call) -> String {
    let class = call.operation.class().replace('/', ".");
    match &call.operation {
        Operation::Virtual { name, .. } | Operation::Static { name, .. } => format!("{class}.{name}"),
        _ => format!("new {class}"),
    }
}

/// The pairs of methods that run together: each of one suffix with each of another.
pub fn pairs(test: &TestCase) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (number, one) in test.suffixes.iter().enumerate() {
        for other in &test.suffixes[number + 1..] {
            for a in one.iter().filter_map(with_descriptor) {
                for b in other.iter().filter_map(with_descriptor) {
                    found.push(if a <= b { (a.clone(), b) } else { (b, a.clone()) });
                }
            }
        }
    }
    found
}

//! Names of the methods that a test calls.

use testcase::{Call, Operation, TestCase};

use crate::worker::protocol::Rejected;

/// The name of the method that a call calls.
pub fn name(call: &Call) -> Option<String> {
    match &call.operation {
        Operation::Virtual { name, .. } | Operation::Static { name, .. } => Some(name.clone()),
        _ => None,
    }
}

/// The same with its descriptor, as reports for programs have it.
pub fn with_descriptor(call: &Call) -> Option<String> {
    match &call.operation {
        Operation::Virtual { name, descriptor, .. } | Operation::Static { name, descriptor, .. } => {
            Some(format!("{name}{descriptor}"))
        }
        _ => None,
    }
}

/// Which call of a test failed alone, and how.
pub fn rejection(test: &TestCase, rejected: &Rejected) -> String {
    let told = |call: Option<&Call>, thrown: &str| {
        let what = call.map_or_else(|| "a call".to_owned(), tell);
        // Messages of exceptions hold values, those of errors say what is missing.
        let class = thrown.split([':', ' ']).next().unwrap_or_default();
        let thrown = if class.ends_with("Error") { thrown } else { class };
        format!("{what} throws {thrown}")
    };
    match rejected {
        Rejected::Prefix { call, thrown } => told(test.prefix.get(*call), thrown),
        Rejected::Suffix { suffix, call, thrown } => {
            told(test.suffixes.get(*suffix).and_then(|calls| calls.get(*call)), thrown)
        }
        Rejected::Another { call, class } => {
            let what = test.prefix.get(*call).map_or_else(|| "a call".to_owned(), tell);
            format!("{what} gives a {class}")
        }
        Rejected::Stuck { call } => {
            let call = call.and_then(|(suffix, call)| test.suffixes.get(suffix)?.get(call));
            format!("{} does not return", call.map_or_else(|| "a call".to_owned(), tell))
        }
        Rejected::Exits => "the virtual machine is asked to end".into(),
        Rejected::Exhausts { what } => what.clone(),
        Rejected::TooMany { .. } => "there are too many orders of the calls".into(),
    }
}

fn tell(call: &Call) -> String {
    let class = call.operation.class().replace('/', ".");
    match name(call) {
        Some(name) => format!("{class}.{name}"),
        None => format!("new {class}"),
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

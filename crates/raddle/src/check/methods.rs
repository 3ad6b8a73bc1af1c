//! Names of the methods that a test calls.

use testcase::{Call, Operation, TestCase};

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

//! Refusals: calls that say that they did nothing because others were at it. A class that documents this is not to
//! blame for it, so a refusal alone is no violation.
//!
//! Java has two ways to document it, and both are names. An exception whose simple name begins with `Rejected` says
//! that the call was not taken. A method `tryX` may give `false` or null in place of what it is asked for.

use testcase::{Operation, TestCase};

use crate::observation::{Ended, Given, Observation};

/// Whether an exception of this class says that a call was not taken.
pub fn is_rejection(class: &str) -> bool {
    class.rsplit(['.', '$']).next().is_some_and(|name| name.starts_with("Rejected"))
}

/// The calls of suffixes that were refused, as they say by what they give: each as its suffix and its number in that.
pub fn refused<V: Given>(test: &TestCase, observation: &Observation<V>) -> Vec<(usize, usize)> {
    let all = test.suffixes.iter().zip(&observation.suffixes).enumerate();
    let calls = all.flat_map(|(suffix, (calls, ends))| {
        calls.iter().zip(ends).enumerate().map(move |(number, (call, end))| ((suffix, number), call, end))
    });
    let is_refused = |end: &Ended<V>| matches!(end, Ended::Returned(value) if value.is_nothing());
    calls.filter(|(_, call, end)| tries(&call.operation) && is_refused(end)).map(|(place, ..)| place).collect()
}

/// Whether a method is named `tryX`.
fn tries(operation: &Operation) -> bool {
    let (Operation::Static { name, .. } | Operation::Virtual { name, .. }) = operation else { return false };
    name.strip_prefix("try").is_some_and(|what| what.starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_a_rejection_by_its_simple_name() {
        assert!(is_rejection("java.util.concurrent.RejectedExecutionException"));
        assert!(is_rejection("a.Pool$RejectedByPool"));
        assert!(!is_rejection("Rejected.Exception") && !is_rejection("java.lang.IllegalStateException"));
    }

    #[test]
    fn a_method_tries_by_its_name() {
        let of = |name: &str| Operation::Static { class: "A".into(), name: name.into(), descriptor: "()Z".into() };
        assert!(tries(&of("tryLock")));
        assert!(!tries(&of("try")) && !tries(&of("trying")) && !tries(&of("lock")) && !tries(&of("retryLock")));
    }
}

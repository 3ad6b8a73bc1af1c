//! Exceptions of other classes that a test itself calls.
//!
//! A test uses what it has given to the subject beside the subject: a clock that others move, a text that is appended.
//! Where such an object throws, and no code of the class under test is in the call, another class than that one was
//! checked. What the subject has given out is the subject's own: whoever has a transaction uses its store.
//!
//! **What it may miss.** A class that breaks what it was given, so that only that object notices.

use std::collections::BTreeSet;

use emit::Types;
use host::{CallResult, Thrown};
use testcase::{Argument, Operation, TestCase};

use crate::worker::protocol::{FailureKind, Finding};

/// The code of a class under test.
#[derive(Clone, Debug, Default)]
pub struct OwnCode {
    /// The class and those above it outside the JDK, with dots, each by the class around all that it is in.
    classes: BTreeSet<String>,
}

impl OwnCode {
    /// Of a class, as class files name it.
    pub fn of(class: &str, types: &dyn Types) -> OwnCode {
        let (mut open, mut classes) = (vec![class.to_owned()], BTreeSet::new());
        while let Some(name) = open.pop() {
            let facts = types.class(&name);
            if name != class && facts.as_ref().is_none_or(|facts| facts.of_jdk) || !classes.insert(outermost(&name)) {
                continue;
            }
            open.extend(facts.iter().flat_map(|facts| facts.superclass.iter().chain(&facts.interfaces)).cloned());
        }
        OwnCode { classes }
    }

    /// Whether a failure is one of this class, or may be.
    pub fn concerns(&self, test: &TestCase, finding: &Finding) -> bool {
        if finding.failure.kind != FailureKind::Exception || self.classes.is_empty() {
            return true;
        }
        let suffixes = test.suffixes.iter().zip(&finding.shown.suffixes);
        let mut failing = suffixes.filter_map(|(calls, results)| match results.last()? {
            CallResult::Threw(thrown) if finding.failure.place.starts_with(&thrown.class) => {
                Some((&calls.get(results.len() - 1)?.operation, thrown))
            }
            _ => None,
        });
        failing.next().is_none_or(|(called, thrown)| !self.is_foreign(test, called) || self.is_in(thrown))
    }

    fn has(&self, class: &str) -> bool {
        self.classes.contains(&outermost(class))
    }

    /// Whether a call is one of an object that the test has made without the class.
    fn is_foreign(&self, test: &TestCase, called: &Operation) -> bool {
        let class = called.class();
        let Some(Argument::Value(receiver)) = called.receiver() else { return false };
        let Some(made) = test.prefix.get(*receiver) else { return false };
        !self.has(class) && !testgen::is_of_jdk(class) && self.is_made_without(test, &made.operation)
    }

    fn is_made_without(&self, test: &TestCase, by: &Operation) -> bool {
        if self.has(by.class()) {
            return false;
        }
        match by {
            Operation::Construct { .. } | Operation::Static { .. } | Operation::GetStatic { .. } => true,
            Operation::Virtual { receiver: Argument::Value(receiver), .. } => {
                test.prefix.get(*receiver).is_some_and(|made| self.is_made_without(test, &made.operation))
            }
            _ => false,
        }
    }

    /// Whether code of the class is in a call that threw.
    fn is_in(&self, thrown: &Thrown) -> bool {
        let of_frame = |frame: &String| {
            let method = frame.split('(').next().unwrap_or_default();
            let class = method.rsplit_once('.').map_or("", |(class, _)| class);
            self.has(class.rsplit('/').next().unwrap_or(class))
        };
        thrown.frames.iter().any(of_frame) || thrown.cause.as_ref().is_some_and(|cause| self.is_in(cause))
    }
}

/// The class around all that a class is in, with dots.
fn outermost(class: &str) -> String {
    class.split('$').next().unwrap_or(class).replace('/', ".")
}

#[cfg(test)]
mod tests {
    use testcase::Call;

    use super::*;
    use crate::worker::protocol::{Failure, Shown};

    fn construct(class: &str) -> Call {
        Call { operation: Operation::Construct { class: class.into(), descriptor: "()V".into() }, arguments: vec![] }
    }

    fn invoke(class: &str, receiver: usize, argument: Option<usize>) -> Call {
        let (name, descriptor) = ("append".into(), "()LTextPad;".into());
        let receiver = Argument::Value(receiver);
        Call {
            operation: Operation::Virtual { class: class.into(), name, descriptor, receiver },
            arguments: argument.map(Argument::Value).into_iter().collect(),
        }
    }

    /// Whether an exception counts that the first of two calls throws, with these frames.
    fn counts(prefix: Vec<Call>, called: Call, frames: &[&str]) -> bool {
        let own = OwnCode { classes: ["a.Subject".to_owned()].into() };
        let test =
            TestCase { prefix, suffixes: vec![vec![called], vec![invoke("a/Subject", 0, None)]], probes: vec![] };
        let frames = frames.iter().map(|&frame| frame.to_owned()).collect();
        let thrown = Thrown { class: "Broken".into(), frames, ..Thrown::default() };
        let shown = Shown { suffixes: vec![vec![CallResult::Threw(thrown)], vec![]], ..Shown::default() };
        let failure = Failure { place: "Broken at".into(), ..Failure::default() };
        own.concerns(&test, &Finding { failure, shown, ..Finding::default() })
    }

    #[test]
    fn what_another_class_throws_by_itself_is_not_held_against_the_class_under_test() {
        let made = || vec![construct("a/Subject"), construct("a/Pad")];
        let called = || invoke("a/Pad", 1, Some(0));
        let alone = ["java.base/java.util.Arrays.copyOf(Arrays.java:1)", "a.Pad.append(Pad.java:3)"];
        assert!(!counts(made(), called(), &alone));
        // The pad has called the subject, or code in it.
        let inside = ["a.Subject$Part.length(Subject.java:3)", "a.Pad.append(Pad.java:3)"];
        assert!(counts(made(), called(), &inside));
        // The subject itself was called, and has called the pad.
        assert!(counts(made(), invoke("a/Subject", 0, Some(1)), &["a.Pad.append(Pad.java:3)"]));
        // The subject has given it out.
        let given = vec![construct("a/Subject"), invoke("a/Subject", 0, None)];
        assert!(counts(given, called(), &alone));
    }
}

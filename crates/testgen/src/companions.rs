//! What a thread has to do itself before a call: `begin` before `commit`, `lock` before `unlock`.
//!
//! A prefix does not help there, for another thread runs it. So it is learnt after which call of its own thread a call returns. A
//! method that mostly fails as the first call of a thread gets another before it: one after which it was seen to return, or, as
//! long as none is known, any. The calls of a prefix on one object are such a row as well.
//!
//! **What it may miss.** A row of two calls or more that has to come first; a call that has to follow.

use std::collections::BTreeSet;

use testcase::{Argument, Call, TestCase};

use crate::compose::{Composer, name_of};
use crate::generator::Feedback;
use crate::learnt::{Choice, Learnt, Name};

/// Below this weight a method needs another call before it: three failures and no success.
const SELDOM: f64 = 0.45;
/// Above it a call is known to help: two successes.
const HELPS: f64 = 1.4;

/// The choice to make a call after another of the same thread, or as its first one.
fn after(call: Name, before: Option<Name>) -> Choice {
    Choice { place: Name::of(("companion", call)), what: before.unwrap_or_else(|| Name::of("nothing")) }
}

/// Learns from a test after what calls of the class under test return.
pub fn learn(learnt: &mut Learnt, test: &TestCase, feedback: Feedback, is_under_test: impl Fn(&Call) -> bool) {
    let mut row = |calls: &mut dyn Iterator<Item = &Call>, failed: Option<&Call>| {
        let mut before = None;
        for call in calls.filter(|call| is_under_test(call)) {
            let Some(name) = name_of(call) else { return };
            let returned = failed.is_none_or(|failed| !std::ptr::eq(failed, call));
            learnt.note(after(name, before), returned);
            if !returned {
                return;
            }
            before = Some(name);
        }
    };
    let in_prefix = match feedback {
        Feedback::PrefixFails { call } => Some(call),
        Feedback::SuffixFails { .. } | Feedback::Ran { .. } => None,
        _ => return,
    };
    let prefix = &test.prefix[..in_prefix.map_or(test.prefix.len(), |call| call + 1)];
    let failed = in_prefix.and_then(|call| test.prefix.get(call));
    let objects: BTreeSet<usize> = prefix.iter().filter_map(receiver).collect();
    for object in objects {
        row(&mut prefix.iter().filter(|call| receiver(call) == Some(object)), failed);
    }
    if in_prefix.is_some() {
        return;
    }
    for (suffix, calls) in test.suffixes.iter().enumerate() {
        match feedback {
            Feedback::SuffixFails { suffix: failed, call } if failed == suffix => {
                return row(&mut calls.iter(), calls.get(call));
            }
            _ => row(&mut calls.iter(), None),
        }
    }
}

/// The object that a call is one of.
pub fn receiver(call: &Call) -> Option<usize> {
    match call.operation.receiver() {
        Some(Argument::Value(number)) => Some(*number),
        _ => None,
    }
}

impl Composer<'_, '_> {
    /// Whether a method mostly fails as the first call of a thread, and the test is one in which threads see to that.
    pub fn needs_companion(&self, method: usize) -> bool {
        // All threads of a test prepare their calls or none does: two that both push before they pop never find nothing.
        let is_seldom = |name| {
            let weight = self.maker.learnt.weight(after(name, None));
            weight < SELDOM && self.unprepared > weight
        };
        self.class.has_receiver(method) && self.key(method).is_some_and(is_seldom)
    }

    /// A method that a thread is to call before this one. None if it needs none, or has called one that helps.
    pub fn companion<'t>(&mut self, method: usize, calls: impl DoubleEndedIterator<Item = &'t Call>) -> Option<usize> {
        if !self.needs_companion(method) {
            return None;
        }
        let name = self.key(method)?;
        let weight = |other: Name, learnt: &Learnt| learnt.weight(after(name, Some(other)));
        let learnt = &self.maker.learnt;
        // What was done for an earlier call of it may be used up.
        let mut since = calls.rev().filter_map(name_of).take_while(|other| *other != name);
        if since.any(|other| weight(other, learnt) > HELPS) {
            return None;
        }
        let others: Vec<usize> =
            self.callable().into_iter().filter(|&other| other != method && self.class.has_receiver(other)).collect();
        let weights: Vec<f64> =
            others.iter().map(|&other| self.key(other).map_or(0.0, |other| weight(other, learnt).powi(3))).collect();
        // Without one that is known to help the state may be to blame, or the arguments.
        let is_known = weights.iter().any(|weight| *weight > HELPS);
        if self.maker.rng.one_in(if is_known { 16 } else { 2 }) {
            return None;
        }
        self.maker.rng.weighted(&weights).map(|chosen| others[chosen])
    }
}

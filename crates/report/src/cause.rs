//! The cause of a finding as one sentence.
//!
//! Facts are told by the pattern that they make together, where it is one that people have a name for: a cycle of
//! locks, two threads that each act on what they read before the other wrote, a thread that comes between two steps
//! of another. Else they are told one after the other. A sentence says nothing but the facts.

use crate::code::Code;
use crate::finding::Finding;
use crate::step::{Step, StepKind};
use crate::words::{Words, noun, same_subject};

/// The sentence, without a full stop; None if nothing is known.
pub(crate) fn sentence(finding: &Finding) -> Option<String> {
    let happened = finding.steps.len();
    let facts: Vec<Before<'_>> = finding
        .cause
        .iter()
        .filter_map(|fact| {
            let (first, second) = (finding.step(fact.first)?, finding.step(fact.second)?);
            Some(Before { first, at: (fact.first, fact.second), second, never: fact.second >= happened })
        })
        .collect();
    if facts.is_empty() {
        return None;
    }
    let mut teller = Teller { finding, code: Code::of(finding), words: Words::of(finding), introduced: Vec::new() };
    let told = teller.cycle(&facts).or_else(|| teller.each(&facts)).or_else(|| teller.between(&facts));
    Some(told.unwrap_or_else(|| teller.one_by_one(&facts)))
}

/// A fact with its steps.
#[derive(Clone, Copy)]
struct Before<'f> {
    first: &'f Step,
    second: &'f Step,
    /// Their numbers.
    at: (usize, usize),
    /// The second did not happen.
    never: bool,
}

struct Teller<'f> {
    finding: &'f Finding,
    code: Code<'f>,
    words: Words<'f>,
    /// Threads whose names were told.
    introduced: Vec<u16>,
}

impl Teller<'_> {
    /// Locks, each held by a thread and wanted by another, that make one circle.
    fn cycle(&mut self, facts: &[Before<'_>]) -> Option<String> {
        let wanting = |kind| matches!(kind, StepKind::Lock | StepKind::TryLock | StepKind::LockWithin | StepKind::Wake);
        let locks = facts.iter().all(|fact| {
            let holds = wanting(fact.first.kind);
            holds && fact.never && wanting(fact.second.kind) && same_subject(fact.first, fact.second)
        });
        let start = facts.first().filter(|_| locks && facts.len() > 1)?;
        let mut circle = vec![start];
        while circle.len() < facts.len() {
            let thread = circle.last()?.second.thread;
            circle.push(facts.iter().find(|fact| fact.first.thread == thread)?);
        }
        let closes = circle.last()?.second.thread == start.first.thread;
        let once = circle
            .iter()
            .enumerate()
            .all(|(number, fact)| !circle[..number].iter().any(|earlier| earlier.first.thread == fact.first.thread));
        if !closes || !once {
            return None;
        }
        let other = if facts.len() == 2 { "the other" } else { "the next one" };
        let mut parts = Vec::new();
        for (number, fact) in circle.iter().enumerate() {
            // The fact before this one ends in what this thread wants.
            let wanted = circle[(number + circle.len() - 1) % circle.len()];
            let thread = self.thread(fact.first.thread);
            let (held, held_at) = (self.object(fact.first), self.place(fact.first));
            let (wants, wants_at) = (self.object(wanted.second), self.place(wanted.second));
            parts.push(format!("{thread} holds {held}{held_at} and wants {wants}{wants_at}"));
        }
        Some(format!("each thread holds what {other} wants: {}", parts.join("; ")))
    }

    /// Two threads do the same to the same, each the first half before the other's second half.
    fn each(&mut self, facts: &[Before<'_>]) -> Option<String> {
        let [one, two] = facts else { return None };
        let alike =
            |a: &Step, b: &Step| a.kind == b.kind && same_subject(a, b) && self.code.place(a) == self.code.place(b);
        let crossed = one.first.thread == two.second.thread && two.first.thread == one.second.thread;
        let same = alike(one.first, two.first) && alike(one.second, two.second);
        if !crossed || !same || one.never || two.never || one.at.1 <= two.at.0 || two.at.1 <= one.at.0 {
            return None;
        }
        let first = self.words.sentence(one.first) + &self.place(one.first);
        let second = self.again(one.second, one.first) + &self.place(one.second);
        Some(format!("each thread {first} before the other {second}"))
    }

    /// A thread's steps between two of another.
    fn between(&mut self, facts: &[Before<'_>]) -> Option<String> {
        let [one, two] = facts else { return None };
        // In whichever order they are told: before.0 < inner < after.
        let (enter, leave) = if one.at.1 <= two.at.0 { (one, two) } else { (two, one) };
        let fits = enter.at.1 <= leave.at.0
            && enter.first.thread == leave.second.thread
            && enter.second.thread == leave.first.thread
            && !enter.never
            && !leave.never;
        if !fits {
            return None;
        }
        let (inner, last) = (enter.second, leave.first);
        let thread = self.thread(inner.thread);
        let mut does = self.words.sentence(inner) + &self.place(inner);
        if enter.at.1 != leave.at.0 {
            does += &format!(" and {}{}", self.again(last, inner), self.place(last));
        }
        let around = enter.first.thread;
        let thing = |step: &Step| {
            let of = if same_subject(step, inner) { String::new() } else { self.words.about(step) };
            let of = if of.is_empty() { of } else { format!(" of {of}") };
            format!("{}{of}{}", noun(step.kind), self.place(step))
        };
        let alike = noun(enter.first.kind) == noun(leave.second.kind) && same_subject(enter.first, leave.second);
        let its = if alike { "a later" } else { "its" };
        let (from, to) = (thing(enter.first), thing(leave.second));
        Some(format!("{thread} {does} between thread {around}'s {from} and {its} {to}"))
    }

    fn one_by_one(&mut self, facts: &[Before<'_>]) -> String {
        let mut parts = Vec::new();
        for (number, fact) in facts.iter().enumerate() {
            // What the fact before was about is known by now.
            let told = number.checked_sub(1).map(|before| facts[before].second);
            let first = told.map_or_else(|| self.words.sentence(fact.first), |told| self.again(fact.first, told));
            let one = self.thread(fact.first.thread);
            let (other, second) = (self.thread(fact.second.thread), self.again(fact.second, fact.first));
            let (here, there) = (self.place(fact.first), self.place(fact.second));
            let before = if fact.never { ", and then" } else { " before" };
            let never = if fact.never { "never " } else { "" };
            parts.push(format!("{one} {first}{here}{before} {other} {never}{second}{there}"));
        }
        match &mut parts[..] {
            [all @ .., last] if !all.is_empty() => format!("{}; and {last}", all.join("; ")),
            _ => parts.concat(),
        }
    }

    /// `thread 2 (withdraw)`; without the name once it was told.
    fn thread(&mut self, thread: u16) -> String {
        let name = self.finding.thread_name(thread);
        if name.is_empty() || self.introduced.contains(&thread) {
            return format!("thread {thread}");
        }
        self.introduced.push(thread);
        format!("thread {thread} ({name})")
    }

    /// What a step does, after `told` was told.
    fn again(&self, step: &Step, told: &Step) -> String {
        if same_subject(step, told) { self.words.about_it(step) } else { self.words.sentence(step) }
    }

    fn object(&self, step: &Step) -> String {
        let object = self.words.about(step);
        if object.is_empty() { "a lock".into() } else { object }
    }

    /// ` (Account.java:14)`, or nothing.
    fn place(&self, step: &Step) -> String {
        let place = self.code.place(step);
        if place.is_empty() { place } else { format!(" ({place})") }
    }
}

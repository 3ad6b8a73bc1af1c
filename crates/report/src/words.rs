//! Steps in words.

use crate::finding::Finding;
use crate::step::{Object, Step, StepKind};
use std::collections::{BTreeMap, BTreeSet};

/// Says what steps of one finding do.
#[derive(Debug)]
pub(crate) struct Words<'f> {
    /// Fields that steps touch in more than one object: there the object has to be told.
    of_many: BTreeSet<&'f str>,
}

impl<'f> Words<'f> {
    pub fn of(finding: &'f Finding) -> Words<'f> {
        let mut objects: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        for step in finding.steps.iter().chain(&finding.pending) {
            if let (Some(what), Some(object)) = (&step.what, &step.object) {
                objects.entry(what).or_default().insert(object.number);
            }
        }
        Words { of_many: objects.into_iter().filter(|(_, objects)| objects.len() > 1).map(|(what, _)| what).collect() }
    }

    /// For a line of the timeline: `reads count = 0`.
    pub fn line(&self, step: &Step) -> String {
        let line = phrase(step.kind, &self.subject(step, Detail::Line));
        let volatile = matches!(step.kind, StepKind::VolatileRead | StepKind::VolatileWrite);
        let line = if volatile { line.replacen("s ", "s volatile ", 1) } else { line };
        match &step.value {
            Some(value) => format!("{line} = {value}"),
            None => line,
        }
    }

    /// For a sentence: `reads Counter.count`.
    pub fn sentence(&self, step: &Step) -> String {
        phrase(step.kind, &self.about(step))
    }

    /// For a sentence that has told what it is about: `reads it`.
    pub fn about_it(&self, step: &Step) -> String {
        phrase(step.kind, if self.about(step).is_empty() { "" } else { "it" })
    }

    /// What a step is about, for a sentence: `Counter.count`. May be empty.
    pub fn about(&self, step: &Step) -> String {
        self.subject(step, Detail::Sentence)
    }

    /// What a step is done to: `count`, `Counter.count`, `Account#2.balance`, `int[]#4[3]`, `thread 2`. May be empty.
    fn subject(&self, step: &Step, detail: Detail) -> String {
        let object = step.object.as_ref().map(name);
        let Some(what) = step.what.as_deref() else { return object.unwrap_or_default() };
        match (what.rsplit_once('.'), object) {
            _ if what.starts_with("thread ") => what.into(),
            (_, Some(object)) if what.starts_with('[') => object + what,
            (Some((_, field)), Some(object)) if self.of_many.contains(what) => format!("{object}.{field}"),
            (Some((_, field)), Some(_)) if detail == Detail::Line => field.into(),
            (Some((class, field)), _) => format!("{}.{field}", short(class)),
            (None, Some(object)) => format!("{what} of {object}"),
            (None, None) => what.into(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Line,
    Sentence,
}

/// Whether two steps are about the same part of the same object.
pub(crate) fn same_subject(one: &Step, other: &Step) -> bool {
    one.object.as_ref().map(|object| object.number) == other.object.as_ref().map(|object| object.number)
        && one.what == other.what
}

/// What steps of that kind do to something, in the third person.
pub(crate) fn phrase(kind: StepKind, subject: &str) -> String {
    let words = match kind {
        StepKind::Begin => return "begins".into(),
        StepKind::End => return "ends".into(),
        StepKind::Sleep => return "sleeps".into(),
        StepKind::Yield => return "yields".into(),
        StepKind::ClearInterrupted => return "asks if it was interrupted, and clears that".into(),
        StepKind::Interrupted => return format!("asks if {subject} was interrupted"),
        StepKind::Alive => return format!("asks if {subject} is alive"),
        StepKind::State => return format!("asks what {subject} does"),
        StepKind::Attempt if subject.is_empty() => return "begins to wait".into(),
        StepKind::Attempt => "begins to wait for",
        StepKind::Read | StepKind::VolatileRead => "reads",
        StepKind::Write | StepKind::VolatileWrite => "writes",
        StepKind::Update => "updates",
        StepKind::FailedUpdate => "fails to update",
        StepKind::Lock => "locks",
        StepKind::LockInVain => "tries in vain to lock",
        StepKind::TryLock => "tries to lock",
        StepKind::LockWithin => "locks, unless interrupted or out of time,",
        StepKind::Unlock => "unlocks",
        StepKind::Wait => "waits on",
        StepKind::Wake => "wakes up on",
        StepKind::Notify => "notifies one on",
        StepKind::NotifyAll => "notifies all on",
        StepKind::Park => "parks",
        StepKind::Unpark => "unparks",
        StepKind::Start => "starts",
        StepKind::Join => "joins",
        StepKind::Interrupt => "interrupts",
    };
    if subject.is_empty() { words.trim_end_matches(" on").into() } else { format!("{words} {subject}") }
}

/// A step of that kind as a thing: `read`, `lock`.
pub(crate) fn noun(kind: StepKind) -> &'static str {
    match kind {
        StepKind::VolatileRead => "read",
        StepKind::VolatileWrite => "write",
        StepKind::LockInVain | StepKind::TryLock => "attempt at a lock",
        StepKind::LockWithin => "lock",
        StepKind::Wake => "wake-up",
        StepKind::Notify | StepKind::NotifyAll => "notification",
        StepKind::Interrupted | StepKind::ClearInterrupted => "look at an interrupt",
        StepKind::Alive | StepKind::State => "look at a thread",
        StepKind::Attempt => "beginning of a wait",
        other => other.name(),
    }
}

/// `Account#3`; for a nested class `Node#3`, for its number tells it apart.
pub(crate) fn name(object: &Object) -> String {
    let class = short(&object.class);
    let nested = class.rsplit_once('$').filter(|(outer, _)| !outer.ends_with('$')).map(|(_, nested)| nested);
    let class = nested.filter(|nested| nested.starts_with(char::is_alphabetic)).unwrap_or(class);
    format!("{}#{}", if class.is_empty() { "object" } else { class }, object.number)
}

/// The name of a class without its package.
pub(crate) fn short(class: &str) -> &str {
    // Classes of lambdas have a number after a slash, which says nothing.
    let class = class.find("$$Lambda").map_or(class, |end| &class[..end + "$$Lambda".len()]);
    class.rsplit(['.', '/']).next().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FindingKind;

    fn access(object: Option<Object>, what: &str) -> Step {
        Step { object, what: Some(what.into()), value: Some("1".into()), ..Step::new(1, StepKind::Read) }
    }

    #[test]
    fn objects_are_told_where_fields_alone_are_not_enough() {
        let account = |number| Some(Object::new("com.acme.Account", number));
        let steps = vec![
            access(account(1), "com.acme.Account.balance"),
            access(account(2), "com.acme.Account.balance"),
            access(account(1), "com.acme.Account.owner"),
            access(None, "com.acme.Account.LIMIT"),
            access(Some(Object::new("int[]", 4)), "[3]"),
            access(Some(Object::new("", 5)), "identity hash"),
            access(None, "clock"),
        ];
        let finding = Finding { steps, ..Finding::new(FindingKind::Hang, "T", "") };
        let words = Words::of(&finding);
        let lines: Vec<_> = finding.steps.iter().map(|step| words.line(step)).collect();
        assert_eq!(lines[..3], ["reads Account#1.balance = 1", "reads Account#2.balance = 1", "reads owner = 1"]);
        assert_eq!(lines[3..5], ["reads Account.LIMIT = 1", "reads int[]#4[3] = 1"]);
        assert_eq!(lines[5..], ["reads identity hash of object#5 = 1", "reads clock = 1"]);
        assert_eq!(words.sentence(&finding.steps[2]), "reads Account.owner");
    }

    #[test]
    fn every_kind_has_words_with_and_without_a_subject() {
        let finding = Finding::new(FindingKind::Hang, "T", "");
        let words = Words::of(&finding);
        for (kind, _) in StepKind::ALL {
            let bare = Step::new(1, kind);
            let step = Step { object: Some(Object::new("a.Box", 1)), ..bare.clone() };
            for text in [words.line(&bare), words.sentence(&step), words.about_it(&step), noun(kind).into()] {
                assert!(!text.ends_with(' ') && !text.is_empty(), "{text:?}");
            }
        }
        let ready = Step { kind: StepKind::VolatileRead, ..access(None, "Flag.ready") };
        assert_eq!(words.line(&ready), "reads volatile Flag.ready = 1");
    }

    #[test]
    fn classes_are_told_in_short() {
        assert_eq!(short("java.util.Map$Entry"), "Map$Entry");
        assert_eq!(short("a.b.Main$$Lambda/0x01f"), "Main$$Lambda");
        assert_eq!(short(""), "");
        assert_eq!(name(&Object::new("java.util.HashMap$Node", 3)), "Node#3");
        assert_eq!(name(&Object::new("Main$1", 4)), "Main$1#4");
        assert_eq!(name(&Object::new("Main$$Lambda/0x01f", 5)), "Main$$Lambda#5");
    }
}

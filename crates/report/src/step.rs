//! Steps: what happened, with names instead of numbers.

use serde::{Deserialize, Serialize};

/// One event of one thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Who.
    pub thread: u16,
    /// What is done.
    pub kind: StepKind,
    /// The object it is done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Object>,
    /// Which part of it: a field with its class (`Counter.count`), an element (`[3]`), `thread 2`, `identity hash`,
    /// `clock`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// What was read or written: `1`, `null`, `"abc"`, `Account#3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The call stack, innermost first. Where only the site of the event is known, it alone; empty if nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<Frame>,
    /// Just before, time passed until waits were over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub time_passed: bool,
    /// The step before is of another thread, which could have gone on.
    #[serde(default, skip_serializing_if = "is_false")]
    pub preempts: bool,
}

/// An object of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Object {
    /// It is told apart from others by this.
    pub number: u32,
    /// As Java writes it: `java.util.ArrayList`, `int[]`. Empty if it is not known.
    pub class: String,
}

/// A method that was under way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// With dots: `java.util.Map$Entry`.
    pub class: String,
    /// Its name only; `<init>` for a constructor.
    pub method: String,
    /// The name of the source file, without its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where in the file it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What a step does. In a document it has the name that [`StepKind::name`] gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[allow(missing_docs)] // `schedule::EventKind` says what each is.
pub enum StepKind {
    Begin,
    End,
    Read,
    Write,
    VolatileRead,
    VolatileWrite,
    Update,
    FailedUpdate,
    Lock,
    LockInVain,
    Unlock,
    Wait,
    Wake,
    Notify,
    NotifyAll,
    Park,
    Unpark,
    Start,
    Join,
    Sleep,
    Yield,
    Interrupt,
    Interrupted,
    ClearInterrupted,
    Alive,
    TryLock,
    LockWithin,
    Attempt,
    State,
}

impl StepKind {
    /// All there are, with their names.
    pub const ALL: [(StepKind, &'static str); 29] = [
        (StepKind::Begin, "begin"),
        (StepKind::End, "end"),
        (StepKind::Read, "read"),
        (StepKind::Write, "write"),
        (StepKind::VolatileRead, "volatile read"),
        (StepKind::VolatileWrite, "volatile write"),
        (StepKind::Update, "update"),
        (StepKind::FailedUpdate, "failed update"),
        (StepKind::Lock, "lock"),
        (StepKind::LockInVain, "lock in vain"),
        (StepKind::Unlock, "unlock"),
        (StepKind::Wait, "wait"),
        (StepKind::Wake, "wake"),
        (StepKind::Notify, "notify"),
        (StepKind::NotifyAll, "notifyAll"),
        (StepKind::Park, "park"),
        (StepKind::Unpark, "unpark"),
        (StepKind::Start, "start"),
        (StepKind::Join, "join"),
        (StepKind::Sleep, "sleep"),
        (StepKind::Yield, "yield"),
        (StepKind::Interrupt, "interrupt"),
        (StepKind::Interrupted, "interrupted"),
        (StepKind::ClearInterrupted, "clear interrupted"),
        (StepKind::Alive, "alive"),
        (StepKind::TryLock, "try lock"),
        (StepKind::LockWithin, "lock within"),
        (StepKind::Attempt, "attempt"),
        (StepKind::State, "state"),
    ];

    /// As `schedule::EventKind::name` has it.
    pub fn name(self) -> &'static str {
        StepKind::ALL[self as usize].1
    }

    /// The kind with that name.
    pub fn named(name: &str) -> Option<StepKind> {
        StepKind::ALL.iter().find(|(_, other)| *other == name).map(|&(kind, _)| kind)
    }
}

impl Step {
    /// A step of which nothing else is known.
    pub fn new(thread: u16, kind: StepKind) -> Step {
        let (object, what, value, frames) = (None, None, None, Vec::new());
        Step { thread, kind, object, what, value, frames, time_passed: false, preempts: false }
    }
}

impl Frame {
    /// A place in the code, for steps.
    pub fn new(class: &str, method: &str, file: &str, line: u32) -> Frame {
        Frame { class: class.into(), method: method.into(), file: Some(file.into()), line: Some(line) }
    }
}

impl Object {
    /// The object of that class with that number.
    pub fn new(class: &str, number: u32) -> Object {
        Object { class: class.into(), number }
    }
}

impl From<StepKind> for String {
    fn from(kind: StepKind) -> String {
        kind.name().into()
    }
}

impl TryFrom<String> for StepKind {
    type Error = String;

    fn try_from(name: String) -> Result<StepKind, String> {
        StepKind::named(&name).ok_or_else(|| format!("no step is called {name:?}"))
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_the_name_beside_it() {
        for (place, (kind, name)) in StepKind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, kind.name(), StepKind::named(name)), (place, name, Some(kind)));
        }
        assert_eq!(StepKind::named("jump"), None);
    }
}

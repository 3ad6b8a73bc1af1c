//! Whose code a call stack is in: the user's own, or that of the JDK and of test frameworks.

use crate::finding::Finding;
use crate::step::{Frame, Step};
use crate::words::short;

/// Packages that a user did not write.
const FOREIGN: [&str; 7] = ["java.", "javax.", "jdk.", "sun.", "com.sun.", "org.junit.", "junit."];

/// Classes whose methods are themselves the events, as `wait` and `start` are: their callers do it.
const PRIMITIVE: [&str; 6] = [
    "java.lang.Object",
    "java.lang.Thread",
    "java.lang.System",
    "java.util.concurrent.locks.LockSupport",
    "jdk.internal.misc.Unsafe",
    "sun.misc.Unsafe",
];

/// Tells own code from other. The target of a finding is own code even where it belongs to the JDK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'f> {
    target: &'f str,
}

/// A call stack as it is shown: outermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls<'f> {
    /// The calls of own code; where that called other code, that call last.
    pub frames: Vec<&'f Frame>,
    /// The event is in other code.
    pub inside: bool,
    /// Where the event is, exactly.
    pub innermost: Option<&'f Frame>,
}

impl<'f> Code<'f> {
    pub fn of(finding: &'f Finding) -> Code<'f> {
        Code { target: finding.target_class() }
    }

    pub fn is_own(&self, frame: &Frame) -> bool {
        let nested =
            || frame.class.strip_prefix(self.target).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'));
        !FOREIGN.iter().any(|package| frame.class.starts_with(package)) || !self.target.is_empty() && nested()
    }

    /// The calls that led to a step, without those that say nothing to a user.
    pub fn calls<'s>(&self, step: &'s Step) -> Calls<'s> {
        let frames = self.without_primitives(step);
        let innermost = frames.first();
        let Some(own) = frames.iter().position(|frame| self.is_own(frame)) else {
            // None of it is own code: the outermost call stands for all. Every thread has come from Thread.run.
            let outermost = frames.iter().rev().find(|frame| frame.class != "java.lang.Thread").or(innermost);
            return Calls { frames: outermost.into_iter().collect(), inside: innermost.is_some(), innermost };
        };
        let mut shown: Vec<&Frame> = frames[own..].iter().rev().filter(|frame| self.is_own(frame)).collect();
        shown.extend(own.checked_sub(1).map(|entered| &frames[entered]));
        Calls { frames: shown, inside: own > 0, innermost }
    }

    /// The call stack in full.
    pub fn all_calls<'s>(&self, step: &'s Step) -> Calls<'s> {
        Calls { frames: step.frames.iter().rev().collect(), inside: false, innermost: step.frames.first() }
    }

    /// The innermost frame of own code, or if there is none, the innermost.
    pub fn own<'s>(&self, step: &'s Step) -> Option<&'s Frame> {
        let frames = self.without_primitives(step);
        frames.iter().find(|frame| self.is_own(frame)).or(frames.first())
    }

    /// Where a step is, for a sentence: `Account.java:14`, or `Order.java:20 in ArrayList.add`. Empty if it is not
    /// known.
    pub fn place(&self, step: &Step) -> String {
        let Calls { frames, inside, .. } = self.calls(step);
        match frames[..] {
            [.., caller, entered] if inside => format!("{} in {}", place(caller), method(entered)),
            [only] if inside => method(only),
            _ => self.own(step).map(place).unwrap_or_default(),
        }
    }

    fn without_primitives<'s>(&self, step: &'s Step) -> &'s [Frame] {
        let is_primitive = |frame: &Frame| PRIMITIVE.contains(&&*frame.class) && !self.is_own(frame);
        let inner = step.frames.iter().take_while(|frame| is_primitive(frame)).count();
        // If there is nothing else, they are better than nothing.
        if inner == step.frames.len() { &step.frames } else { &step.frames[inner..] }
    }
}

/// `Account.java:14`, or what is known of it.
pub(crate) fn place(frame: &Frame) -> String {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        (Some(file), None) => file.clone(),
        (None, _) => method(frame),
    }
}

/// `Account.withdraw`, `new Account`.
pub(crate) fn method(frame: &Frame) -> String {
    let class = short(&frame.class);
    match frame.method.as_str() {
        "<init>" => format!("new {class}"),
        "<clinit>" => format!("static {class}"),
        method => format!("{class}.{method}"),
    }
}

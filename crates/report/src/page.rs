//! A finding as a page of text: verdict, cause, timeline, what is known of it, and how to see it again.

use crate::cause::sentence;
use crate::finding::{Finding, FindingKind, JavaTest, Proof};
use crate::plain::{clean, count, wrap};
use crate::step::Frame;
use crate::style::{BAD, Line, PLAIN, STRONG};
use crate::timeline;
use crate::words;
use anstyle::Style;

/// How a finding is shown.
#[derive(Clone, Copy)]
pub struct View<'v> {
    /// So many columns, 20 at least. Nothing is wider but the command at the end.
    pub width: usize,
    /// About so many lines: what is far from the cause is left out of the timeline. None shows all.
    pub height: Option<usize>,
    /// Events in the JDK and in test frameworks are shown as one row a call.
    pub fold: bool,
    /// With colours.
    pub colors: bool,
    /// The line of source at a frame, if it is known.
    pub source: &'v dyn Fn(&Frame) -> Option<String>,
    /// Where the finding's document is; empty if it was not written.
    pub document: &'v str,
}

impl Default for View<'_> {
    fn default() -> Self {
        View { width: 100, height: Some(40), fold: true, colors: false, source: &|_| None, document: "" }
    }
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let View { width, height, fold, colors, document, .. } = self;
        write!(f, "View {{ {width} x {height:?}, fold: {fold}, colors: {colors}, document: {document:?} }}")
    }
}

impl Finding {
    /// The finding in words, each line with a line break.
    pub fn text(&self, view: &View<'_>) -> String {
        let width = view.columns();
        let wrapped = |text: &str, lines: usize, style: Style| {
            wrap(text, width, lines).into_iter().map(move |line| Line::of(line, style)).collect::<Vec<_>>()
        };
        let mut top = wrapped(&self.verdict(), 3, BAD);
        if let Some(cause) = sentence(self) {
            top.push(Line::default());
            top.extend(wrapped(&format!("Cause: {cause}."), 6, STRONG));
        }
        top.extend(self.java_test.iter().flat_map(|test| self.test_lines(test, width)));
        let mut bottom = vec![Line::default()];
        bottom.extend(wrapped(&self.known(), 4, PLAIN));
        if !view.document.is_empty() {
            bottom.push(Line::of(format!("See it again: raddle replay {}", quoted(&clean(view.document))), PLAIN));
        }
        // Of a timeline that is shorter than this nothing would be understood.
        let left = view.height.map(|height| height.saturating_sub(top.len() + 1 + bottom.len()).max(8));
        let timeline = timeline::lines(self, view, left);
        if !timeline.is_empty() {
            top.push(Line::default());
        }
        let all = top.into_iter().chain(timeline).chain(bottom);
        all.map(|line| line.paint(view.colors) + "\n").collect()
    }

    /// What is wrong with what.
    fn verdict(&self) -> String {
        let fails = match self.kind {
            FindingKind::Exception => "fails",
            FindingKind::Deadlock => "deadlocks",
            FindingKind::Hang => "does not end",
            FindingKind::Linearizability => "is not linearizable",
            FindingKind::Atomicity => "is not atomic",
            FindingKind::Race => "has a data race",
        };
        let Finding { target, what, .. } = self;
        if what.is_empty() { format!("{target} {fails}") } else { format!("{target} {fails}: {what}") }
    }

    /// The test, as a Java programmer would write it down, and what its objects are called in the timeline.
    fn test_lines(&self, test: &JavaTest, width: usize) -> Vec<Line> {
        let mut lines = vec![Line::default(), Line::of("Test:", STRONG)];
        let mut put = |head: &str, text: &str| {
            let wrapped = wrap(&clean(text), width.saturating_sub(head.chars().count()).max(20), 3);
            for (number, line) in wrapped.into_iter().enumerate() {
                let head = if number == 0 { head.to_owned() } else { " ".repeat(head.chars().count() + 4) };
                lines.push(Line::of(format!("{head}{line}"), PLAIN));
            }
        };
        for (number, statement) in test.prefix.iter().enumerate() {
            let object = test.objects.get(&number).and_then(|&object| self.object(object));
            let comment = object.map_or(String::new(), |object| format!("  // {}", words::name(object)));
            put("    ", &format!("{statement}{comment}"));
        }
        for (thread, calls) in test.threads.iter().enumerate() {
            calls.iter().for_each(|call| put(&format!("    thread {}:  ", thread + 1), call));
        }
        test.after.iter().for_each(|call| put("    then:  ", call));
        lines
    }

    /// How little it takes, and where that is known from.
    fn known(&self) -> String {
        let preemptions = match self.preemptions {
            0 => "no preemption".into(),
            some => count(some as usize, "preemption"),
        };
        let proof = match (self.proof, self.preemptions) {
            _ if self.as_found => " as it was found; it was not shrunk yet, and its cause was not looked for",
            (Proof::Smallest, 0) => "; no smaller schedule does, every one was run",
            (Proof::Smallest, _) => {
                "; every schedule with fewer, and every smaller one with as many, was run and passes"
            }
            (Proof::FewestPreemptions, 1..) => "; every schedule with fewer was run and passes",
            (Proof::FewestPreemptions | Proof::None, 0) => "",
            (Proof::None, _) => "; fewer may do, not all such schedules were run",
        };
        let mut found = Vec::new();
        if self.executions_to_find > 0 {
            found.push(format!("found after {}", count(self.executions_to_find as usize, "execution")));
        }
        found.push(format!("seed {}", self.seed));
        if !self.java.is_empty() {
            found.push(format!("Java {}", self.java));
        }
        let all: u64 = self.schedule.iter().map(|&(_, events)| u64::from(events)).sum();
        let steps = match self.steps.len() {
            told if told > 0 && (told as u64) < all => {
                format!("The first {} are told", count(told, "step"))
            }
            told => count(told, "step"),
        };
        format!("Fails with {preemptions}{proof}. {steps}, {}.", found.join(", "))
    }
}

impl View<'_> {
    pub(crate) fn columns(&self) -> usize {
        self.width.max(20)
    }
}

/// A path as a shell wants it.
fn quoted(path: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "-_./:,+@%=".contains(char);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

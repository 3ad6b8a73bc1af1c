//! The rows of a timeline: what would be shown if there were room for all.

use crate::code::{Calls, Code, method, place};
use crate::finding::{Ending, Finding};
use crate::page::View;
use crate::plain::{clean, count};
use crate::step::{Frame, Step, StepKind};
use crate::words::{Words, short};
use std::collections::{BTreeMap, BTreeSet};

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row<'f> {
    /// Whose it is; of a switch, who goes on.
    pub thread: u16,
    pub kind: RowKind,
    /// In how many calls it is.
    pub depth: usize,
    /// Clean.
    pub text: String,
    /// Where in the code it is.
    pub at: Option<&'f Frame>,
    /// For how many steps it stands.
    pub steps: usize,
    /// It shows a step of the cause.
    pub in_cause: bool,
    /// The row of the call that it is in.
    pub call: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowKind {
    /// A call is entered.
    Call,
    Event,
    /// Events of other code than the user's.
    Folded,
    /// Another thread goes on, because it must.
    Switch,
    /// Another thread goes on, although the one before could.
    Preemption,
    /// Time passes until waits are over.
    Time,
    /// How a thread ended, or why it did not.
    Ending,
}

/// All rows of a finding.
pub(crate) fn rows<'f>(finding: &'f Finding, view: &View<'_>) -> Vec<Row<'f>> {
    let mut cause = BTreeSet::new();
    finding.cause.iter().for_each(|fact| cause.extend([fact.first, fact.second]));
    let last = finding.steps.iter().enumerate().map(|(number, step)| (step.thread, number)).collect();
    let (code, words) = (Code::of(finding), Words::of(finding));
    let mut drawing =
        Drawing { finding, fold: view.fold, code, words, cause, last, rows: Vec::new(), open: BTreeMap::new() };
    for (number, step) in finding.steps.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &finding.steps[before]);
        drawing.between(before, step);
        drawing.step(number, step);
    }
    drawing.endings();
    drawing.rows
}

struct Drawing<'f> {
    finding: &'f Finding,
    /// See [`View::fold`].
    fold: bool,
    code: Code<'f>,
    words: Words<'f>,
    /// The numbers of the steps of the cause.
    cause: BTreeSet<usize>,
    /// The number of the last step of each thread.
    last: BTreeMap<u16, usize>,
    rows: Vec<Row<'f>>,
    /// The calls that each thread is in, with their rows.
    open: BTreeMap<u16, Vec<(&'f Frame, usize)>>,
}

impl<'f> Drawing<'f> {
    /// What there is to say before a step.
    fn between(&mut self, before: Option<&Step>, step: &Step) {
        if step.time_passed {
            self.push(step.thread, RowKind::Time, 0, "time passes until waits are over".into());
        }
        let Some(before) = before.filter(|before| before.thread != step.thread) else { return };
        let (from, to) = (before.thread, step.thread);
        let (kind, text) = match before.kind {
            _ if step.preempts => (RowKind::Preemption, format!("preemption: thread {from} → thread {to}")),
            StepKind::End => (RowKind::Switch, format!("thread {from} has ended → thread {to}")),
            _ => (RowKind::Switch, format!("thread {from} cannot go on → thread {to}")),
        };
        self.push(to, kind, 0, text);
    }

    fn step(&mut self, number: usize, step: &'f Step) {
        let calls = self.enter(step);
        let in_cause = self.cause.contains(&number);
        if calls.inside && !in_cause && !self.is_stuck(number, step) {
            return self.fold(step.thread);
        }
        let threw = match self.finding.endings.get(&step.thread) {
            Some(Ending::Threw(exception)) if step.kind == StepKind::End => Some(exception),
            _ => None,
        };
        let (kind, text) = match threw {
            Some(exception) => (RowKind::Ending, throws(exception)),
            None => (RowKind::Event, self.words.line(step)),
        };
        let row = self.push_at(step.thread, kind, calls.frames.len(), text, calls.innermost);
        row.steps = 1;
        row.in_cause = in_cause;
    }

    /// Whether a thread never went on after this step, though it had not ended.
    fn is_stuck(&self, number: usize, step: &Step) -> bool {
        let waits = matches!(self.finding.endings.get(&step.thread), Some(Ending::Waits(_)));
        use StepKind::{Join, Lock, LockWithin, Park, Sleep, Wait};
        let blocks = matches!(step.kind, Lock | LockWithin | Wait | Park | Join | Sleep);
        waits && blocks && self.last.get(&step.thread) == Some(&number)
    }

    /// Shows the calls that led to a step and were not under way in its thread.
    fn enter(&mut self, step: &'f Step) -> Calls<'f> {
        let calls = if self.fold { self.code.calls(step) } else { self.code.all_calls(step) };
        let mut open = self.open.remove(&step.thread).unwrap_or_default();
        let mut same = 0;
        for (&frame, &(other, _)) in calls.frames.iter().zip(&open) {
            if frame.class != other.class || frame.method != other.method {
                break;
            }
            same += 1;
            // What this one calls from another line is another call.
            if frame.line != other.line {
                break;
            }
        }
        open.truncate(same);
        // A method goes on to another line.
        open.iter_mut().zip(&calls.frames).for_each(|((known, _), frame)| *known = frame);
        for depth in same..calls.frames.len() {
            let frame = calls.frames[depth];
            let caller = depth.checked_sub(1).map(|caller| calls.frames[caller]);
            let call = open.last().map(|&(_, row)| row);
            self.push_at(step.thread, RowKind::Call, depth, method(frame), caller).call = call;
            open.push((frame, self.rows.len() - 1));
        }
        self.open.insert(step.thread, open);
        calls
    }

    /// One more event of other code.
    fn fold(&mut self, thread: u16) {
        let open = self.open.get(&thread).map_or(&[][..], Vec::as_slice);
        let (depth, call) = (open.len(), open.last().map(|&(_, row)| row));
        let end = self.rows.len();
        match self.rows.last_mut() {
            // The call that was just entered and its events share a row.
            Some(row) if row.kind == RowKind::Call && call == Some(end - 1) => {
                row.kind = RowKind::Folded;
                row.text.push_str("(…)");
                row.steps = 1;
            }
            Some(row) if row.kind == RowKind::Folded && (call == Some(end - 1) || row.call == call) => row.steps += 1,
            _ => self.push(thread, RowKind::Folded, depth, String::new()).steps = 1,
        }
    }

    /// Why threads that did not end did not.
    fn endings(&mut self) {
        let threads: BTreeSet<u16> =
            self.finding.endings.keys().copied().chain(self.finding.pending.iter().map(|step| step.thread)).collect();
        for thread in threads {
            let pending = self.finding.pending.iter().position(|step| step.thread == thread);
            let next = pending.map(|place| &self.finding.pending[place]);
            let told = self.last.get(&thread).is_some_and(|&last| self.finding.steps[last].kind == StepKind::End);
            let text = match (self.finding.endings.get(&thread), next) {
                (Some(Ending::Ended), _) => continue,
                (Some(Ending::Threw(_)), _) if told => continue,
                (Some(Ending::Threw(exception)), _) => throws(exception),
                (Some(Ending::Waits(waits)), _) => waits.clone(),
                (Some(Ending::CutOff), None) => "is cut off here".into(),
                (Some(Ending::CutOff), Some(next)) => format!("is cut off before it {}", self.words.line(next)),
                (None, Some(next)) => format!("never {}", self.words.line(next)),
                (None, None) => continue,
            };
            let calls = next.map(|next| self.enter(next)).unwrap_or_default();
            let in_cause = pending.is_some_and(|place| self.cause.contains(&(self.finding.steps.len() + place)));
            self.push_at(thread, RowKind::Ending, calls.frames.len(), text, calls.innermost).in_cause = in_cause;
        }
    }

    fn push(&mut self, thread: u16, kind: RowKind, depth: usize, text: String) -> &mut Row<'f> {
        self.push_at(thread, kind, depth, text, None)
    }

    fn push_at(
        &mut self,
        thread: u16,
        kind: RowKind,
        depth: usize,
        text: String,
        at: Option<&'f Frame>,
    ) -> &mut Row<'f> {
        let call = self.open.get(&thread).and_then(|open| open.last()).map(|&(_, row)| row);
        let row = Row { thread, kind, depth, text: clean(&text), at, steps: 0, in_cause: false, call };
        self.rows.push(row);
        self.rows.last_mut().expect("internal bug: no row")
    }
}

/// An exception without its package, which the verdict has.
fn throws(exception: &str) -> String {
    let end = exception.find(':').unwrap_or(exception.len());
    format!("throws {}{}", short(&exception[..end]), &exception[end..])
}

impl Row<'_> {
    /// `Account.java:14`, or empty.
    pub fn place(&self) -> String {
        self.at.map(|frame| clean(&place(frame))).unwrap_or_default()
    }

    /// What it says, with what is known once all steps are in.
    pub fn shown(&self) -> String {
        match self.kind {
            RowKind::Folded if self.text.is_empty() => count(self.steps, "more event"),
            RowKind::Folded => format!("{}: {}", self.text, count(self.steps, "event")),
            _ => self.text.clone(),
        }
    }

    /// Whether it goes across all threads.
    pub fn is_rule(&self) -> bool {
        matches!(self.kind, RowKind::Switch | RowKind::Preemption | RowKind::Time)
    }
}

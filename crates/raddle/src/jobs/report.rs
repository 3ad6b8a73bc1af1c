//! The report of a list of jobs: what came of each, in the order of the list.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;

use crate::journal::Journal;
use crate::supervisor::{Outcome, Task};
use crate::worker::protocol::Answer;

/// The report. It depends on the jobs and their outcomes alone: not on the order in which they were done, nor on how often
/// the run was interrupted.
pub fn render(tasks: &[Task], journal: &Journal) -> String {
    let mut text = String::new();
    for task in tasks {
        match journal.finished(task) {
            Some(outcome) => render_outcome(&mut text, &task.key, outcome),
            None => line(&mut text, format_args!("{}: not done", task.key)),
        }
        let is_done = matches!(journal.finished(task).map(|outcome| &outcome.answer), Some(Answer::Done(_)));
        for found in journal.found(task) {
            let when = if is_done { "found" } else { "found before that" };
            let what = shown(&found.failure.what);
            line(&mut text, format_args!("    {when}: {what}, shown {:016x}", found.shown.hash));
        }
    }
    text
}

fn render_outcome(text: &mut String, key: &str, outcome: &Outcome) {
    match &outcome.answer {
        Answer::Done(report) => line(
            text,
            format_args!(
                "{key}: done, {} executions, {} failures, {} unstable, {} traces, shown {:016x}",
                report.executions, report.failures, report.unstable, report.traces, report.shown.hash
            ),
        ),
        Answer::Refused(why) => line(text, format_args!("{key}: refused: {why}")),
        Answer::Unknown(reason) => line(text, format_args!("{key}: unknown: {reason}")),
    }
    for refused in &outcome.refused {
        line(text, format_args!("    was not allowed to {}", shown(refused)));
    }
    if outcome.printed.bytes > 0 {
        line(text, format_args!("    printed {} bytes, at the end:", outcome.printed.bytes));
        let lines: Vec<_> = outcome.printed.tail.lines().rev().take(3).collect();
        for printed in lines.into_iter().rev() {
            line(text, format_args!("    | {}", shown(printed)));
        }
    }
}

/// What the code under test has written is not ours: no control characters, no endless lines.
fn shown(text: &str) -> String {
    const WIDTH: usize = 160;
    text.chars().map(|c| if c.is_control() { '.' } else { c }).take(WIDTH).collect()
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect("internal bug: a string takes everything");
}

/// Writes the report beside the journal; whoever reads it sees the old or the new one, whole.
pub fn write(folder: &Path, text: &str) -> anyhow::Result<()> {
    let (path, new) = (folder.join("report.txt"), folder.join("report.txt.new"));
    std::fs::write(&new, text)
        .and_then(|()| std::fs::rename(&new, &path))
        .with_context(|| format!("cannot write {}", path.display()))
}

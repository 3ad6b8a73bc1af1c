//! What is said in the end.

use std::path::Path;

use report::{Finding, View};

use super::{Known, Target};
use crate::args::{Color, ExploreArgs, ViewArgs};
use crate::output;
use crate::sources::Sources;
use crate::supervisor::Ran;
use crate::worker::protocol::{Certificate, Explored, Report};

/// A finding as a page.
pub fn page(finding: &Finding, path: &Path, sources: &Sources, args: &ViewArgs, color: Color) -> String {
    let document = path.to_string_lossy();
    let source = |frame: &report::Frame| sources.line(&frame.class, frame.file.as_deref(), frame.line?);
    if args.quiet {
        return format!("{}: {} ({document})\n", finding.target, finding.what);
    }
    let (width, height) = output::size();
    finding.text(&View {
        width,
        height: (!args.whole).then_some(height),
        fold: !args.whole,
        colors: output::wants_colors(color),
        source: &source,
        document: &document,
    })
}

/// The verdict in one word, as reports have it.
pub fn word(explored: &Explored, unknown: Option<&str>) -> &'static str {
    match unknown {
        _ if !explored.findings.is_empty() => "violation",
        Some(_) => "unknown",
        None => "clean",
    }
}

/// The last lines: what was run, and what is known by that.
pub fn summary(
    target: &Target,
    explored: &Explored,
    report: Option<&Report>,
    unknown: Option<&str>,
    known: &Known,
    args: &ExploreArgs,
) -> String {
    let mut text = String::new();
    let told = if args.view.quiet { 0 } else { usize::MAX };
    for note in target.notes.iter().take(told) {
        text += &format!("note: {note}\n");
    }
    for (first, second) in explored.races.iter().take(told) {
        text += &format!("data race: thread {first}\n       and thread {second}\n");
    }
    if !explored.races.is_empty() && !args.view.quiet {
        text += "  Only sequentially consistent executions were run; with races, Java allows more.\n";
    }
    let findings = match explored.findings.len() {
        0 => "nothing found".to_owned(),
        1 => "1 finding".to_owned(),
        more => format!("{more} findings"),
    };
    text += &format!("{}: {findings} in {} executions, {:.1} s\n", target.name, known.executions, known.seconds);
    match (&explored.certificate, unknown) {
        (Some(certificate), _) if explored.findings.is_empty() => text += &certified(certificate),
        (_, Some(why)) => text += &format!("not everything was run: {why}\n"),
        (None, None) if args.first && !explored.findings.is_empty() => text += "stopped at the first finding\n",
        (None, None) if known.ran == Ran::Stopped => text += "not everything was run: stopped by a signal\n",
        (None, None) if explored.abandoned => {
            text += "nothing is certified: daemon threads that go on when all else is over were left after 1000 events each\n";
        }
        (None, None) => text += "not every schedule was run: a larger --budget may run more\n",
        (Some(_), None) => {}
    }
    if report.is_some_and(|report| report.unstable > 0) || explored.unexpected > 0 {
        text +=
            "some executions did not go the same way twice: what depends on anything but the schedule is not found\n";
    }
    text
}

fn certified(certificate: &Certificate) -> String {
    let Certificate { traces, race_free, events_a_thread, timeouts, wakeups, loops } = *certificate;
    let classes = if traces == 1 { "1 class".to_owned() } else { format!("{traces} classes") };
    let mut text = format!("certified: every execution was run, up to equivalence ({classes})");
    text += match race_free {
        true => "; none has a data race, so this holds under the Java memory model\n",
        false => "\n",
    };
    if let Some(events) = events_a_thread {
        text += &format!("  bound: what a thread does after {events} events was not run\n");
    }
    if timeouts {
        text += "  bound: timed waits were over only when nothing else could go on (--early-timeouts runs more)\n";
    }
    if wakeups {
        text += "  bound: waits ended early or without cause as often as was allowed\n";
    }
    if loops {
        text += "  bound: threads that go round a loop reading the same were held until that changes\n";
    }
    text
}

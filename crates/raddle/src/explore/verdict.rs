//! What is said in the end.

use std::path::Path;

use report::{Finding, View};

use super::{Known, Target};
use crate::args::{Color, ExploreArgs, ExplorerName, ViewArgs};
use crate::output;
use crate::sources::Sources;
use crate::supervisor::Ran;
use crate::unconfirmed;
use crate::worker::protocol::{Certificate, Explored, Report};

const SEQUENTIAL: &str = "  Only sequentially consistent executions were run; Java allows more here.\n";

/// Past so many executions `auto` samples.
const MOST_OF_AUTO: u64 = 100_000;

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

/// The verdict in one word, as reports have it. Whether everything was run, they say beside it.
pub fn word(explored: &Explored, unknown: Option<&str>) -> &'static str {
    match unknown {
        _ if !explored.findings.is_empty() => "violation",
        Some(_) => "unknown",
        None => "clean",
    }
}

/// Why nothing can be said where nothing was found and not all that threads share was seen.
pub fn unseen(explored: &Explored) -> Option<String> {
    let not_seen = explored.unseen.join("; ");
    (explored.findings.is_empty() && !explored.unseen.is_empty())
        .then(|| format!("threads share what Raddle does not see: {not_seen}"))
}

/// The last lines: what was run, and what is known by that.
pub fn summary(
    target: &Target,
    explored: &Explored,
    incomplete: Option<&str>,
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
        text += SEQUENTIAL;
    }
    if let Some(class) = explored.weak.as_ref().filter(|_| !args.view.quiet) {
        text += &format!("note: {class} uses accesses weaker than volatile (lazySet, setRelease, getAcquire, ...)\n");
        if explored.races.is_empty() {
            text += SEQUENTIAL;
        }
    }
    for unseen in explored.unseen.iter().filter(|_| !explored.findings.is_empty()).take(told) {
        text += &format!("note: not seen: {unseen}\n");
    }
    let unconfirmed = known.unconfirmed.len();
    for failure in &known.unconfirmed {
        text += &unconfirmed::line(failure);
    }
    let findings = match explored.findings.len() {
        0 if unconfirmed > 0 => report::count(unconfirmed, "unconfirmed failure"),
        0 => "nothing found".to_owned(),
        1 => "1 finding".to_owned(),
        more => format!("{more} findings"),
    };
    text += &format!("{}: {findings} in {}, {:.1} s\n", target.name, executions(known.executions), known.seconds);
    match (&explored.certificate, incomplete) {
        (Some(certificate), _) if explored.findings.is_empty() => text += &certified(certificate),
        (_, Some(why)) => {
            text += &format!("not certified: {why}\n");
            text += &explored.covered.filter(|covered| *covered > 0).map(covers).unwrap_or_default();
        }
        _ => {}
    }
    // Where it is the reason, it was said.
    if explored.certificate.is_some() && explored.unexpected > 0 {
        text +=
            "some executions did not go the same way twice: what depends on anything but the schedule is not found\n";
    }
    text
}

/// Why not every execution is known to have run; None if that is known.
pub fn incomplete(
    explored: &Explored,
    report: Option<&Report>,
    unknown: Option<&str>,
    known: &Known,
    args: &ExploreArgs,
) -> Option<String> {
    if explored.certificate.is_some() {
        return None;
    }
    let unstable = report.map_or(0, |report| report.unstable);
    let odd = explored.unexpected;
    Some(match unknown {
        Some(why) => why.to_owned(),
        None if known.ran == Ran::Stopped => "stopped by a signal".into(),
        None if args.first && !explored.findings.is_empty() => "stopped at the first finding".into(),
        None if let Some(what) = report.and_then(|report| report.unrestored.as_deref()) => what.to_owned(),
        None if unstable > 0 => format!(
            "{} failed, but not again under the same schedule or in a fresh virtual machine: something other than the schedule decides",
            executions(unstable)
        ),
        None if explored.abandoned => {
            "daemon threads that go on when all else is over were left after 1000 events each".into()
        }
        None if !matches!(args.explorer, ExplorerName::Auto | ExplorerName::Dpor) => {
            "this explorer does not run every schedule; auto and dpor do, if there is time".into()
        }
        None if odd > 0 => {
            format!("{} did not go as the schedule says: what depends on anything else is not found", executions(odd))
        }
        None if explored.cut > 0 => format!(
            "{} ended before all threads had, by System.exit or after more events than --max-events allows",
            executions(explored.cut)
        ),
        None if let Some(events) = explored.exhausted => format!(
            "out of memory for exploration after {events} events: more orders wait to be run than can be kept; samples were run instead"
        ),
        None if known.executions >= args.executions => "as many executions ran as --executions allows".into(),
        None if args.explorer == ExplorerName::Auto && known.executions >= MOST_OF_AUTO => {
            "there are more than auto runs one by one; --explorer dpor has no limit but --budget".into()
        }
        None => "the budget was used up before every schedule was run; with a larger --budget more are".into(),
    })
}

fn covers(preemptions: u32) -> String {
    let preemptions = if preemptions == 1 { "1 preemption".to_owned() } else { format!("{preemptions} preemptions") };
    format!(
        "  but every schedule with at most {preemptions} was run; timed waits were over only when nothing else could go on\n"
    )
}

fn executions(count: u64) -> String {
    if count == 1 { "1 execution".to_owned() } else { format!("{count} executions") }
}

fn certified(certificate: &Certificate) -> String {
    let Certificate {
        traces,
        race_free,
        events_a_thread,
        timeouts,
        wakeups,
        no_wakeups,
        interrupts,
        loops,
        chance,
        references,
    } = *certificate;
    let classes = if traces == 1 { "1 class".to_owned() } else { format!("{traces} classes") };
    let mut text = format!("certified: every execution was run, up to equivalence ({classes})");
    let is_bounded = [timeouts, wakeups, no_wakeups, interrupts, loops, chance, references].contains(&true)
        || events_a_thread.is_some();
    text += match (race_free, is_bounded) {
        (true, false) => "; none has a data race, so this holds under the Java memory model\n",
        (true, true) => "; none has a data race, so within these bounds this holds under the Java memory model\n",
        (false, _) => "\n",
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
    if no_wakeups {
        text += "  bound: no wait ended without cause, as Java allows (--spurious-wakeups 1 runs such)\n";
    }
    if interrupts {
        text += "  bound: where a thread that waits was interrupted and may have been notified, only one way to go on was run\n";
    }
    if chance {
        text += "  bound: random numbers, identity hashes, numbers of threads and processors and the clock had one value each\n";
    }
    if references {
        text += "  bound: the garbage collector cleared no reference and finalized nothing\n";
    }
    if loops {
        text += "  bound: threads that go round a loop reading the same were held until that changes\n";
    }
    text
}

//! What a check says in the end: a page for each class, a table for several.

use report::{View, thousands};

use super::counts::Counts;
use super::coverage::Coverage;
use super::folder::Written;
use super::found::Found;
use crate::args::{CheckArgs, Color, OracleName};
use crate::output;
use crate::sources::Sources;
use crate::worker::protocol::FailureKind;

/// What a class came to.
pub struct ClassReport {
    pub class: String,
    pub verdict: Verdict,
    pub counts: Counts,
    /// All pairs of methods, and those that may hurt each other.
    pub pairs: (usize, usize),
    pub findings: Vec<(Found, Written)>,
    /// What documents say of the tests that were kept.
    pub kept: Vec<serde_json::Value>,
    /// How much was tested.
    pub coverage: Coverage,
    /// What the reader must know of the analysis.
    pub notes: Vec<String>,
    /// A signal has ended it.
    pub stopped: bool,
}

/// The verdict on a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Violation,
    /// Every pair of methods that may matter was certified.
    Clean,
    /// Most pairs were tested.
    NothingFound,
    /// Nothing can be said, and why.
    Unknown(String),
}

impl Verdict {
    /// As documents have it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Violation => "violation",
            Verdict::Clean => "clean",
            Verdict::NothingFound => "nothing found",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// So many findings of a class are shown whole; the others in a line.
const SHOWN: usize = 2;

/// A class in words.
pub fn page(report: &ClassReport, args: &CheckArgs, sources: &Sources, color: Color) -> String {
    let mut text = String::new();
    let shown = match args.view.whole {
        true => usize::MAX,
        false if args.view.quiet => 0,
        false => SHOWN,
    };
    // One of each kind and place is enough to understand the others.
    let mut told: Vec<(FailureKind, &str)> = Vec::new();
    let mut rest = Vec::new();
    for (found, written) in &report.findings {
        let place = (found.finding.failure.kind, &*found.finding.failure.place);
        match told.len() < shown && !told.contains(&place) {
            true => {
                told.push(place);
                text += &finding(written, args, sources, color);
                if found.confirmed.is_none() {
                    text += "Not sure yet: there was no time to run this again in a virtual machine of its own, as it does when it is replayed.\n";
                }
                text += "\n";
            }
            false => rest.push((found, written)),
        }
    }
    if !rest.is_empty() {
        text += if told.is_empty() { "" } else { "More:\n" };
        for (found, written) in rest {
            let unsure = if found.confirmed.is_none() { ", not sure yet: replay it" } else { "" };
            text += &format!("  {}{unsure}\n", line(written));
        }
        text += "\n";
    }
    text + &last_lines(report, args)
}

/// A finding in a line.
pub fn line(written: &Written) -> String {
    let threads: Vec<String> = written.statements.threads.iter().map(|calls| calls.join("; ")).collect();
    let what = match written.finding.kind.name() {
        "exception" => written.finding.what.split([':', ' ']).next().unwrap_or_default(),
        kind => kind,
    };
    format!("{what}: {}  ({})", threads.join("  against  "), written.document.display())
}

fn finding(written: &Written, args: &CheckArgs, sources: &Sources, color: Color) -> String {
    let source = |frame: &report::Frame| sources.line(&frame.class, frame.file.as_deref(), frame.line?);
    let (width, height) = output::size();
    let document = written.document.to_string_lossy();
    let mut text = written.finding.text(&View {
        width,
        height: (!args.view.whole).then_some(height),
        fold: !args.view.whole,
        colors: output::wants_colors(color),
        source: &source,
        document: &document,
    });
    text += &match &written.test {
        Ok(path) => format!("Java test:    {}\n", path.display()),
        Err(why) => format!("There is no Java test: {why}\n"),
    };
    text
}

/// What was done and what is known by that.
fn last_lines(report: &ClassReport, args: &CheckArgs) -> String {
    let ClassReport { class, counts, pairs, coverage, .. } = report;
    let mut text = String::new();
    if !args.view.quiet {
        for note in &report.notes {
            text += &format!("note: {note}\n");
        }
        for (what, tests) in &counts.unseen {
            text += &format!("not seen, and so not certified: {what} ({tests} tests)\n");
        }
        let unsteady = counts.unsteady();
        if !unsteady.is_empty() {
            let so = match args.oracle {
                OracleName::Safety => "not the same",
                OracleName::Linearizability => "not compared, for they are not the same",
            };
            text += &format!("results {so} when the same calls are made in the same order: {}\n", unsteady.join(", "));
        }
        for refused in counts.refused.iter().take(5) {
            text += &format!("refused by the fence: {refused}\n");
        }
        for (reason, times) in counts.unknown.iter().take(5) {
            text += &format!("nothing can be said of {}: {reason}\n", count(*times, "test"));
        }
    }
    counts.refusals.iter().for_each(|refusal| text += &refusal.line());
    counts.unsure.iter().for_each(|unsure| text += &unsure.line());
    let verdict = match &report.verdict {
        Verdict::Violation => {
            let sure = report.findings.iter().filter(|(found, _)| found.is_told()).count();
            let told = count(sure as u64, "finding");
            let of_values = |(found, _): &(Found, Written)| found.finding.failure.kind == FailureKind::Linearizability;
            let is_not = if report.findings.iter().all(of_values) { "linearizable" } else { "thread-safe" };
            match report.findings.len() - sure {
                0 => format!("not {is_not}, {told}"),
                unsure => format!("not {is_not}, {told}, and {unsure} not sure yet"),
            }
        }
        Verdict::Clean => "clean".to_owned(),
        Verdict::NothingFound => "nothing found".to_owned(),
        Verdict::Unknown(_) if !counts.unsure.is_empty() => {
            format!("nothing can be said, {}", count(counts.unsure.len() as u64, "unconfirmed failure"))
        }
        Verdict::Unknown(why) => return text + &format!("{class}: nothing can be said: {why}\n"),
    };
    text += &format!("{class}: {verdict}");
    if counts.untold > 0 {
        text += &format!(" ({} more were not kept)", counts.untold);
    }
    if counts.variants > 0 && report.verdict == Verdict::Violation {
        let fail = if counts.variants == 1 { "fails" } else { "fail" };
        text += &format!("; {} {fail} in the same ways", count(counts.variants, "more test"));
    }
    text += "\n";
    if counts.withdrawn > 0 {
        let like_them = counts.variants * u64::from(report.verdict != Verdict::Violation);
        text += &format!(
            "  {} failed, but not in a fresh virtual machine: the code may keep something that is not put back between executions\n",
            count(counts.withdrawn + like_them, "test")
        );
    }
    if matches!(report.verdict, Verdict::Clean | Verdict::NothingFound) && !args.view.quiet {
        text += &format!(
            "  {} of {} that may hurt each other were run together, {} of them certified: every schedule of a test was run\n",
            thousands(coverage.pairs.tested),
            count(coverage.pairs.all as u64, "pair"),
            thousands(coverage.pairs.certified),
        );
        for place in coverage.unreached.iter().take(UNREACHED) {
            text += &format!("  no test got there: {place}\n");
        }
        if coverage.left > 0 {
            text += &format!("  not tried: {}\n", too_many(coverage.left));
        }
        for untested in &coverage.untested {
            text += &format!("  not tested: {untested}\n");
        }
        let is_all_tried = coverage.left == 0 && coverage.untested.is_empty();
        if coverage.certified == coverage.all && is_all_tried && report.verdict == Verdict::NothingFound {
            text += "  the budget was over while tests still showed something new\n";
        }
        if coverage.unreached.len() > UNREACHED {
            text += &format!("  nor to {} more\n", count((coverage.unreached.len() - UNREACHED) as u64, "place"));
        }
        text += &left_out(counts);
        if counts.saturated {
            text +=
                "  the search ended when two whole rounds of tests, each under every schedule, showed nothing new\n";
        }
        text += scope(args.oracle);
    }
    text += &format!(
        "  {}, {} relevant; {}, {} certified; {}; {:.1} s; seed {}{}\n",
        count(pairs.0 as u64, "pair"),
        thousands(pairs.1),
        count(counts.tests, "test"),
        thousands(counts.certified as usize),
        count(counts.executions, "execution"),
        counts.seconds,
        args.seed,
        if report.stopped { "; stopped by a signal" } else { "" },
    );
    text
}

/// So many places that were not reached are told.
const UNREACHED: usize = 5;

/// What nothing is known of however clean a class is.
fn scope(oracle: OracleName) -> &'static str {
    match oracle {
        OracleName::Safety => {
            "  out of scope: wrong results (--oracle linearizability), static initialisers, weak memory\n"
        }
        OracleName::Linearizability => "  out of scope: static initialisers, weak memory\n",
    }
}

/// Which tests were no tests of threads, and mostly why.
fn left_out(counts: &Counts) -> String {
    /// So many reasons are told.
    const MOST: usize = 3;
    if counts.rejected == 0 {
        return String::new();
    }
    let mut reasons: Vec<(&String, &u64)> = counts.rejections.iter().collect();
    reasons.sort_by_key(|(_, times)| u64::MAX - **times);
    let told: Vec<String> = reasons.iter().take(MOST).map(|(why, times)| format!("{why} ({times})")).collect();
    let more = if reasons.len() > MOST { ", ..." } else { "" };
    let tests = count(counts.rejected, "test");
    format!("  {tests} were left out, for some call fails even if it is made alone: {}{more}\n", told.join(", "))
}

fn count(number: u64, noun: &str) -> String {
    report::count(number as usize, noun)
}

/// Why nothing can be said of a class, with its name.
pub fn unknown(class: &str, why: &str) -> String {
    if why.contains(class) { why.to_owned() } else { format!("{class}: {why}") }
}

/// What is past the bound on pairs.
fn too_many(left: usize) -> String {
    format!("{} with objects that it gives out or takes, because there are too many", count(left as u64, "pair"))
}

/// Why not every pair of a class was certified.
fn why_not_more(report: &ClassReport) -> String {
    let ClassReport { coverage, counts, .. } = report;
    let mut reasons = Vec::new();
    if let Some(place) = coverage.unreached.first() {
        let more = if coverage.unreached.len() > 1 { ", ..." } else { "" };
        reasons.push(format!("no test got there: {place}{more}"));
    }
    if coverage.left > 0 {
        reasons.push(format!("not tried: {}", too_many(coverage.left)));
    }
    reasons.extend(coverage.untested.iter().map(|untested| format!("not tested: {untested}")));
    if let Some((what, _)) = counts.unseen.first_key_value() {
        reasons.push(format!("not seen: {what}"));
    }
    reasons.extend(counts.unrestored.first().cloned());
    if coverage.tested < coverage.all {
        let most = counts.rejections.iter().max_by_key(|(_, times)| **times);
        let why = most.map_or("there was no time".to_owned(), |(why, _)| format!("mostly {why}"));
        reasons.push(format!(
            "{} not run together, {why}",
            count((coverage.pairs.all - coverage.pairs.tested) as u64, "pair")
        ));
    }
    if coverage.certified < coverage.all && reasons.is_empty() {
        reasons.push("some tests have more schedules than there was time for".to_owned());
    }
    if reasons.is_empty() {
        reasons.push("the budget was over while tests still showed something new".to_owned());
    }
    reasons.join("; ")
}

/// Several classes, the worst first.
pub fn table(reports: &[ClassReport]) -> String {
    let mut rows: Vec<&ClassReport> = reports.iter().collect();
    let rank = |report: &ClassReport| match report.verdict {
        Verdict::Violation => 0,
        Verdict::Unknown(_) => 1,
        Verdict::NothingFound => 2,
        Verdict::Clean => 3,
    };
    rows.sort_by_key(|report| (rank(report), usize::MAX - report.findings.len(), report.class.clone()));
    let widest = rows.iter().map(|report| report.class.chars().count()).max().unwrap_or(0).max("class".len());
    let mut text = format!(
        "{:widest$}  verdict        findings    pairs relevant  tested certified   tests executions\n",
        "class"
    );
    for report in rows {
        let ClassReport { class, verdict, counts, pairs, coverage, findings, .. } = report;
        text += &format!(
            "{class:widest$}  {:13}  {:8} {:8} {:8} {:>7} {:>9} {:7} {:10}\n",
            verdict.word(),
            findings.len(),
            pairs.0,
            pairs.1,
            coverage.percent(coverage.tested),
            coverage.percent(coverage.certified),
            counts.tests,
            counts.executions
        );
    }
    text += "\n";
    for report in reports {
        match &report.verdict {
            Verdict::Unknown(why) => text += &format!("{}\n", unknown(&report.class, why)),
            Verdict::NothingFound => text += &format!("{}: {}\n", report.class, why_not_more(report)),
            Verdict::Clean | Verdict::Violation => {}
        }
    }
    text + "\n"
}

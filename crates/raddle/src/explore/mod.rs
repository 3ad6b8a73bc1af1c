//! `raddle explore`: a user's own concurrent program or test, under all its schedules; and `raddle replay`.

mod confirm;
mod finding;
pub(crate) mod given;
mod junit;
mod progress;
mod replay;
mod settings;
mod target;
mod verdict;

use std::time::Duration;

use anyhow::{Context, bail};
use host::Limits;
use serde_json::{Value, json};

use crate::args::{Color, ExploreArgs, ExplorerName};
use crate::output;
use crate::sources::Sources;
use crate::supervisor::{Event, Outcome, Ran, Task, run as run_tasks};
use crate::unconfirmed;
use crate::worker::protocol::{Answer, Explore, Explored, Explorer, Finding, Job, News, Plan, Unconfirmed};
use crate::worker::reason::Reason;

pub(crate) use finding::{Origin, document, write as write_document};
use progress::Progress;
pub use replay::run as replay;
pub(crate) use settings::{Fallback, Place, folders, place, time};
use target::Target;

/// Upper bound on the time to shrink and explain everything, as a part of the budget: ten seconds with the usual one.
const EXPLAINING: u32 = 6;
/// But no less than this.
const LEAST_EXPLAINING: Duration = Duration::from_secs(10);
/// An execution with more events than this is held to have no end, unless the program is longer.
const MAX_EVENTS: usize = 100_000;
/// Then it may have so many times the events that it has if everyone gets turns. One thread may do nearly all of it, and
/// reduction lets none do more than a fifth of what is allowed.
const LONGER: usize = 6;
/// What the plan does not count: a worker that prepares the test, and an execution that is under way when time is over. A
/// worker that takes longer is ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// Explores, and says whether something was found.
pub fn run(args: &ExploreArgs, color: Color) -> anyhow::Result<bool> {
    let budget = settings::time(&args.budget).context("--budget")?;
    given::out(&args.out)?;
    given::source_path(args.view.source_path.as_deref())?;
    let place = settings::place(&args.run, Fallback::CurrentFolder)?;
    let target = Target::find(&args.target, &place.class_path, &place.jdk)?;
    let explore = Explore {
        explorer: explorer(args.explorer),
        seed: args.seed,
        executions: args.executions,
        events: None,
        millis: Some(budget.as_millis() as u64),
        first: args.first,
        explain_millis: explaining(budget).as_millis() as u64,
        must_end: target.must_end,
        may_lengthen: args.max_events.is_none(),
        events_alone: None,
    };
    let limits = Limits {
        max_events: args.max_events.unwrap_or(MAX_EVENTS),
        spurious_wakeups: args.spurious_wakeups,
        early_timeouts: args.early_timeouts,
        early_of_started: 0,
        max_frames: None,
        watched: false,
        mirrored: false,
    };
    let plan = Plan::Explore(explore);
    let mut job =
        Job { test: target.test.clone(), under_test: vec![target.class.clone()], plan, limits, opened: vec![] };
    let mut known = explore_job(args, &place, &job, budget)?;
    if let Some(events) = known.length() {
        let left = budget.saturating_sub(Duration::from_secs_f64(known.seconds)).max(budget / 2);
        job.limits.max_events = LONGER * events;
        job.plan = Plan::Explore(Explore { millis: Some(left.as_millis() as u64), may_lengthen: false, ..explore });
        let before = known.seconds;
        known = explore_job(args, &place, &job, left)?;
        known.seconds += before;
    }
    known.confirm(&place, &job, target.must_end)?;
    let origin = Origin { target: &target.name, place: &place, job: &job, must_end: target.must_end, seed: args.seed };
    report(args, color, &target, &origin, &known)
}

/// What is known in the end.
struct Known {
    /// What was told on the way; it stands even if nothing else does.
    found: Vec<Finding>,
    /// What failed, and is no finding because it could not be reproduced.
    unconfirmed: Vec<Unconfirmed>,
    /// How many executions ran.
    executions: u64,
    outcome: Option<Outcome>,
    ran: Ran,
    seconds: f64,
}

impl Known {
    /// The number of events of a program that has more than are allowed.
    fn length(&self) -> Option<usize> {
        match self.outcome.as_ref()?.answer {
            Answer::Unknown(Reason::Longer { events }) => Some(events),
            _ => None,
        }
    }

    /// Puts aside what does not fail in a fresh virtual machine.
    fn confirm(&mut self, place: &Place, job: &Job, must_end: bool) -> anyhow::Result<()> {
        let mut report = match self.outcome.as_mut().map(|outcome| &mut outcome.answer) {
            Some(Answer::Done(report)) => Some(report),
            _ => None,
        };
        let explored = report.as_mut().and_then(|report| report.explored.as_mut());
        let findings = explored.map_or(&mut self.found, |explored| &mut explored.findings);
        if self.ran != Ran::Stopped && !findings.is_empty() {
            let passed = confirm::confirm(place, job, must_end, findings)?;
            let tried = std::mem::take(findings).into_iter().zip(passed);
            for (finding, passed) in tried {
                match passed {
                    None => findings.push(finding),
                    Some(passed) => self.unconfirmed.push(Unconfirmed { failure: finding.failure, passed }),
                }
            }
        }
        let Some(report) = report else { return Ok(()) };
        let (gone, explored) = (self.unconfirmed.len() as u64, report.explored.get_or_insert_default());
        if gone > 0 {
            report.unstable += gone;
            (explored.certificate, explored.covered) = (None, None);
        }
        let is_found = |it: &Unconfirmed| explored.findings.iter().any(|known| known.failure.is_same(&it.failure));
        let unstable = std::mem::take(&mut report.unconfirmed).into_iter().filter(|it| !is_found(it));
        unstable.for_each(|it| it.add_to(&mut self.unconfirmed));
        Ok(())
    }
}

fn explaining(budget: Duration) -> Duration {
    LEAST_EXPLAINING.max(budget / EXPLAINING)
}

fn explore_job(args: &ExploreArgs, place: &Place, job: &Job, budget: Duration) -> anyhow::Result<Known> {
    let task = Task {
        key: args.target.clone(),
        job: job.clone(),
        budget: Some(budget + explaining(budget) + PATIENCE),
        until: None,
        fresh: false,
    };
    let mut progress = Progress::new(args.view.quiet);
    let (mut found, mut executions, mut outcome) = (Vec::new(), 0, None);
    let ran = run_tasks(place.pool.clone(), settings::folders, vec![task], |event| {
        match event {
            Event::News(_, News::Found(finding)) => {
                executions = executions.max(finding.executions_to_find);
                finding.add_to(&mut found);
                progress.found(found.len());
            }
            Event::News(_, News::Progress(so_far)) => {
                executions = so_far.executions;
                progress.tell(so_far);
            }
            Event::News(_, News::Refused(_) | News::Spent(_)) => {}
            Event::Done(_, done) => {
                if let Answer::Done(report) = &done.answer {
                    executions = report.executions;
                }
                outcome = Some(done);
            }
        }
        Ok(())
    });
    let seconds = progress.end();
    Ok(Known { found, unconfirmed: Vec::new(), executions, outcome, ran: ran?, seconds })
}

fn report(
    args: &ExploreArgs,
    color: Color,
    target: &Target,
    origin: &Origin<'_>,
    known: &Known,
) -> anyhow::Result<bool> {
    let (report, unknown) = match known.outcome.as_ref().map(|outcome| &outcome.answer) {
        Some(Answer::Done(report)) => (Some(&**report), None),
        Some(Answer::Refused(why)) => bail!("{}: {why}", target.name),
        Some(Answer::Unknown(reason @ Reason::Endless { .. })) => {
            (None, Some(format!("{reason}; if it should have one, allow more with --max-events")))
        }
        Some(Answer::Unknown(reason)) => (None, Some(reason.to_string())),
        None => (None, Some("stopped by a signal".to_owned())),
    };
    let explored = report.and_then(|report| report.explored.clone()).unwrap_or_else(|| Explored {
        // What was found before it was cut off, as it was found.
        findings: known.found.clone(),
        ..Explored::default()
    });
    let unknown = unknown.or_else(|| verdict::unseen(&explored));
    let sources =
        Sources::new(args.view.source_path.as_deref(), origin.place.all_entries(), Some(&origin.place.jdk.home));
    let mut text = String::new();
    let mut listed = Vec::new();
    for found in &explored.findings {
        let finding = finding::document(origin, found)?;
        let mut id = finding.id();
        // Two of one run may look the same from outside.
        let same =
            listed.iter().filter(|known: &&Value| known["id"].as_str().is_some_and(|known| known.starts_with(&id)));
        match same.count() {
            0 => {}
            known => id += &format!("-{}", known + 1),
        }
        let path = finding::write(&args.out, &id, &finding)?;
        text += &verdict::page(&finding, &path, &sources, &args.view, color);
        text += "\n";
        listed.push(json!({
            "id": id, "kind": finding.kind.name(), "what": finding.what,
            "preemptions": finding.preemptions, "executions_to_find": finding.executions_to_find,
            "replay": path.to_string_lossy(),
        }));
    }
    let incomplete = verdict::incomplete(&explored, report, unknown.as_deref(), known, args);
    let unknown = unknown.or_else(|| unconfirmed::reason(&known.unconfirmed));
    text += &verdict::summary(target, &explored, incomplete.as_deref(), known, args);
    if let Some(refused) = known.outcome.as_ref().map(|outcome| &outcome.refused).filter(|refused| !refused.is_empty())
    {
        text += &format!("refused by the fence: {}\n", refused.join("; "));
    }
    if let Some(file) = &args.json {
        let document = json!({
            "raddle": env!("CARGO_PKG_VERSION"), "seed": args.seed, "java": origin.place.jdk.version,
            "target": target.name, "verdict": verdict::word(&explored, unknown.as_deref()),
            "reason": unknown, "complete": incomplete.is_none(), "incomplete": incomplete,
            "executions": known.executions, "redundant": explored.redundant, "seconds": known.seconds,
            "preemptions_covered": explored.covered,
            "certificate": explored.certificate.filter(|_| explored.findings.is_empty()).map(|certificate| json!({
                "traces": certificate.traces, "race_free": certificate.race_free,
                "events_a_thread": certificate.events_a_thread, "timeouts_last": certificate.timeouts,
                "wakeups_bounded": certificate.wakeups, "wakeups_none": certificate.no_wakeups, "interrupts_bounded": certificate.interrupts, "loops_held": certificate.loops,
                "chance_fixed": certificate.chance,
                "references_kept": certificate.references,
            })),
            "races": explored.races, "weak_accesses": explored.weak, "unseen": explored.unseen, "findings": listed,
            "unconfirmed": known.unconfirmed.iter().map(unconfirmed::document).collect::<Vec<_>>(),
        });
        output::write_json(file, &document, color)?;
    }
    if args.json.as_deref().is_none_or(|file| file.as_os_str() != "-") {
        output::print(&text, color)?;
    }
    if let Some(why) = unknown.filter(|_| explored.findings.is_empty()) {
        bail!("{}: nothing can be said: {why}", target.name);
    }
    Ok(!explored.findings.is_empty())
}

/// What the name of an explorer means.
pub fn explorer(name: ExplorerName) -> Explorer {
    match name {
        ExplorerName::Auto => Explorer::Auto,
        ExplorerName::Sweep => Explorer::Sweep,
        ExplorerName::Dpor => Explorer::Dpor,
        ExplorerName::Pct => Explorer::Pct,
        ExplorerName::Pos => Explorer::Pos,
        ExplorerName::Surw => Explorer::Surw,
        ExplorerName::Random => Explorer::Random,
    }
}

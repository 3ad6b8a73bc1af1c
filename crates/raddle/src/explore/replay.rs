//! `raddle replay`: a finding, run again.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use classpath::Jdk;
use host::Limits;
use oracle::Oracle;
use report::Finding;
use testcase::TestCase;

use super::settings::{self, Fallback, Place};
use super::{given, verdict};
use crate::args::{Color, ReplayArgs};
use crate::output;
use crate::sources::Sources;
use crate::supervisor::{Event, Ran, Task, run as run_tasks};
use crate::worker::protocol::{Answer, Check, Explore, Explorer, Job, Plan, Report};

/// A debugger is waited for as long as it takes somebody to think.
const WITH_DEBUGGER: Duration = Duration::from_secs(24 * 3600);
/// Time allowed for each of the times that a finding is run, where that is more than a worker has anyway.
const EACH: Duration = Duration::from_secs(5);

/// Replays, and says whether it failed again.
pub fn run(args: &ReplayArgs, color: Color) -> anyhow::Result<bool> {
    let text = std::fs::read_to_string(&args.finding)
        .with_context(|| format!("cannot read {}: name a finding.json", args.finding.display()))?;
    let finding = Finding::read(&text).with_context(|| args.finding.display().to_string())?;
    anyhow::ensure!(args.times > 0, "--times must be at least 1");
    given::source_path(args.view.source_path.as_deref())?;
    let times = if args.debug.is_some() { 1 } else { args.times };
    let mut run = args.run.clone();
    // The JDK that it was found with, if that is still there and no other is named.
    let same_jdk = || Jdk::find(Some(finding.java_home.as_ref())).ok().filter(|_| !finding.java_home.is_empty());
    run.java_home = run.java_home.or_else(|| same_jdk().map(|jdk| jdk.home));
    let mut place = settings::place(&run, Fallback::These(&finding.class_path))?;
    if args.run.java_option.is_empty() {
        place.pool.options.extend(finding.java_options.iter().cloned());
    }
    let damaged = || anyhow!("{} has no test that can be run: explore it again", args.finding.display());
    let (test, under_test, must_end): (TestCase, Vec<String>, bool) =
        serde_json::from_value(finding.test.clone()).map_err(|_| damaged())?;
    let limits: Limits = serde_json::from_value(finding.limits.clone()).map_err(|_| damaged())?;
    anyhow::ensure!(finding.schedule.iter().all(|(_, events)| *events > 0), damaged());
    let (turns, timeouts) = (finding.schedule.clone(), finding.timeouts.clone());
    let oracle = finding.oracle.as_deref().map(|name| Oracle::named(name).ok_or_else(damaged)).transpose()?;
    let plan = match oracle {
        // Whoever steps through it wants to see the failing execution, and not those that it is held against.
        Some(oracle) if args.debug.is_none() => {
            let explore = Explore {
                explorer: Explorer::Auto,
                seed: finding.seed,
                executions: times,
                events: None,
                millis: None,
                first: false,
                explain_millis: 0,
                must_end,
                may_lengthen: false,
                events_alone: None,
            };
            Plan::Recheck { check: Check { explore, oracle, wanted: None, goals: vec![] }, turns, timeouts }
        }
        _ => Plan::Replay { turns, timeouts, times, must_end },
    };
    let mut budget = Some(place.pool.budget.max(EACH.saturating_mul(times.try_into().unwrap_or(u32::MAX))));
    if let Some(port) = args.debug {
        place
            .pool
            .options
            .push(format!("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:{port}"));
        // A debugger talks to the virtual machine through a socket, which the fence would refuse.
        place.pool.fence = None;
        budget = Some(WITH_DEBUGGER);
        eprintln!("waiting for a debugger on port {port} of this machine");
    }
    let job = Job { test, under_test, plan, limits, opened: finding.opened.clone() };
    let task = |job: &Job, fresh| Task { key: finding.id(), job: job.clone(), budget, until: None, fresh };
    let mut report = replayed(&finding, &place, vec![task(&job, false)])?;
    if report.unrestored.is_some() && oracle.is_none() && args.debug.is_none() {
        // Executions leave something behind for others, so each needs a virtual machine of its own.
        let (turns, timeouts) = (finding.schedule.clone(), finding.timeouts.clone());
        let first = Job { plan: Plan::ReplayFirst { turns, timeouts, must_end }, ..job };
        report = replayed(&finding, &place, (0..times).map(|_| task(&first, true)).collect())?;
    }
    let same = same_trace(&report, &finding);
    let mut page = String::new();
    if report.failures > 0 {
        let sources = Sources::new(args.view.source_path.as_deref(), place.all_entries(), Some(&place.jdk.home));
        page = verdict::page(&finding, &args.finding, &sources, &args.view, color);
    }
    page += &format!("{}: failed {} of {times} times", finding.target, report.failures);
    page += match (same, report.failures) {
        (true, 0) => ", though every event was the same\n",
        (true, _) => ", with the same events as when it was found\n",
        (false, 0) => "; its code or its JDK is not what it was when this was found\n",
        (false, _) => ", with other events: its code or its JDK is not what it was when this was found\n",
    };
    output::print(&page, color)?;
    Ok(report.failures > 0)
}

/// Runs tasks that replay a finding, and gives what they have shown together.
fn replayed(finding: &Finding, place: &Place, tasks: Vec<Task>) -> anyhow::Result<Report> {
    let (mut all, mut last, mut hashes) = (Report::default(), None, BTreeSet::new());
    let ran = run_tasks(place.pool.clone(), settings::folders, tasks, |event| {
        if let Event::Done(_, outcome) = event {
            if let Answer::Done(report) = &outcome.answer {
                all.failures += report.failures;
                all.traces = all.traces.max(report.traces);
                hashes.insert(report.shown.hash);
                all.unrestored = all.unrestored.take().or(report.unrestored.clone());
                all.shown = report.shown.clone();
            }
            last = Some(outcome.answer);
        }
        Ok(())
    })?;
    all.traces = all.traces.max(hashes.len() as u64);
    match last {
        Some(Answer::Done(_)) => Ok(all),
        Some(Answer::Refused(why)) => bail!("{}: {why}", finding.target),
        Some(Answer::Unknown(reason)) => bail!("{} cannot be replayed: {reason}", finding.target),
        None if ran == Ran::Stopped => bail!("stopped by a signal"),
        None => bail!("the worker gave no answer"),
    }
}

fn same_trace(report: &Report, finding: &Finding) -> bool {
    report.traces == 1 && format!("{:016x}", report.shown.hash) == finding.hash
}

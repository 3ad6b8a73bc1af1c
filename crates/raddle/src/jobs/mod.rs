//! `raddle jobs`: runs a list of jobs under supervision. Not for people: it is how supervision itself is tested.
//!
//! The loop is the one that every campaign will have: take what the journal knows, hand the rest to the pool, write down
//! each finding and each outcome as it comes, report.

mod allowance;
mod list;
mod report;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use allowance::Allowance;
use anyhow::Context;
use classpath::Jdk;

use crate::args::{Color, JobsArgs};
use crate::journal::Journal;
use crate::output;
use crate::supervisor::{Event, PoolSettings, PrivateFolders, Task, identity, run as run_tasks};
use crate::worker::protocol::News;

/// Runs the jobs of a list that have not been done, and reports all that is known.
pub fn run(args: &JobsArgs, color: Color) -> anyhow::Result<()> {
    let tasks = list::read(&args.list)?;
    let allowance = Allowance::of(args, &tasks)?;
    let settings = settings(args, &allowance)?;
    let mut journal = Journal::open(&args.out, &identity(&settings, &args.out), args.resume)?;
    let outdated = tasks.iter().filter(|task| journal.is_outdated(task)).count();
    if outdated > 0 {
        tell(format_args!("{outdated} jobs are done again: class files, JDK, settings or the jobs have changed since"));
    }
    let ran = run_rest(&tasks, &allowance, settings, &mut journal, &args.out);
    // Whatever has happened, what is known is reported.
    let text = report::render(&tasks, &journal);
    report::write(&args.out, &text)?;
    output::print(&text, color)?;
    ran?;
    let (done, all) = (tasks.iter().filter(|task| journal.finished(task).is_some()).count(), tasks.len());
    let missing = tasks.iter().filter(|task| allowance.allows(task) && journal.finished(task).is_none()).count();
    anyhow::ensure!(missing == 0, "stopped by a signal after {done} of {all} jobs: go on with --resume");
    allowance.complain(all - done)
}

fn run_rest(
    tasks: &[Task],
    allowance: &Allowance,
    settings: PoolSettings,
    journal: &mut Journal,
    out: &Path,
) -> anyhow::Result<()> {
    let is_left = |task: &&Task| allowance.allows(task) && journal.finished(task).is_none();
    let rest: Vec<_> = tasks.iter().filter(is_left).cloned().collect();
    if rest.is_empty() {
        return Ok(());
    }
    let folders = || PrivateFolders::new(&out.join("workers")).context("cannot make the folders of the workers");
    run_tasks(settings, folders, rest, |event| note(event, tasks.len(), journal)).map(drop)
}

/// Writes down what has happened, and says so.
fn note(event: Event, tasks: usize, journal: &mut Journal) -> anyhow::Result<()> {
    let told = match event {
        Event::News(task, News::Found(finding)) if journal.find(&task, &finding)? => {
            format!("found in {}: {:016x}", task.key, finding.shown.hash)
        }
        Event::News(..) => return Ok(()),
        Event::Done(task, outcome) => {
            journal.finish(&task, outcome)?;
            format!("{}/{tasks} {}", journal.len(), task.key)
        }
    };
    tell(format_args!("{told}"));
    Ok(())
}

/// Only for whoever watches, so it does not matter if nobody does.
fn tell(what: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

fn settings(args: &JobsArgs, allowance: &Allowance) -> anyhow::Result<PoolSettings> {
    crate::explore::given::jobs(args.jobs)?;
    let jdk = Jdk::find(args.java_home.as_deref())?;
    let program = std::env::current_exe().context("cannot find our own executable")?;
    let class_path = absolute(&args.classpath)?;
    let mut settings = PoolSettings::new(program, jdk.home, class_path);
    settings.workers = args.jobs.unwrap_or(settings.workers);
    settings.fence = allowance.fence();
    settings.readable = args.allow_read.clone();
    settings.budget = Duration::from_secs(args.budget);
    settings.heap = args.heap;
    Ok(settings)
}

/// A class path that means the same in a worker, which has another current folder.
fn absolute(class_path: &str) -> anyhow::Result<String> {
    let entries = std::env::split_paths(class_path).filter(|entry| !entry.as_os_str().is_empty());
    let entries: Result<Vec<_>, _> = entries.map(std::path::absolute).collect();
    let joined = std::env::join_paths(entries.context("cannot use the class path")?)?;
    joined.into_string().map_err(|_| anyhow::anyhow!("the class path is not UTF-8"))
}

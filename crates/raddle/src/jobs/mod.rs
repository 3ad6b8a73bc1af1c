//! `raddle jobs`: runs a list of jobs under supervision. Not for people: it is how supervision itself is tested.
//!
//! The loop is the one that every campaign will have: take what the journal knows, hand the rest to the pool, write down
//! each finding and each outcome as it comes, report.

mod list;
mod report;

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use classpath::Jdk;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::args::{Color, JobsArgs};
use crate::fence;
use crate::journal::Journal;
use crate::output;
use crate::supervisor::{Event, Pool, PoolSettings, PrivateFolders, Task};
use crate::worker::protocol::News;

/// Runs the jobs of a list that have not been done, and reports all that is known.
pub fn run(args: &JobsArgs, color: Color) -> anyhow::Result<()> {
    let tasks = list::read(&args.list)?;
    let settings = settings(args)?;
    let mut journal = Journal::open(&args.out, &identity(&settings), args.resume)?;
    let ran = run_rest(&tasks, settings, &mut journal, &args.out);
    // Whatever has happened, what is known is reported.
    let text = report::render(&tasks, &journal);
    report::write(&args.out, &text)?;
    output::print(&text, color)?;
    let done = tasks.iter().filter(|task| journal.finished(task).is_some()).count();
    ran?;
    anyhow::ensure!(
        done == tasks.len(),
        "stopped by a signal after {done} of {} jobs: go on with --resume",
        tasks.len()
    );
    Ok(())
}

fn run_rest(tasks: &[Task], settings: PoolSettings, journal: &mut Journal, out: &Path) -> anyhow::Result<()> {
    let rest: Vec<_> = tasks.iter().filter(|task| journal.finished(task).is_none()).cloned().collect();
    if rest.is_empty() {
        return Ok(());
    }
    // From here on a signal is waited for, and no longer ends the process.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot wait for signals")?;
    let folders = PrivateFolders::new(&out.join("workers")).context("cannot make the folders of the workers")?;
    let mut pool = Pool::start(settings, folders)?;
    let stopper = pool.stopper();
    let closer = signals.handle();
    let watch = std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            stopper.stop();
        }
    });
    rest.into_iter().for_each(|task| pool.submit(task));
    let mut ran = Ok(());
    while let Some(event) = pool.next() {
        ran = event.map_err(anyhow::Error::from).and_then(|event| note(event, tasks.len(), journal));
        if ran.is_err() {
            break;
        }
    }
    drop(pool);
    closer.close();
    // It only waits, and has been told to stop.
    let _ = watch.join();
    ran
}

/// Writes down what has happened, and says so.
fn note(event: Event, tasks: usize, journal: &mut Journal) -> anyhow::Result<()> {
    let told = match event {
        Event::News(task, News::Found(shown)) if journal.find(&task, &shown)? => {
            format!("found in {}: {:016x}", task.key, shown.hash)
        }
        Event::News(..) => return Ok(()),
        Event::Done(task, outcome) => {
            journal.finish(&task, outcome)?;
            format!("{}/{tasks} {}", journal.len(), task.key)
        }
    };
    // Only for whoever watches, so it does not matter if nobody does.
    let _ = writeln!(std::io::stderr(), "{told}");
    Ok(())
}

fn settings(args: &JobsArgs) -> anyhow::Result<PoolSettings> {
    if !args.no_fence {
        fence::check().map_err(|missing| anyhow::anyhow!("{missing}; --no-fence runs them all the same"))?;
    }
    anyhow::ensure!(args.jobs != Some(0), "--jobs must be at least 1");
    let jdk = Jdk::find(args.java_home.as_deref())?;
    let program = std::env::current_exe().context("cannot find our own executable")?;
    let class_path = absolute(&args.classpath)?;
    let mut settings = PoolSettings::new(program, jdk.home, class_path);
    settings.workers = args.jobs.unwrap_or(settings.workers);
    settings.fence = !args.no_fence;
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

/// What the outcomes of all jobs depend on.
fn identity(settings: &PoolSettings) -> String {
    let PoolSettings { java_home, class_path, options, fence, readable, heap, .. } = settings;
    format!("{java_home:?} {class_path:?} {options:?} {fence} {readable:?} {heap}")
}

//! The worker: a child of the supervisor that hosts a virtual machine and runs jobs in it.
//!
//! It is started as `raddle worker`, and speaks [`protocol`] on standard input and output until the input
//! ends. The code under test sees neither: its input is empty, and what it prints goes to standard error.
//!
//! Before it loads the virtual machine, and while it has one thread, it puts itself behind the [`crate::fence`] that the
//! supervisor asks for. Nothing that it does later can take that away.

mod check;
mod chosen;
mod desk;
mod doubt;
mod ending;
mod explore;
mod failure;
mod judge;
mod length;
mod missing;
pub mod protocol;
mod reached;
pub mod reason;
mod repeat;
mod runs;
mod scout;
mod show;
mod stop;
pub mod told;
mod walk;

use std::fs::File;
use std::io::{self, BufReader};
use std::time::{Duration, Instant};

use anyhow::Context;
use host::{Host, JvmSettings, RunSettings};
use judge::ByItsEnd;
use protocol::{Answer, Budget, Check, FailureKind, Job, Plan, Ready, Setup};
use reason::Reason;
use runs::Runs;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use schedule::{InOrder, Schedule, ThreadId, Turn};

/// Runs jobs until there are no more.
pub fn run() -> anyhow::Result<()> {
    let (input, mut output) = take_streams().context("cannot take standard input and output")?;
    let mut input = BufReader::new(input);
    let Some(setup) = protocol::receive::<Setup>(&mut input)? else { return Ok(()) };
    let started = confine(&setup).and_then(|()| start(&setup));
    let failure = started.as_ref().err().map(|error| format!("{error:#}"));
    protocol::send(&mut output, &Ready { failure })?;
    let mut host = started?;
    desk::open(output)?;
    while let Some((job, budget)) = protocol::receive::<(Job, Budget)>(&mut input)? {
        desk::begin(budget, job.plan.is_one_of_many());
        let answer = match do_job(&mut host, &job) {
            Ok(answer) => answer,
            Err(error) => Answer::Refused(format!("{error:#}")),
        };
        desk::answer(answer)?;
    }
    Ok(())
}

/// Ties the worker to its supervisor, and puts it behind its fence.
fn confine(setup: &Setup) -> anyhow::Result<()> {
    if let Some(supervisor) = setup.supervisor {
        set_parent_process_death_signal(Some(Signal::KILL)).context("cannot be tied to the supervisor")?;
        // It may have died before that.
        let parent = getppid().map_or(0, |parent| parent.as_raw_nonzero().get() as u32);
        anyhow::ensure!(parent == supervisor, "the supervisor is gone");
    }
    if let Some(fence) = &setup.fence {
        // Where these are, the code under test must not write.
        host::write_hooks(&setup.folder, &setup.left_out)?;
        fence.enter()?;
        host::note_refusals(desk::refused);
    }
    Ok(())
}

fn start(setup: &Setup) -> anyhow::Result<Host> {
    let settings = JvmSettings {
        java_home: setup.java_home.clone(),
        class_path: setup.class_path.clone(),
        folder: setup.folder.clone(),
        options: setup.options.clone(),
        left_out: setup.left_out.clone(),
    };
    let host = Host::start(&settings)?;
    // What the virtual machine itself did not get is not the code under test's.
    host::take_refusals();
    Ok(host)
}

/// Standard input and output for ourselves; the code under test gets others.
fn take_streams() -> io::Result<(File, File)> {
    let input = File::from(rustix::io::dup(rustix::stdio::stdin())?);
    let output = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input, output))
}

fn do_job(host: &mut Host, job: &Job) -> anyhow::Result<Answer> {
    host.open(&job.opened);
    let test = match host.prepare(&job.test, &job.under_test) {
        Ok(test) => test,
        Err(error) => match doubt::doubt_preparation(host, &error) {
            // A check has other tests, for which the worker is as good as before.
            Some(reason @ Reason::MissingClass { .. }) if job.plan.is_of_check() => {
                return Ok(Answer::Refused(reason.to_string()));
            }
            Some(reason) => return Ok(Answer::Unknown(reason)),
            None => return Err(error.into()),
        },
    };
    let mut settings = RunSettings { limits: job.limits, ..RunSettings::default() };
    if let Plan::Check(check) | Plan::Recheck { check, .. } = &job.plan {
        settings = check::settings(check, settings);
    }
    let mut runs = Runs::new(host, test, settings, &job.plan, job.opened.clone());
    let begun = Instant::now();
    let mut ran = run_plan(&mut runs, job);
    if let Err(Reason::Asked) = ran {
        runs.watch();
        ran = run_plan(&mut runs, &rest_of(job, begun.elapsed()));
    }
    if let Err(reason) = ran {
        return Ok(Answer::Unknown(reason));
    }
    let report = runs.report();
    let is_told = report.checked.is_some() || report.scouted.is_some();
    anyhow::ensure!(report.executions > 0 || is_told, "the job has no executions");
    Ok(Answer::Done(Box::new(report)))
}

/// A job that is begun anew after so long. It has no more time for that than it had.
fn rest_of(job: &Job, elapsed: Duration) -> Job {
    let mut job = job.clone();
    if let Plan::Explore(explore) | Plan::Check(Check { explore, .. }) = &mut job.plan {
        explore.millis = explore.millis.map(|millis| millis.saturating_sub(elapsed.as_millis() as u64));
    }
    job
}

fn run_plan(runs: &mut Runs<'_>, job: &Job) -> Result<(), Reason> {
    // Classes are loaded and initialised by a first execution, which does not count. A check begins with many such.
    let warm_up = |runs: &mut Runs<'_>| runs.run(Box::new(InOrder));
    match &job.plan {
        Plan::Random { seed, executions, exhaust } => {
            let serial = warm_up(runs)?;
            walk::run(runs, &serial, *seed, *executions, *exhaust)
        }
        Plan::Explore(plan) => {
            let first = warm_up(runs)?;
            length::ask(runs, plan, &first)?;
            explore::run(runs, plan, &mut ByItsEnd { must_end: plan.must_end }, Some(&first))?;
            // Whether it has no end, one schedule does not tell.
            let failure = failure::failure(&first, ending::end(&first), plan.must_end);
            failure
                .filter(|failure| failure.kind != FailureKind::Hang)
                .into_iter()
                .for_each(|it| runs.failed_at_first(it));
            Ok(())
        }
        Plan::Replay { turns, timeouts, times, must_end } => {
            warm_up(runs)?;
            repeat::run(runs, &schedule(turns, timeouts), *times, &mut ByItsEnd { must_end: *must_end })
        }
        Plan::ReplayFirst { turns, timeouts, must_end } => {
            repeat::first(runs, schedule(turns, timeouts), &mut ByItsEnd { must_end: *must_end })
        }
        Plan::Check(check) => check::run(runs, check, job, None),
        Plan::Scout { wanted } => scout::run(runs, job, wanted),
        Plan::Recheck { check, turns, timeouts } => check::run(runs, check, job, Some(&schedule(turns, timeouts))),
    }
}

fn schedule(turns: &[(u16, u32)], timeouts: &[(usize, u16)]) -> Schedule {
    let turns = turns.iter().map(|&(thread, events)| Turn { thread: ThreadId(thread), events });
    let timeouts = timeouts.iter().map(|&(step, thread)| (step, ThreadId(thread)));
    Schedule { turns: turns.collect(), timeouts: timeouts.collect() }
}

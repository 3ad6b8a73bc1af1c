//! The worker: a child of the supervisor that hosts a virtual machine and runs jobs in it.
//!
//! It is started as `raddle worker`, and speaks [`protocol`] on standard input and output until the input
//! ends. The code under test sees neither: its input is empty, and what it prints goes to standard error.

pub mod protocol;
mod stop;

use std::collections::HashSet;
use std::fs::File;
use std::io;

use anyhow::Context;
use host::{CallResult, Execution, Host, JvmSettings, RunSettings};
use protocol::{Answer, Job, Plan, Report, Setup, Shown};
use schedule::{InOrder, RandomWalk, Schedule, Scheduler, ThreadId, Turn};

/// Runs jobs until there are no more.
pub fn run() -> anyhow::Result<()> {
    let (mut input, mut output) = take_streams().context("cannot take standard input and output")?;
    let Some(setup) = protocol::receive::<Setup>(&mut input)? else { return Ok(()) };
    let settings = JvmSettings {
        java_home: setup.java_home,
        class_path: setup.class_path,
        folder: setup.folder,
        options: setup.options,
    };
    let mut host = Host::start(&settings)?;
    while let Some(job) = protocol::receive::<Job>(&mut input)? {
        let answer = match do_job(&mut host, &job) {
            Ok(report) => Answer::Done(report),
            Err(error) => Answer::Refused(format!("{error:#}")),
        };
        protocol::send(&mut output, &answer)?;
    }
    Ok(())
}

/// Standard input and output for ourselves; the code under test gets others.
fn take_streams() -> io::Result<(File, File)> {
    let input = File::from(rustix::io::dup(rustix::stdio::stdin())?);
    let output = File::from(rustix::io::dup(rustix::stdio::stdout())?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input, output))
}

fn do_job(host: &mut Host, job: &Job) -> anyhow::Result<Report> {
    let test = host.prepare(&job.test, &job.under_test)?;
    let settings = RunSettings { max_events: job.max_events as usize, ..RunSettings::default() };
    let executions = match job.plan {
        Plan::Random { executions, .. } | Plan::Replay { times: executions, .. } => executions,
    };
    // Classes are loaded and initialised by a first execution, which does not count.
    host.run(&test, Box::new(InOrder), settings);
    let mut traces = HashSet::new();
    let mut report: Option<Report> = None;
    for number in 0..executions {
        let (scheduler, seed): (Box<dyn Scheduler + Send>, u64) = match &job.plan {
            Plan::Random { seed, .. } => (Box::new(RandomWalk::new(seed + number)), seed + number),
            Plan::Replay { turns, .. } => (Box::new(schedule(turns).replay()), number),
        };
        let execution = host.run(&test, scheduler, settings);
        let (failed, hash) = (fails(&execution), execution.trace.hash());
        traces.insert(hash);
        let last = number + 1 == executions;
        let report =
            report.get_or_insert_with(|| Report { executions: 0, failures: 0, traces: 0, shown: Shown::default() });
        report.executions += 1;
        report.failures += failed as u64;
        if failed && report.failures == 1 || last && report.failures == 0 {
            report.shown = show(host, &execution, seed, hash);
        }
        if failed && matches!(job.plan, Plan::Random { exhaust: false, .. }) {
            break;
        }
    }
    let mut report = report.context("the job has no executions")?;
    report.traces = traces.len() as u64;
    Ok(report)
}

fn schedule(turns: &[(u16, u32)]) -> Schedule {
    Schedule { turns: turns.iter().map(|&(thread, events)| Turn { thread: ThreadId(thread), events }).collect() }
}

/// Whether an execution ended otherwise than with all calls returned.
fn fails(execution: &Execution) -> bool {
    let calls = execution.suffixes.iter().flatten().chain(&execution.prefix).chain(&execution.probes);
    execution.stop.is_some()
        || !execution.uncaught.is_empty()
        || calls.into_iter().any(|result| !matches!(result, CallResult::Returned(_)))
}

fn show(host: &Host, execution: &Execution, seed: u64, hash: u64) -> Shown {
    let describe = |step: &schedule::Step| {
        let event = step.event;
        let site = host.site(event.site).map_or(String::new(), |site| {
            let line = site.line.map_or(String::new(), |line| format!(":{line}"));
            format!(" at {}.{}{line}", site.class.replace('/', "."), site.method)
        });
        let field = host.field(event.slot).filter(|_| event.kind.is_access());
        let what = match field {
            Some((class, name)) => format!("{}.{name}", class.replace('/', ".")),
            None => format!("{}", event.slot),
        };
        let object = if event.object == schedule::ObjectId::NONE { "-".into() } else { format!("#{}", event.object.0) };
        format!("{} {} {object} {what}{site}", step.thread.0, event.kind.name())
    };
    Shown {
        seed,
        hash,
        turns: execution.schedule().turns.iter().map(|turn| (turn.thread.0, turn.events)).collect(),
        events: execution.trace.steps.iter().map(describe).collect(),
        prefix: execution.prefix.clone(),
        suffixes: execution.suffixes.clone(),
        probes: execution.probes.clone(),
        uncaught: execution.uncaught.iter().map(|(thread, thrown)| (thread.0, thrown.clone())).collect(),
        stop: stop::describe(execution),
    }
}

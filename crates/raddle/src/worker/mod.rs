//! The worker: a child of the supervisor that hosts a virtual machine and runs jobs in it.
//!
//! It is started as `raddle worker`, and speaks [`protocol`] on standard input and output until the input
//! ends. The code under test sees neither: its input is empty, and what it prints goes to standard error.
//!
//! Before it loads the virtual machine, and while it has one thread, it puts itself behind the [`crate::fence`] that the
//! supervisor asks for. Nothing that it does later can take that away.

mod desk;
mod doubt;
pub mod protocol;
pub mod reason;
mod stop;

use std::collections::HashSet;
use std::fs::File;
use std::io;

use anyhow::Context;
use doubt::Ends;
use host::{CallResult, Execution, Host, JvmSettings, Prepared, RunSettings};
use protocol::{Answer, Budget, Job, Plan, Ready, Report, Setup, Shown};
use reason::Reason;
use rustix::process::{Signal, getppid, set_parent_process_death_signal};
use schedule::{InOrder, RandomWalk, Schedule, Scheduler, ThreadId, Turn};

/// Runs jobs until there are no more.
pub fn run() -> anyhow::Result<()> {
    let (mut input, mut output) = take_streams().context("cannot take standard input and output")?;
    let Some(setup) = protocol::receive::<Setup>(&mut input)? else { return Ok(()) };
    let started = confine(&setup).and_then(|()| start(&setup));
    let failure = started.as_ref().err().map(|error| format!("{error:#}"));
    protocol::send(&mut output, &Ready { failure })?;
    let mut host = started?;
    desk::open(output)?;
    while let Some((job, budget)) = protocol::receive::<(Job, Budget)>(&mut input)? {
        desk::begin(budget);
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
        host::note_refusals();
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
    let test = match host.prepare(&job.test, &job.under_test) {
        Ok(test) => test,
        Err(error) => match doubt::doubt_preparation(&error) {
            Some(reason) => return Ok(Answer::Unknown(reason)),
            None => return Err(error.into()),
        },
    };
    let settings = RunSettings { limits: job.limits, ..RunSettings::default() };
    let mut runs = Runs { host, test, settings, traces: HashSet::new(), report: Report::default() };
    // Classes are loaded and initialised by a first execution, which does not count.
    let serial = runs.run(Box::new(InOrder));
    let ran = serial.and_then(|serial| match &job.plan {
        Plan::Random { seed, executions, exhaust } => runs.search(&serial, *seed, *executions, *exhaust),
        Plan::Replay { turns, times } => runs.repeat(&schedule(turns), *times),
    });
    if let Err(reason) = ran {
        return Ok(Answer::Unknown(reason));
    }
    anyhow::ensure!(runs.report.executions > 0, "the job has no executions");
    Ok(Answer::Done(Report { traces: runs.traces.len() as u64, ..runs.report }))
}

/// The executions of a job.
struct Runs<'h> {
    host: &'h mut Host,
    test: Prepared,
    settings: RunSettings,
    traces: HashSet<u64>,
    report: Report,
}

/// After so many executions of one schedule nothing is initialised any more.
const WARM_UP: u64 = 10;

impl Runs<'_> {
    /// Runs the test case once, unless nothing can be said any more.
    fn run(&mut self, scheduler: Box<dyn Scheduler + Send>) -> Result<Execution, Reason> {
        let execution = self.host.run(&self.test, scheduler, self.settings);
        doubt::doubt(&execution).map_or(Ok(execution), Err)
    }

    /// Walks at random. A failure counts if its schedule leads to the same trace again: parts of the JDK that
    /// are initialised on first use, past the serial execution, may make it another.
    fn search(&mut self, serial: &Execution, seed: u64, executions: u64, exhaust: bool) -> Result<(), Reason> {
        let mut ends = Ends::default();
        let mut can_judge = ends.see(serial)?;
        for seed in (seed..).take(executions as usize) {
            let execution = self.run(Box::new(RandomWalk::new(seed)))?;
            let hash = execution.trace.hash();
            self.traces.insert(hash);
            self.report.executions += 1;
            can_judge = ends.see(&execution)?;
            if fails(&execution) && can_judge {
                let again = self.run(Box::new(execution.schedule().replay()))?;
                if !fails(&again) || again.trace.hash() != hash {
                    self.report.unstable += 1;
                    continue;
                }
                self.report.failures += 1;
            }
            let last = self.report.executions == executions;
            if self.report.failures == 1 && fails(&execution) || self.report.failures == 0 && last {
                self.report.shown = show(self.host, &execution, seed, hash);
            }
            if self.report.failures > 0 && !exhaust {
                break;
            }
        }
        let events = self.settings.limits.max_events;
        if can_judge { Ok(()) } else { Err(Reason::Endless { events }) }
    }

    /// Follows one schedule.
    fn repeat(&mut self, schedule: &Schedule, times: u64) -> Result<(), Reason> {
        let mut last = None;
        for _ in 0..WARM_UP {
            let hash = Some(self.run(Box::new(schedule.clone().replay()))?.trace.hash());
            if std::mem::replace(&mut last, hash) == hash {
                break;
            }
        }
        for number in 0..times {
            let execution = self.run(Box::new(schedule.clone().replay()))?;
            let hash = execution.trace.hash();
            self.traces.insert(hash);
            self.report.executions += 1;
            self.report.failures += fails(&execution) as u64;
            if number == 0 {
                self.report.shown = show(self.host, &execution, number, hash);
            }
        }
        Ok(())
    }
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

//! A slot of the pool: a thread that keeps one worker, and does one task after the other with it.

use std::io;
use std::time::{Duration, Instant};

use super::handle::Handle;
use super::process::{Excess, Ran, WorkerProcess};
use super::{Outcome, PoolSettings, PrivateFolders, StartError, Task, death};
use crate::worker::protocol::{Answer, News, Reply};
use crate::worker::reason::{Reason, Standing};

/// A worker that is killed again and again before it is ready is started so often. That takes far longer than any task
/// that a kill may hit, so there must be more of these than attempts at a task; but whatever kills every worker, such as
/// the kernel for want of memory, must come to an end.
const STARTS: u32 = 30;

/// Memory is looked at no more often than this: a thousand tasks may be done in a second, and to ask the kernel took a tenth of what each costs here.
const LOOK: Duration = Duration::from_millis(100);

/// More refusals than this are not kept: what runs in a worker may write to its pipe.
const MOST_REFUSED: usize = 64;

/// A worker, if there is one, and what it has done.
pub struct Slot<'p> {
    settings: &'p PoolSettings,
    folders: &'p PrivateFolders,
    worker: Option<WorkerProcess>,
    /// One that has run nothing, and may not be ready yet.
    spare: Option<WorkerProcess>,
    executions: u64,
    /// The worker has had a task.
    used: bool,
    /// When its memory was last looked at.
    looked: Instant,
    /// The classes under test whose executions have left something behind in the worker, if any have.
    left_behind: Option<Vec<String>>,
}

impl<'p> Slot<'p> {
    pub fn new(settings: &'p PoolSettings, folders: &'p PrivateFolders) -> Slot<'p> {
        Slot {
            settings,
            folders,
            worker: None,
            spare: None,
            executions: 0,
            used: false,
            looked: Instant::now(),
            left_behind: None,
        }
    }

    /// Has a worker that is ready. `begun` is told of the process of a new one.
    pub fn warm_up(&mut self, begun: &dyn Fn(Handle)) -> Result<&mut WorkerProcess, StartError> {
        let mut starts = 0;
        while self.worker.is_none() {
            starts += 1;
            (self.executions, self.used, self.left_behind) = (0, false, None);
            match WorkerProcess::start(self.settings, self.folders, begun) {
                Err(StartError::Killed) if starts < STARTS => {}
                started => self.worker = Some(started?),
            }
        }
        Ok(self.worker.as_mut().expect("internal bug: a worker was just started"))
    }

    /// Does a task, with as many workers as it takes. `tell` hears the news of each of them, so the same may come again.
    pub fn run(
        &mut self,
        task: &Task,
        begun: &dyn Fn(Handle),
        tell: &mut dyn FnMut(News),
    ) -> Result<Outcome, StartError> {
        if !task.fresh || !self.used {
            let (settings, folders) = (self.settings, self.folders);
            let mut spare = self.spare.take();
            let mut hear = |news: News| {
                // What was found is to be confirmed by a worker that has run nothing. One that cannot be started now is
                // started when it is needed.
                if settings.spare && spare.is_none() && matches!(news, News::Found(_)) {
                    spare = WorkerProcess::launch(settings, folders).ok();
                }
                tell(news);
            };
            let outcome = self.attempt(task, begun, &mut hear);
            self.spare = spare;
            return outcome;
        }
        // The worker that is here waits meanwhile: it has loaded and compiled what its successor would have to.
        let mut fresh = Slot::new(self.settings, self.folders);
        fresh.worker = self.spare.take().and_then(|spare| spare.ready(begun).ok());
        let outcome = match fresh.attempt(task, begun, tell) {
            // There may be no room for two.
            Err(_) if self.worker.take().is_some() => fresh.attempt(task, begun, tell),
            outcome => outcome,
        };
        if let Some(worker) = &self.worker {
            begun(worker.handle());
        }
        outcome
    }

    fn attempt(
        &mut self,
        task: &Task,
        begun: &dyn Fn(Handle),
        tell: &mut dyn FnMut(News),
    ) -> Result<Outcome, StartError> {
        let mut attempts = 0;
        if task.until.is_some_and(|until| until <= Instant::now()) {
            let answer = Answer::Unknown(Reason::TimedOut { millis: 0, standing: Standing::Unknown });
            return Ok(Outcome { answer, refused: Vec::new(), printed: Default::default() });
        }
        // What one class leaves behind keeps others from being certified.
        if self.left_behind.as_ref().is_some_and(|of| *of != task.job.under_test) {
            self.worker = None;
        }
        loop {
            let settings = self.settings;
            let worker = self.warm_up(begun)?;
            // One that died while it had nothing to do did not die of this task.
            if !worker.is_waiting() {
                self.worker = None;
                continue;
            }
            attempts += 1;
            let mut refused = Vec::new();
            let mut hear = |news: News| {
                if let News::Refused(what) = &news
                    && refused.len() < MOST_REFUSED
                {
                    refused.push(what.clone());
                }
                tell(news);
            };
            let ran = worker.run(task, settings, &mut hear)?;
            if let Ran::Died(status) = ran
                && death::is_kill(status)
                && attempts < settings.attempts
            {
                self.worker = None;
                continue;
            }
            let mut outcome = self.conclude(task, ran, attempts, &mut hear)?;
            if outcome.refused.is_empty() {
                // A worker that has died could not say it again in the end.
                outcome.refused = refused;
            }
            return Ok(outcome);
        }
    }

    /// What a task has come to, and what becomes of its worker.
    fn conclude(&mut self, task: &Task, ran: Ran, attempts: u32, tell: &mut dyn FnMut(News)) -> io::Result<Outcome> {
        self.used = true;
        let worker = self.worker.as_mut().expect("internal bug: a task ran without a worker");
        let unknown = |reason| Reply { answer: Answer::Unknown(reason), refused: Vec::new() };
        let reply = match ran {
            Ran::Replied(reply) => reply,
            Ran::Garbled(error) => unknown(Reason::Garbled { what: error.to_string() }),
            Ran::Died(status) => unknown(match death::is_kill(status) {
                true => Reason::Killed { signal: signal(status), times: attempts },
                false => death::reason(status, worker.crash_report().as_deref()),
            }),
            Ran::Hung => {
                let millis = task.budget.unwrap_or(self.settings.budget).as_millis() as u64;
                unknown(Reason::TimedOut { millis, standing: Standing::Unknown })
            }
            Ran::Excessive(excess) => unknown(match excess {
                Excess::Memory { most } => Reason::TooMuchMemory { megabytes: most >> 20 },
                Excess::Files { most } => Reason::TooManyFiles { megabytes: most >> 20 },
                Excess::Threads => Reason::TooManyThreads,
            }),
        };
        if matches!(reply.answer, Answer::Unknown(_)) {
            // Its output has an end only once it is gone.
            worker.end()?;
            worker.last_words(tell);
        }
        if let Answer::Done(report) = &reply.answer
            && report.unrestored.is_some()
        {
            self.left_behind = Some(task.job.under_test.clone());
        }
        let printed = worker.printed();
        if self.is_spent(&reply.answer) || printed.is_none() {
            self.worker = None;
        }
        Ok(Outcome { answer: reply.answer, refused: reply.refused, printed: printed.unwrap_or_default() })
    }

    /// Whether a worker has had its time.
    fn is_spent(&mut self, answer: &Answer) -> bool {
        let worker = self.worker.as_ref().expect("internal bug: a task ran without a worker");
        match answer {
            Answer::Unknown(_) => return true,
            Answer::Done(report) => self.executions += report.executions,
            Answer::Refused(_) => {}
        }
        if worker.tidy().is_err() || self.executions >= self.settings.executions_a_worker {
            return true;
        }
        if self.looked.elapsed() < LOOK {
            return false;
        }
        self.looked = Instant::now();
        worker.memory().is_none_or(|memory| memory > self.settings.spent_memory())
    }
}

fn signal(status: std::process::ExitStatus) -> i32 {
    std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or(0)
}

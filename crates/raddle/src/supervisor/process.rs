//! One worker process: how it is started, asked and ended.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::handle::Handle;
use super::mail::{Heard, Mail};
use super::output::{Output, Printed};
use super::usage::{self, Usage};
use super::{PoolSettings, PrivateFolders, Task, folder, settings};
use crate::worker::protocol::{self, News, Ready, Reply, Word};

/// A worker whose virtual machine runs. Ended, with all that it may have started, when it is dropped.
#[derive(Debug)]
pub struct WorkerProcess {
    handle: Handle,
    input: ChildStdin,
    mail: Mail,
    output: Output,
    folder: PathBuf,
}

/// How a worker took a task.
#[derive(Debug)]
pub(super) enum Ran {
    Replied(Reply),
    Garbled(io::Error),
    Died(ExitStatus),
    /// Its time and the time to say so are over.
    Hung,
    /// It has more of something than it may have.
    Excessive(Excess),
}

/// What a worker has too much of, with the most that it may have in bytes: how much it had depends on when one looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Memory { most: u64 },
    Files { most: u64 },
    Threads,
}

/// Why there is no worker.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The operating system has refused.
    #[error("cannot start a worker: {0}")]
    System(#[from] io::Error),
    /// The worker says why.
    #[error("a worker cannot start: {0}")]
    Worker(String),
    /// It ended without saying why.
    #[error("a worker ended before it was ready ({status}): {printed}")]
    Died {
        /// How it ended.
        status: ExitStatus,
        /// The end of what it printed.
        printed: String,
    },
    /// It was killed from outside; another one may not be.
    #[error("a worker was killed before it was ready")]
    Killed,
    /// It was not ready in time.
    #[error("a worker was not ready after {} s", START.as_secs())]
    Late,
}

/// A worker must be ready after this time, even on a machine that does much else.
const START: Duration = Duration::from_secs(120);
/// How often memory and threads are looked at.
const LOOK: Duration = Duration::from_millis(250);
/// For so long after the end of its budget a worker may say so itself.
const GRACE: Duration = Duration::from_secs(2);
/// For so long the last words of a worker that was ended are waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Upper bound on the threads of a worker: four times as many as can be controlled.
const MOST_THREADS: u64 = 4 * schedule::MAX_THREADS as u64;
/// With more bytes than this in its files a worker is ended.
const MOST_FILES: u64 = 256 << 20;

impl WorkerProcess {
    /// Starts a worker and waits until its virtual machine runs. `begun` is told of the process before that.
    pub fn start(
        settings: &PoolSettings,
        folders: &PrivateFolders,
        begun: impl FnOnce(Handle),
    ) -> Result<WorkerProcess, StartError> {
        WorkerProcess::launch(settings, folders)?.ready(begun)
    }

    /// Starts a worker, and does not wait for it.
    pub(super) fn launch(settings: &PoolSettings, folders: &PrivateFolders) -> Result<WorkerProcess, StartError> {
        let folder = folders.make()?;
        let mut command = Command::new(&settings.program);
        command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Control-C is for the supervisor, which knows what to do with its workers.
        command.process_group(0).current_dir(settings::scratch(&folder));
        // Nothing that the user's shell knows is the business of code that nobody chose.
        command.env_clear().env("LANG", "C.UTF-8");
        let mut child = command.spawn()?;
        let input = child.stdin.take().expect("internal bug: a pipe was asked for");
        let from = child.stdout.take().expect("internal bug: a pipe was asked for");
        let errors = child.stderr.take().expect("internal bug: a pipe was asked for");
        let handle = Handle::new(child);
        let (mail, output) = (Mail::new(from), Output::read(errors)?);
        let mut worker = WorkerProcess { handle, input, mail, output, folder };
        // If it is gone already, it is heard of below.
        let _ = protocol::send(&mut worker.input, &settings.setup(&worker.folder));
        Ok(worker)
    }

    /// Waits until its virtual machine runs. `begun` is told of the process before that.
    pub(super) fn ready(mut self, begun: impl FnOnce(Handle)) -> Result<WorkerProcess, StartError> {
        begun(self.handle.clone());
        self.await_ready()?;
        Ok(self)
    }

    /// What others may end it with.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    fn await_ready(&mut self) -> Result<(), StartError> {
        match self.mail.hear(Instant::now() + START) {
            Heard::Message(Ready { failure: None }) => Ok(()),
            Heard::Message(Ready { failure: Some(failure) }) => Err(StartError::Worker(failure)),
            Heard::Nothing => Err(StartError::Late),
            Heard::Garbled(_) | Heard::Closed => {
                let status = self.handle.end()?;
                let printed = self.output.of_job().unwrap_or_default().tail.trim().replace('\n', "; ");
                Err(if super::death::is_kill(status) {
                    StartError::Killed
                } else {
                    StartError::Died { status, printed }
                })
            }
        }
    }

    /// Has the worker do a task. `tell` hears its news as they come.
    pub(super) fn run(&mut self, task: &Task, settings: &PoolSettings, tell: &mut dyn FnMut(News)) -> io::Result<Ran> {
        let left = task.until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        let budget = task.budget.unwrap_or(settings.budget).min(left);
        // If it is gone already, it is heard of below.
        let _ = protocol::send(&mut self.input, &(&task.job, Some(budget)));
        let until = Instant::now() + budget + GRACE;
        let until = task.until.map_or(until, |last| until.min(last));
        let mut look = Instant::now() + LOOK;
        let mut found = 0;
        loop {
            let now = Instant::now();
            if now >= until {
                return Ok(Ran::Hung);
            }
            if now >= look {
                if let Some(excess) = self.excess(settings) {
                    return Ok(Ran::Excessive(excess));
                }
                look = now + LOOK;
            }
            match self.mail.hear(until.min(look)) {
                Heard::Message(Word::Reply(reply)) => return Ok(Ran::Replied(reply)),
                Heard::Message(Word::News(news)) => {
                    found += matches!(news, News::Found(_)) as usize;
                    if found > protocol::MOST_FOUND {
                        return Ok(Ran::Garbled(io::Error::other("it found more than a job can")));
                    }
                    tell(news);
                }
                Heard::Garbled(error) => return Ok(Ran::Garbled(error)),
                Heard::Closed => return self.handle.end().map(Ran::Died),
                Heard::Nothing => {}
            }
        }
    }

    /// What it had said before it was ended, and nobody has heard yet.
    pub(super) fn last_words(&mut self, tell: &mut dyn FnMut(News)) {
        let until = Instant::now() + LAST_WORDS;
        // Whoever holds its pipe open may go on for ever.
        while Instant::now() < until
            && let Heard::Message(word) = self.mail.hear(until)
        {
            if let Word::News(news) = word {
                tell(news);
            }
        }
    }

    /// Whether it waits for a task, and did not die or say something in the meantime.
    pub(super) fn is_waiting(&self) -> bool {
        self.mail.is_silent()
    }

    fn excess(&self, settings: &PoolSettings) -> Option<Excess> {
        let Usage { memory, threads } = self.usage()?;
        let files = folder::size(&settings::scratch(&self.folder));
        match () {
            () if memory > settings.most_memory() => Some(Excess::Memory { most: settings.most_memory() }),
            () if threads > MOST_THREADS => Some(Excess::Threads),
            () if files > MOST_FILES => Some(Excess::Files { most: MOST_FILES }),
            () => None,
        }
    }

    /// What the last task has printed; None if the end of it did not come, because it closed its output.
    pub(super) fn printed(&self) -> Option<Printed> {
        self.output.of_job()
    }

    /// What the virtual machine wrote about its crash, if it did.
    pub(super) fn crash_report(&self) -> Option<String> {
        let bytes = std::fs::read(settings::crash_report(&self.folder)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes what the last task has written, so that the next one does not find it.
    pub(super) fn tidy(&self) -> io::Result<()> {
        folder::empty(&settings::scratch(&self.folder))
    }

    /// What the process has; None if it is gone.
    pub(super) fn usage(&self) -> Option<Usage> {
        usage::of(self.handle.process())
    }

    /// The resident memory of the process in bytes.
    pub fn memory(&self) -> Option<u64> {
        usage::memory(self.handle.process())
    }

    /// Ends the process, with all that it has started.
    pub(super) fn end(&self) -> io::Result<ExitStatus> {
        self.handle.end()
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // What cannot be ended or removed now, the end of the supervisor ends, and the next run removes.
        let _ = self.handle.end();
        let _ = folder::remove(&self.folder);
    }
}

//! A pool that a signal ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

use super::{Event, Pool, PoolSettings, PrivateFolders, Task};

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// Everything was done.
    Whole,
    /// A signal has ended it before.
    Stopped,
}

/// A pool of workers, and somebody who waits for signals. A signal that asks the process to end ends the workers instead, so
/// that what is known can still be told and the folders are removed.
pub struct Session {
    pool: Pool,
    closer: Handle,
    watch: JoinHandle<bool>,
    under_way: usize,
    is_busy: Arc<AtomicBool>,
    has_results: bool,
}

/// The status of a check that a signal has ended before anything was found.
const STOPPED: i32 = 2;
/// Whoever is busy has so long to notice a signal by itself.
const TO_NOTICE: Duration = Duration::from_millis(500);

impl Session {
    /// Starts the workers; it does not wait for them.
    pub fn open(
        settings: PoolSettings,
        folders: impl FnOnce() -> anyhow::Result<PrivateFolders>,
    ) -> anyhow::Result<Session> {
        // From here on a signal is waited for, and no longer ends the process.
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot wait for signals")?;
        let pool = Pool::start(settings, folders()?)?;
        let stopper = pool.stopper();
        let closer = signals.handle();
        let is_busy = Arc::new(AtomicBool::new(false));
        let busy = is_busy.clone();
        let watch = std::thread::spawn(move || {
            let mut asked = signals.forever();
            if asked.next().is_none() {
                return false;
            }
            stopper.stop();
            if busy.load(Ordering::SeqCst) {
                std::thread::sleep(TO_NOTICE);
            }
            if busy.load(Ordering::SeqCst) {
                stopper.clear();
                eprintln!("error: stopped by a signal; nothing was found until then");
                std::process::exit(STOPPED);
            }
            // Whoever asks again does not want to wait for what is being told.
            if let Some(signal) = asked.next() {
                std::process::exit(128 + signal);
            }
            true
        });
        Ok(Session { pool, closer, watch, under_way: 0, is_busy, has_results: false })
    }

    /// There is something to be told from now on, so a signal no longer ends the process while it is busy.
    pub fn has_results(&mut self) {
        self.has_results = true;
    }

    /// Does something that takes seconds and does not look at events. While nothing is known that could be told, a signal ends the
    /// process meanwhile.
    pub fn busy<T>(&self, work: impl FnOnce() -> T) -> T {
        self.is_busy.store(!self.has_results, Ordering::SeqCst);
        let done = work();
        self.is_busy.store(false, Ordering::SeqCst);
        done
    }

    /// Hands in a task.
    pub fn submit(&mut self, task: Task) {
        self.under_way += 1;
        self.pool.submit(task);
    }

    /// How many tasks have not come out yet.
    pub fn under_way(&self) -> usize {
        self.under_way
    }

    /// What happens next; None when all tasks are done, and when a signal has come.
    #[allow(clippy::should_implement_trait)] // More can be handed in after it has said None.
    pub fn next(&mut self) -> anyhow::Result<Option<Event>> {
        let event = self.pool.next().transpose()?;
        self.under_way -= usize::from(matches!(event, Some(Event::Done(..))));
        Ok(event)
    }

    /// Ends the workers, and says whether a signal had done so before.
    pub fn close(self) -> Ran {
        drop(self.pool);
        self.closer.close();
        // It only waits, and has been told to stop.
        match self.watch.join() {
            Ok(true) => Ran::Stopped,
            _ => Ran::Whole,
        }
    }
}

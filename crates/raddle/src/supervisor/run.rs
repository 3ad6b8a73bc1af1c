//! Runs tasks until they are done or somebody wants it to end.

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::{Event, Pool, PoolSettings, PrivateFolders, Task};

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// Everything was done.
    Whole,
    /// A signal has ended it before.
    Stopped,
}

/// Runs tasks, and hands on what happens. A signal that asks the process to end ends the workers instead, so that what is
/// known can still be told and the folders are removed.
pub fn run(
    settings: PoolSettings,
    folders: impl FnOnce() -> anyhow::Result<PrivateFolders>,
    tasks: Vec<Task>,
    mut note: impl FnMut(Event) -> anyhow::Result<()>,
) -> anyhow::Result<Ran> {
    // From here on a signal is waited for, and no longer ends the process.
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot wait for signals")?;
    let mut pool = Pool::start(settings, folders()?)?;
    let stopper = pool.stopper();
    let closer = signals.handle();
    let watch = std::thread::spawn(move || {
        let asked = signals.forever().next().is_some();
        if asked {
            stopper.stop();
        }
        asked
    });
    tasks.into_iter().for_each(|task| pool.submit(task));
    let mut ran = Ok(());
    while let Some(event) = pool.next() {
        ran = event.map_err(anyhow::Error::from).and_then(&mut note);
        if ran.is_err() {
            break;
        }
    }
    drop(pool);
    closer.close();
    // It only waits, and has been told to stop.
    let stopped = watch.join().unwrap_or(false);
    ran.map(|()| if stopped { Ran::Stopped } else { Ran::Whole })
}

//! Runs tasks until they are done or somebody wants it to end.

use super::{Event, PoolSettings, PrivateFolders, Ran, Session, Task};

/// Runs tasks, and hands on what happens.
pub fn run(
    settings: PoolSettings,
    folders: impl FnOnce() -> anyhow::Result<PrivateFolders>,
    tasks: Vec<Task>,
    mut note: impl FnMut(Event) -> anyhow::Result<()>,
) -> anyhow::Result<Ran> {
    let mut session = Session::open(settings, folders)?;
    tasks.into_iter().for_each(|task| session.submit(task));
    let mut each = || -> anyhow::Result<()> {
        while let Some(event) = session.next()? {
            note(event)?;
        }
        Ok(())
    };
    let ran = each();
    let ended = session.close();
    ran.map(|()| ended)
}

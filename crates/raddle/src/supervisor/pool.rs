//! A pool of workers, one a slot.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use super::handle::Handle;
use super::queue::{Process, Queue};
use super::slot::Slot;
use super::{Event, PoolSettings, PrivateFolders, StartError, Task};

/// Workers that do tasks. They are started at once and kept; all are ended when the pool is dropped.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    events: Receiver<Result<Event, StartError>>,
    slots: Vec<JoinHandle<()>>,
    /// How many tasks have not come out yet.
    under_way: usize,
}

#[derive(Debug)]
struct Shared {
    settings: PoolSettings,
    folders: PrivateFolders,
    queue: Queue<Task, Handle>,
}

impl Process for Handle {
    fn end(&self) {
        // If that fails, it is ended when its slot drops it.
        let _ = Handle::end(self);
    }
}

/// Ends a pool from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<Shared>);

impl Pool {
    /// Starts the workers; it does not wait for them.
    pub fn start(settings: PoolSettings, folders: PrivateFolders) -> std::io::Result<Pool> {
        let slots = settings.workers.max(1);
        let shared = Arc::new(Shared { settings, folders, queue: Queue::new(slots) });
        let (sender, events) = channel();
        let mut pool = Pool { shared, events, slots: Vec::new(), under_way: 0 };
        for number in 0..slots {
            let (shared, sender) = (pool.shared.clone(), sender.clone());
            let slot = std::thread::Builder::new().name(format!("raddle-slot-{number}"));
            // A worker ends with the thread that started it, so each slot lives as long as the pool.
            pool.slots.push(slot.spawn(move || serve(&shared, number, &sender))?);
        }
        Ok(pool)
    }

    /// Hands in a task.
    pub fn submit(&mut self, task: Task) {
        self.under_way += 1;
        self.shared.queue.push(task);
    }

    /// What happens next: news of a task, a task that is done, or why there are no workers. None when all tasks are done, and
    /// when the pool was stopped.
    #[allow(clippy::should_implement_trait)] // More can be handed in after it has said None.
    pub fn next(&mut self) -> Option<Result<Event, StartError>> {
        if self.under_way == 0 {
            return None;
        }
        // All slots are gone once the pool was stopped.
        let event = self.events.recv().ok()?;
        self.under_way -= !matches!(event, Ok(Event::News(..))) as usize;
        Some(event)
    }

    /// What ends the pool from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.shared.clone())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stopper().stop();
        for slot in self.slots.drain(..) {
            // A slot that panicked has ended, too.
            let _ = slot.join();
        }
    }
}

impl Stopper {
    /// Ends all workers and begins nothing more.
    pub fn stop(&self) {
        self.0.queue.stop();
    }

    /// Removes the private folders of a pool that was stopped, for a process that ends before the pool is dropped.
    pub fn clear(&self) {
        self.0.folders.clear();
    }
}

/// Tells of a slot that ends by a panic: whoever waits for its task would wait for ever.
struct Alarm<'s>(&'s Sender<Result<Event, StartError>>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.send(Err(std::io::Error::other("internal bug: a slot has panicked").into()));
        }
    }
}

/// The life of a slot.
fn serve(shared: &Shared, number: usize, events: &Sender<Result<Event, StartError>>) {
    let _alarm = Alarm(events);
    let begun = |process: Handle| shared.queue.begun(number, process);
    let mut slot = Slot::new(&shared.settings, &shared.folders);
    loop {
        // Warm before there is something to do.
        let failure = slot.warm_up(&begun).err();
        if shared.queue.is_stopped() {
            return;
        }
        let Some(task) = shared.queue.take().map(Arc::new) else { return };
        // What was found before the pool was stopped was found. Whoever is gone does not want to know.
        let mut tell = |news| drop(events.send(Ok(Event::News(task.clone(), news))));
        let done = match failure {
            Some(failure) => Err(failure),
            None => slot.run(&task, &begun, &mut tell).map(|outcome| Event::Done(task.clone(), outcome)),
        };
        // What a worker came to that was ended for the pool's sake says nothing.
        if shared.queue.is_stopped() || events.send(done).is_err() {
            return;
        }
    }
}

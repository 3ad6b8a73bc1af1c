//! What the slots of a pool share: tasks that wait for a worker, the processes of the slots, and whether it is over.
//!
//! Once it was stopped, no task is given out and no process lives on, whenever it was begun.

use std::collections::VecDeque;

use super::sync::{Condvar, Mutex, MutexGuard};

/// Something that can be ended from any thread, more than once.
pub trait Process {
    /// Ends it, if it has not ended.
    fn end(&self);
}

/// Tasks and processes.
#[derive(Debug)]
pub struct Queue<T, P> {
    state: Mutex<State<T, P>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T, P> {
    tasks: VecDeque<T>,
    stopped: bool,
    /// The process of each slot.
    processes: Vec<Option<P>>,
}

impl<T, P: Process> Queue<T, P> {
    /// Nothing to do yet, for so many slots.
    pub fn new(slots: usize) -> Self {
        let processes = (0..slots).map(|_| None).collect();
        Queue {
            state: Mutex::new(State { tasks: VecDeque::new(), stopped: false, processes }),
            changed: Condvar::new(),
        }
    }

    /// Hands in a task.
    pub fn push(&self, task: T) {
        self.lock().tasks.push_back(task);
        self.changed.notify_one();
    }

    /// Waits for a task; None once it was stopped.
    pub fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(task) = state.tasks.pop_front() {
                return Some(task);
            }
            state = self.changed.wait(state).unwrap_or_else(|e| e.into_inner());
        }
    }

    /// A slot has begun a process.
    pub fn begun(&self, slot: usize, process: P) {
        let mut state = self.lock();
        if state.stopped {
            process.end();
        }
        state.processes[slot] = Some(process);
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Ends all processes, and gives out nothing more.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopped = true;
        state.processes.iter().flatten().for_each(P::end);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T, P>> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

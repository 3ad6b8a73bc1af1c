//! A process that several threads may end.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard};

use rustix::process::{Pid, Signal, kill_process_group};

/// A process that several threads may end.
#[derive(Clone, Debug)]
pub struct Handle(Arc<Mutex<Child>>);

impl Handle {
    pub(super) fn new(child: Child) -> Handle {
        Handle(Arc::new(Mutex::new(child)))
    }

    /// Its number.
    pub(super) fn process(&self) -> u32 {
        self.lock().id()
    }

    /// Ends the process, with all that it has started, and says how it ended.
    pub(super) fn end(&self) -> io::Result<ExitStatus> {
        let mut child = self.lock();
        // As long as nobody has waited for it, its number and its group are nobody else's.
        if child.try_wait()?.is_none()
            && let Some(group) = Pid::from_raw(child.id() as i32)
        {
            // It may have ended in between.
            let _ = kill_process_group(group, Signal::KILL);
        }
        child.wait()
    }

    fn lock(&self) -> MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

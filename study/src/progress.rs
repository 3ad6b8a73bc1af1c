//! How far the study is: a line for each check that has ended and, on a terminal, one that says what runs now.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What is told of checks, some of which run at once.
pub struct Progress {
    begun: Instant,
    all: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    done: usize,
    /// Those that run now, by name, with what they are at.
    now: BTreeMap<String, String>,
}

impl Progress {
    /// Of so many checks.
    pub fn new(all: usize) -> Progress {
        Progress { begun: Instant::now(), all, state: Mutex::default() }
    }

    /// A check is at this.
    pub fn doing(&self, name: &str, what: &str) {
        let mut state = self.lock();
        state.now.insert(name.to_owned(), what.to_owned());
        self.show(&state);
    }

    /// A check has ended; of what was done before nothing is told.
    pub fn end(&self, name: &str, what: Option<&str>) {
        let mut state = self.lock();
        state.now.remove(name);
        state.done += 1;
        if let Some(what) = what {
            clear();
            println!("[{}/{}] {name}: {what}", state.done, self.all);
        }
        self.show(&state);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: &State) {
        clear();
        if std::io::stderr().is_terminal() && !state.now.is_empty() {
            let now: Vec<String> = state.now.iter().map(|(name, what)| format!("{name}: {what}")).collect();
            let minutes = self.begun.elapsed().as_secs() / 60;
            // Only for whoever watches, so it does not matter if nobody does.
            let _ = write!(std::io::stderr(), "[{}/{}, {minutes} min] {}\r", state.done, self.all, now.join(" | "));
        }
    }
}

/// Takes away the line that says what runs now.
fn clear() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

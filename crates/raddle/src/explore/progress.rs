//! A line that says how far it is, for whoever watches.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use crate::worker::protocol;

/// The line on standard error; nothing where that is no terminal.
pub struct Progress {
    begun: Instant,
    shown: bool,
    /// How wide the line was.
    width: usize,
    found: usize,
}

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        let shown = !quiet && std::io::stderr().is_terminal();
        Progress { begun: Instant::now(), shown, width: 0, found: 0 }
    }

    /// It is so far.
    pub fn tell(&mut self, so_far: protocol::Progress) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = so_far.executions as f64 / seconds.max(0.001);
        let found = match self.found {
            0 => String::new(),
            1 => ", 1 finding".into(),
            more => format!(", {more} findings"),
        };
        let part = match so_far.explored_part {
            None => String::new(),
            // The last traces of an exploration can be many, whatever the estimate says.
            Some(0..10) => ", less than 1 % of the traces".into(),
            Some(part) => format!(", about {} % of the traces", (part / 10).min(99)),
        };
        self.line(&format!(
            "{} executions, {} different{part}, {rate:.0} a second, {seconds:.0} s{found}",
            so_far.executions, so_far.traces
        ));
    }

    /// So many findings there are.
    pub fn found(&mut self, findings: usize) {
        self.found = findings;
    }

    /// It is over. Says how many seconds it took.
    pub fn end(&mut self) -> f64 {
        self.line("");
        self.begun.elapsed().as_secs_f64()
    }

    fn line(&mut self, text: &str) {
        if self.shown {
            let blank = self.width.saturating_sub(text.len());
            // Only for whoever watches, so it does not matter if nobody does.
            let _ = write!(std::io::stderr(), "\r{text}{:blank$}\r", "");
            self.width = text.len();
        }
    }
}

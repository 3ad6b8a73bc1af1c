//! A line that says how far a check is, for whoever watches, and one for each finding: a budget is long, and most are found early.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use super::counts::Counts;

/// The line on standard error; nothing where that is no terminal.
pub struct Progress {
    shown: bool,
    class: String,
    begun: Instant,
    told: Instant,
    width: usize,
}

/// So often it is told at the most.
const PULSE: Duration = Duration::from_millis(100);

impl Progress {
    pub fn new(quiet: bool) -> Progress {
        let now = Instant::now();
        let shown = !quiet && std::io::stderr().is_terminal();
        Progress { shown, class: String::new(), begun: now, told: now, width: 0 }
    }

    /// A class is next.
    pub fn begin(&mut self, class: &str, number: usize, of: usize) {
        self.class = if of > 1 { format!("[{}/{of}] {class}", number + 1) } else { class.to_owned() };
        self.begun = Instant::now();
        self.line(&format!("{}: reading", self.class));
    }

    /// It is so far.
    pub fn tell(&mut self, counts: &Counts, findings: usize) {
        if !self.shown || self.told.elapsed() < PULSE {
            return;
        }
        self.told = Instant::now();
        let seconds = self.begun.elapsed().as_secs_f64();
        let found = match findings {
            0 => String::new(),
            1 => ", 1 finding".into(),
            more => format!(", {more} findings"),
        };
        self.line(&format!(
            "{}: {} tests ({} certified), {} executions, {seconds:.0} s{found}",
            self.class, counts.tests, counts.certified, counts.executions
        ));
    }

    /// Something was found: that stays, above the line.
    pub fn found(&mut self, what: &str) {
        if self.shown {
            self.line("");
            let _ = writeln!(std::io::stderr(), "{what}");
        }
    }

    /// Takes the line away.
    pub fn end(&mut self) {
        self.line("");
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

//! Subjects one after the other, seed by seed. What was done is not done again.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};

use crate::check::{Raddle, Settings};
use crate::fetch;
use crate::machine::{Machine, Ticks};
use crate::record::{self, Outcome, Record, Sizes};
use crate::subjects::{self, Expected, Subject};

/// What to run.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Subjects, by name or class; all of them if none is named.
    #[arg(value_name = "SUBJECT")]
    subjects: Vec<String>,

    /// How long to search in each subject with each seed: 30s, 5m.
    #[arg(long, value_name = "TIME", default_value = "5m")]
    budget: String,

    /// The same for classes in which nothing should be found.
    #[arg(long, value_name = "TIME", default_value = "60s")]
    safe_budget: String,

    /// How many seeds: 1 to N. Classes in which nothing should be found have one.
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: u64,

    /// How many workers each check has; by default one for each core.
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
}

/// Runs what has not been run yet.
pub fn run(args: &RunArgs, subjects: &[Subject]) -> anyhow::Result<()> {
    let (budget, safe_budget) = (seconds(&args.budget)?, seconds(&args.safe_budget)?);
    ensure!(args.seeds > 0, "--seeds must be at least 1");
    let chosen = subjects::chosen(subjects, &args.subjects)?;
    let raddle = Raddle::find()?;
    let store = raddle.program.with_file_name("study-files");
    let results = crate::results();
    let mut progress = Progress { begun: Instant::now(), done: 0, all: 0 };
    let mut plan: Vec<(&Subject, Settings)> = chosen
        .into_iter()
        .flat_map(|subject| {
            let is_safe = subject.expected == Expected::None;
            let (seeds, budget) = if is_safe { (1, safe_budget) } else { (args.seeds, budget) };
            (1..=seeds).map(move |seed| (subject, Settings { seed, budget, jobs: args.jobs }))
        })
        .collect();
    // Whoever looks before the end has something of every subject.
    plan.sort_by_key(|(_, settings)| settings.seed);
    progress.all = plan.len();
    for (subject, settings) in plan {
        let one = One { raddle: &raddle, store: &store, results: &results, subject, settings };
        one.run(&mut progress)?;
        progress.done += 1;
    }
    progress.line("");
    Ok(())
}

/// A subject with a seed.
struct One<'o> {
    raddle: &'o Raddle,
    store: &'o Path,
    results: &'o Path,
    subject: &'o Subject,
    settings: Settings,
}

impl One<'_> {
    fn run(&self, progress: &mut Progress) -> anyhow::Result<()> {
        let Settings { seed, budget, .. } = self.settings;
        let path = record::path(self.results, self.subject, seed);
        let name = format!("{} seed {seed}", self.subject.name);
        if let Some(known) = record::load::<Record>(&path)
            && known.raddle == self.raddle.build
            && known.budget == budget
            && known.definition == self.subject.definition()
            // What could not be fetched may be there by now.
            && matches!(known.outcome, Outcome::Ran(_))
        {
            return Ok(());
        }
        progress.line(&format!("{name}: fetching"));
        let work = self.store.join("work").join(self.subject.folder());
        let mut before = None;
        let (outcome, java) = match fetch::class_path(self.subject, &self.store.join("lib")) {
            Err(error) => (Outcome::Failed(format!("{error:#}")), String::new()),
            Ok(class_path) => {
                self.sizes(&class_path, &work)?;
                before = Ticks::now();
                self.raddle.check(self.subject, &class_path, self.settings, &work, |elapsed| {
                    progress.line(&format!("{name}: {} of {budget} s", elapsed.as_secs()));
                })?
            }
        };
        progress.end(&format!("{name}: {}", in_words(&outcome)));
        let record = Record {
            subject: self.subject.name.clone(),
            class: self.subject.class.clone(),
            definition: self.subject.definition(),
            seed,
            budget,
            raddle: self.raddle.build.clone(),
            java,
            machine: Machine::here(),
            others: before.zip(Ticks::now()).map(|(before, now)| now.others_since(&before)),
            outcome,
        };
        record::store(&path, &record)
    }

    fn sizes(&self, class_path: &[PathBuf], work: &Path) -> anyhow::Result<()> {
        let path = record::sizes_path(self.results, self.subject);
        if record::load::<Sizes>(&path).is_some_and(|known| known.raddle == self.raddle.build) {
            return Ok(());
        }
        // A class that cannot be analysed cannot be checked either, which says why.
        match self.raddle.sizes(self.subject, class_path, work) {
            Ok(sizes) => record::store(&path, &sizes),
            Err(_) => Ok(()),
        }
    }
}

fn in_words(outcome: &Outcome) -> String {
    let ran = match outcome {
        Outcome::Failed(why) => return format!("cannot be run: {why}"),
        Outcome::Ran(ran) => ran,
    };
    let known = ran.findings.iter().find(|finding| finding.is_known);
    let known = known.map_or(String::new(), |finding| format!(", the known fault after {:.1} s", finding.seconds));
    format!(
        "{} findings{known}; {} tests, {} rejected, {} executions",
        ran.findings.len(),
        ran.tests,
        ran.rejected,
        ran.executions
    )
}

/// A line that says how far it is.
struct Progress {
    begun: Instant,
    done: usize,
    all: usize,
}

impl Progress {
    fn line(&self, text: &str) {
        if !std::io::stderr().is_terminal() {
            return;
        }
        let minutes = self.begun.elapsed().as_secs() / 60;
        // Only for whoever watches, so it does not matter if nobody does.
        let _ = write!(std::io::stderr(), "\r\x1b[K[{}/{}, {minutes} min] {text}\r", self.done + 1, self.all);
        if text.is_empty() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }

    fn end(&self, text: &str) {
        self.line("");
        println!("[{}/{}] {text}", self.done + 1, self.all);
    }
}

/// A time in whole seconds, such as 30s and 5m.
fn seconds(text: &str) -> anyhow::Result<u64> {
    let unit = if text.ends_with('m') { 60 } else { 1 };
    let number: u64 =
        text.trim_end_matches(['s', 'm']).parse().with_context(|| format!("{text} is no time: 30s, 5m"))?;
    let time = Duration::from_secs(number * unit);
    if time.is_zero() {
        bail!("{text} is no time to search in");
    }
    Ok(time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_minutes() {
        assert_eq!(seconds("30s").unwrap(), 30);
        assert_eq!(seconds("5m").unwrap(), 300);
        assert!(seconds("0s").is_err() && seconds("soon").is_err());
    }
}

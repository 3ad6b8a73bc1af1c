//! All subjects, seed by seed, some at once. What was done is not done again.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail, ensure};

use crate::check::{Raddle, Settings};
use crate::fetch;
use crate::machine::{Machine, Ticks};
use crate::progress::Progress;
use crate::record::{self, Build, Outcome, Record, Sizes};
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

    /// How many workers each check has. With one, a seed gives the same findings every time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,

    /// How many checks run at once; by default as many as there are cores for their workers.
    #[arg(long, value_name = "N")]
    at_once: Option<usize>,
}

/// Runs what has not been run yet, and says with which build.
pub fn run(args: &RunArgs, subjects: &[Subject], results: &Path) -> anyhow::Result<Build> {
    let (budget, safe_budget) = (seconds(&args.budget)?, seconds(&args.safe_budget)?);
    ensure!(args.seeds > 0, "--seeds must be at least 1");
    ensure!(args.jobs > 0, "--jobs must be at least 1");
    let at_once = args.at_once.unwrap_or_else(|| (Machine::here().cores / args.jobs).max(1));
    ensure!(at_once > 0, "--at-once must be at least 1");
    let chosen = subjects::chosen(subjects, &args.subjects)?;
    let raddle = Raddle::find()?;
    fetch::ensure_tools(&chosen)?;
    let store = raddle.program.with_file_name("study-files");
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
    let planned = plan.len();
    let shared = Shared {
        progress: Progress::new(plan.len()),
        rest: Mutex::new(plan.into_iter()),
        raddle,
        store,
        results: results.to_owned(),
        fetching: Mutex::new(()),
        unavailable: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(|| shared.run())).collect();
        let ended = threads.into_iter().map(|thread| thread.join().expect("a check does not panic"));
        // All are waited for, whatever one of them says.
        ended.collect::<Vec<_>>().into_iter().collect::<anyhow::Result<()>>()
    })?;
    let unavailable = shared.unavailable.into_inner().unwrap_or_else(PoisonError::into_inner);
    match unavailable.last() {
        Some(why) if unavailable.len() == planned => bail!("nothing could be run: {why}"),
        _ => Ok(shared.raddle.build),
    }
}

/// What checks that run at once have in common.
struct Shared<'s> {
    raddle: Raddle,
    store: PathBuf,
    results: PathBuf,
    progress: Progress,
    /// What nobody has begun yet.
    rest: Mutex<std::vec::IntoIter<(&'s Subject, Settings)>>,
    /// Two may want the same jars.
    fetching: Mutex<()>,
    /// Why runs could not be begun.
    unavailable: Mutex<Vec<String>>,
}

impl Shared<'_> {
    /// Runs one after the other until nothing is left, or one cannot be kept.
    fn run(&self) -> anyhow::Result<()> {
        loop {
            let next = self.rest.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((subject, settings)) = next else { return Ok(()) };
            if let Err(error) = self.run_one(subject, settings) {
                // Nothing more is begun.
                self.rest.lock().unwrap_or_else(PoisonError::into_inner).by_ref().for_each(drop);
                return Err(error);
            }
        }
    }

    fn run_one(&self, subject: &Subject, settings: Settings) -> anyhow::Result<()> {
        let Settings { seed, budget, jobs } = settings;
        let path = record::path(&self.results, subject, seed);
        let name = format!("{} seed {seed}", subject.name);
        let known = record::load::<Record>(&path);
        // What could not be fetched may be there by now.
        let is_result = |known: &Record| !matches!(known.outcome, Outcome::Failed(_));
        let is_same = |known: &Record| {
            known.raddle == self.raddle.build
                && (known.budget, known.jobs) == (budget, jobs)
                && known.definition == subject.definition()
        };
        if known.as_ref().is_some_and(|known| is_result(known) && is_same(known)) {
            self.progress.end(&name, None);
            return Ok(());
        }
        self.progress.doing(&name, "fetching");
        let work = self.store.join("work").join(format!("{}-{seed}", subject.folder()));
        let mut before = None;
        let (outcome, java) = match self.prepare(subject, &work)? {
            Err(error) => (Outcome::Failed(format!("{error:#}")), String::new()),
            Ok(class_path) => {
                before = Ticks::now();
                self.raddle.check(subject, &class_path, settings, &work, |elapsed| {
                    self.progress.doing(&name, &format!("{} of {budget} s", elapsed.as_secs()));
                })?
            }
        };
        self.progress.end(&name, Some(&in_words(&outcome)));
        if let Outcome::Failed(why) = &outcome {
            self.unavailable.lock().unwrap_or_else(PoisonError::into_inner).push(why.clone());
            // What another run has found out is worth more than that this one could not begin.
            if known.as_ref().is_some_and(is_result) {
                return Ok(());
            }
        }
        let record = Record {
            subject: subject.name.clone(),
            class: subject.class.clone(),
            definition: subject.definition(),
            seed,
            budget,
            jobs,
            raddle: self.raddle.build.clone(),
            java,
            machine: Machine::here(),
            others: before.zip(Ticks::now()).map(|(before, now)| now.others_since(&before)),
            outcome,
        };
        record::store(&path, &record)
    }

    /// The class path of a subject, or why there is none; what its pairs are is kept.
    fn prepare(&self, subject: &Subject, work: &Path) -> anyhow::Result<anyhow::Result<Vec<PathBuf>>> {
        let _one = self.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        let class_path = fetch::class_path(subject, &self.store.join("lib"));
        if let Ok(class_path) = &class_path {
            self.sizes(subject, class_path, work)?;
        }
        Ok(class_path)
    }

    fn sizes(&self, subject: &Subject, class_path: &[PathBuf], work: &Path) -> anyhow::Result<()> {
        let path = record::sizes_path(&self.results, subject);
        let is_same = |known: Sizes| known.raddle == self.raddle.build && known.definition == subject.definition();
        if record::load(&path).is_some_and(is_same) {
            return Ok(());
        }
        // A class that cannot be analysed cannot be checked either, which says why.
        match self.raddle.sizes(subject, class_path, work) {
            Ok(sizes) => record::store(&path, &sizes),
            Err(_) => Ok(()),
        }
    }
}

fn in_words(outcome: &Outcome) -> String {
    let ran = match outcome {
        Outcome::Failed(why) => return format!("cannot be run: {why}"),
        Outcome::Broke(why) => return format!("a miss: {why}"),
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

/// Nobody searches for longer.
const A_DAY: u64 = 24 * 60 * 60;

/// A time in whole seconds, such as 30s and 5m.
fn seconds(text: &str) -> anyhow::Result<u64> {
    let in_minutes = text.strip_suffix('m').map(|number| (number, 60));
    let (number, unit) = in_minutes.unwrap_or_else(|| (text.strip_suffix('s').unwrap_or(text), 1));
    let number: u64 = number.parse().with_context(|| format!("{text} is no time: 30s, 5m"))?;
    let time = number.saturating_mul(unit);
    ensure!((1..=A_DAY).contains(&time), "{text} is no time to search in: between a second and a day is");
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_or_minutes() {
        assert_eq!(seconds("30s").unwrap(), 30);
        assert_eq!(seconds("5m").unwrap(), 300);
        for wrong in ["0s", "soon", "5ms", "5sm", "-1s", "", "2000m", "18446744073709551615m"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}

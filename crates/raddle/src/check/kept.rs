//! Tests that passed, kept for whoever wants to see, run or time what a check has run (`--keep-tests`).
//!
//! Each is written to a folder: `task.json`, a line that `raddle jobs` takes, and a stress loop of the same calls in Java.
//! Which tests are kept follows from how many have passed, so the same seed keeps the same ones.

use std::path::{Path, PathBuf};

use anyhow::Context;
use emit::{Stress, statements, stress};
use serde_json::{Value, json};

use super::folder::{Writer, put};
use crate::supervisor::Task;
use crate::worker::protocol::{Report, Spent};

/// A test that passed.
#[derive(Clone, Debug)]
pub struct Kept {
    pub task: Task,
    /// Executions under schedules that the explorer has chosen.
    pub executions: u64,
    pub is_certified: bool,
    /// Time that it took.
    pub spent: Spent,
}

impl Kept {
    pub fn new(task: &Task, report: &Report, spent: Spent) -> Kept {
        let is_certified = report.explored.as_ref().is_some_and(|explored| explored.certificate.is_some());
        Kept { task: task.clone(), executions: report.executions, is_certified, spent }
    }
}

/// A few of many tests, at even distances.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Number of tests that are wanted in the end.
    wanted: usize,
    /// Number of tests seen.
    seen: u64,
    /// Of so many tests one is kept.
    step: u64,
    /// At most twice as many as are wanted.
    kept: Vec<Kept>,
}

impl Sample {
    /// Keeps so many.
    pub fn of(wanted: usize) -> Sample {
        Sample { wanted, seen: 0, step: 1, kept: Vec::new() }
    }

    /// A test passed.
    pub fn see(&mut self, test: impl FnOnce() -> Kept) {
        let number = self.seen;
        self.seen += 1;
        if self.wanted == 0 || !number.is_multiple_of(self.step) {
            return;
        }
        if self.kept.len() == 2 * self.wanted {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            // As many as there were is an even number, so this test is one of those that stay.
            self.step *= 2;
        }
        self.kept.push(test());
    }

    /// Those that were kept.
    pub fn kept(&self) -> impl Iterator<Item = &Kept> {
        let count = self.kept.len().min(self.wanted);
        (0..count).map(move |number| &self.kept[number * self.kept.len() / count])
    }
}

/// Writes tests below a folder of the class, in place of what an earlier check has written there. Returns what the report
/// says of them.
pub fn write<'k>(tests: impl Iterator<Item = &'k Kept>, writer: &Writer<'_>) -> anyhow::Result<Vec<Value>> {
    let folder = writer.out.join("tests").join(writer.class);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove {}", folder.display()));
        }
        _ => {}
    }
    tests.zip(1..).map(|(test, number)| write_one(test, &folder.join(number.to_string()), writer)).collect()
}

fn write_one(kept: &Kept, folder: &Path, writer: &Writer<'_>) -> anyhow::Result<Value> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let task = folder.join("task.json");
    put(&task, &(serde_json::to_string(&kept.task)? + "\n"))?;
    let test = &kept.task.job.test;
    let short = statements(test, writer.types);
    let what = format!("A test of {} in which raddle check has found nothing.", writer.class);
    let class = writer.class.replace('.', "/");
    let request = Stress { class: &class, what: &what, class_path: &writer.place.entries };
    let (java, unsayable): (Option<PathBuf>, Option<String>) = match stress(test, &request, writer.types) {
        Ok(program) => {
            let path = folder.join(format!("{}.java", program.name));
            put(&path, &program.text)?;
            (Some(path), None)
        }
        Err(unsayable) => (None, Some(unsayable.to_string())),
    };
    Ok(json!({
        "task": task.to_string_lossy(),
        "java": java.map(|path| path.to_string_lossy().into_owned()),
        "unsayable": unsayable,
        "prefix": short.prefix,
        "threads": short.threads,
        "executions": kept.executions,
        "certified": kept.is_certified,
        "spent": {
            "executions": kept.spent.executions,
            "serial": kept.spent.serial as f64 / 1e6,
            "exploring": kept.spent.exploring as f64 / 1e6,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::{Job, Plan};
    use testcase::TestCase;

    fn kept(number: u64) -> Kept {
        let plan = Plan::Scout { wanted: vec![] };
        let job =
            Job { test: TestCase::default(), under_test: vec![], plan, limits: Default::default(), opened: vec![] };
        let task = Task { key: number.to_string(), job, budget: None, until: None, fresh: false };
        Kept { task, executions: number, is_certified: true, spent: Spent::default() }
    }

    #[test]
    fn a_sample_is_spread_over_all_tests() {
        for (wanted, seen) in [(0, 10), (1, 1), (3, 2), (4, 4), (4, 7), (4, 8), (4, 9), (5, 1000), (24, 100_000)] {
            let mut sample = Sample::of(wanted);
            (0..seen).for_each(|number| sample.see(|| kept(number)));
            let numbers: Vec<u64> = sample.kept().map(|kept| kept.executions).collect();
            assert_eq!(numbers.len(), wanted.min(seen as usize), "{numbers:?} of {seen}");
            let share = seen / numbers.len().max(1) as u64;
            let all = numbers.iter().copied().chain((!numbers.is_empty()).then_some(seen));
            let gaps: Vec<u64> = all.clone().zip(all.skip(1)).map(|(one, next)| next - one).collect();
            assert!(gaps.iter().all(|&gap| gap >= 1 && gap <= 3 * share + 1), "{numbers:?} of {seen}");
        }
    }
}

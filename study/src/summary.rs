//! All that is kept of the runs, put together: a row a subject, and the means that papers give.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::machine::Machine;
use crate::record::{self, Outcome, Ran, Record, Sizes};
use crate::subjects::{Expected, Subject};

/// Everything.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub machines: Vec<Machine>,
    /// Versions of Java, and of Raddle.
    pub java: BTreeSet<String>,
    pub raddle: BTreeSet<String>,
    /// How many workers checks had.
    pub jobs: BTreeSet<usize>,
    /// Which share of the processors others had while runs were under way: the mean and the highest.
    pub others: Option<(f64, f64)>,
    pub rows: Vec<Row>,
    pub means: Vec<Mean>,
}

/// A subject.
#[derive(Debug, Serialize)]
pub struct Row {
    pub subject: Subject,
    /// In seconds.
    pub budgets: BTreeSet<u64>,
    pub runs: usize,
    /// Runs in which the known fault was found.
    pub found: usize,
    /// Runs in which something else was found.
    pub found_other: usize,
    /// Seconds to the known fault on average; a miss counts as the whole budget. None without runs.
    pub seconds: Option<f64>,
    /// Each run, None for a miss.
    pub times: Vec<Option<f64>>,
    /// Seconds to the first finding of any kind in the runs that have one, on average.
    pub first: Option<f64>,
    /// On average.
    pub tests: f64,
    pub executions: f64,
    pub rejected: f64,
    pub sizes: Option<Sizes>,
    /// What was found, each kind and exception once.
    pub kinds: BTreeSet<String>,
    /// Why it could not be run.
    pub failed: Option<String>,
    /// What was in the way, if the known fault was missed: what calls of useless tests ended with, most often.
    pub hindrances: Vec<String>,
}

/// The mean of a group of subjects beside that of its paper.
#[derive(Debug, Serialize)]
pub struct Mean {
    pub what: String,
    /// How many of the subjects were run.
    pub subjects: usize,
    pub of: usize,
    pub runs: usize,
    pub found: usize,
    /// Means of the means of subjects, as the paper has it.
    pub seconds: f64,
    pub published: f64,
    /// The paper's mean over the same subjects.
    pub published_same: f64,
}

/// Puts together what is kept in a folder.
pub fn of(subjects: &[Subject], results: &Path) -> anyhow::Result<Summary> {
    let mut summary = Summary {
        machines: Vec::new(),
        java: BTreeSet::new(),
        raddle: BTreeSet::new(),
        jobs: BTreeSet::new(),
        others: None,
        rows: Vec::new(),
        means: Vec::new(),
    };
    let mut others: Vec<f64> = Vec::new();
    for subject in subjects {
        let records = records(results, subject);
        for record in &records {
            if !summary.machines.contains(&record.machine) {
                summary.machines.push(record.machine.clone());
            }
            others.extend(record.others);
            summary.jobs.insert(record.jobs);
            summary.java.extend(Some(record.java.clone()).filter(|java| !java.is_empty()));
            summary.raddle.insert(format!("{} ({})", record.raddle.version, record.raddle.program));
        }
        summary.rows.push(row(subject, &records, record::load(&record::sizes_path(results, subject))));
    }
    let most = others.iter().copied().reduce(f64::max);
    summary.others = most.map(|most| (others.iter().sum::<f64>() / others.len() as f64, most));
    let exceptions = |id: u32| (1..=15).contains(&id);
    let deadlocks = |id: u32| (16..=19).contains(&id);
    summary.means.extend(mean("C1 to C15", &summary.rows, &exceptions, 22.0 * 60.0 + 48.0));
    summary.means.extend(mean("C16 to C19", &summary.rows, &deadlocks, 15.0));
    Ok(summary)
}

fn records(results: &Path, subject: &Subject) -> Vec<Record> {
    // Seeds are counted from 1; more of them than this are never asked for.
    (1..=100).filter_map(|seed| record::load(&record::path(results, subject, seed))).collect()
}

fn row(subject: &Subject, records: &[Record], sizes: Option<Sizes>) -> Row {
    let ran: Vec<(&Record, &Ran)> = records
        .iter()
        .filter_map(|record| match &record.outcome {
            Outcome::Ran(ran) => Some((record, ran)),
            Outcome::Failed(_) => None,
        })
        .collect();
    let failed = records.iter().find_map(|record| match &record.outcome {
        Outcome::Failed(why) => Some(why.clone()),
        Outcome::Ran(ran) if ran.verdict.starts_with("unknown") => Some(ran.verdict.clone()),
        Outcome::Ran(_) => None,
    });
    let times: Vec<Option<f64>> = ran
        .iter()
        .map(|(_, ran)| ran.findings.iter().find(|finding| finding.is_known).map(|finding| finding.seconds))
        .collect();
    let spent = ran.iter().zip(&times).map(|((record, _), time)| time.unwrap_or(record.budget as f64));
    let firsts = ran.iter().filter_map(|(_, ran)| Some(ran.findings.first()?.seconds));
    let kinds = ran.iter().flat_map(|(_, ran)| &ran.findings).map(|finding| {
        let exception = finding.exception.as_deref().and_then(|name| name.rsplit('.').next());
        exception.unwrap_or(&finding.kind).to_owned()
    });
    let found = times.iter().flatten().count();
    let missed = found < ran.len() && subject.expected != Expected::None;
    let hindrances = ran.iter().filter(|_| missed).flat_map(|(_, ran)| {
        let mut all: Vec<(&String, &u64)> = ran.rejections.iter().chain(&ran.unknown).collect();
        all.sort_by_key(|(_, count)| u64::MAX - **count);
        all.into_iter().take(3).map(|(what, count)| format!("{count} x {what}"))
    });
    Row {
        subject: subject.clone(),
        budgets: ran.iter().map(|(record, _)| record.budget).collect(),
        runs: ran.len(),
        found,
        found_other: ran.iter().filter(|(_, ran)| ran.findings.iter().any(|finding| !finding.is_known)).count(),
        seconds: average(spent),
        first: average(firsts),
        tests: average(ran.iter().map(|(_, ran)| ran.tests as f64)).unwrap_or_default(),
        executions: average(ran.iter().map(|(_, ran)| ran.executions as f64)).unwrap_or_default(),
        rejected: average(ran.iter().map(|(_, ran)| ran.rejected as f64)).unwrap_or_default(),
        sizes,
        kinds: kinds.collect(),
        failed,
        hindrances: hindrances.take(3).collect(),
        times,
    }
}

fn mean(what: &str, rows: &[Row], is_in: &dyn Fn(u32) -> bool, published: f64) -> Option<Mean> {
    let group: Vec<&Row> = rows
        .iter()
        .filter(|row| {
            let paper = &row.subject.papers[0];
            let number = paper.id.strip_prefix('C').and_then(|number| number.parse().ok());
            paper.paper == "DepCon+" && number.is_some_and(is_in)
        })
        .collect();
    let ran: Vec<&&Row> = group.iter().filter(|row| row.runs > 0).collect();
    Some(Mean {
        what: what.to_owned(),
        subjects: ran.len(),
        of: group.len(),
        runs: ran.iter().map(|row| row.runs).sum(),
        found: ran.iter().map(|row| row.found).sum(),
        seconds: average(ran.iter().filter_map(|row| row.seconds))?,
        published,
        published_same: average(ran.iter().filter_map(|row| row.subject.papers[0].seconds))?,
    })
}

fn average(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect();
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Build, Finding};
    use crate::subjects;

    #[test]
    fn a_miss_counts_as_the_budget() {
        let subjects = subjects::read(&crate::home().join("subjects.toml")).unwrap();
        let finding = |seconds: f64| Finding {
            kind: "exception".into(),
            exception: Some("java.lang.NullPointerException".into()),
            what: String::new(),
            prefix: Vec::new(),
            threads: Vec::new(),
            seconds,
            executions: 1,
            is_known: true,
        };
        let record = |findings: Vec<Finding>| Record {
            subject: "C5".into(),
            definition: String::new(),
            class: String::new(),
            seed: 1,
            budget: 10,
            jobs: 1,
            raddle: Build { version: String::new(), program: String::new() },
            java: String::new(),
            machine: Machine::default(),
            others: None,
            outcome: Outcome::Ran(Ran { findings, ..Ran::default() }),
        };
        let subject = subjects.iter().find(|subject| subject.name == "C5").unwrap();
        let row = row(subject, &[record(vec![finding(2.0)]), record(Vec::new())], None);
        assert_eq!((row.found, row.runs, row.seconds, row.first), (1, 2, Some(6.0), Some(2.0)));
        let means = mean("C5", &[row], &|id| id == 5, 7.0).unwrap();
        assert_eq!((means.seconds, means.subjects, means.published_same), (6.0, 1, 7.0));
    }
}

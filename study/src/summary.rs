//! All that is kept of the runs, put together: a row a subject, and the means that papers give.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::machine::Machine;
use crate::record::{self, Build, Outcome, Ran, Record, Sizes};
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
    /// Kept runs of other builds, or of another definition of their subject, which are in no table.
    pub left_out: usize,
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
    /// Findings of all runs that were not confirmed when the check ended.
    pub unsure: usize,
    /// Seconds to the known fault on average; a miss counts as the whole budget. None without runs.
    pub seconds: Option<f64>,
    /// The same, a miss counting as an hour.
    pub seconds_of_an_hour: Option<f64>,
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
    /// The same if a miss had cost an hour, which is what the paper counts.
    pub seconds_of_an_hour: f64,
    /// None where the paper has no mean of these.
    pub published: Option<f64>,
    /// The paper's mean over the same subjects.
    pub published_same: f64,
}

/// Puts together what is kept in a folder of one build: of that which most runs are of, if none is named.
pub fn of(subjects: &[Subject], results: &Path, build: Option<&Build>) -> anyhow::Result<Summary> {
    let mut summary = Summary {
        machines: Vec::new(),
        java: BTreeSet::new(),
        raddle: BTreeSet::new(),
        jobs: BTreeSet::new(),
        left_out: 0,
        others: None,
        rows: Vec::new(),
        means: Vec::new(),
    };
    let mut others: Vec<f64> = Vec::new();
    let all: Vec<Vec<Record>> = subjects.iter().map(|subject| records(results, subject)).collect();
    let build = build.cloned().or_else(|| build_of_most(all.iter().flatten()));
    for (subject, kept) in subjects.iter().zip(all) {
        let count = kept.len();
        let definition = subject.definition();
        let is_of_it = |record: &Record| Some(&record.raddle) == build.as_ref() && record.definition == definition;
        let records: Vec<Record> = kept.into_iter().filter(is_of_it).collect();
        summary.left_out += count - records.len();
        for record in &records {
            if !summary.machines.contains(&record.machine) {
                summary.machines.push(record.machine.clone());
            }
            // Where nothing should be found, time does not matter.
            others.extend(record.others.filter(|_| subject.expected != Expected::None));
            summary.jobs.insert(record.jobs);
            summary.java.extend(Some(record.java.clone()).filter(|java| !java.is_empty()));
            summary.raddle.insert(format!("{} ({})", record.raddle.version, record.raddle.program));
        }
        let sizes = record::load(&record::sizes_path(results, subject));
        let is_of_it = |sizes: &Sizes| Some(&sizes.raddle) == build.as_ref() && sizes.definition == definition;
        summary.rows.push(row(subject, &records, sizes.filter(is_of_it)));
    }
    let most = others.iter().copied().reduce(f64::max);
    summary.others = most.map(|most| (others.iter().sum::<f64>() / others.len() as f64, most));
    let number = |row: &Row| row.subject.papers[0].id.strip_prefix('C').and_then(|number| number.parse().ok());
    let is_in = |row: &Row, numbers: std::ops::RangeInclusive<u32>| {
        row.subject.papers[0].paper == "DepCon+" && number(row).is_some_and(|number| numbers.contains(&number))
    };
    let exceptions = |row: &Row| is_in(row, 1..=15);
    let originals = |row: &Row| is_in(row, 1..=15) && row.subject.fixture.is_none();
    let deadlocks = |row: &Row| is_in(row, 16..=19);
    summary.means.extend(mean("C1 to C15", &summary.rows, &exceptions, Some(22.0 * 60.0 + 48.0)));
    summary.means.extend(mean("C1 to C15 without fixtures", &summary.rows, &originals, None));
    summary.means.extend(mean("C16 to C19", &summary.rows, &deadlocks, Some(15.0)));
    Ok(summary)
}

/// The build that most runs are of: those of two are no one study.
fn build_of_most<'r>(records: impl Iterator<Item = &'r Record>) -> Option<Build> {
    let mut counts: Vec<(&Build, usize)> = Vec::new();
    for record in records {
        match counts.iter_mut().find(|(build, _)| **build == record.raddle) {
            Some((_, count)) => *count += 1,
            None => counts.push((&record.raddle, 1)),
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(build, _)| build.clone())
}

/// The budget of the paper whose means are compared.
const AN_HOUR: f64 = 3600.0;

fn records(results: &Path, subject: &Subject) -> Vec<Record> {
    // Seeds are counted from 1; more of them than this are never asked for.
    (1..=100).filter_map(|seed| record::load(&record::path(results, subject, seed))).collect()
}

fn row(subject: &Subject, records: &[Record], sizes: Option<Sizes>) -> Row {
    // One that broke is a run without findings.
    let nothing = Ran::default();
    let ran: Vec<(&Record, &Ran)> = records
        .iter()
        .filter_map(|record| match &record.outcome {
            Outcome::Ran(ran) => Some((record, ran)),
            Outcome::Broke(_) => Some((record, &nothing)),
            Outcome::Failed(_) => None,
        })
        .collect();
    let failed = records.iter().find_map(|record| match &record.outcome {
        Outcome::Failed(why) | Outcome::Broke(why) => Some(why.clone()),
        Outcome::Ran(ran) if ran.verdict.starts_with("unknown") => Some(ran.verdict.clone()),
        Outcome::Ran(_) => None,
    });
    let times: Vec<Option<f64>> = ran
        .iter()
        .map(|(_, ran)| ran.findings.iter().find(|finding| finding.is_known).map(|finding| finding.seconds))
        .collect();
    let spent = ran.iter().zip(&times).map(|((record, _), time)| time.unwrap_or(record.budget as f64));
    let of_an_hour = times.iter().map(|time| time.unwrap_or(AN_HOUR));
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
        unsure: ran.iter().map(|(_, ran)| ran.unsure).sum(),
        seconds: average(spent),
        seconds_of_an_hour: average(of_an_hour),
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

fn mean(what: &str, rows: &[Row], is_in: &dyn Fn(&Row) -> bool, published: Option<f64>) -> Option<Mean> {
    let group: Vec<&Row> = rows.iter().filter(|row| is_in(row)).collect();
    let ran: Vec<&&Row> = group.iter().filter(|row| row.runs > 0).collect();
    Some(Mean {
        what: what.to_owned(),
        subjects: ran.len(),
        of: group.len(),
        runs: ran.iter().map(|row| row.runs).sum(),
        found: ran.iter().map(|row| row.found).sum(),
        seconds: average(ran.iter().filter_map(|row| row.seconds))?,
        seconds_of_an_hour: average(ran.iter().filter_map(|row| row.seconds_of_an_hour))?,
        published,
        published_same: average(ran.iter().filter_map(|row| row.subject.papers[0].seconds))?,
    })
}

fn average(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let numbers: Vec<f64> = numbers.collect();
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::record::Finding;
    use crate::subjects;

    pub fn subject(name: &str) -> Subject {
        let subjects = subjects::read(&crate::home().join("subjects.toml")).unwrap();
        subjects.into_iter().find(|subject| subject.name == name).unwrap()
    }

    pub fn known_after(seconds: f64) -> Outcome {
        let finding = Finding {
            kind: "exception".into(),
            exception: Some("java.lang.NullPointerException".into()),
            what: String::new(),
            prefix: Vec::new(),
            threads: Vec::new(),
            seconds,
            executions: 1,
            is_known: true,
        };
        Outcome::Ran(Ran { findings: vec![finding], ..Ran::default() })
    }

    fn build(program: &str) -> Build {
        Build { version: "1".into(), program: program.into() }
    }

    pub fn record(subject: &Subject, seed: u64, program: &str, outcome: Outcome) -> Record {
        Record {
            subject: subject.name.clone(),
            definition: subject.definition(),
            class: subject.class.clone(),
            seed,
            budget: 10,
            jobs: 1,
            raddle: build(program),
            java: String::new(),
            machine: Machine::default(),
            others: None,
            outcome,
        }
    }

    #[test]
    fn a_miss_counts_as_the_budget_and_as_an_hour_where_the_paper_does() {
        let subject = subject("C5");
        let outcomes = [known_after(2.0), Outcome::Ran(Ran::default())];
        let records = outcomes.map(|outcome| record(&subject, 1, "a", outcome));
        let row = row(&subject, &records, None);
        assert_eq!((row.found, row.runs, row.seconds, row.first), (1, 2, Some(6.0), Some(2.0)));
        let means = mean("C5", &[row], &|row| row.subject.name == "C5", Some(7.0)).unwrap();
        assert_eq!((means.seconds, means.seconds_of_an_hour, means.subjects), (6.0, 1801.0, 1));
        assert_eq!(means.published_same, 7.0);
    }

    #[test]
    fn what_breaks_is_a_miss_and_what_cannot_be_fetched_is_none() {
        let subject = subject("C5");
        let outcomes = [known_after(2.0), Outcome::Broke("a hang".into()), Outcome::Failed("no network".into())];
        let records = outcomes.map(|outcome| record(&subject, 1, "a", outcome));
        let row = row(&subject, &records, None);
        assert_eq!((row.found, row.runs, row.seconds), (1, 2, Some(6.0)));
    }

    #[test]
    fn builds_and_definitions_are_not_mixed() {
        let results = tempfile::tempdir().unwrap();
        let subject = subject("C5");
        let mut kept = vec![
            record(&subject, 1, "a", known_after(2.0)),
            record(&subject, 2, "a", known_after(4.0)),
            record(&subject, 3, "b", known_after(9.0)),
            record(&subject, 4, "a", known_after(9.0)),
        ];
        kept[3].definition = "another".into();
        for record in &kept {
            record::store(&record::path(results.path(), &subject, record.seed), record).unwrap();
        }
        let subjects = [subject];
        let of_most = of(&subjects, results.path(), None).unwrap();
        assert_eq!((of_most.rows[0].runs, of_most.rows[0].seconds, of_most.left_out), (2, Some(3.0), 2));
        let of_last = of(&subjects, results.path(), Some(&build("b"))).unwrap();
        assert_eq!((of_last.rows[0].runs, of_last.rows[0].seconds, of_last.left_out), (1, Some(9.0), 3));
    }
}

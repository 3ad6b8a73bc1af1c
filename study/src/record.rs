//! What is kept of each run: one file a subject and seed, small enough to be kept with the source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::machine::Machine;
use crate::subjects::Subject;

/// One check of one subject with one seed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub subject: String,
    pub class: String,
    /// A hash of what the list says of the subject: results of another definition are not taken for those of this one.
    #[serde(default)]
    pub definition: String,
    pub seed: u64,
    /// In seconds.
    pub budget: u64,
    /// How many workers it had; 0 where that was not kept.
    #[serde(default)]
    pub jobs: usize,
    pub raddle: Build,
    pub java: String,
    pub machine: Machine,
    /// Which share of the processors others had while it ran.
    pub others: Option<f64>,
    pub outcome: Outcome,
}

/// Tells one content from another: FNV-1a, which is the same for all time.
pub fn hash(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Which Raddle it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    pub version: String,
    /// A hash of the program: results of two builds are not taken for each other.
    pub program: String,
}

/// What came of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Ran(Ran),
    /// It could not be fetched or compiled, and why: nothing is known of it.
    Failed(String),
    /// It was checked, and `raddle` did not end or had nothing to say: a miss.
    Broke(String),
}

/// The figures of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ran {
    pub verdict: String,
    pub seconds: f64,
    pub tests: u64,
    pub certified: u64,
    pub rejected: u64,
    pub executions: u64,
    /// In the order in which they were found.
    pub findings: Vec<Finding>,
    /// So many more were not confirmed when the check ended.
    #[serde(default)]
    pub unsure: usize,
    /// What calls of useless tests ended with most often.
    pub rejections: BTreeMap<String, u64>,
    /// Why nothing can be said of tests.
    pub unknown: BTreeMap<String, u64>,
    pub refused: Vec<String>,
}

/// A finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub kind: String,
    pub exception: Option<String>,
    pub what: String,
    pub prefix: Vec<String>,
    pub threads: Vec<Vec<String>>,
    /// Since the check began, with the analysis of the class.
    pub seconds: f64,
    pub executions: u64,
    /// Whether it is the known fault.
    pub is_known: bool,
}

/// How many pairs of methods depend on each other, as `raddle deps` says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sizes {
    pub raddle: Build,
    /// As in a record.
    #[serde(default)]
    pub definition: String,
    pub pairs: u64,
    pub pc: u64,
    pub double_lock: u64,
    pub second_share: u64,
    /// The whole command, with reading the class path.
    pub seconds: f64,
}

/// So many reasons of a kind are kept.
const MOST: usize = 8;

impl Ran {
    /// Reads the report of `raddle check` on one class.
    pub fn read(report: &Value, subject: &Subject) -> Option<Ran> {
        let class = report["classes"].get(0)?;
        let number = |name: &str| class[name].as_u64().unwrap_or_default();
        let told = class["findings"].as_array()?;
        let mut findings: Vec<Finding> = told.iter().filter_map(|finding| Finding::read(finding, subject)).collect();
        findings.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        Some(Ran {
            verdict: match class["reason"].as_str() {
                Some(reason) => format!("{}: {reason}", text(&class["verdict"])),
                None => text(&class["verdict"]),
            },
            seconds: class["seconds"].as_f64().unwrap_or_default(),
            tests: number("tests"),
            certified: number("certified"),
            rejected: number("rejected"),
            executions: number("executions"),
            unsure: told.len() - findings.len(),
            findings,
            rejections: most_frequent(&class["rejections"]),
            unknown: most_frequent(&class["unknown"]),
            refused: texts(&class["refused"]).into_iter().take(MOST).collect(),
        })
    }
}

impl Finding {
    /// None for one that the check was not sure of when it was stopped.
    fn read(finding: &Value, subject: &Subject) -> Option<Finding> {
        finding["confirmed"].as_bool().filter(|confirmed| *confirmed)?;
        let threads: Vec<Vec<String>> = finding["threads"].as_array()?.iter().map(texts).collect();
        let (kind, exception) = (text(&finding["kind"]), finding["exception"].as_str().map(str::to_owned));
        let is_known = subject.is_known(&kind, &text(&finding["what"]), exception.as_deref(), &threads);
        Some(Finding {
            kind,
            exception,
            what: text(&finding["what"]).lines().next().unwrap_or_default().chars().take(200).collect(),
            prefix: texts(&finding["prefix"]),
            threads,
            seconds: finding["seconds_to_find"].as_f64()?,
            executions: finding["executions_to_find"].as_u64().unwrap_or_default(),
            is_known,
        })
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().map(|all| all.iter().map(text).collect()).unwrap_or_default()
}

fn most_frequent(counts: &Value) -> BTreeMap<String, u64> {
    let Some(counts) = counts.as_object() else { return BTreeMap::new() };
    let mut all: Vec<(String, u64)> =
        counts.iter().map(|(what, count)| (what.clone(), count.as_u64().unwrap_or_default())).collect();
    all.sort_by_key(|(what, count)| (u64::MAX - count, what.clone()));
    all.truncate(MOST);
    all.into_iter().collect()
}

/// Where what is known of a seed of a subject is kept.
pub fn path(results: &Path, subject: &Subject, seed: u64) -> PathBuf {
    results.join("raw").join(subject.folder()).join(format!("{seed}.json"))
}

/// Where the sizes of a subject are kept.
pub fn sizes_path(results: &Path, subject: &Subject) -> PathBuf {
    results.join("raw").join(subject.folder()).join("pairs.json")
}

/// What is kept there; None if nothing is, or nothing that can be read.
pub fn load<T: for<'d> Deserialize<'d>>(path: &Path) -> Option<T> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// Keeps something, whole or not at all.
pub fn store(path: &Path, what: &impl Serialize) -> anyhow::Result<()> {
    write(path, &(serde_json::to_string_pretty(what)? + "\n"))
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    let wrote = || -> std::io::Result<()> {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::write(&new, text)?;
        std::fs::rename(&new, path)
    };
    wrote().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::subjects;

    #[test]
    fn findings_are_in_their_order_and_the_known_one_is_marked() {
        let subjects = subjects::read(&crate::home().join("subjects.toml")).unwrap();
        let subject = subjects.iter().find(|subject| subject.name == "C17").unwrap();
        let finding = |kind: &str, seconds: f64, call: &str| {
            json!({ "kind": kind, "what": kind, "prefix": [], "threads": [[call], [call]],
                    "seconds_to_find": seconds, "executions_to_find": 3, "confirmed": seconds < 5.0 })
        };
        let report = json!({ "classes": [{ "verdict": "violation", "seconds": 9.0, "tests": 7, "rejections": { "a": 1, "b": 2 },
            "findings": [finding("deadlock", 4.0, "a.equals(b);"), finding("exception", 2.0, "a.putAll(b);"),
                finding("exception", 6.0, "a.putAll(b);")] }] });
        let ran = Ran::read(&report, subject).unwrap();
        assert_eq!(ran.tests, 7);
        let known: Vec<bool> = ran.findings.iter().map(|finding| finding.is_known).collect();
        assert_eq!(known, [false, true]);
        assert_eq!(ran.unsure, 1);
    }

    #[test]
    fn what_was_stored_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.json");
        let build = Build { version: "1".into(), program: "2".into() };
        store(&path, &build).unwrap();
        assert_eq!(load::<Build>(&path), Some(build));
        assert_eq!(load::<Build>(&folder.path().join("none")), None);
    }
}

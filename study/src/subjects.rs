//! The list of subjects: what they are, where they come from, and what papers say of them.

use std::path::Path;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use crate::record::hash;

/// A class that is checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    pub name: String,
    pub class: String,
    /// Maven coordinates, fetched with all that they depend on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maven: Vec<String>,
    /// Maven coordinates that are fetched alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub maven_alone: Vec<String>,
    /// A source file of this repository that is the class, written anew after one that cannot be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixture: Option<String>,
    /// For the virtual machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub java_options: Vec<String>,
    /// What executions are held against, if that is not the usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<String>,
    pub expected: Expected,
    /// Exceptions that count as the known fault, by the ends of their names; any, if none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<String>,
    /// Methods that have to be called where the known fault shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// What two different threads have to call; where one of several methods will do, there are bars between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<[String; 2]>,
    /// What the message has to mention, such as the field that is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentions: Option<String>,
    /// What is known of the fault, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<String>,
    /// What readers must know of the subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What is published of it; the first decides in which table it is.
    #[serde(default)]
    pub papers: Vec<Published>,
}

/// How the known fault shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    Exception,
    Deadlock,
    Linearizability,
    /// There is a fault, and it may show in any way.
    Any,
    /// There is no fault.
    None,
}

/// The figures of a paper.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub paper: String,
    /// Its name of the subject.
    pub id: String,
    /// Pairs of methods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    /// Those in M_pc.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
    /// Those in M_d.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub double_lock: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis_ms: Option<u64>,
    /// In which part of the runs it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<f64>,
    /// After how long, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// How many tests that took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<u64>,
    /// How many tests there were in the whole budget, whatever they found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests_in_all: Option<u64>,
    /// How long it took to write them; nothing was searched for in that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing_seconds: Option<f64>,
    /// How many true violations it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violations: Option<u64>,
    /// What it saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Whether its tool found no fault here, so that there is none to find again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nothing: bool,
}

/// By what a finding is held to be the known fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// Methods that are called, or what the message mentions.
    Methods,
    /// The exception or the kind of failure.
    Failure,
    /// Any finding is.
    Anything,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    subject: Vec<Subject>,
    #[serde(default)]
    set: Vec<Set>,
}

/// Classes of one library of which the same is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    paper: String,
    maven: Vec<String>,
    expected: Expected,
    classes: Vec<String>,
}

/// Reads the list.
pub fn read(path: &Path) -> anyhow::Result<Vec<Subject>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

fn parse(text: &str) -> anyhow::Result<Vec<Subject>> {
    let File { mut subject, set } = toml::from_str(text)?;
    for set in set {
        for class in &set.classes {
            let paper = Published { paper: set.paper.clone(), id: String::new(), ..Published::default() };
            subject.push(Subject {
                name: class.rsplit('.').next().unwrap_or(class).to_owned(),
                class: class.clone(),
                maven: set.maven.clone(),
                maven_alone: Vec::new(),
                fixture: None,
                java_options: Vec::new(),
                oracle: None,
                expected: set.expected,
                exceptions: Vec::new(),
                calls: Vec::new(),
                beside: None,
                mentions: None,
                pair: None,
                note: None,
                papers: vec![paper],
            });
        }
    }
    for (number, one) in subject.iter().enumerate() {
        if subject[..number].iter().any(|other| other.name == one.name) {
            bail!("two subjects are called {}", one.name);
        }
        if one.papers.is_empty() {
            bail!("{} is of no paper", one.name);
        }
    }
    Ok(subject)
}

/// Those that are named, by their names or classes; all, if none is.
pub fn chosen<'s>(subjects: &'s [Subject], names: &[String]) -> anyhow::Result<Vec<&'s Subject>> {
    if names.is_empty() {
        return Ok(subjects.iter().collect());
    }
    let mut found = Vec::new();
    for name in names {
        let before = found.len();
        found.extend(subjects.iter().filter(|subject| subject.name == *name || subject.class == *name));
        if found.len() == before {
            bail!("there is no subject {name}: `study list` has them all");
        }
    }
    Ok(found)
}

impl Subject {
    /// A hash of what decides on what a run is and what counts as found; what readers are told is no part of it.
    pub fn definition(&self) -> String {
        let decisive = Subject { pair: None, note: None, papers: Vec::new(), ..self.clone() };
        // It has no maps with keys that are no texts, which is all that could fail.
        hash(&serde_json::to_vec(&decisive).unwrap_or_default())
    }

    /// By what its fault is known; None if there is none that is known.
    pub fn known_by(&self) -> Option<KnownBy> {
        if self.expected == Expected::None || self.papers[0].nothing {
            return None;
        }
        Some(match self.expected {
            _ if !self.calls.is_empty() || self.beside.is_some() || self.mentions.is_some() => KnownBy::Methods,
            Expected::Any if self.exceptions.is_empty() => KnownBy::Anything,
            _ => KnownBy::Failure,
        })
    }

    /// The name of its folder.
    pub fn folder(&self) -> String {
        self.name.replace([' ', '/', '$'], "-")
    }

    /// Whether what was found is the known fault; with what is said of it, and the statements of each thread.
    pub fn is_known(&self, kind: &str, what: &str, exception: Option<&str>, threads: &[Vec<String>]) -> bool {
        let of_kind = match self.expected {
            Expected::Any => true,
            Expected::None => false,
            Expected::Exception => kind == "exception",
            Expected::Deadlock => kind == "deadlock",
            Expected::Linearizability => kind == "linearizability",
        };
        let thrown = exception.unwrap_or_default();
        let of_exception = self.exceptions.is_empty() || self.exceptions.iter().any(|end| thrown.ends_with(&**end));
        let all_called = self.calls.iter().all(|name| threads.iter().any(|thread| calls_one_of(thread, name)));
        let is_beside = |[one, other]: &[String; 2]| {
            threads.iter().enumerate().any(|(number, thread)| {
                let others = threads.iter().enumerate().filter(|(of, _)| *of != number);
                calls_one_of(thread, one) && others.into_iter().any(|(_, thread)| calls_one_of(thread, other))
            })
        };
        let is_mentioned = self.mentions.as_ref().is_none_or(|text| what.contains(&**text));
        of_kind && of_exception && all_called && is_mentioned && self.beside.as_ref().is_none_or(is_beside)
    }
}

/// Whether a thread calls one of some methods, with bars between their names.
fn calls_one_of(thread: &[String], names: &str) -> bool {
    names.split('|').any(|name| {
        let call = format!(".{name}(");
        thread.iter().any(|statement| statement.contains(&call))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_are_told_is_no_part_of_the_definition() {
        let subjects = read(&crate::home().join("subjects.toml")).unwrap();
        let told = Subject { note: Some("another".into()), papers: Vec::new(), ..subjects[0].clone() };
        assert_eq!(told.definition(), subjects[0].definition());
        let other = Subject { calls: vec!["another".into()], ..subjects[0].clone() };
        assert_ne!(other.definition(), subjects[0].definition());
    }

    #[test]
    fn the_list_can_be_read() {
        let subjects = read(&crate::home().join("subjects.toml")).unwrap();
        let is_safe = |subject: &&Subject| subject.expected == Expected::None;
        let safe = subjects.iter().filter(is_safe).count();
        assert!(safe > 33 && subjects.len() > safe + 35, "{safe} of {} are safe", subjects.len());
        let fixtures = subjects.iter().filter_map(|subject| subject.fixture.as_ref());
        for fixture in fixtures {
            assert!(crate::home().join("..").join(fixture).is_file(), "{fixture} is not there");
        }
    }

    /// The paper gives both for each subject, and the means.
    #[test]
    fn published_times_have_the_published_means() {
        let subjects = read(&crate::home().join("subjects.toml")).unwrap();
        let mean = |numbers: std::ops::RangeInclusive<u32>| {
            let count = numbers.clone().count() as f64;
            let seconds = numbers.map(|number| {
                let name = format!("C{number}");
                let subject = subjects.iter().find(|subject| subject.name == name);
                let paper = &subject.unwrap_or_else(|| panic!("{name} is missing")).papers[0];
                assert_eq!((&*paper.paper, &paper.id), ("DepCon+", &name));
                paper.seconds.unwrap()
            });
            seconds.sum::<f64>() / count
        };
        let (exceptions, deadlocks) = (mean(1..=15), mean(16..=19));
        assert!((exceptions - 1368.0).abs() < 1.0, "{exceptions} is not 22 min 48 s");
        assert!((deadlocks - 15.0).abs() < 1.0, "{deadlocks} is not 15 s");
    }

    #[test]
    fn what_has_to_be_beside_each_other_is_in_two_threads() {
        let text = r#"
            [[subject]]
            name = "A"
            class = "a.A"
            expected = "exception"
            beside = ["insert", "delete|setLength"]
            papers = [{ paper = "P", id = "1" }]
        "#;
        let subject = &parse(text).unwrap()[0];
        let is_known = |threads: &[&[&str]]| {
            let threads: Vec<Vec<String>> =
                threads.iter().map(|thread| thread.iter().map(|text| (*text).to_owned()).collect()).collect();
            subject.is_known("exception", "", None, &threads)
        };
        assert!(is_known(&[&["a.setLength(0);"], &["a.insert(0, a);"]]));
        assert!(is_known(&[&["a.insert(0, a);", "a.delete(0, 1);"], &["a.delete(0, 1);"]]));
        assert!(!is_known(&[&["a.insert(0, a);", "a.delete(0, 1);"], &["a.size();"]]));
        assert!(!is_known(&[&["a.insert(0, a);"], &["a.insert(0, a);"]]));
    }

    #[test]
    fn where_a_paper_found_nothing_there_is_no_known_fault() {
        let subjects = read(&crate::home().join("subjects.toml")).unwrap();
        let by = |name: &str| subjects.iter().find(|subject| subject.name == name).unwrap().known_by();
        assert_eq!(by("C4"), Some(KnownBy::Methods));
        assert_eq!(by("C8"), Some(KnownBy::Failure));
        assert_eq!(by("C1"), Some(KnownBy::Failure));
        assert_eq!(by("MutablePeriod"), Some(KnownBy::Anything));
        assert_eq!(by("ZoneInfoCompiler"), None);
        assert_eq!(by("Days"), None);
    }

    #[test]
    fn a_fault_is_known_by_kind_exception_and_calls() {
        let text = r#"
            [[subject]]
            name = "A"
            class = "a.A"
            expected = "exception"
            exceptions = ["NullPointerException"]
            calls = ["close"]
            mentions = "this.writer"
            papers = [{ paper = "P", id = "1" }]
        "#;
        let subject = &parse(text).unwrap()[0];
        let close = [vec!["a.close();".to_owned()]];
        let what = "because this.writer is null";
        assert!(subject.is_known("exception", what, Some("java.lang.NullPointerException"), &close));
        assert!(!subject.is_known("exception", "", Some("java.lang.NullPointerException"), &close));
        assert!(!subject.is_known("exception", what, Some("java.lang.IllegalStateException"), &close));
        assert!(!subject.is_known("deadlock", what, None, &close));
        assert!(!subject.is_known(
            "exception",
            what,
            Some("java.lang.NullPointerException"),
            &[vec!["a.closeAll();".into()]]
        ));
    }
}

//! One check of one subject.
//!
//! `raddle check` runs until its budget is spent, and not with `--first`: the first finding may be another than the known fault. Its
//! findings are on disk once they are sure, so the known one is seen there, given another moment, and the check is
//! stopped as if by Ctrl-C. So one run tells the time to the first finding and to the known one.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::record::{Build, Outcome, Ran, Sizes, hash};
use crate::subjects::{Expected, Subject};

/// The program that is studied.
pub struct Raddle {
    pub program: PathBuf,
    pub build: Build,
}

/// How a subject is checked.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub seed: u64,
    /// In seconds.
    pub budget: u64,
    /// How many workers it has.
    pub jobs: usize,
}

/// So often the findings are looked at.
const PULSE: Duration = Duration::from_millis(200);
/// The known fault may be shrunk for so long.
const SHRINKING: Duration = Duration::from_secs(3);
/// A check that takes so much longer than its budget is ended.
const PATIENCE: Duration = Duration::from_secs(90);

impl Raddle {
    /// The one beside this program.
    pub fn find() -> anyhow::Result<Raddle> {
        let own = std::env::current_exe().context("cannot find out which program this is")?;
        let program = own.with_file_name("raddle");
        if !program.is_file() {
            bail!("there is no raddle beside {}: build it with `cargo build --release -p raddle`", own.display());
        }
        let output = Command::new(&program).arg("--version").output().context("cannot run raddle")?;
        let version = String::from_utf8_lossy(&output.stdout).trim().trim_start_matches("raddle ").to_owned();
        let bytes = std::fs::read(&program)?;
        Ok(Raddle { program, build: Build { version, program: hash(&bytes) } })
    }

    fn command(&self, command: &str, subject: &Subject, class_path: &[PathBuf]) -> Command {
        let mut raddle = Command::new(&self.program);
        raddle.arg(command).arg(&subject.class).stdin(Stdio::null());
        if !class_path.is_empty() {
            let path: Vec<String> = class_path.iter().map(|entry| entry.display().to_string()).collect();
            raddle.arg("--classpath").arg(path.join(":"));
        }
        raddle
    }

    /// How many pairs of methods depend on each other, and how long it took to find out.
    pub fn sizes(&self, subject: &Subject, class_path: &[PathBuf], work: &Path) -> anyhow::Result<Sizes> {
        std::fs::create_dir_all(work)?;
        let document = work.join("deps.json");
        let begun = Instant::now();
        let output = self.command("deps", subject, class_path).arg("--json").arg(&document).output()?;
        let seconds = begun.elapsed().as_secs_f64();
        let pairs = read(&document).and_then(|Dependencies { classes: [class] }| class.pairs);
        let Some(pairs) = pairs else { bail!("{}", last_line(&output.stderr)) };
        Ok(Sizes {
            raddle: self.build.clone(),
            definition: subject.definition(),
            pairs: pairs.total,
            pc: pairs.pc,
            double_lock: pairs.double_lock,
            second_share: pairs.second_share,
            seconds,
        })
    }

    /// Checks a subject, in a folder of its own. Gives the version of Java, too.
    pub fn check(
        &self,
        subject: &Subject,
        class_path: &[PathBuf],
        settings: Settings,
        work: &Path,
        mut pulse: impl FnMut(Duration),
    ) -> anyhow::Result<(Outcome, String)> {
        if work.exists() {
            std::fs::remove_dir_all(work)?;
        }
        std::fs::create_dir_all(work)?;
        let (document, out, errors) = (work.join("report.json"), work.join("out"), work.join("stderr"));
        let mut command = self.command("check", subject, class_path);
        command.args(["--quiet", "--budget", &format!("{}s", settings.budget), "--seed", &settings.seed.to_string()]);
        command.arg("--json").arg(&document).arg("--out").arg(&out);
        command.args(subject.oracle.iter().map(|oracle| format!("--oracle={oracle}")));
        command.args(subject.java_options.iter().map(|option| format!("--java-option={option}")));
        command.arg(format!("--jobs={}", settings.jobs));
        command.stdout(Stdio::null()).stderr(File::create(&errors)?);
        let mut child = command.spawn().context("cannot start raddle")?;
        let ended = watch(&mut child, subject, &out, settings, &mut pulse)?;
        let report: Option<Value> = read(&document);
        let java = report.as_ref().and_then(|report| report["java"].as_str()).unwrap_or_default().to_owned();
        let outcome = match report.as_ref().and_then(|report| Ran::read(report, subject)) {
            Some(ran) => Outcome::Ran(ran),
            None if !ended => Outcome::Broke("raddle did not end in time".into()),
            None => Outcome::Broke(last_line(&std::fs::read(&errors).unwrap_or_default())),
        };
        Ok((outcome, java))
    }
}

/// Waits until it ends, and stops it once the known fault was found. Says whether it ended.
fn watch(
    child: &mut Child,
    subject: &Subject,
    out: &Path,
    settings: Settings,
    pulse: &mut impl FnMut(Duration),
) -> anyhow::Result<bool> {
    let begun = Instant::now();
    let limit = Duration::from_secs(settings.budget) + PATIENCE;
    let mut known: Option<Instant> = None;
    let mut told = false;
    while child.try_wait()?.is_none() {
        std::thread::sleep(PULSE);
        pulse(begun.elapsed());
        if begun.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        if told || subject.expected == Expected::None {
            continue;
        }
        // It may turn out to be another once it was shrunk.
        known = if is_found(subject, out) { known.or_else(|| Some(Instant::now())) } else { None };
        if known.is_some_and(|since| since.elapsed() >= SHRINKING) {
            // It may have ended by itself since it was asked.
            let _ = kill_process(Pid::from_child(child), Signal::INT);
            told = true;
        }
    }
    Ok(true)
}

/// Whether the known fault is among the findings on disk.
fn is_found(subject: &Subject, out: &Path) -> bool {
    let Ok(folders) = std::fs::read_dir(out) else { return false };
    folders.flatten().filter_map(|folder| read(&folder.path().join("finding.json"))).any(|finding: OnDisk| {
        let thrown = finding.what.split([':', ' ']).next();
        let exception = thrown.filter(|_| finding.kind == "exception");
        subject.is_known(&finding.kind, &finding.what, exception, &finding.java_test.threads)
    })
}

/// What is asked of a finding on disk. With its timeline there are megabytes, which are looked at five times a second.
#[derive(Deserialize)]
struct OnDisk {
    kind: String,
    what: String,
    java_test: JavaTest,
}

#[derive(Deserialize)]
struct JavaTest {
    threads: Vec<Vec<String>>,
}

/// What is asked of the document of `raddle deps`, which has the evidence for each of thousands of pairs.
#[derive(Deserialize)]
struct Dependencies {
    classes: [Dependent; 1],
}

#[derive(Deserialize)]
struct Dependent {
    pairs: Option<Pairs>,
}

#[derive(Deserialize)]
struct Pairs {
    total: u64,
    pc: u64,
    double_lock: u64,
    second_share: u64,
}

/// What is asked of a document; None if it is not there, or not whole yet.
fn read<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_reader(BufReader::new(File::open(path).ok()?)).ok()
}

fn last_line(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("raddle said nothing");
    line.trim_start_matches("error: ").chars().take(400).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subjects;

    #[test]
    fn a_finding_on_disk_is_recognised() {
        let subjects = subjects::read(&crate::home().join("subjects.toml")).unwrap();
        let subject = subjects.iter().find(|subject| subject.name == "C3").unwrap();
        let out = tempfile::tempdir().unwrap();
        assert!(!is_found(subject, out.path()));
        let folder = out.path().join("1");
        std::fs::create_dir(&folder).unwrap();
        let write = |what: &str, call: &str| {
            let text = format!(
                r#"{{ "kind": "exception", "what": "{what}", "java_test": {{ "threads": [["a.close();"], ["{call}"]] }} }}"#
            );
            std::fs::write(folder.join("finding.json"), text).unwrap();
        };
        let named = "b.setDataSourceName(name);";
        write("java.lang.NullPointerException: in close", named);
        assert!(!is_found(subject, out.path()));
        write("java.util.ConcurrentModificationException thrown by close", "b.close();");
        assert!(!is_found(subject, out.path()));
        write("java.util.ConcurrentModificationException thrown by close", named);
        assert!(is_found(subject, out.path()));
    }
}

//! Many classes: analysed on all cores, with progress, a line each.
//!
//! A class that cannot be analysed is named with the reason, and the others go on. Interfaces have nothing to
//! analyse and are passed over.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use analysis::{Analyzer, ByteStore, ClassFacts, Error};
use anyhow::bail;
use classpath::ClassName;

use super::request::Request;
use super::{Counts, json, write};
use crate::args::{Color, DepsArgs};
use crate::output;

/// Deep call chains are followed by recursion; a page that is not touched costs nothing.
const STACK: usize = 64 << 20;

type Outcome = Result<ClassFacts, Error>;

pub fn run(names: &[ClassName], request: &Request, args: &DepsArgs, color: Color) -> anyhow::Result<()> {
    if args.pair.is_some() || args.svg.is_some() {
        bail!("--pair and --svg are about one class: name one instead of {}", args.target);
    }
    let progress = Progress::new(names.len());
    let outcomes = analyze(names, request, &progress)?;
    progress.end();
    let facts: Vec<&ClassFacts> = outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
    let refused: Vec<&Error> = outcomes
        .iter()
        .filter_map(|outcome| outcome.as_ref().err())
        .filter(|error| !matches!(error, Error::Interface(_) | Error::NoClass(_)))
        .collect();
    for error in &refused {
        eprintln!("warning: {error}");
    }
    if facts.is_empty() {
        bail!("none of the {} classes of {} could be analysed", names.len(), args.target);
    }
    if let Some(file) = &args.json {
        let document = json::document(&facts, &refused, &request.java);
        if file == Path::new("-") {
            return output::print(&document, color);
        }
        write(file, &document)?;
    }
    output::print(&table(&facts, refused.len(), names.len()), color)
}

fn analyze(names: &[ClassName], request: &Request, progress: &Progress) -> anyhow::Result<Vec<Outcome>> {
    let next = AtomicUsize::new(0);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(names.iter().map(|_| None).collect());
    let work = || {
        let bytes = ByteStore::new();
        let mut analyzer = Analyzer::new(&request.class_path, &bytes);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = names.get(number) else { return };
            let outcome = analyzer.analyze(name);
            outcomes.lock().expect("internal bug: a worker thread panicked")[number] = Some(outcome);
            progress.step(name);
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from).min(names.len());
    thread::scope(|scope| -> io::Result<()> {
        for _ in 0..cores {
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        }
        Ok(())
    })?;
    let outcomes = outcomes.into_inner().expect("internal bug: a worker thread panicked");
    Ok(outcomes.into_iter().map(|outcome| outcome.expect("internal bug: every class was taken")).collect())
}

fn table(facts: &[&ClassFacts], refused: usize, all: usize) -> String {
    let mut rows: Vec<(String, usize, Counts, u32)> = facts
        .iter()
        .map(|facts| {
            let pairs = facts.pairs();
            let highest = pairs.iter().map(|pair| pair.score).max().unwrap_or(0);
            (facts.class.clone(), facts.methods.len(), Counts::of(&pairs), highest)
        })
        .collect();
    rows.sort_by(|a, b| (b.3, &a.0).cmp(&(a.3, &b.0)));
    let widest = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).max("class".len());
    let mut text = format!("{:widest$}  methods   pairs    M_pc     M_d  score\n", "class");
    for (class, methods, counts, score) in &rows {
        let Counts { all, pc, double_lock, .. } = counts;
        text.push_str(&format!("{class:widest$}  {methods:7} {all:7} {pc:7} {double_lock:7}  {score:5}\n"));
    }
    let passed_over = all - facts.len() - refused;
    text.push_str(&format!(
        "\n{} classes analysed, {passed_over} interfaces passed over, {refused} refused\n",
        facts.len()
    ));
    text
}

/// Says on standard error how far it is: on a terminal in one line, else now and then.
struct Progress {
    all: usize,
    done: AtomicUsize,
    terminal: bool,
}

/// Without a terminal there is a line for so many classes.
const EVERY: usize = 100;

impl Progress {
    fn new(all: usize) -> Progress {
        Progress { all, done: AtomicUsize::new(0), terminal: io::stderr().is_terminal() }
    }

    fn step(&self, name: &ClassName) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        // Nobody is left to tell when this cannot be printed.
        let _ = match self.terminal {
            true => write!(io::stderr(), "\r\x1b[K{done}/{} {name}", self.all),
            false if done.is_multiple_of(EVERY) => writeln!(io::stderr(), "{done}/{} classes", self.all),
            false => Ok(()),
        };
    }

    fn end(&self) {
        if self.terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

//! `raddle deps`: which methods of a class can hurt each other.
//!
//! [`request`] says which classes are meant, [`library`] analyses many of them, and the rest write what was
//! found: [`table`] for a person, [`pair`] for one pair, [`json`] for programs, [`svg`] as a picture.

mod json;
mod library;
mod matrix;
mod pair;
mod request;
mod svg;
mod table;

use std::fs;
use std::path::Path;

use analysis::{Analyzer, ByteStore, ClassFacts};
use anyhow::Context;
use classpath::ClassName;

use crate::args::{Color, DepsArgs};
use crate::output;
pub use request::correct_class_path;
use request::{Request, Target};

/// Analyses what the arguments name, and writes what was found.
pub fn run(args: &DepsArgs, color: Color) -> anyhow::Result<()> {
    let request = Request::resolve(args)?;
    match &request.target {
        Target::Class(name) => run_class(name, &request, args, color),
        Target::Library(names) => library::run(names, &request, args, color),
    }
}

fn run_class(name: &ClassName, request: &Request, args: &DepsArgs, color: Color) -> anyhow::Result<()> {
    let bytes = ByteStore::new();
    let facts = Analyzer::new(&request.class_path, &bytes).analyze(name)?;
    let text = match &args.pair {
        Some(wanted) => pair::explain(&facts, wanted, &request.sources(args.source_path.as_deref()))?,
        None => table::render(&facts, table::width()),
    };
    if let Some(file) = &args.svg {
        write(file, &svg::draw(&facts))?;
    }
    if let Some(file) = &args.json {
        let document = json::document(&[&facts], &[], &request.java);
        if file == Path::new("-") {
            return output::print(&document, color);
        }
        write(file, &document)?;
    }
    output::print(&text, color)
}

fn write(file: &Path, content: &str) -> anyhow::Result<()> {
    fs::write(file, content).with_context(|| format!("cannot write {}", file.display()))
}

/// How many pairs of a class are in which set.
struct Counts {
    all: usize,
    pc: usize,
    double_lock: usize,
    second_share: usize,
}

impl Counts {
    fn of(pairs: &[analysis::Pair]) -> Counts {
        let count = |wanted: &dyn Fn(&analysis::Pair) -> bool| pairs.iter().filter(|pair| wanted(pair)).count();
        Counts {
            all: pairs.len(),
            pc: count(&|pair| pair.is_pc()),
            double_lock: count(&|pair| pair.double_lock),
            second_share: count(&|pair| pair.second_share),
        }
    }
}

/// A place in the source: `Vector.java:1024`.
fn place(site: &analysis::SiteFact) -> String {
    match (&site.file, site.line) {
        (Some(file), Some(line)) => format!("{}.{} ({file}:{line})", site.class, site.method),
        _ => format!("{}.{} (offset {})", site.class, site.method, site.offset),
    }
}

/// The name of a lock with how it is held.
fn lock_name(facts: &ClassFacts, lock: usize) -> String {
    let lock = &facts.locks[lock];
    match lock.mode {
        analysis::LockMode::Shared => format!("{} (read)", lock.path),
        _ => lock.path.clone(),
    }
}

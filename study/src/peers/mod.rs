//! Raddle and its peers on the same work: small concurrent tests with a fault, each with a twin that has none.
//!
//! The tests and what a peer needs to run them are a Maven project, `study/peers`; [`project`] builds it and finds out which peers can be
//! had. Each tool has a module that runs one test and says in numbers how it went ([`outcome`]); [`page`] puts them side by side. Nothing
//! runs beside anything else, and processor time is kept with every time, since the machine may not be alone.

mod cases;
mod jcstress;
mod lincheck;
mod outcome;
mod page;
mod process;
mod project;
mod raddle;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;

use crate::machine::{Machine, Ticks};
use crate::record;
use cases::{CASES, Case};
use outcome::{Document, Row};
use project::Project;

/// How the peers are run.
#[derive(Debug, Args)]
pub struct PeersArgs {
    /// Only tests whose name contains one of these.
    cases: Vec<String>,
    /// The JDK for all tools.
    #[arg(long, value_name = "DIR")]
    java_home: Option<PathBuf>,
    /// The `raddle` to run. Without it one is built, as this was.
    #[arg(long, value_name = "FILE")]
    raddle: Option<PathBuf>,
    /// How long a tool may look for a fault, or run what has none, in seconds (for Lincheck of processor time).
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    budget: u64,
    /// How long executions are counted for the rate, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    rate: u64,
    /// Runs nothing, and writes the page again from peers.json.
    #[arg(long)]
    page: bool,
}

/// Runs everything and writes the results, peers.json and peers.md, into a folder.
pub fn run(args: &PeersArgs, results: &Path) -> anyhow::Result<()> {
    let json = results.join("peers.json");
    if !args.page {
        let cases = chosen(&args.cases)?;
        let document = measure(args, &cases)?;
        if cases.len() < CASES.len() {
            // Some are no result that could stand for all.
            print!("{}", page::page(&document, ""));
            return Ok(());
        }
        record::store(&json, &document)?;
    }
    let text = std::fs::read_to_string(&json).with_context(|| format!("cannot read {}", json.display()))?;
    let document = serde_json::from_str(&text).with_context(|| format!("{} is no result of this", json.display()))?;
    record::write(&results.join("peers.md"), &page::page(&document, &record::hash(text.as_bytes())))
}

/// Tests whose names contain one of some texts; all, if there are none.
fn chosen(parts: &[String]) -> anyhow::Result<Vec<&'static Case>> {
    if let Some(part) = parts.iter().find(|part| !CASES.iter().any(|case| case.name.contains(part.as_str()))) {
        let names: Vec<&str> = CASES.iter().map(|case| &*case.name).collect();
        bail!("there is no test {part}: there are {}", names.join(", "));
    }
    let wanted = |case: &&Case| parts.is_empty() || parts.iter().any(|part| case.name.contains(part.as_str()));
    Ok(CASES.iter().filter(wanted).collect())
}

fn measure(args: &PeersArgs, cases: &[&Case]) -> anyhow::Result<Document> {
    let java_home = match &args.java_home {
        Some(home) => home.clone(),
        None => project::java_home()?,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let project = Project::build(&folder, java_home)?;
    let raddle = match &args.raddle {
        Some(file) => file.clone(),
        None => raddle::binary()?,
    };
    let before = Ticks::now();
    let mut controlled = Vec::new();
    for case in cases {
        eprintln!("{}: raddle", case.name);
        let measured = raddle::measure(&raddle, &project, case, args)?;
        eprintln!("{}: lincheck", case.name);
        controlled.push((measured, lincheck::measure(&project, case, args)?));
    }
    eprintln!("all: jcstress");
    let free = jcstress::measure(&project, cases)?;
    let together = cases.iter().zip(controlled).zip(free);
    let rows = together
        .map(|((case, (raddle, lincheck)), jcstress)| Row { case: (*case).clone(), raddle, lincheck, jcstress })
        .collect();
    Ok(Document {
        machine: Machine::here(),
        others: before.zip(Ticks::now()).map(|(before, now)| now.others_since(&before)),
        java: project.java_version.clone(),
        program: record::hash(&std::fs::read(&raddle).with_context(|| format!("cannot read {}", raddle.display()))?),
        versions: project.versions()?,
        missing: project.missing(),
        budget: args.budget,
        rate: args.rate,
        rows,
    })
}

//! The study: `raddle check` on the subjects of other papers, and their published figures beside what it comes to.
//!
//! `run` fetches each subject ([`fetch`]), checks it with some seeds ([`check`]) and keeps what came of each in a file ([`record`]), so
//! that it can be stopped and goes on where it was. `table` puts those files together ([`summary`], [`markdown`]). Nothing here decides
//! what a violation is: that is in what `raddle` writes. `peers` puts other tools beside it ([`peers`]).

mod check;
mod fetch;
mod machine;
mod markdown;
mod peers;
mod progress;
mod record;
mod run;
mod subjects;
mod summary;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use run::RunArgs;

/// Runs Raddle on the subjects of other papers.
#[derive(Debug, Parser)]
#[command(name = "study", version)]
struct Args {
    #[command(subcommand)]
    command: Command,

    /// Where results are kept and tables are written, instead of with those of this repository.
    #[arg(long, value_name = "DIR", global = true, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/results"))]
    results: PathBuf,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks subjects, and writes the tables. What was done before is not done again.
    Run(RunArgs),
    /// Writes the tables again from what earlier runs have kept.
    Table,
    /// Runs the same small concurrent tests with Raddle and its peers, and writes the table.
    Peers(peers::PeersArgs),
    /// Lists the subjects.
    List,
}

fn main() -> ExitCode {
    match study(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn study(args: &Args) -> anyhow::Result<()> {
    let subjects = subjects::read(&home().join("subjects.toml"))?;
    let results = &args.results;
    match &args.command {
        Command::Run(args) => {
            let build = run::run(args, &subjects, results)?;
            write_tables(&subjects, results, Some(&build))
        }
        Command::Table => write_tables(&subjects, results, None),
        Command::Peers(args) => peers::run(args, results),
        Command::List => {
            for subject in &subjects {
                println!("{:28} {}", subject.name, subject.class);
            }
            Ok(())
        }
    }
}

fn write_tables(subjects: &[subjects::Subject], results: &Path, build: Option<&record::Build>) -> anyhow::Result<()> {
    let summary = summary::of(subjects, results, build)?;
    record::write(&results.join("table.json"), &(serde_json::to_string_pretty(&summary)? + "\n"))?;
    record::write(&results.join("table.md"), &markdown::page(&summary))?;
    println!("The tables are in {}: table.md, table.json.", results.display());
    Ok(())
}

/// The folder of the study.
fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

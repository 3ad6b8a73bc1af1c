//! The command line of Raddle.
//!
//! Only `main` ends the process.

use std::process::ExitCode;

use anyhow::anyhow;
use clap::Parser;
use clap::error::ErrorKind;
use raddle::args::{Args, Color, Command};
use raddle::{check, deps, explore, inspect, jobs, output, worker};

/// Something was found.
const FOUND: u8 = 1;
/// The tool could not do its job.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => match run(&args) {
            Ok(false) => ExitCode::SUCCESS,
            Ok(true) => ExitCode::from(FOUND),
            Err(error) => {
                output::print_error(&error, args.color);
                ExitCode::from(FAILED)
            }
        },
        // Help, by whoever asked for it or for nothing at all.
        Err(usage) if !usage.use_stderr() || usage.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Nobody is left to tell when this cannot be printed either.
            let _ = usage.print();
            ExitCode::from(usage.exit_code() as u8)
        }
        Err(usage) => {
            output::print_error(&anyhow!(in_one_line(&usage.to_string())), Color::Auto);
            ExitCode::from(FAILED)
        }
    }
}

/// What is wrong with arguments, without the page on how they are used: `--help` has that.
fn in_one_line(usage: &str) -> String {
    let told = usage.strip_prefix("error: ").unwrap_or(usage);
    let told = told.split("\nUsage:").next().unwrap_or_default();
    let told = told.split("\nFor more information").next().unwrap_or_default();
    let words: Vec<&str> = told.split_whitespace().collect();
    format!("{}; --help tells of all arguments", words.join(" ").replace(" tip: ", "; "))
}

/// Does what was asked for, and says whether something was found.
fn run(args: &Args) -> anyhow::Result<bool> {
    match &args.command {
        Command::Check(check) => return check::run(check, args.color),
        Command::Deps(deps) => deps::run(deps, args.color)?,
        Command::Explore(explore) => return explore::run(explore, args.color),
        Command::Inspect(inspect) => output::print(&inspect::run(inspect)?, args.color)?,
        Command::Jobs(list) => jobs::run(list, args.color)?,
        Command::Replay(replay) => return explore::replay(replay, args.color),
        Command::Worker => worker::run()?,
    }
    Ok(false)
}

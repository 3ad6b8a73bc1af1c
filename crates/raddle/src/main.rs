//! The command line of Raddle.
//!
//! Arguments come in two stages: [`args`] parses them, and each command resolves its own into what it
//! needs. A command is a variant of [`args::Command`] and a module of that name. What is printed goes
//! through [`output`]; only `main` ends the process.

mod args;
mod inspect;
mod output;

use std::process::ExitCode;

use args::{Args, Command};
use clap::Parser;

/// The tool could not do its job.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => match run(&args) {
            Ok(()) => ExitCode::SUCCESS,
            // Whoever closed the pipe has read enough.
            Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
            Err(error) => {
                output::print_error(&error, args.color);
                ExitCode::from(FAILED)
            }
        },
        Err(usage) => {
            // Nobody is left to tell when this cannot be printed either.
            let _ = usage.print();
            ExitCode::from(usage.exit_code() as u8)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<()> {
    match &args.command {
        Command::Inspect(inspect) => output::print(&inspect::run(inspect)?, args.color),
    }
}

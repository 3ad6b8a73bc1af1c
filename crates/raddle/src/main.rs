//! The command line of Raddle.
//!
//! Only `main` ends the process.

use std::process::ExitCode;

use clap::Parser;
use raddle::args::{Args, Command};
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

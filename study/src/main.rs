//! The study: Raddle and its peers on the same work.

mod machine;
mod peers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Runs Raddle and its peers.
#[derive(Debug, Parser)]
#[command(name = "study", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the same small concurrent tests with Raddle and its peers, and writes the table.
    Peers(peers::PeersArgs),
}

fn main() -> ExitCode {
    let Command::Peers(args) = Args::parse().command;
    match peers::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

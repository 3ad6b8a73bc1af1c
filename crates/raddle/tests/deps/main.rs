//! `raddle deps`, run as a user runs it, and what it says held against what executions show.

mod audit;
mod bad_input;
mod command;
mod support;
#[path = "../engine/worker.rs"]
mod worker;

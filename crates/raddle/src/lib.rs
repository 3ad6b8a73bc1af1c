//! What the `raddle` program is made of; a library so that tests can speak to workers.
//!
//! Arguments come in two stages: [`args`] parses them, and each command resolves its own into what it
//! needs. A command is a variant of [`args::Command`] and a module of that name. What is printed goes
//! through [`output`].

pub mod args;
pub mod check;
pub mod deps;
pub mod explore;
pub mod fence;
pub mod inspect;
pub mod java_types;
pub mod jobs;
pub mod journal;
pub mod output;
pub mod sources;
pub mod supervisor;
mod unconfirmed;
pub mod worker;

//! `raddle inspect`: shows a person what a class file holds.
//!
//! [`request`] says what is wanted, [`lookup`] finds the bytes, [`outline`] gathers what is shown, and
//! [`render`] writes it as text. Types are spelled by [`spelling`], so that they look the same in
//! declarations and in [`listing`]s of instructions.
//!
//! What it does not show: annotations, frames, local variables, and attributes that only tools read.

mod constant;
mod fill;
mod head;
mod listing;
mod literal;
mod lookup;
mod member;
mod mnemonic;
mod module;
mod outline;
mod render;
mod request;
mod spelling;
mod suggest;

use anyhow::{anyhow, bail};
use classfile::{ClassFile, NEWEST_VERSION, ParseError, ParseErrorKind};

use crate::args::InspectArgs;
pub use lookup::advice_for;
use outline::Outline;
use request::Request;

/// The text that shows a class.
pub fn run(args: &InspectArgs) -> anyhow::Result<String> {
    let request = Request::resolve(args)?;
    let found = lookup::find(&request)?;
    if found.bytes.is_empty() {
        bail!("{} is empty: compile it again", found.label);
    }
    let class = ClassFile::parse(&found.bytes).map_err(|error| refused(&found.label, error))?;
    let outline = Outline::of(&class, &found, &request)?;
    Ok(render::render(&outline))
}

/// What is wrong with a class file, and what to do about it.
fn refused(label: &str, error: ParseError) -> anyhow::Error {
    let offset = error.offset;
    match error.kind {
        ParseErrorKind::NoMagic => anyhow!(
            "{label} is not a class file, it does not start with CAFEBABE (at byte {offset}): \
             give a .class file or the name of a class"
        ),
        ParseErrorKind::Version(version) if version > NEWEST_VERSION => {
            anyhow!("{label}: {error}; compile it with --release {} or older", NEWEST_VERSION - 44)
        }
        ParseErrorKind::Version(version) => {
            anyhow!("{label} is damaged: there is no class file version {version} (at byte {offset}); compile it again")
        }
        _ => anyhow!("{label} is damaged: {error}; compile it again"),
    }
}

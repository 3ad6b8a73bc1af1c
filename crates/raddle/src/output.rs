//! Standard output and standard error, with colours where they are wanted.

use std::io::{self, ErrorKind, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use anyhow::Context;

use crate::args::Color;

/// Prints a text that may hold colours to standard output.
pub fn print(text: &str, color: Color) -> anyhow::Result<()> {
    let mut out = AutoStream::new(io::stdout().lock(), choice(color));
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Prints an error to standard error, in exactly one line.
pub fn print_error(error: &anyhow::Error, color: Color) {
    let red = AnsiColor::Red.on_default().bold();
    let line = format!("{error:#}").replace(char::is_control, " ");
    let mut out = AutoStream::new(io::stderr().lock(), choice(color));
    // Nobody is left to tell when this cannot be printed either.
    let _ = writeln!(out, "{}: {line}", paint("error", red));
}

/// Whether an error says that nobody reads the output any more.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == ErrorKind::BrokenPipe))
}

/// The text in a style. [`print()`] takes styles out again where they are not wanted.
pub fn paint(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

fn choice(color: Color) -> ColorChoice {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}

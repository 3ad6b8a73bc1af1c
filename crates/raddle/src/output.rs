//! Standard output and standard error, with colours where they are wanted.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use anyhow::Context;

use crate::args::Color;

/// Prints a text that may hold colours to standard output. Whoever has closed the pipe has read enough: what was found stands.
pub fn print(text: &str, color: Color) -> anyhow::Result<()> {
    let mut out = AutoStream::new(io::stdout().lock(), choice(color));
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("cannot write to standard output"),
    }
}

/// Prints an error to standard error, in exactly one line.
pub fn print_error(error: &anyhow::Error, color: Color) {
    let red = AnsiColor::Red.on_default().bold();
    let line = format!("{error:#}").replace(char::is_control, " ");
    let mut out = AutoStream::new(io::stderr().lock(), choice(color));
    // Nobody is left to tell when this cannot be printed either.
    let _ = writeln!(out, "{}: {line}", paint("error", red));
}

/// The text in a style. [`print()`] takes styles out again where they are not wanted.
pub fn paint(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// Writes a document to a file, or to standard output for `-`.
pub fn write_json(file: &Path, document: &serde_json::Value, color: Color) -> anyhow::Result<()> {
    let text = format!("{document:#}\n");
    if file.as_os_str() == "-" {
        return print(&text, color);
    }
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// How many columns and lines the terminal has; a page where there is none.
pub fn size() -> (usize, usize) {
    match rustix::termios::tcgetwinsize(rustix::stdio::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col as usize, size.ws_row as usize),
        _ => (140, 60),
    }
}

/// Whether standard output is to have colours.
pub fn wants_colors(color: Color) -> bool {
    AutoStream::new(io::stdout(), choice(color)).current_choice() != ColorChoice::Never
}

fn choice(color: Color) -> ColorChoice {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}

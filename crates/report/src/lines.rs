//! JSON with a line for each field and for each step, so that a document can be read and compared by lines.

use serde_json::ser::Formatter;
use std::io::{Result, Write};

/// What is deeper than this stays on its line.
const DEEPEST: usize = 2;

/// The format.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    depth: usize,
    /// The list or object that ends next has something in it.
    filled: bool,
}

impl Lines {
    fn begin(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn item(&mut self, writer: &mut (impl Write + ?Sized), first: bool) -> Result<()> {
        writer.write_all(if first { b"" } else { b"," })?;
        if self.depth <= DEEPEST {
            return write!(writer, "\n{}", "  ".repeat(self.depth));
        }
        writer.write_all(if first { b"" } else { b" " })
    }

    fn end(&mut self, writer: &mut (impl Write + ?Sized), bracket: &[u8]) -> Result<()> {
        self.depth -= 1;
        if self.depth < DEEPEST && self.filled {
            write!(writer, "\n{}", "  ".repeat(self.depth))?;
        }
        self.filled = true;
        writer.write_all(bracket)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(writer, b"[")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.item(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer, b"]")
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.begin(writer, b"{")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> Result<()> {
        self.filled = true;
        Ok(())
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> Result<()> {
        self.end(writer, b"}")
    }
}

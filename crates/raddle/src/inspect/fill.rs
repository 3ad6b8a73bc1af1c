//! Lines that are broken after commas where they would become too long.

use anstyle::Style;

use crate::output::paint;

/// The last column that is written to, as long as there is a comma to break at.
const WIDTH: usize = 110;

/// A line, or several if one is not enough.
#[derive(Debug)]
pub struct Filled {
    text: String,
    column: usize,
    /// How far lines after the first are indented.
    indent: usize,
}

impl Filled {
    /// A line that begins with `start`, and goes on below with that indent.
    pub fn new(start: String, indent: usize) -> Filled {
        Filled { column: start.chars().count(), text: start, indent }
    }

    /// Adds a text.
    pub fn put(&mut self, text: &str) -> &mut Filled {
        self.put_styled(text, Style::new())
    }

    /// Adds a text in a style.
    pub fn put_styled(&mut self, text: &str, style: Style) -> &mut Filled {
        for piece in text.split_inclusive(", ") {
            let width = piece.trim_end().chars().count();
            if self.column + width > WIDTH && self.text.ends_with(' ') && self.column > self.indent {
                self.text.truncate(self.text.trim_end().len());
                self.text.push('\n');
                self.text.push_str(&" ".repeat(self.indent));
                self.column = self.indent;
            }
            self.text.push_str(&if style.is_plain() { piece.to_owned() } else { paint(piece, style) });
            self.column += piece.chars().count();
        }
        self
    }

    /// The lines, with their end.
    pub fn finish(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_after_commas_only() {
        let item = "x".repeat(50);
        let text = format!("{item}, {item}, {item}");
        let filled = Filled::new("in ".to_owned(), 5).put(&text).finish();
        assert_eq!(filled, format!("in {item}, {item},\n     {item}\n"));
        let long = "y y".repeat(100);
        assert_eq!(Filled::new(String::new(), 5).put(&long).finish(), format!("{long}\n"));
    }
}

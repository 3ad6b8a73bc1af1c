//! Lines that are broken where they would become too long: after commas, and before the first parameter.

use anstyle::Style;

use crate::output::paint;

/// The last column that is written to, as long as there is a place to break at.
const WIDTH: usize = 116;

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
        for piece in pieces(text) {
            self.put_whole(piece, Style::new());
        }
        self
    }

    /// Adds a text that is not to be broken, in a style.
    pub fn put_whole(&mut self, text: &str, style: Style) -> &mut Filled {
        let width = text.trim_end().chars().count();
        if self.column + width > WIDTH && self.column > self.indent && self.text.ends_with([' ', '(']) {
            self.text.truncate(self.text.trim_end().len());
            self.text.push('\n');
            self.text.push_str(&" ".repeat(self.indent));
            self.column = self.indent;
        }
        self.text.push_str(&if style == Style::new() { text.to_owned() } else { paint(text, style) });
        self.column += text.chars().count();
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

/// Cuts a text after each comma and opening bracket that is not between angle brackets.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let mut last = ' ';
    let mut rest = text;
    std::iter::from_fn(move || {
        let cut = rest.char_indices().find_map(|(at, c)| {
            let ends = depth == 0 && (last == ',' && c == ' ' || last == '(' && c != ')');
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
            let cut = if last == '(' { at } else { at + 1 };
            last = c;
            ends.then_some(cut)
        });
        let (piece, after) = rest.split_at(cut.unwrap_or(rest.len()));
        rest = after;
        Some(piece).filter(|piece| !piece.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_after_commas() {
        let item = "x".repeat(52);
        let text = format!("{item}, {item}, {item}");
        let filled = Filled::new("in ".to_owned(), 5).put(&text).finish();
        assert_eq!(filled, format!("in {item}, {item},\n     {item}\n"));
        let long = "y y".repeat(100);
        assert_eq!(Filled::new(String::new(), 5).put(&long).finish(), format!("{long}\n"));
    }

    #[test]
    fn type_arguments_stay_together() {
        let check = |text, expected: &[&str]| assert_eq!(pieces(text).collect::<Vec<_>>(), expected);
        check("(Map<K, V>, int)", &["(", "Map<K, V>, ", "int)"]);
        check("()", &["()"]);
        check("<K, V> Map<K, V> ", &["<K, V> Map<K, V> "]);
        check("A, B", &["A, ", "B"]);
    }
}

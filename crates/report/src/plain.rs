//! Text that a terminal can show: no control characters, and as wide as it is said to be.

use unicode_width::UnicodeWidthChar;

/// No text of a report is longer: nobody reads on.
const LONGEST: usize = 2000;

/// The text with everything escaped, as Java does it, that would do something to a terminal or hide something from a
/// reader.
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len().min(LONGEST));
    for (number, char) in text.chars().enumerate() {
        if number == LONGEST {
            cleaned.push('…');
            break;
        }
        match char {
            '\n' => cleaned.push_str("\\n"),
            '\r' => cleaned.push_str("\\r"),
            '\t' => cleaned.push_str("\\t"),
            _ if is_hidden(char) => char.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                cleaned.push_str(&format!("\\u{unit:04x}"));
            }),
            _ => cleaned.push(char),
        }
    }
    cleaned
}

/// Control characters, and those that reorder, separate or join others without being seen.
fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// How many columns a clean text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(char: char) -> usize {
    // This one makes the character before it an emoji, which is wider.
    if char == '\u{fe0f}' { 1 } else { char.width().unwrap_or(0) }
}

/// A clean text cut to a width, with a mark where something is missing.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut left = most.saturating_sub(1);
    for char in text.chars() {
        let Some(rest) = left.checked_sub(char_width(char)) else { break };
        left = rest;
        kept.push(char);
    }
    if most > 0 {
        kept.push('…');
    }
    kept
}

/// A clean text cut at its start: what it ends in says more, such as a method or a line.
pub(crate) fn cut_start(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut left = most.saturating_sub(1);
    let mut start = text.len();
    for (place, char) in text.char_indices().rev() {
        let Some(rest) = left.checked_sub(char_width(char)) else { break };
        (left, start) = (rest, place);
    }
    if most > 0 { format!("…{}", &text[start..]) } else { String::new() }
}

/// A clean text cut or filled to exactly a width.
pub(crate) fn fit(text: &str, exactly: usize) -> String {
    let mut fitted = cut(text, exactly);
    fitted.extend(std::iter::repeat_n(' ', exactly.saturating_sub(width(&fitted))));
    fitted
}

/// Any text as lines of at most a width, broken between words and within those that are longer than a line. What does
/// not fit on the last of `lines` is cut.
pub(crate) fn wrap(text: &str, most: usize, lines: usize) -> Vec<String> {
    let text = clean(text);
    let (mut wrapped, mut rest) = (Vec::new(), text.trim());
    while wrapped.len() + 1 < lines && width(rest) > most {
        let mut left = most;
        let fits = |&(_, char): &(usize, char)| {
            let room = left.checked_sub(char_width(char));
            left = room.unwrap_or(0);
            room.is_some()
        };
        let end = rest.char_indices().take_while(fits).last().map_or(0, |(place, char)| place + char.len_utf8());
        // A space right after the line will do as well.
        let space = rest.char_indices().take_while(|&(place, _)| place <= end).filter(|&(_, char)| char == ' ').last();
        let end = space.map_or(end, |(place, _)| place);
        if end == 0 {
            break;
        }
        wrapped.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    wrapped.push(cut(rest, most));
    wrapped
}

/// `1,234`.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 step`, `2,000 steps`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 {
        ""
    } else if noun.ends_with("ch") {
        "es"
    } else {
        "s"
    };
    format!("{} {noun}{plural}", thousands(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_do_something_is_escaped() {
        assert_eq!(clean("a\u{1b}[31mb\n\u{202e}é漢"), "a\\u001b[31mb\\n\\u202eé漢");
        assert_eq!(clean("\u{e0041}"), "\\udb40\\udc41");
    }

    #[test]
    fn texts_are_cut_by_columns() {
        assert_eq!(cut("漢字漢字", 6), "漢字…");
        assert_eq!(fit("漢字漢字", 4), "漢… ");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(cut_start("漢字漢字", 4), "…字");
        assert_eq!(cut_start("ArrayList.java:7", 7), "…java:7");
        assert_eq!(cut_start("abc", 0), "");
        assert_eq!(fit("ab", 4), "ab  ");
    }

    #[test]
    fn texts_are_wrapped_between_words() {
        assert_eq!(wrap("one two three", 7, 9), ["one two", "three"]);
        assert_eq!(wrap("one two three four", 7, 2), ["one two", "three …"]);
        assert_eq!(wrap("longword x", 4, 9), ["long", "word", "x"]);
        assert_eq!(wrap("", 4, 9), [""]);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(count(1, "step"), "1 step");
        assert_eq!(count(1_234_567, "switch"), "1,234,567 switches");
    }
}

//! Literals as Java writes them.

use std::fmt::Write;

/// A string with its quotes. Letters beyond ASCII stay as they are.
pub fn string(text: &str) -> String {
    let mut out = String::from("\"");
    let mut units = [0; 2];
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\'' => out.push(c),
            _ if is_plain(c) => out.push(c),
            _ => c.encode_utf16(&mut units).iter().for_each(|&unit| escape(unit, &mut out)),
        }
    }
    out + "\""
}

/// A character with its quotes; half of a pair, which no character is, by its number.
pub fn char(unit: u16) -> String {
    let mut out = String::from("'");
    match char::from_u32(unit.into()) {
        Some('"') => out.push('"'),
        Some('\'') => out.push_str("\\'"),
        Some(c) if is_plain(c) => out.push(c),
        _ => escape(unit, &mut out),
    }
    out + "'"
}

fn is_plain(c: char) -> bool {
    // A backslash begins an escape, and nobody can tell spaces of other kinds apart.
    c == ' ' || c != '\\' && !c.is_control() && (c.is_ascii() || c.is_alphanumeric())
}

fn escape(unit: u16, out: &mut String) {
    match char::from_u32(unit.into()) {
        Some('\\') => out.push_str("\\\\"),
        Some('\n') => out.push_str("\\n"),
        Some('\r') => out.push_str("\\r"),
        Some('\t') => out.push_str("\\t"),
        // A Unicode escape is read before all else, so for these it would not do; an octal one always does.
        Some(c) if c < '\u{20}' => write!(out, "\\{:03o}", c as u32).expect("internal bug: strings take text"),
        _ => write!(out, "\\u{unit:04x}").expect("internal bug: strings take text"),
    }
}

/// An `int`; the class `Integer` is named as given.
pub fn int(value: i32, class: impl FnOnce() -> String) -> String {
    match value {
        i32::MIN => class() + ".MIN_VALUE",
        i32::MAX => class() + ".MAX_VALUE",
        _ => value.to_string(),
    }
}

/// A `long`; the class `Long` is named as given.
pub fn long(value: i64, class: impl FnOnce() -> String) -> String {
    match value {
        i64::MIN => class() + ".MIN_VALUE",
        i64::MAX => class() + ".MAX_VALUE",
        _ => format!("{value}L"),
    }
}

/// A `float`; the class `Float` is named as given.
pub fn float(value: f32, class: impl FnOnce() -> String) -> String {
    match special(value.into()) {
        Some(name) => class() + name,
        None => format!("{value:?}f"),
    }
}

/// A `double`; the class `Double` is named as given.
pub fn double(value: f64, class: impl FnOnce() -> String) -> String {
    match special(value) {
        Some(name) => class() + name,
        None => format!("{value:?}"),
    }
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some(".NaN")
    } else if value == f64::INFINITY {
        Some(".POSITIVE_INFINITY")
    } else if value == f64::NEG_INFINITY {
        Some(".NEGATIVE_INFINITY")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(string("a\"b'c\\d\n\r\t\0\u{7f}"), r#""a\"b'c\\d\n\r\t\000\u007f""#);
        assert_eq!(string("größe \u{202e}\u{1f600}"), "\"größe \\u202e\\ud83d\\ude00\"");
        assert_eq!(string("\\u0041"), r#""\\u0041""#);
        let chars = [b'x', b'\'', b'"', b'\\', b'\n', 0].map(|c| char(c.into()));
        assert_eq!(chars, ["'x'", r"'\''", "'\"'", r"'\\'", r"'\n'", r"'\000'"]);
        assert_eq!(char(0xd800), r"'\ud800'");
    }

    #[test]
    fn numbers_have_their_suffix() {
        let class = |name: &'static str| move || name.to_owned();
        assert_eq!([-5, i32::MIN].map(|i| int(i, class("Integer"))), ["-5", "Integer.MIN_VALUE"]);
        assert_eq!([7, i64::MAX].map(|j| long(j, class("Long"))), ["7L", "Long.MAX_VALUE"]);
        let floats = [1.5, -0.0, f32::MIN_POSITIVE, f32::MAX, f32::NAN].map(|f| float(f, class("Float")));
        assert_eq!(floats, ["1.5f", "-0.0f", "1.1754944e-38f", "3.4028235e38f", "Float.NaN"]);
        let doubles = [1.0, 1e300, f64::INFINITY, f64::NEG_INFINITY].map(|d| double(d, class("Double")));
        assert_eq!(doubles, ["1.0", "1e300", "Double.POSITIVE_INFINITY", "Double.NEGATIVE_INFINITY"]);
    }
}

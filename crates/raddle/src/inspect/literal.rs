//! Constant values as Java source writes them.

use classfile::JavaStr;

/// A string in quotes, with everything escaped that would not show. A surrogate that stands alone keeps
/// its number.
pub fn string(text: JavaStr<'_>) -> String {
    let mut literal = String::from("\"");
    for c in char::decode_utf16(units(text)) {
        match c {
            Ok('"') => literal.push_str("\\\""),
            Ok('\\') => literal.push_str("\\\\"),
            Ok(c) => push_char(&mut literal, c),
            Err(lone) => push_unit(&mut literal, lone.unpaired_surrogate()),
        }
    }
    literal.push('"');
    literal
}

/// A character in quotes, by its number.
pub fn character(unit: u16) -> String {
    let mut literal = String::from("'");
    match char::from_u32(unit.into()) {
        Some(c @ ('\'' | '\\')) => literal.extend(['\\', c]),
        Some(c) => push_char(&mut literal, c),
        None => push_unit(&mut literal, unit),
    }
    literal.push('\'');
    literal
}

/// A `float`.
pub fn float(value: f32) -> String {
    match value.is_finite() {
        true => format!("{value:?}f"),
        false => format!("Float.{}", extreme(value.into())),
    }
}

/// A `double`.
pub fn double(value: f64) -> String {
    match value.is_finite() {
        true => format!("{value:?}"),
        false => format!("Double.{}", extreme(value)),
    }
}

/// Adds a character, escaped if it would not show or would change how its neighbours are shown.
pub fn push_char(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        // Marks that turn the direction of writing, break lines or take no room.
        '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => {
            push_unit(out, c as u16);
        }
        '\u{feff}' => push_unit(out, 0xfeff),
        c if c.is_control() => push_unit(out, c as u16),
        c => out.push(c),
    }
}

fn push_unit(out: &mut String, unit: u16) {
    out.push_str(&format!("\\u{unit:04x}"));
}

fn extreme(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "POSITIVE_INFINITY",
        f64::NEG_INFINITY => "NEGATIVE_INFINITY",
        _ => "NaN",
    }
}

/// The UTF-16 units of a text. Each takes one to three bytes, as its first byte tells.
fn units(text: JavaStr<'_>) -> impl Iterator<Item = u16> {
    let mut bytes = text.as_bytes().iter().map(|&byte| u16::from(byte));
    std::iter::from_fn(move || {
        let first = bytes.next()?;
        let mut low_six = || bytes.next().map(|byte| byte & 0x3f);
        Some(match first {
            0..0x80 => first,
            0x80..0xe0 => (first & 0x1f) << 6 | low_six()?,
            _ => (first & 0xf) << 12 | low_six()? << 6 | low_six()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(string(JavaStr::new(bytes).unwrap()), expected);
    }

    #[test]
    fn strings_show_every_unit() {
        check(b"plain", r#""plain""#);
        check(b"\"\\\n\t", r#""\"\\\n\t""#);
        check(b"a\xc0\x80b", r#""a\u0000b""#);
        check(b"\xed\xa0\xbd\xed\xb8\x80", "\"\u{1f600}\"");
        check(b"\xed\xa0\xbd", r#""\ud83d""#);
        check("é€\u{202e}".as_bytes(), "\"é€\\u202e\"");
    }

    #[test]
    fn numbers_and_characters_are_java() {
        assert_eq!([float(1.5), float(f32::NAN)], ["1.5f", "Float.NaN"]);
        assert_eq!([double(1e300), double(f64::NEG_INFINITY)], ["1e300", "Double.NEGATIVE_INFINITY"]);
        assert_eq!(
            [character(65), character(39), character(0), character(0xd800)],
            ["'A'", "'\\''", "'\\u0000'", "'\\ud800'"]
        );
    }
}

//! Text as class files hold it: modified UTF-8.
//!
//! It differs from UTF-8 in two ways: NUL is two bytes, and characters beyond the basic plane are two
//! surrogates of three bytes each. A surrogate may also stand alone, so not every text is a Rust string.

use std::borrow::Cow;
use std::fmt;

/// A text in modified UTF-8, borrowed from a class file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JavaStr<'a>(&'a [u8]);

impl<'a> JavaStr<'a> {
    /// The text, if the bytes are modified UTF-8.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        (is_plain_ascii(bytes) || is_modified_utf8(bytes)).then_some(JavaStr(bytes))
    }

    /// The text, if the bytes are what class files before Java 1.4 may hold: characters need not be in their
    /// shortest form.
    pub fn new_lenient(bytes: &'a [u8]) -> Option<Self> {
        (JavaStr::new(bytes).is_some() || is_lenient_utf8(bytes)).then_some(JavaStr(bytes))
    }

    /// Bytes that were checked before.
    pub(crate) fn checked(bytes: &'a [u8]) -> Self {
        JavaStr(bytes)
    }

    /// The bytes in modified UTF-8.
    pub fn as_bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text as a Rust string; a surrogate that stands alone becomes U+FFFD.
    pub fn to_str(self) -> Cow<'a, str> {
        match std::str::from_utf8(self.0) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(char::decode_utf16(utf16(self.0)).map(|c| c.unwrap_or('\u{fffd}')).collect()),
        }
    }
}

impl fmt::Display for JavaStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_str())
    }
}

impl fmt::Debug for JavaStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_str())
    }
}

impl PartialEq<str> for JavaStr<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == &*encode(other)
    }
}

impl PartialEq<&str> for JavaStr<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

/// A Rust string in modified UTF-8; borrowed where both encodings agree.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|b| b != 0 && b < 0xf0) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len() + text.len() / 2);
    for unit in text.encode_utf16() {
        match unit {
            1..=0x7f => bytes.push(unit as u8),
            0 | 0x80..=0x7ff => bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 0x3f) as u8]),
            _ => bytes.extend([0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]),
        }
    }
    Cow::Owned(bytes)
}

/// Whether all bytes are from 1 to 127, as in nearly all texts; looks at eight at a time.
fn is_plain_ascii(bytes: &[u8]) -> bool {
    let plain = |eight: &[u8; 8]| {
        let eight = u64::from_le_bytes(*eight);
        // Taking one from a zero byte sets its highest bit, too.
        (eight | eight.wrapping_sub(0x0101_0101_0101_0101)) & 0x8080_8080_8080_8080 == 0
    };
    match bytes.last_chunk() {
        Some(last) => bytes.as_chunks().0.iter().all(plain) && plain(last),
        None => bytes.iter().all(|b| matches!(b, 1..=0x7f)),
    }
}

/// Each character must be in its shortest form, but for NUL: else two texts that differ could be the same
/// string. (The virtual machine refuses other forms, too, in class files since Java 1.4.)
fn is_modified_utf8(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [1..=0x7f, rest @ ..] => rest,
            [0xc0, 0x80, rest @ ..] | [0xc2..=0xdf, 0x80..=0xbf, rest @ ..] => rest,
            [0xe0, 0xa0..=0xbf, 0x80..=0xbf, rest @ ..] => rest,
            [0xe1..=0xef, 0x80..=0xbf, 0x80..=0xbf, rest @ ..] => rest,
            _ => return false,
        }
    }
}

fn is_lenient_utf8(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [1..=0x7f, rest @ ..] => rest,
            [0xc0..=0xdf, 0x80..=0xbf, rest @ ..] => rest,
            [0xe0..=0xef, 0x80..=0xbf, 0x80..=0xbf, rest @ ..] => rest,
            _ => return false,
        }
    }
}

/// The UTF-16 units of checked bytes.
fn utf16(mut bytes: &[u8]) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let (unit, rest) = match *bytes {
            [a, ref rest @ ..] if a < 0x80 => (a as u16, rest),
            [a, b, ref rest @ ..] if a < 0xe0 => ((a as u16 & 0x1f) << 6 | b as u16 & 0x3f, rest),
            [a, b, c, ref rest @ ..] => ((a as u16 & 0xf) << 12 | (b as u16 & 0x3f) << 6 | c as u16 & 0x3f, rest),
            _ => return None,
        };
        bytes = rest;
        Some(unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, bytes: &[u8]) {
        assert_eq!(*encode(text), *bytes);
        let decoded = JavaStr::new(bytes).unwrap();
        assert_eq!(decoded.to_str(), text);
        assert_eq!(decoded, text);
    }

    #[test]
    fn text_survives_both_ways() {
        check("", b"");
        check("Vector", b"Vector");
        check("a\0b", b"a\xc0\x80b");
        check("é€", "é€".as_bytes());
        check("𝄞", b"\xed\xa0\xb4\xed\xb4\x9e");
    }

    #[test]
    fn a_lone_surrogate_is_text_but_not_a_rust_string() {
        assert_eq!(JavaStr::new(b"\xed\xa0\xb4").unwrap().to_str(), "\u{fffd}");
    }

    #[test]
    fn long_forms_are_for_old_class_files_only() {
        assert_eq!(JavaStr::new(b"\xc1\x81"), None);
        assert_eq!(JavaStr::new_lenient(b"\xc1\x81").unwrap().to_str(), "A");
        assert_eq!(JavaStr::new_lenient(b"\xc1"), None);
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [
            &b"\0"[..],
            b"\xc0",
            b"\x80",
            b"\xe2\x82",
            b"\xf0\x9d\x84\x9e",
            b"\xff",
            b"\xc0\xbb",
            b"\xc1\x80",
            b"\xe0\x80\x80",
            b"twelve bytes\0",
            b"\0twelve bytes",
        ] {
            assert_eq!(JavaStr::new(bytes), None, "{bytes:x?}");
        }
    }
}

//! Values that are written down: small numbers, short texts, and those that the class under test itself mentions. Where it mentions a
//! pattern of dates or times, there is a text of that pattern, too ([`dated`]): what is parsed by it gets somewhere.

use testcase::Argument;

use crate::rng::Rng;

/// Literals to choose from.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    strings: Vec<String>,
    /// Texts of the patterns among them.
    dates: Vec<String>,
    numbers: Vec<i64>,
}

/// Longer texts make long executions; what they can show, shorter ones show too.
const LONGEST: usize = 40;
/// Numbers with a fraction: between any two that are usual there is another, and one beyond.
const REAL: [f32; 10] = [0.0, 0.0, 1.0, 1.0, 0.5, 0.25, 2.0, 10.0, -1.0, -0.5];
/// One number in so many is the largest or smallest that there is.
const EXTREME: usize = 16;
/// Texts of the class itself that are kept.
const MOST: usize = 40;

impl Literals {
    /// With the constants of classes under test.
    pub fn new<'s>(strings: impl Iterator<Item = &'s String>, numbers: impl Iterator<Item = i64>) -> Literals {
        let mut strings: Vec<String> = strings.filter(|text| is_short(text)).cloned().collect();
        strings.sort();
        strings.dedup();
        let mut dates: Vec<String> = strings.iter().filter_map(|text| dated(text)).collect();
        dates.dedup();
        strings.truncate(MOST);
        let mut numbers: Vec<i64> = numbers.collect();
        numbers.sort();
        numbers.dedup();
        Literals { strings, dates, numbers }
    }

    /// A text.
    pub fn string(&self, rng: &mut Rng) -> String {
        const USUAL: [&str; 5] = ["a", "b", "ab", "", "1"];
        // What the class expects is seldom hit upon by chance.
        if !self.dates.is_empty() && rng.one_in(3) {
            return rng.pick(&self.dates).cloned().unwrap_or_default();
        }
        match self.strings.is_empty() || !rng.one_in(3) {
            true => USUAL[rng.below(USUAL.len())].to_owned(),
            false => rng.pick(&self.strings).cloned().unwrap_or_default(),
        }
    }

    /// A value of a primitive type, by its letter.
    pub fn primitive(&self, letter: char, rng: &mut Rng) -> Argument {
        let number = self.number(rng);
        match letter {
            'Z' => Argument::Boolean(rng.one_in(2)),
            'B' => Argument::Byte(number as i8),
            'C' => Argument::Char(b"abAB01 \n"[rng.below(8)].into()),
            'S' => Argument::Short(number as i16),
            'I' => Argument::Int(number as i32),
            'J' => Argument::Long(number),
            'F' => Argument::Float(REAL[rng.below(REAL.len())]),
            _ => Argument::Double(REAL[rng.below(REAL.len())].into()),
        }
    }

    /// The same, and now and then the largest or smallest there is.
    pub fn any_primitive(&self, letter: char, rng: &mut Rng) -> Argument {
        let extreme = rng.one_in(EXTREME).then(|| extreme(letter, rng.one_in(2))).flatten();
        extreme.unwrap_or_else(|| self.primitive(letter, rng))
    }

    fn number(&self, rng: &mut Rng) -> i64 {
        const USUAL: [i64; 10] = [0, 0, 0, 1, 1, 1, 2, 2, 3, -1];
        match self.numbers.is_empty() || !rng.one_in(6) {
            true => USUAL[rng.below(USUAL.len())],
            false => rng.pick(&self.numbers).copied().unwrap_or_default(),
        }
    }
}

/// One of the texts that a class mentions which makes an object: what it accepts is often among them.
pub fn of_maker<'s>(strings: &'s [String], rng: &mut Rng) -> Option<&'s String> {
    let short: Vec<&String> = strings.iter().filter(|text| is_short(text)).collect();
    rng.pick(&short).copied()
}

fn is_short(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && !text.contains('\0')
}

/// Whether a number is none that a loop would take long to count to.
pub fn is_small(literal: &Argument) -> bool {
    const LARGEST: i64 = 1 << 10;
    let number = match literal {
        Argument::Int(number) => i64::from(*number),
        Argument::Long(number) => *number,
        _ => 0,
    };
    (-LARGEST..=LARGEST).contains(&number)
}

/// The largest or smallest number of a type, which has no neighbour beyond it: sums overflow there.
fn extreme(letter: char, is_largest: bool) -> Option<Argument> {
    Some(match (letter, is_largest) {
        ('B', true) => Argument::Byte(i8::MAX),
        ('B', false) => Argument::Byte(i8::MIN),
        ('S', true) => Argument::Short(i16::MAX),
        ('S', false) => Argument::Short(i16::MIN),
        ('I', true) => Argument::Int(i32::MAX),
        ('I', false) => Argument::Int(i32::MIN),
        ('J', true) => Argument::Long(i64::MAX),
        ('J', false) => Argument::Long(i64::MIN),
        _ => return None,
    })
}

/// A text of a pattern as `SimpleDateFormat` and `DateTimeFormatter` have them; None for what is no such pattern. The day is a
/// Saturday.
fn dated(pattern: &str) -> Option<String> {
    let is_date = pattern.contains("yy") && pattern.contains("MM");
    let is_time = pattern.to_lowercase().contains("hh") && pattern.contains("mm");
    if !is_date && !is_time {
        return None;
    }
    let (mut text, mut is_quoted) = (String::new(), false);
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let length = rest.chars().take_while(|other| *other == letter).count();
        if letter == '\'' || is_quoted {
            // What is quoted stands for itself, and two quotes for one.
            let is_escaped = letter == '\'' && length > 1;
            match letter {
                '\'' if !is_escaped => is_quoted = !is_quoted,
                letter => text.push(letter),
            }
            rest = &rest[if is_escaped { 2 } else { letter.len_utf8() }..];
            continue;
        }
        text += match (letter, length) {
            ('y' | 'u' | 'Y', 2) => "01",
            ('y' | 'u' | 'Y', _) => "2001",
            ('M' | 'L', 4..) => "February",
            ('M' | 'L', 3) => "Feb",
            ('M' | 'L', _) => "02",
            ('d', _) => "03",
            ('E', 4..) => "Saturday",
            ('E', _) => "Sat",
            ('H' | 'h' | 'k' | 'K', _) => "04",
            ('m', _) => "05",
            ('s', _) => "06",
            ('S', _) => "007",
            ('a', _) => "AM",
            ('G', _) => "AD",
            ('z', _) => "GMT",
            ('Z', _) => "+0000",
            ('X', _) => "Z",
            _ if letter.is_ascii_alphabetic() => return None,
            _ => &rest[..length * letter.len_utf8()],
        };
        rest = &rest[length * letter.len_utf8()..];
    }
    (!is_quoted).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_dates_and_times_have_texts() {
        assert_eq!(dated("yyyy-MM-dd").as_deref(), Some("2001-02-03"));
        assert_eq!(dated("EEE, d MMM yy").as_deref(), Some("Sat, 03 Feb 01"));
        assert_eq!(dated("yyyy-MM-dd'T'HH:mm:ss.SSSZ").as_deref(), Some("2001-02-03T04:05:06.007+0000"));
        assert_eq!(dated("hh 'o''clock', mm").as_deref(), Some("04 o'clock, 05"));
        for other in ["", "MMXXVI", "yummy", "comma", "shhh, mum", "yy MM 'open"] {
            assert_eq!(dated(other), None, "{other}");
        }
    }

    #[test]
    fn some_numbers_are_the_largest_there_are_and_most_are_small() {
        let (literals, mut rng) = (Literals::default(), Rng::new(1));
        let drawn: Vec<Argument> = (0..400).map(|_| literals.any_primitive('I', &mut rng)).collect();
        let count = |wanted: Argument| drawn.iter().filter(|argument| **argument == wanted).count();
        assert!(count(Argument::Int(i32::MAX)) > 3 && count(Argument::Int(i32::MIN)) > 3, "{drawn:?}");
        assert!(count(Argument::Int(i32::MAX)) + count(Argument::Int(i32::MIN)) < 60, "{drawn:?}");
    }

    #[test]
    fn a_pattern_in_the_class_brings_its_text() {
        let strings = ["yyyy-MM-dd".to_owned()];
        let literals = Literals::new(strings.iter(), std::iter::empty());
        let mut rng = Rng::new(1);
        let drawn: Vec<String> = (0..40).map(|_| literals.string(&mut rng)).collect();
        assert!(drawn.iter().filter(|text| *text == "2001-02-03").count() > 5, "{drawn:?}");
    }
}

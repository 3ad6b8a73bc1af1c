//! Values that are written down: small numbers, short texts, and those that the class under test itself mentions.

use testcase::Argument;

use crate::rng::Rng;

/// Literals to choose from.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    strings: Vec<String>,
    numbers: Vec<i64>,
}

/// Longer texts, and larger numbers, make long executions; what they can show, shorter ones show too.
const LONGEST: usize = 40;
const LARGEST: u64 = 100;
/// Texts of the class itself that are kept.
const MOST: usize = 40;

impl Literals {
    /// With the constants of classes under test.
    pub fn new<'s>(strings: impl Iterator<Item = &'s String>, numbers: impl Iterator<Item = i64>) -> Literals {
        let mut strings: Vec<String> =
            strings.filter(|text| !text.is_empty() && text.len() <= LONGEST && !text.contains('\0')).cloned().collect();
        strings.sort();
        strings.dedup();
        strings.truncate(MOST);
        let mut numbers: Vec<i64> = numbers.filter(|number| number.unsigned_abs() <= LARGEST).collect();
        numbers.sort();
        numbers.dedup();
        Literals { strings, numbers }
    }

    /// A text.
    pub fn string(&self, rng: &mut Rng) -> String {
        const USUAL: [&str; 5] = ["a", "b", "ab", "", "1"];
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
            'F' => Argument::Float([0.0, 1.0, 0.5, 2.0, -1.0][rng.below(5)]),
            _ => Argument::Double([0.0, 1.0, 0.5, 2.0, -1.0][rng.below(5)]),
        }
    }

    fn number(&self, rng: &mut Rng) -> i64 {
        const USUAL: [i64; 10] = [0, 0, 0, 1, 1, 1, 2, 2, 3, -1];
        match self.numbers.is_empty() || !rng.one_in(6) {
            true => USUAL[rng.below(USUAL.len())],
            false => rng.pick(&self.numbers).copied().unwrap_or_default(),
        }
    }
}

//! A hash of names and tests. Many are needed for each test, and nobody chooses what they are of to make two the same.

use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Hashes eight bytes at a time: each is multiplied, and both halves of the product count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mix(u64);

/// For maps with it.
pub type ByMix = BuildHasherDefault<Mix>;

/// Odd and without a pattern: the beginnings of the fractions of the golden ratio and of pi.
const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0x243f_6a88_85a3_08d3;

/// The hash of something.
pub fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut mix = Mix::default();
    of.hash(&mut mix);
    mix.finish()
}

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(last));
        }
        self.write_u64(bytes.len() as u64);
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value ^ SECOND) * u128::from(FIRST);
        // A product of nothing would forget all that came before.
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.0.rotate_left(23));
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_that_differ_a_little_have_hashes_that_differ_everywhere() {
        let mut found = HashSet::new();
        let mut low = HashSet::new();
        for class in 0..100 {
            for parameter in 0..1000_usize {
                let name = hash(&(format!("a/library/Class{class}"), "method", "(I)V", parameter));
                found.insert(name);
                low.insert(name % (1 << 20));
            }
        }
        assert_eq!(found.len(), 100_000);
        // Of 100,000 in 1,048,576 places by chance about 95,400 have different ones.
        assert!((94_500..96_500).contains(&low.len()), "{}", low.len());
        assert_ne!(hash(&("ab", "c")), hash(&("a", "bc")));
        assert_ne!(hash(&"\0"), hash(&""));
    }
}

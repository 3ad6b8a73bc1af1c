//! Names as numbers: each text is kept once, and compared and hashed as a number.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use classfile::JavaStr;

/// A name: of a class as class files write it (`java/util/Map$Entry`, `[I`), of a member, or a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sym(pub u32);

/// All names that were met.
#[derive(Debug, Default)]
pub struct Names {
    numbers: Map<Rc<str>, Sym>,
    texts: Vec<Rc<str>>,
}

impl Names {
    /// The number of a name.
    pub fn get(&mut self, text: &str) -> Sym {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let sym = Sym(u32::try_from(self.texts.len()).expect("internal bug: fewer names than bytes of memory"));
        let text: Rc<str> = text.into();
        self.numbers.insert(text.clone(), sym);
        self.texts.push(text);
        sym
    }

    /// The number of a name as a class file has it.
    pub fn java(&mut self, text: JavaStr<'_>) -> Sym {
        self.get(&text.to_str())
    }

    /// The text of a name.
    pub fn text(&self, sym: Sym) -> &Rc<str> {
        &self.texts[sym.0 as usize]
    }
}

/// A hash map for small keys that nobody chooses to do harm: the analysis looks up numbers all the time.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;
/// A hash set likewise.
pub type Set<K> = std::collections::HashSet<K, BuildHasherDefault<Mixer>>;

/// Multiplies and rotates: far cheaper than the standard hash, and good enough for numbers and short texts.
#[derive(Debug, Default)]
pub struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        // The upper bits are the mixed ones, and tables use the lower.
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        eights.iter().for_each(|eight| self.mix(u64::from_le_bytes(*eight)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ (rest.len() as u64) << 56);
    }

    fn write_u8(&mut self, n: u8) {
        self.mix(n.into());
    }

    fn write_u16(&mut self, n: u16) {
        self.mix(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.mix(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }
}

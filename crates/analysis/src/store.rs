//! Keeps the bytes of classes where they stay, so that parsed classes can borrow from them.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

/// Room for some classes.
type Bucket = Box<[OnceCell<Vec<u8>>]>;

/// The bytes of classes that came out of archives. It only grows, so what was lent stays where it is; a
/// JDK's image lends its own bytes and needs no room here.
#[derive(Debug, Default)]
pub struct ByteStore {
    /// Bucket `n` has room for `2^n` classes. A bucket is made when the one before is full.
    buckets: [OnceCell<Bucket>; 32],
    count: Cell<usize>,
}

impl ByteStore {
    /// A store with nothing in it.
    pub fn new() -> ByteStore {
        ByteStore::default()
    }

    /// Keeps bytes that are not kept elsewhere.
    pub(crate) fn keep<'s>(&'s self, bytes: Cow<'s, [u8]>) -> &'s [u8] {
        let bytes = match bytes {
            Cow::Borrowed(bytes) => return bytes,
            Cow::Owned(bytes) => bytes,
        };
        let number = self.count.get() + 1;
        self.count.set(number);
        let bucket = number.ilog2() as usize;
        let slots = self.buckets[bucket].get_or_init(|| (0..1 << bucket).map(|_| OnceCell::new()).collect());
        slots[number - (1 << bucket)].get_or_init(|| bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_stays() {
        let store = ByteStore::new();
        let kept: Vec<&[u8]> = (0..100_u8).map(|n| store.keep(Cow::Owned(vec![n; 3]))).collect();
        assert!(kept.iter().zip(0..).all(|(bytes, n)| **bytes == [n; 3]));
    }
}

//! Random numbers that are the same everywhere for the same seed.

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below a limit, which must not be 0. The bias is below 2^-32 for limits below 2^32.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((self.next() as u128 * limit as u128) >> 64) as u64
    }

    /// A generator of its own, for one execution.
    pub fn fork(&mut self) -> Rng {
        Rng(self.next())
    }
}

//! Chance that is the same for the same seed: SplitMix64.

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below a limit; 0 if the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((self.next() as u128 * limit as u128) >> 64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// True with this probability.
    pub fn chance(&mut self, share: f64) -> bool {
        self.share() < share
    }

    /// Any share, from 0 up to 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of these; None if there are none.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> Option<&'t T> {
        of.get(self.below(of.len()))
    }

    /// The number of one of these, as likely as its weight says; None if all weigh nothing.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let mut left = (self.next() >> 11) as f64 / (1u64 << 53) as f64 * total;
        for (number, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 && *weight > 0.0 {
                return Some(number);
            }
        }
        weights.iter().rposition(|weight| *weight > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_decide_how_often_something_is_chosen() {
        let mut rng = Rng::new(7);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[rng.weighted(&[1.0, 0.0, 3.0]).unwrap()] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((2_200..2_800).contains(&counts[0]), "{counts:?}");
        assert_eq!(rng.weighted(&[]), None);
        assert_eq!(rng.weighted(&[0.0]), None);
    }

    #[test]
    fn the_same_seed_gives_the_same() {
        let numbers = |seed| {
            let mut rng = Rng::new(seed);
            (0..20).map(|_| rng.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(numbers(3), numbers(3));
        assert_ne!(numbers(3), numbers(4));
    }
}

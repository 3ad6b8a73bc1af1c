//! What tests of a method cost.
//!
//! A class may have a method that writes down all that it holds, or waits for a minute. Its tests take a hundred times as
//! long as others and would have as many turns. So each execution is charged to the methods that it ran beside each other,
//! and those that cost far more than others of the class wait for their turns.

/// Mean costs of the methods of a class.
#[derive(Debug)]
pub struct Prices {
    /// Of each method: the cost of all its tests, and how many there were.
    of: Vec<(u64, u64)>,
}

/// A method is dear if it costs more than this many times what the method in the middle does.
const DEAR: u64 = 10;
/// And no less than this many events for an execution.
const LEAST_DEAR: u64 = 20_000;
/// Nothing is said of a method with fewer tests.
const LEAST_TESTS: u64 = 2;

impl Prices {
    /// For so many methods.
    pub fn new(methods: usize) -> Prices {
        Prices { of: vec![(0, 0); methods] }
    }

    /// An execution of a test of these methods has cost so many events.
    pub fn note(&mut self, methods: &[usize], cost: u64) {
        for &method in methods {
            let (sum, tests) = &mut self.of[method];
            *sum = sum.saturating_add(cost);
            *tests += 1;
        }
    }

    /// Whether each method is dear.
    pub fn dear(&self) -> Vec<bool> {
        let mean = |&(sum, tests): &(u64, u64)| sum / tests;
        let mut means: Vec<u64> = self.of.iter().filter(|(_, tests)| *tests > 0).map(mean).collect();
        means.sort_unstable();
        let middle = means.get(means.len() / 2).copied().unwrap_or_default();
        let least = LEAST_DEAR.max(DEAR.saturating_mul(middle));
        self.of.iter().map(|of| of.1 >= LEAST_TESTS && mean(of) > least).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_far_more_than_others_is_dear() {
        let mut prices = Prices::new(5);
        for (method, cost) in [(0, 500), (1, 800), (2, 900_000), (3, 15_000)] {
            (0..3).for_each(|_| prices.note(&[method], cost));
        }
        prices.note(&[4], 900_000);
        assert_eq!(prices.dear(), [false, false, true, false, false], "of the last too little is known");
    }

    #[test]
    fn where_all_cost_as_much_none_is_dear() {
        let mut prices = Prices::new(3);
        (0..3).for_each(|_| prices.note(&[0, 1, 2], 900_000));
        assert_eq!(prices.dear(), [false; 3]);
    }
}

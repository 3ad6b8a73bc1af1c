//! Linearizations: all merges of the suffixes of a test case.
//!
//! Two serial orders of whole threads are not enough: what the second call of one thread shows may need the first call of
//! the other before it and the second after it.

use testcase::{Argument, TestCase};

/// A test case with more linearizations than this is not judged: running all of them takes longer than exploring it.
pub const MOST: u64 = 2_000;

/// The linearizations of a test case, in the lexicographic order of the threads' numbers. Of those beyond [`MOST`] none is
/// given; [`Linearizations::are_all`] says whether there are any.
pub fn linearizations(test: &TestCase) -> Linearizations {
    let lengths: Vec<usize> = test.suffixes.iter().map(Vec::len).collect();
    let first = lengths.iter().enumerate().flat_map(|(suffix, &calls)| std::iter::repeat_n(suffix, calls)).collect();
    Linearizations { next: Some(first), total: count(&lengths), given: 0 }
}

/// An iterator over linearizations.
#[derive(Clone, Debug)]
pub struct Linearizations {
    next: Option<Vec<usize>>,
    total: u64,
    given: u64,
}

impl Linearizations {
    /// How many there are in all; the largest number if there are more than it can say.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether all that there are will be given.
    pub fn are_all(&self) -> bool {
        self.total <= MOST
    }
}

impl Iterator for Linearizations {
    type Item = Linearization;

    fn next(&mut self) -> Option<Linearization> {
        if self.given >= MOST {
            return None;
        }
        let order = self.next.take()?;
        self.given += 1;
        let mut after = order.clone();
        self.next = advance(&mut after).then_some(after);
        Some(Linearization { order })
    }
}

/// One order of all calls that keeps the order of each thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linearization {
    order: Vec<usize>,
}

impl Linearization {
    /// The number of the suffix that each call is of.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The calls one after the other, each as its suffix and its number in that.
    pub fn calls(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut done = vec![0; self.order.iter().max().map_or(0, |most| most + 1)];
        self.order.iter().map(move |&suffix| {
            done[suffix] += 1;
            (suffix, done[suffix] - 1)
        })
    }

    /// The test case with all its calls in one thread. Values that calls of suffixes gave have the numbers that they have
    /// there.
    ///
    /// # Panics
    /// If it is not a linearization of this test case.
    pub fn test_case(&self, test: &TestCase) -> TestCase {
        let first = test.prefix.len();
        let mut numbers: Vec<Vec<usize>> = vec![Vec::new(); test.suffixes.len()];
        let merged = self.calls().enumerate().map(|(place, (suffix, call))| {
            let own = &mut numbers[suffix];
            own.push(first + place);
            let mut call = test.suffixes[suffix][call].clone();
            call.renumber(&|value| match value.checked_sub(first) {
                None => value,
                Some(of_own) => own[of_own],
            });
            call
        });
        let merged = vec![merged.collect()];
        let mut probes = test.probes.clone();
        let place = |suffix: usize, call: usize| self.calls().position(|it| it == (suffix, call));
        for probe in &mut probes {
            let is_there = probe
                .change_returned(&|suffix, call| Some(Argument::Returned { suffix: 0, call: place(suffix, call)? }));
            assert!(is_there, "a linearization of another test case");
        }
        TestCase { prefix: test.prefix.clone(), suffixes: merged, probes }
    }

    /// Gives the suffixes back what came of their calls, in the order of this linearization; the list may end early.
    pub fn split<T>(&self, ended: impl IntoIterator<Item = T>, suffixes: usize) -> Vec<Vec<T>> {
        let mut split: Vec<Vec<T>> = (0..suffixes).map(|_| Vec::new()).collect();
        for (&suffix, ended) in self.order.iter().zip(ended) {
            split[suffix].push(ended);
        }
        split
    }
}

/// How many merges there are of lists that are so long.
fn count(lengths: &[usize]) -> u64 {
    let mut total: u128 = 1;
    let mut placed: u128 = 0;
    for &length in lengths {
        for chosen in 1..=length as u128 {
            placed += 1;
            // Always a whole number: so many ways to put `chosen` calls among `placed`.
            total = match total.checked_mul(placed) {
                Some(product) => product / chosen,
                None => return u64::MAX,
            };
        }
    }
    u64::try_from(total).unwrap_or(u64::MAX)
}

/// The next order of the same numbers. Says whether there is one.
fn advance(order: &mut [usize]) -> bool {
    let Some(fall) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let swap = order.iter().rposition(|&other| other > order[fall]).expect("internal bug: the next is greater");
    order.swap(fall, swap);
    order[fall + 1..].reverse();
    true
}

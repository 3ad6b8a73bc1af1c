//! Sets of threads: one word as long as all of them have small numbers.

/// Upper bound on the threads of an execution, the first one included.
pub const MAX_THREADS: usize = 1024;

const WORD: usize = u64::BITS as usize;
/// Words for the threads that do not fit into the first.
const HIGH: usize = MAX_THREADS / WORD - 1;

/// A set of threads, by their numbers below [`MAX_THREADS`].
///
/// The first 64 threads are bits of one word, and most executions have no others. Memory for all others is allocated when the
/// first of them is added.
#[derive(Clone, Debug, Default)]
pub struct ThreadSet {
    low: u64,
    high: Option<Box<[u64; HIGH]>>,
}

impl ThreadSet {
    /// The set of one thread.
    pub fn of(thread: usize) -> ThreadSet {
        let mut set = ThreadSet::default();
        set.insert(thread);
        set
    }

    /// Adds a thread.
    #[inline]
    pub fn insert(&mut self, thread: usize) {
        if thread < WORD {
            self.low |= 1 << thread;
        } else {
            self.high.get_or_insert_default()[thread / WORD - 1] |= 1 << (thread % WORD);
        }
    }

    /// Takes a thread out, and says whether it was in.
    #[inline]
    pub fn remove(&mut self, thread: usize) -> bool {
        let is_in = self.contains(thread);
        if thread < WORD {
            self.low &= !(1 << thread);
        } else if let Some(high) = self.high.as_mut().filter(|_| is_in) {
            high[thread / WORD - 1] &= !(1 << (thread % WORD));
        }
        is_in
    }

    /// Whether a thread is in.
    #[inline]
    pub fn contains(&self, thread: usize) -> bool {
        if thread < WORD {
            return self.low & 1 << thread != 0;
        }
        let word = self.high.as_ref().and_then(|high| high.get(thread / WORD - 1));
        word.is_some_and(|word| word & 1 << (thread % WORD) != 0)
    }

    /// Whether no thread is in.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.as_ref().is_none_or(|high| high.iter().all(|&word| word == 0))
    }

    /// Number of threads that are in.
    pub fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Takes all threads out.
    pub fn clear(&mut self) {
        *self = ThreadSet::default();
    }

    /// Adds all threads of another set.
    pub fn extend(&mut self, other: &ThreadSet) {
        self.low |= other.low;
        if let Some(theirs) = &other.high {
            let own = self.high.get_or_insert_default();
            own.iter_mut().zip(theirs.iter()).for_each(|(own, theirs)| *own |= theirs);
        }
    }

    /// The threads that are in, in ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let (mut word, mut place) = (self.low, 0);
        std::iter::from_fn(move || {
            while word == 0 {
                word = *self.high.as_ref()?.get(place)?;
                place += 1;
            }
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            Some(place * WORD + bit)
        })
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.high.iter().flat_map(|high| high.iter().copied()))
    }
}

impl FromIterator<usize> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = usize>>(threads: I) -> ThreadSet {
        let mut set = ThreadSet::default();
        threads.into_iter().for_each(|thread| set.insert(thread));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_THREADS, ThreadSet};

    #[test]
    fn all_threads_up_to_the_limit_go_in_and_out() {
        let edges = [0, 1, 63, 64, 65, 127, 128, MAX_THREADS - 1];
        let mut set = ThreadSet::default();
        for (count, &thread) in edges.iter().enumerate() {
            assert!(!set.contains(thread) && set.len() == count);
            set.insert(thread);
            assert!(set.contains(thread));
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), edges);
        assert!(!set.contains(MAX_THREADS) && !set.remove(2));
        for &thread in &edges {
            assert!(set.remove(thread) && !set.contains(thread));
        }
        assert!(set.is_empty() && set.iter().next().is_none());
    }

    #[test]
    fn sets_are_joined_whether_or_not_they_have_large_numbers() {
        let (small, large) = (ThreadSet::of(3), ThreadSet::of(900));
        let mut both = small.clone();
        both.extend(&large);
        assert_eq!(both.iter().collect::<Vec<_>>(), [3, 900]);
        let mut both = large.clone();
        both.extend(&small);
        assert_eq!(both.iter().collect::<Vec<_>>(), [3, 900]);
        both.clear();
        assert!(both.is_empty());
    }
}

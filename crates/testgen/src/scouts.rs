//! What long rows of calls in one thread have reached, and how tests get there again.
//!
//! AutoConTest guides the writing of tests by what sequences cover in one thread. Here a scout is one sequence,
//! mostly of few methods, so that something grows; the worker says which call of it was at which place. A test then
//! begins with the calls before, and makes that call beside another.

use std::collections::HashMap;
use std::rc::Rc;

use crate::draft::{Draft, Place};
use crate::rng::Rng;

/// What is known from scouts.
#[derive(Debug, Default)]
pub struct Scouts {
    ways: HashMap<u64, Vec<Way>>,
}

/// A sequence that was run.
#[derive(Debug)]
pub struct Scout {
    /// Its calls are the only suffix.
    draft: Draft,
    /// Which of them have returned.
    returned: Vec<bool>,
}

/// How to get to a place.
#[derive(Clone, Debug)]
pub struct Way {
    scout: Rc<Scout>,
    /// The call that was there.
    call: usize,
}

/// So many ways to each place are kept, the shortest.
const MOST_WAYS: usize = 4;

impl Scouts {
    /// A scout has run: which calls were at which places, and which of them have returned.
    pub fn note(&mut self, draft: Draft, hits: &[(usize, u64)], returned: Vec<bool>) {
        let scout = Rc::new(Scout { draft, returned });
        for &(call, place) in hits {
            let ways = self.ways.entry(place).or_default();
            ways.push(Way { scout: scout.clone(), call });
            ways.sort_by_key(|way| way.call);
            ways.truncate(MOST_WAYS);
        }
    }

    /// Whether there is a way to a place.
    pub fn knows(&self, place: u64) -> bool {
        self.ways.contains_key(&place)
    }

    /// A way to a place.
    pub fn way(&self, place: u64, rng: &mut Rng) -> Option<&Way> {
        rng.pick(self.ways.get(&place)?)
    }
}

impl Way {
    /// A test whose first thread makes the call, and that has no other thread yet. If the same scout has been at
    /// the other place, the second thread makes that call, sometimes in the state in which it was made.
    pub fn begin(&self, other: Option<&Way>, rng: &mut Rng) -> Draft {
        let beside = other.filter(|other| Rc::ptr_eq(&other.scout, &self.scout) && other.call != self.call);
        let state = match beside {
            Some(beside) if rng.one_in(2) => beside.call,
            _ => self.call,
        };
        let mut draft = self.scout.draft.clone();
        let calls = std::mem::take(&mut draft.suffixes).into_iter().next().unwrap_or_default();
        let mut numbers = vec![None; calls.len()];
        for call in (0..state).filter(|&call| call != self.call && self.scout.returned.get(call) == Some(&true)) {
            numbers[call] = Some(Place::Prefix(draft.push(calls[call].clone(), None)));
        }
        numbers[self.call] = Some(Place::Suffix(0, 0));
        draft.suffixes.push(vec![calls[self.call].clone()]);
        if let Some(beside) = beside {
            numbers[beside.call] = Some(Place::Suffix(1, 0));
            draft.suffixes.push(vec![calls[beside.call].clone()]);
        }
        let choices = std::mem::take(&mut draft.choices).into_iter().filter_map(|(place, choice)| match place {
            Place::Suffix(_, call) => Some((numbers[call]?, choice)),
            place => Some((place, choice)),
        });
        draft.choices = choices.collect();
        draft
    }
}

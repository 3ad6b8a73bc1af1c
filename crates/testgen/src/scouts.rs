//! What long rows of calls in one thread have reached, and how tests get there again.
//!
//! AutoConTest guides the writing of tests by what sequences cover in one thread. Here a scout is one sequence,
//! mostly of few methods, so that something grows; the worker says which call of it was at which place, and by which
//! path each went. A test then begins with the calls before, and makes that call beside another.
//!
//! A call that goes another way than those of its method before it is a **milestone**: a ring is full, a budget is used
//! up. What two threads break is mostly there, or one call before: both may then believe that they are the last. So
//! tests of both states are written for each milestone.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use testcase::Call;

use crate::draft::{Draft, Place};
use crate::mix;
use crate::rng::Rng;

/// What is known from scouts.
#[derive(Debug, Default)]
pub struct Scouts {
    ways: HashMap<u64, Vec<Way>>,
    milestones: Vec<Milestone>,
    /// The paths of each method that were seen, with the number of the milestone, if one is.
    known: HashMap<u64, Option<usize>>,
}

/// A call that goes another way than those before it.
#[derive(Debug)]
pub struct Milestone {
    /// The method that it calls.
    pub method: usize,
    /// How many tests were written for it.
    pub tried: u32,
    way: Way,
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
/// So many milestones are kept.
const MOST_MILESTONES: usize = 200;
/// So many tests each of them has at least: of its method beside itself and beside others, there and one call before.
pub const TRIES: u32 = 6;

impl Scouts {
    /// A scout has run: which calls were at which places, which of them have returned, and which method each calls,
    /// with the path by which it went.
    pub fn note(
        &mut self,
        draft: Draft,
        hits: &[(usize, u64)],
        returned: Vec<bool>,
        paths: impl Iterator<Item = (Option<usize>, u64)>,
    ) {
        let scout = Rc::new(Scout { draft, returned });
        for &(call, place) in hits {
            let ways = self.ways.entry(place).or_default();
            ways.push(Way { scout: scout.clone(), call });
            ways.sort_by_key(|way| way.call);
            ways.truncate(MOST_WAYS);
        }
        let mut called = HashSet::new();
        for (call, (method, path)) in paths.enumerate() {
            let Some(method) = method else { continue };
            let way = Way { scout: scout.clone(), call };
            // The first call of a method goes its usual way, as in any short test.
            let is_first = called.insert(method);
            match self.known.get(&mix::hash(&(method, path))) {
                Some(Some(known)) => {
                    let milestone = &mut self.milestones[*known];
                    if call < milestone.way.call {
                        milestone.way = way;
                    }
                }
                Some(None) => {}
                None => {
                    let is_milestone = !is_first && self.milestones.len() < MOST_MILESTONES;
                    let number = is_milestone.then_some(self.milestones.len());
                    self.known.insert(mix::hash(&(method, path)), number);
                    self.milestones.extend(is_milestone.then_some(Milestone { method, tried: 0, way }));
                }
            }
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

    /// All milestones that are known, in the order in which they were found.
    pub fn milestones(&self) -> &[Milestone] {
        &self.milestones
    }

    /// A test is written for a milestone.
    pub fn try_milestone(&mut self, number: usize) {
        self.milestones[number].tried += 1;
    }

    /// Whether tests were written for every milestone.
    pub fn is_done(&self) -> bool {
        self.milestones.iter().all(|milestone| milestone.tried >= TRIES)
    }

    /// The state in which a scout was at a milestone, or right after it: something is full, or has grown. Two calls that have nothing
    /// to do with how it came about may need it.
    pub fn state(&self, rng: &mut Rng) -> Option<Draft> {
        let way = &rng.pick(&self.milestones)?.way;
        let mut draft = way.scout.begin(way.call + usize::from(rng.one_in(2)), None).finish();
        // What the subject was given is no longer for the thread that made the scout's calls.
        draft.owners.fill(None);
        Some(draft)
    }

    /// The way to a milestone, or to so many calls before it.
    pub fn before(&self, number: usize, calls: usize) -> Option<Way> {
        let way = &self.milestones.get(number)?.way;
        Some(Way { scout: way.scout.clone(), call: way.call.checked_sub(calls)? })
    }
}

/// The first calls of a scout as a prefix, and what is needed to go on from there.
struct Begun<'s> {
    draft: Draft,
    /// All calls of the scout.
    calls: &'s [Call],
    /// Which call of the test each of them is, if it is one.
    numbers: Vec<Option<Place>>,
}

impl Scout {
    /// The calls before this one that have returned, but for one that is left out, and no threads yet.
    fn begin(&self, before: usize, left_out: Option<usize>) -> Begun<'_> {
        let mut draft = self.draft.clone();
        draft.suffixes.clear();
        let calls = self.draft.suffixes.first().map_or(&[][..], |calls| calls);
        let mut numbers = vec![None; calls.len()];
        for call in (0..before.min(calls.len())).filter(|call| self.returned.get(*call) == Some(&true)) {
            if left_out != Some(call) {
                numbers[call] = Some(Place::Prefix(draft.push(calls[call].clone(), None)));
            }
        }
        Begun { draft, calls, numbers }
    }
}

impl Begun<'_> {
    /// Has a thread make a call of the scout.
    fn put(&mut self, thread: usize, call: usize) {
        self.numbers[call] = Some(Place::Suffix(thread, 0));
        self.draft.put(thread, self.calls[call].clone());
    }

    /// The test, with what was chosen for its calls.
    fn finish(mut self) -> Draft {
        let choices = std::mem::take(&mut self.draft.choices).into_iter().filter_map(|(place, choice)| match place {
            Place::Suffix(_, call) => Some((self.numbers[call]?, choice)),
            place => Some((place, choice)),
        });
        self.draft.choices = choices.collect();
        self.draft
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
        let mut begun = self.scout.begin(state, Some(self.call));
        begun.put(0, self.call);
        if let Some(beside) = beside {
            begun.put(1, beside.call);
        }
        begun.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of calls of method 0 and, where it says so, of method 1.
    fn note(scouts: &mut Scouts, paths: &[(usize, u64)]) {
        let paths: Vec<(Option<usize>, u64)> = paths.iter().map(|&(method, path)| (Some(method), path)).collect();
        scouts.note(Draft::default(), &[], vec![true; paths.len()], paths.into_iter());
    }

    #[test]
    fn a_call_that_goes_another_way_is_a_milestone() {
        let mut scouts = Scouts::default();
        note(&mut scouts, &[(0, 7), (0, 7), (1, 7), (0, 8), (0, 8)]);
        let known: Vec<(usize, usize)> = scouts.milestones().iter().map(|it| (it.method, it.way.call)).collect();
        // The first call of method 1 goes its usual way, and what comes a second time is no news.
        assert_eq!(known, [(0, 3)]);
        assert_eq!(scouts.before(0, 1).map(|way| way.call), Some(2));
        assert!(scouts.before(0, 4).is_none());
    }

    #[test]
    fn of_two_ways_to_a_milestone_the_shorter_is_kept() {
        let mut scouts = Scouts::default();
        note(&mut scouts, &[(0, 7), (0, 7), (0, 7), (0, 8)]);
        note(&mut scouts, &[(0, 7), (0, 8)]);
        assert_eq!(scouts.milestones().len(), 1);
        assert_eq!(scouts.milestones()[0].way.call, 1);
    }

    #[test]
    fn there_are_tests_for_every_milestone_before_the_search_is_over() {
        let mut scouts = Scouts::default();
        assert!(scouts.is_done());
        note(&mut scouts, &[(0, 7), (0, 8)]);
        for _ in 0..TRIES {
            assert!(!scouts.is_done());
            scouts.try_milestone(0);
        }
        assert!(scouts.is_done());
    }
}

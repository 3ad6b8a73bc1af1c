//! Why executions fail: the fewest facts of the form "this before that" which tell failing from passing ones.
//!
//! A fact is about two dependent events of different threads, so equivalent executions agree on it. Events are known
//! by thread, site, kind and by how often the thread did them before, not by object, for objects have other numbers in
//! other executions. Of the facts that hold in every failing execution the smallest set is chosen of which no passing
//! execution has all: exactly, up to three; past that one fact after the other, by what it excludes.
//!
//! Facts that always come together are told by the pair that is closest in the first failing execution. If failing
//! executions have too little in common, the set is chosen for the first alone, and says how many it is true of. What
//! is found separates the executions given; only if these are all there are is it a cause.

use crate::dependency::Footprint;
use crate::execution::Execution;
use crate::timeline::{Timeline, read_back};
use schedule::FastMap;
use schedule::{Event, EventKind, ObjectId, SiteId, ThreadId};

/// An event, in any execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Occurrence {
    /// Who.
    pub thread: ThreadId,
    /// What.
    pub kind: EventKind,
    /// Where in the code.
    pub site: SiteId,
    /// Which part of the object.
    pub slot: u32,
    /// So often did the thread do this before.
    pub earlier: u32,
}

/// One event before another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fact {
    /// This
    pub first: Occurrence,
    /// before that.
    pub second: Occurrence,
}

/// Facts that tell failing executions from passing ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// All of these hold in failing executions; no passing one has them all.
    pub facts: Vec<FactAt>,
    /// In so many of the failing executions all of them hold.
    pub failing: usize,
    /// There is no smaller set.
    pub smallest: bool,
}

/// A fact, and where it is in the first failing execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FactAt {
    /// What holds.
    pub fact: Fact,
    /// On this object, as it is numbered there.
    pub object: ObjectId,
    /// The step of the first event.
    pub first: usize,
    /// The step of the second; the number of steps or more if it never happened, but would have next.
    pub second: usize,
}

/// The smallest set of facts that tells these failing executions from these passing ones. None if there are no
/// executions of one kind, or if no set does.
///
/// Memory is bounded, whatever the executions are like: the facts of the first failing execution are listed, the closest
/// `MAX_FACTS` or so, and every other execution is only asked which of them hold.
pub fn cause(failing: &[Execution<'_>], passing: &[Execution<'_>]) -> Option<Cause> {
    let (first, others) = failing.split_first().filter(|_| !passing.is_empty())?;
    let (facts, has_all) = facts(first);
    let holds_in = |executions: &[Execution<'_>]| -> Vec<Vec<bool>> {
        executions.iter().map(|execution| Happened::of(execution).which_hold(&facts)).collect()
    };
    let (others, passing) = (holds_in(others), holds_in(passing));
    let all: Vec<usize> = (0..facts.len()).collect();
    let common: Vec<usize> = all.iter().copied().filter(|&fact| others.iter().all(|holds| holds[fact])).collect();
    let (chosen, smallest) = separate(&common, &passing).or_else(|| separate(&all, &passing))?;
    let holds = |other: &&Vec<bool>| chosen.iter().all(|&fact| other[fact]);
    let failing = 1 + others.iter().filter(holds).count();
    Some(Cause { failing, facts: chosen.iter().map(|&fact| facts[fact]).collect(), smallest: smallest && has_all })
}

/// Upper bound on the facts that are listed, more or less. Each is looked up in hundreds of executions.
const MAX_FACTS: usize = 20_000;
/// Of an execution with more facts each event is held against so many before it on one resource, if not more fit in.
const MIN_EACH: usize = 4;
/// Upper bound on the pairs of events that are looked at to list all facts.
const MAX_PAIRS: usize = 4_000_000;
/// Where there are more, so many pairs are looked at for each fact that an event may have.
const PAIRS_A_FACT: usize = 16;

/// The facts of an execution that a schedule decides, the closest events first, and whether those are all. Of very many events
/// on one resource each is held against the last few before it.
fn facts(execution: &Execution<'_>) -> (Vec<FactAt>, bool) {
    let timeline = Timeline::of(execution);
    let events = timeline.steps.iter().map(|&(_, event)| event);
    let named = occurrences(execution, events.chain(timeline.pending.iter().map(|&(_, event, _)| event)));
    let all = list_facts(&timeline, &named, None);
    let has_all = all.is_some();
    let each = (MAX_FACTS / named.len().max(1)).max(MIN_EACH);
    let mut facts = all.or_else(|| list_facts(&timeline, &named, Some(each))).unwrap_or_default();
    facts.sort_unstable_by_key(|at| (at.second - at.first, at.first, at.second));
    facts.dedup_by_key(|at| at.fact);
    (facts, has_all)
}

/// Lists facts, so many for each event and resource at most; all if nothing is said, unless those are too many.
fn list_facts(timeline: &Timeline, named: &[(Occurrence, ObjectId)], each: Option<usize>) -> Option<Vec<FactAt>> {
    let steps = timeline.steps.len();
    let (mut facts, mut pairs) = (Vec::new(), 0);
    for (second, &(occurrence, object)) in named.iter().enumerate() {
        let footprint = match second.checked_sub(steps) {
            Some(pending) => &timeline.pending[pending].2,
            None => timeline.order.footprint(second),
        };
        for access in footprint.accesses() {
            let earlier = timeline.order.conflicting(access);
            let before = earlier.partition_point(|&(first, _)| (first as usize) < second.min(steps));
            let looked_at = each.map_or(before, |each| before.min(each * PAIRS_A_FACT));
            let others = earlier[before - looked_at..before].iter().rev().filter(|&&(first, mode)| {
                let first = first as usize;
                mode.conflicts(access.mode)
                    && named[first].0.thread != occurrence.thread
                    && is_decided(timeline, first, second)
            });
            facts.extend(others.take(each.unwrap_or(usize::MAX)).map(|&(first, _)| {
                let fact = Fact { first: named[first as usize].0, second: occurrence };
                FactAt { fact, object, first: first as usize, second }
            }));
            pairs += looked_at;
            if each.is_none() && (facts.len() > MAX_FACTS || pairs > MAX_PAIRS) {
                return None;
            }
        }
    }
    Some(facts)
}

/// What the events of an execution are called, those that have happened first, with the object of each.
fn occurrences(execution: &Execution<'_>, events: impl Iterator<Item = Event>) -> Vec<(Occurrence, ObjectId)> {
    let mut counts: FastMap<(ThreadId, EventKind, SiteId, u32), u32> = FastMap::default();
    let steps = execution.trace.steps.iter().map(|step| step.thread);
    let threads = steps.chain(execution.pending.iter().map(|&(thread, _)| thread));
    let name = |(thread, event): (ThreadId, Event)| {
        // Whether an update fails is a matter of the order.
        let kind = if event.kind == EventKind::FailedUpdate { EventKind::Update } else { event.kind };
        let count = counts.entry((thread, kind, event.site, event.slot)).or_default();
        *count += 1;
        let occurrence = Occurrence { thread, kind, site: event.site, slot: event.slot, earlier: *count - 1 };
        (occurrence, event.object)
    };
    threads.zip(events).map(name).collect()
}

/// Where the events of an execution are in it, and what they touch.
struct Happened {
    at: FastMap<Occurrence, usize>,
    footprints: Vec<Footprint>,
    /// Number of events that have happened; all others are what would have come next.
    steps: usize,
}

impl Happened {
    fn of(execution: &Execution<'_>) -> Happened {
        let steps = execution.trace.steps.len();
        let (mut events, mut footprints) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
        read_back(execution, |event, footprint| {
            events.push(event);
            footprints.push(footprint);
        });
        let named = occurrences(execution, events.into_iter());
        let at = named.into_iter().enumerate().map(|(place, (occurrence, _))| (occurrence, place)).collect();
        Happened { at, footprints, steps }
    }

    fn which_hold(&self, facts: &[FactAt]) -> Vec<bool> {
        facts.iter().map(|at| self.holds(&at.fact)).collect()
    }

    fn holds(&self, fact: &Fact) -> bool {
        let (Some(&first), Some(&second)) = (self.at.get(&fact.first), self.at.get(&fact.second)) else { return false };
        first < second.min(self.steps) && self.footprints[first].conflicts(&self.footprints[second])
    }
}

/// Whether a schedule has decided on the order of the two events, and not that one thread starts or joins another.
fn is_decided(timeline: &Timeline, first: usize, second: usize) -> bool {
    let lives = &timeline.lives;
    let last_before = match second.checked_sub(lives.len()) {
        None => Some(second),
        Some(pending) => lives.last_of(timeline.pending[pending].0),
    };
    last_before.is_none_or(|last| last < first || !lives.happens_before(first, last))
}

/// Upper bounds on the facts that are tried three at a time, and two at a time.
const MAX_IN_TRIPLES: usize = 150;
const MAX_IN_PAIRS: usize = 2_000;

/// The facts of which no passing execution has all, by their numbers, and whether there are no fewer.
fn separate(facts: &[usize], passing: &[Vec<bool>]) -> Option<(Vec<usize>, bool)> {
    let words = passing.len().div_ceil(64);
    // For each fact the passing executions in which it holds. Of facts that hold in the same ones the first will do.
    let mut candidates: Vec<(Vec<u64>, usize)> = Vec::new();
    let mut known: FastMap<Vec<u64>, ()> = FastMap::default();
    for &at in facts {
        let mut holds = vec![0u64; words];
        for (number, passing) in passing.iter().enumerate() {
            holds[number / 64] |= (passing[at] as u64) << (number % 64);
        }
        if known.insert(holds.clone(), ()).is_none() {
            candidates.push((holds, at));
        }
    }
    candidates.sort_by_key(|(holds, _)| holds.iter().map(|word| word.count_ones()).sum::<u32>());
    let all = vec![u64::MAX; words];
    for size in 1..=3 {
        let mut chosen = Vec::new();
        // All pairs and triples of many would take too long; those that hold in few passing executions come first.
        let most = [candidates.len(), MAX_IN_PAIRS, MAX_IN_TRIPLES][size - 1];
        if choose(&candidates[..candidates.len().min(most)], size, &all, &mut chosen) {
            return Some((chosen, size < 3 || candidates.len() <= MAX_IN_PAIRS));
        }
    }
    let (mut left, mut chosen) = (all, Vec::new());
    for word in passing.len()..words * 64 {
        left[word / 64] &= !(1 << (word % 64));
    }
    while left.iter().any(|&word| word != 0) {
        let remains = |holds: &[u64]| holds.iter().zip(&left).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
        let (holds, at) = candidates.iter().min_by_key(|(holds, _)| remains(holds))?;
        if remains(holds) == left.iter().map(|word| word.count_ones()).sum::<u32>() {
            return None;
        }
        left.iter_mut().zip(holds).for_each(|(left, holds)| *left &= holds);
        chosen.push(*at);
    }
    Some((chosen, false))
}

/// Chooses so many candidates that nothing is left of `left`, if some do.
fn choose(candidates: &[(Vec<u64>, usize)], size: usize, left: &[u64], chosen: &mut Vec<usize>) -> bool {
    for (place, (holds, at)) in candidates.iter().enumerate() {
        let remains: Vec<u64> = holds.iter().zip(left).map(|(a, b)| a & b).collect();
        chosen.push(*at);
        let rest = &candidates[place + 1..];
        if remains.iter().all(|&word| word == 0) || size > 1 && choose(rest, size - 1, &remains, chosen) {
            return true;
        }
        chosen.pop();
    }
    false
}

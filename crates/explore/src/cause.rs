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

use crate::execution::Execution;
use crate::timeline::Timeline;
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
pub fn cause(failing: &[Execution<'_>], passing: &[Execution<'_>]) -> Option<Cause> {
    let (first, others) = failing.split_first().filter(|_| !passing.is_empty())?;
    let facts = facts(first, true);
    let others: Vec<_> = others.iter().map(index).collect();
    let passing: Vec<_> = passing.iter().map(index).collect();
    let common: Vec<FactAt> =
        facts.iter().filter(|at| others.iter().all(|other| other.contains_key(&at.fact))).copied().collect();
    let (chosen, smallest) = separate(&common, &passing).or_else(|| separate(&facts, &passing))?;
    let holds = |other: &&FastMap<Fact, ()>| chosen.iter().all(|at| other.contains_key(&at.fact));
    Some(Cause { failing: 1 + others.iter().filter(holds).count(), facts: chosen, smallest })
}

/// All facts of an execution, the closest events first.
///
/// With `decided`, only those that a schedule decides.
fn facts(execution: &Execution<'_>, decided: bool) -> Vec<FactAt> {
    let timeline = Timeline::of(execution);
    let mut counts: FastMap<(ThreadId, EventKind, SiteId, u32), u32> = FastMap::default();
    let mut name = |thread: ThreadId, event: Event| {
        // Whether an update fails is a matter of the order.
        let kind = if event.kind == EventKind::FailedUpdate { EventKind::Update } else { event.kind };
        let count = counts.entry((thread, kind, event.site, event.slot)).or_default();
        *count += 1;
        Occurrence { thread, kind, site: event.site, slot: event.slot, earlier: *count - 1 }
    };
    let threads = execution.trace.steps.iter().map(|step| step.thread);
    let named = timeline.steps.iter().zip(threads).map(|(&(_, event), thread)| (name(thread, event), event.object));
    let mut named: Vec<_> = named.collect();
    let steps = named.len();
    for (&(_, event, _), &(thread, _)) in timeline.pending.iter().zip(execution.pending) {
        named.push((name(thread, event), event.object));
    }
    let mut facts = Vec::new();
    for (second, &(occurrence, object)) in named.iter().enumerate() {
        let footprint = match second.checked_sub(steps) {
            Some(pending) => &timeline.pending[pending].2,
            None => timeline.order.footprint(second),
        };
        for access in footprint.accesses() {
            for &(first, mode) in timeline.order.touching(access.resource) {
                let first = first as usize;
                if first < second.min(steps)
                    && mode.conflicts(access.mode)
                    && named[first].0.thread != occurrence.thread
                    && (!decided || is_decided(&timeline, first, second))
                {
                    let fact = Fact { first: named[first].0, second: occurrence };
                    facts.push(FactAt { fact, object, first, second });
                }
            }
        }
    }
    facts.sort_unstable_by_key(|at| (at.second - at.first, at.first, at.second));
    facts.dedup_by_key(|at| at.fact);
    facts
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

fn index(execution: &Execution<'_>) -> FastMap<Fact, ()> {
    facts(execution, false).into_iter().map(|at| (at.fact, ())).collect()
}

/// So many facts are tried three at a time.
const MAX_IN_TRIPLES: usize = 150;

/// The facts of which no passing execution has all, and whether there are no fewer.
fn separate(facts: &[FactAt], passing: &[FastMap<Fact, ()>]) -> Option<(Vec<FactAt>, bool)> {
    let words = passing.len().div_ceil(64);
    // For each fact the passing executions in which it holds. Of facts that hold in the same ones the first will do.
    let mut candidates: Vec<(Vec<u64>, FactAt)> = Vec::new();
    let mut known: FastMap<Vec<u64>, ()> = FastMap::default();
    for &at in facts {
        let mut holds = vec![0u64; words];
        for (number, passing) in passing.iter().enumerate() {
            holds[number / 64] |= (passing.contains_key(&at.fact) as u64) << (number % 64);
        }
        if known.insert(holds.clone(), ()).is_none() {
            candidates.push((holds, at));
        }
    }
    candidates.sort_by_key(|(holds, _)| holds.iter().map(|word| word.count_ones()).sum::<u32>());
    let all = vec![u64::MAX; words];
    for size in 1..=3 {
        let mut chosen = Vec::new();
        // All triples of many would take too long; those that hold in few passing executions come first.
        let few = if size < 3 { &candidates[..] } else { &candidates[..candidates.len().min(MAX_IN_TRIPLES)] };
        if choose(few, size, &all, &mut chosen) {
            return Some((chosen, true));
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
fn choose(candidates: &[(Vec<u64>, FactAt)], size: usize, left: &[u64], chosen: &mut Vec<FactAt>) -> bool {
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

//! Selectively uniform random walk.
//!
//! H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, *Selectively Uniform Concurrency Testing*, ASPLOS 2025. For each
//! execution some events are of interest; each interleaving of these is about as likely as any other. One thread,
//! drawn in proportion to the events of interest that it has left, is meant to do the next of them, and others that
//! are about to do one wait for it; whatever is of no interest goes on at random. A thread's children count for it
//! until they are there.
//!
//! Deviations: of interest are the events on one resource, drawn anew for each execution from those on which events
//! of different threads conflicted in the execution before; how many a thread does is taken from that execution too,
//! so the walk is uniform only as far as executions resemble each other. The first one is a plain random walk. And
//! nobody waits for ever: the thread that is meant may go round a loop until one of those that wait for it goes on.

use crate::dependency::{Resource, Space};
use crate::execution::{Execution, Learnt};
use crate::explorer::Explorer;
use crate::rng::Rng;
use schedule::FastMap;
use schedule::{Choice, Divergence, Event, EventKind, ObjectId, Scheduler, ThreadId, Turn, all_look};
use std::sync::Arc;

/// Samples executions without end.
#[derive(Clone, Debug)]
pub struct Surw {
    rng: Rng,
    profile: Arc<Profile>,
}

/// What the execution before was like.
#[derive(Clone, Debug, Default)]
struct Profile {
    /// The resources on which threads conflict, with the number of events of each thread on them.
    shared: Vec<(Resource, Vec<u32>)>,
    /// By thread: who has started it.
    parents: Vec<Option<ThreadId>>,
}

impl Surw {
    /// Any seed will do.
    pub fn new(seed: u64) -> Surw {
        Surw { rng: Rng::new(seed), profile: Arc::default() }
    }
}

impl Explorer for Surw {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        let mut rng = self.rng.fork();
        let pick = (!self.profile.shared.is_empty()).then(|| rng.below(self.profile.shared.len() as u64) as usize);
        let (resource, left) = match pick.map(|pick| &self.profile.shared[pick]) {
            Some((resource, counts)) => (Some(*resource), counts.clone()),
            None => (None, Vec::new()),
        };
        let profile = self.profile.clone();
        Some(Box::new(Sample {
            rng,
            profile,
            resource,
            left,
            seen: Vec::new(),
            intent: None,
            waited: 0,
            done: 0,
            weights: Vec::new(),
            may: Vec::new(),
        }))
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        self.profile = Arc::new(profile(execution));
        Learnt::Counts
    }
}

fn profile(execution: &Execution<'_>) -> Profile {
    let mut counts: FastMap<Resource, (Vec<u32>, bool)> = FastMap::default();
    let mut parents = Vec::new();
    for step in &execution.trace.steps {
        let thread = step.thread.0 as usize;
        if step.event.kind == EventKind::Start {
            let child = step.event.slot as usize;
            parents.resize(parents.len().max(child + 1), None);
            parents[child] = Some(step.thread);
        }
        if let Some(resource) = of_interest(step.event) {
            let (counts, writes) = counts.entry(resource).or_default();
            counts.resize(counts.len().max(thread + 1), 0);
            counts[thread] += 1;
            *writes |= step.event.kind != EventKind::Read && step.event.kind != EventKind::VolatileRead;
        }
    }
    let conflict =
        |(counts, writes): &(Vec<u32>, bool)| *writes && counts.iter().filter(|&&count| count > 0).count() > 1;
    let shared =
        counts.into_iter().filter(|(_, entry)| conflict(entry)).map(|(resource, (counts, _))| (resource, counts));
    let mut shared: Vec<_> = shared.collect();
    // The same order in every process.
    shared.sort_unstable_by_key(|(resource, _)| (resource.space as u8, resource.object, resource.slot));
    Profile { shared, parents }
}

/// The resource whose events may be of interest: places, and monitors as they are taken.
fn of_interest(event: Event) -> Option<Resource> {
    let event = event.attempted().unwrap_or(event);
    let resource = |space, slot| Some(Resource { space, object: event.object, slot });
    match event.kind {
        kind if kind.is_access() && event.slot != Event::SYNCHRONIZER => resource(Space::Memory, event.slot),
        kind if kind.is_access() => resource(Space::Monitor, 0),
        EventKind::Lock | EventKind::TryLock | EventKind::LockWithin | EventKind::Wake => resource(Space::Monitor, 0),
        EventKind::Park => Some(Resource { space: Space::Permit, object: ObjectId::NONE, slot: 0 }),
        EventKind::Unpark => Some(Resource { space: Space::Permit, object: ObjectId::NONE, slot: 0 }),
        _ => None,
    }
}

/// Threads wait for so many events of others at the most. A thread that spins does no event of interest, ever, while
/// the one that it spins for waits.
const PATIENCE: u32 = 1_000;

struct Sample {
    rng: Rng,
    profile: Arc<Profile>,
    resource: Option<Resource>,
    /// By thread: how many events of interest are to be expected of it.
    left: Vec<u32>,
    /// By thread: whether it is there.
    seen: Vec<bool>,
    /// Who is meant to do the next event of interest.
    intent: Option<ThreadId>,
    /// How many events the threads have done since that was drawn, while others waited for it.
    waited: u32,
    done: usize,
    /// By thread: what is left for it and those that it may yet start. Reused between draws.
    weights: Vec<u64>,
    /// The threads that may go on. Reused between choices.
    may: Vec<ThreadId>,
}

impl Sample {
    fn is_of_interest(&self, event: Event) -> bool {
        self.resource.is_some() && of_interest(event) == self.resource
    }

    /// Finds for each thread what is left for it, and for those that it may yet start.
    fn weigh(&mut self) {
        self.weights.clear();
        self.weights.resize(self.left.len().max(self.seen.len()), 0);
        for (number, &left) in self.left.iter().enumerate() {
            let mut stands_for = Some(number);
            while let Some(thread) = stands_for.filter(|&thread| !self.seen.get(thread).copied().unwrap_or(false)) {
                let parent = self.profile.parents.get(thread).copied().flatten();
                stands_for = parent.map(|parent| parent.0 as usize).filter(|&parent| parent != thread);
            }
            if let Some(thread) = stands_for {
                self.weights[thread] += u64::from(left);
            }
        }
    }

    fn draw(&mut self, choice: &Choice<'_>) -> ThreadId {
        self.weigh();
        let weight = |thread: ThreadId| self.weights.get(thread.0 as usize).copied().unwrap_or(0);
        let total: u64 = choice.threads().map(weight).sum();
        if total == 0 {
            return choice.runnable[self.rng.below(choice.runnable.len() as u64) as usize].0;
        }
        let mut drawn = self.rng.below(total);
        let hit = choice.threads().find(|&thread| {
            let hit = drawn < weight(thread);
            drawn = drawn.saturating_sub(weight(thread));
            hit
        });
        hit.expect("internal bug: what was drawn is below the sum of all weights")
    }
}

impl Scheduler for Sample {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        for step in &choice.trace.steps[self.done..] {
            if self.is_of_interest(step.event) {
                let left = self.left.get_mut(step.thread.0 as usize);
                left.into_iter().for_each(|left| *left = left.saturating_sub(1));
                (self.intent, self.waited) = (None, 0);
            }
        }
        self.done = choice.trace.steps.len();
        for thread in choice.threads() {
            self.seen.resize(self.seen.len().max(thread.0 as usize + 1), false);
            self.seen[thread.0 as usize] = true;
        }
        let intent = self.intent.unwrap_or_else(|| self.draw(choice));
        self.intent = Some(intent);
        let mut may = std::mem::take(&mut self.may);
        may.clear();
        let may_go_on = |&&(thread, event): &&(ThreadId, Event)| thread == intent || !self.is_of_interest(event);
        may.extend(choice.runnable.iter().filter(may_go_on).map(|&(thread, _)| thread));
        self.waited += u32::from(may.len() < choice.runnable.len());
        if self.waited > PATIENCE {
            may.clear();
            may.extend(choice.threads().filter(|&thread| thread != intent));
            self.waited = 0;
        }
        let thread = if may.is_empty() {
            // The one that was meant cannot go on, and all others wait for it: another is meant.
            let intent = self.draw(choice);
            self.intent = Some(intent);
            intent
        } else {
            may[self.rng.below(may.len() as u64) as usize]
        };
        self.may = may;
        Ok(Turn { thread, events: 1 })
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

//! The sweep: every schedule in which one thread runs whole inside another, up to equivalence.
//!
//! For each pair of threads, the one is stopped before each of its events in turn that meets an event of the other, the other
//! runs as long as it can, and the first goes on. To stop it before an event that meets none comes to the same as to stop it
//! before the next that does; which that is, the execution itself shows. In long tests most events meet none.
//!
//! Of the minimal ways in which two accesses each of two threads are not serialisable, this covers all with three accesses and
//! two thirds of those with four; the others need two preemptions.
//!
//! Of many threads most do the same. So where there are more than [`MAX_PERMUTED`] those pairs come first of which each other one is
//! like one: a thread of each kind with one of each other, and two of one kind. Threads are of one kind if they did the same
//! at the same sites. The first thread, which mostly starts and joins all others, comes last among them.
//!
//! An execution takes four decisions, none of which allocates.

use crate::execution::{End, Execution, Learnt};
use crate::explorer::Explorer;
use crate::meeting::Meeting;
use crate::serial::{InThisOrder, MAX_PERMUTED, threads};
use crate::stay::{stay, whole};
use schedule::{Choice, Divergence, EventKind, FastMap, Scheduler, SiteId, Step, ThreadId, Turn, all_look, goes_round};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Of a thread that comes to no end, only so many points are of interest.
const ENDLESS: u32 = 64;

/// Upper bound on the kinds of threads that are told apart. Their pairs come first.
const MAX_KINDS: usize = 8;

/// Runs the sweep.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// Known once an execution has run.
    threads: Vec<ThreadId>,
    /// Those that begin with an event that nobody can notice.
    begun: Vec<ThreadId>,
    /// Pairs that come before all others, and how many of them were begun.
    first: Vec<(ThreadId, ThreadId)>,
    first_begun: usize,
    /// Number of the next of all pairs.
    pair: usize,
    point: Option<Point>,
    done: bool,
    /// Whether the outer thread of the last schedule was stopped with nothing left to do, or nothing new.
    at_end: Arc<AtomicBool>,
    /// Whether no point is passed over, though it comes to the same as another.
    every_point: bool,
}

impl Sweep {
    /// A sweep that passes over nothing: slow, and for audits of the other.
    pub fn at_every_point() -> Sweep {
        Sweep { every_point: true, ..Sweep::default() }
    }

    /// A sweep over the threads of an execution that has run, so that none is needed to find out.
    pub fn of(execution: &Execution<'_>) -> Sweep {
        let mut sweep = Sweep::default();
        sweep.begin(execution);
        sweep
    }

    fn begin(&mut self, execution: &Execution<'_>) {
        self.threads = threads(execution);
        let begins = execution.trace.steps.iter().filter(|step| step.event.kind == EventKind::Begin);
        self.begun = begins.map(|step| step.thread).collect();
        self.first =
            if self.threads.len() > MAX_PERMUTED { unlike_pairs(execution, &self.threads) } else { Vec::new() };
        (self.first_begun, self.pair) = (0, 0);
        self.next_pair();
    }

    /// The first point of the next pair.
    fn next_pair(&mut self) {
        let count = self.threads.len();
        let next = match self.first.get(self.first_begun) {
            Some(&pair) => {
                self.first_begun += 1;
                Some(pair)
            }
            None => loop {
                let (outer, inner) = match self.pair {
                    pair if pair >= count * count => break None,
                    pair => (self.threads[pair / count], self.threads[pair % count]),
                };
                self.pair += 1;
                if outer != inner && !self.first.contains(&(outer, inner)) {
                    break Some((outer, inner));
                }
            },
        };
        self.done = next.is_none();
        self.point = next.map(|(outer, inner)| {
            let events = 1 + self.begun.contains(&outer) as u32;
            Point { outer, inner, events }
        });
    }
}

/// One pair of threads for each two kinds, and for each kind that two threads are of.
fn unlike_pairs(execution: &Execution<'_>, threads: &[ThreadId]) -> Vec<(ThreadId, ThreadId)> {
    /// What a thread did, and where.
    type Kind = Vec<(EventKind, SiteId)>;
    let mut did: FastMap<ThreadId, Kind> = FastMap::default();
    for step in &execution.trace.steps {
        did.entry(step.thread).or_default().push((step.event.kind, step.event.site));
    }
    let mut kinds: Vec<(Option<&Kind>, Vec<ThreadId>)> = Vec::new();
    for &thread in threads {
        let kind = did.get(&thread);
        match kinds.iter().position(|(known, _)| *known == kind) {
            Some(place) if kinds[place].1.len() < 2 => kinds[place].1.push(thread),
            Some(_) => {}
            None if kinds.len() < MAX_KINDS => kinds.push((kind, vec![thread])),
            None => {}
        }
    }
    let mut pairs = Vec::new();
    for (place, (_, outer)) in kinds.iter().enumerate() {
        for (other, (_, inner)) in kinds.iter().enumerate() {
            let inner = if place == other { inner.get(1) } else { inner.first() };
            pairs.extend(inner.map(|&inner| (outer[0], inner)));
        }
    }
    pairs.sort_by_key(|&(outer, inner)| outer == ThreadId(0) || inner == ThreadId(0));
    pairs
}

impl Explorer for Sweep {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        match self.point {
            _ if self.done => None,
            Some(point) => {
                self.at_end.store(false, Ordering::Relaxed);
                let is_one_of_many = !self.first.is_empty();
                Some(Box::new(Inside { point, stage: Stage::Before, is_one_of_many, at_end: self.at_end.clone() }))
            }
            // Who there is becomes known by running once.
            None => Some(Box::new(InThisOrder::default())),
        }
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        let Some(point) = &mut self.point else {
            self.begin(execution);
            return Learnt::Counts;
        };
        let inner = execution.trace.steps.iter().position(|step| step.thread == point.inner);
        let steps = &execution.trace.steps[..inner.unwrap_or(execution.trace.steps.len())];
        let before = steps.iter().filter(|step| step.thread == point.outer).count();
        let endless = execution.end == End::Cut && point.events >= ENDLESS;
        // Past where the thread gets to on its own there are no more points.
        if endless || before < point.events as usize || self.at_end.load(Ordering::Relaxed) {
            self.next_pair();
        } else if self.every_point {
            point.events += 1;
        } else if let Some(events) = next_meeting(execution, *point) {
            point.events = events;
        } else {
            self.next_pair();
        }
        Learnt::Counts
    }
}

/// After how many of its events the outer thread is to be stopped next: past the first that meets what ran inside. None if there
/// is no such.
fn next_meeting(execution: &Execution<'_>, point: Point) -> Option<u32> {
    let steps = &execution.trace.steps;
    let outer = |step: &&Step| step.thread == point.outer;
    let stop = steps.iter().enumerate().filter(|(_, step)| step.thread == point.outer);
    let stop = stop.map(|(at, _)| at + 1).nth(point.events as usize - 1)?;
    let inside = steps[stop..].iter().take_while(|step| !outer(step)).count();
    let (inside, after) = steps[stop..].split_at(inside);
    if inside.is_empty() {
        // It may not be there yet, so nothing is known of what it does.
        return Some(point.events + 1);
    }
    // A thread that was blocked inside meets what lets it go on.
    let waiting = after.iter().find(|step| step.thread == point.inner).map(|step| step.event);
    let pending =
        |of: ThreadId| execution.pending.iter().filter(move |(thread, _)| *thread == of).map(|(_, event)| *event);
    let meeting = Meeting::of(inside.iter().map(|step| step.event).chain(waiting).chain(pending(point.inner)));
    // What the thread could not do, because it was blocked, it may do first.
    let rest = after.iter().filter(outer).map(|step| step.event).chain(pending(point.outer));
    let position = rest.into_iter().position(|event| meeting.meets(&event))?;
    Some(point.events + position as u32 + 1)
}

#[derive(Clone, Copy, Debug)]
struct Point {
    outer: ThreadId,
    inner: ThreadId,
    /// The outer thread is stopped after so many of its events.
    events: u32,
}

/// One schedule of the sweep.
struct Inside {
    point: Point,
    stage: Stage,
    is_one_of_many: bool,
    at_end: Arc<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Before,
    Inside,
    After,
}

impl Scheduler for Inside {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        let Point { outer, inner, events } = self.point;
        // Where there are many threads, whoever runs may have to start some more before the inner one is there.
        let is_early = self.is_one_of_many
            && choice.last.is_some_and(|last| last != outer && choice.can_run(last) && !goes_round(choice, last))
            && !choice.can_run(inner);
        if self.stage == Stage::Before && choice.can_run(outer) && !is_early {
            self.stage = Stage::Inside;
            return Ok(Turn { thread: outer, events });
        }
        if self.stage == Stage::Inside {
            self.stage = Stage::After;
            let next = choice.runnable.iter().find(|&&(thread, _)| thread == outer);
            if next.is_none_or(|(_, event)| event.kind == EventKind::End) || goes_round(choice, outer) {
                self.at_end.store(true, Ordering::Relaxed);
            }
            if choice.can_run(inner) {
                return Ok(whole(inner));
            }
        }
        Ok(stay(choice, &[outer, inner]))
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

//! One execution of the exploration: first what was decided, then what is new.

use super::path::{Node, Path, Sleeper, Unexpected};
use super::sequence::Guide;
use crate::rng::Rng;
use crate::spin::Spins;
use schedule::{Choice, Divergence, Event, Scheduler, ThreadId, ThreadSet, Turn};
use std::sync::{Arc, Mutex, PoisonError};

/// The exploration while an execution is under way.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub path: Path,
    /// So many choices are those of the execution before.
    pub replay: usize,
    /// Who goes on after them.
    pub guide: Guide,
    pub spins: Spins,
    /// So many events may a thread do.
    pub max_events: Option<u32>,
    pub outcome: Outcome,
    /// Whether a thread was held back because it spins.
    pub held: bool,
    /// Who goes on is left to chance in the first execution, for so many choices.
    pub walk: Option<(Rng, usize)>,
    runnable: Vec<(usize, Event)>,
    /// Threads whose waits are over by time, since the last choice.
    timed_out: Vec<ThreadId>,
    /// Threads that can do what they have announced without cause, likewise.
    unprompted: Vec<ThreadId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Outcome {
    #[default]
    Counts,
    /// Only threads that have done as many events as one may can go on.
    Bounded,
    Redundant,
    /// A loop became known in which a thread spins: from here on it is held, so all begins anew.
    Looped,
    Unexpected,
}

/// The scheduler of one execution. The exploration has what it learns at once.
pub(super) struct Guided(pub Arc<Mutex<Run>>);

impl Scheduler for Guided {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        let mut run = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        run.choose(choice).map_err(|outcome| {
            run.outcome = outcome;
            Divergence { step: choice.trace.steps.len(), expected: None, runnable: choice.threads().collect() }
        })
    }

    fn timed_out(&mut self, thread: ThreadId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).timed_out.push(thread);
    }

    fn unprompted(&mut self, thread: ThreadId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).unprompted.push(thread);
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).waits_for_time(choice)
    }
}

impl From<Unexpected> for Outcome {
    fn from(_: Unexpected) -> Self {
        Outcome::Unexpected
    }
}

impl Run {
    pub fn new(max_events: Option<u32>) -> Run {
        Run { max_events, ..Run::default() }
    }

    /// Prepares for an execution.
    pub fn restart(&mut self, shared: usize, guide: Guide) {
        self.path.restart(shared);
        self.walk = None;
        self.spins.clear();
        self.timed_out.clear();
        self.unprompted.clear();
        (self.replay, self.guide) = (shared, guide);
        (self.outcome, self.held) = (Outcome::Counts, false);
    }

    /// Takes note of what happened.
    pub fn follow(&mut self, trace: &schedule::Trace) -> Result<(), Unexpected> {
        let from = self.path.followed;
        self.path.follow(trace)?;
        for step in from..self.path.followed {
            let (node, footprint) = (&self.path.nodes[step], self.path.order.footprint(step));
            self.spins.release(node.released.iter());
            self.spins.happened(node.thread, node.event, footprint);
        }
        Ok(())
    }

    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Outcome> {
        self.follow(choice.trace)?;
        let depth = choice.trace.steps.len();
        let mut runnable = std::mem::take(&mut self.runnable);
        self.path.named(choice.runnable, &mut runnable)?;
        let turn = if depth < self.replay { self.again(depth, &runnable) } else { self.anew(choice, &runnable) };
        self.runnable = runnable;
        self.timed_out.clear();
        self.unprompted.clear();
        let (thread, events) = turn?;
        let (raw, _) = choice.runnable[thread];
        Ok(Turn { thread: raw, events })
    }

    /// Time passes where it did in the execution before; past that, where all threads that can go on spin.
    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        if self.follow(choice.trace).is_err() {
            return false;
        }
        let depth = choice.trace.steps.len();
        if depth < self.replay {
            let told: ThreadSet = self.timed_out.iter().map(|&thread| self.path.names.name(thread)).collect();
            return self.path.nodes[depth].timed_out.iter().any(|thread| !told.contains(thread));
        }
        let spins = |&(thread, event): &(ThreadId, Event)| {
            let name = self.path.names.name(thread);
            self.spins.round(name, self.path.names.event(name, event)).is_some()
        };
        choice.runnable.iter().all(spins)
    }

    /// What was decided in the execution before: the place among the threads that can go on, and the number of
    /// events.
    fn again(&mut self, depth: usize, runnable: &[(usize, Event)]) -> Result<(usize, u32), Outcome> {
        let thread = self.path.nodes[depth].thread;
        let place = runnable.iter().position(|&(runnable, _)| runnable == thread).ok_or(Outcome::Unexpected)?;
        if depth + 1 == self.replay {
            self.path.nodes[depth].event = runnable[place].1;
        }
        let mut events = 1;
        let goes_on = |node: &Node| node.thread == thread && node.timed_out.is_empty();
        while depth + events + 1 < self.replay && goes_on(&self.path.nodes[depth + events]) {
            events += 1;
        }
        Ok((place, events as u32))
    }

    fn anew(&mut self, choice: &Choice<'_>, runnable: &[(usize, Event)]) -> Result<(usize, u32), Outcome> {
        let depth = choice.trace.steps.len();
        self.path.nodes.truncate(depth);
        if let Some(last) = choice.trace.steps.last() {
            let last = self.path.names.name(last.thread);
            let next = runnable.iter().find(|&&(thread, _)| thread == last);
            if next.is_some_and(|&(thread, event)| self.spins.learn(thread, event)) {
                return Err(Outcome::Looped);
            }
        }
        let mut node = self.arrive(choice, runnable)?;
        if !runnable.iter().any(|&(thread, _)| self.may_go_on(thread)) {
            return Err(Outcome::Bounded);
        }
        // What sleeps was explored. The rest of the way is then nothing new, but something else from here may be.
        if self.guide.next().is_some_and(|thread| node.is_asleep(thread)) {
            self.guide.drop_rest();
        }
        let place = match self.guide.step() {
            None => self.pick(&mut node, runnable)?,
            Some(next) => {
                let place = runnable.iter().position(|&(thread, _)| thread == next);
                place.filter(|_| self.may_go_on(next)).ok_or(Outcome::Unexpected)?
            }
        };
        (node.thread, node.event) = runnable[place];
        self.path.nodes.push(node);
        Ok((place, 1))
    }

    /// The state that was reached.
    fn arrive(&mut self, choice: &Choice<'_>, runnable: &[(usize, Event)]) -> Result<Node, Outcome> {
        let Path { nodes, order, state, names, group, .. } = &mut self.path;
        let depth = choice.trace.steps.len();
        let new = |(raw, _): &&(ThreadId, Event)| raw.0 != 0 && !names.is_started(*raw);
        if group.is_none() && choice.runnable.iter().any(|announced| new(&announced)) {
            *group = Some(depth);
        }
        let (mut timed_out, mut allowed) = (ThreadSet::default(), ThreadSet::default());
        for &thread in &self.timed_out {
            state.time_out(names.name(thread));
            timed_out.insert(names.name(thread));
        }
        let barrier = !timed_out.is_empty();
        for &thread in &self.unprompted {
            state.allow(names.name(thread));
            allowed.insert(names.name(thread));
        }
        if !runnable.iter().all(|&(thread, event)| state.can_do(thread, event)) {
            return Err(Outcome::Unexpected);
        }
        let mut sleep = Vec::new();
        if let Some(before) = nodes.last().filter(|_| !barrier) {
            let happened = order.footprint(depth - 1);
            let stays = |s: &&Sleeper| s.thread != before.thread && !s.footprint.conflicts(happened);
            sleep.extend(before.sleep.iter().filter(stays).copied());
        }
        let spinning = runnable
            .iter()
            .filter_map(|&(thread, event)| self.spins.round(thread, event).map(|round| (thread, round)))
            .collect();
        let (thread, event) = runnable[0];
        Ok(Node {
            thread,
            event,
            sleep,
            branches: Vec::new(),
            explored: 0,
            timed_out,
            allowed,
            barrier,
            released: ThreadSet::default(),
            spinning,
        })
    }

    /// Any thread will do that does not sleep. One that can go on as before saves a hand-over; one that spins
    /// goes on only when nothing else can.
    fn pick(&mut self, node: &mut Node, runnable: &[(usize, Event)]) -> Result<usize, Outcome> {
        let drawn = self.walk.as_mut().filter(|(_, left)| *left > 0).map(|(rng, left)| {
            *left -= 1;
            rng.below(runnable.len() as u64) as usize
        });
        let awake = |place: &usize| !node.is_asleep(runnable[*place].0) && self.may_go_on(runnable[*place].0);
        let spins = |place: &usize| node.spinning.iter().any(|&(thread, _)| thread == runnable[*place].0);
        let released = |place: &usize| self.spins.is_released(runnable[*place].0);
        let last = self.path.nodes.last().map(|node| node.thread);
        let going_on = runnable.iter().position(|&(thread, _)| Some(thread) == last);
        let first = drawn.or(going_on);
        let mut places = first.into_iter().chain(0..runnable.len());
        if let Some(place) = places.find(|place| awake(place) && !spins(place) && !released(place)) {
            self.held |= !node.spinning.is_empty();
            return Ok(place);
        }
        // Those that were let go on go in turns, for each may be what another waits for.
        let idle = |&place: &usize| self.path.order.last_of(runnable[place].0);
        if let Some(place) = (0..runnable.len()).filter(|place| awake(place) && released(place)).min_by_key(idle) {
            return Ok(place);
        }
        if !node.sleep.is_empty() {
            return Err(Outcome::Redundant);
        }
        // Only threads that spin are left.
        let place = (0..runnable.len()).filter(awake).min_by_key(idle).ok_or(Outcome::Bounded)?;
        node.released = node.spinning.iter().map(|&(thread, _)| thread).collect();
        node.barrier = true;
        Ok(place)
    }

    /// Whether the thread has events left to do.
    pub fn may_go_on(&self, thread: usize) -> bool {
        let done = |step| self.path.order.number(step);
        self.max_events.is_none_or(|max| self.path.order.last_of(thread).map_or(0, done) < max)
    }
}

impl Node {
    pub fn is_asleep(&self, thread: usize) -> bool {
        self.sleep.iter().any(|sleeper| sleeper.thread == thread)
    }
}

//! Every schedule with at most so many preemptions.
//!
//! Iterative context bounding: M. Musuvathi, S. Qadeer, *Iterative Context Bounding for Systematic Testing of
//! Multithreaded Programs*, PLDI 2007. All schedules without preemptions come first, then all with one, and so on.
//! Where a thread cannot go on, every other that can is tried; that is no preemption. Deviation: leaving a thread
//! that spins is no preemption either, and such a thread is always left.
//!
//! Sound for its bound without an argument, for nothing is left out: equivalent schedules are all run. (A bound put
//! on partial-order reduction leaves out what can be reached only by way of a schedule past the bound.) Schedules
//! wait in a queue, one for each point at which a thread may be preempted, so memory grows with the executions. There is an end
//! to that: past [`MAX_BYTES`] no more are run, and the bound is the one that was complete by then.

use crate::execution::{End, Execution, Learnt};
use crate::explorer::Explorer;
use crate::stay::in_its_place;
use schedule::{Choice, Divergence, Schedule, Scheduler, ThreadId, Turn, all_look, goes_round};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Upper bound on the memory for schedules that wait for their turn.
const MAX_BYTES: usize = 64 << 20;

/// Runs all schedules within the bound.
#[derive(Debug)]
pub struct Bounded {
    max_preemptions: usize,
    /// Of this many preemptions are the schedules that are run now.
    preemptions: usize,
    now: VecDeque<Waiting>,
    later: VecDeque<Waiting>,
    /// Number of turns of all schedules that wait.
    turns: usize,
    /// What the scheduler under way could have done otherwise.
    run: Arc<Mutex<Run>>,
    unexpected: bool,
    /// An execution was cut off, so what comes after is not known.
    cut: bool,
    /// More schedules waited than there is memory for. They were forgotten.
    full: bool,
}

/// A schedule that waits for its turn: an execution up to some event, and then another thread. Turns are kept and not events: of
/// schedules with few preemptions there are few.
#[derive(Debug)]
struct Waiting {
    schedule: Arc<Schedule>,
    otherwise: Option<Otherwise>,
}

#[derive(Debug, Default)]
struct Run {
    otherwise: Vec<Otherwise>,
}

#[derive(Clone, Copy, Debug)]
struct Otherwise {
    /// After so many events.
    step: usize,
    thread: ThreadId,
    preempts: bool,
}

impl Bounded {
    /// All schedules with at most so many preemptions.
    pub fn new(max_preemptions: usize) -> Bounded {
        Bounded {
            max_preemptions,
            preemptions: 0,
            now: VecDeque::from([Waiting { schedule: Arc::default(), otherwise: None }]),
            later: VecDeque::new(),
            turns: 0,
            run: Arc::default(),
            unexpected: false,
            cut: false,
            full: false,
        }
    }

    /// The schedules that are run now have so many preemptions.
    pub fn preemptions(&self) -> usize {
        self.preemptions
    }

    /// How many schedules wait for their turn.
    pub fn waiting(&self) -> usize {
        self.now.len() + self.later.len()
    }

    /// Bytes that the schedules take which wait for their turn, more or less.
    fn bytes(&self) -> usize {
        self.waiting() * size_of::<Waiting>() + self.turns * size_of::<Turn>()
    }

    /// The bound within which every schedule was run; None if not even those without preemptions were.
    pub fn completed(&self) -> Option<usize> {
        match self.now.is_empty() {
            _ if self.unexpected || self.cut => None,
            _ if self.full => self.preemptions.checked_sub(1),
            true => Some(self.preemptions),
            false => self.preemptions.checked_sub(1),
        }
    }
}

impl Explorer for Bounded {
    fn next(&mut self) -> Option<Box<dyn Scheduler + Send>> {
        if self.full {
            return None;
        }
        if self.now.is_empty() && self.preemptions < self.max_preemptions && !self.later.is_empty() {
            self.preemptions += 1;
            std::mem::swap(&mut self.now, &mut self.later);
        }
        let schedule = self.now.front()?.schedule();
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.otherwise.clear();
        let follow =
            Follow { schedule, next: 0, preempts: self.preemptions < self.max_preemptions, run: self.run.clone() };
        Some(Box::new(follow))
    }

    fn finish(&mut self, execution: &Execution<'_>) -> Learnt {
        if let Some(waiting) = self.now.pop_front()
            && let Some(schedule) = Arc::into_inner(waiting.schedule)
        {
            self.turns -= schedule.turns.len();
        }
        if execution.end == End::Stopped {
            self.unexpected = true;
            return Learnt::Unexpected;
        }
        self.cut |= execution.end == End::Cut;
        let run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        let schedule = Arc::new(Schedule::of(execution.trace));
        self.turns += schedule.turns.len();
        for &otherwise in run.otherwise.iter().filter(|otherwise| otherwise.step <= execution.trace.steps.len()) {
            let waiting = Waiting { schedule: schedule.clone(), otherwise: Some(otherwise) };
            if otherwise.preempts { self.later.push_back(waiting) } else { self.now.push_back(waiting) }
        }
        if let Some(schedule) = Arc::into_inner(schedule) {
            self.turns -= schedule.turns.len();
        }
        if self.bytes() > MAX_BYTES {
            (self.full, self.turns) = (true, 0);
            (self.now, self.later) = (VecDeque::new(), VecDeque::new());
        }
        Learnt::Counts
    }
}

impl Waiting {
    fn schedule(&self) -> Schedule {
        let Some(otherwise) = self.otherwise else { return Schedule::default() };
        let mut schedule = self.schedule.up_to(otherwise.step);
        match schedule.turns.last_mut() {
            Some(turn) if turn.thread == otherwise.thread => turn.events += 1,
            _ => schedule.turns.push(Turn { thread: otherwise.thread, events: 1 }),
        }
        schedule
    }
}

/// Follows a schedule, then lets whoever runs go on, and notes what else could be done.
struct Follow {
    schedule: Schedule,
    next: usize,
    /// Whether preemptions are of interest.
    preempts: bool,
    run: Arc<Mutex<Run>>,
}

impl Scheduler for Follow {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        let step = choice.trace.steps.len();
        if let Some(&turn) = self.schedule.turns.get(self.next) {
            self.next += 1;
            return match choice.can_run(turn.thread) {
                true => Ok(turn),
                false => {
                    let runnable = choice.threads().collect();
                    Err(Divergence { step, expected: Some(turn.thread), runnable })
                }
            };
        }
        let goes_on = choice.last.filter(|&last| choice.can_run(last) && !goes_round(choice, last));
        let thread = goes_on.or_else(|| in_its_place(choice, &[]));
        let thread = thread.or(choice.last).expect("internal bug: a choice without threads");
        let preempts = goes_on.is_some();
        if !preempts || self.preempts {
            let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
            // More cannot wait anyway.
            let room = (MAX_BYTES / size_of::<Waiting>() + 1).saturating_sub(run.otherwise.len());
            let others = choice.threads().filter(|&other| other != thread && Some(other) != choice.last);
            run.otherwise.extend(others.take(room).map(|thread| Otherwise { step, thread, preempts }));
        }
        Ok(Turn { thread, events: 1 })
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

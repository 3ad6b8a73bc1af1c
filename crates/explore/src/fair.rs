//! A schedule, and past it everyone in turn.
//!
//! Whether a test comes to an end may be a question of fairness: a thread that waits in a loop goes round for ever as long
//! as the one it waits for gets no turn. So an execution that was cut off is held against one that begins alike and then
//! is fair. If that does not end either, it is not for want of turns.

use schedule::{Choice, Divergence, Schedule, Scheduler, ThreadId, Turn, all_look};

/// Follows a schedule as far as it can be followed, and then gives everyone turns.
#[derive(Clone, Debug)]
pub struct ThenFair {
    schedule: Schedule,
    /// The turn that is followed now, and how many of its events are left; none if it has not begun.
    next: usize,
    left: u32,
    /// Number of the schedule's time-outs that have come.
    over: usize,
    /// When each thread had its last turn, as a number of turns.
    turns: Vec<u64>,
    count: u64,
    /// The events of a turn.
    events: u32,
}

/// Turns get longer, for what is done between two looks at a lock may take longer than any turn that is fixed.
const FIRST_TURN: u32 = 8;
const LONGEST_TURN: u32 = 2_000;

impl ThenFair {
    /// Follows this schedule first, for so many events at the most.
    pub fn new(schedule: Schedule, events: usize) -> ThenFair {
        let schedule = schedule.first(events);
        ThenFair { schedule, next: 0, left: 0, over: 0, turns: Vec::new(), count: 0, events: FIRST_TURN }
    }

    /// The next turn of the schedule that can be followed. Time passes only where the host asks, so a turn in which it
    /// did is given in parts.
    fn follow(&mut self, choice: &Choice<'_>) -> Option<Turn> {
        while let Some(&turn) = self.schedule.turns.get(self.next) {
            if self.left == 0 {
                self.left = turn.events;
            }
            if choice.can_run(turn.thread) {
                let until = self.next_timeout().and_then(|step| step.checked_sub(choice.trace.steps.len()));
                let until = until.filter(|&events| events > 0).and_then(|events| u32::try_from(events).ok());
                let events = until.map_or(self.left, |most| most.min(self.left));
                self.left -= events;
                self.next += usize::from(self.left == 0);
                return Some(Turn { thread: turn.thread, events });
            }
            (self.next, self.left) = (self.next + 1, 0);
        }
        None
    }

    /// After how many events time has to pass next.
    fn next_timeout(&self) -> Option<usize> {
        self.schedule.timeouts.get(self.over).map(|&(step, _)| step)
    }

    fn last_turn(&self, thread: ThreadId) -> u64 {
        self.turns.get(thread.0 as usize).copied().unwrap_or(0)
    }
}

impl Scheduler for ThenFair {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        if let Some(turn) = self.follow(choice) {
            return Ok(turn);
        }
        let thread = choice.threads().min_by_key(|&thread| (self.last_turn(thread), thread));
        let thread = thread.expect("internal bug: a choice without threads");
        self.count += 1;
        let place = thread.0 as usize;
        if self.turns.len() <= place {
            self.turns.resize(place + 1, 0);
        }
        self.turns[place] = self.count;
        if self.count.is_multiple_of(64) {
            self.events = (self.events * 2).min(LONGEST_TURN);
        }
        // Of no fixed length: a loop as long as that would always be left at the same point, maybe with a lock held.
        Ok(Turn { thread, events: self.events + (self.count % 7) as u32 })
    }

    fn timed_out(&mut self, _thread: ThreadId) {
        self.over += 1;
    }

    /// As long as the schedule is followed, where it did pass.
    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        let is_due = self.next_timeout().is_some_and(|step| step <= choice.trace.steps.len());
        let is_open = self.next >= self.schedule.turns.len() || self.schedule.timeouts.is_empty();
        is_due || is_open && all_look(choice)
    }
}

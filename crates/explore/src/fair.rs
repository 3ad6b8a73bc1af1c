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
    next: usize,
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
        ThenFair { schedule: schedule.first(events), next: 0, turns: Vec::new(), count: 0, events: FIRST_TURN }
    }

    fn last_turn(&self, thread: ThreadId) -> u64 {
        self.turns.get(thread.0 as usize).copied().unwrap_or(0)
    }
}

impl Scheduler for ThenFair {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        while let Some(&turn) = self.schedule.turns.get(self.next) {
            self.next += 1;
            if choice.can_run(turn.thread) {
                return Ok(turn);
            }
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

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        all_look(choice)
    }
}

//! Schedules as data: what was decided, to be decided again.

use crate::event::ThreadId;
use crate::scheduler::{Choice, Divergence, Scheduler, Turn};
use crate::trace::Trace;

/// The decisions that fix an execution: who did how many events, one after the other.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Schedule {
    /// Neighbours are of different threads.
    pub turns: Vec<Turn>,
}

impl Schedule {
    /// The schedule that a trace followed.
    pub fn of(trace: &Trace) -> Schedule {
        let mut turns: Vec<Turn> = Vec::new();
        for step in &trace.steps {
            match turns.last_mut() {
                Some(turn) if turn.thread == step.thread => turn.events += 1,
                _ => turns.push(Turn { thread: step.thread, events: 1 }),
            }
        }
        Schedule { turns }
    }

    /// A scheduler that follows it to the letter.
    pub fn replay(self) -> Replay {
        Replay { schedule: self, next: 0, done: 0 }
    }
}

/// Follows a schedule. Where the execution does not allow what it says, it ends with a [`Divergence`]: it
/// never guesses.
#[derive(Clone, Debug)]
pub struct Replay {
    schedule: Schedule,
    /// The turn that is to be decided next.
    next: usize,
    /// How many events the turns before it had.
    done: usize,
}

impl Scheduler for Replay {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        let diverged = |expected: Option<ThreadId>| Divergence {
            step: choice.trace.steps.len(),
            expected,
            runnable: choice.threads().collect(),
        };
        // The host asks early when a thread cannot go on; in a replay none may stop early.
        if choice.trace.steps.len() != self.done {
            return Err(diverged(choice.last));
        }
        let turn = *self.schedule.turns.get(self.next).ok_or_else(|| diverged(None))?;
        if !choice.can_run(turn.thread) {
            return Err(diverged(Some(turn.thread)));
        }
        self.next += 1;
        self.done += turn.events as usize;
        Ok(turn)
    }

    /// Where the one whose turn it is cannot go on, time had passed before it did.
    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        let is_over = choice.trace.steps.len() >= self.done;
        let turn = self.schedule.turns.get(if is_over { self.next } else { self.next - 1 });
        turn.is_some_and(|turn| !choice.can_run(turn.thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, EventKind, ObjectId, SiteId};
    use crate::trace::Step;

    const EVENT: Event = Event { kind: EventKind::Write, object: ObjectId(0), slot: 0, site: SiteId(0) };

    /// Follows the schedule 1, 1, 2 through an execution in which these threads can run at each choice.
    fn follow(runnable: &[&[u16]]) -> Result<Trace, Divergence> {
        let turns = [(1, 2), (2, 1)].map(|(thread, events)| Turn { thread: ThreadId(thread), events });
        let mut replay = Schedule { turns: turns.to_vec() }.replay();
        let mut trace = Trace::default();
        for threads in runnable {
            let runnable: Vec<_> = threads.iter().map(|&thread| (ThreadId(thread), EVENT)).collect();
            let turn = replay.choose(&Choice { trace: &trace, last: None, runnable: &runnable })?;
            trace.steps.extend((0..turn.events).map(|_| Step { thread: turn.thread, event: EVENT }));
        }
        Ok(trace)
    }

    #[test]
    fn a_schedule_is_followed_to_the_letter() {
        let trace = follow(&[&[1, 2], &[2]]).unwrap();
        assert_eq!(trace.steps.iter().map(|step| step.thread.0).collect::<Vec<_>>(), [1, 1, 2]);
    }

    #[test]
    fn time_passes_where_the_next_one_cannot_go_on() {
        let turns = [(1, 2), (2, 1)].map(|(thread, events)| Turn { thread: ThreadId(thread), events });
        let mut replay = Schedule { turns: turns.to_vec() }.replay();
        let mut trace = Trace::default();
        let (one, other) = ([(ThreadId(1), EVENT)], [(ThreadId(3), EVENT)]);
        assert!(!replay.waits_for_time(&Choice { trace: &trace, last: None, runnable: &one }));
        assert_eq!(replay.choose(&Choice { trace: &trace, last: None, runnable: &one }), Ok(turns[0]));
        // In the middle of a turn, and before the next.
        trace.steps.push(Step { thread: ThreadId(1), event: EVENT });
        assert!(replay.waits_for_time(&Choice { trace: &trace, last: None, runnable: &other }));
        assert!(!replay.waits_for_time(&Choice { trace: &trace, last: None, runnable: &one }));
        trace.steps.push(Step { thread: ThreadId(1), event: EVENT });
        assert!(replay.waits_for_time(&Choice { trace: &trace, last: None, runnable: &one }));
    }

    #[test]
    fn what_cannot_be_followed_is_told_and_not_guessed() {
        let blocked = follow(&[&[1, 2], &[1, 3]]).unwrap_err();
        assert_eq!(
            blocked,
            Divergence { step: 2, expected: Some(ThreadId(2)), runnable: vec![ThreadId(1), ThreadId(3)] }
        );
        assert_eq!(blocked.to_string(), "after 2 events thread 2 should run, but only 1, 3 can run");
        let longer = follow(&[&[1], &[2], &[1]]).unwrap_err();
        assert_eq!(longer, Divergence { step: 3, expected: None, runnable: vec![ThreadId(1)] });
    }
}

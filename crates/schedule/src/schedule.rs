//! Schedules as data: what was decided, to be decided again.

use crate::event::ThreadId;
use crate::scheduler::{Choice, Divergence, Scheduler, Turn};
use crate::trace::Trace;

/// The decisions that fix an execution: who did how many events, one after the other.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Schedule {
    /// Neighbours are of different threads.
    pub turns: Vec<Turn>,
    /// Whose waits were over because time has passed, in order, each with the number of events before that. Time may pass
    /// although threads can go on, so this does not follow from the turns.
    pub timeouts: Vec<(usize, ThreadId)>,
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
        Schedule { turns, timeouts: Vec::new() }
    }

    /// The same, where these waits were over because time has passed.
    pub fn with_timeouts(self, timeouts: &[(usize, ThreadId)]) -> Schedule {
        Schedule { timeouts: timeouts.to_vec(), ..self }
    }

    /// The decisions on the first so many events.
    pub fn first(mut self, events: usize) -> Schedule {
        let mut left = events;
        for turn in &mut self.turns {
            turn.events = turn.events.min(u32::try_from(left).unwrap_or(u32::MAX));
            left -= turn.events as usize;
        }
        self.turns.retain(|turn| turn.events > 0);
        self.timeouts.retain(|&(before, _)| before <= events);
        self
    }

    /// The turns of the first so many events, without a copy of all others.
    pub fn up_to(&self, events: usize) -> Schedule {
        let mut left = events;
        let turns = self.turns.iter().map_while(|turn| {
            let events = turn.events.min(u32::try_from(left).unwrap_or(u32::MAX));
            left -= events as usize;
            (events > 0).then_some(Turn { events, ..*turn })
        });
        Schedule { turns: turns.collect(), timeouts: Vec::new() }
    }

    /// A scheduler that follows it to the letter.
    pub fn replay(self) -> Replay {
        Replay { schedule: self, next: 0, left: 0, done: 0, over: 0 }
    }
}

/// Follows a schedule. Where the execution does not allow what it says, it ends with a [`Divergence`]: it
/// never guesses.
#[derive(Clone, Debug)]
pub struct Replay {
    schedule: Schedule,
    /// The turn that is to be decided next.
    next: usize,
    /// How many events of the turn before it are still to be decided on.
    left: u32,
    /// How many events were decided on.
    done: usize,
    /// So many of the time-outs have come.
    over: usize,
}

impl Replay {
    /// After how many events time has to pass next.
    fn next_timeout(&self) -> Option<usize> {
        self.schedule.timeouts.get(self.over).map(|&(step, _)| step)
    }
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
        let place = if self.left == 0 { self.next } else { self.next - 1 };
        let turn = *self.schedule.turns.get(place).ok_or_else(|| diverged(None))?;
        if !choice.can_run(turn.thread) {
            return Err(diverged(Some(turn.thread)));
        }
        if self.left == 0 {
            (self.next, self.left) = (self.next + 1, turn.events);
        }
        // Time passes only where the host asks, so a turn in which it did is given in parts.
        let until = self.next_timeout().and_then(|step| step.checked_sub(self.done)).filter(|&events| events > 0);
        let events = until.and_then(|events| u32::try_from(events).ok()).map_or(self.left, |most| most.min(self.left));
        self.left -= events;
        self.done += events as usize;
        Ok(Turn { thread: turn.thread, events })
    }

    fn timed_out(&mut self, _thread: ThreadId) {
        self.over += 1;
    }

    /// Where time has passed. Also where the one whose turn it is cannot go on, in case nobody has noted time-outs: time
    /// had passed before it did.
    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        let steps = choice.trace.steps.len();
        let is_decided = steps >= self.done && self.left == 0;
        let turn = self.schedule.turns.get(if is_decided { self.next } else { self.next - 1 });
        self.next_timeout().is_some_and(|step| step <= steps) || turn.is_some_and(|turn| !choice.can_run(turn.thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, EventKind, ObjectId, SiteId};
    use crate::trace::Step;

    const EVENT: Event = Event { kind: EventKind::Write, object: ObjectId(0), slot: 0, site: SiteId(0) };

    #[test]
    fn the_beginning_of_a_schedule_ends_within_a_turn() {
        let turn = |thread, events| Turn { thread: ThreadId(thread), events };
        let timeouts = vec![(1, ThreadId(2)), (3, ThreadId(1))];
        let whole = Schedule { turns: vec![turn(1, 2), turn(2, 3), turn(1, Turn::WHOLE)], timeouts };
        let beginning = whole.clone().first(2);
        assert_eq!((&*beginning.turns, &*beginning.timeouts), (&[turn(1, 2)][..], &[(1, ThreadId(2))][..]));
        assert_eq!(whole.clone().first(4).turns, [turn(1, 2), turn(2, 2)]);
        assert_eq!(whole.clone().first(usize::MAX), whole);
    }

    /// Follows the schedule 1, 1, 2 through an execution in which these threads can run at each choice.
    fn follow(runnable: &[&[u16]]) -> Result<Trace, Divergence> {
        let turns = [(1, 2), (2, 1)].map(|(thread, events)| Turn { thread: ThreadId(thread), events });
        let mut replay = Schedule { turns: turns.to_vec(), timeouts: Vec::new() }.replay();
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
        let mut replay = Schedule { turns: turns.to_vec(), timeouts: Vec::new() }.replay();
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
    fn time_passes_where_it_did_although_the_next_one_can_go_on() {
        let turns = [(1, 3), (2, 1)].map(|(thread, events)| Turn { thread: ThreadId(thread), events });
        let timeouts = vec![(2, ThreadId(2)), (2, ThreadId(3)), (3, ThreadId(4))];
        let mut replay = Schedule { turns: turns.to_vec(), timeouts }.replay();
        let mut trace = Trace::default();
        let runnable = [(ThreadId(1), EVENT), (ThreadId(2), EVENT)];
        let mut told = Vec::new();
        while trace.steps.len() < 4 {
            let choice = Choice { trace: &trace, last: None, runnable: &runnable };
            if replay.waits_for_time(&choice) {
                told.push("time".to_owned());
                replay.timed_out(ThreadId(9));
                continue;
            }
            let turn = replay.choose(&choice).unwrap();
            told.push(format!("{} x {}", turn.thread.0, turn.events));
            trace.steps.extend((0..turn.events).map(|_| Step { thread: turn.thread, event: EVENT }));
        }
        assert_eq!(told, ["1 x 2", "time", "time", "1 x 1", "time", "2 x 1"]);
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

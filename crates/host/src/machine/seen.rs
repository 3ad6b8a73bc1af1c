//! What a thread is seen to do by whoever asks for its state.
//!
//! HotSpot keeps the state of a thread as the thread itself sets it: when it begins to wait, and when it goes on.
//! So it is here. A thread waits from an attempt that failed, or a wait, up to the event that it waited to do. The
//! one exception is a notification, which makes a thread that waited to be notified one that waits for the monitor.

use super::{Machine, place};
use schedule::{EventKind, ThreadId};

/// The state of a thread, as Java has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It was not started.
    New,
    Runnable,
    /// It waits for a monitor.
    Blocked,
    Waiting,
    /// The same with a time limit.
    TimedWaiting,
    Terminated,
}

/// Which of several threads a notification is for decides itself when one wakes, or is looked at.
const NOTIFIED: &str = "Thread.getState was asked of a thread that may or may not have been notified";
/// A thread whose wait is over begins to wait for the monitor by a step of its own, which is no event.
const OVER: &str = "Thread.getState was asked of a thread whose wait was over while another held the monitor";
/// A thread that ends notifies those that join it, which is no event.
const JOINS: &str = "Thread.getState was asked of a thread that joins another which has ended";

impl Machine {
    /// What a thread is seen to do. If HotSpot could say something else as well, that is a doubt.
    pub fn see(&mut self, thread: ThreadId) -> Seen {
        let state = &self.threads[thread.0 as usize];
        let or_timed = if state.deadline.is_some() { Seen::TimedWaiting } else { Seen::Waiting };
        match state.next {
            _ if state.ended => Seen::Terminated,
            _ if !state.started => Seen::New,
            Some(event) if event.kind == EventKind::Wake => {
                if self.waits.is_notified(place(event), thread) {
                    return Seen::Blocked;
                }
                let is_interrupted = state.interrupted && event.is_interruptible();
                let is_over = state.timed_out || is_interrupted || state.may_be_early() || state.spurious > 0;
                if is_over && !self.locks.is_free_for(event.object, thread) {
                    self.doubt(OVER);
                }
                or_timed
            }
            Some(event) if event.kind == EventKind::LockInVain && state.in_vain => Seen::Blocked,
            Some(event) if state.waits => match event.kind {
                EventKind::Lock => Seen::Blocked,
                EventKind::Join if self.threads[event.slot as usize].ended => {
                    self.doubt(JOINS);
                    or_timed
                }
                _ => or_timed,
            },
            _ => Seen::Runnable,
        }
    }

    /// Somebody looks at a thread. Whether a notification is for it is decided now, if it was not: as HotSpot has
    /// it, for the one that has waited longest.
    pub(super) fn look(&mut self, thread: ThreadId) {
        let waits = self.threads[thread.0 as usize].waits_on;
        if let Some(waits) = waits.filter(|waits| self.waits.may_be_for(waits.place, thread))
            && !self.waits.settle(waits.place)
        {
            self.doubt(NOTIFIED);
        }
    }

    /// How many threads wait on a condition of a lock.
    pub fn waiting(&mut self, lock: schedule::ObjectId, condition: u32) -> u32 {
        let leaves = |thread: &super::Thread| {
            let is_over = |waits: &super::Waits| thread.timed_out || thread.interrupted && waits.interruptible;
            thread.waits_on.is_some_and(|waits| waits.place == (lock, condition) && is_over(&waits))
        };
        if self.threads.iter().any(leaves) {
            self.doubt("a condition was asked for its waiting threads while the wait of one was over");
        }
        self.waits.waiting((lock, condition))
    }

    /// Nothing is certified, because of an answer that may be another one.
    pub fn doubt(&mut self, why: &str) {
        self.doubt_for(&otherwise(why));
    }

    /// Nothing is certified, for this reason.
    pub fn doubt_for(&mut self, why: &str) {
        if !self.doubts.iter().any(|doubt| doubt == why) {
            self.doubts.push(why.to_owned());
        }
    }

    /// A thread is asked what it waits for, or a lock who waits for it. That is known only where attempts are told.
    pub fn ask(&mut self) {
        self.asked |= !self.limits.watched;
    }
}

fn otherwise(why: &str) -> String {
    format!("{why}, where HotSpot may answer otherwise")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Limits;
    use schedule::{Event, ObjectId, RandomWalk, SiteId};

    const ASKER: ThreadId = ThreadId(0);
    const ONE: ThreadId = ThreadId(1);
    const TWO: ThreadId = ThreadId(2);

    fn machine() -> Machine {
        let limits = Limits { watched: true, ..Limits::default() };
        let mut machine = Machine::new(Box::new(RandomWalk::new(0)), limits);
        for _ in 0..3 {
            machine.add_thread();
        }
        machine
    }

    fn event(kind: EventKind, slot: u32) -> Event {
        Event { kind, object: ObjectId(1), slot, site: SiteId::NONE }
    }

    fn perform(machine: &mut Machine, thread: ThreadId, event: Event) {
        machine.announce(thread, event);
        machine.perform(thread);
    }

    /// What the thread is seen to do by one that asks.
    fn ask(machine: &mut Machine, thread: ThreadId) -> Seen {
        perform(machine, ASKER, event(EventKind::State, u32::from(thread.0)));
        machine.see(thread)
    }

    #[test]
    fn a_thread_waits_once_its_attempt_has_failed() {
        let mut machine = machine();
        let lock = event(EventKind::Lock, 0);
        perform(&mut machine, ASKER, lock);
        machine.announce(ONE, lock.attempt());
        assert_eq!(ask(&mut machine, ONE), Seen::Runnable);
        machine.perform(ONE);
        machine.announce(ONE, lock);
        assert_eq!(ask(&mut machine, ONE), Seen::Blocked);
        perform(&mut machine, ASKER, event(EventKind::Unlock, 0));
        assert_eq!(ask(&mut machine, ONE), Seen::Blocked, "it has not gone on yet");
        machine.perform(ONE);
        assert_eq!((ask(&mut machine, ONE), machine.doubts.len()), (Seen::Runnable, 0));
    }

    #[test]
    fn an_attempt_that_succeeds_is_what_it_is_an_attempt_at() {
        let mut machine = machine();
        perform(&mut machine, ONE, event(EventKind::Lock, 0).attempt());
        assert_eq!((machine.depth(ONE, ObjectId(1)), machine.has_to_wait(ONE)), (1, false));
        perform(&mut machine, ASKER, event(EventKind::Unpark, 1));
        perform(&mut machine, ONE, event(EventKind::Park, 0).attempt());
        assert!(!machine.has_to_wait(ONE));
        perform(&mut machine, ONE, event(EventKind::Park, 0).attempt());
        assert!(machine.has_to_wait(ONE), "the permit is used up");
    }

    #[test]
    fn a_notification_is_for_the_thread_that_has_waited_longest_once_one_is_asked() {
        let mut machine = machine();
        for thread in [TWO, ONE] {
            perform(&mut machine, thread, event(EventKind::Lock, 0));
            perform(&mut machine, thread, event(EventKind::Wait, 0));
            machine.announce(thread, event(EventKind::Wake, 0));
        }
        perform(&mut machine, ASKER, event(EventKind::Lock, 0));
        perform(&mut machine, ASKER, event(EventKind::Notify, 0));
        assert_eq!((ask(&mut machine, ONE), ask(&mut machine, TWO)), (Seen::Waiting, Seen::Blocked));
        assert_eq!(machine.doubts, [otherwise(NOTIFIED)]);
        perform(&mut machine, ASKER, event(EventKind::Unlock, 0));
        let can_wake = |thread| machine.can_do(thread, event(EventKind::Wake, 0));
        assert_eq!((can_wake(ONE), can_wake(TWO)), (false, true));
    }

    #[test]
    fn a_notification_that_can_be_for_one_thread_only_leaves_no_doubt() {
        let mut machine = machine();
        perform(&mut machine, ONE, event(EventKind::Lock, 0));
        perform(&mut machine, ONE, event(EventKind::Wait, 0));
        machine.announce_within(ONE, event(EventKind::Wake, 0), Some(5));
        assert_eq!(ask(&mut machine, ONE), Seen::TimedWaiting);
        perform(&mut machine, ASKER, event(EventKind::Lock, 0));
        perform(&mut machine, ASKER, event(EventKind::Notify, 0));
        assert_eq!((ask(&mut machine, ONE), machine.doubts.len()), (Seen::Blocked, 0));
    }

    #[test]
    fn a_wait_that_is_over_is_doubted_while_another_thread_holds_the_monitor() {
        let mut machine = machine();
        perform(&mut machine, ONE, event(EventKind::Lock, 0));
        perform(&mut machine, ONE, event(EventKind::Wait, 0));
        machine.announce(ONE, event(EventKind::Wake, 0));
        perform(&mut machine, ASKER, event(EventKind::Interrupt, 1));
        assert_eq!((ask(&mut machine, ONE), machine.doubts.len()), (Seen::Waiting, 0));
        perform(&mut machine, ASKER, event(EventKind::Lock, 0));
        assert_eq!((ask(&mut machine, ONE), &machine.doubts[..]), (Seen::Waiting, &[otherwise(OVER)][..]));
    }
}

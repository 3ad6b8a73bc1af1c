//! Why an execution did not come to its end.

use crate::execution::{End, Execution};
use crate::spin::Spins;
use crate::timeline::Timeline;
use schedule::{Event, EventKind, ObjectId, ThreadId};

/// What keeps an execution from its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hang {
    /// Each thread waits for a monitor that the next one holds, the last for one of the first.
    ResourceCycle(Vec<Held>),
    /// A thread waits for a notification that was given before it waited, when nobody did.
    LostNotification {
        /// Who waits.
        thread: ThreadId,
        /// On what.
        object: ObjectId,
        /// The step of the last notification on it that found nobody.
        notification: usize,
    },
    /// Threads wait for something that nobody is left to do. None of them waits in a cycle of monitors.
    Communication(Vec<ThreadId>),
    /// Threads go round and round, each reading what none of them changes, and no wait is left that time could end.
    Livelock(Vec<ThreadId>),
    /// There was no end within the events that are allowed.
    EndlessLoop,
}

/// A thread of a cycle, with the monitor that it waits for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Held {
    /// Who waits.
    pub thread: ThreadId,
    /// For what.
    pub object: ObjectId,
}

/// What keeps this execution from its end; None if nothing does.
///
/// A notification that was lost is told only if the thread still waits for one; whether it would have been enough
/// is not known. A livelock is told only if every thread that can go on spins and no other waits for what might be over
/// by time; all else that comes to no end is an endless loop.
pub fn hang(execution: &Execution<'_>) -> Option<Hang> {
    match execution.end {
        End::Done | End::Stopped => None,
        End::Stuck => Some(stuck(execution)),
        End::Cut => Some(cut(execution)),
    }
}

fn stuck(execution: &Execution<'_>) -> Hang {
    let timeline = Timeline::of(execution);
    let names: Vec<_> = timeline.pending.iter().map(|&(name, ..)| name).collect();
    let raw = |name: usize| names.iter().position(|&other| other == name).map(|place| execution.pending[place].0);
    let waits_for = |name: usize| {
        let &(_, event, _) = timeline.pending.iter().find(|&&(other, ..)| other == name)?;
        if event.kind == EventKind::LockInVain {
            return Some((event.object, event.slot as usize));
        }
        // Who waits to be notified does not wait for the monitor.
        let wants = matches!(event.kind, EventKind::Lock | EventKind::LockWithin)
            || event.kind == EventKind::Wake && timeline.state.is_notified(event, name);
        let holder = timeline.state.holder(event.object).filter(|_| wants)?;
        Some((event.object, holder))
    };
    for &first in &names {
        let (mut cycle, mut at) = (Vec::new(), first);
        while let (Some((object, holder)), Some(thread)) = (waits_for(at), raw(at)) {
            cycle.push(Held { thread, object });
            at = holder;
            if at == first {
                return Hang::ResourceCycle(cycle);
            }
            if cycle.len() > names.len() {
                break;
            }
        }
    }
    for (&(thread, event), &name) in execution.pending.iter().zip(&names) {
        if event.kind == EventKind::Wake && !timeline.state.is_notified(event, name) {
            // No one can be notified after the last one has gone to wait, unless that was in vain too.
            if let Some(notification) = notified_nobody(execution, event) {
                return Hang::LostNotification { thread, object: event.object, notification };
            }
        }
    }
    Hang::Communication(execution.pending.iter().map(|&(thread, _)| thread).collect())
}

/// The last notification, where that thread would wake, that found nobody to notify.
fn notified_nobody(execution: &Execution<'_>, wake: Event) -> Option<usize> {
    let mut state = crate::state::State::default();
    let mut names = crate::names::Names::default();
    let mut lost = None;
    for (index, step) in execution.trace.steps.iter().enumerate() {
        let name = names.name(step.thread);
        let event = names.event(name, step.event);
        let notifies = matches!(event.kind, EventKind::Notify | EventKind::NotifyAll);
        let here = (event.object, event.condition()) == (wake.object, wake.condition());
        if notifies && here && !state.has_waiting(event) {
            lost = Some(index);
        }
        state.apply(name, event);
        names.happened(name, event);
    }
    lost
}

fn cut(execution: &Execution<'_>) -> Hang {
    let timeline = Timeline::of(execution);
    let mut spins = Spins::default();
    for (step, &(thread, event)) in timeline.steps.iter().enumerate() {
        spins.happened(thread, event, timeline.order.footprint(step));
    }
    let mut spinning = Vec::new();
    for (&(name, event, _), &(thread, _)) in timeline.pending.iter().zip(execution.pending) {
        // Whether a wait is over by time some day, events do not tell. That the first thread joins is no such wait.
        let lasts = event.kind == EventKind::Lock || event.kind == EventKind::Join && thread == ThreadId(0);
        if timeline.state.can_do(name, event) {
            if spins.goes_round(name, event, 4).is_none() {
                return Hang::EndlessLoop;
            }
            spinning.push(thread);
        } else if !lasts {
            return Hang::EndlessLoop;
        }
    }
    if spinning.is_empty() { Hang::EndlessLoop } else { Hang::Livelock(spinning) }
}

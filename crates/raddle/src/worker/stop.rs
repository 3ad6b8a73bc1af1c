//! Why an execution ended early, in words.

use host::{Awaited, Blocked, Execution, Stop, Thrown};
use schedule::{EventKind, ObjectId, ThreadId};

use super::doubt::is_of_limit;

/// Whether threads of a deadlock wait in a circle, each for what the next one holds.
pub fn is_circle(execution: &Execution) -> bool {
    let Some(Stop::Deadlock(blocked)) = &execution.stop else { return false };
    let next = |thread: ThreadId| {
        let own = blocked.iter().find(|blocked| blocked.thread == thread)?;
        holder(own, &execution.awaited).filter(|&holder| holder != thread)
    };
    let comes_back = |first: &Blocked| {
        let way = std::iter::successors(next(first.thread), |&thread| next(thread));
        way.take(blocked.len()).any(|thread| thread == first.thread)
    };
    blocked.iter().any(comes_back)
}

/// One line; None for an execution that did not end early.
pub fn describe(execution: &Execution) -> Option<String> {
    Some(match execution.stop.as_ref()? {
        Stop::Deadlock(blocked) => {
            format!("deadlock: {}", describe_all(blocked, &execution.awaited))
        }
        Stop::TooManyEvents => "too many events".into(),
        Stop::Diverged(divergence) => format!("diverged: {divergence}"),
        Stop::TooManyThreads => "too many threads".into(),
        Stop::Exit(status) => format!("asked the virtual machine to end with status {status}"),
    })
}

/// What threads wait for.
pub fn describe_all(blocked: &[Blocked], awaited: &[Awaited]) -> String {
    let threads: Vec<_> = blocked.iter().map(|blocked| describe_blocked(blocked, awaited)).collect();
    threads.join("; ")
}

/// An exception, in a line. A real stack that is full has no more to say than that.
pub fn describe_thrown(thrown: &Thrown) -> String {
    let message = thrown.message.as_ref().filter(|_| !is_of_limit(thrown));
    let message = message.map_or(String::new(), |message| format!(": {message}"));
    format!("{}{message}", thrown.class)
}

fn describe_blocked(blocked: &Blocked, awaited: &[Awaited]) -> String {
    format!("{} {}", blocked.thread, describe_wait(blocked, awaited))
}

/// What a thread waits for, who has that, and what it has itself.
pub fn describe_wait(blocked: &Blocked, awaited: &[Awaited]) -> String {
    let name = |object: ObjectId| {
        let class = awaited.iter().find(|known| known.object == object).map_or("", |known| &known.class);
        format!("{class}#{}", object.0)
    };
    let own = own(blocked, awaited);
    let wants = match blocked.event.kind {
        EventKind::Lock | EventKind::LockWithin | EventKind::LockInVain => {
            format!("waits to lock {}", name(blocked.event.object))
        }
        EventKind::Wake if blocked.holder.is_some() => {
            format!("waits to lock {} again", name(blocked.event.object))
        }
        EventKind::Wake => format!("waits to be notified on {}", name(blocked.event.object)),
        EventKind::Park => match own {
            Some(own) => format!("is parked for {}", name(own.object)),
            None => "is parked".to_owned(),
        },
        EventKind::Join => format!("waits for the end of {}", ThreadId(blocked.event.slot as u16)),
        other => format!("waits to {}", other.name()),
    };
    let held = holder(blocked, awaited).map_or(String::new(), |holder| format!(" held by {holder}"));
    let holds: Vec<_> = blocked.holds.iter().map(|&object| name(object)).collect();
    let holds = if holds.is_empty() { String::new() } else { format!(" and holds {}", holds.join(", ")) };
    format!("{wants}{held}{holds}")
}

/// Who has what a thread waits for, if anybody has.
pub fn holder(blocked: &Blocked, awaited: &[Awaited]) -> Option<ThreadId> {
    blocked.holder.or_else(|| own(blocked, awaited)?.owner)
}

/// What a thread waits for.
pub fn own<'a>(blocked: &Blocked, awaited: &'a [Awaited]) -> Option<&'a Awaited> {
    awaited.iter().find(|known| known.thread == blocked.thread)
}

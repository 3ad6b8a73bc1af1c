//! What is wrong with an execution, and how it is told from what is wrong with others.

use std::collections::BTreeMap;

use explore::{Hang, hang};
use host::{Awaited, Blocked, Execution, Stop, Thrown};
use schedule::ThreadId;

use super::ending::{End, tell};
use super::protocol::{Failure, FailureKind};
use super::{doubt, stop};

/// What is wrong with an execution that ended so, if anything is. With `must_end`, threads that are left waiting are.
pub fn failure(execution: &Execution, end: End, must_end: bool) -> Option<Failure> {
    if let Some(thrown) = execution.thrown().next() {
        return (!oracle::is_assumption(&thrown.class)).then(|| of_thrown(thrown));
    }
    if let Some(Stop::Exit(status)) = execution.stop {
        let what = format!("System.exit({status})");
        return (status != 0).then(|| Failure {
            kind: FailureKind::Exception,
            place: what.clone(),
            what,
            ..Failure::default()
        });
    }
    of_stuck(execution, must_end).or_else(|| (end == End::Cut).then(|| of_endless(execution, end)))
}

/// Who waits for what in an execution that is stuck.
pub fn of_stuck(execution: &Execution, must_end: bool) -> Option<Failure> {
    if let Some(Stop::Deadlock(blocked)) = &execution.stop {
        let what = stop::describe(execution).unwrap_or_default() + why(execution, blocked);
        return Some(Failure { kind: FailureKind::Deadlock, what, place: place(blocked), ..Failure::default() });
    }
    let left: Vec<_> = execution.left.iter().filter(|blocked| !blocked.daemon).cloned().collect();
    (must_end && !left.is_empty()).then(|| {
        let waits = stop::describe_all(&left, &execution.awaited);
        let what = format!("the program does not end: {waits}{}", why(execution, &left));
        Failure { kind: FailureKind::Deadlock, what, place: place(&left), ..Failure::default() }
    })
}

/// Of which kind it is, said after who waits for what.
fn why(execution: &Execution, blocked: &[Blocked]) -> &'static str {
    if is_circle(blocked, &execution.awaited) {
        return "; each waits for what another one holds";
    }
    match hang(&tell(execution, End::Stuck)) {
        Some(Hang::LostNotification { .. }) => "; a notification was given there before, when nobody waited",
        _ => "; nobody is left who could end that",
    }
}

/// Whether threads wait for each other's locks in a circle. Those of the JDK count, for which a thread is parked.
fn is_circle(blocked: &[Blocked], awaited: &[Awaited]) -> bool {
    let holder = |thread: ThreadId| {
        let blocked = blocked.iter().find(|blocked| blocked.thread == thread)?;
        stop::holder(blocked, awaited)
    };
    blocked.iter().any(|first| {
        let way = std::iter::successors(holder(first.thread), |&thread| holder(thread));
        way.take(blocked.len()).any(|thread| thread == first.thread)
    })
}

/// What goes on in an execution that has no end.
pub fn of_endless(execution: &Execution, end: End) -> Failure {
    let what = match hang(&tell(execution, end)) {
        Some(Hang::Livelock(threads)) => {
            let names: Vec<_> = threads.iter().map(|thread| thread.0.to_string()).collect();
            let (who, go, they) = match names.len() {
                1 => ("thread", "goes", "it looks"),
                _ => ("threads", "go", "they look"),
            };
            format!("livelock: {who} {} {go} round and round, and nobody changes what {they} at", names.join(", "))
        }
        _ => format!("no end after {} events", execution.trace.steps.len()),
    };
    Failure { kind: FailureKind::Hang, what, ..Failure::default() }
}

/// What is said of an execution that failed in a way which has no name of its own.
pub fn unnamed(execution: &Execution) -> Failure {
    let what = stop::describe(execution).unwrap_or_else(|| "a call did not return".to_owned());
    Failure { kind: FailureKind::Exception, what, ..Failure::default() }
}

/// What is said of an exception.
pub fn of_thrown(thrown: &Thrown) -> Failure {
    if doubt::is_of_limit(thrown) {
        return of_recursion(thrown);
    }
    Failure {
        kind: FailureKind::Exception,
        what: stop::describe_thrown(thrown),
        // The message may have numbers in it that depend on the schedule.
        place: format!("{} {}", thrown.class, thrown.frames.first().map_or("", |frame| frame)),
        is_refusal: oracle::is_rejection(&thrown.class),
        ..Failure::default()
    }
}

/// What is said of a recursion without an end. In which of its calls it was ended is by chance.
fn of_recursion(thrown: &Thrown) -> Failure {
    let method = recurring(&thrown.frames);
    let what = match method {
        "" => "methods call each other without end".to_owned(),
        method => format!("{method} calls itself, directly or not, without end"),
    };
    Failure {
        kind: FailureKind::Exception,
        what: format!("{}: {what}", thrown.class),
        place: format!("{} {method}", thrown.class),
        ..Failure::default()
    }
}

/// Whether it is a recursion only because something holds itself: such a thing has no hash and no text, and is equal to nothing. Whoever puts it
/// there gets that, with threads or without.
pub fn is_of_holding_itself(thrown: &Thrown) -> bool {
    let name = |method: &str| method.rsplit('.').next().is_some_and(|name| OF_WHAT_IS_HELD.contains(&name));
    full_of(&thrown.frames).any(name)
}

/// Whether two stacks are full of the same. Of a long circle of calls it is by chance which occur twice, so one in common is enough.
pub fn recur_alike(one: &Thrown, other: &Thrown) -> bool {
    let known: Vec<_> = full_of(&one.frames).collect();
    full_of(&other.frames).any(|method| known.contains(&method))
        || known.is_empty() && recurring(&other.frames).is_empty()
}

const OF_WHAT_IS_HELD: [&str; 3] = ["equals", "hashCode", "toString"];

/// The first by name of the methods that a stack is full of.
fn recurring(frames: &[String]) -> &str {
    full_of(frames).next().unwrap_or("")
}

/// The methods that a stack is full of, by name. Others may be at its top, or at its bottom.
fn full_of(frames: &[String]) -> impl Iterator<Item = &str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(frame.split('(').next().unwrap_or(frame)).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    counts.into_iter().filter(move |(_, count)| *count > 1 && 4 * count >= most).map(|(method, _)| method)
}

/// Where threads wait, in whatever order.
fn place(blocked: &[Blocked]) -> String {
    let mut sites: Vec<_> =
        blocked.iter().map(|blocked| format!("{} {}", blocked.event.kind.name(), blocked.event.site.0)).collect();
    sites.sort();
    sites.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recursion_is_known_by_what_it_is_full_of_wherever_it_was_ended() {
        let stack = |top: &[&str], first: usize| -> Vec<String> {
            let circle = ["b.Node.visit(Node.java:4)", "b.Node.visit(Node.java:9)", "a.List.each(List.java:7)"];
            let frames = top.iter().copied().chain((first..first + 40).map(|at| circle[at % 3]));
            frames.chain(["test.Main.main(Main.java:1)", "... 936 more"]).map(str::to_owned).collect()
        };
        for (top, first) in [(&[][..], 0), (&[], 1), (&["a.Bag.size(Bag.java:2)"], 2), (&["a.A.a(A.java:1)"; 2], 1)] {
            assert_eq!(recurring(&stack(top, first)), "a.List.each");
        }
        assert_eq!(recurring(&[]), "");
        let thrown = |frames| Thrown { frames, ..Thrown::default() };
        assert!(!is_of_holding_itself(&thrown(stack(&["a.Bag.hashCode(Bag.java:2)"], 0))));
        let holds = ["a.Bag.contains(Bag.java:5)", "a.Bag.equals(Bag.java:9)"].repeat(30);
        assert!(is_of_holding_itself(&thrown(holds.into_iter().map(str::to_owned).collect())));
    }
}

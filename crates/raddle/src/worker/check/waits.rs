//! Which calls linearizations leave waiting: see [`oracle::Waits`].

use host::{CallResult, Execution, Host, Stop};
use schedule::{Event, EventKind, ThreadId};

use crate::worker::stop;

/// How many calls each suffix had made whenever nobody was within one, up to the first call that another has
/// interrupted.
pub fn quiet(execution: &Execution) -> Vec<Vec<usize>> {
    // A call that was cut off has an end, too, and is not made.
    let ends: Vec<&[usize]> = (0..execution.ends.len()).map(|suffix| made_calls(execution, suffix)).collect();
    let made = |suffix: usize, at: usize| ends[suffix].iter().take_while(|&&end| end <= at).count();
    let mut quiet = vec![vec![0; ends.len()]];
    // The call that goes on, as its suffix and its number in that.
    let mut current: Option<(usize, usize)> = None;
    for (at, step) in execution.trace.steps.iter().enumerate() {
        let suffix = (step.thread.0 as usize).checked_sub(1).filter(|&suffix| suffix < ends.len());
        let is_call = !matches!(step.event.kind, EventKind::Begin | EventKind::End);
        let Some(suffix) = suffix.filter(|_| is_call) else { continue };
        let call = (suffix, made(suffix, at));
        if current == Some(call) {
            continue;
        }
        if current.is_some_and(|(suffix, number)| made(suffix, at) == number) {
            return quiet;
        }
        quiet.push((0..ends.len()).map(|suffix| made(suffix, at)).collect());
        current = Some(call);
    }
    if current.is_none_or(|(suffix, number)| ends[suffix].len() > number) {
        quiet.push(ends.iter().map(|made| made.len()).collect());
    }
    quiet.dedup();
    quiet
}

/// The suffixes of threads that wait for a lock while its holder waits for something that is no lock.
pub fn locked_out(execution: &Execution) -> Vec<usize> {
    let Some(Stop::Deadlock(blocked)) = &execution.stop else { return Vec::new() };
    let holder = |thread: ThreadId| {
        let own = blocked.iter().find(|blocked| blocked.thread == thread)?;
        stop::holder(own, &execution.awaited).filter(|&holder| holder != thread)
    };
    let is_out = |thread: ThreadId| {
        let last = std::iter::successors(holder(thread), |&thread| holder(thread)).take(blocked.len()).last();
        last.is_some_and(|last| holder(last).is_none() && blocked.iter().any(|blocked| blocked.thread == last))
    };
    let threads = blocked.iter().map(|blocked| blocked.thread).filter(|thread| thread.0 > 0 && is_out(*thread));
    threads.map(|thread| thread.0 as usize - 1).collect()
}

/// When the calls of a suffix ended that were not cut off.
fn made_calls(execution: &Execution, suffix: usize) -> &[usize] {
    let is_made = |result: &&CallResult| !matches!(result, CallResult::CutOff);
    let made = execution.suffixes[suffix].iter().take_while(is_made).count();
    &execution.ends[suffix][..made.min(execution.ends[suffix].len())]
}

/// Whether a call that was made has read what one that waits for good has written. It may have acted otherwise because of
/// that. Who only counts, as in `waiting++`, does not look.
pub fn is_looked_at(host: &Host, execution: &Execution) -> bool {
    let steps = &execution.trace.steps;
    let is_of = |at: usize, suffix: usize| steps[at].thread.0 as usize == suffix + 1;
    let suffixes = 0..execution.suffixes.len();
    let begins: Vec<usize> =
        suffixes.clone().map(|suffix| made_calls(execution, suffix).last().copied().unwrap_or(0)).collect();
    let is_waiting = |suffix: usize| matches!(execution.suffixes[suffix].last(), Some(CallResult::CutOff) | None);
    suffixes.clone().filter(|&suffix| is_waiting(suffix)).any(|waiting| {
        let own = (begins[waiting]..steps.len()).filter(|&at| is_of(at, waiting));
        // Who has a lock is no matter of what a call has done with it.
        let is_write = |at: usize| steps[at].event.kind.is_write() && steps[at].event.slot != Event::SYNCHRONIZER;
        own.filter(|&at| is_write(at)).any(|written| {
            let variable = |at: usize| (steps[at].event.object, steps[at].event.slot);
            let others = suffixes.clone().filter(|&other| other != waiting);
            others.into_iter().any(|other| {
                let made = (written + 1..steps.len()).filter(|&at| is_of(at, other) && at < begins[other]);
                let mut reads = made.filter(|&at| {
                    let kind = steps[at].event.kind;
                    kind.is_access() && !matches!(kind, EventKind::Write | EventKind::VolatileWrite)
                });
                reads.any(|at| variable(at) == variable(written) && !is_count(host, execution, at))
            })
        })
    })
}

/// Bytes from the read to the write of `count++` and `count--`: the read, the constant, and the sum. Where the value is
/// used as well, as in `if (count++ == 0)`, there is one more, which copies it.
const COUNT_BYTES: u16 = 5;

/// Whether a read is a part of an increment: what it gave goes into the same variable and nowhere else.
fn is_count(host: &Host, execution: &Execution, read: usize) -> bool {
    let steps = &execution.trace.steps;
    let mut rest = steps[read + 1..].iter();
    let Some(next) = rest.find(|step| step.thread == steps[read].thread) else { return false };
    let (one, other) = (steps[read].event, next.event);
    let is_same = (one.object, one.slot) == (other.object, other.slot);
    let writes = matches!(other.kind, EventKind::Write | EventKind::VolatileWrite);
    is_same
        && writes
        && host.site(one.site).zip(host.site(other.site)).is_some_and(|(from, to)| {
            let is_one_method = (&from.class, &from.method) == (&to.class, &to.method);
            is_one_method && to.pc.checked_sub(from.pc) == Some(COUNT_BYTES)
        })
}

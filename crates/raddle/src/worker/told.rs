//! One execution step by step, for whoever wants to understand it.

use std::collections::{BTreeMap, HashSet};

use explore::preemptions;
use host::{Awaited, CallResult, Execution, Host, Stop, Told};
use schedule::{Event, EventKind, ObjectId, ThreadId};

use super::ending::{end, tell};
use super::protocol::{Shown, ShownStep};
use super::stop;

/// Adds to what is shown of an execution that was told in full, or of which the beginning was. How it ended, the whole says.
pub fn add(shown: &mut Shown, host: &Host, execution: &Execution, whole: &Execution) {
    let told: BTreeMap<usize, &Told> = execution.told.iter().map(|(step, told)| (*step, told)).collect();
    let preempting: HashSet<usize> = preemptions(&tell(execution, end(execution))).into_iter().collect();
    let classes = classes(execution, &told);
    let teller = Teller { host, classes };
    let steps = execution.trace.steps.iter().enumerate();
    shown.steps = steps
        .map(|(number, step)| ShownStep {
            time_passed: execution.timed_out.iter().any(|&(at, _)| at == number),
            preempts: preempting.contains(&number),
            ..teller.step(step.thread, as_done(execution, number), told.get(&number).copied())
        })
        .collect();
    shown.pending = execution.pending.iter().map(|&(thread, event)| teller.step(thread, event, None)).collect();
    shown.names = execution.names.iter().map(|(thread, name)| (thread.0, name.clone())).collect();
    shown.endings = endings(whole);
    shown.given = execution.given.iter().map(|&(call, object)| (call, object.0)).collect();
}

/// The event of a step. An attempt that succeeded is what it is an attempt at: else that comes next in its thread.
fn as_done(execution: &Execution, number: usize) -> Event {
    let schedule::Step { thread, event } = execution.trace.steps[number];
    let Some(attempted) = event.attempted() else { return event };
    let later = execution.trace.steps[number + 1..].iter().find(|step| step.thread == thread).map(|step| step.event);
    let pending = || execution.pending.iter().find(|(of, _)| *of == thread).map(|(_, event)| *event);
    let is_same =
        |next: Event| (next.kind, next.object, next.slot) == (attempted.kind, attempted.object, attempted.slot);
    if later.or_else(pending).is_some_and(is_same) { event } else { attempted }
}

/// The class of each object, as far as some step has told of it.
fn classes(execution: &Execution, told: &BTreeMap<usize, &Told>) -> BTreeMap<u32, String> {
    let of_steps = told.iter().filter_map(|(step, told)| {
        let object = execution.trace.steps.get(*step)?.event.object;
        Some((object.0, told.class.clone().filter(|_| object != ObjectId::NONE)?))
    });
    let of_awaited = execution.awaited.iter().map(|awaited| (awaited.object.0, awaited.class.clone()));
    of_steps.chain(of_awaited).collect()
}

struct Teller<'h> {
    host: &'h Host,
    classes: BTreeMap<u32, String>,
}

impl Teller<'_> {
    fn step(&self, thread: ThreadId, event: Event, told: Option<&Told>) -> ShownStep {
        let number = event.object.0;
        let is_about_thread = event.attempted().unwrap_or(event).kind.is_about_thread();
        let class = || self.classes.get(&number).cloned().unwrap_or_default();
        let mut frames = told.map(|told| told.frames.clone()).unwrap_or_default();
        if let Some(site) = self.host.site(event.site) {
            let name = site.method.split('(').next().unwrap_or_default();
            let method = format!("{}.{name}(", site.class.replace('/', "."));
            let line = site.line.map_or(String::new(), |line| format!(":{line}"));
            match frames.first_mut() {
                None => frames.push(format!("{method}{UNKNOWN_FILE}{line})")),
                // Where a synchronized method takes its monitor there was no instruction, and so no line.
                Some(frame) if frame.contains(&method) && frame.ends_with(".java)") => {
                    frame.insert_str(frame.len() - 1, &line);
                }
                Some(_) => (),
            }
        }
        ShownStep {
            thread: thread.0,
            kind: event.kind.name().to_owned(),
            // What is done to a thread is told by the thread's number.
            object: (event.object != ObjectId::NONE && !is_about_thread).then(|| (number, class())),
            what: self.what(event),
            value: told.and_then(|told| told.value.clone()),
            frames,
            ..ShownStep::default()
        }
    }

    fn what(&self, event: Event) -> Option<String> {
        use EventKind::{Alive, Interrupt, Interrupted, Join, Start, State, Unpark};
        let event = event.attempted().unwrap_or(event);
        match (event.kind, event.slot) {
            _ if event.reserved_name().is_some() => event.reserved_name().map(str::to_owned),
            (kind, slot) if kind.is_access() => Some(match self.host.field(slot) {
                Some((class, name)) => format!("{}.{name}", class.replace('/', ".")),
                None => format!("[{slot}]"),
            }),
            (Start | Join | Unpark | Interrupt | Interrupted | Alive | State, slot) => Some(format!("thread {slot}")),
            _ => None,
        }
    }
}

/// What stands for the name of a source file that is not known.
pub const UNKNOWN_FILE: &str = "Unknown";

/// How threads ended, those that simply did aside.
fn endings(execution: &Execution) -> Vec<(u16, String)> {
    let mut endings = Vec::new();
    let threw = |calls: &[CallResult]| match calls.last() {
        Some(CallResult::Threw(thrown)) => Some(format!("throws {}", stop::describe_thrown(thrown))),
        _ => None,
    };
    endings.extend(threw(&execution.prefix).or_else(|| threw(&execution.probes)).map(|text| (0, text)));
    for (number, calls) in execution.suffixes.iter().enumerate() {
        endings.extend(threw(calls).map(|text| (number as u16 + 1, text)));
    }
    for (thread, thrown) in &execution.uncaught {
        endings.push((thread.0, format!("throws {}", stop::describe_thrown(thrown))));
    }
    let blocked = match &execution.stop {
        Some(Stop::Deadlock(blocked)) => blocked,
        _ => &execution.left,
    };
    let awaited: &[Awaited] = &execution.awaited;
    endings.extend(blocked.iter().map(|blocked| (blocked.thread.0, stop::describe_wait(blocked, awaited))));
    endings
}

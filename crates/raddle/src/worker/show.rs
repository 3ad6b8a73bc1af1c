//! One execution, told whole, in words that mean the same in another process.

use host::{Execution, Host};
use schedule::{ObjectId, Step};

use super::protocol::Shown;
use super::stop;

/// Tells of a step.
pub fn describe(host: &Host, step: &Step) -> String {
    let event = step.event;
    let site = host.site(event.site).map_or(String::new(), |site| {
        let line = site.line.map_or(String::new(), |line| format!(":{line}"));
        format!(" at {}.{}{line}", site.class.replace('/', "."), site.method)
    });
    if let Some(attempted) = event.attempted() {
        return describe(host, &Step { event: attempted, ..*step }).replacen(' ', " attempt to ", 1);
    }
    let field = host.field(event.slot).filter(|_| event.kind.is_access());
    let what = match (event.reserved_name(), field) {
        (Some(name), _) => name.to_owned(),
        (None, Some((class, name))) => format!("{}.{name}", class.replace('/', ".")),
        (None, None) => event.slot.to_string(),
    };
    let object = if event.object == ObjectId::NONE { "-".into() } else { format!("#{}", event.object.0) };
    format!("{} {} {object} {what}{site}", step.thread.0, event.kind.name())
}

/// Tells of an execution.
pub fn show(host: &Host, execution: &Execution, seed: u64, hash: u64) -> Shown {
    Shown {
        seed,
        hash,
        turns: execution.schedule().turns.iter().map(|turn| (turn.thread.0, turn.events)).collect(),
        timeouts: execution.timed_out.iter().map(|&(step, thread)| (step, thread.0)).collect(),
        events: execution.trace.steps.iter().map(|step| describe(host, step)).collect(),
        prefix: execution.prefix.clone(),
        suffixes: execution.suffixes.clone(),
        probes: execution.probes.clone(),
        uncaught: execution.uncaught.iter().map(|(thread, thrown)| (thread.0, thrown.clone())).collect(),
        stop: stop::describe(execution),
        watched: execution.watched,
        mirrored: execution.mirrored,
        ..Shown::default()
    }
}

//! One pair of methods, explained: what they share, where, under which locks.

use analysis::{AccessFact, ClassFacts, Conflict, Kind, MethodFacts, SecondShare, SiteFact, Through};
use anstyle::Style;
use anyhow::{anyhow, bail};

use super::{lock_name, place};
use crate::output::paint;
use crate::sources::Sources;

/// Explains all pairs of overloads that the text names.
pub fn explain(facts: &ClassFacts, wanted: &str, sources: &Sources) -> anyhow::Result<String> {
    let (first, second) = split(wanted)
        .ok_or_else(|| anyhow!("--pair takes two methods with a comma between: --pair add,remove(Object)"))?;
    let (first, second) = (find(facts, first)?, find(facts, second)?);
    let all = facts.pairs();
    let mut text = String::new();
    let mut told = Vec::new();
    for &a in &first {
        for &b in &second {
            let methods = (a.min(b), a.max(b));
            if !told.contains(&methods) {
                told.push(methods);
                let pair = all.iter().find(|pair| pair.methods == methods).expect("internal bug: M holds all pairs");
                explain_pair(facts, pair, sources, &mut text);
            }
        }
    }
    Ok(text)
}

/// Splits at the comma that is in no parentheses.
fn split(wanted: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    let at = wanted.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    })?;
    Some((wanted[..at].trim(), wanted[at + 1..].trim()))
}

fn find(facts: &ClassFacts, name: &str) -> anyhow::Result<Vec<usize>> {
    let found: Vec<usize> =
        (0..facts.methods.len()).filter(|&number| facts.methods[number].is_meant_by(name)).collect();
    if found.is_empty() {
        bail!("{} has no public method {name}: leave --pair out to see which it has", facts.class);
    }
    Ok(found)
}

fn explain_pair(facts: &ClassFacts, pair: &analysis::Pair, sources: &Sources, text: &mut String) {
    let (a, b) = pair.methods;
    let (first, second) = (&facts.methods[a], &facts.methods[b]);
    let title = format!("{} and {}", first.signature(), second.signature());
    text.push_str(&format!("{}\n", paint(&title, Style::new().bold())));
    let yes = |is: bool| if is { "yes" } else { "no" };
    text.push_str(&format!(
        "  conflict: {}   parallel: {}   double lock: {}   score: {}\n",
        yes(pair.conflict),
        yes(pair.parallel),
        yes(pair.double_lock),
        pair.score
    ));
    for method in [first, second] {
        let locks: Vec<String> = method.lock_summary.iter().map(|&lock| lock_name(facts, lock)).collect();
        let locks = if locks.is_empty() { "nothing".to_owned() } else { locks.join(", ") };
        text.push_str(&format!("  all of {} is protected by {locks}\n", method.signature()));
    }
    for conflict in facts.conflicts(a, b) {
        explain_conflict(facts, &conflict, sources, text);
    }
    for (one, other) in facts.crossings(a, b) {
        let order = |double: &analysis::DoubleLock| {
            let (outer, inner) = (lock_name(facts, double.outer), lock_name(facts, double.inner));
            format!("holds {outer}, takes {inner} at {}", place(&double.site))
        };
        for (method, double) in [(first, one), (second, other)] {
            text.push_str(&format!("  {} {}\n", method.name, order(double)));
            quote(&double.site, sources, text);
        }
    }
    let mut told = None;
    for share in facts.second_shares(a, b) {
        if told != Some(share.through) {
            told = Some(share.through);
            text.push_str(&format!("  {}:\n", condition(facts, &share, [first, second])));
        }
        explain_conflict(facts, &share.conflict, sources, text);
    }
    text.push('\n');
}

/// What has to be shared.
fn condition(facts: &ClassFacts, share: &SecondShare<'_>, methods: [&MethodFacts; 2]) -> String {
    match share.through {
        Through::Argument { number, of_first } => {
            let name = &methods[usize::from(!of_first)].name;
            format!("if argument {} of {name} is the other's subject", number + 1)
        }
        Through::Field(setters) => {
            let setters = &facts.setters[setters];
            let by: Vec<&str> = setters.by.iter().map(|setter| setter.method.as_str()).collect();
            format!("if two subjects share {}, which {} sets", setters.path, by.join(" or "))
        }
    }
}

fn explain_conflict(facts: &ClassFacts, conflict: &Conflict<'_>, sources: &Sources, text: &mut String) {
    let location = &facts.locations[conflict.first.location];
    let guard = match conflict.common {
        Some(lock) => format!("each under {}", lock_name(facts, lock)),
        None => "no common lock".to_owned(),
    };
    text.push_str(&format!("  {} ({}.{}): {guard}\n", location.path, location.class, location.field));
    for access in [conflict.first, conflict.second] {
        text.push_str(&format!("    {}\n", describe(facts, access)));
        quote(&access.site, sources, text);
    }
}

fn describe(facts: &ClassFacts, access: &AccessFact) -> String {
    let kind = match access.kind {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Update => "update",
    };
    let held: Vec<String> = access.held.iter().map(|held| lock_name(facts, held.lock)).collect();
    let held = if held.is_empty() { "no lock".to_owned() } else { held.join(", ") };
    let ordered = if access.ordered { "ordered " } else { "" };
    format!("{ordered}{kind} at {} under {held}", place(&access.site))
}

/// The line of a place, if its source is there.
fn quote(site: &SiteFact, sources: &Sources, text: &mut String) {
    let line = site.line.and_then(|line| sources.line(&site.class, site.file.as_deref(), line.into()));
    if let Some(line) = line {
        text.push_str(&format!("        {}\n", paint(line.trim_start(), Style::new().dimmed())));
    }
}

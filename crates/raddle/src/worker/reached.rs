//! Which places in the code threads have been at.

use std::collections::{BTreeSet, HashSet};

use host::{Execution, Host};
use schedule::{EventKind, FastMap, ObjectId, SiteId, Step, ThreadId};

/// Notices when threads are at places that somebody wants to know of.
#[derive(Debug, Default)]
pub struct Reached {
    /// Places, two of which two threads have to be at; 0 if one is enough.
    goals: Vec<(u64, u64)>,
    /// Which suffix was where.
    seen: FastMap<(usize, Spot), ()>,
    /// Where two suffixes have touched the same thing, one of them to change it, if somebody wants to know.
    met: Option<HashSet<(SiteId, SiteId)>>,
}

/// Where a thread was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spot {
    /// It has waited, wherever that was: a wait is inside the JDK.
    Waited,
    /// At a place in the code.
    Site(SiteId),
    /// At a place where it took a monitor while it had another.
    Nested(SiteId),
    /// It has accessed a field, by its number, or an element through a call that does not name it. Nobody knows where.
    Raw(u32),
}

/// The monitors that threads have, with how often they have taken each.
#[derive(Debug, Default)]
pub struct Held(FastMap<ThreadId, Vec<(ObjectId, u32)>>);

impl Held {
    /// Looks at the next step. Says where it takes a monitor while its thread has another.
    pub fn nested(&mut self, step: &Step) -> Option<Spot> {
        let own = self.0.entry(step.thread).or_default();
        let known = own.iter().position(|(object, _)| *object == step.event.object);
        match (step.event.kind, known) {
            (EventKind::Lock, Some(known)) => own[known].1 += 1,
            (EventKind::Lock, None) => {
                own.push((step.event.object, 1));
                return (own.len() > 1).then_some(Spot::Nested(step.event.site));
            }
            (EventKind::Unlock, Some(known)) if own[known].1 > 1 => own[known].1 -= 1,
            (EventKind::Unlock, Some(known)) => drop(own.swap_remove(known)),
            _ => {}
        }
        None
    }
}

impl Reached {
    /// For these goals.
    pub fn new(goals: &[(u64, u64)]) -> Reached {
        let wants_meetings = goals.iter().any(|&(place, _)| place == testgen::MET);
        Reached { goals: goals.to_vec(), seen: FastMap::default(), met: wants_meetings.then(HashSet::new) }
    }

    /// Looks at an execution.
    pub fn see(&mut self, execution: &Execution) {
        if self.goals.is_empty() {
            return;
        }
        let suffixes = execution.ends.len();
        let mut held = Held::default();
        for step in &execution.trace.steps {
            let Some(suffix) = (step.thread.0 as usize).checked_sub(1).filter(|&suffix| suffix < suffixes) else {
                continue;
            };
            self.seen.insert((suffix, at(step)), ());
            self.seen.extend(held.nested(step).map(|nested| ((suffix, nested), ())));
        }
        for (thread, site) in &execution.silent.sites {
            let suffix = (thread.0 as usize).checked_sub(1).filter(|&suffix| suffix < suffixes);
            self.seen.extend(suffix.map(|suffix| ((suffix, Spot::Site(*site)), ())));
        }
        for silent in execution.silent.shared.iter().filter(|silent| silent.site == SiteId::NONE) {
            let suffix = (silent.thread.0 as usize).checked_sub(1).filter(|&suffix| suffix < suffixes);
            self.seen.extend(suffix.map(|suffix| ((suffix, Spot::Raw(silent.key)), ())));
        }
        if let Some(met) = &mut self.met {
            let silent = execution.silent.shared.windows(2).filter(|pair| {
                let [one, other] = [pair[0], pair[1]];
                one.place == other.place && one.thread != other.thread && (one.kind.is_write() || other.kind.is_write())
            });
            met.extend(silent.map(|pair| (pair[0].site, pair[1].site)));
            let mut last: FastMap<(ObjectId, u32), Step> = FastMap::default();
            for step in execution.trace.steps.iter().filter(|step| step.thread.0 > 0 && step.event.kind.is_access()) {
                let before = last.insert((step.event.object, step.event.slot), *step);
                let is_met = |before: &Step| {
                    before.thread != step.thread && (before.event.kind.is_write() || step.event.kind.is_write())
                };
                met.extend(before.filter(is_met).map(|before| (before.event.site, step.event.site)));
            }
        }
    }

    /// The goals that were reached, by their numbers.
    pub fn told(&self, host: &Host) -> Vec<usize> {
        // Raw accesses have no site; they are made in the JDK.
        let is_of_jdk = |site: SiteId| host.site(site).is_none_or(|site| testgen::is_of_jdk(&site.class));
        let met = self.met.iter().flatten().any(|&(one, other)| is_of_jdk(one) && is_of_jdk(other));
        let seen: BTreeSet<(u64, usize)> =
            self.seen.keys().flat_map(|&(suffix, at)| places(host, at).map(move |place| (place, suffix))).collect();
        let who = |place: u64| seen.range((place, 0)..=(place, usize::MAX)).map(|(_, suffix)| *suffix);
        let is_reached = |(one, other): (u64, u64)| match other {
            0 => who(one).next().is_some() || one == testgen::MET && met,
            other => who(one).any(|first| who(other).any(|second| first != second)),
        };
        (0..self.goals.len()).filter(|&goal| is_reached(self.goals[goal])).collect()
    }
}

/// Where a step is.
pub fn at(step: &Step) -> Spot {
    match step.event.kind {
        EventKind::Wait | EventKind::Park => Spot::Waited,
        kind if kind.is_access() && step.event.site == SiteId::NONE => Spot::Raw(step.event.slot),
        _ => Spot::Site(step.event.site),
    }
}

/// The numbers of a place: of itself, and of any in its class if that is one of the JDK.
pub fn places(host: &Host, at: Spot) -> impl Iterator<Item = u64> + use<> {
    let (first, second) = match at {
        Spot::Waited => (Some(testgen::WAITED), None),
        Spot::Site(site) => match host.site(site) {
            Some(site) => {
                let package = testgen::is_of_jdk(&site.class).then(|| testgen::any_place(&site.class));
                (Some(testgen::place(&site.class, &site.method, site.pc)), package)
            }
            None => (None, None),
        },
        Spot::Nested(site) => {
            let place = host.site(site).map(|site| testgen::place(&site.class, &site.method, site.pc));
            (place.map(testgen::nested), None)
        }
        Spot::Raw(slot) => {
            let field = host.field(slot).map(|(class, name)| testgen::raw_field(&class, &name));
            (Some(testgen::RAW), field)
        }
    };
    first.into_iter().chain(second)
}

//! Turns what the solver found into facts: names instead of numbers, and the definitions read off.

mod arrays;
mod names;
mod outward;
mod places;
mod relate;
mod setters;

use std::sync::Arc;

use classfile::Flags;

use crate::analyzer::Entry;
use crate::facts::*;
use crate::lock::{Lock, Mode, Roots};
use crate::names::{Map, Set, Sym};
use crate::path::{Path, PathId, Root};
use crate::program::FieldId;
use crate::solver::Solver;
use crate::summary::{AccessKind, Site, Summary};
use names::Parameters;

/// The facts of a class whose constructors and public methods were solved.
pub fn facts(solver: &mut Solver<'_, '_>, constructors: &[Entry], entries: &[Entry]) -> ClassFacts {
    let class = solver.program.dotted(solver.under_test);
    let (reached, work, taken_over) = (solver.effort(), solver.work, solver.taken_over);
    let mut notes = Vec::new();
    let is_abstract = solver.program.class(solver.under_test).is_ok_and(|class| !class.is_concrete());
    if is_abstract {
        notes.push("the class is abstract: what its subclasses add is not seen".to_owned());
    }
    if solver.cut_off {
        notes.push("the limits of the analysis were reached: what lies deeper is opaque".to_owned());
    }
    let summaries: Vec<Summary> = entries.iter().map(|entry| solver.summary(entry.instance)).collect();
    let callable = callable(solver, constructors);
    let of_constructors: Vec<Summary> = callable.iter().map(|entry| solver.summary(entry.instance)).collect();
    let written = written(&summaries, &of_constructors);
    let setters = setters::find(solver, constructors, entries);
    let mut gatherer = Gatherer {
        solver,
        written,
        locations: Vec::new(),
        location_numbers: Map::default(),
        location_fields: Vec::new(),
        locks: Vec::new(),
        lock_types: Vec::new(),
        lock_paths: Vec::new(),
        lock_numbers: Map::default(),
        empty_arrays: Map::default(),
        locations_here: Map::default(),
        locks_here: Map::default(),
        sites: Map::default(),
    };
    let all = entries.iter().zip(&summaries).chain(callable.iter().zip(&of_constructors));
    let mut methods: Vec<MethodFacts> = all.map(|(entry, summary)| gatherer.method(entry, summary)).collect();
    gatherer.relate();
    gatherer.relate_to_subject(&setters);
    let shared = Shared { class: &class, locations: &gatherer.locations, locks: &gatherer.locks };
    for method in methods.iter_mut().filter(|method| method.is_constructor()) {
        method.double_locks.retain(|double| shared.are_wanted(double));
        method.accesses.retain(|access| !shared.is_kept_by_jdk(&gatherer.locations[access.location]));
        method.lock_summary = gatherer.lock_summary(&method.accesses);
    }
    methods.retain(|method| !method.is_constructor() || shared.is_touched(method));
    let Gatherer { locations, locks, .. } = gatherer;
    let setters = setters.into_iter().map(|(_, setters)| setters).collect();
    ClassFacts { class, notes, locations, locks, methods, setters, reached, work, taken_over }
}

/// The constructors that others can call.
fn callable(solver: &Solver<'_, '_>, constructors: &[Entry]) -> Vec<Entry> {
    let is_callable = |entry: &&Entry| {
        let flags = solver.program.method(entry.method).flags;
        !flags.has(Flags::PRIVATE) && !flags.has(Flags::SYNTHETIC)
    };
    constructors.iter().filter(is_callable).copied().collect()
}

/// The fields of objects on paths from the subject that some method writes, and static fields. What a constructor
/// writes to the new object is there before anybody has it.
fn written(summaries: &[Summary], of_constructors: &[Summary]) -> Set<(Option<PathId>, FieldId)> {
    let of_methods = summaries.iter().flat_map(|summary| &summary.accesses);
    let of_constructors = of_constructors.iter().flat_map(|summary| &summary.accesses);
    let statics = of_constructors.filter(|access| access.touch.base.is_none());
    let writes = of_methods.chain(statics).filter(|access| access.touch.kind.writes());
    writes.map(|access| (access.touch.base, access.touch.field)).collect()
}

/// What others than the caller of a constructor may have.
struct Shared<'s> {
    class: &'s str,
    locations: &'s [Location],
    locks: &'s [LockFact],
}

impl Shared<'_> {
    /// Whether a constructor touches it: static state, or an argument that is the subject of another call or of a class
    /// that is not the JDK's. What it does with a constant is not known if a call is not.
    fn is_touched(&self, method: &MethodFacts) -> bool {
        let is_unknown = !method.opaque.is_empty();
        let is_shared = |location: &Location| match location.owner {
            Owner::Static => !location.is_final || is_unknown,
            _ if location.is_final => false,
            Owner::Parameter => {
                location.of_subject.is_some() || !self.is_of_jdk(&location.class) && location.class != "[]"
            }
            Owner::Subject | Owner::Outside => false,
        };
        let mut accesses = method.accesses.iter();
        accesses.any(|access| is_shared(&self.locations[access.location])) || !method.double_locks.is_empty()
    }

    /// Whether it is static state of the JDK, such as the seeds of `Random`: no class can help what is there.
    fn is_kept_by_jdk(&self, location: &Location) -> bool {
        location.owner == Owner::Static && self.is_of_jdk(&location.path)
    }

    /// Whether others may want both locks of a constructor: those of classes, and of arguments that are the subject of
    /// another call or of a class that is not the JDK's. Nobody waits for a lock of the new object.
    fn are_wanted(&self, double: &DoubleLock) -> bool {
        let is_shared = |lock: &LockFact| match lock.owner {
            Owner::Static => !self.is_of_jdk(&lock.path),
            Owner::Parameter => lock.of_subject.is_some() || !self.is_of_jdk(&lock.class),
            Owner::Subject | Owner::Outside => false,
        };
        [double.outer, double.inner].into_iter().all(|lock| is_shared(&self.locks[lock]))
    }

    /// Whether a class, or a path from it, is the JDK's own business.
    fn is_of_jdk(&self, path: &str) -> bool {
        let is_own = path.strip_prefix(self.class).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']));
        !is_own && ["java.", "javax.", "jdk.", "sun."].iter().any(|jdk| path.starts_with(jdk))
    }
}

/// The argument that a path starts from, if it starts from one, with its type: those of one name in two methods may
/// have little in common.
type Start = Option<(usize, Sym)>;

struct Gatherer<'g, 'a, 's> {
    solver: &'g mut Solver<'a, 's>,
    written: Set<(Option<PathId>, FieldId)>,
    locations: Vec<Location>,
    /// By name, field, and what the path starts from.
    location_numbers: Map<(String, FieldId, Start), usize>,
    /// The path and field of each location.
    location_fields: Vec<(Option<Path>, FieldId)>,
    locks: Vec<LockFact>,
    lock_types: Vec<Sym>,
    lock_paths: Vec<Path>,
    lock_numbers: Map<(String, Mode, Sym, Start), usize>,
    /// Which static fields hold an array without elements.
    empty_arrays: Map<FieldId, bool>,
    /// The numbers of what the present method names. Its paths from parameters mean nothing in another.
    locations_here: Map<(Option<PathId>, FieldId), usize>,
    locks_here: Map<Lock, usize>,
    sites: Map<Site, Arc<SiteFact>>,
}

impl Gatherer<'_, '_, '_> {
    fn method(&mut self, entry: &Entry, summary: &Summary) -> MethodFacts {
        let is_everywhere = |path: PathId| !matches!(self.solver.paths.get(path).root, Root::Parameter(_));
        self.locations_here.retain(|(base, _), _| base.is_none_or(is_everywhere));
        self.locks_here.retain(|lock, _| is_everywhere(lock.path));
        let info = self.solver.program.method(entry.method).clone();
        let parameters = self.parameters(entry.method);
        let shared = match parameters.is_static || parameters.is_constructor {
            true => Roots::STATIC,
            false => Roots::STATIC.with(Roots::parameter(0)),
        };
        let accesses = self.accesses(summary, &parameters, shared);
        let mut takes: Vec<LockUse> = Vec::new();
        let mut double_locks: Vec<DoubleLock> = Vec::new();
        let (mut taken, mut nested) = (Set::default(), Set::default());
        for acquisition in &summary.acquisitions {
            let inner = self.lock(acquisition.lock, &parameters);
            let site = self.site(acquisition.site);
            if taken.insert(inner) {
                takes.push(LockUse { lock: inner, site: site.clone() });
            }
            if let Some(outer) = acquisition.outer {
                let outer = self.lock(outer, &parameters);
                if nested.insert((outer, inner)) {
                    double_locks.push(DoubleLock { outer, inner, site: site.clone() });
                }
            }
        }
        let mut signals: Vec<SignalFact> = Vec::new();
        for signal in &summary.signals {
            let path = self.path_text(signal.monitor, &parameters);
            signals.push(SignalFact { path, wait: signal.is_wait, site: self.site(signal.site) });
        }
        let lock_summary = self.lock_summary(&accesses);
        MethodFacts {
            name: self.solver.program.names.text(info.name).to_string(),
            descriptor: self.solver.program.names.text(info.descriptor).to_string(),
            declared_in: self.solver.program.dotted(info.owner),
            is_static: parameters.is_static,
            lock_summary,
            accesses,
            takes,
            double_locks,
            signals,
            publishes: self.publishes(summary, &parameters),
            gives_itself: self.gives_itself(summary, &parameters),
            opaque: self.opaque(summary),
        }
    }

    fn accesses(&mut self, summary: &Summary, parameters: &Parameters, shared: Roots) -> Vec<AccessFact> {
        let mut accesses = Vec::with_capacity(summary.accesses.len());
        for access in &summary.accesses {
            let field = self.solver.program.field(access.touch.field);
            // What a lambda captured is no field that anyone else can name.
            if self.solver.program.lambdas.contains_key(&field.owner) {
                continue;
            }
            if self.is_of_empty_array(&access.touch) {
                continue;
            }
            let location = self.location(access.touch.base, access.touch.field, parameters);
            let root = access.touch.base.map(|base| Roots::of(self.solver.paths.get(base).root));
            let own = match self.locations[location].owner {
                Owner::Parameter => root.unwrap_or(Roots::NONE),
                _ => shared,
            };
            let mut held = Vec::new();
            for one in self.solver.held.get(access.held).iter() {
                let lock = self.lock(one.lock, parameters);
                held.push(HeldFact { lock, from_start: !one.after.meets(shared), from_first: !one.after.meets(own) });
            }
            let kind = match access.touch.kind {
                AccessKind::Read => Kind::Read,
                AccessKind::Write => Kind::Write,
                AccessKind::Update => Kind::Update,
            };
            let site = self.site(access.site);
            accesses.push(AccessFact { location, kind, ordered: access.touch.ordered, held, site });
        }
        accesses
    }

    /// Definition 6: taken before the first access of the subject or of a static field, and held at each.
    /// Locations that never change need no protection.
    fn lock_summary(&self, accesses: &[AccessFact]) -> Vec<usize> {
        let mut summary: Option<Vec<usize>> = None;
        for access in accesses {
            let location = &self.locations[access.location];
            if location.is_final || !matches!(location.owner, Owner::Subject | Owner::Static) {
                continue;
            }
            let covering = access.held.iter().filter(|held| held.from_start).map(|held| held.lock);
            match &mut summary {
                None => summary = Some(covering.collect()),
                Some(summary) => {
                    let covering: Vec<usize> = covering.collect();
                    summary.retain(|lock| covering.contains(lock));
                }
            }
        }
        summary.unwrap_or_default()
    }
}

//! Turns what the solver found into facts: names instead of numbers, and the definitions read off.

use std::rc::Rc;

use classfile::{AttributeValue, Flags};

use crate::analyzer::Entry;
use crate::body::Shape;
use crate::facts::*;
use crate::lock::{Lock, Mode, Roots};
use crate::names::{Map, Set, Sym};
use crate::path::{Path, PathId, Root};
use crate::program::{ELEMENTS, FieldId, MethodId, code_of, method_of};
use crate::solver::Solver;
use crate::summary::{AccessKind, OpaqueReason, Site, Summary};

/// The facts of a class whose methods were solved.
pub fn facts(solver: &mut Solver<'_, '_>, entries: &[Entry]) -> ClassFacts {
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
    let written = written(solver, entries);
    let mut gatherer = Gatherer {
        solver,
        written,
        locations: Vec::new(),
        location_numbers: Map::default(),
        location_fields: Vec::new(),
        locks: Vec::new(),
        lock_types: Vec::new(),
        lock_numbers: Map::default(),
        sites: Map::default(),
    };
    let methods = entries.iter().map(|entry| gatherer.method(entry)).collect();
    gatherer.relate();
    let Gatherer { locations, locks, .. } = gatherer;
    ClassFacts { class, notes, locations, locks, methods, reached, work, taken_over }
}

/// The fields of objects on paths from the subject that some method writes.
fn written(solver: &Solver<'_, '_>, entries: &[Entry]) -> Set<(Option<PathId>, FieldId)> {
    let mut written = Set::default();
    for entry in entries {
        let summary = solver.summary(entry.instance);
        let writes = summary.accesses.iter().filter(|access| access.touch.kind.writes());
        written.extend(writes.map(|access| (access.touch.base, access.touch.field)));
    }
    written
}

/// The names of a method's parameters; the receiver is not among them.
struct Parameters {
    is_static: bool,
    names: Vec<String>,
    types: Vec<Sym>,
}

struct Gatherer<'g, 'a, 's> {
    solver: &'g mut Solver<'a, 's>,
    written: Set<(Option<PathId>, FieldId)>,
    locations: Vec<Location>,
    location_numbers: Map<(String, FieldId), usize>,
    /// The path and field of each location of the subject or of statics.
    location_fields: Vec<(Option<Path>, FieldId)>,
    locks: Vec<LockFact>,
    lock_types: Vec<Sym>,
    lock_numbers: Map<(String, Mode, Sym), usize>,
    sites: Map<Site, SiteFact>,
}

impl Gatherer<'_, '_, '_> {
    fn method(&mut self, entry: &Entry) -> MethodFacts {
        let info = self.solver.program.method(entry.method).clone();
        let summary = self.solver.summary(entry.instance);
        let parameters = self.parameters(entry.method);
        let shared = match parameters.is_static {
            true => Roots::STATIC,
            false => Roots::STATIC.with(Roots::parameter(0)),
        };
        let accesses = self.accesses(&summary, &parameters, shared);
        let mut takes: Vec<LockUse> = Vec::new();
        let mut double_locks: Vec<DoubleLock> = Vec::new();
        for acquisition in &summary.acquisitions {
            let inner = self.lock(acquisition.lock, &parameters);
            let site = self.site(acquisition.site);
            if !takes.iter().any(|take| take.lock == inner) {
                takes.push(LockUse { lock: inner, site: site.clone() });
            }
            if let Some(outer) = acquisition.outer {
                let outer = self.lock(outer, &parameters);
                if !double_locks.iter().any(|double| (double.outer, double.inner) == (outer, inner)) {
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
            publishes: self.publishes(&summary, &parameters),
            opaque: self.opaque(&summary),
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
            let location = self.location(access.touch.base, access.touch.field, parameters);
            let mut held = Vec::new();
            for one in self.solver.held.get(access.held).iter() {
                let lock = self.lock(one.lock, parameters);
                held.push(HeldFact { lock, from_start: !one.after.meets(shared) });
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

    fn location(&mut self, base: Option<PathId>, field: FieldId, parameters: &Parameters) -> usize {
        let info = self.solver.program.field(field).clone();
        let name = self.solver.program.names.text(info.name).to_string();
        let (owner, path) = match base {
            None => (Owner::Static, format!("{}.{name}", self.solver.program.dotted(info.owner))),
            Some(base) => {
                let text = self.path_text(base, parameters);
                let path = if field == ELEMENTS { format!("{text}[]") } else { format!("{text}.{name}") };
                (self.owner(base, parameters), path)
            }
        };
        if let Some(&known) = self.location_numbers.get(&(path.clone(), field)) {
            return known;
        }
        let number = self.locations.len();
        self.locations.push(Location {
            path: path.clone(),
            class: self.solver.program.dotted(info.owner),
            field: name,
            owner,
            is_final: info.is_final(),
            overlaps: Vec::new(),
        });
        self.location_numbers.insert((path, field), number);
        let base = base.map(|base| self.solver.paths.get(base).clone());
        self.location_fields.push((base, field));
        number
    }

    fn lock(&mut self, lock: Lock, parameters: &Parameters) -> usize {
        let path = self.path_text(lock.path, parameters);
        let class = self.type_of(lock.path, parameters);
        if let Some(&known) = self.lock_numbers.get(&(path.clone(), lock.mode, class)) {
            return known;
        }
        let number = self.locks.len();
        let stable = self.is_stable(lock.path);
        self.locks.push(LockFact {
            path: path.clone(),
            class: self.solver.program.dotted(class),
            mode: match lock.mode {
                Mode::Monitor => LockMode::Monitor,
                Mode::Exclusive => LockMode::Exclusive,
                Mode::Shared => LockMode::Shared,
            },
            owner: self.owner(lock.path, parameters),
            stable,
            compatible: Vec::new(),
        });
        self.lock_types.push(class);
        self.lock_numbers.insert((path, lock.mode, class), number);
        number
    }

    fn owner(&self, path: PathId, parameters: &Parameters) -> Owner {
        match self.solver.paths.get(path).root {
            Root::Parameter(0) if !parameters.is_static => Owner::Subject,
            Root::Parameter(_) => Owner::Parameter,
            Root::Static(_) | Root::Class(_) | Root::Text(_) => Owner::Static,
            Root::Outside(_) | Root::Fresh(_) | Root::Anything => Owner::Outside,
        }
    }

    /// Whether each field on the way is final, or at least no method writes it.
    fn is_stable(&mut self, path: PathId) -> bool {
        let found = self.solver.paths.get(path).clone();
        if found.tail {
            return false;
        }
        let changes = |this: &Self, base: Option<PathId>, field: FieldId| {
            field == ELEMENTS || !this.solver.program.field(field).is_final() && this.written.contains(&(base, field))
        };
        if let Root::Static(field) = found.root
            && changes(self, None, field)
        {
            return false;
        }
        let mut at = path;
        while let Some((base, field)) = self.solver.paths.split(at) {
            if changes(self, Some(base), field) {
                return false;
            }
            at = base;
        }
        !matches!(found.root, Root::Outside(_) | Root::Fresh(_) | Root::Anything)
    }

    fn path_text(&self, path: PathId, parameters: &Parameters) -> String {
        let program = &*self.solver.program;
        let path = self.solver.paths.get(path);
        let mut text = match path.root {
            Root::Parameter(0) if !parameters.is_static => "this".to_owned(),
            Root::Parameter(number) => {
                let number = usize::from(number) - usize::from(!parameters.is_static);
                parameters.names.get(number).cloned().unwrap_or_else(|| format!("arg{}", number + 1))
            }
            Root::Static(field) => {
                let info = program.field(field);
                format!("{}.{}", program.dotted(info.owner), program.names.text(info.name))
            }
            Root::Fresh(allocation) => {
                format!("new {}", program.dotted(self.solver.paths.allocation(allocation).class))
            }
            Root::Class(class) => format!("{}.class", program.dotted(class)),
            Root::Text(text) => format!("{:?}", program.names.text(text)),
            Root::Outside(class) => format!("<{}>", program.dotted(class)),
            Root::Anything => "<anything>".to_owned(),
        };
        for &field in &path.fields {
            if field != ELEMENTS {
                text.push('.');
            }
            text.push_str(program.names.text(program.field(field).name));
        }
        if path.tail {
            text.push_str(".*");
        }
        text
    }

    fn type_of(&mut self, path: PathId, parameters: &Parameters) -> Sym {
        let path = self.solver.paths.get(path).clone();
        let object = self.solver.program.known.object;
        if path.tail {
            return object;
        }
        let root = match path.root {
            Root::Parameter(0) if !parameters.is_static => self.solver.under_test,
            Root::Parameter(number) => {
                let number = usize::from(number) - usize::from(!parameters.is_static);
                parameters.types.get(number).copied().unwrap_or(object)
            }
            Root::Static(field) => self.solver.program.field(field).type_name.unwrap_or(object),
            Root::Fresh(allocation) => self.solver.paths.allocation(allocation).class,
            Root::Class(_) => self.solver.program.known.class,
            Root::Text(_) => self.solver.program.known.string,
            Root::Outside(class) => class,
            Root::Anything => object,
        };
        path.fields.iter().fold(root, |class, &field| {
            let next = match field {
                ELEMENTS => self.solver.program.element_type(class),
                field => self.solver.program.field(field).type_name,
            };
            next.unwrap_or(object)
        })
    }

    /// Fills in which locations overlap and which locks are compatible.
    fn relate(&mut self) {
        let mut of_field: Map<FieldId, Vec<usize>> = Map::default();
        for (number, (_, field)) in self.location_fields.iter().enumerate() {
            of_field.entry(*field).or_default().push(number);
        }
        for a in 0..self.locations.len() {
            let same_field = of_field[&self.location_fields[a].1].iter().copied();
            self.locations[a].overlaps = same_field.filter(|&b| b != a && self.overlap(a, b)).collect();
        }
        for a in 0..self.locks.len() {
            let (path, class) = (self.locks[a].path.clone(), self.lock_types[a]);
            let mut compatible = Vec::new();
            for b in 0..self.locks.len() {
                let other = self.lock_types[b];
                let related =
                    self.solver.program.is_subtype(class, other) || self.solver.program.is_subtype(other, class);
                // Objects of class Class are no more alike than their classes are.
                let both_classes = class == other && class == self.solver.program.known.class;
                if self.locks[b].path == path || related && !both_classes {
                    compatible.push(b);
                }
            }
            self.locks[a].compatible = compatible;
        }
    }

    /// Whether two locations of the subject may be the same: equal field, and one path ends in a tail that the
    /// other runs into.
    fn overlap(&self, a: usize, b: usize) -> bool {
        let ((Some(path), field), (Some(other), other_field)) = (&self.location_fields[a], &self.location_fields[b])
        else {
            return false;
        };
        let shared = |number: usize| matches!(self.locations[number].owner, Owner::Subject | Owner::Static);
        if field != other_field || path.root != other.root || !shared(a) || !shared(b) {
            return false;
        }
        path.tail && other.fields.starts_with(&path.fields) || other.tail && path.fields.starts_with(&other.fields)
    }

    fn parameters(&mut self, method: MethodId) -> Parameters {
        let info = self.solver.program.method(method).clone();
        let is_static = info.flags.has(Flags::STATIC);
        let shape = Shape::of(info.descriptor, &mut self.solver.program.names);
        let object = self.solver.program.known.object;
        let types = shape.parameters.iter().map(|parameter| parameter.type_name.unwrap_or(object)).collect();
        let mut names = Vec::new();
        if let Ok(class) = self.solver.program.class(info.owner) {
            let tables = code_of(&class, &info).map_or(&[][..], |code| &code.attributes);
            let variables: Vec<_> = tables
                .iter()
                .filter_map(|attribute| match &attribute.value {
                    AttributeValue::LocalVariableTable(variables) => Some(variables),
                    _ => None,
                })
                .flatten()
                .collect();
            let given = method_of(&class, &info).attributes.iter().find_map(|attribute| match &attribute.value {
                AttributeValue::MethodParameters(parameters) => Some(parameters),
                _ => None,
            });
            let mut slot = u16::from(!is_static);
            for (number, parameter) in shape.parameters.iter().enumerate() {
                let variable = variables.iter().find(|variable| variable.start == 0 && variable.slot == slot);
                let declared = given.and_then(|given| given.get(number)?.name);
                let name = variable.map(|variable| variable.name).or(declared);
                let text = name.map(|name| class.file.constants.utf8(name).to_str().into_owned());
                names.push(text.unwrap_or_else(|| format!("arg{}", number + 1)));
                slot += parameter.slots;
            }
        }
        Parameters { is_static, names, types }
    }

    /// What a method lets out: parts of the subject, and new objects that hold on to it.
    fn publishes(&mut self, summary: &Summary, parameters: &Parameters) -> Vec<String> {
        let returns: Rc<[PathId]> = self.solver.sets.get(summary.flow.returns);
        let mut found = Vec::new();
        for &path in returns.iter() {
            let owner = self.owner(path, parameters);
            let fields = self.solver.paths.get(path).fields.len();
            if owner == Owner::Subject && fields > 0 {
                let class = self.type_of(path, parameters);
                let class = self.solver.program.names.text(class).clone();
                if !crate::scope::is_immutable(&class) {
                    found.push(self.path_text(path, parameters));
                }
            } else if let Some(allocation) = self.solver.paths.fresh(path) {
                let holds =
                    summary.flow.contents.iter().find(|(base, _, value)| {
                        *base == Some(path) && self.owner(*value, parameters) == Owner::Subject
                    });
                if let Some(&(_, _, held)) = holds {
                    let class = self.solver.program.dotted(self.solver.paths.allocation(allocation).class);
                    found.push(format!("new {class} over {}", self.path_text(held, parameters)));
                }
            }
        }
        found.sort();
        found.dedup();
        found
    }

    fn opaque(&self, summary: &Summary) -> Vec<OpaqueFact> {
        let program = &*self.solver.program;
        let fact = |opaque: &crate::summary::Opaque| OpaqueFact {
            call: format!("{}.{}", program.dotted(opaque.class), program.names.text(opaque.name)),
            reason: match opaque.reason {
                OpaqueReason::Native => "native",
                OpaqueReason::Scope => "the virtual machine stands on it",
                OpaqueReason::Open => "other classes may come",
                OpaqueReason::Missing => "not on the class path, or damaged",
                OpaqueReason::Limit => "beyond the limits of the analysis",
                OpaqueReason::Dynamic => "named only at run time",
            },
        };
        let mut opaque: Vec<OpaqueFact> = summary.opaque.iter().map(fact).collect();
        opaque.sort();
        opaque
    }

    fn site(&mut self, site: Site) -> SiteFact {
        if let Some(known) = self.sites.get(&site) {
            return known.clone();
        }
        let info = self.solver.program.method(site.method).clone();
        let (mut line, mut file) = (None, None);
        if let Ok(class) = self.solver.program.class(info.owner) {
            line = code_of(&class, &info).and_then(|code| code.line_at(site.offset));
            file = class.file.attributes.iter().find_map(|attribute| match attribute.value {
                AttributeValue::SourceFile(name) => Some(class.file.constants.utf8(name).to_str().into_owned()),
                _ => None,
            });
        }
        let fact = SiteFact {
            class: self.solver.program.dotted(info.owner),
            method: self.solver.program.names.text(info.name).to_string(),
            descriptor: self.solver.program.names.text(info.descriptor).to_string(),
            offset: site.offset,
            line,
            file,
        };
        self.sites.insert(site, fact.clone());
        fact
    }
}

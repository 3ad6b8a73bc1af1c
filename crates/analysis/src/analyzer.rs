//! The way from a class name to its facts.

use std::rc::Rc;

use classfile::Flags;
use classpath::{ClassName, ClassPath};

use crate::body::Body;
use crate::error::Error;
use crate::facts::ClassFacts;
use crate::gather;
use crate::limits::Limits;
use crate::names::{Map, Set, Sym};
use crate::path::Root;
use crate::program::{Absent, Class, MethodId, Program};
use crate::solver::{Instance, InstanceId, Solver};
use crate::store::ByteStore;

/// Analyses classes of a class path, one after the other. What is read of a class is kept for the next.
pub struct Analyzer<'s> {
    program: Program<'s>,
    bodies: Map<MethodId, Option<Rc<Body>>>,
    limits: Limits,
}

/// A constructor or public method of a class under test, as it is solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub method: MethodId,
    pub instance: InstanceId,
}

impl<'s> Analyzer<'s> {
    /// An analyzer of classes of a class path. `bytes` keeps what has to be read from archives.
    pub fn new(class_path: &'s ClassPath, bytes: &'s ByteStore) -> Analyzer<'s> {
        Analyzer { program: Program::new(class_path, bytes), bodies: Map::default(), limits: Limits::default() }
    }

    /// Other limits than the usual ones.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Analyzer<'s> {
        Analyzer { limits, ..self }
    }

    /// Summarises the public methods of a class.
    pub fn analyze(&mut self, class: &ClassName) -> Result<ClassFacts, Error> {
        let name = self.program.names.get(class.internal());
        let loaded = self.program.class(name).map_err(|absent| self.refused(name, absent))?;
        if loaded.flags.has(Flags::MODULE) || class.internal().ends_with("package-info") {
            return Err(Error::NoClass(class.to_string()));
        }
        if loaded.is_interface() {
            return Err(Error::Interface(class.to_string()));
        }
        self.check_hierarchy(name)?;
        let mut solver = Solver::new(&mut self.program, &mut self.bodies, name, self.limits);
        let (constructors, entries) = solve(&mut solver, &loaded);
        let bad = loaded.in_order.iter().find_map(|method| Some((method, *solver.faults.get(method)?)));
        if let Some((&method, fault)) = bad {
            let method = solver.program.method(method).name;
            return Err(Error::BadCode {
                class: class.to_string(),
                method: solver.program.names.text(method).to_string(),
                reason: fault.reason,
                offset: fault.offset,
            });
        }
        Ok(gather::facts(&mut solver, &constructors, &entries))
    }

    fn refused(&self, class: Sym, absent: Absent) -> Error {
        let class = self.program.dotted(class);
        match absent {
            Absent::Missing => Error::NotFound(class),
            Absent::Unreadable(reason) => Error::Unreadable { class, reason },
            Absent::Damaged(error) => Error::Damaged { class, error },
            Absent::Other(found) => Error::OtherClass { asked: class, found: self.program.dotted(found) },
        }
    }

    /// All supertypes must be there, and none above itself.
    fn check_hierarchy(&mut self, class: Sym) -> Result<(), Error> {
        let mut open: Vec<(Sym, Vec<Sym>)> = vec![(class, Vec::new())];
        let mut fine: Vec<Sym> = Vec::new();
        while let Some((of, above)) = open.pop() {
            if above.contains(&of) {
                let (class, supertype) = (self.program.dotted(class), self.program.dotted(of));
                return Err(Error::CyclicHierarchy { class, supertype });
            }
            if fine.contains(&of) {
                continue;
            }
            let loaded = match self.program.class(of) {
                Ok(loaded) => loaded,
                Err(absent) => {
                    let (class, supertype) = (self.program.dotted(class), self.program.dotted(of));
                    return Err(match absent {
                        Absent::Missing => Error::MissingSupertype { class, missing: supertype },
                        absent => {
                            let reason = self.refused(of, absent).to_string();
                            Error::BadSupertype { class, supertype, reason }
                        }
                    });
                }
            };
            fine.push(of);
            for &supertype in loaded.super_class.iter().chain(&loaded.interfaces) {
                let mut above = above.clone();
                above.push(of);
                // A supertype that was found fine on another way may still lead back here.
                if above.contains(&supertype) || !fine.contains(&supertype) {
                    open.push((supertype, above));
                }
            }
        }
        Ok(())
    }
}

/// Analyses constructors, then public methods.
fn solve(solver: &mut Solver<'_, '_>, class: &Class<'_>) -> (Vec<Entry>, Vec<Entry>) {
    let name = class.name;
    solver.initialise(name);
    if class.is_concrete() {
        solver.instantiate(name);
    }
    let constructors: Vec<Entry> = class
        .in_order
        .iter()
        .filter(|&&method| solver.program.method(method).name == solver.program.known.init)
        .copied()
        .collect::<Vec<_>>()
        .into_iter()
        .map(|method| {
            let instance = solver.require(Instance { method, receiver: Some(name), nested: false });
            Entry { method, instance }
        })
        .collect();
    solver.settle();
    learn_fields(solver, &constructors);
    let methods = public_methods(solver.program, name);
    solver.allow(methods.len());
    let mut entries = Vec::new();
    for method in methods {
        let is_static = solver.program.method(method).flags.has(Flags::STATIC);
        let receiver = (!is_static).then_some(name);
        let instance = solver.require(Instance { method, receiver, nested: false });
        entries.push(Entry { method, instance });
    }
    solver.settle_all();
    // Methods first: where the limit is reached, what constructors do is what is cut.
    for called in [&entries, &constructors] {
        solver.record(&called.iter().map(|entry| entry.instance).collect::<Vec<_>>());
    }
    (constructors, entries)
}

/// What constructors put into final fields: objects that they make, or another name of what is there.
fn learn_fields(solver: &mut Solver<'_, '_>, constructors: &[Entry]) {
    let mut stored: Map<crate::program::FieldId, Vec<crate::path::PathId>> = Map::default();
    for constructor in constructors {
        for &(base, field, value) in &solver.flow(constructor.instance).stores {
            let Some(base) = base else { continue };
            let base = solver.paths.get(base);
            if base.root == Root::Parameter(0) && base.fields.is_empty() && !base.tail {
                stored.entry(field).or_default().push(value);
            }
        }
    }
    for (field, values) in stored {
        if !solver.program.field(field).is_final() {
            continue;
        }
        let made: Option<Vec<Sym>> = values
            .iter()
            .map(|&value| solver.paths.fresh(value).map(|allocation| solver.paths.allocation(allocation).class))
            .collect();
        if let Some(mut made) = made {
            made.sort_unstable();
            made.dedup();
            solver.contents.insert(field, made.into());
        } else if values.windows(2).all(|two| two[0] == two[1]) {
            let path = solver.paths.get(values[0]);
            if path.root == Root::Parameter(0) && !path.fields.is_empty() && !path.tail {
                let fields = path.fields.clone();
                solver.aliases.insert(field, fields);
            }
        }
    }
}

/// The public methods of a class that code outside can call, inherited ones included; those of `Object` only
/// where they are overridden.
fn public_methods(program: &mut Program<'_>, class: Sym) -> Vec<MethodId> {
    let mut found: Vec<MethodId> = Vec::new();
    // An overriding method may return something more special; the parameters are the same.
    let mut met: Set<(Sym, String)> = Set::default();
    for &supertype in program.supertypes(class).iter() {
        if supertype == program.known.object {
            continue;
        }
        let Ok(loaded) = program.class(supertype) else { continue };
        for &method in &loaded.in_order {
            let info = program.method(method).clone();
            let descriptor = program.names.text(info.descriptor);
            let parameters = descriptor[..descriptor.rfind(')').unwrap_or(0)].to_owned();
            let wanted = info.flags.has(Flags::PUBLIC)
                && !info.flags.has(Flags::SYNTHETIC)
                && info.name != program.known.init
                && info.name != program.known.clinit
                // Static methods of interfaces are not inherited.
                && !(loaded.is_interface() && info.flags.has(Flags::STATIC))
                && !met.contains(&(info.name, parameters.clone()));
            if !wanted {
                continue;
            }
            met.insert((info.name, parameters));
            let selected = if info.flags.has(Flags::STATIC) {
                Some(method)
            } else {
                program.select(class, info.name, info.descriptor)
            };
            // An abstract method of an abstract class has nothing to summarise.
            found.extend(selected);
        }
    }
    found.sort_by_key(|&method| {
        let info = program.method(method);
        (program.names.text(info.name).clone(), program.names.text(info.descriptor).clone())
    });
    found
}

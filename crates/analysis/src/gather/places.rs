//! Locations, locks and sites: each is given a number or made once, and named.

use std::sync::Arc;

use classfile::{AttributeValue, Instruction};

use super::Gatherer;
use super::names::Parameters;
use crate::facts::{Location, LockFact, LockMode, Owner, SiteFact};
use crate::lock::{Lock, Mode};
use crate::path::{PathId, Root};
use crate::program::{ELEMENTS, FieldId, code_of};
use crate::summary::Site;

impl Gatherer<'_, '_, '_> {
    pub(super) fn location(&mut self, base: Option<PathId>, field: FieldId, parameters: &Parameters) -> usize {
        if let Some(&known) = self.locations_here.get(&(base, field)) {
            return known;
        }
        let number = self.find_location(base, field, parameters);
        self.locations_here.insert((base, field), number);
        number
    }

    pub(super) fn find_location(&mut self, base: Option<PathId>, field: FieldId, parameters: &Parameters) -> usize {
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
        let start = base.and_then(|base| self.start(base, parameters));
        if let Some(&known) = self.location_numbers.get(&(path.clone(), field, start)) {
            return known;
        }
        let number = self.locations.len();
        self.locations.push(Location {
            path: path.clone(),
            class: self.solver.program.dotted(info.owner),
            field: name,
            owner,
            argument: start.map(|(argument, _)| argument),
            is_final: info.is_final(),
            overlaps: Vec::new(),
            of_subject: None,
            within: None,
        });
        self.location_numbers.insert((path, field, start), number);
        let base = base.map(|base| self.solver.paths.get(base).clone());
        self.location_fields.push((base, field));
        number
    }

    pub(super) fn lock(&mut self, lock: Lock, parameters: &Parameters) -> usize {
        if let Some(&known) = self.locks_here.get(&lock) {
            return known;
        }
        let number = self.find_lock(lock, parameters);
        self.locks_here.insert(lock, number);
        number
    }

    pub(super) fn find_lock(&mut self, lock: Lock, parameters: &Parameters) -> usize {
        let path = self.path_text(lock.path, parameters);
        let class = self.type_of(lock.path, parameters);
        let start = self.start(lock.path, parameters);
        if let Some(&known) = self.lock_numbers.get(&(path.clone(), lock.mode, class, start)) {
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
            argument: start.map(|(argument, _)| argument),
            stable,
            compatible: Vec::new(),
            of_subject: None,
            within: None,
        });
        self.lock_types.push(class);
        self.lock_paths.push(self.solver.paths.get(lock.path).clone());
        self.lock_numbers.insert((path, lock.mode, class, start), number);
        number
    }

    /// Whether each field on the way is final, or at least no method writes it.
    pub(super) fn is_stable(&mut self, path: PathId) -> bool {
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

    pub(super) fn site(&mut self, site: Site) -> Arc<SiteFact> {
        if let Some(known) = self.sites.get(&site) {
            return known.clone();
        }
        let info = self.solver.program.method(site.method).clone();
        let (mut line, mut file, mut is_raw) = (None, None, false);
        if let Ok(class) = self.solver.program.class(info.owner) {
            let instruction = code_of(&class, &info).map(|code| code.instruction_at(site.offset).instruction);
            if let Some(Instruction::Invoke(_, target)) = instruction {
                is_raw = crate::handles::is_accessor(&class.file.constants.method(target).class.to_string());
            }
            line = code_of(&class, &info).and_then(|code| code.line_at(site.offset));
            file = class.file.attributes.iter().find_map(|attribute| match attribute.value {
                AttributeValue::SourceFile(name) => Some(class.file.constants.utf8(name).to_str().into_owned()),
                _ => None,
            });
        }
        let fact = Arc::new(SiteFact {
            class: self.solver.program.dotted(info.owner),
            method: self.solver.program.names.text(info.name).to_string(),
            descriptor: self.solver.program.names.text(info.descriptor).to_string(),
            offset: site.offset,
            line,
            file,
            is_raw,
        });
        self.sites.insert(site, fact.clone());
        fact
    }
}

//! Which locations may be one and which locks can stand in for each other, once all are known.

use super::Gatherer;
use crate::facts::{LockMode, Owner, Setters};
use crate::names::{Map, Sym};
use crate::path::{Path, Root};
use crate::program::FieldId;

impl Gatherer<'_, '_, '_> {
    /// Fills in which locations overlap and which locks are compatible.
    pub(super) fn relate(&mut self) {
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
    pub(super) fn overlap(&self, a: usize, b: usize) -> bool {
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

    /// Fills in what locations and locks of arguments are if the argument is the subject of another call, and which are
    /// part of an object that a setter can put into two subjects.
    pub(super) fn relate_to_subject(&mut self, setters: &[(FieldId, Setters)]) {
        let within = |owner: Owner, path: &Path| match owner {
            Owner::Subject => {
                path.fields.first().and_then(|first| setters.iter().position(|(field, _)| field == first))
            }
            _ => None,
        };
        let mut of_subject: Map<(Path, FieldId), usize> = Map::default();
        for (number, (path, field)) in self.location_fields.iter().enumerate() {
            let Some(path) = path else { continue };
            self.locations[number].within = within(self.locations[number].owner, path);
            if self.locations[number].owner == Owner::Subject {
                of_subject.insert((path.clone(), *field), number);
            }
        }
        let starts: Vec<(usize, Sym)> =
            self.location_numbers.iter().filter_map(|((_, _, start), &number)| Some((number, (*start)?.1))).collect();
        for (number, type_name) in starts {
            let (Some(path), field) = &self.location_fields[number] else { continue };
            let as_subject = Path { root: Root::Parameter(0), ..path.clone() };
            let same = of_subject.get(&(as_subject, *field)).copied();
            if self.solver.program.is_subtype(self.solver.under_test, type_name) {
                self.locations[number].of_subject = same;
            }
        }
        let mut of_subject: Map<(Path, LockMode), usize> = Map::default();
        for (number, path) in self.lock_paths.iter().enumerate() {
            self.locks[number].within = within(self.locks[number].owner, path);
            if self.locks[number].owner == Owner::Subject {
                of_subject.insert((path.clone(), self.locks[number].mode), number);
            }
        }
        for (number, path) in self.lock_paths.iter().enumerate() {
            if self.locks[number].owner == Owner::Parameter {
                let as_subject = Path { root: Root::Parameter(0), ..path.clone() };
                self.locks[number].of_subject = of_subject.get(&(as_subject, self.locks[number].mode)).copied();
            }
        }
    }
}

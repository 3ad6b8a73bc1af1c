//! Which locations may be one and which locks can stand in for each other, once all are known.

use super::Gatherer;
use crate::facts::{LockMode, Owner, Setters};
use crate::names::{Map, Sym};
use crate::path::{Path, Root};
use crate::program::FieldId;

impl Gatherer<'_, '_, '_> {
    /// Fills in which locations overlap and which locks are compatible.
    pub(super) fn relate(&mut self) {
        self.relate_locations();
        self.relate_locks();
    }

    /// Two locations of the subject may be the same if they are of one field, and one path ends in a tail that the other
    /// runs into. A class may have tens of thousands, so they are looked up by their paths.
    fn relate_locations(&mut self) {
        let shared = |number: usize| matches!(self.locations[number].owner, Owner::Subject | Owner::Static);
        let mut tails: Map<(Root, FieldId, &[FieldId]), Vec<usize>> = Map::default();
        for (number, (path, field)) in self.location_fields.iter().enumerate() {
            if let Some(path) = path.as_ref().filter(|path| path.tail && shared(number)) {
                tails.entry((path.root, *field, &path.fields)).or_default().push(number);
            }
        }
        let mut overlaps: Vec<Vec<usize>> = vec![Vec::new(); self.locations.len()];
        for (number, (path, field)) in self.location_fields.iter().enumerate() {
            let Some(path) = path.as_ref().filter(|_| shared(number)) else { continue };
            for length in 0..=path.fields.len() {
                let meeting = tails.get(&(path.root, *field, &path.fields[..length])).into_iter().flatten();
                for &tail in meeting.filter(|&&tail| tail != number) {
                    overlaps[number].push(tail);
                    overlaps[tail].push(number);
                }
            }
        }
        for (location, mut overlaps) in self.locations.iter_mut().zip(overlaps) {
            overlaps.sort_unstable();
            overlaps.dedup();
            location.overlaps = overlaps;
        }
    }

    /// Two locks may be one if they are on one path, or the class of one is above that of the other.
    fn relate_locks(&mut self) {
        let mut of_path: Map<String, Vec<usize>> = Map::default();
        let mut of_type: Map<Sym, Vec<usize>> = Map::default();
        for (number, lock) in self.locks.iter().enumerate() {
            of_path.entry(lock.path.clone()).or_default().push(number);
            of_type.entry(self.lock_types[number]).or_default().push(number);
        }
        let types: Vec<Sym> = of_type.keys().copied().collect();
        let mut related: Map<Sym, Vec<usize>> = Map::default();
        for &class in &types {
            let program = &mut self.solver.program;
            // Objects of class Class are no more alike than their classes are.
            let is_class = class == program.known.class;
            let may_be = |other: &&Sym| {
                let is_either = program.is_subtype(class, **other) || program.is_subtype(**other, class);
                is_either && !(is_class && class == **other)
            };
            let others: Vec<Sym> = types.iter().filter(may_be).copied().collect();
            related.insert(class, others.iter().flat_map(|other| &of_type[other]).copied().collect());
        }
        for (number, lock) in self.locks.iter_mut().enumerate() {
            let mut compatible: Vec<usize> =
                related[&self.lock_types[number]].iter().chain(&of_path[&lock.path]).copied().collect();
            compatible.sort_unstable();
            compatible.dedup();
            lock.compatible = compatible;
        }
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

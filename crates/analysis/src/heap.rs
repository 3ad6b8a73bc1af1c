//! Accesses, stores, publication and locks, as the interpreter meets them.

use std::rc::Rc;

use crate::interpret::Interpreter;
use crate::lock::{Held, HeldId, Lock, Mode, Roots};
use crate::names::Sym;
use crate::path::{AllocationId, Path, PathId, Root};
use crate::program::{ELEMENTS, FieldId};
use crate::state::State;
use crate::summary::{AccessKind, Touch};
use crate::value::{EMPTY, SetId};

/// The names under which others can see an object.
pub enum SeenAs {
    Nothing,
    Itself(PathId),
    Others(Rc<[PathId]>),
}

impl SeenAs {
    pub fn iter(&self) -> std::slice::Iter<'_, PathId> {
        match self {
            SeenAs::Nothing => [].iter(),
            SeenAs::Itself(path) => std::slice::from_ref(path).iter(),
            SeenAs::Others(paths) => paths.iter(),
        }
    }
}

impl Interpreter<'_, '_, '_> {
    /// The class of a path's object, and whether it is exactly that class.
    pub fn type_of(&mut self, path: PathId) -> (Sym, bool) {
        let object = self.solver.program.known.object;
        let path = self.solver.paths.get(path);
        if path.tail {
            return (object, false);
        }
        // A field says what it holds, whatever object it is of; elements are what their array is of.
        let elements = path.fields.iter().rev().take_while(|&&field| field == ELEMENTS).count();
        let mut found = match path.fields.len().checked_sub(elements + 1) {
            Some(at) => (self.solver.program.field(path.fields[at]).type_name.unwrap_or(object), false),
            None => self.type_of_root(path.root),
        };
        for _ in 0..elements {
            found = (self.solver.program.element_type(found.0).unwrap_or(object), false);
        }
        found
    }

    fn type_of_root(&mut self, root: Root) -> (Sym, bool) {
        let object = self.solver.program.known.object;
        match root {
            Root::Parameter(0) if self.key.receiver.is_some() => {
                (self.frame.parameter_types[0], self.receiver_is_exact())
            }
            Root::Parameter(number) => {
                (self.frame.parameter_types.get(usize::from(number)).copied().unwrap_or(object), false)
            }
            Root::Static(field) => (self.solver.program.field(field).type_name.unwrap_or(object), false),
            Root::Fresh(allocation) => (self.solver.paths.allocation(allocation).class, true),
            Root::Class(_) => (self.solver.program.known.class, true),
            Root::Text(_) => (self.solver.program.known.string, true),
            Root::Outside(class) => (class, false),
            Root::Anything => (object, false),
        }
    }

    /// The class under test stands for its subclasses too when it cannot have objects of its own.
    fn receiver_is_exact(&mut self) -> bool {
        if let Some(known) = self.exact_receiver {
            return known;
        }
        let class = self.frame.parameter_types[0];
        let exact = self.solver.program.lambdas.contains_key(&class)
            || self.solver.program.class(class).is_ok_and(|class| class.is_concrete());
        self.exact_receiver = Some(exact);
        exact
    }

    /// Whether an object on a path can have a field.
    pub fn can_have(&mut self, path: PathId, field: FieldId) -> bool {
        let (class, exact) = self.type_of(path);
        self.solver.program.can_have(class, exact, field)
    }

    /// Notes an access of a field of each of these objects.
    pub fn access(&mut self, state: &mut State, bases: SetId, field: FieldId, kind: AccessKind, ordered: bool) {
        for &base in self.solver.sets.get(bases).iter() {
            self.access_path(state, base, field, kind, ordered);
        }
    }

    fn access_path(&mut self, state: &mut State, base: PathId, field: FieldId, kind: AccessKind, ordered: bool) {
        for &base in self.seen_as(state, base).iter() {
            if self.can_have(base, field) {
                self.touch(state, Touch { base: Some(base), field, kind, ordered });
            }
        }
    }

    /// The names under which others can see an object; none if they cannot.
    pub fn seen_as(&mut self, state: &State, path: PathId) -> SeenAs {
        match self.solver.paths.get(path).root {
            Root::Fresh(allocation) if state.has_escaped(allocation) => {
                SeenAs::Others(self.solver.sets.get(self.frame.published.get(&allocation).copied().unwrap_or(EMPTY)))
            }
            Root::Fresh(_) => SeenAs::Nothing,
            _ => SeenAs::Itself(path),
        }
    }

    /// Notes an access, with the locks that are held.
    pub fn touch(&mut self, state: &mut State, touch: Touch) {
        if self.recording {
            let held = self.held_id(state);
            self.note_access(touch, held, self.site);
        }
        self.note_seen(state, touch);
    }

    /// Notes an access.
    pub fn note_access(&mut self, mut touch: Touch, held: HeldId, site: crate::summary::Site) {
        let vague = match touch.base.map(|base| self.solver.paths.get(base)) {
            // Of an object that could be any, the field says as much as its type does.
            Some(Path { root: Root::Outside(_) | Root::Anything, .. }) => {
                let owner = match touch.field {
                    ELEMENTS => self.solver.program.known.object,
                    field => self.solver.program.field(field).owner,
                };
                touch.base = Some(self.solver.paths.root(Root::Outside(owner)));
                true
            }
            Some(path) => path.tail,
            None => false,
        };
        match vague {
            true => self.effects.vague_access(touch, held, site, &mut self.solver.held),
            false => self.effects.access(touch, held, site),
        }
    }

    /// What was accessed breaks the cover of locks taken later; what never changes does not.
    pub fn note_seen(&mut self, state: &mut State, touch: Touch) {
        if touch.kind == AccessKind::Read && self.solver.program.field(touch.field).is_final() {
            return;
        }
        let roots = match touch.base {
            Some(base) => Roots::of(self.solver.paths.get(base).root),
            None => Roots::STATIC,
        };
        state.seen = state.seen.with(roots);
        self.frame.accessed = self.frame.accessed.with(roots);
    }

    pub fn held_id(&mut self, state: &State) -> HeldId {
        let held: Vec<Held> = state.held.iter().map(|(held, _)| *held).collect();
        self.solver.held.number(held)
    }

    /// What a field of these objects may hold.
    pub fn load(&mut self, bases: SetId, field: FieldId) -> SetId {
        if let Some(&(version, known)) = self.frame.loaded.get(&(bases, field))
            && version.is_none_or(|version| version == self.frame.version)
        {
            return known;
        }
        let loaded = self.find_loaded(bases, field);
        let version = self.has_new(bases).then_some(self.frame.version);
        self.frame.loaded.insert((bases, field), (version, loaded));
        loaded
    }

    fn find_loaded(&mut self, bases: SetId, field: FieldId) -> SetId {
        let mut found = Vec::new();
        for &base in self.solver.sets.get(bases).iter() {
            self.load_path(base, field, &mut found);
        }
        let solver = &mut *self.solver;
        solver.sets.of(found, &mut solver.paths, solver.program)
    }

    fn load_path(&mut self, base: PathId, field: FieldId, found: &mut Vec<PathId>) {
        let root = self.solver.paths.get(base).root;
        match root {
            Root::Fresh(allocation) => {
                let stored = self.held_in(allocation, field);
                found.extend(self.solver.sets.get(stored).iter());
                // Others may have stored something else since it was published.
                let published = self.frame.published.get(&allocation).copied().unwrap_or(EMPTY);
                for &path in self.solver.sets.get(published).iter() {
                    found.push(self.solver.paths.append(path, field, self.solver.program));
                }
            }
            Root::Class(_) | Root::Text(_) => {}
            _ if self.can_have(base, field) => {
                found.push(self.solver.paths.append(base, field, self.solver.program));
            }
            _ => {}
        }
    }

    /// Everything that can be reached from these objects.
    pub fn reach_all(&mut self, from: SetId) -> SetId {
        if self.frame.reached.0 != self.frame.version {
            self.frame.reached.0 = self.frame.version;
            self.frame.reached.1.clear();
        }
        if let Some(&known) = self.frame.reached.1.get(&from) {
            return known;
        }
        let reached = self.find_all(from);
        self.frame.reached.1.insert(from, reached);
        reached
    }

    fn find_all(&mut self, from: SetId) -> SetId {
        let mut found = Vec::new();
        let mut done = Vec::new();
        let mut work: Vec<PathId> = self.solver.sets.get(from).to_vec();
        while let Some(path) = work.pop() {
            if done.contains(&path) {
                continue;
            }
            done.push(path);
            match self.solver.paths.fresh(path) {
                Some(allocation) => {
                    let held = self.frame.heap.get(&allocation).map_or(&[][..], Vec::as_slice);
                    held.iter().for_each(|(_, values)| work.extend(self.solver.sets.get(*values).iter()));
                }
                None => found.push(self.solver.paths.with_tail(path)),
            }
        }
        let solver = &mut *self.solver;
        solver.sets.of(found, &mut solver.paths, solver.program)
    }

    /// Stores references into a field of each of these objects.
    pub fn store(&mut self, state: &mut State, bases: SetId, field: FieldId, values: SetId) {
        if values == EMPTY {
            return;
        }
        // Callees tell of the same stores again and again.
        match self.frame.stored.get(&(bases, field, values)) {
            Some(true) => return,
            Some(false) => {}
            None => {
                let is_done_for_good = !self.has_new(bases) && !self.has_new(values);
                self.frame.stored.insert((bases, field, values), is_done_for_good);
            }
        }
        for &base in self.solver.sets.get(bases).iter() {
            match self.solver.paths.get(base).root {
                Root::Fresh(allocation) => {
                    self.heap_store(allocation, field, values);
                    if state.has_escaped(allocation) {
                        let published = self.frame.published.get(&allocation).copied().unwrap_or(EMPTY);
                        for &at in self.solver.sets.get(published).iter() {
                            self.store_shared(state, at, field, values);
                        }
                    }
                }
                Root::Class(_) | Root::Text(_) => {}
                _ => self.store_shared(state, base, field, values),
            }
        }
    }

    /// Whether some of these objects were made here or in a callee.
    pub fn has_new(&self, objects: SetId) -> bool {
        self.solver.sets.get(objects).iter().any(|&path| self.solver.paths.fresh(path).is_some())
    }

    fn store_shared(&mut self, state: &mut State, base: PathId, field: FieldId, values: SetId) {
        let place = match self.frame.shared_stores.get(&(base, field, values)) {
            // All of it was published there before. Where it is seen already, that changes nothing.
            Some(Some(_)) if self.have_escaped(values, state) => None,
            Some(&known) => known,
            None => {
                let place = self.note_shared_store(base, field, values);
                self.frame.shared_stores.insert((base, field, values), place);
                place
            }
        };
        let Some(at) = place else { return };
        for &value in self.solver.sets.get(values).iter() {
            self.publish(state, value, at);
        }
    }

    /// Whether others may see all of these objects that are new.
    fn have_escaped(&self, objects: SetId, state: &State) -> bool {
        let objects = self.solver.sets.get(objects);
        let mut new = objects.iter().filter_map(|&path| self.solver.paths.fresh(path));
        new.all(|allocation| state.has_escaped(allocation))
    }

    /// Notes a store for callers. Gives the place where what is stored can be seen, if the object has such a field and
    /// something new is stored.
    fn note_shared_store(&mut self, base: PathId, field: FieldId, values: SetId) -> Option<PathId> {
        if !self.can_have(base, field) {
            return None;
        }
        let at = self.solver.paths.append(base, field, self.solver.program);
        let found = self.solver.paths.get(base);
        // A caller can only make use of a store into what may be new to it.
        let (near, may_be_new) = (found.is_near(), found.may_be_new());
        for &value in self.solver.sets.get(values).iter() {
            if near || may_be_new && self.solver.paths.fresh(value).is_some() {
                self.frame.stores.insert((Some(base), field, value));
            }
        }
        self.has_new(values).then_some(at)
    }

    /// What a field of a new object may hold.
    fn held_in(&self, allocation: AllocationId, field: FieldId) -> SetId {
        let fields = self.frame.heap.get(&allocation).map_or(&[][..], Vec::as_slice);
        fields.iter().find(|(of, _)| *of == field).map_or(EMPTY, |(_, values)| *values)
    }

    fn heap_store(&mut self, allocation: AllocationId, field: FieldId, values: SetId) {
        let solver = &mut *self.solver;
        let fields = self.frame.heap.entry(allocation).or_default();
        let known = match fields.iter_mut().find(|(of, _)| *of == field) {
            Some((_, known)) => known,
            None => {
                fields.push((field, EMPTY));
                &mut fields.last_mut().expect("internal bug: just pushed").1
            }
        };
        let joined = solver.sets.union(*known, values, &mut solver.paths, solver.program);
        if joined != *known {
            *known = joined;
            self.frame.version += 1;
        }
    }

    /// An object becomes visible to others at a path, with everything that hangs on it.
    pub fn publish(&mut self, state: &mut State, object: PathId, at: PathId) {
        let Some(allocation) = self.solver.paths.fresh(object) else { return };
        if state.has_escaped(allocation) {
            let known = self.frame.published.get(&allocation).copied().unwrap_or(EMPTY);
            if self.solver.sets.has(known, at) {
                return;
            }
        }
        let mut work = vec![(object, at)];
        while let Some((object, at)) = work.pop() {
            let Some(allocation) = self.solver.paths.fresh(object) else { continue };
            let solver = &mut *self.solver;
            let known = self.frame.published.get(&allocation).copied().unwrap_or(EMPTY);
            let here = solver.sets.one(at);
            let joined = solver.sets.union(known, here, &mut solver.paths, solver.program);
            if joined == known && state.has_escaped(allocation) {
                // So is what hangs on it: later stores into it publish what they store.
                continue;
            }
            state.escapes(allocation);
            if joined != known {
                self.frame.published.insert(allocation, joined);
                self.frame.version += 1;
            }
            for &(field, values) in self.frame.heap.get(&allocation).map_or(&[][..], Vec::as_slice) {
                let below = self.solver.paths.append(at, field, self.solver.program);
                work.extend(self.solver.sets.get(values).iter().map(|&value| (value, below)));
            }
        }
    }

    /// Takes the lock of one of these objects.
    pub fn acquire(&mut self, state: &mut State, objects: SetId, mode: Mode) {
        let locks = self.locks(state, objects, mode);
        for &lock in &locks {
            if self.recording && !state.holds(lock) {
                self.effects.acquisition(lock, &state.may, self.site);
            }
        }
        match self.certain(objects, &locks) {
            Some(lock) => state.take(lock),
            None => locks.iter().for_each(|&lock| state.may_take(lock)),
        }
    }

    pub fn release(&mut self, state: &mut State, objects: SetId, mode: Mode) {
        let locks = self.locks(state, objects, mode);
        let certain = self.certain(objects, &locks);
        for lock in locks {
            let was_held = state.give_up(lock);
            // Monitors are released where they were taken; other locks may have been taken by a caller.
            if !was_held && certain.is_some() && mode != Mode::Monitor {
                self.frame.releases.insert(lock);
            }
        }
    }

    /// The locks that others can see among those of these objects.
    pub fn locks(&mut self, state: &State, objects: SetId, mode: Mode) -> Vec<Lock> {
        let mut found = Vec::new();
        for &path in self.solver.sets.get(objects).iter() {
            found.extend(self.seen_as(state, path).iter().map(|&path| Lock { path, mode }));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The lock if it can be no other. One of many objects from outside is none for certain.
    pub fn certain(&self, objects: SetId, locks: &[Lock]) -> Option<Lock> {
        let [lock] = *locks else { return None };
        let path = self.solver.paths.get(lock.path);
        let one = !path.tail && !matches!(path.root, Root::Outside(_) | Root::Anything);
        (one && self.solver.sets.single(objects).is_some()).then_some(lock)
    }
}

//! The effects of a callee, taken over in terms of the arguments.
//!
//! A callee's path is loaded field by field from what was passed, so that paths into objects that were made here
//! lead to what they hold. A lock of the callee is held here for certain only if it can be but one object here.

use std::rc::Rc;

use crate::effects::{AccessOfMany, Effect};
use crate::frame::Applied;
use crate::interpret::Interpreter;
use crate::lock::{Held, HeldId, Lock, Roots};
use crate::names::{Map, Set};
use crate::path::{PathId, Root};
use crate::solver::InstanceId;
use crate::state::State;
use crate::summary::{Access, Flow};
use crate::value::{EMPTY, SetId};

/// A callee as it is seen from one call, as far as it was asked.
#[derive(Default)]
struct Seen {
    /// What its paths stand for here.
    paths: Map<PathId, SetId>,
    /// Accesses of several objects, new ones among them, that were noted: many of its paths may stand for the same
    /// objects here.
    accesses: Set<AccessOfMany>,
}

impl Interpreter<'_, '_, '_> {
    /// Goes on after a call, as far as that does not depend on what the callee accesses and locks. That is taken
    /// over when all calls are known.
    pub fn apply(&mut self, callee: InstanceId, flow: &Rc<Flow>, arguments: &[SetId], state: &mut State) -> SetId {
        self.apply_stores(callee, flow, arguments, state);
        let mut seen_through = Seen::default();
        let roots: Vec<Roots> = arguments.iter().map(|&set| self.roots_of(set, state)).collect();
        if self.recording {
            self.edges.add(callee, arguments, state);
        }
        let accessed = flow.accessed.through(&roots);
        for lock in &flow.releases {
            for lock in self.locks_here(*lock, arguments, &mut seen_through, state) {
                if !state.give_up(lock) {
                    self.frame.releases.insert(lock);
                }
            }
        }
        for held in &flow.keeps {
            let objects = self.seen_here(held.lock.path, arguments, &mut seen_through);
            let locks = self.locks(state, objects, held.lock.mode);
            match self.certain(objects, &locks) {
                Some(lock) => {
                    state.take(lock);
                    let after = held.after.through(&roots).with(state.seen);
                    if let Some((taken, 1)) =
                        state.held.iter_mut().find(|(held, _)| held.lock == lock).map(|h| (&mut h.0, h.1))
                    {
                        taken.after = after;
                    }
                }
                None => locks.iter().for_each(|&lock| state.may_take(lock)),
            }
        }
        state.seen = state.seen.with(accessed);
        self.frame.accessed = self.frame.accessed.with(accessed);
        let mut result = EMPTY;
        for &path in self.solver.sets.get(flow.returns).iter() {
            let here = self.seen_here(path, arguments, &mut seen_through);
            result = self.union(result, here);
        }
        result
    }

    /// Takes over the stores of a callee, as far as they were not taken over before.
    fn apply_stores(&mut self, callee: InstanceId, flow: &Rc<Flow>, arguments: &[SetId], state: &mut State) {
        if flow.stores_nothing() {
            return;
        }
        let version = self.frame.version;
        let alike = |applied: &Applied| *applied.arguments == *arguments && applied.escaped.0 == state.escaped;
        let known = self.frame.applied.get(&callee).into_iter().flatten();
        let earlier = known.clone().find(|applied| applied.version == version && alike(applied));
        let before = state.escaped.clone();
        let done = match earlier {
            Some(earlier) => {
                state.escaped.clone_from(&earlier.escaped.1);
                earlier.flow.clone()
            }
            None => Rc::default(),
        };
        if Rc::ptr_eq(&done, flow) {
            return;
        }
        let mut seen_through = Seen::default();
        let mut seen_at = version;
        for &(base, field, value) in missing(&flow.contents, &done.contents).chain(missing(&flow.stores, &done.stores))
        {
            self.solver.work += 1;
            // Stores change what paths from new objects lead to.
            if seen_at != self.frame.version {
                seen_at = self.frame.version;
                seen_through.paths.clear();
            }
            let values = self.seen_here(value, arguments, &mut seen_through);
            match base {
                Some(base) => {
                    let bases = self.seen_here(base, arguments, &mut seen_through);
                    self.store(state, bases, field, values);
                }
                None => {
                    let at = self.solver.paths.root(Root::Static(field));
                    for &path in self.solver.sets.get(values).iter() {
                        self.frame.stores.insert((None, field, path));
                        self.publish(state, path, at);
                    }
                }
            }
        }
        for &(object, place) in missing(&flow.publications, &done.publications) {
            self.solver.work += 1;
            let places = self.seen_here(place, arguments, &mut seen_through);
            for &place in self.solver.sets.get(places).iter() {
                if self.solver.paths.fresh(place).is_none() {
                    self.publish(state, object, place);
                }
            }
        }
        // One store may lead to what another has put there; only when nothing changes are they all done.
        if self.frame.version == version {
            let escaped = (before, state.escaped.clone());
            let applied = Applied { flow: flow.clone(), arguments: arguments.into(), version, escaped };
            let known = self.frame.applied.entry(callee).or_default();
            known.retain(|known| known.arguments != applied.arguments || known.escaped.0 != applied.escaped.0);
            known.push(applied);
        }
    }

    /// Does here what a callee was seen to do, called with these arguments in this state.
    pub fn take_over(&mut self, effects: &[Effect], arguments: &[SetId], state: &State) {
        if effects.is_empty() {
            return;
        }
        self.solver.taken_over += effects.len() as u64;
        let roots: Vec<Roots> = arguments.iter().map(|&set| self.roots_of(set, state)).collect();
        let mut seen_through = Seen::default();
        let mut translated: Map<HeldId, HeldId> = Map::default();
        // One access after the other is made under the same locks.
        let mut last: Option<(HeldId, HeldId)> = None;
        for effect in effects {
            match effect {
                Effect::Access(access) => {
                    let known = last.filter(|(of, _)| *of == access.held).map(|(_, held)| held);
                    let held = match known.or_else(|| translated.get(&access.held).copied()) {
                        Some(known) => known,
                        None => {
                            let held = self.held_here(access.held, arguments, &roots, &mut seen_through, state);
                            translated.insert(access.held, held);
                            held
                        }
                    };
                    last = Some((access.held, held));
                    self.take_over_access(access, held, arguments, &mut seen_through, state);
                }
                Effect::Acquisition(acquisition) => {
                    let held = match acquisition.outer {
                        Some(outer) => self.locks_here(outer, arguments, &mut seen_through, state),
                        None => state.may.clone(),
                    };
                    for lock in self.locks_here(acquisition.lock, arguments, &mut seen_through, state) {
                        if !state.holds(lock) {
                            self.effects.acquisition(lock, &held, acquisition.site);
                        }
                    }
                }
                Effect::Signal(signal) => {
                    let monitors = self.seen_here(signal.monitor, arguments, &mut seen_through);
                    for &path in self.solver.sets.get(monitors).iter() {
                        for &path in self.seen_as(state, path).iter() {
                            self.effects.signal(path, signal.is_wait, signal.site);
                        }
                    }
                }
                Effect::Opaque(opaque) => self.effects.opaque(*opaque),
            }
        }
    }

    fn take_over_access(
        &mut self,
        access: &Access,
        held: HeldId,
        arguments: &[SetId],
        seen_through: &mut Seen,
        state: &State,
    ) {
        let mut touch = access.touch;
        let Some(base) = touch.base else { return self.note_access(touch, held, access.site) };
        let bases = self.seen_here(base, arguments, seen_through);
        let objects = self.solver.sets.get(bases);
        let noted = (bases, touch.field, touch.kind, touch.ordered, held);
        if objects.len() > 1 {
            let noted_before = match self.has_new(bases) {
                true => &mut seen_through.accesses,
                // The same objects are accessed in the same way, from whichever call that comes.
                false => &mut self.effects.of_many,
            };
            if !noted_before.insert(noted) {
                return;
            }
        }
        for &path in objects.iter() {
            for &path in self.seen_as(state, path).iter() {
                touch.base = Some(path);
                if !self.effects.knows(touch, held) && self.can_have(path, touch.field) {
                    self.note_access(touch, held, access.site);
                }
            }
        }
    }

    /// The locks held at an access of a callee: its own, where they are certain here, and ours.
    fn held_here(
        &mut self,
        held: HeldId,
        arguments: &[SetId],
        roots: &[Roots],
        seen_through: &mut Seen,
        state: &State,
    ) -> HeldId {
        let mut here: Vec<Held> = state.held.iter().map(|(held, _)| *held).collect();
        for held in self.solver.held.get(held).iter() {
            let objects = self.seen_here(held.lock.path, arguments, seen_through);
            let locks = self.locks(state, objects, held.lock.mode);
            if let Some(lock) = self.certain(objects, &locks)
                && !here.iter().any(|held| held.lock == lock)
            {
                // Whatever was accessed before the call was accessed before the callee took it.
                here.push(Held { lock, after: held.after.through(roots).with(state.seen) });
            }
        }
        self.solver.held.number(here)
    }

    fn locks_here(&mut self, lock: Lock, arguments: &[SetId], seen_through: &mut Seen, state: &State) -> Vec<Lock> {
        let objects = self.seen_here(lock.path, arguments, seen_through);
        self.locks(state, objects, lock.mode)
    }

    /// What a callee's path stands for here.
    fn seen_here(&mut self, path: PathId, arguments: &[SetId], known: &mut Seen) -> SetId {
        let found = self.solver.paths.get(path);
        let Root::Parameter(number) = found.root else { return self.solver.sets.one(path) };
        let passed = arguments.get(usize::from(number)).copied().unwrap_or(EMPTY);
        if found.fields.is_empty() && !found.tail {
            return passed;
        }
        if let Some(&set) = known.paths.get(&path) {
            return set;
        }
        let found = found.clone();
        let set = found.fields.iter().fold(passed, |set, &field| self.load(set, field));
        let set = if found.tail { self.reach_all(set) } else { set };
        known.paths.insert(path, set);
        set
    }

    fn roots_of(&mut self, set: SetId, state: &State) -> Roots {
        let mut roots = Roots::NONE;
        for &path in self.solver.sets.get(set).iter() {
            roots = match self.solver.paths.get(path).root {
                // What hangs on a new object may be anyone's.
                Root::Fresh(_) => {
                    let reached = self.reach_all(set);
                    let seen = self.seen_as(state, path);
                    let all = self.solver.sets.get(reached);
                    all.iter()
                        .chain(seen.iter())
                        .fold(roots, |roots, &p| roots.with(Roots::of(self.solver.paths.get(p).root)))
                }
                root => roots.with(Roots::of(root)),
            };
        }
        roots
    }
}

/// What is in the one list and not in the other, both in order.
fn missing<'l, T: Ord>(all: &'l [T], mut done: &'l [T]) -> impl Iterator<Item = &'l T> {
    all.iter().filter(move |one| {
        while let [first, rest @ ..] = done
            && first < one
        {
            done = rest;
        }
        done.first() != Some(one)
    })
}

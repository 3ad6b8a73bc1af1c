//! The effects of a callee, taken over in terms of the arguments.
//!
//! A callee's path is loaded field by field from what was passed, so that paths into objects that were made here
//! lead to what they hold. A lock of the callee is held here for certain only if it can be but one object here.

use crate::interpret::Interpreter;
use crate::lock::{Held, HeldId, Lock, Roots};
use crate::names::Map;
use crate::path::{PathId, Root};
use crate::state::State;
use crate::summary::Summary;
use crate::value::{EMPTY, SetId};

impl Interpreter<'_, '_, '_> {
    /// Does here what a callee does.
    pub fn apply(&mut self, summary: &Summary, arguments: &[SetId], state: &mut State) -> SetId {
        let effects = summary.stores.len() + if self.recording { summary.accesses.len() } else { 0 };
        self.solver.work += effects as u64;
        let mut seen_through: Map<PathId, SetId> = Map::default();
        for &(base, field, value) in &summary.stores {
            let values = self.seen_here(value, arguments, &mut seen_through);
            match base {
                Some(base) => {
                    let bases = self.seen_here(base, arguments, &mut Map::default());
                    self.store(state, bases, field, values);
                }
                None => {
                    let at = self.solver.paths.root(Root::Static(field));
                    for &path in self.solver.sets.get(values).iter() {
                        self.stores.insert((None, field, path));
                        self.publish(state, path, at);
                    }
                }
            }
        }
        // Stores may have changed what paths from new objects lead to.
        seen_through.clear();
        let roots: Vec<Roots> = arguments.iter().map(|&set| self.roots_of(set, state)).collect();
        if self.recording {
            self.note_effects(summary, arguments, &roots, &mut seen_through, state);
        }
        let accessed = summary.accessed.through(&roots);
        for lock in &summary.releases {
            for lock in self.locks_here(*lock, arguments, &mut seen_through, state) {
                if !state.give_up(lock) {
                    self.releases.push(lock);
                }
            }
        }
        for held in &summary.keeps {
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
        self.accessed = self.accessed.with(accessed);
        let mut result = EMPTY;
        for &path in self.solver.sets.get(summary.returns).iter() {
            let here = self.seen_here(path, arguments, &mut seen_through);
            result = self.union(result, here);
        }
        result
    }

    fn note_effects(
        &mut self,
        summary: &Summary,
        arguments: &[SetId],
        roots: &[Roots],
        seen_through: &mut Map<PathId, SetId>,
        state: &mut State,
    ) {
        let seen = state.seen;
        let mut translated: Map<HeldId, HeldId> = Map::default();
        for access in &summary.accesses {
            let held = match translated.get(&access.held) {
                Some(&known) => known,
                None => {
                    let held = self.held_here(access.held, arguments, roots, seen_through, seen, state);
                    translated.insert(access.held, held);
                    held
                }
            };
            let mut touch = access.touch;
            match touch.base {
                None => self.note_access(touch, held, access.site),
                Some(base) => {
                    let bases = self.seen_here(base, arguments, seen_through);
                    for &path in self.solver.sets.get(bases).iter() {
                        for &path in self.seen_as(state, path).iter() {
                            if self.can_have(path, touch.field) {
                                touch.base = Some(path);
                                self.note_access(touch, held, access.site);
                            }
                        }
                    }
                }
            }
        }
        for acquisition in &summary.acquisitions {
            let held = match acquisition.outer {
                Some(outer) => self.locks_here(outer, arguments, seen_through, state),
                None => state.may.clone(),
            };
            for lock in self.locks_here(acquisition.lock, arguments, seen_through, state) {
                if !state.holds(lock) {
                    self.draft.acquisition(lock, &held, acquisition.site);
                }
            }
        }
        for signal in &summary.signals {
            let monitors = self.seen_here(signal.monitor, arguments, seen_through);
            for &path in self.solver.sets.get(monitors).iter() {
                for &path in self.seen_as(state, path).iter() {
                    self.draft.signal(path, signal.is_wait, signal.site);
                }
            }
        }
        summary.opaque.iter().for_each(|&opaque| self.draft.opaque(opaque));
    }

    /// The locks held at an access of a callee: its own, where they are certain here, and ours.
    fn held_here(
        &mut self,
        held: HeldId,
        arguments: &[SetId],
        roots: &[Roots],
        seen_through: &mut Map<PathId, SetId>,
        seen: Roots,
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
                here.push(Held { lock, after: held.after.through(roots).with(seen) });
            }
        }
        self.solver.held.number(here)
    }

    fn locks_here(
        &mut self,
        lock: Lock,
        arguments: &[SetId],
        seen_through: &mut Map<PathId, SetId>,
        state: &State,
    ) -> Vec<Lock> {
        let objects = self.seen_here(lock.path, arguments, seen_through);
        self.locks(state, objects, lock.mode)
    }

    /// What a callee's path stands for here.
    fn seen_here(&mut self, path: PathId, arguments: &[SetId], known: &mut Map<PathId, SetId>) -> SetId {
        if let Some(&set) = known.get(&path) {
            return set;
        }
        let found = self.solver.paths.get(path).clone();
        let set = match found.root {
            Root::Parameter(number) => {
                let mut set = arguments.get(usize::from(number)).copied().unwrap_or(EMPTY);
                for &field in &found.fields {
                    set = self.load(set, field);
                }
                if found.tail { self.reach_all(set) } else { set }
            }
            _ => self.solver.sets.one(path),
        };
        known.insert(path, set);
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

//! What a method is seen to do while it is recorded: each fact once, with the place where it was first met. That is in
//! the method's own code if it is there at all, for that is walked before callees are asked.
//!
//! What is new is also written to a log, so that a caller can take over what it has not taken over before.

use std::collections::hash_map::Entry;

use crate::lock::{HeldId, HeldSets, Lock};
use crate::names::{Map, Set};
use crate::path::PathId;
use crate::program::FieldId;
use crate::summary::{Access, AccessKind, Acquisition, Opaque, Signal, Site, Summary, Touch};
use crate::value::SetId;

/// One fact about a method.
#[derive(Clone, Copy, Debug)]
pub enum Effect {
    Access(Access),
    Acquisition(Acquisition),
    Signal(Signal),
    Opaque(Opaque),
}

/// An access of several objects with the locks that are held: objects, field, what is done, whether it is ordered.
pub type AccessOfMany = (SetId, FieldId, AccessKind, bool, HeldId);

/// The facts about a method so far.
#[derive(Debug, Default)]
pub struct Effects {
    accesses: Map<(Touch, HeldId), Site>,
    /// Accesses of what stands for many objects: only the locks that are held at all of them matter.
    vague: Map<Touch, (HeldId, Site)>,
    acquisitions: Map<(Lock, Option<Lock>), Site>,
    signals: Map<(PathId, bool), Site>,
    opaque: Set<Opaque>,
    /// Accesses of several objects, none of them new, that were taken over from callees.
    pub of_many: Set<AccessOfMany>,
    /// Whatever changed, in order. A fact of which more became known is there again.
    pub log: Vec<Effect>,
}

impl Effects {
    pub fn access(&mut self, touch: Touch, held: HeldId, site: Site) {
        if note(&mut self.accesses, (touch, held), site) {
            self.log.push(Effect::Access(Access { touch, held, site }));
        }
    }

    /// Whether an access was noted that is not vague.
    pub fn knows(&self, touch: Touch, held: HeldId) -> bool {
        self.accesses.contains_key(&(touch, held))
    }

    pub fn vague_access(&mut self, touch: Touch, held: HeldId, site: Site, sets: &mut HeldSets) {
        let known = self.vague.get(&touch).copied();
        let joined = known.map_or((held, site), |known| (sets.meet(known.0, held), known.1));
        if known != Some(joined) {
            self.vague.insert(touch, joined);
            self.log.push(Effect::Access(Access { touch, held: joined.0, site: joined.1 }));
        }
    }

    pub fn acquisition(&mut self, lock: Lock, held: &[Lock], site: Site) {
        let outer = held.iter().filter(|held| held.path != lock.path).map(|&held| Some(held));
        for outer in std::iter::once(None).chain(outer) {
            if note(&mut self.acquisitions, (lock, outer), site) {
                self.log.push(Effect::Acquisition(Acquisition { lock, outer, site }));
            }
        }
    }

    pub fn signal(&mut self, monitor: PathId, is_wait: bool, site: Site) {
        if note(&mut self.signals, (monitor, is_wait), site) {
            self.log.push(Effect::Signal(Signal { monitor, is_wait, site }));
        }
    }

    pub fn opaque(&mut self, opaque: Opaque) {
        if self.opaque.insert(opaque) {
            self.log.push(Effect::Opaque(opaque));
        }
    }

    /// Writes what was noted into a summary, in order.
    pub fn write_to(&self, summary: &mut Summary) {
        let access = |(&(touch, held), &site): (&(Touch, HeldId), &Site)| Access { touch, held, site };
        summary.accesses = self.accesses.iter().map(access).collect();
        summary.accesses.extend(self.vague.iter().map(|(&touch, &(held, site))| Access { touch, held, site }));
        summary.accesses.sort_unstable();
        let acquisitions = self.acquisitions.iter();
        summary.acquisitions = acquisitions.map(|(&(lock, outer), &site)| Acquisition { lock, outer, site }).collect();
        summary.acquisitions.sort_unstable();
        let signals = self.signals.iter();
        summary.signals = signals.map(|(&(monitor, is_wait), &site)| Signal { monitor, is_wait, site }).collect();
        summary.signals.sort_unstable();
        summary.opaque = self.opaque.iter().copied().collect();
        summary.opaque.sort_unstable();
    }
}

/// Keeps the first site of a fact. Says whether the fact is news.
fn note<K: std::hash::Hash + Eq>(notes: &mut Map<K, Site>, key: K, site: Site) -> bool {
    match notes.entry(key) {
        Entry::Occupied(_) => false,
        Entry::Vacant(vacant) => {
            vacant.insert(site);
            true
        }
    }
}

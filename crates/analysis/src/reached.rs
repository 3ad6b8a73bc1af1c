//! The classes that the reached code makes objects of and initialises.

use crate::names::{Map, Set, Sym};
use crate::scope::Scope;
use crate::solver::{Instance, Solver, Stretch};

/// What was met so far.
#[derive(Debug, Default)]
pub struct Reached {
    initialised: Set<Sym>,
    instantiated: Set<Sym>,
    /// The instantiated classes of each type, in the order in which they were met.
    implementers: Map<Sym, Vec<Sym>>,
    /// Who has asked for the implementers of a type.
    subscribers: Map<Sym, Vec<Stretch>>,
    /// The same, for quick look-ups.
    asked: Set<(Sym, Stretch)>,
}

impl Solver<'_, '_> {
    /// Notes that the reached code makes objects of a class.
    pub(crate) fn instantiate(&mut self, class: Sym) {
        if !self.reached.instantiated.insert(class) {
            return;
        }
        for &supertype in self.program.supertypes(class).iter() {
            self.reached.implementers.entry(supertype).or_default().push(class);
            for at in 0..self.reached.subscribers.get(&supertype).map_or(0, Vec::len) {
                self.outdate(self.reached.subscribers[&supertype][at]);
            }
        }
    }

    /// The classes of a type of which the reached code makes objects. Whoever asks is walked again when there are
    /// more.
    pub(crate) fn implementers(&mut self, of: Sym, for_whom: Stretch) -> Vec<Sym> {
        if self.reached.asked.insert((of, for_whom)) {
            self.reached.subscribers.entry(of).or_default().push(for_whom);
        }
        self.reached.implementers.get(&of).cloned().unwrap_or_default()
    }

    /// Runs the static initialiser of a class, for what it makes and for the handles that it keeps. Its
    /// accesses are nobody's: the virtual machine runs it once, under a lock of its own.
    pub(crate) fn initialise(&mut self, class: Sym) {
        if !self.reached.initialised.insert(class) {
            return;
        }
        if self.program.scope(class) != Scope::Followed {
            return;
        }
        let Ok(loaded) = self.program.class(class) else { return };
        let descriptor = self.program.names.get("()V");
        let Some(&method) = loaded.methods.get(&(self.program.known.clinit, descriptor)) else { return };
        let id = self.number(Instance { method, receiver: None, nested: false });
        if self.depth >= self.limits.depth {
            self.waiting.push_back(id);
            return;
        }
        let outer = std::mem::replace(&mut self.initialising, true);
        self.solve(id);
        self.initialising = outer;
    }
}

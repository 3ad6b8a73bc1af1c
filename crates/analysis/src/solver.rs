//! Summaries of all methods that a class under test can reach: a fixpoint over the call graph.
//!
//! A method is analysed once for each class of receiver that it may run on, so that calls on `this` in
//! inherited code find the overriding methods of that class and no others. Callees are analysed when they are
//! first met, depth first; so most summaries are whole when they are first used. Where calls go in circles,
//! or a class turns out to be instantiated after a call was resolved without it, the methods concerned are
//! analysed again, callees first, until nothing changes.
//!
//! What a call can run is told by the class hierarchy narrowed to the classes that the reached code makes
//! (rapid type analysis), and by what is assumed of objects from outside (see `dispatch`).

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::body::Body;
use crate::interpret::Interpreter;
use crate::lock::HeldSets;
use crate::names::{Map, Set, Sym};
use crate::path::Paths;
use crate::program::{FieldId, MethodId, Program};
use crate::state::Fault;
use crate::summary::{Opaque, OpaqueReason, Summary};
use crate::value::{Sets, Value};

/// How deep calls are followed, and how much code is walked, before the rest is opaque.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest chain of calls.
    pub depth: usize,
    /// The number of methods that are analysed.
    pub methods: usize,
    /// How often one method is analysed again before its summary is taken as it is.
    pub rounds: u32,
    /// The work that is done for one class, in instructions walked and effects of callees taken over. It bounds
    /// time, and unlike time it is the same on every machine.
    pub work: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 40, methods: 12_000, rounds: 24, work: 400_000 }
    }
}

/// A method on a receiver of a known class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Instance {
    pub method: MethodId,
    /// None for static methods.
    pub receiver: Option<Sym>,
    /// Whether the call is made on an object that was assumed to be of the class under test. No such assumption
    /// is made of what it holds in turn, or every summary would hold every other.
    pub nested: bool,
}

/// An instance by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InstanceId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    New,
    Running,
    Done,
}

#[derive(Debug)]
struct Entry {
    key: Instance,
    status: Status,
    summary: Rc<Summary>,
    /// Who used the summary.
    dependents: Vec<InstanceId>,
    /// Callees end before their callers.
    order: u32,
    rounds: u32,
}

/// The analysis of one class under test.
pub struct Solver<'a, 's> {
    pub program: &'a mut Program<'s>,
    pub bodies: &'a mut Map<MethodId, Option<Rc<Body>>>,
    pub under_test: Sym,
    pub paths: Paths,
    pub sets: Sets,
    pub held: HeldSets,
    /// Code that cannot be interpreted.
    pub faults: Map<MethodId, Fault>,
    /// What static initialisers put into final fields, where that is a handle of a field.
    pub handles: Map<FieldId, Value>,
    /// The classes that final fields hold objects of, where constructors make them.
    pub contents: Map<FieldId, Rc<[Sym]>>,
    /// Final fields that are another name of a place in the same object: the fields that lead there.
    pub aliases: Map<FieldId, Rc<[FieldId]>>,
    /// Whether a limit was reached, so that summaries may lack something.
    pub cut_off: bool,
    limits: Limits,
    /// The work done so far.
    pub work: u64,
    depth: usize,
    entries: Vec<Entry>,
    numbers: Map<Instance, InstanceId>,
    finished: u32,
    dirty: BTreeSet<(u32, InstanceId)>,
    initialised: Set<Sym>,
    instantiated: Set<Sym>,
    /// The instantiated classes of each type, in the order in which they were met.
    implementers: Map<Sym, Vec<Sym>>,
    /// Who has asked for the implementers of a type.
    subscribers: Map<Sym, Vec<InstanceId>>,
}

impl<'a, 's> Solver<'a, 's> {
    pub fn new(
        program: &'a mut Program<'s>,
        bodies: &'a mut Map<MethodId, Option<Rc<Body>>>,
        under_test: Sym,
        limits: Limits,
    ) -> Self {
        Solver {
            program,
            bodies,
            under_test,
            paths: Paths::default(),
            sets: Sets::default(),
            held: HeldSets::default(),
            faults: Map::default(),
            handles: Map::default(),
            contents: Map::default(),
            aliases: Map::default(),
            cut_off: false,
            limits,
            work: 0,
            depth: 0,
            entries: Vec::new(),
            numbers: Map::default(),
            finished: 0,
            dirty: BTreeSet::new(),
            initialised: Set::default(),
            instantiated: Set::default(),
            implementers: Map::default(),
            subscribers: Map::default(),
        }
    }

    /// Makes sure that a method is analysed.
    pub fn require(&mut self, key: Instance) -> InstanceId {
        let id = self.number(key);
        if self.entries[id.0 as usize].status == Status::New {
            self.solve(id);
        }
        id
    }

    /// Analyses again what is out of date, until nothing is.
    pub fn settle(&mut self) {
        while let Some((_, id)) = self.dirty.pop_first() {
            let settles = self.entries[id.0 as usize].rounds < self.limits.rounds;
            if settles && !self.is_exhausted() {
                self.solve(id);
            } else {
                self.cut_off = true;
            }
        }
    }

    /// Whether the limit of work is reached.
    pub fn is_exhausted(&self) -> bool {
        self.work > self.limits.work
    }

    /// The summary as it is now.
    pub fn summary(&self, id: InstanceId) -> Rc<Summary> {
        self.entries[id.0 as usize].summary.clone()
    }

    /// How many methods were analysed, each receiver's class apart.
    pub fn effort(&self) -> usize {
        self.entries.len()
    }

    /// The summary of a callee for a caller, who will be analysed again when it changes. None if the limits
    /// do not allow to follow the call.
    pub(crate) fn summary_for(&mut self, key: Instance, caller: InstanceId) -> Option<Rc<Summary>> {
        let id = self.number(key);
        let is_new = self.entries[id.0 as usize].status == Status::New;
        let enough = self.depth >= self.limits.depth || self.finished as usize >= self.limits.methods;
        if is_new && (enough || self.is_exhausted()) {
            self.cut_off = true;
            return None;
        }
        if !self.entries[id.0 as usize].dependents.contains(&caller) {
            self.entries[id.0 as usize].dependents.push(caller);
        }
        if is_new {
            self.solve(id);
        }
        Some(self.summary(id))
    }

    /// The code of a method.
    pub(crate) fn body(&mut self, method: MethodId) -> Option<Rc<Body>> {
        if let Some(known) = self.bodies.get(&method) {
            return known.clone();
        }
        let info = self.program.method(method).clone();
        let class = self.program.class(info.owner).ok()?;
        let body = Body::of(&class, &info, &mut self.program.names).map(Rc::new);
        self.bodies.insert(method, body.clone());
        body
    }

    /// Notes that the reached code makes objects of a class.
    pub(crate) fn instantiate(&mut self, class: Sym) {
        if !self.instantiated.insert(class) {
            return;
        }
        for &supertype in self.program.supertypes(class).iter() {
            self.implementers.entry(supertype).or_default().push(class);
            for &subscriber in self.subscribers.get(&supertype).map_or(&[][..], Vec::as_slice) {
                let order = self.entries[subscriber.0 as usize].order;
                self.dirty.insert((order, subscriber));
            }
        }
    }

    /// The classes of a type of which the reached code makes objects. Whoever asks is analysed again when
    /// there are more.
    pub(crate) fn implementers(&mut self, of: Sym, for_whom: InstanceId) -> Vec<Sym> {
        let subscribers = self.subscribers.entry(of).or_default();
        if !subscribers.contains(&for_whom) {
            subscribers.push(for_whom);
        }
        self.implementers.get(&of).cloned().unwrap_or_default()
    }

    /// Runs the static initialiser of a class, for what it makes and for the handles that it keeps. Its
    /// accesses are nobody's: the virtual machine runs it once, under a lock of its own.
    pub(crate) fn initialise(&mut self, class: Sym) {
        if !self.initialised.insert(class) {
            return;
        }
        if !crate::scope::is_followed(&self.program.names.text(class).clone()) {
            return;
        }
        let Ok(loaded) = self.program.class(class) else { return };
        let descriptor = self.program.names.get("()V");
        let Some(&method) = loaded.methods.get(&(self.program.known.clinit, descriptor)) else { return };
        if self.depth < self.limits.depth {
            self.require(Instance { method, receiver: None, nested: false });
        }
    }

    fn number(&mut self, key: Instance) -> InstanceId {
        let next = InstanceId(self.entries.len() as u32);
        let id = *self.numbers.entry(key).or_insert(next);
        if id == next {
            let summary = Rc::new(Summary::default());
            let entry = Entry { key, status: Status::New, summary, dependents: Vec::new(), order: u32::MAX, rounds: 0 };
            self.entries.push(entry);
        }
        id
    }

    fn solve(&mut self, id: InstanceId) {
        let key = self.entries[id.0 as usize].key;
        let first = self.entries[id.0 as usize].status == Status::New;
        self.entries[id.0 as usize].status = Status::Running;
        self.entries[id.0 as usize].rounds += 1;
        self.depth += 1;
        let summary = match self.body(key.method) {
            Some(body) => match Interpreter::run(self, id, key, body) {
                Ok(summary) => summary,
                Err(fault) => {
                    self.faults.insert(key.method, fault);
                    self.unknown(key.method, OpaqueReason::Missing)
                }
            },
            None => self.unknown(key.method, OpaqueReason::Native),
        };
        self.depth -= 1;
        if first {
            self.entries[id.0 as usize].order = self.finished;
            self.finished += 1;
        }
        self.entries[id.0 as usize].status = Status::Done;
        if *self.entries[id.0 as usize].summary != summary {
            self.entries[id.0 as usize].summary = Rc::new(summary);
            for &dependent in &self.entries[id.0 as usize].dependents {
                let entry = &self.entries[dependent.0 as usize];
                // Whoever waits for this very result has used no other.
                if entry.status == Status::Done || !first {
                    self.dirty.insert((entry.order, dependent));
                }
            }
        }
    }

    fn unknown(&self, method: MethodId, reason: OpaqueReason) -> Summary {
        let info = self.program.method(method);
        Summary { opaque: vec![Opaque { reason, class: info.owner, name: info.name }], ..Summary::default() }
    }
}

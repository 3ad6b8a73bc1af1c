//! Summaries of all methods that a class under test can reach: a fixpoint over the call graph.
//!
//! A method is analysed once for each class of receiver that it may run on, so that calls on `this` in
//! inherited code find the overriding methods of that class and no others.
//!
//! First the flow is settled: what methods return, store, and keep locked. Callees are interpreted when they are first
//! met, depth first; so most are whole when they are first used. Where calls go in circles, or a class turns out to
//! be instantiated after a call was resolved without it, the stretches of code concerned are walked again, callees
//! first, until nothing changes. Then the effects are collected along the calls (see `propagate`).
//!
//! What a call can run is told by the class hierarchy narrowed to the classes that the reached code makes
//! (rapid type analysis), and by what is assumed of objects from outside (see `dispatch`).

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use crate::body::Body;
use crate::frame::Frame;
use crate::interpret::Interpreter;
use crate::lock::HeldSets;
use crate::names::{Map, Set, Sym};
use crate::path::Paths;
use crate::program::{FieldId, MethodId, Program};
use crate::propagate::Record;
use crate::state::Fault;
use crate::summary::{Flow, Opaque, OpaqueReason};
use crate::value::{Sets, Value};

/// How much code is walked before the rest is opaque.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest chain of calls that is followed at once. What is called beyond waits for its turn.
    pub depth: usize,
    /// The same when half of the work is done. Then a class is so large that not all of it may be seen.
    pub late_depth: usize,
    /// The work that is done to settle the flow of one class, in instructions walked and stores of callees taken
    /// over. It bounds time, and unlike time it is the same on every machine.
    pub work: u64,
    /// The number of effects that callers take over from callees.
    pub effects: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 40, late_depth: 3, work: 400_000, effects: 1_500_000 }
    }
}

/// How many times the work may be done that the limit allows, to settle what was begun.
const PATIENCE: u64 = 2;

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

/// A stretch of a method's code, by the step that it starts from.
pub type Stretch = (InstanceId, u32);

#[derive(Debug)]
struct Entry {
    key: Instance,
    status: Status,
    flow: Rc<Flow>,
    /// None while the method is interpreted, and if its code is not there or wrong.
    frame: Option<Frame>,
    /// Who used the flow.
    dependents: Vec<Stretch>,
    /// What has to be walked again.
    stale: Vec<u32>,
    /// Callees end before their callers.
    order: u32,
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
    pub(crate) limits: Limits,
    /// The work done so far.
    pub work: u64,
    /// The effects that callers took over so far.
    pub taken_over: u64,
    depth: usize,
    entries: Vec<Entry>,
    numbers: Map<Instance, InstanceId>,
    finished: u32,
    /// Methods with stale code, callees first.
    dirty: BTreeSet<(u32, InstanceId)>,
    /// Methods that were met too deep down to be interpreted at once.
    waiting: VecDeque<InstanceId>,
    /// Who uses whose flow, and who asked for the implementers of which type: for quick look-ups only.
    uses: Set<(InstanceId, Stretch)>,
    asked: Set<(Sym, Stretch)>,
    pub(crate) records: Map<InstanceId, Record>,
    initialised: Set<Sym>,
    instantiated: Set<Sym>,
    /// The instantiated classes of each type, in the order in which they were met.
    implementers: Map<Sym, Vec<Sym>>,
    /// Who has asked for the implementers of a type.
    subscribers: Map<Sym, Vec<Stretch>>,
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
            taken_over: 0,
            depth: 0,
            entries: Vec::new(),
            numbers: Map::default(),
            finished: 0,
            dirty: BTreeSet::new(),
            waiting: VecDeque::new(),
            uses: Set::default(),
            asked: Set::default(),
            records: Map::default(),
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

    /// Walks what is stale and what waits, until there is nothing. When the limit of work is reached, no other method
    /// is begun, and those that are get settled.
    pub fn settle(&mut self) {
        loop {
            if self.is_exhausted() && !self.waiting.is_empty() {
                self.give_up_waiting();
            }
            let next = match self.dirty.pop_first() {
                Some((_, id)) => id,
                None => match self.waiting.pop_front() {
                    Some(id) if self.entries[id.0 as usize].status == Status::New => id,
                    Some(_) => continue,
                    None => return,
                },
            };
            if self.work > self.limits.work.saturating_mul(PATIENCE) {
                self.cut_off = true;
                return;
            }
            self.solve(next);
        }
    }

    /// What was to be interpreted later will not be: whoever counted on it must take it as opaque.
    fn give_up_waiting(&mut self) {
        for id in std::mem::take(&mut self.waiting) {
            if self.entries[id.0 as usize].status == Status::New {
                for dependent in std::mem::take(&mut self.entries[id.0 as usize].dependents) {
                    self.uses.remove(&(id, dependent));
                    self.outdate(dependent);
                }
            }
        }
    }

    /// Whether the limit of work is reached.
    fn is_exhausted(&self) -> bool {
        self.work > self.limits.work
    }

    /// What callers must know of a method, as it is now.
    pub fn flow(&self, id: InstanceId) -> Rc<Flow> {
        self.entries[id.0 as usize].flow.clone()
    }

    pub(crate) fn key(&self, id: InstanceId) -> Instance {
        self.entries[id.0 as usize].key
    }

    pub(crate) fn order(&self, id: InstanceId) -> u32 {
        self.entries[id.0 as usize].order
    }

    pub(crate) fn take_frame(&mut self, id: InstanceId) -> Option<Frame> {
        self.entries[id.0 as usize].frame.take()
    }

    /// How many methods were analysed, each receiver's class apart.
    pub fn effort(&self) -> usize {
        self.entries.len()
    }

    /// The flow of a callee for a caller, whose code will be walked again when it changes. None if the limits do not
    /// allow to follow the call.
    pub(crate) fn flow_for(&mut self, key: Instance, caller: Stretch) -> Option<(InstanceId, Rc<Flow>)> {
        let id = self.number(key);
        if self.entries[id.0 as usize].status == Status::New && self.is_exhausted() {
            self.cut_off = true;
            return None;
        }
        if self.uses.insert((id, caller)) {
            self.entries[id.0 as usize].dependents.push(caller);
        }
        self.start(id);
        Some((id, self.flow(id)))
    }

    /// Interprets a method that was not interpreted before, now or, if that would be too deep, later.
    fn start(&mut self, id: InstanceId) {
        if self.entries[id.0 as usize].status != Status::New {
            return;
        }
        // Once much was done, what is near is worth more than what is far.
        let depth = if self.work < self.limits.work / 2 { self.limits.depth } else { self.limits.late_depth };
        match self.depth < depth {
            true => self.solve(id),
            false => self.waiting.push_back(id),
        }
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
            for at in 0..self.subscribers.get(&supertype).map_or(0, Vec::len) {
                self.outdate(self.subscribers[&supertype][at]);
            }
        }
    }

    /// The classes of a type of which the reached code makes objects. Whoever asks is walked again when there are
    /// more.
    pub(crate) fn implementers(&mut self, of: Sym, for_whom: Stretch) -> Vec<Sym> {
        if self.asked.insert((of, for_whom)) {
            self.subscribers.entry(of).or_default().push(for_whom);
        }
        self.implementers.get(&of).cloned().unwrap_or_default()
    }

    fn outdate(&mut self, (id, leader): Stretch) {
        let entry = &mut self.entries[id.0 as usize];
        if !entry.stale.contains(&leader) {
            entry.stale.push(leader);
            self.dirty.insert((entry.order, id));
        }
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
        let id = self.number(Instance { method, receiver: None, nested: false });
        self.start(id);
    }

    fn number(&mut self, key: Instance) -> InstanceId {
        let next = InstanceId(self.entries.len() as u32);
        let id = *self.numbers.entry(key).or_insert(next);
        if id == next {
            self.entries.push(Entry {
                key,
                status: Status::New,
                flow: Rc::new(Flow::default()),
                frame: None,
                dependents: Vec::new(),
                stale: Vec::new(),
                order: u32::MAX,
            });
        }
        id
    }

    fn solve(&mut self, id: InstanceId) {
        let entry = &mut self.entries[id.0 as usize];
        let first = entry.status == Status::New;
        let (key, frame, stale) = (entry.key, entry.frame.take(), std::mem::take(&mut entry.stale));
        entry.status = Status::Running;
        // Code that is not there or wrong does not get better.
        let body = if first || frame.is_some() { self.body(key.method) } else { None };
        self.depth += 1;
        let result = body.map(|body| Interpreter::new(self, id, key, body, frame.unwrap_or_default()).run(stale));
        self.depth -= 1;
        let (frame, flow) = match result {
            Some(Ok((frame, flow))) => (Some(frame), flow),
            Some(Err(fault)) => {
                self.faults.insert(key.method, fault);
                (None, Flow::default())
            }
            None => (None, Flow::default()),
        };
        let entry = &mut self.entries[id.0 as usize];
        entry.frame = frame;
        entry.status = Status::Done;
        if first {
            entry.order = self.finished;
            self.finished += 1;
            if self.dirty.remove(&(u32::MAX, id)) {
                self.dirty.insert((entry.order, id));
            }
        }
        if *entry.flow != flow {
            entry.flow = Rc::new(flow);
            for at in 0..self.entries[id.0 as usize].dependents.len() {
                let dependent = self.entries[id.0 as usize].dependents[at];
                // Whoever waits for this very result has used no other.
                if !first || self.entries[dependent.0.0 as usize].status == Status::Done {
                    self.outdate(dependent);
                }
            }
        }
    }

    pub(crate) fn unknown(&self, method: MethodId) -> Opaque {
        let info = self.program.method(method);
        let reason = match self.faults.contains_key(&method) {
            true => OpaqueReason::Missing,
            false => OpaqueReason::Native,
        };
        Opaque { reason, class: info.owner, name: info.name }
    }
}

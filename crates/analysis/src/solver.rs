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
use crate::limits::Limits;
use crate::lock::HeldSets;
use crate::names::{Map, Set, Sym};
use crate::path::Paths;
use crate::program::{FieldId, MethodId, Program};
use crate::propagate::Record;
use crate::reached::Reached;
use crate::state::Fault;
use crate::summary::{Flow, Opaque, OpaqueReason};
use crate::value::{Sets, Value};

/// When the limit is reached, a part of it more may be spent to settle what was begun.
const PART_TO_SETTLE: u64 = 4;

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
    /// The work that the limits allow for this class.
    pub(crate) allowed: u64,
    /// The work done so far.
    pub work: u64,
    /// The effects that callers took over so far.
    pub taken_over: u64,
    pub(crate) depth: usize,
    entries: Vec<Entry>,
    numbers: Map<Instance, InstanceId>,
    finished: u32,
    /// Methods with stale code, callees first.
    dirty: BTreeSet<(u32, InstanceId)>,
    /// Methods that were met too deep down to be interpreted at once.
    pub(crate) waiting: VecDeque<InstanceId>,
    /// Methods that only static initialisers are known to call.
    for_initialisers: VecDeque<InstanceId>,
    /// Whether a static initialiser is interpreted.
    pub(crate) initialising: bool,
    /// Who uses whose flow, for quick look-ups.
    uses: Set<(InstanceId, Stretch)>,
    pub(crate) records: Map<InstanceId, Record>,
    pub(crate) reached: Reached,
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
            allowed: limits.work.min(limits.most_work),
            work: 0,
            taken_over: 0,
            depth: 0,
            entries: Vec::new(),
            numbers: Map::default(),
            finished: 0,
            dirty: BTreeSet::new(),
            waiting: VecDeque::new(),
            for_initialisers: VecDeque::new(),
            initialising: false,
            uses: Set::default(),
            records: Map::default(),
            reached: Reached::default(),
        }
    }

    /// Allows the work for so many public methods.
    pub fn allow(&mut self, methods: usize) {
        let work = self.limits.work.saturating_add(self.limits.work_a_method.saturating_mul(methods as u64));
        self.allowed = work.min(self.limits.most_work);
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
            if self.is_exhausted() {
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
            if self.work > self.allowed + self.allowed / PART_TO_SETTLE {
                self.cut_off = true;
                return;
            }
            self.solve(next);
        }
    }

    /// Settles also what static initialisers call. That comes last: what they do is nobody's, and they matter only for
    /// the objects that they make.
    pub fn settle_all(&mut self) {
        self.settle();
        while let Some(id) = self.for_initialisers.pop_front() {
            if self.entries[id.0 as usize].status == Status::New {
                self.waiting.push_back(id);
                self.settle();
            }
        }
    }

    /// What was to be interpreted later will not be: whoever counted on it must take it as opaque.
    fn give_up_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        for id in waiting.chain(std::mem::take(&mut self.for_initialisers)) {
            if self.entries[id.0 as usize].status == Status::New {
                self.cut_off = true;
                for dependent in std::mem::take(&mut self.entries[id.0 as usize].dependents) {
                    self.uses.remove(&(id, dependent));
                    self.outdate(dependent);
                }
            }
        }
    }

    /// Whether the limit of work is reached.
    fn is_exhausted(&self) -> bool {
        self.work > self.allowed
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
        if self.initialising {
            self.for_initialisers.push_back(id);
            return;
        }
        match self.depth < self.limits.depth {
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
        let body = Body::of(&class, &info, self.program).map(Rc::new);
        self.bodies.insert(method, body.clone());
        body
    }

    /// Notes that a stretch of code has to be walked again.
    pub(crate) fn outdate(&mut self, (id, leader): Stretch) {
        let entry = &mut self.entries[id.0 as usize];
        if !entry.stale.contains(&leader) {
            entry.stale.push(leader);
            self.dirty.insert((entry.order, id));
        }
    }

    pub(crate) fn number(&mut self, key: Instance) -> InstanceId {
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

    pub(crate) fn solve(&mut self, id: InstanceId) {
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

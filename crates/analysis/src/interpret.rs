//! Abstract interpretation of one method.
//!
//! States are kept where control can meet and joined there until they no longer change. Stores into objects that
//! the method made are kept in a heap of its own that is not sensitive to the order of stores; which of those
//! objects others may see is. When that is done for all methods, the code is walked once more, and what it does is
//! noted.
//!
//! A handler starts from the states before each instruction that it covers, so locks are as they are when
//! an exception leaves the instruction without effect. Subroutines of old class files are not followed.

use std::rc::Rc;

use classfile::Flags;

use crate::body::{Body, Shape, Step};
use crate::effects::Effects;
use crate::frame::Frame;
use crate::lock::{Lock, Mode, Roots};
use crate::names::{Set, Sym};
use crate::path::{AllocationId, PathId, Root};
use crate::propagate::Edges;
use crate::solver::{Instance, InstanceId, Solver};
use crate::state::{Fault, State};
use crate::summary::{Flow, Site, Stored};
use crate::value::{EMPTY, SetId, Value};

/// One method being interpreted.
pub struct Interpreter<'i, 'a, 's> {
    pub solver: &'i mut Solver<'a, 's>,
    pub id: InstanceId,
    pub key: Instance,
    body: Rc<Body>,
    pub frame: Frame,
    /// Whether effects are noted: when nothing else changes any more.
    pub recording: bool,
    pub effects: Effects,
    /// The calls that were met while recording.
    pub edges: Edges,
    pub site: Site,
    /// The step from which the walk started.
    pub leader: u32,
    /// How many calls are followed in place: into lambdas, and back from opaque code.
    pub in_place: usize,
    /// Whether the receiver is of exactly its class, once it was asked.
    pub exact_receiver: Option<bool>,
}

/// Where control goes after a step.
pub enum Next {
    Step,
    /// To the target, or on.
    Branch(u32),
    Jump(u32),
    Switch(usize),
    End,
}

impl<'i, 'a, 's> Interpreter<'i, 'a, 's> {
    /// An interpreter of a method of which so much is known.
    pub fn new(solver: &'i mut Solver<'a, 's>, id: InstanceId, key: Instance, body: Rc<Body>, frame: Frame) -> Self {
        Interpreter {
            body,
            frame,
            recording: false,
            effects: Effects::default(),
            edges: Edges::default(),
            site: Site { method: key.method, offset: 0 },
            leader: 0,
            in_place: 0,
            exact_receiver: None,
            solver,
            id,
            key,
        }
    }

    /// Finds out what callers must know of a method to go on. If it was interpreted before, what starts at these
    /// steps is walked again, and whatever changes with it.
    pub fn run(mut self, from: Vec<u32>) -> Result<(Frame, Flow), Fault> {
        let info = self.solver.program.method(self.key.method).clone();
        let mut work: Vec<usize> = from.into_iter().map(|leader| leader as usize).collect();
        if self.frame.states.is_empty() {
            self.frame.states = vec![None; self.body.steps.len()];
            let shape = self.solver.program.shape(info.descriptor);
            self.frame.states[0] = Some(self.entry(&shape, info.flags)?);
            work = vec![0];
        }
        self.settle(work)?;
        let flow = self.flow(info.flags);
        Ok((self.frame, flow))
    }

    /// Walks the code once more, now that its states are as they will stay, and notes what it does itself and what
    /// it calls.
    pub fn record(mut self) -> Result<(Frame, Effects, Edges), Fault> {
        self.recording = true;
        let flags = self.solver.program.method(self.key.method).flags;
        if let Some(lock) = self.own_monitor(flags) {
            self.effects.acquisition(lock, &[], self.site);
        }
        for leader in 0..self.frame.states.len() {
            if self.frame.states[leader].is_some() {
                self.walk(leader, &mut Vec::new())?;
            }
        }
        self.frame.forget_walks();
        Ok((self.frame, self.effects, self.edges))
    }

    fn entry(&mut self, shape: &Shape, flags: Flags) -> Result<State, Fault> {
        let object = self.solver.program.known.object;
        let mut locals = Vec::with_capacity(self.body.max_locals);
        let mut add = |this: &mut Self, slots: u16, type_name: Option<Sym>| {
            let number = this.frame.parameter_types.len().min(255) as u8;
            this.frame.parameter_types.push(type_name.unwrap_or(object));
            locals.push(match type_name {
                Some(_) => {
                    let path = this.solver.paths.root(Root::Parameter(number));
                    Value::Objects(this.solver.sets.one(path))
                }
                None => Value::Plain,
            });
            locals.extend((1..slots).map(|_| Value::Plain));
        };
        if !flags.has(Flags::STATIC) {
            add(self, 1, Some(self.key.receiver.unwrap_or(object)));
        }
        for parameter in shape.parameters.iter() {
            add(self, parameter.slots, parameter.type_name);
        }
        if locals.len() > self.body.max_locals {
            return Err(Fault { reason: "the parameters do not fit into the local variables", offset: 0 });
        }
        locals.resize(self.body.max_locals, Value::Plain);
        let mut state = State {
            locals,
            stack: Vec::new(),
            held: Vec::new(),
            may: Vec::new(),
            seen: Roots::NONE,
            escaped: Vec::new(),
        };
        if let Some(lock) = self.own_monitor(flags) {
            state.take(lock);
        }
        Ok(state)
    }

    /// The monitor that a synchronized method holds.
    fn own_monitor(&mut self, flags: Flags) -> Option<Lock> {
        if !flags.has(Flags::SYNCHRONIZED) {
            return None;
        }
        let root = match flags.has(Flags::STATIC) {
            true => Root::Class(self.solver.program.method(self.key.method).owner),
            false => Root::Parameter(0),
        };
        Some(Lock { path: self.solver.paths.root(root), mode: Mode::Monitor })
    }

    /// Walks until states and heap no longer change.
    fn settle(&mut self, mut work: Vec<usize>) -> Result<(), Fault> {
        loop {
            let version = self.frame.version;
            while let Some(leader) = work.pop() {
                self.walk(leader, &mut work)?;
            }
            if self.frame.version == version {
                return Ok(());
            }
            work = (0..self.frame.states.len()).rev().filter(|&at| self.frame.states[at].is_some()).collect();
        }
    }

    /// Walks from a place where a state is kept to the next such places, which join `work` if their state
    /// changes.
    fn walk(&mut self, leader: usize, work: &mut Vec<usize>) -> Result<(), Fault> {
        let body = self.body.clone();
        let mut state =
            self.frame.states[leader].clone().expect("internal bug: only places with a state are walked from");
        let mut at = leader;
        self.leader = leader as u32;
        loop {
            self.site.offset = body.offsets[at];
            self.solver.work += 1;
            let fault = |reason| Fault { reason, offset: body.offsets[at] };
            self.enter_handlers(&body, at, &state, work)?;
            let flow = self.step(&body.steps[at], at, &mut state, work).map_err(fault)?;
            if state.stack.len() > body.max_stack {
                return Err(fault("the stack overflows"));
            }
            let next = match flow {
                Next::Step => at + 1,
                Next::Branch(target) => {
                    self.reach(target as usize, &state, work).map_err(fault)?;
                    at + 1
                }
                Next::Jump(target) => {
                    self.reach(target as usize, &state, work).map_err(fault)?;
                    return Ok(());
                }
                Next::Switch(at) => {
                    let Step::Switch(targets) = &body.steps[at] else { return Ok(()) };
                    return targets.iter().try_for_each(|&t| self.reach(t as usize, &state, work)).map_err(fault);
                }
                Next::End => return Ok(()),
            };
            if next >= body.steps.len() {
                return Err(fault("control runs off the end of the code"));
            }
            if body.leaders[next] {
                return self.reach(next, &state, work).map_err(fault);
            }
            at = next;
        }
    }

    pub fn reach(&mut self, target: usize, state: &State, work: &mut Vec<usize>) -> Result<(), &'static str> {
        self.reach_with(target, state, &state.stack, work)
    }

    /// Control goes to a place with this state, but for its stack, which is another.
    fn reach_with(
        &mut self,
        target: usize,
        state: &State,
        stack: &[Value],
        work: &mut Vec<usize>,
    ) -> Result<(), &'static str> {
        // The states are as they will stay when what happens in them is noted.
        if self.recording {
            return Ok(());
        }
        let changed = match &mut self.frame.states[target] {
            Some(known) => {
                let solver = &mut *self.solver;
                known.join(state, stack, &mut solver.sets, &mut solver.paths, solver.program)?
            }
            empty => {
                *empty = Some(state.with_stack(stack));
                true
            }
        };
        if changed && !work.contains(&target) {
            work.push(target);
        }
        Ok(())
    }

    fn enter_handlers(&mut self, body: &Body, at: usize, state: &State, work: &mut Vec<usize>) -> Result<(), Fault> {
        if self.recording || !can_throw(&body.steps[at]) {
            return Ok(());
        }
        for handler in body.handlers.iter().filter(|h| (h.start..h.end).contains(&(at as u32))) {
            let thrown = self.outside(handler.catch.unwrap_or(self.solver.program.known.throwable));
            let fault = |reason| Fault { reason, offset: body.offsets[at] };
            self.reach_with(handler.target as usize, state, &[Value::Objects(thrown)], work).map_err(fault)?;
        }
        Ok(())
    }

    pub fn leave(&mut self, state: &State, returned: SetId) {
        let mut found = Vec::new();
        for &path in self.solver.sets.get(returned).iter() {
            match self.solver.paths.fresh(path) {
                // What others can see is named as they see it.
                Some(allocation) if state.has_escaped(allocation) => {
                    let published = self.frame.published.get(&allocation).copied().unwrap_or(EMPTY);
                    found.extend(self.solver.sets.get(published).iter());
                }
                _ => found.push(path),
            }
        }
        let solver = &mut *self.solver;
        let found = solver.sets.of(found, &mut solver.paths, solver.program);
        self.frame.returns = solver.sets.union(self.frame.returns, found, &mut solver.paths, solver.program);
        // Each return is in one stretch of code, and the last time that one is walked its state is whole.
        self.frame.leaving.insert(self.site.offset, state.held.clone());
    }

    fn flow(&mut self, flags: Flags) -> Flow {
        let own = self.own_monitor(flags);
        let mut keeps = self.frame.keeps();
        keeps.retain(|held| Some(held.lock) != own);
        let (contents, stores, held) = self.stores_for_callers();
        Flow {
            contents,
            stores,
            publications: self.publications_for_callers(&held),
            returns: self.frame.returns,
            accessed: self.frame.accessed,
            keeps,
            releases: self.frame.releases.iter().copied().collect(),
        }
    }

    /// Stores that callers must know of: what new objects hold that they come to hold by stores or as a result, and
    /// stores into what may be new to them. Also gives those objects.
    fn stores_for_callers(&mut self) -> (Vec<Stored>, Vec<Stored>, Vec<PathId>) {
        let paths = &self.solver.paths;
        let mut stores: Vec<Stored> = self.frame.stores.iter().copied().collect();
        stores.retain(|&(base, _, value)| match base {
            Some(_) => true,
            // What a static field holds matters only to whom it was that passed it.
            None => matches!(paths.get(value).root, Root::Parameter(_)),
        });
        let returned = self.solver.sets.get(self.frame.returns);
        let values = stores.iter().map(|stored| stored.2);
        let mut work: Vec<PathId> = returned.iter().copied().chain(values).collect();
        let mut held: Vec<PathId> = Vec::new();
        let mut met: Set<AllocationId> = Set::default();
        let mut contents = Vec::new();
        while let Some(base) = work.pop() {
            let Some(allocation) = paths.fresh(base) else { continue };
            if !met.insert(allocation) {
                continue;
            }
            held.push(base);
            for &(field, values) in self.frame.heap.get(&allocation).map_or(&[][..], Vec::as_slice) {
                let values = self.solver.sets.get(values);
                work.extend(values.iter());
                contents.extend(values.iter().map(|&value| (Some(base), field, value)));
            }
        }
        contents.sort_unstable();
        held.sort_unstable();
        (contents, stores, held)
    }

    /// Where others can see new objects, unless that follows from the stores that callers are told of.
    fn publications_for_callers(&self, held: &[PathId]) -> Vec<(PathId, PathId)> {
        let mut found = Vec::new();
        for &object in held {
            let allocation = self.solver.paths.fresh(object);
            let published = allocation.and_then(|allocation| self.frame.published.get(&allocation));
            let places = self.solver.sets.get(published.copied().unwrap_or(EMPTY));
            let untold = places.iter().filter(|&&place| !self.solver.paths.get(place).may_be_new());
            found.extend(untold.map(|&place| (object, place)));
        }
        found
    }

    pub fn root_value(&mut self, root: Root) -> Value {
        let path = self.solver.paths.root(root);
        Value::Objects(self.solver.sets.one(path))
    }

    pub fn outside(&mut self, class: Sym) -> SetId {
        let path = self.solver.paths.root(Root::Outside(class));
        self.solver.sets.one(path)
    }
}

fn can_throw(step: &Step) -> bool {
    !matches!(
        step,
        Step::Null | Step::Text(_) | Step::Load(..) | Step::Stack(_) | Step::Goto(_) | Step::If(..) | Step::Switch(_)
    )
}

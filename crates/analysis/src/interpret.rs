//! Abstract interpretation of one method.
//!
//! States are kept where control can meet and joined there until they no longer change; then the code is
//! walked once more, and what it does is noted. Stores into objects that the method made are kept in a heap of
//! its own that is not sensitive to the order of stores; which of those objects others may see is.
//!
//! A handler starts from the states before each instruction that it covers, so locks are as they are when
//! an exception leaves the instruction without effect. Subroutines of old class files are not followed.

use std::rc::Rc;

use classfile::Flags;

use crate::body::{Body, Shape, Step};
use crate::lock::{Held, Lock, Mode, Roots};
use crate::names::{Map, Sym};
use crate::path::{AllocationId, Root};
use crate::program::FieldId;
use crate::solver::{Instance, InstanceId, Solver};
use crate::state::{Fault, State, meet};
use crate::summary::{Draft, Site, Summary};
use crate::value::{EMPTY, SetId, Value};

/// One method being interpreted.
pub struct Interpreter<'i, 'a, 's> {
    pub solver: &'i mut Solver<'a, 's>,
    pub id: InstanceId,
    pub key: Instance,
    body: Rc<Body>,
    /// The type of each parameter, the receiver's first.
    pub parameter_types: Vec<Sym>,
    /// The state before each step where control can meet.
    states: Vec<Option<State>>,
    /// What fields of new objects may hold.
    pub heap: Map<AllocationId, Vec<(FieldId, SetId)>>,
    /// Where new objects can be found by others.
    pub published: Map<AllocationId, SetId>,
    pub heap_changed: bool,
    /// Set for the last walk.
    pub recording: bool,
    pub draft: Draft,
    pub stores: std::collections::BTreeSet<crate::summary::Stored>,
    pub accessed: Roots,
    pub site: Site,
    /// How many calls are followed in place: into lambdas, and back from opaque code.
    pub in_place: usize,
    returns: SetId,
    keeps: Option<Vec<(Held, u8)>>,
    pub releases: Vec<Lock>,
}

/// Where control goes after a step.
pub enum Flow {
    Next,
    /// To the target, or on.
    Branch(u32),
    Jump(u32),
    Switch(usize),
    End,
}

impl<'i, 'a, 's> Interpreter<'i, 'a, 's> {
    /// Finds out what a method does.
    pub fn run(
        solver: &'i mut Solver<'a, 's>,
        id: InstanceId,
        key: Instance,
        body: Rc<Body>,
    ) -> Result<Summary, Fault> {
        let info = solver.program.method(key.method).clone();
        let shape = Shape::of(info.descriptor, &mut solver.program.names);
        let mut this = Interpreter {
            parameter_types: Vec::new(),
            states: vec![None; body.steps.len()],
            body,
            heap: Map::default(),
            published: Map::default(),
            heap_changed: false,
            recording: false,
            draft: Draft::default(),
            stores: Default::default(),
            accessed: Roots::NONE,
            site: Site { method: key.method, offset: 0 },
            in_place: 0,
            returns: EMPTY,
            keeps: None,
            releases: Vec::new(),
            solver,
            id,
            key,
        };
        let entry = this.entry(&shape, info.flags)?;
        this.states[0] = Some(entry.clone());
        this.settle()?;
        this.recording = true;
        if let Some(lock) = this.own_monitor(info.flags) {
            this.draft.acquisition(lock, &[], this.site);
        }
        for leader in 0..this.body.steps.len() {
            if this.states[leader].is_some() {
                this.walk(leader, &mut Vec::new())?;
            }
        }
        Ok(this.finish(info.flags))
    }

    fn entry(&mut self, shape: &Shape, flags: Flags) -> Result<State, Fault> {
        let object = self.solver.program.known.object;
        let mut locals = Vec::with_capacity(self.body.max_locals);
        let mut add = |this: &mut Self, slots: u16, type_name: Option<Sym>| {
            let number = this.parameter_types.len().min(255) as u8;
            this.parameter_types.push(type_name.unwrap_or(object));
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
        for parameter in &shape.parameters {
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
    fn settle(&mut self) -> Result<(), Fault> {
        loop {
            self.heap_changed = false;
            let mut work: Vec<usize> = (0..self.states.len()).rev().filter(|&at| self.states[at].is_some()).collect();
            while let Some(leader) = work.pop() {
                self.walk(leader, &mut work)?;
            }
            if !self.heap_changed {
                return Ok(());
            }
        }
    }

    /// Walks from a place where a state is kept to the next such places, which join `work` if their state
    /// changes.
    fn walk(&mut self, leader: usize, work: &mut Vec<usize>) -> Result<(), Fault> {
        let body = self.body.clone();
        let mut state = self.states[leader].clone().expect("internal bug: only places with a state are walked from");
        let mut at = leader;
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
                Flow::Next => at + 1,
                Flow::Branch(target) => {
                    self.reach(target as usize, &state, work).map_err(fault)?;
                    at + 1
                }
                Flow::Jump(target) => {
                    self.reach(target as usize, &state, work).map_err(fault)?;
                    return Ok(());
                }
                Flow::Switch(at) => {
                    let Step::Switch(targets) = &body.steps[at] else { return Ok(()) };
                    return targets.iter().try_for_each(|&t| self.reach(t as usize, &state, work)).map_err(fault);
                }
                Flow::End => return Ok(()),
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
        // The states are as they will stay when what happens in them is noted.
        if self.recording {
            return Ok(());
        }
        let changed = match &mut self.states[target] {
            Some(known) => {
                let solver = &mut *self.solver;
                known.join(state, &mut solver.sets, &mut solver.paths, solver.program)?
            }
            empty => {
                *empty = Some(state.clone());
                true
            }
        };
        if changed {
            work.push(target);
        }
        Ok(())
    }

    fn enter_handlers(&mut self, body: &Body, at: usize, state: &State, work: &mut Vec<usize>) -> Result<(), Fault> {
        if self.recording || !can_throw(&body.steps[at]) {
            return Ok(());
        }
        for handler in body.handlers.iter().filter(|h| (h.start..h.end).contains(&(at as u32))) {
            let throwable = match handler.catch {
                Some(class) => class,
                None => self.solver.program.names.get("java/lang/Throwable"),
            };
            let thrown = self.outside(throwable);
            let caught = State { stack: vec![Value::Objects(thrown)], ..state.clone() };
            let fault = |reason| Fault { reason, offset: body.offsets[at] };
            self.reach(handler.target as usize, &caught, work).map_err(fault)?;
        }
        Ok(())
    }

    pub fn leave(&mut self, state: &State, returned: SetId) {
        let mut found = Vec::new();
        for &path in self.solver.sets.get(returned).iter() {
            match self.solver.paths.fresh(path) {
                // What others can see is named as they see it.
                Some(allocation) if state.has_escaped(allocation) => {
                    let published = self.published.get(&allocation).copied().unwrap_or(EMPTY);
                    found.extend(self.solver.sets.get(published).iter());
                }
                _ => found.push(path),
            }
        }
        let solver = &mut *self.solver;
        let found = solver.sets.of(found, &mut solver.paths, solver.program);
        self.returns = solver.sets.union(self.returns, found, &mut solver.paths, solver.program);
        if self.recording {
            match &mut self.keeps {
                Some(keeps) => drop(meet(keeps, &state.held)),
                none => *none = Some(state.held.clone()),
            }
        }
    }

    fn finish(mut self, flags: Flags) -> Summary {
        let own = self.own_monitor(flags);
        let kept = self.keeps.take().unwrap_or_default().into_iter().map(|(held, _)| held);
        let mut keeps: Vec<Held> = kept.filter(|held| Some(held.lock) != own).collect();
        keeps.sort_unstable();
        self.releases.sort_unstable();
        self.releases.dedup();
        let stores = self.reachable_stores();
        let mut summary = Summary {
            stores,
            returns: self.returns,
            accessed: self.accessed,
            keeps,
            releases: std::mem::take(&mut self.releases),
            ..Summary::default()
        };
        std::mem::take(&mut self.draft).finish(&mut summary);
        summary
    }

    /// Stores that callers must know of: into what they can see, and into new objects that they come to see.
    fn reachable_stores(&mut self) -> Vec<crate::summary::Stored> {
        let mut stores = Vec::new();
        let returned = self.solver.sets.get(self.returns);
        let mut work: Vec<AllocationId> = returned.iter().filter_map(|&path| self.solver.paths.fresh(path)).collect();
        for &stored in &self.stores {
            work.extend(self.solver.paths.fresh(stored.2));
            stores.push(stored);
        }
        let mut done: Vec<AllocationId> = Vec::new();
        while let Some(allocation) = work.pop() {
            if done.contains(&allocation) {
                continue;
            }
            done.push(allocation);
            let base = self.solver.paths.root(Root::Fresh(allocation));
            for &(field, values) in self.heap.get(&allocation).map_or(&[][..], Vec::as_slice) {
                for &value in self.solver.sets.get(values).iter() {
                    work.extend(self.solver.paths.fresh(value));
                    stores.push((Some(base), field, value));
                }
            }
        }
        let paths = &self.solver.paths;
        let into_new = |stored: &crate::summary::Stored| stored.0.is_some_and(|base| paths.fresh(base).is_some());
        stores.sort_unstable_by_key(|stored| (!into_new(stored), *stored));
        stores.dedup();
        stores
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

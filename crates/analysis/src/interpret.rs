//! Abstract interpretation of one method.
//!
//! States are kept where control can meet and joined there until they no longer change; then the code is
//! walked once more, and what it does is noted. Stores into objects that the method made are kept in a heap of
//! its own that is not sensitive to the order of stores; which of those objects others may see is.
//!
//! A handler starts from the states before each instruction that it covers, so locks are as they are when
//! an exception leaves the instruction without effect. Subroutines of old class files are not followed.

use std::rc::Rc;

use classfile::{Condition, Flags, StackOp};

use crate::body::{Body, Ref, Shape, Step};
use crate::lock::{Held, Lock, Mode, Roots};
use crate::names::{Map, Sym};
use crate::path::{Allocation, AllocationId, PathId, Root};
use crate::program::{ELEMENTS, FieldId};
use crate::solver::{Instance, InstanceId, Solver};
use crate::state::{Fault, State, meet, objects};
use crate::summary::{AccessKind, Draft, Opaque, OpaqueReason, Site, Summary, Touch};
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
enum Flow {
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

    fn reach(&mut self, target: usize, state: &State, work: &mut Vec<usize>) -> Result<(), &'static str> {
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

    fn step(&mut self, step: &Step, at: usize, state: &mut State, work: &mut Vec<usize>) -> Result<Flow, &'static str> {
        match step {
            Step::Plain { pops, pushes } => {
                state.pop_slots(*pops)?;
                state.push_plain(*pushes);
            }
            Step::Null => state.push(Value::Objects(EMPTY)),
            Step::Text(text) => {
                let value = self.root_value(Root::Text(*text));
                state.push(value);
            }
            Step::ClassConstant(class) => {
                let value = self.root_value(Root::Class(*class));
                state.push(value);
            }
            Step::Constant(class) => {
                let value = Value::Objects(self.outside(*class));
                state.push(value);
            }
            Step::Load(slot, slots) => {
                let value = *state.locals.get(usize::from(*slot)).ok_or("a local variable is out of range")?;
                state.push(value);
                state.push_plain(slots - 1);
            }
            Step::Store(slot, slots) => {
                let value = state.pop_slots(*slots)?;
                *state.locals.get_mut(usize::from(*slot)).ok_or("a local variable is out of range")? = value;
            }
            Step::ArrayLoad { reference, slots } => {
                state.pop()?;
                let array = state.pop_objects()?;
                self.access(state, array, ELEMENTS, AccessKind::Read, false);
                if *reference {
                    let loaded = self.load(array, ELEMENTS);
                    state.push(Value::Objects(loaded));
                } else {
                    state.push_plain(*slots);
                }
            }
            Step::ArrayStore { reference, slots } => {
                let value = state.pop_slots(*slots)?;
                state.pop()?;
                let array = state.pop_objects()?;
                self.access(state, array, ELEMENTS, AccessKind::Write, false);
                if *reference {
                    self.store(state, array, ELEMENTS, objects(value));
                }
            }
            Step::Stack(op) => shuffle(*op, &mut state.stack)?,
            Step::If(condition, target) => return self.branch(*condition, *target, state, work),
            Step::Goto(target) => return Ok(Flow::Jump(*target)),
            Step::Switch(_) => {
                state.pop()?;
                return Ok(Flow::Switch(at));
            }
            Step::Return(slots) => {
                let value = state.pop_slots(*slots)?;
                self.leave(state, objects(value));
                return Ok(Flow::End);
            }
            Step::Get { field, is_static: true, slots } => self.get_static(*field, *slots, state),
            Step::Get { field, is_static: false, slots } => {
                let base = state.pop_objects()?;
                self.get_field(*field, *slots, base, state);
            }
            Step::Put { field, is_static: true, slots } => {
                let value = state.pop_slots(*slots)?;
                self.put_static(*field, value, state);
            }
            Step::Put { field, is_static: false, slots } => {
                let value = state.pop_slots(*slots)?;
                let base = state.pop_objects()?;
                if let Some(field) = self.solver.program.resolve_field(field.class, field.name) {
                    let ordered = self.solver.program.field(field).is_volatile();
                    self.access(state, base, field, AccessKind::Write, ordered);
                    self.store(state, base, field, objects(value));
                }
            }
            Step::Invoke(call) => self.invoke(call, state)?,
            Step::Dynamic(call) => self.invoke_dynamic(call, at, state)?,
            Step::New(class) => {
                self.solver.initialise(*class);
                self.solver.instantiate(*class);
                let value = self.allocate(*class, state);
                state.push(value);
            }
            Step::NewArray(class, dimensions) => {
                state.pop_slots(*dimensions)?;
                let value = self.allocate(*class, state);
                state.push(value);
            }
            Step::Cast(class) => {
                let value = state.pop()?;
                let value = self.cast(value, *class);
                state.push(value);
            }
            Step::MonitorEnter => {
                let monitor = state.pop_objects()?;
                self.acquire(state, monitor, Mode::Monitor);
            }
            Step::MonitorExit => {
                let monitor = state.pop_objects()?;
                self.release(state, monitor, Mode::Monitor);
            }
            Step::Throw => {
                state.pop()?;
                return Ok(Flow::End);
            }
            Step::Subroutine => {
                let info = self.solver.program.method(self.key.method);
                let opaque = Opaque { reason: OpaqueReason::Limit, class: info.owner, name: info.name };
                self.draft.opaque(opaque);
                return Ok(Flow::End);
            }
        }
        Ok(Flow::Next)
    }

    /// A branch on the result of an attempt to lock holds the lock on one side only.
    fn branch(
        &mut self,
        condition: Condition,
        target: u32,
        state: &mut State,
        work: &mut Vec<usize>,
    ) -> Result<Flow, &'static str> {
        let value = state.pop_slots(condition.operands())?;
        match (value, condition) {
            (Value::Attempt(lock), Condition::Eq) => {
                self.reach(target as usize, state, work)?;
                state.take(lock);
                Ok(Flow::Next)
            }
            (Value::Attempt(lock), Condition::Ne) => {
                let mut locked = state.clone();
                locked.take(lock);
                self.reach(target as usize, &locked, work)?;
                Ok(Flow::Next)
            }
            _ => Ok(Flow::Branch(target)),
        }
    }

    fn get_static(&mut self, field: Ref, slots: u16, state: &mut State) {
        let Some(id) = self.solver.program.resolve_field(field.class, field.name) else {
            return self.push_unknown(field.descriptor, slots, state);
        };
        let info = self.solver.program.field(id).clone();
        self.solver.initialise(info.owner);
        self.touch(state, Touch { base: None, field: id, kind: AccessKind::Read, ordered: info.is_volatile() });
        let value = match (self.solver.handles.get(&id), info.type_name) {
            (Some(&handle), _) => handle,
            (None, Some(_)) => self.root_value(Root::Static(id)),
            (None, None) => Value::Plain,
        };
        state.push(value);
        state.push_plain(slots - 1);
    }

    fn put_static(&mut self, field: Ref, value: Value, state: &mut State) {
        let Some(id) = self.solver.program.resolve_field(field.class, field.name) else { return };
        let info = self.solver.program.field(id).clone();
        self.touch(state, Touch { base: None, field: id, kind: AccessKind::Write, ordered: info.is_volatile() });
        match value {
            Value::Handle(_) if info.is_final() => {
                self.solver.handles.insert(id, value);
            }
            Value::Objects(set) => {
                let at = self.solver.paths.root(Root::Static(id));
                for &path in self.solver.sets.get(set).iter() {
                    self.stores.insert((None, id, path));
                    self.publish(state, path, at);
                }
            }
            _ => {}
        }
    }

    fn get_field(&mut self, field: Ref, slots: u16, base: SetId, state: &mut State) {
        let Some(id) = self.solver.program.resolve_field(field.class, field.name) else {
            return self.push_unknown(field.descriptor, slots, state);
        };
        let info = self.solver.program.field(id).clone();
        self.access(state, base, id, AccessKind::Read, info.is_volatile());
        if info.type_name.is_some() {
            let loaded = self.load(base, id);
            state.push(Value::Objects(loaded));
        } else {
            state.push_plain(slots);
        }
    }

    /// The value of a field whose class is not there.
    fn push_unknown(&mut self, descriptor: Sym, slots: u16, state: &mut State) {
        let text = self.solver.program.names.text(descriptor).clone();
        let class = match text.strip_prefix('L').and_then(|text| text.strip_suffix(';')) {
            Some(class) => class,
            None if text.starts_with('[') => &text,
            None => return state.push_plain(slots),
        };
        let class = self.solver.program.names.get(class);
        let value = Value::Objects(self.outside(class));
        state.push(value);
    }

    /// A new object. One that was made here before and is still in use keeps what is known of it.
    pub fn allocate(&mut self, class: Sym, state: &mut State) -> Value {
        let allocation = Allocation { method: self.key.method, offset: self.site.offset, class };
        let allocation = self.solver.paths.allocate(allocation);
        let value = self.root_value(Root::Fresh(allocation));
        let in_use = state.locals.iter().chain(&state.stack).any(|&other| match (other, value) {
            (Value::Objects(other), Value::Objects(new)) => {
                let new = self.solver.sets.single(new);
                self.solver.sets.get(other).iter().any(|&path| Some(path) == new)
            }
            _ => false,
        });
        if !in_use {
            state.escaped.retain(|&escaped| escaped != allocation);
        }
        value
    }

    /// Objects made here are of a known class: those of another do not pass a cast.
    fn cast(&mut self, value: Value, class: Sym) -> Value {
        let Value::Objects(set) = value else { return value };
        let paths = self.solver.sets.get(set);
        let passes = |this: &mut Self, &path: &PathId| match this.solver.paths.get(path).root {
            Root::Fresh(allocation) => {
                let made = this.solver.paths.allocation(allocation).class;
                this.solver.program.is_subtype(made, class)
            }
            _ => true,
        };
        let mut passing: Vec<PathId> = paths.iter().filter(|path| passes(self, path)).copied().collect();
        // The cast says more about an object from outside than was known.
        for path in &mut passing {
            if let Root::Outside(known) = self.solver.paths.get(*path).root
                && self.solver.program.is_subtype(class, known)
            {
                *path = self.solver.paths.root(Root::Outside(class));
            }
        }
        let solver = &mut *self.solver;
        Value::Objects(solver.sets.of(passing, &mut solver.paths, solver.program))
    }

    fn leave(&mut self, state: &State, returned: SetId) {
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

/// Instructions that only move what is on the stack, slot by slot.
fn shuffle(op: StackOp, stack: &mut Vec<Value>) -> Result<(), &'static str> {
    let (pops, order): (usize, &[usize]) = match op {
        StackOp::Pop => (1, &[]),
        StackOp::Pop2 => (2, &[]),
        StackOp::Dup => (1, &[0, 0]),
        StackOp::DupX1 => (2, &[1, 0, 1]),
        StackOp::DupX2 => (3, &[2, 0, 1, 2]),
        StackOp::Dup2 => (2, &[0, 1, 0, 1]),
        StackOp::Dup2X1 => (3, &[1, 2, 0, 1, 2]),
        StackOp::Dup2X2 => (4, &[2, 3, 0, 1, 2, 3]),
        StackOp::Swap => (2, &[1, 0]),
    };
    let start = stack.len().checked_sub(pops).ok_or("the stack is empty")?;
    let popped = stack.split_off(start);
    stack.extend(order.iter().map(|&at| popped[at]));
    Ok(())
}

//! What each instruction does to the state.

use classfile::{Condition, StackOp};

use crate::body::{Ref, Step};
use crate::interpret::{Interpreter, Next};
use crate::lock::Mode;
use crate::names::Sym;
use crate::path::{Allocation, PathId, Root};
use crate::program::ELEMENTS;
use crate::state::{State, objects};
use crate::summary::{AccessKind, Opaque, OpaqueReason, Touch};
use crate::value::{EMPTY, SetId, Value};

impl Interpreter<'_, '_, '_> {
    pub fn step(
        &mut self,
        step: &Step,
        at: usize,
        state: &mut State,
        work: &mut Vec<usize>,
    ) -> Result<Next, &'static str> {
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
            Step::Goto(target) => return Ok(Next::Jump(*target)),
            Step::Switch(_) => {
                state.pop()?;
                return Ok(Next::Switch(at));
            }
            Step::Return(slots) => {
                let value = state.pop_slots(*slots)?;
                self.leave(state, objects(value));
                return Ok(Next::End);
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
                return Ok(Next::End);
            }
            Step::Subroutine => {
                let info = self.solver.program.method(self.key.method);
                let opaque = Opaque { reason: OpaqueReason::Limit, class: info.owner, name: info.name };
                if self.recording {
                    self.effects.opaque(opaque);
                }
                return Ok(Next::End);
            }
        }
        Ok(Next::Step)
    }

    /// A branch on the result of an attempt to lock holds the lock on one side only.
    fn branch(
        &mut self,
        condition: Condition,
        target: u32,
        state: &mut State,
        work: &mut Vec<usize>,
    ) -> Result<Next, &'static str> {
        let value = state.pop_slots(condition.operands())?;
        match (value, condition) {
            (Value::Attempt(lock), Condition::Eq) => {
                self.reach(target as usize, state, work)?;
                state.take(lock);
                Ok(Next::Step)
            }
            (Value::Attempt(lock), Condition::Ne) => {
                let mut locked = state.clone();
                locked.take(lock);
                self.reach(target as usize, &locked, work)?;
                Ok(Next::Step)
            }
            _ => Ok(Next::Branch(target)),
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
                    self.frame.stores.insert((None, id, path));
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

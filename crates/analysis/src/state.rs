//! The abstract state of a method between two instructions.

use crate::lock::{Held, Lock, Roots};
use crate::path::{AllocationId, Paths};
use crate::program::Program;
use crate::value::{EMPTY, SetId, Sets, Value};

/// Why code cannot be interpreted. The virtual machine's verifier would refuse it, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub reason: &'static str,
    pub offset: u16,
}

/// What holds between two instructions.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub locals: Vec<Value>,
    pub stack: Vec<Value>,
    /// Locks that are held for certain, and how often.
    pub held: Vec<(Held, u8)>,
    /// Locks that may be held, in order.
    pub may: Vec<Lock>,
    /// What was accessed so far.
    pub seen: Roots,
    /// Objects made here that others may see by now, in order.
    pub escaped: Vec<AllocationId>,
}

impl State {
    pub fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub fn push_plain(&mut self, slots: u16) {
        self.stack.extend((0..slots).map(|_| Value::Plain));
    }

    pub fn pop(&mut self) -> Result<Value, &'static str> {
        self.stack.pop().ok_or("the stack is empty")
    }

    pub fn pop_slots(&mut self, slots: u16) -> Result<Value, &'static str> {
        let mut first = Value::Plain;
        for _ in 0..slots {
            first = self.pop()?;
        }
        Ok(first)
    }

    pub fn pop_objects(&mut self) -> Result<SetId, &'static str> {
        Ok(objects(self.pop()?))
    }

    /// Takes a lock that is one for certain.
    pub fn take(&mut self, lock: Lock) {
        match self.held.iter_mut().find(|(held, _)| held.lock == lock) {
            Some((_, depth)) => *depth = depth.saturating_add(1),
            None => self.held.push((Held { lock, after: self.seen }, 1)),
        }
        self.may_take(lock);
    }

    pub fn may_take(&mut self, lock: Lock) {
        if let Err(at) = self.may.binary_search(&lock) {
            self.may.insert(at, lock);
        }
    }

    pub fn holds(&self, lock: Lock) -> bool {
        self.held.iter().any(|(held, _)| held.lock == lock)
    }

    /// Gives up a lock once; says whether it was held for certain.
    pub fn give_up(&mut self, lock: Lock) -> bool {
        let found = self.held.iter().position(|(held, _)| held.lock == lock);
        if let Some(at) = found {
            self.held[at].1 -= 1;
            if self.held[at].1 > 0 {
                return true;
            }
            self.held.remove(at);
        }
        self.may.retain(|&may| may != lock);
        found.is_some()
    }

    /// A wait gives up a lock and takes it again: what was accessed before is no longer covered.
    pub fn interrupt(&mut self, is_given_up: impl Fn(Lock) -> bool) {
        let seen = self.seen;
        self.held.iter_mut().filter(|(held, _)| is_given_up(held.lock)).for_each(|(held, _)| {
            held.after = held.after.with(seen);
        });
    }

    pub fn escapes(&mut self, allocation: AllocationId) {
        if let Err(at) = self.escaped.binary_search(&allocation) {
            self.escaped.insert(at, allocation);
        }
    }

    pub fn has_escaped(&self, allocation: AllocationId) -> bool {
        self.escaped.binary_search(&allocation).is_ok()
    }

    /// Whether a callee's effects are seen from here as from there: the values do not matter for that.
    pub fn is_alike_in_effects(&self, other: &State) -> bool {
        let locks = self.held == other.held && self.may == other.may;
        locks && self.seen == other.seen && self.escaped == other.escaped
    }

    /// The state with another stack.
    pub fn with_stack(&self, stack: &[Value]) -> State {
        State { locals: self.locals.clone(), stack: stack.to_vec(), ..self.without_values() }
    }

    /// The state as far as [`State::is_alike_in_effects`] looks at it.
    pub fn without_values(&self) -> State {
        State {
            locals: Vec::new(),
            stack: Vec::new(),
            held: self.held.clone(),
            may: self.may.clone(),
            seen: self.seen,
            escaped: self.escaped.clone(),
        }
    }

    /// Makes this the state where control comes from here or from there, with that stack. Says whether it changed.
    pub fn join(
        &mut self,
        other: &State,
        stack: &[Value],
        sets: &mut Sets,
        paths: &mut Paths,
        program: &Program<'_>,
    ) -> Result<bool, &'static str> {
        if self.stack.len() != stack.len() {
            return Err("the stack differs in height where control meets");
        }
        let mut changed = false;
        let values = self.locals.iter_mut().chain(&mut self.stack).zip(other.locals.iter().chain(stack));
        for (value, &other) in values {
            let joined = match (*value, other) {
                (a, b) if a == b => continue,
                (Value::Objects(a), Value::Objects(b)) => Value::Objects(sets.union(a, b, paths, program)),
                // Null and a handle: whoever uses it is sure that it is the handle.
                (handle @ Value::Handle(_), Value::Objects(EMPTY)) => handle,
                (Value::Objects(EMPTY), handle @ Value::Handle(_)) => handle,
                _ => Value::Plain,
            };
            changed |= *value != joined;
            *value = joined;
        }
        changed |= self.join_locks(other);
        let seen = self.seen.with(other.seen);
        changed |= seen != self.seen;
        self.seen = seen;
        changed |= unite(&mut self.escaped, &other.escaped);
        Ok(changed)
    }

    fn join_locks(&mut self, other: &State) -> bool {
        let changed = meet(&mut self.held, &other.held);
        unite(&mut self.may, &other.may) || changed
    }
}

/// Adds what is in the other list, both in order. Says whether something was missing.
fn unite<T: Ord + Copy>(all: &mut Vec<T>, other: &[T]) -> bool {
    // Most states that meet agree.
    if all == other {
        return false;
    }
    let before = all.len();
    for &one in other {
        if let Err(at) = all.binary_search(&one) {
            all.insert(at, one);
        }
    }
    all.len() > before
}

/// Keeps the locks that are held on both ways. Says whether something changed.
pub fn meet(held: &mut Vec<(Held, u8)>, other: &[(Held, u8)]) -> bool {
    let before = held.len();
    let mut changed = false;
    held.retain_mut(|(here, depth)| {
        let Some((there, other_depth)) = other.iter().find(|(there, _)| there.lock == here.lock) else { return false };
        let joined = (here.after.with(there.after), (*depth).min(*other_depth));
        changed |= joined != (here.after, *depth);
        (here.after, *depth) = joined;
        true
    });
    changed || held.len() != before
}

/// The objects that a value may be.
pub fn objects(value: Value) -> SetId {
    match value {
        Value::Objects(set) => set,
        _ => EMPTY,
    }
}

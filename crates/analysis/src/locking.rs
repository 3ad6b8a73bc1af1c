//! The locks of `java.util.concurrent.locks`, by what their methods promise.
//!
//! A `ReadWriteLock` is one lock that is held shared or alone. Its two halves are found through
//! `readLock()` and `writeLock()`, also where a final field keeps one of them. A wait on a condition gives up
//! its lock; since a condition does not say whose it is, it is taken to give up all such locks.

use crate::body::CallSite;
use crate::interpret::Interpreter;
use crate::lock::{Lock, Mode};
use crate::path::PathId;
use crate::program::{READ_HALF, WRITE_HALF};
use crate::state::{State, objects};
use crate::value::{SetId, Value};

impl Interpreter<'_, '_, '_> {
    pub fn lock_call(
        &mut self,
        class: &str,
        name: &str,
        call: &CallSite,
        arguments: &[Value],
        state: &mut State,
    ) -> Option<Value> {
        let receiver = objects(*arguments.first()?);
        // The lock under test is code like any other.
        if self.solver.sets.single(receiver).is_some_and(|path| self.is_this(path)) {
            return None;
        }
        if class.ends_with("/StampedLock") {
            return self.stamped_call(name, receiver, state);
        }
        let names = &mut self.solver.program.names;
        let (lock, read_write, condition) = (
            names.get("java/util/concurrent/locks/Lock"),
            names.get("java/util/concurrent/locks/ReadWriteLock"),
            names.get("java/util/concurrent/locks/Condition"),
        );
        let of = call.target.class;
        if self.solver.program.is_subtype(of, read_write) {
            let half = match name {
                "readLock" => READ_HALF,
                "writeLock" => WRITE_HALF,
                _ => return None,
            };
            return Some(Value::Objects(self.load(receiver, half)));
        }
        if self.solver.program.is_subtype(of, condition) {
            return self.condition_call(name, receiver, state);
        }
        if !self.solver.program.is_subtype(of, lock) {
            return None;
        }
        match name {
            "lock" | "lockInterruptibly" => {
                self.take_halves(state, receiver);
                Some(Value::Plain)
            }
            "tryLock" => Some(self.attempt(state, receiver)),
            "unlock" => {
                let (set, mode) = self.half(receiver);
                self.release(state, set, mode);
                Some(Value::Plain)
            }
            "newCondition" => Some(Value::Objects(self.outside(condition))),
            _ => None,
        }
    }

    fn stamped_call(&mut self, name: &str, receiver: SetId, state: &mut State) -> Option<Value> {
        let mode = if name.to_lowercase().contains("read") { Mode::Shared } else { Mode::Exclusive };
        match name {
            "readLock" | "writeLock" | "readLockInterruptibly" | "writeLockInterruptibly" => {
                self.acquire(state, receiver, mode);
                Some(Value::Plain)
            }
            "unlockRead" | "unlockWrite" => {
                self.release(state, receiver, mode);
                Some(Value::Plain)
            }
            // The stamp says which it is.
            "unlock" => {
                self.release(state, receiver, Mode::Shared);
                self.release(state, receiver, Mode::Exclusive);
                Some(Value::Plain)
            }
            // An attempt gives a stamp, which is compared in too many ways to follow.
            "tryReadLock" | "tryWriteLock" | "tryConvertToWriteLock" | "tryConvertToReadLock" => {
                for lock in self.locks(state, receiver, mode) {
                    if self.recording && !state.holds(lock) {
                        self.effects.acquisition(lock, &state.may, self.site);
                    }
                    state.may_take(lock);
                }
                Some(Value::Plain)
            }
            "tryOptimisticRead" | "validate" | "isReadLocked" | "isWriteLocked" => Some(Value::Plain),
            _ => None,
        }
    }

    fn condition_call(&mut self, name: &str, receiver: SetId, state: &mut State) -> Option<Value> {
        let is_wait = name.starts_with("await");
        if !is_wait && !name.starts_with("signal") {
            return None;
        }
        for &path in self.solver.sets.get(receiver).iter() {
            for &path in self.seen_as(state, path).iter() {
                if self.recording {
                    self.effects.signal(path, is_wait, self.site);
                }
            }
        }
        if is_wait {
            state.interrupt(|lock| lock.mode != Mode::Monitor);
        }
        Some(Value::Plain)
    }

    fn take_halves(&mut self, state: &mut State, receiver: SetId) {
        let (set, mode) = self.half(receiver);
        self.acquire(state, set, mode);
    }

    /// An attempt to lock: the lock is held where its result is true.
    fn attempt(&mut self, state: &mut State, receiver: SetId) -> Value {
        let (set, mode) = self.half(receiver);
        let locks = self.locks(state, set, mode);
        for &lock in &locks {
            if self.recording && !state.holds(lock) {
                self.effects.acquisition(lock, &state.may, self.site);
            }
        }
        match self.certain(set, &locks) {
            Some(lock) => Value::Attempt(lock),
            None => {
                locks.iter().for_each(|&lock: &Lock| state.may_take(lock));
                Value::Plain
            }
        }
    }

    /// The locks that are meant: of a half of a read-write lock, the whole in the half's mode.
    fn half(&mut self, receiver: SetId) -> (SetId, Mode) {
        let mut mode = Mode::Exclusive;
        let mut found: Vec<PathId> = Vec::new();
        for &path in self.solver.sets.get(receiver).iter() {
            let path = self.without_alias(path);
            match self.solver.paths.split(path) {
                Some((whole, READ_HALF)) => {
                    mode = Mode::Shared;
                    found.push(whole);
                }
                Some((whole, WRITE_HALF)) => found.push(whole),
                _ => found.push(path),
            }
        }
        let solver = &mut *self.solver;
        (solver.sets.of(found, &mut solver.paths, solver.program), mode)
    }

    /// A final field that constructors fill with what another place holds is another name of that place.
    fn without_alias(&mut self, path: PathId) -> PathId {
        let Some((mut base, field)) = self.solver.paths.split(path) else { return path };
        let Some(alias) = self.solver.aliases.get(&field).cloned() else { return path };
        for &field in alias.iter() {
            base = self.solver.paths.append(base, field, self.solver.program);
        }
        base
    }
}

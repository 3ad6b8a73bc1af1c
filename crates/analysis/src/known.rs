//! Methods whose effect is known without their code: what is native, and what the virtual machine stands on.

use classfile::Flags;

use crate::body::{CallSite, Ref};
use crate::handles;
use crate::interpret::Interpreter;
use crate::lock::Mode;
use crate::path::Root;
use crate::program::{ELEMENTS, FieldId, MethodId};
use crate::state::{State, objects};
use crate::summary::AccessKind;
use crate::value::{EMPTY, SetId, Value};

/// Whether some methods of a class are known by the class and name that a call names.
pub fn is_known_class(class: &str) -> bool {
    class.starts_with('[') || class.starts_with(LOCKS) || handles::is_handle_class(class)
}

/// The package of the locks.
const LOCKS: &str = "java/util/concurrent/locks/";

impl Interpreter<'_, '_, '_> {
    /// The result of a call that is known by the class and name that it names.
    pub fn known_call(&mut self, call: &CallSite, arguments: &[Value], state: &mut State) -> Option<Value> {
        let class = self.solver.program.names.text(call.target.class).clone();
        let name = self.solver.program.names.text(call.target.name).clone();
        if class.starts_with('[') && &*name == "clone" {
            return Some(self.clone_array(objects(arguments[0]), call, state));
        }
        if class.starts_with(LOCKS) {
            return self.lock_call(&class, &name, call, arguments, state);
        }
        self.handle_call(&class, &name, call, arguments, state)
    }

    /// The result of a method that is known by its declaration. All such methods are of opaque classes.
    pub fn known_method(&mut self, method: MethodId, arguments: &[SetId], state: &mut State) -> Option<SetId> {
        let info = self.solver.program.method(method);
        let (owner, name) = (self.solver.program.names.text(info.owner), self.solver.program.names.text(info.name));
        if !owner.starts_with("java/lang/") {
            return None;
        }
        let (owner, name) = (owner.clone(), name.clone());
        match (&*owner, &*name) {
            ("java/lang/Object", "wait" | "notify" | "notifyAll") => {
                self.signal(state, arguments[0], &*name == "wait");
                Some(EMPTY)
            }
            ("java/lang/Object", "clone") => Some(self.clone_object(arguments[0], state)),
            ("java/lang/Object", "getClass") => Some(self.class_of(arguments[0])),
            ("java/lang/Object", "toString") => {
                let program = &mut *self.solver.program;
                let (name, descriptor) = (program.names.get("hashCode"), program.names.get("()I"));
                let target = Ref { class: program.known.object, name, descriptor };
                self.call_virtual(target, arguments, state);
                let string = self.solver.program.known.string;
                Some(self.outside(string))
            }
            ("java/lang/Object", "hashCode" | "equals" | "<init>" | "finalize") => Some(EMPTY),
            ("java/lang/System", "arraycopy") => {
                let (from, to) = (arguments[0], arguments[2]);
                self.access(state, from, ELEMENTS, AccessKind::Read, false);
                self.access(state, to, ELEMENTS, AccessKind::Write, false);
                let moved = self.load(from, ELEMENTS);
                self.store(state, to, ELEMENTS, moved);
                Some(EMPTY)
            }
            ("java/lang/reflect/Array", "newInstance") => {
                let array = self.solver.program.names.get("[Ljava/lang/Object;");
                Some(objects(self.allocate(array, state)))
            }
            ("java/lang/String", "valueOf") => {
                // Of the overloads, only those of one object call anything.
                if arguments.len() == 1 {
                    self.call_to_string(arguments[0], state);
                }
                let string = self.solver.program.known.string;
                Some(self.outside(string))
            }
            ("java/lang/Thread", "start") => {
                self.start(arguments[0], state);
                Some(EMPTY)
            }
            _ => None,
        }
    }

    /// A wait gives up the monitor; what was accessed before it is no longer covered by it.
    fn signal(&mut self, state: &mut State, monitors: SetId, is_wait: bool) {
        let locks = self.locks(state, monitors, Mode::Monitor);
        for lock in &locks {
            if self.recording {
                self.effects.signal(lock.path, is_wait, self.site);
            }
        }
        if is_wait {
            state.interrupt(|lock| locks.contains(&lock));
        }
    }

    /// A thread runs without the locks of whoever starts it.
    fn start(&mut self, threads: SetId, state: &mut State) {
        let program = &mut *self.solver.program;
        let class = program.names.get("java/lang/Thread");
        let target = Ref { class, name: program.names.get("run"), descriptor: program.names.get("()V") };
        let (held, may) = (std::mem::take(&mut state.held), std::mem::take(&mut state.may));
        self.call_virtual(target, &[threads], state);
        (state.held, state.may) = (held, may);
    }

    fn class_of(&mut self, of: SetId) -> SetId {
        if let Some(path) = self.solver.sets.single(of)
            && let (class, true) = self.type_of(path)
        {
            return objects(self.root_value(Root::Class(class)));
        }
        let class = self.solver.program.known.class;
        self.outside(class)
    }

    fn clone_array(&mut self, of: SetId, call: &CallSite, state: &mut State) -> Value {
        self.access(state, of, ELEMENTS, AccessKind::Read, false);
        let elements = self.load(of, ELEMENTS);
        let copy = self.allocate(call.target.class, state);
        self.store(state, objects(copy), ELEMENTS, elements);
        copy
    }

    /// A shallow copy reads every field.
    fn clone_object(&mut self, of: SetId, state: &mut State) -> SetId {
        let mut copies = EMPTY;
        for &path in self.solver.sets.get(of).iter() {
            let one = self.solver.sets.one(path);
            let (class, _) = self.type_of(path);
            if self.solver.program.is_array(class) {
                self.access(state, one, ELEMENTS, AccessKind::Read, false);
            }
            self.solver.instantiate(class);
            let copy = objects(self.allocate(class, state));
            for field in self.fields_of(class) {
                let info = self.solver.program.field(field).clone();
                self.access(state, one, field, AccessKind::Read, info.is_volatile());
                if info.type_name.is_some() {
                    let held = self.load(one, field);
                    self.store(state, copy, field, held);
                }
            }
            copies = self.union(copies, copy);
        }
        copies
    }

    /// Reads every field of these objects, and the elements of arrays that they hold.
    pub fn read_whole(&mut self, objects: SetId, class: crate::names::Sym, state: &mut State) {
        for field in self.fields_of(class) {
            let info = self.solver.program.field(field).clone();
            self.access(state, objects, field, AccessKind::Read, info.is_volatile());
            if info.type_name.is_some_and(|class| self.solver.program.is_array(class)) {
                let arrays = self.load(objects, field);
                self.access(state, arrays, ELEMENTS, AccessKind::Read, false);
            }
        }
    }

    /// The fields that objects of a class have.
    fn fields_of(&mut self, class: crate::names::Sym) -> Vec<FieldId> {
        let mut found = Vec::new();
        for supertype in self.solver.program.supertypes(class).iter() {
            if let Ok(class) = self.solver.program.class(*supertype) {
                found.extend(class.fields());
            }
        }
        found.retain(|&field| !self.solver.program.field(field).flags.has(Flags::STATIC));
        found.sort_unstable();
        found
    }
}

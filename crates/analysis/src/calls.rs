//! Calls: what they run, and what that does here.

use std::rc::Rc;

use classfile::{Flags, InvokeOp};

use crate::body::{Bootstrap, CallSite, DynamicSite, Ref};
use crate::interpret::Interpreter;
use crate::lambda::{Lambda, kind};
use crate::lock::Held;
use crate::names::Sym;
use crate::path::{PathId, Root};
use crate::program::{ELEMENTS, FieldInfo, MethodId};
use crate::scope::{self, Scope};
use crate::solver::Instance;
use crate::state::{State, meet, objects};
use crate::summary::{AccessKind, Opaque, OpaqueReason};
use crate::value::{EMPTY, SetId, Value};

/// Calls into lambdas and back from opaque code are followed in place; they may lead to each other.
const MAX_IN_PLACE: usize = 4;

impl Interpreter<'_, '_, '_> {
    pub fn invoke(&mut self, call: &CallSite, state: &mut State) -> Result<(), &'static str> {
        let arguments = self.pop_arguments(call, state)?;
        let known = if call.is_of_known_class { self.known_call(call, &arguments, state) } else { None };
        let result = match known {
            Some(value) => value,
            None => {
                let sets: Vec<SetId> = arguments.iter().map(|&value| objects(value)).collect();
                let set = match call.op {
                    InvokeOp::Static => self.call_static(call.target, &sets, state),
                    InvokeOp::Special => self.call_special(call.target, &sets, state),
                    InvokeOp::Virtual | InvokeOp::Interface => self.call_virtual(call.target, &sets, state),
                };
                if call.shape.result.1.is_some() { Value::Objects(set) } else { Value::Plain }
            }
        };
        let slots = call.shape.result.0;
        if slots > 0 {
            state.push(result);
            state.push_plain(slots - 1);
        }
        Ok(())
    }

    fn pop_arguments(&mut self, call: &CallSite, state: &mut State) -> Result<Vec<Value>, &'static str> {
        let mut arguments = Vec::with_capacity(call.shape.parameters.len() + 1);
        for parameter in call.shape.parameters.iter().rev() {
            arguments.push(state.pop_slots(parameter.slots)?);
        }
        if call.op != InvokeOp::Static {
            arguments.push(state.pop()?);
        }
        arguments.reverse();
        Ok(arguments)
    }

    pub fn invoke_dynamic(&mut self, call: &DynamicSite, at: usize, state: &mut State) -> Result<(), &'static str> {
        let mut arguments = Vec::with_capacity(call.shape.parameters.len());
        for parameter in call.shape.parameters.iter().rev() {
            arguments.push(state.pop_slots(parameter.slots)?);
        }
        arguments.reverse();
        let value = match (call.bootstrap, call.shape.result.1) {
            (Bootstrap::Lambda { kind, target }, Some(interface)) => {
                let class = self.lambda_class(call, at, kind, target, interface);
                let value = self.allocate(class, state);
                let captured = self.solver.program.lambdas[&class].captured.clone();
                for (&field, &argument) in captured.iter().zip(&arguments) {
                    self.store(state, objects(value), field, objects(argument));
                }
                value
            }
            (Bootstrap::Concatenation, Some(string)) => {
                for (parameter, &argument) in call.shape.parameters.iter().zip(&arguments) {
                    if parameter.type_name.is_some() {
                        self.call_to_string(objects(argument), state);
                    }
                }
                Value::Objects(self.outside(string))
            }
            (_, result) => {
                let class = self.solver.program.names.get("java/lang/invoke/CallSite");
                self.opaque(OpaqueReason::Dynamic, class, call.name);
                result.map_or(Value::Plain, |class| Value::Objects(self.outside(class)))
            }
        };
        if call.shape.result.0 > 0 {
            state.push(value);
            state.push_plain(call.shape.result.0 - 1);
        }
        Ok(())
    }

    /// The class of the lambdas that a call site makes; each call site has one.
    fn lambda_class(&mut self, call: &DynamicSite, at: usize, kind: u8, target: Ref, interface: Sym) -> Sym {
        let info = self.solver.program.method(self.key.method);
        let owner = self.solver.program.names.text(info.owner).clone();
        let name = format!("{owner}$$Lambda/{}.{at}", self.key.method.0);
        let class = self.solver.program.names.get(&name);
        if !self.solver.program.lambdas.contains_key(&class) {
            let mut captured = Vec::new();
            for (number, parameter) in call.shape.parameters.iter().enumerate() {
                let name = self.solver.program.names.get(&format!("captured{number}"));
                let flags = Flags::FINAL;
                let field = FieldInfo { owner: class, name, type_name: parameter.type_name, flags };
                captured.push(self.solver.program.add_field(field));
            }
            let lambda = Lambda { interface, method: call.name, kind, target, captured };
            self.solver.program.lambdas.insert(class, Rc::new(lambda));
        }
        self.solver.instantiate(class);
        class
    }

    /// A call of `toString`, as string concatenation makes it.
    pub fn call_to_string(&mut self, receiver: SetId, state: &mut State) {
        let program = &mut *self.solver.program;
        let (name, descriptor) = (program.names.get("toString"), program.names.get("()Ljava/lang/String;"));
        let target = Ref { class: program.known.object, name, descriptor };
        self.call_virtual(target, &[receiver], state);
    }

    pub fn call_static(&mut self, target: Ref, arguments: &[SetId], state: &mut State) -> SetId {
        self.solver.initialise(target.class);
        match self.solver.program.resolve_method(target.class, target.name, target.descriptor) {
            Some(method) => self.call_method(method, None, self.key.nested, arguments, state),
            None => self.missing(target),
        }
    }

    fn call_special(&mut self, target: Ref, arguments: &[SetId], state: &mut State) -> SetId {
        let Some(method) = self.solver.program.resolve_method(target.class, target.name, target.descriptor) else {
            return self.missing(target);
        };
        self.call_exactly(method, target.class, arguments, state)
    }

    /// Runs this very method, on receivers whose class is known or else that of the method.
    fn call_exactly(&mut self, method: MethodId, named: Sym, arguments: &[SetId], state: &mut State) -> SetId {
        let mut result = EMPTY;
        let before = state.held.clone();
        let mut after: Option<Vec<(Held, u8)>> = None;
        let mut bound = arguments.to_vec();
        for &path in self.solver.sets.get(arguments[0]).iter() {
            let (class, exact) = self.type_of(path);
            let receiver = match exact || self.is_this(path) {
                true => class,
                false => named,
            };
            state.held.clone_from(&before);
            bound[0] = self.solver.sets.one(path);
            let returned = self.call_method(method, Some(receiver), self.key.nested, &bound, state);
            result = self.union(result, returned);
            join_held(&mut after, state);
        }
        state.held = after.unwrap_or(before);
        result
    }

    pub fn is_this(&self, path: PathId) -> bool {
        let path = self.solver.paths.get(path);
        path.root == Root::Parameter(0) && path.fields.is_empty() && !path.tail && self.key.receiver.is_some()
    }

    /// Runs whatever overrides the method in the classes that the receiver may be of.
    pub fn call_virtual(&mut self, target: Ref, arguments: &[SetId], state: &mut State) -> SetId {
        if self.in_place >= MAX_IN_PLACE {
            self.opaque(OpaqueReason::Limit, target.class, target.name);
            return self.result_of(target);
        }
        self.in_place += 1;
        let result = self.call_overriding(target, arguments, state);
        self.in_place -= 1;
        result
    }

    fn call_overriding(&mut self, target: Ref, arguments: &[SetId], state: &mut State) -> SetId {
        let resolved = self.solver.program.resolve_method(target.class, target.name, target.descriptor);
        if let Some(method) = resolved
            && self.solver.program.method(method).flags.has(Flags::PRIVATE)
        {
            return self.call_exactly(method, target.class, arguments, state);
        }
        let mut result = EMPTY;
        let before = state.held.clone();
        let mut after: Option<Vec<(Held, u8)>> = None;
        let mut bound = arguments.to_vec();
        for &path in self.solver.sets.get(arguments[0]).iter() {
            bound[0] = self.solver.sets.one(path);
            let candidates = self.candidates(path, target.class);
            if candidates.open {
                self.opaque(OpaqueReason::Open, target.class, target.name);
                let returned = self.result_of(target);
                result = self.union(result, returned);
                join_held(&mut after, state);
            }
            for (class, assumed) in candidates.classes {
                state.held.clone_from(&before);
                let returned = self.call_on(class, self.key.nested || assumed, target, &bound, state);
                result = self.union(result, returned);
                join_held(&mut after, state);
            }
        }
        state.held = after.unwrap_or(before);
        result
    }

    /// Runs a method on a receiver of exactly this class.
    fn call_on(&mut self, class: Sym, nested: bool, target: Ref, arguments: &[SetId], state: &mut State) -> SetId {
        if let Some(lambda) = self.solver.program.lambdas.get(&class).cloned()
            && lambda.method == target.name
        {
            return self.call_lambda(&lambda, arguments, state);
        }
        match self.solver.program.select(class, target.name, target.descriptor) {
            Some(method) => self.call_method(method, Some(class), nested, arguments, state),
            None => {
                self.opaque(OpaqueReason::Open, class, target.name);
                self.result_of(target)
            }
        }
    }

    /// Calls the body of a lambda with what it captured and with the arguments.
    fn call_lambda(&mut self, lambda: &Lambda, arguments: &[SetId], state: &mut State) -> SetId {
        let mut passed: Vec<SetId> = Vec::new();
        for &field in &lambda.captured {
            let captured = self.load(arguments[0], field);
            passed.push(captured);
        }
        passed.extend(&arguments[1..]);
        let shape = self.solver.program.shape(lambda.target.descriptor);
        match lambda.kind {
            kind::STATIC => self.call_static(lambda.target, &passed, state),
            kind::NEW => {
                self.solver.initialise(lambda.target.class);
                self.solver.instantiate(lambda.target.class);
                let new = objects(self.allocate(lambda.target.class, state));
                passed.insert(0, new);
                passed.resize(shape.parameters.len() + 1, EMPTY);
                self.call_special(lambda.target, &passed, state);
                new
            }
            kind::VIRTUAL | kind::INTERFACE | kind::SPECIAL if !passed.is_empty() => {
                passed.resize(shape.parameters.len() + 1, EMPTY);
                match lambda.kind {
                    kind::SPECIAL => self.call_special(lambda.target, &passed, state),
                    _ => self.call_virtual(lambda.target, &passed, state),
                }
            }
            _ => self.missing(lambda.target),
        }
    }

    /// Runs a method, whose receiver is of the given class, or notes that it is opaque.
    pub fn call_method(
        &mut self,
        method: MethodId,
        receiver: Option<Sym>,
        nested: bool,
        arguments: &[SetId],
        state: &mut State,
    ) -> SetId {
        let info = self.solver.program.method(method).clone();
        let target = Ref { class: info.owner, name: info.name, descriptor: info.descriptor };
        let scope = self.solver.program.scope(info.owner);
        let receiver = if info.flags.has(Flags::STATIC) { None } else { receiver };
        if scope != Scope::Followed
            && let Some(result) = self.known_method(method, arguments, state)
        {
            return result;
        }
        if info.flags.has(Flags::ABSTRACT) {
            self.opaque(OpaqueReason::Open, info.owner, info.name);
            return self.result_of(target);
        }
        if scope != Scope::Followed && info.owner != self.solver.under_test {
            if scope != Scope::Immutable {
                self.opaque(OpaqueReason::Scope, info.owner, info.name);
            }
            self.pass_arrays(target, arguments, info.flags.has(Flags::STATIC), state);
            self.call_back(target, arguments, info.flags.has(Flags::STATIC), state);
            return self.result_of(target);
        }
        if info.flags.has(Flags::NATIVE) {
            self.opaque(OpaqueReason::Native, info.owner, info.name);
            return self.result_of(target);
        }
        match self.solver.flow_for(Instance { method, receiver, nested }, (self.id, self.leader)) {
            Some((callee, flow)) => self.apply(callee, &flow, arguments, state),
            None => {
                self.opaque(OpaqueReason::Limit, info.owner, info.name);
                self.result_of(target)
            }
        }
    }

    /// Opaque code reads the arrays and builders of strings that it is given, and writes into arrays if its
    /// name says so.
    fn pass_arrays(&mut self, target: Ref, arguments: &[SetId], is_static: bool, state: &mut State) {
        let shape = self.solver.program.shape(target.descriptor);
        for (parameter, &argument) in shape.parameters.iter().zip(&arguments[usize::from(!is_static)..]) {
            let Some(class) = parameter.type_name else { continue };
            if scope::is_open_to_opaque(self.solver.program.names.text(class)) {
                self.read_whole(argument, class, state);
            }
            if self.solver.program.is_array(class) {
                self.access(state, argument, ELEMENTS, AccessKind::Read, false);
                if scope::writes_arrays(self.solver.program.names.text(target.name)) {
                    self.access(state, argument, ELEMENTS, AccessKind::Write, false);
                }
            }
        }
    }

    /// Opaque code may call the methods of the interfaces that it is given. A thread does so later, and
    /// without the locks of whoever made it.
    fn call_back(&mut self, target: Ref, arguments: &[SetId], is_static: bool, state: &mut State) {
        let shape = self.solver.program.shape(target.descriptor);
        let first = usize::from(!is_static);
        let is_thread = &**self.solver.program.names.text(target.class) == "java/lang/Thread";
        let locks = is_thread.then(|| (std::mem::take(&mut state.held), std::mem::take(&mut state.may)));
        for (number, parameter) in shape.parameters.iter().enumerate() {
            let Some(interface) = parameter.type_name else { continue };
            let argument = arguments.get(first + number).copied().unwrap_or(EMPTY);
            if argument == EMPTY || !self.solver.program.class(interface).is_ok_and(|class| class.is_interface()) {
                continue;
            }
            for supertype in self.solver.program.supertypes(interface).iter() {
                let Ok(class) = self.solver.program.class(*supertype) else { continue };
                if !class.is_interface() {
                    continue;
                }
                for &method in &class.in_order {
                    let info = self.solver.program.method(method).clone();
                    if info.flags.has(Flags::ABSTRACT) {
                        let called = Ref { class: interface, name: info.name, descriptor: info.descriptor };
                        self.call_with_unknown(called, argument, state);
                    }
                }
            }
        }
        if let Some((held, may)) = locks {
            (state.held, state.may) = (held, may);
        }
    }

    /// A call with arguments from nowhere in particular.
    pub fn call_with_unknown(&mut self, target: Ref, receiver: SetId, state: &mut State) {
        let shape = self.solver.program.shape(target.descriptor);
        let mut passed = vec![receiver];
        for parameter in shape.parameters.iter() {
            let argument = parameter.type_name.map_or(EMPTY, |class| self.outside(class));
            passed.push(argument);
        }
        self.call_virtual(target, &passed, state);
    }

    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        let solver = &mut *self.solver;
        solver.sets.union(a, b, &mut solver.paths, solver.program)
    }

    /// The result of a method that is not seen.
    pub fn result_of(&mut self, target: Ref) -> SetId {
        let shape = self.solver.program.shape(target.descriptor);
        shape.result.1.map_or(EMPTY, |class| self.outside(class))
    }

    fn missing(&mut self, target: Ref) -> SetId {
        self.opaque(OpaqueReason::Missing, target.class, target.name);
        self.result_of(target)
    }

    pub fn opaque(&mut self, reason: OpaqueReason, class: Sym, name: Sym) {
        if self.recording {
            self.effects.opaque(Opaque { reason, class, name });
        }
    }
}

/// Locks that are held whichever of several methods ran.
fn join_held(after: &mut Option<Vec<(Held, u8)>>, state: &State) {
    match after {
        Some(after) => drop(meet(after, &state.held)),
        none => *none = Some(state.held.clone()),
    }
}

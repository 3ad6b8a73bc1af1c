//! The code of one method of a class that the host writes.

use super::NotImplementable;
use super::types::{NULL, Type, boxed, types};
use super::write::{Body, COUNTER, COUNTER_DESCRIPTOR, Does, Plan, counter_field, parameter_slots};
use classfile::{
    ClassFile, Code, CodeBuilder, Condition, Constant, FieldOp, Instruction, InvokeOp, StackOp, ValueType,
};
use testcase::{Argument, Behaviour, Call, Operation};

/// Writes a method.
pub struct BodyWriter<'w, 'p, 'c> {
    plan: &'w Plan<'p>,
    body: &'w Body<'p>,
    class: &'w mut ClassFile<'c>,
    is_interface: &'w dyn Fn(&str) -> Result<bool, NotImplementable>,
    /// How many methods, or parts of methods, count their calls so far.
    counters: &'w mut usize,
    code: CodeBuilder,
    /// Each with its slot.
    parameters: Vec<(Type, u16)>,
    /// None for nothing.
    returns: Option<Type>,
    /// The first slot that no parameter has.
    free_slot: u16,
}

impl<'w, 'p, 'c> BodyWriter<'w, 'p, 'c> {
    /// Starts a method.
    pub fn new(
        plan: &'w Plan<'p>,
        body: &'w Body<'p>,
        class: &'w mut ClassFile<'c>,
        is_interface: &'w dyn Fn(&str) -> Result<bool, NotImplementable>,
        counters: &'w mut usize,
    ) -> Result<Self, NotImplementable> {
        let (parameters, returns) = types(&body.descriptor)?;
        let slots = parameter_slots(&body.descriptor, 1)?;
        let free_slot = slots.last().map_or(1, |(kind, slot)| slot + kind.slots());
        let parameters = parameters.into_iter().zip(slots).map(|(of, (_, slot))| (of, slot)).collect();
        let code = CodeBuilder::new(plan.name, &body.name, &body.descriptor, body.flags);
        Ok(BodyWriter { plan, body, class, is_interface, counters, code, parameters, returns, free_slot })
    }

    /// Writes the whole body.
    pub fn write(&mut self, does: Does<'_>) -> Result<(), NotImplementable> {
        match does {
            Does::Behaviour(behaviour) => self.behave(behaviour),
            Does::Same(descriptor) => {
                self.push(Instruction::Load(ValueType::Reference, 0))?;
                for (of, slot) in self.parameters.clone() {
                    self.push(Instruction::Load(of.kind(), slot))?;
                }
                let method = self.class.constants.add_method(self.plan.name, &self.body.name, descriptor)?;
                self.push(Instruction::Invoke(InvokeOp::Virtual, method))?;
                self.give(types(descriptor)?.1)
            }
        }
    }

    /// The finished code.
    pub fn finish(self) -> Result<Code<'static>, NotImplementable> {
        Ok(self.code.finish(&mut self.class.constants)?)
    }

    /// Writes code that ends the method.
    fn behave(&mut self, behaviour: &Behaviour) -> Result<(), NotImplementable> {
        match behaviour {
            Behaviour::Nothing => self.give(None),
            Behaviour::Return(argument) => {
                let found = self.argument(argument)?;
                if self.returns.is_none() {
                    return Err(self.mismatch(&found, "nothing"));
                }
                self.give(Some(found))
            }
            Behaviour::Throw { class, message } => self.throw(class, message.as_deref()),
            Behaviour::Call(call) => {
                let given = self.call(call)?;
                self.give(given)
            }
            Behaviour::InTurn(turns) => self.in_turn(turns),
        }
    }

    /// Returns what is on the stack; what the type has for nothing if nothing is.
    fn give(&mut self, found: Option<Type>) -> Result<(), NotImplementable> {
        let Some(wanted) = self.returns.clone() else {
            if let Some(found) = found {
                self.push(Instruction::Stack(if found.kind().slots() == 2 { StackOp::Pop2 } else { StackOp::Pop }))?;
            }
            return self.push(Instruction::Return(None));
        };
        match found {
            Some(found) => self.convert(&found, &wanted)?,
            None => self.push(match wanted.kind() {
                ValueType::Int => Instruction::Int(0),
                ValueType::Long => Instruction::Long(0),
                ValueType::Float => Instruction::Float(0),
                ValueType::Double => Instruction::Double(0),
                ValueType::Reference => Instruction::Null,
            })?,
        }
        self.push(Instruction::Return(Some(wanted.kind())))
    }

    fn throw(&mut self, class: &str, message: Option<&str>) -> Result<(), NotImplementable> {
        let constants = &mut self.class.constants;
        let exception = constants.add_class(class)?;
        let descriptor = if message.is_some() { "(Ljava/lang/String;)V" } else { "()V" };
        let make = constants.add_method(class, "<init>", descriptor)?;
        let message = message.map(|message| constants.add_string(message)).transpose()?;
        self.push(Instruction::New(exception))?;
        self.push(Instruction::Stack(StackOp::Dup))?;
        if let Some(message) = message {
            self.push(Instruction::Ldc(message))?;
        }
        self.push(Instruction::Invoke(InvokeOp::Special, make))?;
        self.push(Instruction::Throw)
    }

    fn in_turn(&mut self, turns: &[Behaviour]) -> Result<(), NotImplementable> {
        let Some((last, before)) = turns.split_last() else { return self.behave(&Behaviour::Nothing) };
        let (field, slot) = (counter_field(*self.counters), self.free_slot);
        *self.counters += 1;
        self.free_slot += 1;
        let field = self.class.constants.add_field(self.plan.name, &field, COUNTER_DESCRIPTOR)?;
        let count = self.class.constants.add_method(COUNTER, "getAndIncrement", "()I")?;
        self.push(Instruction::Load(ValueType::Reference, 0))?;
        self.push(Instruction::Field(FieldOp::Get, field))?;
        self.push(Instruction::Invoke(InvokeOp::Virtual, count))?;
        self.push(Instruction::Store(ValueType::Int, slot))?;
        for (number, behaviour) in before.iter().enumerate() {
            let next = self.code.label();
            self.push(Instruction::Load(ValueType::Int, slot))?;
            self.int(number as i32)?;
            self.code.jump_if(Condition::IntNe, next)?;
            self.behave(behaviour)?;
            self.code.bind(next)?;
        }
        self.behave(last)?;
        self.free_slot -= 1;
        Ok(())
    }

    /// Makes a call; says what it left on the stack.
    fn call(&mut self, call: &Call) -> Result<Option<Type>, NotImplementable> {
        let unfit = || NotImplementable::Call(format!("{:?}", call.operation));
        let (owner, name, descriptor) = match &call.operation {
            Operation::Construct { class, descriptor } => (class, "<init>", descriptor),
            Operation::Static { class, name, descriptor }
            | Operation::Virtual { class, name, descriptor, .. }
            | Operation::GetField { class, name, descriptor, .. }
            | Operation::PutField { class, name, descriptor, .. }
            | Operation::GetStatic { class, name, descriptor }
            | Operation::PutStatic { class, name, descriptor } => (class, name.as_str(), descriptor),
            Operation::Array { .. } | Operation::Implement { .. } => return Err(unfit()),
        };
        let owner_type = Type(if owner.starts_with('[') { owner.clone() } else { format!("L{owner};") });
        if let Operation::Construct { .. } = &call.operation {
            let made = self.class.constants.add_class(owner)?;
            self.push(Instruction::New(made))?;
            self.push(Instruction::Stack(StackOp::Dup))?;
        }
        if let Some(receiver) = call.operation.receiver() {
            self.argument_as(receiver, &owner_type)?;
        }
        let field = |op: FieldOp| {
            let of = Type::parse(descriptor)?;
            Ok::<_, NotImplementable>(if op.is_put() { (vec![of], None) } else { (vec![], Some(of)) })
        };
        let (parameters, gives) = match &call.operation {
            Operation::GetField { .. } | Operation::GetStatic { .. } => field(FieldOp::Get)?,
            Operation::PutField { .. } | Operation::PutStatic { .. } => field(FieldOp::Put)?,
            _ => types(descriptor)?,
        };
        if parameters.len() != call.arguments.len() {
            return Err(unfit());
        }
        for (argument, wanted) in call.arguments.iter().zip(&parameters) {
            self.argument_as(argument, wanted)?;
        }
        let accessed = match &call.operation {
            Operation::GetField { .. } => Some(FieldOp::Get),
            Operation::PutField { .. } => Some(FieldOp::Put),
            Operation::GetStatic { .. } => Some(FieldOp::GetStatic),
            Operation::PutStatic { .. } => Some(FieldOp::PutStatic),
            _ => None,
        };
        if let Some(op) = accessed {
            let field = self.class.constants.add_field(owner, name, descriptor)?;
            self.push(Instruction::Field(op, field))?;
            return Ok(gives);
        }
        let of_interface = (self.is_interface)(owner)?;
        let constants = &mut self.class.constants;
        let method = match of_interface {
            true => constants.add_interface_method(owner, name, descriptor)?,
            false => constants.add_method(owner, name, descriptor)?,
        };
        let op = match &call.operation {
            Operation::Construct { .. } => InvokeOp::Special,
            Operation::Static { .. } => InvokeOp::Static,
            _ if of_interface => InvokeOp::Interface,
            _ => InvokeOp::Virtual,
        };
        self.push(Instruction::Invoke(op, method))?;
        Ok(if op == InvokeOp::Special { Some(owner_type) } else { gives })
    }

    fn argument_as(&mut self, argument: &Argument, wanted: &Type) -> Result<(), NotImplementable> {
        let found = self.argument(argument)?;
        self.convert(&found, wanted)
    }

    /// Pushes an argument, and says of what type it is.
    fn argument(&mut self, argument: &Argument) -> Result<Type, NotImplementable> {
        let primitive = |letter: &str| Ok(Type(letter.to_owned()));
        match argument {
            Argument::Null => {
                self.push(Instruction::Null)?;
                Ok(Type(NULL.to_owned()))
            }
            Argument::Boolean(z) => self.int(*z as i32).and_then(|()| primitive("Z")),
            Argument::Byte(b) => self.int(*b as i32).and_then(|()| primitive("B")),
            Argument::Char(c) => self.int(*c as i32).and_then(|()| primitive("C")),
            Argument::Short(s) => self.int(*s as i32).and_then(|()| primitive("S")),
            Argument::Int(i) => self.int(*i).and_then(|()| primitive("I")),
            Argument::Long(j) => {
                let constant = self.class.constants.add_long(*j)?;
                self.push(Instruction::Ldc2(constant)).and_then(|()| primitive("J"))
            }
            Argument::Float(f) => {
                let constant = self.class.constants.add(Constant::Float(*f))?;
                self.push(Instruction::Ldc(constant)).and_then(|()| primitive("F"))
            }
            Argument::Double(d) => {
                let constant = self.class.constants.add(Constant::Double(*d))?;
                self.push(Instruction::Ldc2(constant)).and_then(|()| primitive("D"))
            }
            Argument::String(text) => {
                let constant = self.class.constants.add_string(text)?;
                self.push(Instruction::Ldc(constant))?;
                Ok(Type("Ljava/lang/String;".to_owned()))
            }
            Argument::Class(name) => {
                let class = self.class.constants.add_class(name)?;
                let class = self.class.constants.index(class.raw()).expect("internal bug: a class is loadable");
                self.push(Instruction::Ldc(class))?;
                Ok(Type("Ljava/lang/Class;".to_owned()))
            }
            Argument::Value(number) => {
                let captured = self.plan.captured.iter().find(|captured| captured.number == *number);
                let captured = *captured.expect("internal bug: all values that behaviours use are captured");
                let (name, descriptor) = (captured.field(), captured.descriptor());
                let field = self.class.constants.add_field(self.plan.name, &name, &descriptor)?;
                self.push(Instruction::Load(ValueType::Reference, 0))?;
                self.push(Instruction::Field(FieldOp::Get, field))?;
                Ok(Type(descriptor))
            }
            Argument::Returned { .. } => unreachable!("internal bug: what suffixes return is not passable there"),
            Argument::Parameter(number) => {
                let none = || NotImplementable::NoSuchParameter { method: self.method(), number: *number };
                let (of, slot) = self.parameters.get(*number).cloned().ok_or_else(none)?;
                self.push(Instruction::Load(of.kind(), slot))?;
                Ok(of)
            }
        }
    }

    /// Makes what is on the stack fit where `wanted` is wanted, if Java's casts and boxes can do it.
    fn convert(&mut self, found: &Type, wanted: &Type) -> Result<(), NotImplementable> {
        if found == wanted || found.0 == NULL && wanted.is_reference() {
            return Ok(());
        }
        if !wanted.is_reference() {
            return Err(self.mismatch(found, &wanted.0));
        }
        let mut class = found.0.clone();
        if !found.is_reference() {
            let boxed = boxed(&found.0);
            class = format!("L{boxed};");
            let box_it = self.class.constants.add_method(boxed, "valueOf", &format!("({}){class}", found.0))?;
            self.push(Instruction::Invoke(InvokeOp::Static, box_it))?;
        }
        if wanted.0 == class || wanted.0 == "Ljava/lang/Object;" {
            return Ok(());
        }
        let target = self.class.constants.add_class(wanted.class_name())?;
        self.push(Instruction::CheckCast(target))
    }

    fn int(&mut self, value: i32) -> Result<(), NotImplementable> {
        match i16::try_from(value) {
            Ok(small) => self.push(Instruction::Int(small)),
            Err(_) => {
                let constant = self.class.constants.add_integer(value)?;
                self.push(Instruction::Ldc(constant))
            }
        }
    }

    fn push(&mut self, instruction: Instruction) -> Result<(), NotImplementable> {
        Ok(self.code.push(instruction, &self.class.constants)?)
    }

    fn method(&self) -> String {
        format!("{}{}", self.body.name, self.body.descriptor)
    }

    fn mismatch(&self, found: &Type, wanted: &str) -> NotImplementable {
        NotImplementable::Type { method: self.method(), found: found.0.clone(), wanted: wanted.to_owned() }
    }
}

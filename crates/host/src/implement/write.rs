//! Writes the class that implements a type. Pure: what is to be written was decided before.
//!
//! Values from earlier calls are handed to the constructor and kept in fields, which are set before the constructor of the
//! superclass runs, as Java compilers do it: that one may call what is implemented here.

use super::NotImplementable;
use super::body::BodyWriter;
use classfile::{
    BaseType, ClassFile, CodeBuilder, FieldOp, Flags, Instruction, InvokeOp, JavaStr, MethodDescriptor, TypeDescriptor,
    ValueType,
};
use testcase::Behaviour;

/// Java 17: the oldest that is hosted.
const VERSION: u16 = 61;

/// A class to be written.
pub struct Plan<'p> {
    pub name: &'p str,
    pub super_class: &'p str,
    pub interface: Option<&'p str>,
    /// The descriptor of the superclass's constructor.
    pub constructor: &'p str,
    pub captured: &'p [Captured],
    pub methods: Vec<Body<'p>>,
}

/// A value of an earlier call that behaviours use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Captured {
    /// The number of the call.
    pub number: usize,
    /// The first letter of the descriptor of what it gave.
    pub letter: u8,
}

/// A method to be written.
pub struct Body<'p> {
    pub name: String,
    pub descriptor: String,
    pub flags: Flags,
    pub does: Does<'p>,
}

/// What a method does.
#[derive(Clone, Copy)]
pub enum Does<'p> {
    Behaviour(&'p Behaviour),
    /// The same as the method of that name with this descriptor, which differs by its return type.
    Same(&'p str),
}

impl Captured {
    /// The field that keeps it.
    pub fn field(self) -> String {
        format!("value${}", self.number)
    }

    /// The descriptor of that field. Objects are cast where they are used.
    pub fn descriptor(self) -> String {
        match self.letter {
            b'L' | b'[' => "Ljava/lang/Object;".to_owned(),
            letter => char::from(letter).to_string(),
        }
    }
}

/// The descriptor of the constructor of a class that is written: the superclass's parameters, then what is captured.
pub fn own_constructor(of_super: &str, captured: &[Captured]) -> String {
    let captured: String = captured.iter().map(|captured| captured.descriptor()).collect();
    format!("{}{captured})V", of_super.strip_suffix(")V").unwrap_or(of_super))
}

impl Plan<'_> {
    /// The class file. `is_interface` is asked about classes whose methods are called.
    pub fn write(
        &self,
        is_interface: &dyn Fn(&str) -> Result<bool, NotImplementable>,
    ) -> Result<Vec<u8>, NotImplementable> {
        let mut class = ClassFile::new(self.name, self.super_class, VERSION)?;
        class.flags = class.flags.with(Flags::FINAL).with(Flags::SYNTHETIC);
        if let Some(interface) = self.interface {
            class.interfaces.push(class.constants.add_class(interface)?);
        }
        let kept = Flags::PRIVATE.with(Flags::FINAL);
        for captured in self.captured {
            class.add_field(kept, &captured.field(), &captured.descriptor())?;
        }
        let mut counters = 0;
        for body in &self.methods {
            let mut writer = BodyWriter::new(self, body, &mut class, is_interface, &mut counters)?;
            writer.write(body.does)?;
            let code = writer.finish()?;
            class.add_method(body.flags, &body.name, &body.descriptor, Some(code))?;
        }
        for counter in 0..counters {
            class.add_field(kept, &counter_field(counter), COUNTER_DESCRIPTOR)?;
        }
        self.write_constructor(&mut class, counters)?;
        Ok(class.write()?)
    }

    fn write_constructor(&self, class: &mut ClassFile<'_>, counters: usize) -> Result<(), NotImplementable> {
        let descriptor = own_constructor(self.constructor, self.captured);
        let slots = parameter_slots(&descriptor, 1)?;
        let (for_super, for_fields) = slots.split_at(slots.len() - self.captured.len());
        let this = Instruction::Load(ValueType::Reference, 0);
        let mut code = CodeBuilder::new(self.name, "<init>", &descriptor, Flags::PUBLIC);
        for (captured, &(kind, slot)) in self.captured.iter().zip(for_fields) {
            let field = class.constants.add_field(self.name, &captured.field(), &captured.descriptor())?;
            code.push(this.clone(), &class.constants)?;
            code.push(Instruction::Load(kind, slot), &class.constants)?;
            code.push(Instruction::Field(FieldOp::Put, field), &class.constants)?;
        }
        for counter in 0..counters {
            let counting = class.constants.add_class(COUNTER)?;
            let make = class.constants.add_method(COUNTER, "<init>", "()V")?;
            let field = class.constants.add_field(self.name, &counter_field(counter), COUNTER_DESCRIPTOR)?;
            for instruction in [
                this.clone(),
                Instruction::New(counting),
                Instruction::Stack(classfile::StackOp::Dup),
                Instruction::Invoke(InvokeOp::Special, make),
                Instruction::Field(FieldOp::Put, field),
            ] {
                code.push(instruction, &class.constants)?;
            }
        }
        code.push(this, &class.constants)?;
        for &(kind, slot) in for_super {
            code.push(Instruction::Load(kind, slot), &class.constants)?;
        }
        let above = class.constants.add_method(self.super_class, "<init>", self.constructor)?;
        code.push(Instruction::Invoke(InvokeOp::Special, above), &class.constants)?;
        code.push(Instruction::Return(None), &class.constants)?;
        let code = code.finish(&mut class.constants)?;
        class.add_method(Flags::PUBLIC, "<init>", &descriptor, Some(code))?;
        Ok(())
    }
}

/// What counts the calls of a method that does several things in turn. Not a plain field: it would be a race in code
/// that nobody wrote.
pub(super) const COUNTER: &str = "java/util/concurrent/atomic/AtomicInteger";
pub(super) const COUNTER_DESCRIPTOR: &str = "Ljava/util/concurrent/atomic/AtomicInteger;";

pub(super) fn counter_field(number: usize) -> String {
    format!("calls${number}")
}

/// The parameters of a method, each with how it is loaded and its slot; the first is in the slot `first`.
pub(super) fn parameter_slots(descriptor: &str, first: u16) -> Result<Vec<(ValueType, u16)>, NotImplementable> {
    let malformed = || NotImplementable::Descriptor(descriptor.to_owned());
    let parsed = JavaStr::new(descriptor.as_bytes()).and_then(MethodDescriptor::new).ok_or_else(malformed)?;
    let mut slot = first;
    let place = |parameter: TypeDescriptor<'_>| {
        let at = slot;
        slot += parameter.slots();
        (value_type(parameter), at)
    };
    Ok(parsed.parameters().map(place).collect())
}

pub(super) fn value_type(descriptor: TypeDescriptor<'_>) -> ValueType {
    match descriptor.base() {
        BaseType::Reference => ValueType::Reference,
        BaseType::Long => ValueType::Long,
        BaseType::Float => ValueType::Float,
        BaseType::Double => ValueType::Double,
        _ => ValueType::Int,
    }
}

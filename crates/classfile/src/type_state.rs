//! The types of locals and stack at one point of a method, and how an instruction changes them.
//!
//! This is the part of verification by type checking that tells what the frame at a point *is*; whether
//! the code is right is the virtual machine's to check. Because class files name the types wherever
//! control flow meets, no types ever have to be merged, and no class hierarchy is needed.

use crate::constant::Constant;
use crate::constant_pool::{ConstantPool, MemberRef};
use crate::descriptor::{BaseType, MethodDescriptor, TypeDescriptor};
use crate::instruction::*;
use crate::java_str::JavaStr;
use crate::stack_map::VerificationType;

/// A type of a slot. Object types are held by name so that they need no constants until one is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SlotType {
    Top,
    Int,
    Float,
    Long,
    Double,
    /// The second slot of a long or double.
    Half,
    Null,
    UninitializedThis,
    /// An object whose constructor was not called yet.
    Uninitialized(Made),
    /// By its name in modified UTF-8.
    Object(Box<[u8]>),
}

/// Which `new` made an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Made {
    /// The one at this offset of the original code.
    At(Pc),
    /// One that is not in the original code, by a number of its own.
    New(u32),
}

/// Locals and stack by slots.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct TypeState {
    pub(crate) locals: Vec<SlotType>,
    pub(crate) stack: Vec<SlotType>,
}

/// The code does something that no verifier accepts, or that this crate does not follow (`jsr`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotTypable;

/// What the types in a method's first frame depend on.
#[derive(Clone, Debug)]
pub(crate) struct MethodShape {
    /// In modified UTF-8, as is the descriptor.
    pub(crate) class: Box<[u8]>,
    pub(crate) is_static: bool,
    pub(crate) is_constructor: bool,
    pub(crate) descriptor: Box<[u8]>,
}

impl TypeState {
    /// The types when the method is entered.
    pub(crate) fn at_entry(shape: &MethodShape) -> Self {
        let mut state = TypeState::default();
        if !shape.is_static {
            state.locals.push(if shape.is_constructor && &*shape.class != b"java/lang/Object" {
                SlotType::UninitializedThis
            } else {
                SlotType::Object(shape.class.clone())
            });
        }
        let descriptor = MethodDescriptor::new(JavaStr::checked(&shape.descriptor));
        let descriptor = descriptor.expect("internal bug: a method's descriptor is checked");
        descriptor.parameters().for_each(|parameter| push(&mut state.locals, SlotType::of(parameter)));
        state
    }

    /// The types that a frame tells.
    pub(crate) fn from_frame(
        locals: &[VerificationType],
        stack: &[VerificationType],
        constants: &ConstantPool<'_>,
    ) -> Self {
        let mut state = TypeState::default();
        locals.iter().for_each(|&t| push(&mut state.locals, SlotType::from_verification(t, constants)));
        stack.iter().for_each(|&t| push(&mut state.stack, SlotType::from_verification(t, constants)));
        state
    }

    /// Sets a local, and makes unusable what it overlaps.
    pub(crate) fn set_local(&mut self, slot: u16, slot_type: SlotType) {
        let (slot, wide) = (slot as usize, slot_type.is_wide());
        if self.locals.len() < slot + 1 + wide as usize {
            self.locals.resize(slot + 1 + wide as usize, SlotType::Top);
        }
        if self.locals[slot] == SlotType::Half {
            self.locals[slot - 1] = SlotType::Top;
        }
        let last = slot + wide as usize;
        if self.locals[last].is_wide() {
            self.locals[last + 1] = SlotType::Top;
        }
        self.locals[slot] = slot_type;
        if wide {
            self.locals[slot + 1] = SlotType::Half;
        }
    }

    /// Whether the constructor has still to call another.
    pub(crate) fn this_is_uninitialized(&self) -> bool {
        self.locals.contains(&SlotType::UninitializedThis) || self.stack.contains(&SlotType::UninitializedThis)
    }

    fn push(&mut self, slot_type: SlotType) {
        push(&mut self.stack, slot_type);
    }

    fn pop(&mut self, slots: u16) -> Result<(), NotTypable> {
        let left = self.stack.len().checked_sub(slots as usize).ok_or(NotTypable)?;
        self.stack.truncate(left);
        Ok(())
    }

    /// Runs one instruction; `made` tells a `new` from others.
    pub(crate) fn step(
        &mut self,
        instruction: &Instruction,
        made: Made,
        this_class: &[u8],
        constants: &ConstantPool<'_>,
    ) -> Result<(), NotTypable> {
        if let Instruction::Stack(op) = instruction {
            return self.rearrange(*op);
        }
        // What is pushed can depend on what is popped, so it is found first.
        let pushed = match *instruction {
            Instruction::Null => Some(SlotType::Null),
            Instruction::Int(_) | Instruction::ArrayLength | Instruction::InstanceOf(_) => Some(SlotType::Int),
            Instruction::Long(_) => Some(SlotType::Long),
            Instruction::Float(_) => Some(SlotType::Float),
            Instruction::Double(_) => Some(SlotType::Double),
            Instruction::Ldc(constant) | Instruction::Ldc2(constant) => Some(match constants.get(constant.raw()) {
                Some(Constant::Integer(_)) => SlotType::Int,
                Some(Constant::Float(_)) => SlotType::Float,
                Some(Constant::Long(_)) => SlotType::Long,
                Some(Constant::Double(_)) => SlotType::Double,
                Some(Constant::String(_)) => SlotType::object("java/lang/String"),
                Some(Constant::Class(_)) => SlotType::object("java/lang/Class"),
                Some(Constant::MethodHandle { .. }) => SlotType::object("java/lang/invoke/MethodHandle"),
                Some(Constant::MethodType(_)) => SlotType::object("java/lang/invoke/MethodType"),
                Some(Constant::Dynamic { name_and_type, .. }) => {
                    SlotType::of_field(constants.name_and_type(name_and_type).1)?
                }
                _ => return Err(NotTypable),
            }),
            Instruction::Load(ValueType::Reference, slot) => {
                Some(self.locals.get(slot as usize).filter(|local| local.is_reference()).ok_or(NotTypable)?.clone())
            }
            Instruction::Load(kind, slot) => {
                let wanted = SlotType::of_value(kind);
                Some(self.locals.get(slot as usize).filter(|local| **local == wanted).ok_or(NotTypable)?.clone())
            }
            Instruction::ArrayLoad(ArrayType::Reference) => {
                let array = self.stack.len().checked_sub(2).ok_or(NotTypable)?;
                Some(self.stack[array].element())
            }
            Instruction::ArrayLoad(ArrayType::Long) => Some(SlotType::Long),
            Instruction::ArrayLoad(ArrayType::Float) => Some(SlotType::Float),
            Instruction::ArrayLoad(ArrayType::Double) => Some(SlotType::Double),
            Instruction::ArrayLoad(_) => Some(SlotType::Int),
            Instruction::Operate(op) => Some(SlotType::of_value(op.types().1)),
            Instruction::Field(op, field) if !op.is_put() => {
                Some(SlotType::of_field(constants.field(field).descriptor)?)
            }
            Instruction::Invoke(_, method) => SlotType::of_return(constants.method(method).descriptor),
            Instruction::InvokeDynamic(site) => SlotType::of_return(constants.call_site(site).2),
            Instruction::New(_) => Some(SlotType::Uninitialized(made)),
            Instruction::NewArray(element) => Some(SlotType::object(element.array_name())),
            Instruction::NewReferenceArray(class) => {
                Some(SlotType::Object(array_of(constants.class_name(class).as_bytes())))
            }
            Instruction::NewMultiArray { class, .. } | Instruction::CheckCast(class) => {
                Some(object(constants.class_name(class)))
            }
            Instruction::Jsr(_) | Instruction::Ret(_) => return Err(NotTypable),
            _ => None,
        };
        let stored = match *instruction {
            Instruction::Store(ValueType::Reference, slot) => {
                Some((slot, self.stack.last().filter(|top| top.is_reference()).ok_or(NotTypable)?.clone()))
            }
            Instruction::Store(kind, slot) if kind.slots() - 1 <= u16::MAX - slot => {
                Some((slot, SlotType::of_value(kind)))
            }
            Instruction::Store(..) => return Err(NotTypable),
            _ => None,
        };
        if let Instruction::Invoke(InvokeOp::Special, method) = *instruction {
            self.initialize(constants.method(method), this_class)?;
        }
        self.pop(crate::effect::effect(instruction, constants).pops)?;
        if let Some(pushed) = pushed {
            self.push(pushed);
        }
        if let Some((slot, slot_type)) = stored {
            self.set_local(slot, slot_type);
        }
        Ok(())
    }

    /// A constructor call makes every copy of its receiver usable.
    fn initialize(&mut self, call: MemberRef<'_>, this_class: &[u8]) -> Result<(), NotTypable> {
        if call.name != "<init>" {
            return Ok(());
        }
        let slots = MethodDescriptor::new(call.descriptor).ok_or(NotTypable)?.parameter_slots() as usize;
        let receiver = self.stack.len().checked_sub(slots + 1).ok_or(NotTypable)?;
        let raw = self.stack[receiver].clone();
        let made = match raw {
            // The call may name the superclass; `this` is of its own class all the same.
            SlotType::UninitializedThis => SlotType::Object(this_class.into()),
            SlotType::Uninitialized(_) => object(call.class),
            _ => return Err(NotTypable),
        };
        for slot in self.locals.iter_mut().chain(self.stack.iter_mut()) {
            if *slot == raw {
                *slot = made.clone();
            }
        }
        Ok(())
    }

    fn rearrange(&mut self, op: StackOp) -> Result<(), NotTypable> {
        let stack = &mut self.stack;
        // How many slots are copied, and how far below the top the copy goes.
        let (copied, below) = match op {
            StackOp::Pop => return self.pop(1),
            StackOp::Pop2 => return self.pop(2),
            StackOp::Swap => {
                let top = stack.len().checked_sub(2).ok_or(NotTypable)?;
                stack.swap(top, top + 1);
                return Ok(());
            }
            StackOp::Dup => (1, 1),
            StackOp::DupX1 => (1, 2),
            StackOp::DupX2 => (1, 3),
            StackOp::Dup2 => (2, 2),
            StackOp::Dup2X1 => (2, 3),
            StackOp::Dup2X2 => (2, 4),
        };
        let place = stack.len().checked_sub(below).ok_or(NotTypable)?;
        let copy = stack[stack.len() - copied..].to_vec();
        stack.splice(place..place, copy);
        Ok(())
    }
}

impl SlotType {
    /// An object of a class that is known by name.
    pub(crate) fn object(name: &str) -> SlotType {
        SlotType::Object(name.as_bytes().into())
    }

    fn is_reference(&self) -> bool {
        matches!(self, SlotType::Null | SlotType::UninitializedThis | SlotType::Uninitialized(_) | SlotType::Object(_))
    }

    fn is_wide(&self) -> bool {
        matches!(self, SlotType::Long | SlotType::Double)
    }

    fn of(descriptor: TypeDescriptor<'_>) -> SlotType {
        match descriptor.base() {
            BaseType::Long => SlotType::Long,
            BaseType::Float => SlotType::Float,
            BaseType::Double => SlotType::Double,
            BaseType::Reference => object(descriptor.class_name().expect("internal bug: a reference has a name")),
            _ => SlotType::Int,
        }
    }

    fn of_field(descriptor: JavaStr<'_>) -> Result<SlotType, NotTypable> {
        TypeDescriptor::new(descriptor).map(SlotType::of).ok_or(NotTypable)
    }

    fn of_return(descriptor: JavaStr<'_>) -> Option<SlotType> {
        MethodDescriptor::new(descriptor)?.returns().map(SlotType::of)
    }

    fn of_value(kind: ValueType) -> SlotType {
        match kind {
            ValueType::Int => SlotType::Int,
            ValueType::Long => SlotType::Long,
            ValueType::Float => SlotType::Float,
            ValueType::Double => SlotType::Double,
            ValueType::Reference => SlotType::object("java/lang/Object"),
        }
    }

    pub(crate) fn from_verification(t: VerificationType, constants: &ConstantPool<'_>) -> SlotType {
        match t {
            VerificationType::Top => SlotType::Top,
            VerificationType::Int => SlotType::Int,
            VerificationType::Float => SlotType::Float,
            VerificationType::Double => SlotType::Double,
            VerificationType::Long => SlotType::Long,
            VerificationType::Null => SlotType::Null,
            VerificationType::UninitializedThis => SlotType::UninitializedThis,
            VerificationType::Uninitialized(pc) => SlotType::Uninitialized(Made::At(pc)),
            VerificationType::Object(class) => object(constants.class_name(class)),
        }
    }

    /// The type of the elements, where this is an array.
    fn element(&self) -> SlotType {
        let SlotType::Object(name) = self else { return self.clone() };
        match &name[..] {
            [b'[', b'L', .., b';'] => SlotType::Object(name[2..name.len() - 1].into()),
            [b'[', b'[', ..] => SlotType::Object(name[1..].into()),
            _ => SlotType::object("java/lang/Object"),
        }
    }
}

impl PrimitiveType {
    fn array_name(self) -> &'static str {
        match self {
            PrimitiveType::Boolean => "[Z",
            PrimitiveType::Char => "[C",
            PrimitiveType::Float => "[F",
            PrimitiveType::Double => "[D",
            PrimitiveType::Byte => "[B",
            PrimitiveType::Short => "[S",
            PrimitiveType::Int => "[I",
            PrimitiveType::Long => "[J",
        }
    }
}

fn array_of(element: &[u8]) -> Box<[u8]> {
    let name = if element.starts_with(b"[") { [b"[", element].concat() } else { [b"[L", element, b";"].concat() };
    name.into()
}

fn object(name: JavaStr<'_>) -> SlotType {
    SlotType::Object(name.as_bytes().into())
}

fn push(slots: &mut Vec<SlotType>, slot_type: SlotType) {
    let wide = slot_type.is_wide();
    slots.push(slot_type);
    if wide {
        slots.push(SlotType::Half);
    }
}

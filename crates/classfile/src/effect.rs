//! How many stack slots an instruction takes and leaves.

use crate::constant_pool::ConstantPool;
use crate::descriptor::{MethodDescriptor, TypeDescriptor};
use crate::instruction::*;
use crate::java_str::JavaStr;

/// The slots that an instruction pops and then pushes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Effect {
    pub pops: u16,
    pub pushes: u16,
}

/// The effect of `instruction`, whose constants are in `constants`.
pub fn effect(instruction: &Instruction, constants: &ConstantPool<'_>) -> Effect {
    let (pops, pushes) = match *instruction {
        Instruction::Nop | Instruction::Increment { .. } | Instruction::Goto(_) | Instruction::Ret(_) => (0, 0),
        Instruction::Null | Instruction::Int(_) | Instruction::Float(_) | Instruction::Ldc(_) => (0, 1),
        Instruction::Long(_) | Instruction::Double(_) | Instruction::Ldc2(_) => (0, 2),
        Instruction::Jsr(_) | Instruction::New(_) => (0, 1),
        Instruction::Load(kind, _) => (0, kind.slots()),
        Instruction::Store(kind, _) => (kind.slots(), 0),
        Instruction::ArrayLoad(element) => (2, element.slots()),
        Instruction::ArrayStore(element) => (2 + element.slots(), 0),
        Instruction::ArrayLength | Instruction::CheckCast(_) | Instruction::InstanceOf(_) => (1, 1),
        Instruction::NewArray(_) | Instruction::NewReferenceArray(_) => (1, 1),
        Instruction::NewMultiArray { dimensions, .. } => (dimensions as u16, 1),
        Instruction::Stack(op) => match op {
            StackOp::Pop => (1, 0),
            StackOp::Pop2 => (2, 0),
            StackOp::Dup => (1, 2),
            StackOp::DupX1 => (2, 3),
            StackOp::DupX2 => (3, 4),
            StackOp::Dup2 => (2, 4),
            StackOp::Dup2X1 => (3, 5),
            StackOp::Dup2X2 => (4, 6),
            StackOp::Swap => (2, 2),
        },
        Instruction::Operate(op) => {
            let (takes, gives) = op.types();
            (takes.iter().map(|t| t.slots()).sum(), gives.slots())
        }
        Instruction::If(condition, _) => (condition.operands(), 0),
        Instruction::TableSwitch(_) | Instruction::LookupSwitch(_) => (1, 0),
        Instruction::Return(kind) => (kind.map_or(0, ValueType::slots), 0),
        Instruction::Throw | Instruction::MonitorEnter | Instruction::MonitorExit => (1, 0),
        Instruction::Field(op, field) => {
            let slots = type_slots(constants.field(field).descriptor);
            let receiver = !op.is_static() as u16;
            if op.is_put() { (receiver + slots, 0) } else { (receiver, slots) }
        }
        Instruction::Invoke(op, method) => {
            let (takes, gives) = method_slots(constants.method(method).descriptor);
            (takes + (op != InvokeOp::Static) as u16, gives)
        }
        Instruction::InvokeDynamic(site) => method_slots(constants.call_site(site).2),
    };
    Effect { pops, pushes }
}

fn type_slots(descriptor: JavaStr<'_>) -> u16 {
    TypeDescriptor::new(descriptor).map_or(1, TypeDescriptor::slots)
}

fn method_slots(descriptor: JavaStr<'_>) -> (u16, u16) {
    let descriptor = MethodDescriptor::new(descriptor).expect("internal bug: a method's descriptor is checked");
    (descriptor.parameter_slots(), descriptor.returns().map_or(0, TypeDescriptor::slots))
}

impl ArrayType {
    /// How many stack slots an element takes.
    pub fn slots(self) -> u16 {
        if matches!(self, ArrayType::Long | ArrayType::Double) { 2 } else { 1 }
    }
}

impl Operator {
    /// The types of the operands, and of the result.
    pub fn types(self) -> (&'static [ValueType], ValueType) {
        use ValueType::{Double, Float, Int, Long};
        const BY_LETTER: [(&[ValueType], &[ValueType], ValueType); 4] = [
            (&[Int], &[Int, Int], Int),
            (&[Long], &[Long, Long], Long),
            (&[Float], &[Float, Float], Float),
            (&[Double], &[Double, Double], Double),
        ];
        let code = self.code();
        match self {
            Operator::Ineg | Operator::Lneg | Operator::Fneg | Operator::Dneg => {
                let (one, _, result) = BY_LETTER[(code % 4) as usize];
                (one, result)
            }
            Operator::Lshl | Operator::Lshr | Operator::Lushr => (&[Long, Int], Long),
            Operator::Ishl | Operator::Ishr | Operator::Iushr => (&[Int, Int], Int),
            Operator::Iand | Operator::Ior | Operator::Ixor => (&[Int, Int], Int),
            Operator::Land | Operator::Lor | Operator::Lxor => (&[Long, Long], Long),
            Operator::I2l => (&[Int], Long),
            Operator::I2f => (&[Int], Float),
            Operator::I2d => (&[Int], Double),
            Operator::L2i => (&[Long], Int),
            Operator::L2f => (&[Long], Float),
            Operator::L2d => (&[Long], Double),
            Operator::F2i => (&[Float], Int),
            Operator::F2l => (&[Float], Long),
            Operator::F2d => (&[Float], Double),
            Operator::D2i => (&[Double], Int),
            Operator::D2l => (&[Double], Long),
            Operator::D2f => (&[Double], Float),
            Operator::I2b | Operator::I2c | Operator::I2s => (&[Int], Int),
            Operator::Lcmp => (&[Long, Long], Int),
            Operator::Fcmpl | Operator::Fcmpg => (&[Float, Float], Int),
            Operator::Dcmpl | Operator::Dcmpg => (&[Double, Double], Int),
            // The five remaining operations come in the order int, long, float, double from 96 on.
            _ => {
                let (_, two, result) = BY_LETTER[(code % 4) as usize];
                (two, result)
            }
        }
    }
}

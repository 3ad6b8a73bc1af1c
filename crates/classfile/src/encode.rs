//! From an [`Instruction`] to bytes.

use crate::bytes::Put;
use crate::constant_pool::ConstantPool;
use crate::decode::switch_padding;
use crate::descriptor::MethodDescriptor;
use crate::instruction::*;

/// Which of the forms of an instruction to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The shortest that holds the operands.
    Shortest,
    /// The one of this length, as [`decode`](crate::decode) gave it. Another length than the forms
    /// have is a bug of the caller.
    Length(usize),
}

/// Appends the bytes of `instruction`, which will stand at offset `at` of its method.
///
/// The constants that it names must be in `constants`. Panics if no form of the instruction fits: a jump
/// of more than 32 KB in a conditional, which only the editor can widen.
pub fn encode(instruction: &Instruction, at: Pc, form: Form, constants: &ConstantPool<'_>, out: &mut Vec<u8>) {
    let is = |length: usize, shortest: bool| match form {
        Form::Shortest => shortest,
        Form::Length(wanted) => wanted == length,
    };
    let offset = |target: Pc| target as i32 - at as i32;
    match *instruction {
        Instruction::Nop => out.u1(0),
        Instruction::Null => out.u1(1),
        Instruction::Int(value @ -1..=5) if is(1, true) => out.u1((value + 3) as u8),
        Instruction::Int(value @ -128..=127) if is(2, true) => out.extend([16, value as u8]),
        Instruction::Int(value) => with_u2(out, 17, value as u16),
        Instruction::Long(value) => out.u1(9 + value),
        Instruction::Float(value) => out.u1(11 + value),
        Instruction::Double(value) => out.u1(14 + value),
        Instruction::Ldc(constant) => match constant.raw() {
            raw @ 0..=255 if is(2, true) => out.extend([18, raw as u8]),
            raw => with_u2(out, 19, raw),
        },
        Instruction::Ldc2(constant) => with_u2(out, 20, constant.raw()),
        Instruction::Load(kind, slot @ 0..=3) if is(1, true) => out.u1(26 + 4 * kind.code() + slot as u8),
        Instruction::Load(kind, slot) => local(out, 21 + kind.code(), slot, is(2, slot <= 255)),
        Instruction::Store(kind, slot @ 0..=3) if is(1, true) => out.u1(59 + 4 * kind.code() + slot as u8),
        Instruction::Store(kind, slot) => local(out, 54 + kind.code(), slot, is(2, slot <= 255)),
        Instruction::Ret(slot) => local(out, 169, slot, is(2, slot <= 255)),
        Instruction::Increment { slot: slot @ 0..=255, by: by @ -128..=127 } if is(3, true) => {
            out.extend([132, slot as u8, by as u8]);
        }
        Instruction::Increment { slot, by } => {
            local(out, 132, slot, false);
            out.u2(by as u16);
        }
        Instruction::ArrayLoad(element) => out.u1(46 + element.code()),
        Instruction::ArrayStore(element) => out.u1(79 + element.code()),
        Instruction::ArrayLength => out.u1(190),
        Instruction::Stack(op) => out.u1(op.code()),
        Instruction::Operate(op) => out.u1(op.code()),
        Instruction::If(condition, target) => {
            let offset = i16::try_from(offset(target)).expect("internal bug: a conditional jump of over 32 KB");
            with_u2(out, condition.code(), offset as u16);
        }
        Instruction::Goto(target) => jump(out, 167, offset(target), is(3, true)),
        Instruction::Jsr(target) => jump(out, 168, offset(target), is(3, true)),
        Instruction::TableSwitch(ref switch) => {
            out.u1(170);
            out.resize(out.len() + switch_padding(at as u32), 0);
            out.u4(offset(switch.default) as u32);
            out.u4(switch.low as u32);
            out.u4((switch.low as i64 + switch.targets.len() as i64 - 1) as u32);
            switch.targets.iter().for_each(|&target| out.u4(offset(target) as u32));
        }
        Instruction::LookupSwitch(ref switch) => {
            out.u1(171);
            out.resize(out.len() + switch_padding(at as u32), 0);
            out.u4(offset(switch.default) as u32);
            out.u4(switch.targets.len() as u32);
            for &(key, target) in &switch.targets {
                out.u4(key as u32);
                out.u4(offset(target) as u32);
            }
        }
        Instruction::Return(kind) => out.u1(kind.map_or(177, |kind| 172 + kind.code())),
        Instruction::Field(op, field) => with_u2(out, op.code(), field.raw()),
        Instruction::Invoke(op, method) => {
            with_u2(out, op.code(), method.raw());
            if op == InvokeOp::Interface {
                let descriptor = MethodDescriptor::new(constants.method(method).descriptor);
                let slots = descriptor.expect("internal bug: a method's descriptor is checked").parameter_slots();
                // 255 slots with the receiver is the specification's bound for interface methods.
                out.extend([(1 + slots) as u8, 0]);
            }
        }
        Instruction::InvokeDynamic(site) => {
            with_u2(out, 186, site.raw());
            out.u2(0);
        }
        Instruction::New(class) => with_u2(out, 187, class.raw()),
        Instruction::NewArray(element) => out.extend([188, element.code()]),
        Instruction::NewReferenceArray(class) => with_u2(out, 189, class.raw()),
        Instruction::NewMultiArray { class, dimensions } => {
            with_u2(out, 197, class.raw());
            out.u1(dimensions);
        }
        Instruction::Throw => out.u1(191),
        Instruction::CheckCast(class) => with_u2(out, 192, class.raw()),
        Instruction::InstanceOf(class) => with_u2(out, 193, class.raw()),
        Instruction::MonitorEnter => out.u1(194),
        Instruction::MonitorExit => out.u1(195),
    }
}

fn with_u2(out: &mut Vec<u8>, opcode: u8, operand: u16) {
    out.u1(opcode);
    out.u2(operand);
}

fn local(out: &mut Vec<u8>, opcode: u8, slot: u16, short: bool) {
    if short {
        out.extend([opcode, slot as u8]);
    } else {
        out.u1(196);
        with_u2(out, opcode, slot);
    }
}

fn jump(out: &mut Vec<u8>, opcode: u8, offset: i32, short: bool) {
    match i16::try_from(offset) {
        Ok(offset) if short => with_u2(out, opcode, offset as u16),
        _ => {
            out.u1(opcode + 33);
            out.u4(offset as u32);
        }
    }
}

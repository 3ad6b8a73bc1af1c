//! The names of instructions, as `javap` has them.
//!
//! The toolkit folds the forms of an instruction into one; its length tells which form it was.

use std::borrow::Cow;

use classfile::{Instruction, Placed};

/// The name of an instruction.
pub fn mnemonic(placed: &Placed) -> Cow<'static, str> {
    let length = placed.length;
    match &placed.instruction {
        Instruction::Nop => "nop".into(),
        Instruction::Null => "aconst_null".into(),
        Instruction::Int(-1) if length == 1 => "iconst_m1".into(),
        Instruction::Int(value) if length == 1 => format!("iconst_{value}").into(),
        Instruction::Int(_) => if length == 2 { "bipush" } else { "sipush" }.into(),
        Instruction::Long(value) => format!("lconst_{value}").into(),
        Instruction::Float(value) => format!("fconst_{value}").into(),
        Instruction::Double(value) => format!("dconst_{value}").into(),
        Instruction::Ldc(_) => if length == 2 { "ldc" } else { "ldc_w" }.into(),
        Instruction::Ldc2(_) => "ldc2_w".into(),
        Instruction::Load(of, slot) => of_slot(format!("{}load", of.mnemonic()), *slot, length),
        Instruction::Store(of, slot) => of_slot(format!("{}store", of.mnemonic()), *slot, length),
        Instruction::Increment { .. } => if length == 3 { "iinc" } else { "iinc_w" }.into(),
        Instruction::ArrayLoad(of) => format!("{}aload", of.mnemonic()).into(),
        Instruction::ArrayStore(of) => format!("{}astore", of.mnemonic()).into(),
        Instruction::ArrayLength => "arraylength".into(),
        Instruction::Stack(op) => op.mnemonic().into(),
        Instruction::Operate(op) => op.mnemonic().into(),
        Instruction::If(condition, _) => condition.mnemonic().into(),
        Instruction::Goto(_) => if length == 3 { "goto" } else { "goto_w" }.into(),
        Instruction::Jsr(_) => if length == 3 { "jsr" } else { "jsr_w" }.into(),
        Instruction::Ret(_) => if length == 2 { "ret" } else { "ret_w" }.into(),
        Instruction::TableSwitch(_) => "tableswitch".into(),
        Instruction::LookupSwitch(_) => "lookupswitch".into(),
        Instruction::Return(None) => "return".into(),
        Instruction::Return(Some(of)) => format!("{}return", of.mnemonic()).into(),
        Instruction::Field(op, _) => op.mnemonic().into(),
        Instruction::Invoke(op, _) => op.mnemonic().into(),
        Instruction::InvokeDynamic(_) => "invokedynamic".into(),
        Instruction::New(_) => "new".into(),
        Instruction::NewArray(_) => "newarray".into(),
        Instruction::NewReferenceArray(_) => "anewarray".into(),
        Instruction::NewMultiArray { .. } => "multianewarray".into(),
        Instruction::CheckCast(_) => "checkcast".into(),
        Instruction::InstanceOf(_) => "instanceof".into(),
        Instruction::MonitorEnter => "monitorenter".into(),
        Instruction::MonitorExit => "monitorexit".into(),
        Instruction::Throw => "athrow".into(),
    }
}

/// The slot is part of the name in the shortest form.
fn of_slot(name: String, slot: u16, length: u16) -> Cow<'static, str> {
    match length {
        1 => format!("{name}_{slot}").into(),
        2 => name.into(),
        _ => format!("{name}_w").into(),
    }
}

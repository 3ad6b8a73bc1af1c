//! Short forms of the edits that tests make.

#![allow(dead_code)] // Not every test file uses all of it.

use crate::support;
use crate::workbench::Workbench;
use classfile::{ClassFile, Code, CodeEdit, EditError, Instruction, InvokeOp, Pc};

/// Runs a check on every JDK of the machine.
pub fn on_each_jdk(check: impl Fn(&Workbench<'_>)) {
    for jdk in support::jdks() {
        println!("JDK {}", jdk.version);
        check(&Workbench::new(&jdk));
    }
}

/// Edits every method that has code.
pub fn edit_all(class: &mut ClassFile<'_>, fill: impl Fn(&Code<'_>, &mut CodeEdit)) {
    for method in 0..class.methods.len() {
        let Some(code) = class.methods[method].code() else { continue };
        let mut edit = CodeEdit::new(code);
        fill(code, &mut edit);
        class.edit_method(method, edit).unwrap();
    }
}

pub fn edit_one(
    class: &mut ClassFile<'_>,
    name: &str,
    fill: impl FnOnce(&Code<'_>, &mut CodeEdit),
) -> Result<(), EditError> {
    let method = method(class, name);
    let code = class.methods[method].code().unwrap();
    let mut edit = CodeEdit::new(code);
    fill(code, &mut edit);
    class.edit_method(method, edit)
}

pub fn method(class: &ClassFile<'_>, name: &str) -> usize {
    class.methods.iter().position(|m| class.constants.utf8(m.name) == name).unwrap()
}

pub fn hit(class: &mut ClassFile<'_>) -> Instruction {
    Instruction::Invoke(InvokeOp::Static, class.constants.add_method("Probe", "hit", "()V").unwrap())
}

pub fn pc_of(code: &Code<'_>, wanted: impl Fn(&Instruction) -> bool) -> Pc {
    code.instructions().find(|placed| wanted(&placed.instruction)).unwrap().pc
}

//! The rewriting that the tests and the benchmark do: a hook before every field access, array access
//! and monitor instruction, and explicit monitors in place of synchronized methods.

#![allow(dead_code)] // Tests and benchmark each use a part.

use classfile::{
    ClassFile, CodeBuilder, CodeEdit, EditError, Flags, Instruction, InvokeOp, StackOp, ValueType, VerificationType,
    Wrap, drop_annotation,
};

/// The class of the hook; it is put into java.base.
pub const HOOK_CLASS: &str = "java/lang/RaddleTestHook";

/// What was done to a class.
#[derive(Default, Debug)]
pub struct Rewritten {
    pub bytes: Vec<u8>,
    pub hooks: usize,
    pub wrapped: usize,
    /// Methods that were left as they were, with the reason.
    pub left: Vec<(String, EditError)>,
}

pub fn rewrite(class: &mut ClassFile<'_>) -> Rewritten {
    rewrite_for(class, HOOK_CLASS)
}

/// The same with another class of the hook.
pub fn rewrite_for(class: &mut ClassFile<'_>, hook_class: &str) -> Rewritten {
    let mut done = Rewritten::default();
    let hook = class.constants.add_method(hook_class, "touch", "()V").unwrap();
    for method in 0..class.methods.len() {
        let Some(code) = class.methods[method].code() else { continue };
        let mut edit = CodeEdit::new(code);
        let mut hooks = 0;
        for placed in code.instructions() {
            if matches!(
                placed.instruction,
                Instruction::Field(..)
                    | Instruction::ArrayLoad(_)
                    | Instruction::ArrayStore(_)
                    | Instruction::MonitorEnter
                    | Instruction::MonitorExit
            ) {
                edit.insert_before(placed.pc, &[Instruction::Invoke(InvokeOp::Static, hook)]);
                hooks += 1;
            }
        }
        let flags = class.methods[method].flags;
        let synchronized = flags.has(Flags::SYNCHRONIZED);
        if synchronized {
            explicit_monitor(class, flags, &mut edit);
        }
        match class.edit_method(method, edit) {
            Ok(()) => {
                done.hooks += hooks;
                if synchronized {
                    let owner = &mut class.methods[method];
                    owner.flags = flags.without(Flags::SYNCHRONIZED);
                    // The virtual machine expects its intrinsics to be as it knows them.
                    let intrinsic = "Ljdk/internal/vm/annotation/IntrinsicCandidate;";
                    drop_annotation(&mut owner.attributes, &class.constants, intrinsic);
                    done.wrapped += 1;
                }
            }
            Err(notice) => {
                let name = class.constants.utf8(class.methods[method].name);
                done.left.push((format!("{}.{name}", class.name()), notice));
            }
        }
    }
    done.bytes = class.write().unwrap();
    done
}

/// Locks what the method's flag would have locked.
fn explicit_monitor(class: &mut ClassFile<'_>, flags: Flags, edit: &mut CodeEdit) {
    let object = class.constants.add_class("java/lang/Object").unwrap();
    let slot = edit.add_local(VerificationType::Object(object)).unwrap();
    let lock = match flags.has(Flags::STATIC) {
        true => class.load_this_class().unwrap(),
        false => vec![Instruction::Load(ValueType::Reference, 0)],
    };
    let unlock = vec![Instruction::Load(ValueType::Reference, slot), Instruction::MonitorExit];
    edit.wrap(Wrap {
        enter: [
            lock,
            vec![
                Instruction::Stack(StackOp::Dup),
                Instruction::Store(ValueType::Reference, slot),
                Instruction::MonitorEnter,
            ],
        ]
        .concat(),
        leave: unlock.clone(),
        catch: unlock,
        catches: None,
    });
}

/// A class with an empty static method `touch`, written from nothing.
pub fn hook_class(name: &str) -> Vec<u8> {
    let mut class = ClassFile::new(name, "java/lang/Object", 61).unwrap();
    let flags = Flags::PUBLIC.with(Flags::STATIC);
    let mut code = CodeBuilder::new(name, "touch", "()V", flags);
    code.push(Instruction::Return(None), &class.constants).unwrap();
    let code = code.finish(&mut class.constants).unwrap();
    class.add_method(flags, "touch", "()V", Some(code)).unwrap();
    class.write().unwrap()
}

//! The classes that rewritten code calls, written from nothing.
//!
//! They are in `java.lang`, because every module can see that package. Their methods are of the form
//! `if (on) native(...)`: rewritten code runs long before native methods can be bound.

use classfile::{
    ClassFile, CodeBuilder, Condition, EditError, FieldOp, Flags, Instruction, InvokeOp, MethodDescriptor, ValueType,
    encode_modified_utf8,
};

/// The class with the hooks.
pub const HOOKS: &str = "java/lang/RaddleHooks";
/// What is thrown to end the threads of an execution that is over.
pub const UNWIND: &str = "java/lang/RaddleUnwind";

/// A hook: a static method of [`HOOKS`], and of the same name with a `0` behind, the native one.
pub struct Hook {
    /// The name without the `0`.
    pub name: &'static str,
    /// Of both.
    pub descriptor: &'static str,
}

/// Before an access of an instance field: the object, the site.
pub const ACCESS: Hook = Hook { name: "access", descriptor: "(Ljava/lang/Object;I)V" };
/// Before an access of an array element: the array, the index, the site.
pub const ELEMENT: Hook = Hook { name: "element", descriptor: "(Ljava/lang/Object;II)V" };
/// Before an access of a static field: the site.
pub const STATIC: Hook = Hook { name: "statics", descriptor: "(I)V" };
/// Before a monitor is taken: the object, the site.
pub const ENTER: Hook = Hook { name: "enter", descriptor: "(Ljava/lang/Object;I)V" };
/// After a monitor was given up: the object, the site.
pub const EXIT: Hook = Hook { name: "exit", descriptor: "(Ljava/lang/Object;I)V" };
/// Around what must not be interrupted: 1 when it begins, -1 when it ends.
pub const QUIET: Hook = Hook { name: "quiet", descriptor: "(I)V" };

/// All hooks.
pub const ALL: [Hook; 6] = [ACCESS, ELEMENT, STATIC, ENTER, EXIT, QUIET];

/// The classes that must be in `java.base`, by name.
pub fn classes() -> Result<Vec<(&'static str, Vec<u8>)>, EditError> {
    Ok(vec![(HOOKS, hooks()?), (UNWIND, unwind()?)])
}

/// Java 17: the oldest that is hosted.
const VERSION: u16 = 61;

fn hooks() -> Result<Vec<u8>, EditError> {
    let mut class = ClassFile::new(HOOKS, "java/lang/Object", VERSION)?;
    let flags = Flags::PUBLIC.with(Flags::STATIC);
    class.add_field(flags.with(Flags::VOLATILE), "on", "Z")?;
    let on = class.constants.add_field(HOOKS, "on", "Z")?;
    for hook in ALL {
        let native_name = format!("{}0", hook.name);
        class.add_method(flags.with(Flags::NATIVE), &native_name, hook.descriptor, None)?;
        let native = class.constants.add_method(HOOKS, &native_name, hook.descriptor)?;

        let mut code = CodeBuilder::new(HOOKS, hook.name, hook.descriptor, flags);
        let off = code.label();
        code.push(Instruction::Field(FieldOp::GetStatic, on), &class.constants)?;
        code.jump_if(Condition::Eq, off)?;
        for (slot, kind) in parameter_kinds(hook.descriptor).into_iter().enumerate() {
            code.push(Instruction::Load(kind, slot as u16), &class.constants)?;
        }
        code.push(Instruction::Invoke(InvokeOp::Static, native), &class.constants)?;
        code.bind(off)?;
        code.push(Instruction::Return(None), &class.constants)?;
        let code = code.finish(&mut class.constants)?;
        class.add_method(flags, hook.name, hook.descriptor, Some(code))?;
    }
    Ok(class.write()?)
}

fn parameter_kinds(descriptor: &str) -> Vec<ValueType> {
    let text = encode_modified_utf8(descriptor);
    let text = classfile::JavaStr::new(&text).expect("internal bug: hook descriptors are text");
    let descriptor = MethodDescriptor::new(text).expect("internal bug: hook descriptors are well formed");
    let kind = |parameter: classfile::TypeDescriptor<'_>| match parameter.base() {
        classfile::BaseType::Reference => ValueType::Reference,
        _ => ValueType::Int,
    };
    descriptor.parameters().map(kind).collect()
}

/// An error without a constructor: it is only ever allocated, and so has no stack trace to fill in.
fn unwind() -> Result<Vec<u8>, EditError> {
    Ok(ClassFile::new(UNWIND, "java/lang/Error", VERSION)?.write()?)
}

//! What holds for any bytes whatever: they are a class file or an error, and never a panic.
//!
//! An oracle here panics where something does not hold, so that proptest and libFuzzer can both use it.

use classfile::{
    Attribute, AttributeValue, ClassFile, ClassSignature, CodeEdit, Form, Instruction, InvokeOp, MethodDescriptor,
    MethodSignature, ParseError, Placed, StackOp, TypeDescriptor, TypeSignature, ValueType, VerificationType, Wrap,
    effect, encode,
};

/// Reads the bytes. What is refused is so in one line and at a place inside the file; what is accepted is
/// written back byte for byte and can be looked at from all sides.
pub fn check_parse(bytes: &[u8]) -> Result<ClassFile<'_>, ParseError> {
    let parsed = ClassFile::parse(bytes);
    match &parsed {
        Err(error) => {
            let message = error.to_string();
            assert!(error.offset <= bytes.len(), "{message}: outside of {} bytes", bytes.len());
            assert_eq!(message.lines().count(), 1, "{message:?}");
        }
        Ok(class) => {
            assert!(class.write().expect("what was read fits") == bytes, "written back differently");
            look_at(class);
        }
    }
    parsed
}

/// A change that is made to every method of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// A call before each field access: what the toolkit is mostly used for.
    Hook,
    /// A new local, a handler around the body, and a call after each instruction that goes on.
    Wrap,
    /// So many instructions in the middle that jumps over them become long.
    Stretch,
    /// Some instructions are replaced.
    Replace,
}

/// All changes.
pub const CHANGES: [Change; 4] = [Change::Hook, Change::Wrap, Change::Stretch, Change::Replace];

/// Makes the change. A method is changed, or left as it was with a typed reason; the class can be written
/// and read back. Says how many methods were changed.
pub fn check_edit(mut class: ClassFile<'_>, change: Change) -> usize {
    let mut changed = 0;
    let Ok(hook) = class.constants.add_method("Hook", "touch", "()V") else { return 0 };
    let hook = Instruction::Invoke(InvokeOp::Static, hook);
    for method in 0..class.methods.len() {
        // Once is enough of what is that slow.
        if change == Change::Stretch && changed > 0 {
            break;
        }
        let before = class.methods[method].clone();
        let Some(code) = before.code() else { continue };
        let Some(edit) = edit(code, change, &hook, &mut class) else { continue };
        match class.edit_method(method, edit) {
            Ok(()) => changed += 1,
            Err(reason) => {
                assert_eq!(reason.to_string().lines().count(), 1, "{reason:?}");
                assert!(class.methods[method] == before, "{reason}: yet the method has changed");
            }
        }
    }
    if let Ok(bytes) = class.write()
        && let Err(error) = check_parse(&bytes)
    {
        panic!("after {change:?}: {error}");
    }
    changed
}

/// None where nothing is to be changed, or a constant does not fit any more.
fn edit(code: &classfile::Code<'_>, change: Change, hook: &Instruction, class: &mut ClassFile<'_>) -> Option<CodeEdit> {
    let mut edit = CodeEdit::new(code);
    let goes_on = |placed: &Placed| placed.instruction.falls_through();
    match change {
        Change::Hook => {
            let accesses = code.instructions().filter(|placed| matches!(placed.instruction, Instruction::Field(..)));
            accesses.for_each(|placed| edit.insert_before(placed.pc, std::slice::from_ref(hook)));
        }
        Change::Wrap => {
            let object = class.constants.add_class("java/lang/Object").ok()?;
            let slot = edit.add_local(VerificationType::Object(object)).ok()?;
            let load = Instruction::Load(ValueType::Reference, slot);
            edit.wrap(Wrap {
                enter: vec![Instruction::Null, Instruction::Store(ValueType::Reference, slot)],
                leave: vec![load.clone(), Instruction::MonitorExit],
                catch: vec![load, Instruction::Stack(StackOp::Pop)],
                catches: None,
            });
            code.instructions().filter(goes_on).for_each(|placed| edit.insert_after(placed.pc, &[Instruction::Nop]));
        }
        Change::Stretch => {
            code.instructions().find(|placed| matches!(placed.instruction, Instruction::If(..)))?;
            let middle = code.instructions().nth(code.instructions().count() / 2)?;
            edit.insert_before(middle.pc, &vec![Instruction::Nop; i16::MAX as usize]);
        }
        Change::Replace => {
            for placed in code.instructions().filter(goes_on).step_by(2).take(16) {
                edit.replace(placed.pc, &[Instruction::Nop, placed.instruction.clone()]);
            }
        }
    }
    Some(edit)
}

/// Reads everything that a class offers.
fn look_at(class: &ClassFile<'_>) {
    let constants = &class.constants;
    let text = |index| constants.utf8(index).to_str();
    let signature = |attributes: &[Attribute<'_>]| {
        attributes.iter().find_map(|attribute| match attribute.value {
            AttributeValue::Signature(signature) => Some(text(signature)),
            _ => None,
        })
    };
    for number in constants.numbers() {
        assert!(!format!("{:?}", constants.get(number).expect("a number of an entry")).is_empty());
    }
    if let Some(text) = signature(&class.attributes)
        && let Ok(parsed) = ClassSignature::parse(&text)
    {
        assert_eq!(parsed.to_signature(), text);
    }
    for field in &class.fields {
        let descriptor = TypeDescriptor::new(constants.utf8(field.descriptor)).expect("checked when it was read");
        assert!(!descriptor.to_string().is_empty());
        if let Some(text) = signature(&field.attributes)
            && let Ok(parsed) = TypeSignature::parse(&text)
        {
            assert_eq!(parsed.to_signature(), text);
        }
    }
    for method in &class.methods {
        let descriptor = MethodDescriptor::new(constants.utf8(method.descriptor)).expect("checked when it was read");
        assert!(descriptor.parameters().count() <= descriptor.parameter_slots() as usize);
        assert!(!descriptor.returns().map_or("void".to_owned(), |returns| returns.to_string()).is_empty());
        if let Some(text) = signature(&method.attributes)
            && let Ok(parsed) = MethodSignature::parse(&text)
        {
            assert_eq!(parsed.to_signature(), text);
        }
        if let Some(code) = method.code() {
            look_at_code(code, class);
        }
    }
}

fn look_at_code(code: &classfile::Code<'_>, class: &ClassFile<'_>) {
    let mut bytes = Vec::with_capacity(code.bytes().len());
    for placed in code.instructions() {
        // The bytes may differ in what no instruction means: the padding of a switch, say.
        assert_eq!(bytes.len(), placed.pc as usize, "instructions lie one behind the other");
        let form = Form::Length(placed.length as usize);
        encode(&placed.instruction, placed.pc, form, &class.constants, &mut bytes);
        let effect = effect(&placed.instruction, &class.constants);
        assert!(effect.pops <= 256 && effect.pushes <= 6, "{placed:?}: {effect:?}");
    }
    assert_eq!(bytes.len(), code.bytes().len());
    for frame in code.frames() {
        let slots: usize = frame.types().map(|t| t.slots() as usize).sum();
        assert!(slots <= 4 * u16::MAX as usize);
    }
    let first = code.line_numbers().map(|entry| entry.start).min();
    assert_eq!(code.line_at(u16::MAX).is_some(), first.is_some());
}

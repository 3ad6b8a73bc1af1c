//! What is changed in the classes of opaque packages.
//!
//! Their code runs as it is, with no events. Three things are added: what the virtual machine calls by itself is made quiet;
//! methods that are known to touch arrays of their callers report them; and every access of state that can change is
//! watched ([`crate::unseen`]), so that nothing is taken for seen that was not.

use crate::hook_class::{HOOKS, QUIET, QUIET_IN, WATCH_FIELD};
use crate::instrument::{
    Hooks, InstrumentError, Instrumented, Numbers, insert_hooks, method_name, note_fields, quietly, take_monitor,
    tell_of_handlers, unsynchronize,
};
use crate::opaque_arrays::{tell, touched};
use crate::scope::{is_hushed, is_hushed_in_jdk, tells_of_monitors};
use crate::sites::{FieldRef, Site, Sites};
use crate::unseen;
use classfile::{
    ClassFile, CodeBuilder, CodeEdit, EditError, Flags, Instruction, InvokeOp, ValueType, VerificationType, Wrap,
};
use schedule::EventKind;

/// Changes an opaque class.
pub fn change(bytes: &[u8], sites: &mut Sites) -> Result<Instrumented, InstrumentError> {
    let mut class = ClassFile::parse(bytes)?;
    note_fields(&class, sites);
    let hooks = Hooks::watching(&mut class)?;
    let blocks = match tells_of_monitors(&class.name().to_str()) {
        true => hooks.clone().telling_of_blocks(&mut class)?,
        false => hooks.clone(),
    };
    let mut left = Vec::new();
    left.extend(unseen::watch_natives(&mut class, sites));
    for method in 0..class.methods.len() {
        if let Err(error) = change_method(&mut class, method, &hooks, &blocks, sites) {
            left.push((method_name(&class, method), error));
        }
    }
    if let Err(error) = watch_referent(&mut class, sites) {
        left.push(("get".to_owned(), error));
    }
    Ok(Instrumented { bytes: class.write()?, left })
}

fn change_method(
    class: &mut ClassFile<'_>,
    method: usize,
    hooks: &Hooks,
    blocks: &Hooks,
    sites: &mut Sites,
) -> Result<(), EditError> {
    let Some(code) = class.methods[method].code().cloned() else { return Ok(()) };
    let owner = class.name().to_string();
    let text = |index| class.constants.utf8(index).to_string();
    let (name, descriptor) = (text(class.methods[method].name), text(class.methods[method].descriptor));
    let flags = class.methods[method].flags;
    let mut takes_monitor = false;
    let mut edit = CodeEdit::new(&code);
    let touch = touched(&owner, &name, &descriptor);
    if !is_hushed(&owner, &name) {
        tell_of_handlers(&mut edit, hooks, &code);
    }
    let full_name = method_name(class, method);
    let mut numbers = Numbers { sites, method: &full_name, code: &code, has_receiver: false };
    let monitors = unseen::watches_monitors(&owner);
    let is_monitor = |instruction: &_| matches!(instruction, Instruction::MonitorEnter | Instruction::MonitorExit);
    if is_hushed(&owner, &name) {
        let quiet = class.constants.add_method(HOOKS, QUIET.name, QUIET.descriptor)?;
        edit.wrap(quietly(quiet));
    } else if is_hushed_in_jdk(&owner, &name) {
        quiet_in_jdk(class, &mut edit)?;
        insert_hooks(class, &mut edit, blocks, &mut numbers, |_, instruction| is_monitor(instruction))?;
    } else if unseen::is_watched(&owner, &name, &descriptor) {
        let elements = touch.is_none() && unseen::watches_elements(&owner, &name);
        insert_hooks(class, &mut edit, blocks, &mut numbers, |class, instruction| {
            monitors && is_monitor(instruction) || can_change(class, instruction, elements)
        })?;
        if monitors && flags.has(Flags::SYNCHRONIZED) {
            take_monitor(class, flags, &mut edit, hooks, &mut numbers)?;
            takes_monitor = true;
        }
    }
    touch.map_or(Ok(()), |touch| tell(class, &mut edit, touch))?;
    class.edit_method(method, edit)?;
    if takes_monitor {
        unsynchronize(class, method);
    }
    Ok(())
}

/// Makes a method quiet, but not in objects of an application's classes.
fn quiet_in_jdk(class: &mut ClassFile<'_>, edit: &mut CodeEdit) -> Result<(), EditError> {
    let hook = class.constants.add_method(HOOKS, QUIET_IN.name, QUIET_IN.descriptor)?;
    let object = class.constants.add_class("java/lang/Object")?;
    // A handler knows no locals but those that are added.
    let slot = edit.add_local(VerificationType::Object(object))?;
    let tell = |local, number| {
        [
            Instruction::Load(ValueType::Reference, local),
            Instruction::Int(number),
            Instruction::Invoke(InvokeOp::Static, hook),
        ]
    };
    let keep = [Instruction::Load(ValueType::Reference, 0), Instruction::Store(ValueType::Reference, slot)];
    let leave = tell(slot, -1).to_vec();
    edit.wrap(Wrap { enter: [&keep[..], &tell(0, 1)].concat(), leave: leave.clone(), catch: leave, catches: None });
    Ok(())
}

/// Lets a class of references tell when what they refer to is read. The virtual machine has its own way to do
/// `Reference.get`, past any hook inside.
fn watch_referent(class: &mut ClassFile<'_>, sites: &mut Sites) -> Result<(), EditError> {
    let owner = class.name().to_string();
    if !matches!(&*owner, "java/lang/ref/WeakReference" | "java/lang/ref/SoftReference") {
        return Ok(());
    }
    let (name, descriptor) = ("get", "()Ljava/lang/Object;");
    let field = Some(FieldRef { class: "java/lang/ref/Reference".to_owned(), name: "referent".to_owned() });
    let method = format!("{name}{descriptor}");
    // Past the offsets of instructions.
    let site = Site { class: owner.clone(), method, pc: u16::MAX, line: None, kind: EventKind::Read, field };
    let site = class.constants.add_integer(sites.add(site).0 as i32)?;
    let hook = class.constants.add_method(HOOKS, WATCH_FIELD.name, WATCH_FIELD.descriptor)?;
    let this = Instruction::Load(ValueType::Reference, 0);
    let told = [this.clone(), Instruction::Ldc(site), Instruction::Invoke(InvokeOp::Static, hook)];
    if let Some(method) = class.find_method(name, descriptor) {
        let code = class.methods[method].code().ok_or(EditError::NoCode)?;
        let mut edit = CodeEdit::new(code);
        edit.insert_before(0, &told);
        return class.edit_method(method, edit);
    }
    let above = class.constants.add_method("java/lang/ref/Reference", name, descriptor)?;
    let mut code = CodeBuilder::new(&owner, name, descriptor, Flags::PUBLIC);
    let call = [this, Instruction::Invoke(InvokeOp::Special, above), Instruction::Return(Some(ValueType::Reference))];
    for instruction in told.into_iter().chain(call) {
        code.push(instruction, &class.constants)?;
    }
    let code = code.finish(&mut class.constants)?;
    class.add_method(Flags::PUBLIC, name, descriptor, Some(code))?;
    Ok(())
}

/// Whether an instruction accesses state that can change. Of elements the caller knows.
fn can_change(class: &ClassFile<'_>, instruction: &Instruction, elements: bool) -> bool {
    match *instruction {
        Instruction::Field(_, field) => {
            let target = class.constants.field(field);
            let (owner, name) = (target.class.to_string(), target.name.to_string());
            let declared = class.fields.iter().find(|field| class.constants.utf8(field.name) == target.name);
            let is_own = target.class == class.name();
            let is_final = declared.is_some_and(|field| is_own && field.flags.has(Flags::FINAL));
            unseen::can_change(&owner, &name, is_final)
        }
        Instruction::ArrayLoad(_) | Instruction::ArrayStore(_) => elements,
        _ => false,
    }
}

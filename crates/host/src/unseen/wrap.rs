//! Puts hooks before native methods that do something which others can observe.
//!
//! A method of ours takes the place of the native one, as in [`crate::native_methods`]. A private one keeps its
//! name: those that the virtual machine calls while it starts could not be found under another. Its class calls a
//! bridge instead, which calls the hook and then the native method.

use super::natives::{self, Effect, Place};
use crate::hook_class::{HOOKS, Shape, TOUCH, WATCH_NATIVE};
use crate::native_methods::{PREFIX, replace};
use crate::sites::{ANYTHING, FieldRef, Site, Sites, WHOLE};
use classfile::{
    ClassFile, CodeBuilder, CodeEdit, EditError, Flags, Instruction, InvokeOp, JavaStr, MethodDescriptor,
    TypeDescriptor, ValueType,
};
use schedule::EventKind;

/// What the name of a bridge begins with.
const BRIDGE: &str = "raddle$bridge$";

/// Puts hooks before the native methods of a class, as [`natives`] says. Gives those that could not be changed.
pub fn watch_natives(class: &mut ClassFile<'_>, sites: &mut Sites) -> Vec<(String, EditError)> {
    let (mut left, mut bridges) = (Vec::new(), Vec::new());
    let owner = class.name().to_string();
    for method in 0..class.methods.len() {
        let text = |index| class.constants.utf8(index).to_string();
        let (name, descriptor) = (text(class.methods[method].name), text(class.methods[method].descriptor));
        let is_renamed = name.starts_with(PREFIX.to_str().expect("internal bug: the prefix is text"));
        // Native methods of method handles have no fixed parameters.
        let is_polymorphic = matches!(&*owner, "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle");
        if !class.methods[method].flags.has(Flags::NATIVE) || is_renamed || is_polymorphic {
            continue;
        }
        let effects = natives::effects(&owner, &name, &descriptor).unwrap_or(&[Effect::Taints]);
        if effects.iter().all(|effect| matches!(effect, Effect::Pure | Effect::Modelled)) {
            continue;
        }
        match watch(class, method, (&name, &descriptor), effects, sites) {
            Ok(bridge) => bridges.extend(bridge.map(|bridge| (name, descriptor, bridge))),
            Err(error) => left.push((format!("{name}{descriptor}"), error)),
        }
    }
    if !bridges.is_empty() {
        left.extend(call_bridges(class, &bridges));
    }
    left
}

/// Puts hooks before one native method, by a method in its place or, if it is private, by a bridge, whose name is
/// given.
fn watch<'a>(
    class: &mut ClassFile<'a>,
    method: usize,
    (name, descriptor): (&str, &str),
    effects: &[Effect],
    sites: &mut Sites,
) -> Result<Option<String>, EditError> {
    let owner = class.name().to_string();
    let is_static = class.methods[method].flags.has(Flags::STATIC);
    let first = !is_static as u16;
    let shape = Shape::of(descriptor);
    let argument = |number: u8| shape.parameters[number as usize];
    let load = |number: u8| Instruction::Load(argument(number).0, argument(number).1 + first);
    let receiver = if is_static { Instruction::Null } else { Instruction::Load(ValueType::Reference, 0) };
    let mut told = Vec::new();
    for (number, effect) in effects.iter().enumerate() {
        let (object, kind, field) = match *effect {
            Effect::Pure | Effect::Modelled => continue,
            Effect::Element { array, index, writes } => {
                let hook = class.constants.add_method(HOOKS, TOUCH.name, TOUCH.descriptor)?;
                let kind = if writes { EventKind::Write } else { EventKind::Read };
                told.extend([load(array), load(index), Instruction::Int(1), Instruction::Int(kind as i16)]);
                told.push(Instruction::Invoke(InvokeOp::Static, hook));
                continue;
            }
            Effect::Taints => (Instruction::Null, EventKind::Update, named("", ANYTHING)),
            Effect::Access { place, .. } if place.changes_by_itself() => {
                (Instruction::Null, EventKind::Update, named("", ANYTHING))
            }
            Effect::Access { writes, place } => {
                let atomic = if writes { EventKind::Update } else { EventKind::VolatileRead };
                let plain = if writes { EventKind::Write } else { EventKind::Read };
                match place {
                    // Whose effect it is may matter: nobody reads standard output.
                    Place::World(piece) => (receiver.clone(), atomic, named("", piece)),
                    Place::FieldOf { argument, name } => {
                        let class = argument.map_or(owner.clone(), |argument| class_of(descriptor, argument));
                        (argument.map_or(receiver.clone(), load), atomic, named(&class, name))
                    }
                    Place::Field { class, name } => {
                        sites.tell_of(named(class, name));
                        (Instruction::Null, plain, named(class, name))
                    }
                    Place::Receiver => (receiver.clone(), atomic, named(&owner, WHOLE)),
                    Place::Argument(number) => (load(number), atomic, named(&owner, WHOLE)),
                }
            }
        };
        let method = format!("{name}{descriptor}");
        let site = Site { class: owner.clone(), method, pc: number as u16, line: None, kind, field: Some(field) };
        let site = class.constants.add_integer(sites.add(site).0 as i32)?;
        let hook = class.constants.add_method(HOOKS, WATCH_NATIVE.name, WATCH_NATIVE.descriptor)?;
        told.extend([object, Instruction::Ldc(site), Instruction::Invoke(InvokeOp::Static, hook)]);
    }
    let code = |class: &mut ClassFile<'a>, name: &str, calls: &str, flags: Flags| {
        let original = class.constants.add_method(&owner, calls, descriptor)?;
        let mut code = CodeBuilder::new(&owner, name, descriptor, flags);
        let receiver = (!is_static).then_some(Instruction::Load(ValueType::Reference, 0));
        let arguments = shape.parameters.iter().map(|&(kind, slot)| Instruction::Load(kind, slot + first));
        for instruction in told.into_iter().chain(receiver).chain(arguments) {
            code.push(instruction, &class.constants)?;
        }
        let call = if is_static { InvokeOp::Static } else { InvokeOp::Special };
        code.push(Instruction::Invoke(call, original), &class.constants)?;
        code.push(Instruction::Return(shape.returns), &class.constants)?;
        code.finish(&mut class.constants)
    };
    let flags = class.methods[method].flags;
    if !flags.has(Flags::PRIVATE) {
        replace(class, method, name, |class, renamed, flags| code(class, name, renamed, flags))?;
        return Ok(None);
    }
    let bridge = format!("{BRIDGE}{name}");
    let flags = flags.without(Flags::NATIVE).with(Flags::SYNTHETIC);
    let code = code(class, &bridge, name, flags)?;
    class.add_method(flags, &bridge, descriptor, Some(code))?;
    Ok(Some(bridge))
}

/// Lets the methods of a class call bridges instead of the private native methods that these stand for.
fn call_bridges(class: &mut ClassFile<'_>, bridges: &[(String, String, String)]) -> Vec<(String, EditError)> {
    let owner = class.name().to_string();
    let mut left = Vec::new();
    for method in 0..class.methods.len() {
        let name = class.constants.utf8(class.methods[method].name).to_string();
        if name.starts_with(BRIDGE) {
            continue;
        }
        let Some(code) = class.methods[method].code().cloned() else { continue };
        let mut edit = CodeEdit::new(&code);
        let mut is_edited = false;
        for placed in code.instructions() {
            let Instruction::Invoke(op, called) = placed.instruction else { continue };
            let target = class.constants.method(called);
            let bridge = bridges.iter().find(|(name, descriptor, _)| {
                target.class == class.name() && target.name == **name && target.descriptor == **descriptor
            });
            let Some((_, descriptor, bridge)) = bridge else { continue };
            match class.constants.add_method(&owner, bridge, descriptor) {
                Ok(bridge) => edit.replace(placed.pc, &[Instruction::Invoke(op, bridge)]),
                Err(error) => left.push((name.clone(), error.into())),
            }
            is_edited = true;
        }
        if is_edited && let Err(error) = class.edit_method(method, edit) {
            left.push((name, error));
        }
    }
    left
}

/// The class of a parameter, as the descriptor has it.
fn class_of(descriptor: &str, argument: u8) -> String {
    let parsed = JavaStr::new(descriptor.as_bytes()).and_then(MethodDescriptor::new);
    let parameter = parsed.and_then(|descriptor| descriptor.parameters().nth(argument as usize));
    let class = parameter.and_then(TypeDescriptor::class_name);
    class.expect("internal bug: a line names a field of what is no object").to_string()
}

fn named(class: &str, name: &str) -> FieldRef {
    FieldRef { class: class.to_owned(), name: name.to_owned() }
}

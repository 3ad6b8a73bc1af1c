//! Rewrites a class so that it tells of its events.
//!
//! A hook is called before each access of a field or array element, before a monitor is taken and after it
//! was given up. Synchronized methods lose their flag and take their monitor by instructions, for a hook
//! must come before. The real monitors stay: a thread that is not under control needs them, and one that
//! is takes them only once the hook has let it, so in vain only where opaque code has one (`contended`).
//!
//! Not seen: what a constructor writes to its own fields before it calls another constructor, when nobody
//! else can see the object yet.

use crate::common_pool::make_renewable;
use crate::hook_class::{
    ACCESS, CAUGHT, ELEMENT, ENTER, EXIT, HOOKS, Hook, INITIALISES, PAUSE, QUIET, STATIC, SYNCHRONIZE, WATCH_ELEMENT,
    WATCH_ENTER, WATCH_EXIT, WATCH_FIELD, WATCH_NATIVE, WATCH_STATIC,
};
use crate::scope::{
    REWRITTEN_ALL_THE_SAME, Step, is_of_jdk, is_of_synchronizer, is_salted, pauses_steps, resumes_steps,
    waits_for_uncontrolled,
};
use crate::sites::{DeclaredField, FieldRef, MONITOR, Site, Sites, WHOLE};
use crate::statics::make_resettable;
use crate::unseen::watch_natives;
use classfile::{
    ArrayType, ClassFile, Code, CodeEdit, EditError, FieldOp, Flags, Index, Instruction, InvokeOp, MemberRef,
    ParseError, Pc, StackOp, ValueType, VerificationType, Wrap, drop_annotation, kind,
};
use schedule::EventKind;
use std::collections::BTreeSet;

/// A class that tells of its events.
#[derive(Debug)]
pub struct Instrumented {
    /// The class file.
    pub bytes: Vec<u8>,
    /// Methods that were left as they were, with the reason.
    pub left: Vec<(String, EditError)>,
}

/// Why a class could not be rewritten at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InstrumentError {
    /// It is not a class file that we can read.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It has no room for the hooks' constants.
    #[error(transparent)]
    Overflow(#[from] classfile::Overflow),
}

/// Rewrites a class, and notes its sites and fields. The static state of an application's class can be put
/// back afterwards.
pub fn instrument(bytes: &[u8], sites: &mut Sites, of_application: bool) -> Result<Instrumented, InstrumentError> {
    let mut class = ClassFile::parse(bytes)?;
    note_fields(&class, sites);
    make_renewable(&mut class);
    let hooks = Hooks::add(&mut class)?;
    let mut left = watch_natives(&mut class, sites);
    if of_application && let Err(error) = make_resettable(&mut class) {
        left.push(("<clinit>()V".to_owned(), error));
    }
    for method in 0..class.methods.len() {
        if let Err(error) = instrument_method(&mut class, method, &hooks, sites, |_| true) {
            left.push((method_name(&class, method), error));
        }
    }
    Ok(Instrumented { bytes: class.write()?, left })
}

/// Rewrites the accesses of array elements, and nothing else.
pub fn instrument_elements(bytes: &[u8], sites: &mut Sites) -> Result<Instrumented, InstrumentError> {
    let mut class = ClassFile::parse(bytes)?;
    let hooks = Hooks::add(&mut class)?;
    let mut left = Vec::new();
    let elements = |instruction: &_| matches!(instruction, Instruction::ArrayLoad(_) | Instruction::ArrayStore(_));
    for method in 0..class.methods.len() {
        if let Err(error) = instrument_method(&mut class, method, &hooks, sites, elements) {
            left.push((method_name(&class, method), error));
        }
    }
    Ok(Instrumented { bytes: class.write()?, left })
}

/// Nothing that runs inside is an event.
pub fn quietly(hook: Index<kind::MethodRef>) -> Wrap {
    between(hook, 1)
}

/// A hook is told that number when it begins, and less than nothing by as much when it ends.
fn between(hook: Index<kind::MethodRef>, number: i16) -> Wrap {
    let tell = |number| vec![Instruction::Int(number), Instruction::Invoke(InvokeOp::Static, hook)];
    Wrap { enter: tell(number), leave: tell(-number), catch: tell(-number), catches: None }
}

/// What runs inside is told as steps of a synchronizer.
fn synchronizing(hook: Index<kind::MethodRef>, step: Step) -> Wrap {
    let call = Instruction::Invoke(InvokeOp::Static, hook);
    let leave = vec![Instruction::Null, Instruction::Int(-1), call.clone()];
    Wrap {
        enter: vec![Instruction::Load(ValueType::Reference, 0), Instruction::Int(step as i16), call],
        leave: leave.clone(),
        catch: leave,
        catches: None,
    }
}

/// The hooks as methods of a class's constant pool.
#[derive(Clone)]
pub struct Hooks {
    access: Index<kind::MethodRef>,
    element: Index<kind::MethodRef>,
    statics: Index<kind::MethodRef>,
    enter: Index<kind::MethodRef>,
    exit: Index<kind::MethodRef>,
    quiet: Index<kind::MethodRef>,
    synchronize: Index<kind::MethodRef>,
    pause: Index<kind::MethodRef>,
    initialises: Index<kind::MethodRef>,
    caught: Index<kind::MethodRef>,
    /// What the monitors of the class are, if it is opaque.
    monitor: Option<FieldRef>,
    bytes: Index<kind::MethodRef>,
    object: Index<kind::Class>,
}

impl Hooks {
    /// Those of opaque code, whose accesses are watched.
    pub fn watching(class: &mut ClassFile<'_>) -> Result<Self, classfile::Overflow> {
        let hooks = Hooks::add(class)?;
        let mut add = |hook: Hook| class.constants.add_method(HOOKS, hook.name, hook.descriptor);
        let (access, element, statics) = (add(WATCH_FIELD)?, add(WATCH_ELEMENT)?, add(WATCH_STATIC)?);
        let (enter, exit) = (add(WATCH_ENTER)?, add(WATCH_EXIT)?);
        let monitor = Some(FieldRef { class: class.name().to_string(), name: MONITOR.to_owned() });
        Ok(Hooks { access, element, statics, enter, exit, monitor, ..hooks })
    }

    /// The same for opaque code that tells of every monitor it takes in a block.
    pub fn telling_of_blocks(self, class: &mut ClassFile<'_>) -> Result<Self, classfile::Overflow> {
        let Hooks { enter, exit, .. } = Hooks::add(class)?;
        Ok(Hooks { enter, exit, monitor: None, ..self })
    }

    fn add(class: &mut ClassFile<'_>) -> Result<Self, classfile::Overflow> {
        let constants = &mut class.constants;
        let mut add = |hook: Hook| constants.add_method(HOOKS, hook.name, hook.descriptor);
        Ok(Hooks {
            access: add(ACCESS)?,
            element: add(ELEMENT)?,
            statics: add(STATIC)?,
            enter: add(ENTER)?,
            exit: add(EXIT)?,
            quiet: add(QUIET)?,
            synchronize: add(SYNCHRONIZE)?,
            pause: add(PAUSE)?,
            initialises: add(INITIALISES)?,
            caught: add(CAUGHT)?,
            monitor: None,
            bytes: add(WATCH_NATIVE)?,
            object: constants.add_class("java/lang/Object")?,
        })
    }
}

/// Notes what a class declares.
pub fn note_fields(class: &ClassFile<'_>, sites: &mut Sites) {
    let super_class = class.super_class.map(|index| class.constants.class_name(index).to_string());
    let declared = |field: &classfile::Field<'_>| DeclaredField {
        name: class.constants.utf8(field.name).to_string(),
        volatile: field.flags.has(Flags::VOLATILE),
        is_final: field.flags.has(Flags::FINAL),
        is_private: field.flags.has(Flags::PRIVATE),
    };
    sites.add_class(&class.name().to_str(), super_class.as_deref(), class.fields.iter().map(declared).collect());
}

/// Name and descriptor of a method.
pub fn method_name(class: &ClassFile<'_>, method: usize) -> String {
    let method = &class.methods[method];
    format!("{}{}", class.constants.utf8(method.name), class.constants.utf8(method.descriptor))
}

fn instrument_method(
    class: &mut ClassFile<'_>,
    method: usize,
    hooks: &Hooks,
    sites: &mut Sites,
    seen: impl Fn(&Instruction) -> bool,
) -> Result<(), EditError> {
    let Some(code) = class.methods[method].code().cloned() else { return Ok(()) };
    let flags = class.methods[method].flags;
    let name = method_name(class, method);
    let mut edit = CodeEdit::new(&code);
    let has_receiver = !flags.has(Flags::STATIC) && !name.starts_with("<init>");
    let mut numbers = Numbers { sites, method: &name, code: &code, has_receiver };
    tell_of_handlers(&mut edit, hooks, &code);
    insert_hooks(class, &mut edit, hooks, &mut numbers, |_, instruction| seen(instruction))?;
    let synchronized = flags.has(Flags::SYNCHRONIZED);
    if synchronized {
        take_monitor(class, flags, &mut edit, hooks, &mut numbers)?;
    } else if !flags.has(Flags::STATIC) && is_of_synchronizer(&class.name().to_str(), &name) {
        edit.wrap(synchronizing(hooks.synchronize, Step::of(&class.name().to_str(), &name)));
    } else if pauses_steps(&class.name().to_str(), &name) {
        edit.wrap(between(hooks.pause, 1));
    } else if resumes_steps(&class.name().to_str(), &name) {
        edit.wrap(between(hooks.pause, 2));
    } else if name == "<clinit>()V" && !is_of_jdk(&class.name().to_str()) {
        let hook = Instruction::Invoke(InvokeOp::Static, hooks.initialises);
        let enter = [class.load_this_class()?, vec![Instruction::Int(1), hook.clone()]].concat();
        let leave = vec![Instruction::Null, Instruction::Int(-1), hook];
        edit.wrap(Wrap { enter, leave: leave.clone(), catch: leave, catches: None });
    } else if name == "<clinit>()V" || waits_for_uncontrolled(&class.name().to_str(), &name) {
        edit.wrap(quietly(hooks.quiet));
    }
    class.edit_method(method, edit)?;
    if synchronized {
        unsynchronize(class, method);
    }
    Ok(())
}

/// A method takes its monitor by instructions, and not because it is synchronized.
pub fn unsynchronize(class: &mut ClassFile<'_>, method: usize) {
    let owner = &mut class.methods[method];
    owner.flags = owner.flags.without(Flags::SYNCHRONIZED);
    // The virtual machine expects its intrinsics to be as it knows them.
    drop_annotation(&mut owner.attributes, &class.constants, "Ljdk/internal/vm/annotation/IntrinsicCandidate;");
}

/// Gives the sites of one method their numbers.
pub struct Numbers<'m, 'c> {
    /// All sites.
    pub sites: &'m mut Sites,
    /// Name and descriptor of the method.
    pub method: &'m str,
    /// Its code.
    pub code: &'m Code<'c>,
    /// Whether it is called on an object that is made.
    pub has_receiver: bool,
}

impl Numbers<'_, '_> {
    /// Loads the number of a site.
    pub fn add(
        &mut self,
        class: &mut ClassFile<'_>,
        pc: Pc,
        kind: EventKind,
        field: Option<FieldRef>,
    ) -> Result<Instruction, EditError> {
        let (owner, line) = (class.name().to_string(), self.code.line_at(pc));
        let id = self.sites.add(Site { class: owner, method: self.method.to_owned(), pc, line, kind, field });
        Ok(Instruction::Ldc(class.constants.add_integer(id.0 as i32)?))
    }
}

/// Puts a hook before each instruction of a method that is seen.
pub fn insert_hooks(
    class: &mut ClassFile<'_>,
    edit: &mut CodeEdit,
    hooks: &Hooks,
    numbers: &mut Numbers<'_, '_>,
    seen: impl Fn(&ClassFile<'_>, &Instruction) -> bool,
) -> Result<(), EditError> {
    let code = numbers.code;
    let own_from = if numbers.method.starts_with("<init>") { initialized_from(class, code) } else { 0 };
    for placed in code.instructions() {
        let pc = placed.pc;
        if !seen(class, &placed.instruction) {
            continue;
        }
        match placed.instruction {
            Instruction::Field(op, field) => {
                let target = class.constants.field(field);
                if pc < own_from && op == FieldOp::Put && target.class == class.name() {
                    continue;
                }
                let wide = matches!(target.descriptor.as_bytes(), b"J" | b"D");
                let field = field_ref(target);
                let kind = if op.is_put() { EventKind::Write } else { EventKind::Read };
                let site = numbers.add(class, pc, kind, Some(field))?;
                before_field(edit, pc, op, wide, site, hooks);
            }
            Instruction::ArrayLoad(_) => {
                let site = numbers.add(class, pc, EventKind::Read, None)?;
                let call = Instruction::Invoke(InvokeOp::Static, hooks.element);
                edit.insert_before(pc, &[Instruction::Stack(StackOp::Dup2), site, call]);
            }
            Instruction::ArrayStore(element) => {
                let site = numbers.add(class, pc, EventKind::Write, None)?;
                before_array_store(edit, pc, element, site, hooks);
            }
            Instruction::MonitorEnter => {
                let site = numbers.add(class, pc, EventKind::Lock, hooks.monitor.clone())?;
                let call = Instruction::Invoke(InvokeOp::Static, hooks.enter);
                edit.insert_before(pc, &[Instruction::Stack(StackOp::Dup), site, call]);
            }
            Instruction::MonitorExit => {
                let site = numbers.add(class, pc, EventKind::Unlock, hooks.monitor.clone())?;
                let call = Instruction::Invoke(InvokeOp::Static, hooks.exit);
                edit.replace(pc, &[Instruction::Stack(StackOp::Dup), Instruction::MonitorExit, site, call]);
            }
            Instruction::Invoke(InvokeOp::Static, called)
                if numbers.has_receiver
                    && is_builder(&class.name().to_str())
                    && takes_bytes(class.constants.method(called)) =>
            {
                let called = class.constants.method(called);
                let kind = if writes_bytes(&called.name.to_str()) { EventKind::Write } else { EventKind::Read };
                let whole = FieldRef { class: class.name().to_string(), name: WHOLE.to_owned() };
                let site = numbers.add(class, pc, kind, Some(whole))?;
                let value = class.constants.add_field("java/lang/AbstractStringBuilder", "value", "[B")?;
                let told = [
                    Instruction::Load(ValueType::Reference, 0),
                    Instruction::Field(FieldOp::Get, value),
                    site,
                    Instruction::Invoke(InvokeOp::Static, hooks.bytes),
                ];
                edit.insert_before(pc, &told);
            }
            Instruction::Invoke(InvokeOp::Static, called)
                if is_seed(class.constants.method(called)) && is_salted(&class.name().to_str(), numbers.method) =>
            {
                edit.replace(pc, &[Instruction::Long(1)]);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Puts a hook where exceptions are handled. What is done for all of them gives something up and throws on: that
/// stays as it is.
pub fn tell_of_handlers(edit: &mut CodeEdit, hooks: &Hooks, code: &Code<'_>) {
    let gives_up = |pc: Pc| code.handlers.iter().any(|handler| handler.handler == pc && handler.catch.is_none());
    let handlers: BTreeSet<Pc> = code.handlers.iter().map(|handler| handler.handler).collect();
    for &pc in handlers.iter().filter(|&&pc| !gives_up(pc)) {
        let call = Instruction::Invoke(InvokeOp::Static, hooks.caught);
        edit.insert_before(pc, &[Instruction::Stack(StackOp::Dup), call]);
    }
}

/// Whether a class is one of those that make strings. They give their bytes to code that is opaque.
fn is_builder(class: &str) -> bool {
    REWRITTEN_ALL_THE_SAME.contains(&class)
}

/// Whether a call gives bytes of characters to opaque code.
fn takes_bytes(called: MemberRef<'_>) -> bool {
    let owners = ["java/lang/String", "java/lang/StringLatin1", "java/lang/StringUTF16"];
    owners.iter().any(|owner| called.class == *owner) && called.descriptor.to_str().contains("[B")
}

/// Whether a method that is given bytes writes them.
fn writes_bytes(method: &str) -> bool {
    ["put", "fill", "inflate", "reverse", "getChars", "setChar"].iter().any(|verb| method.starts_with(verb))
}

/// Whether a call asks for the time, from which initialisers make what is to differ between processes.
fn is_seed(called: MemberRef<'_>) -> bool {
    called.class == "java/lang/System" && called.name == "nanoTime"
}

fn field_ref(target: MemberRef<'_>) -> FieldRef {
    FieldRef { class: target.class.to_string(), name: target.name.to_string() }
}

fn before_field(edit: &mut CodeEdit, pc: Pc, op: FieldOp, wide: bool, site: Instruction, hooks: &Hooks) {
    let access = Instruction::Invoke(InvokeOp::Static, hooks.access);
    let stack = Instruction::Stack;
    match op {
        FieldOp::GetStatic | FieldOp::PutStatic => {
            edit.insert_before(pc, &[site, Instruction::Invoke(InvokeOp::Static, hooks.statics)]);
        }
        FieldOp::Get => edit.insert_before(pc, &[stack(StackOp::Dup), site, access]),
        // The object is below the value: object, value -> object, value, object.
        FieldOp::Put if !wide => {
            edit.insert_before(pc, &[stack(StackOp::Dup2), stack(StackOp::Pop), site, access]);
        }
        // The same around a value of two slots, which has to be put below and back.
        FieldOp::Put => edit.insert_before(
            pc,
            &[
                stack(StackOp::Dup2X1),
                stack(StackOp::Pop2),
                stack(StackOp::Dup),
                site,
                access,
                stack(StackOp::DupX2),
                stack(StackOp::Pop),
            ],
        ),
    }
}

/// Puts the value below array and index, copies those for the hook, and puts it back.
fn before_array_store(edit: &mut CodeEdit, pc: Pc, element: ArrayType, site: Instruction, hooks: &Hooks) {
    let stack = Instruction::Stack;
    let (below, drop, back) = match element.slots() {
        1 => (StackOp::DupX2, StackOp::Pop, StackOp::Dup2X1),
        _ => (StackOp::Dup2X2, StackOp::Pop2, StackOp::Dup2X2),
    };
    edit.insert_before(
        pc,
        &[
            stack(below),
            stack(drop),
            stack(StackOp::Dup2),
            site,
            Instruction::Invoke(InvokeOp::Static, hooks.element),
            stack(back),
            stack(StackOp::Pop2),
        ],
    );
}

/// Takes the monitor of a synchronized method by instructions.
pub fn take_monitor(
    class: &mut ClassFile<'_>,
    flags: Flags,
    edit: &mut CodeEdit,
    hooks: &Hooks,
    numbers: &mut Numbers<'_, '_>,
) -> Result<(), EditError> {
    let lock_site = numbers.add(class, 0, EventKind::Lock, hooks.monitor.clone())?;
    let unlock_site = numbers.add(class, 0, EventKind::Unlock, hooks.monitor.clone())?;
    let slot = edit.add_local(VerificationType::Object(hooks.object))?;
    let object = match flags.has(Flags::STATIC) {
        true => class.load_this_class()?,
        false => vec![Instruction::Load(ValueType::Reference, 0)],
    };
    let load = Instruction::Load(ValueType::Reference, slot);
    let call = |hook| Instruction::Invoke(InvokeOp::Static, hook);
    let give_up = vec![load.clone(), Instruction::MonitorExit, load.clone(), unlock_site, call(hooks.exit)];
    edit.wrap(Wrap {
        enter: [
            object,
            vec![
                Instruction::Stack(StackOp::Dup),
                Instruction::Store(ValueType::Reference, slot),
                lock_site,
                call(hooks.enter),
                load,
                Instruction::MonitorEnter,
            ],
        ]
        .concat(),
        leave: give_up.clone(),
        catch: give_up,
        catches: None,
    });
    Ok(())
}

/// Where a constructor has called another: the first constructor call that no `new` before it needs.
fn initialized_from(class: &ClassFile<'_>, code: &Code<'_>) -> Pc {
    let mut made = 0;
    for placed in code.instructions() {
        match placed.instruction {
            Instruction::New(_) => made += 1,
            Instruction::Invoke(InvokeOp::Special, method) if class.constants.method(method).name == "<init>" => {
                if made == 0 {
                    return placed.pc;
                }
                made -= 1;
            }
            _ => {}
        }
    }
    0
}

//! What is changed in the classes of opaque packages.
//!
//! Their code runs as it is, with no events. Three things are added: what the virtual machine calls by itself is
//! made quiet; methods that are known to touch arrays of their callers report them; and every access of state that
//! can change is watched ([`crate::unseen`]), so that nothing is taken for seen that was not.

use crate::hook_class::{HOOKS, Hook, QUIET, QUIET_IN, WATCH_FIELD, WATCH_NATIVE, WATCH_STATIC};
use crate::instrument::{
    Hooks, InstrumentError, Instrumented, Numbers, insert_hooks, method_name, note_fields, quietly, take_monitor,
    tell_of_handlers, unsynchronize,
};
use crate::opaque_arrays::{telling, touched};
use crate::scope::{Treatment, counts, is_hushed, is_hushed_in_jdk, names_thread, taints};
use crate::sites::{ANYTHING, FieldRef, HELD, Site, Sites};
use crate::unseen::{self, Elements};
use classfile::{
    ClassFile, Code, CodeBuilder, CodeEdit, EditError, Flags, Instruction, InvokeOp, StackOp, ValueType,
    VerificationType, Wrap,
};
use schedule::EventKind;

/// Changes an opaque class.
pub fn change(bytes: &[u8], sites: &mut Sites) -> Result<Instrumented, InstrumentError> {
    let mut class = ClassFile::parse(bytes)?;
    note_fields(&class, sites);
    let hooks = Hooks::watching(&mut class)?;
    let blocks = match Treatment::of(&class.name().to_str()) {
        Treatment::Opaque { monitors: true } => hooks.clone().telling_of_blocks(&mut class)?,
        _ => hooks.clone(),
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
    let full_name = method_name(class, method);
    let is_monitor = |instruction: &_| matches!(instruction, Instruction::MonitorEnter | Instruction::MonitorExit);
    let fate = Fate::of(&owner, &name, &descriptor);
    if !matches!(fate, Fate::Quiet { .. } | Fate::Counts(_)) {
        tell_of_handlers(&mut edit, hooks, &code);
    }
    match fate {
        Fate::Quiet { .. } => {
            let quiet = class.constants.add_method(HOOKS, QUIET.name, QUIET.descriptor)?;
            let mut wrap = quietly(quiet);
            if let Some(touch) = touch {
                wrap.enter.splice(..0, telling(class, touch)?);
            }
            edit.wrap(wrap);
            return class.edit_method(method, edit);
        }
        Fate::Counts(field) => return count(class, method, field, sites),
        Fate::QuietInJdk => {
            quiet_in_jdk(class, &mut edit)?;
            let mut numbers = Numbers { sites, method: &full_name, code: &code, has_receiver: false };
            insert_hooks(class, &mut edit, blocks, &mut numbers, |_, instruction| is_monitor(instruction))?;
        }
        Fate::Watched { elements, taints, .. } => {
            let mut numbers = Numbers { sites, method: &full_name, code: &code, has_receiver: false };
            if taints {
                let anything = FieldRef { class: String::new(), name: ANYTHING.to_owned() };
                let site = numbers.add(class, u16::MAX, EventKind::Update, Some(anything))?;
                let hook = class.constants.add_method(HOOKS, WATCH_NATIVE.name, WATCH_NATIVE.descriptor)?;
                edit.insert_before(0, &[Instruction::Null, site, Instruction::Invoke(InvokeOp::Static, hook)]);
            }
            let opens = unseen::opens_monitors(&owner);
            insert_hooks(class, &mut edit, blocks, &mut numbers, |class, instruction| {
                opens && is_monitor(instruction) || can_change(class, instruction, elements)
            })?;
            if !opens {
                note_monitors(class, method, &mut edit, &mut numbers)?;
            } else if flags.has(Flags::SYNCHRONIZED) {
                take_monitor(class, flags, &mut edit, hooks, &mut numbers)?;
                takes_monitor = true;
            }
            if names_thread(&owner, &name) {
                build_quietly(class, &code, &mut edit)?;
            }
        }
        Fate::Replaced => {}
    }
    if let Some(touch) = touch {
        let told = telling(class, touch)?;
        edit.insert_before(0, &told);
    }
    class.edit_method(method, edit)?;
    if takes_monitor {
        unsynchronize(class, method);
    }
    Ok(())
}

/// Notes the monitors that a method takes, where they are not opened. Another thread that holds one may wait for
/// something else.
fn note_monitors(
    class: &mut ClassFile<'_>,
    method: usize,
    edit: &mut CodeEdit,
    numbers: &mut Numbers<'_, '_>,
) -> Result<(), EditError> {
    let flags = class.methods[method].flags;
    let monitor = || Some(FieldRef { class: String::new(), name: HELD.to_owned() });
    let hook = class.constants.add_method(HOOKS, WATCH_NATIVE.name, WATCH_NATIVE.descriptor)?;
    let call = Instruction::Invoke(InvokeOp::Static, hook);
    if flags.has(Flags::SYNCHRONIZED) {
        let mut told = match flags.has(Flags::STATIC) {
            true => class.load_this_class()?,
            false => vec![Instruction::Load(ValueType::Reference, 0)],
        };
        told.extend([numbers.add(class, u16::MAX - 1, EventKind::VolatileRead, monitor())?, call.clone()]);
        edit.insert_before(0, &told);
    }
    let code = numbers.code;
    for placed in code.instructions().filter(|placed| placed.instruction == Instruction::MonitorEnter) {
        let site = numbers.add(class, placed.pc, EventKind::VolatileRead, monitor())?;
        edit.insert_before(placed.pc, &[Instruction::Stack(StackOp::Dup), site, call.clone()]);
    }
    Ok(())
}

/// What becomes of the code of a method in an opaque class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing is seen while it runs, nor of what it calls.
    Quiet {
        /// Whether it tells of elements of its parameters before.
        tells: bool,
    },
    /// The same, but not in objects of an application's classes.
    QuietInJdk,
    /// It counts by this static field, which is watched as one update.
    Counts(&'static str),
    /// Its accesses are watched.
    Watched {
        /// And which of those of elements.
        elements: Elements,
        /// Whether it tells of elements of its parameters by events.
        tells: bool,
        /// Whether nothing can be said of an execution that calls it.
        taints: bool,
    },
    /// What stands in its place tells of events.
    Replaced,
}

impl Fate {
    /// What becomes of a method that has code.
    pub fn of(class: &str, method: &str, descriptor: &str) -> Fate {
        let tells = touched(class, method, descriptor).is_some();
        if let Some(field) = counts(class, method) {
            return Fate::Counts(field);
        }
        match () {
            () if is_hushed(class, method) => Fate::Quiet { tells },
            () if is_hushed_in_jdk(class, method) => Fate::QuietInJdk,
            () if !unseen::is_watched(class, method, descriptor) => Fate::Replaced,
            () => {
                let elements = if tells { Elements::None } else { Elements::of(class, method) };
                Fate::Watched { elements, tells, taints: taints(class, method) }
            }
        }
    }
}

/// Makes quiet what a method does to builders of strings.
fn build_quietly(class: &mut ClassFile<'_>, code: &Code<'_>, edit: &mut CodeEdit) -> Result<(), EditError> {
    let quiet = class.constants.add_method(HOOKS, QUIET.name, QUIET.descriptor)?;
    let tell = |number| [Instruction::Int(number), Instruction::Invoke(InvokeOp::Static, quiet)];
    for placed in code.instructions() {
        let Instruction::Invoke(_, called) = placed.instruction else { continue };
        if class.constants.method(called).class == "java/lang/StringBuilder" {
            edit.insert_before(placed.pc, &tell(1));
            edit.insert_before(placed.pc + placed.length, &tell(-1));
        }
    }
    Ok(())
}

/// Makes one watched update of a static method that counts, without its monitor.
fn count(class: &mut ClassFile<'_>, method: usize, field: &str, sites: &mut Sites) -> Result<(), EditError> {
    let code = class.methods[method].code().cloned().ok_or(EditError::NoCode)?;
    let (name, owner) = (method_name(class, method), class.name().to_string());
    let mut hook = |hook: Hook| class.constants.add_method(HOOKS, hook.name, hook.descriptor);
    let (watch, quiet) = (hook(WATCH_STATIC)?, hook(QUIET)?);
    let mut numbers = Numbers { sites, method: &name, code: &code, has_receiver: false };
    let counter = FieldRef { class: owner, name: field.to_owned() };
    let site = numbers.add(class, 0, EventKind::Update, Some(counter))?;
    let mut wrap = quietly(quiet);
    wrap.enter.splice(..0, [site, Instruction::Invoke(InvokeOp::Static, watch)]);
    let mut edit = CodeEdit::new(&code);
    edit.wrap(wrap);
    class.edit_method(method, edit)?;
    let flags = &mut class.methods[method].flags;
    *flags = flags.without(Flags::SYNCHRONIZED);
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
pub fn can_change(class: &ClassFile<'_>, instruction: &Instruction, elements: Elements) -> bool {
    match *instruction {
        Instruction::Field(_, field) => {
            let target = class.constants.field(field);
            let (owner, name) = (target.class.to_string(), target.name.to_string());
            let declared = class.fields.iter().find(|field| class.constants.utf8(field.name) == target.name);
            let is_own = target.class == class.name();
            let is_final = declared.is_some_and(|field| is_own && field.flags.has(Flags::FINAL));
            unseen::can_change(&owner, &name, is_final)
        }
        Instruction::ArrayLoad(element) | Instruction::ArrayStore(element) => elements.has(element),
        _ => false,
    }
}

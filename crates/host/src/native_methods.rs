//! Puts hooks before, or in place of, native methods of the JDK.
//!
//! The virtual machine is told of a prefix: a native method of the original name is then looked up under
//! the prefix and the name. So the original name can become a method of ours, written in bytecode, which
//! calls the hook and, where that did not do all, the original.

use crate::hook_class::{
    ALIVE, ASKS_OF_END, AWAIT, CLOCK, CLONE, CONDITION, COPY, COPY_MEMORY, ENDS_WITH_THREADS, ENTER, EXIT, FAILED,
    HALT, HASH, HOOKS, Hook, INTERRUPT, JOIN, LOCK_WITHIN, LOOK, LOOK_OWN, NO_LIMIT, NOTIFY, NOTIFY_ALL, PARK, PART,
    QUIET, RANDOM, RAW, SLEEP, SLEEP_NANOS, STARTED, STARTING, STATE, Shape, UNCAUGHT, UNPARK, WAIT, YIELD,
};
use crate::instrument::InstrumentError;
use classfile::{
    AttributeValue, ClassFile, CodeBuilder, CodeEdit, Condition, EditError, Flags, Index, Instruction, InvokeOp,
    StackOp, ValueType, VerificationType, Wrap,
};
use schedule::{Event, EventKind};
use std::ffi::CStr;

/// What original native methods are renamed with.
pub const PREFIX: &CStr = c"raddle$";

/// What becomes of a native method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// The hook is told of a raw access of this kind and so many bytes (0 for a reference) at the method's first
    /// two parameters.
    Raw(EventKind, u8),
    /// The same for a method that updates in a loop, which counts as one step: its accesses are not told.
    Atomic(u8),
    /// The hook takes the receiver, if there is one, and all parameters. If it says true, it has done it.
    Instead(Hook),
    /// The hook takes the receiver or first parameter. If it says no number below 0, that is the value.
    Value(Hook),
    /// The same for a clock, by the number that the hook knows it by.
    Clock(i16),
    /// The same for nanoseconds since so many seconds after 1970, which are the parameter.
    ClockSince,
    /// The hook is told of an access of this kind of a slot of the receiver. If the method is synchronized, its monitor is
    /// taken by events.
    Part(EventKind, u32),
    /// The hook takes the receiver. What it says is a state of a thread, unless it is below 0.
    State,
    /// The hook takes the receiver, the parameters or what stands for them, and the number of the method. If it says no number
    /// below 0, that is the value.
    Await(i16),
    /// The hook takes the receiver, and the number of the method. If it says no number below 0, that is the value.
    Condition(i16),
    /// The hook takes the receiver, and the time or [`NO_LIMIT`]. If it says no number below 0, that is the value.
    LockWithin,
    /// The hook is told before, with the receiver if it takes one.
    Before(Hook),
    /// The hook is told before what is copied, from where and to where.
    CopyMemory,
    /// The hook is told before what is set.
    SetMemory,
    /// The hook is told before memory is freed, as if its first byte were set.
    FreeMemory,
    /// One hook is told before and one after, with the receiver.
    Around(Hook, Hook),
}

/// The classes that have such methods.
pub const CLASSES: [&str; 11] = [
    "java/lang/Object",
    "java/lang/Shutdown",
    "java/lang/System",
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/security/SecureRandom",
    CONDITION_OBJECT,
    LOCK,
    LOCK_SUPPORT,
    "jdk/internal/misc/Unsafe",
    "jdk/internal/misc/VM",
];

/// Which clock the hook is asked for, where it is neither of `System`.
const NANOS_SINCE_1970: i16 = 2;
const NANOS_A_SECOND: i64 = 1_000_000_000;

const CONDITION_OBJECT: &str = "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject";
const LOCK: &str = "java/util/concurrent/locks/ReentrantLock$Sync";
const LOCK_SUPPORT: &str = "java/util/concurrent/locks/LockSupport";

/// Whether a method of ours stands in the place of one, given its descriptor.
pub fn is_changed(class: &str, method: &str, descriptor: &str) -> bool {
    CLASSES.contains(&class) && change(class, method, descriptor).is_some()
}

/// Whether a method of ours stands in the place of one, given whether it is native in this release.
pub fn is_replaced(class: &str, method: &str, descriptor: &str, is_native: bool) -> bool {
    let in_java = IN_JAVA.contains(&method) || atomic_access(method).is_some();
    is_changed(class, method, descriptor) && (is_native || in_java)
}

/// Methods that are changed though they are not native; all others are only if they are.
const IN_JAVA: &[&str] = &[
    "await",
    "awaitNanos",
    "awaitUninterruptibly",
    "awaitUntil",
    "dispatchUncaughtException",
    "getBlocker",
    "getName",
    "getPriority",
    "getWaitQueueLength",
    "hasWaiters",
    "lockInterruptibly",
    "signal",
    "signalAll",
    "tryLockNanos",
    "getState",
    "getThreadGroup",
    "getUncaughtExceptionHandler",
    "isAlive",
    "isDaemon",
    "join",
    "interrupt",
    "interrupted",
    "isInterrupted",
    "nextBytes",
    "onSpinWait",
    "exit",
    "setDaemon",
    "setName",
    "setPriority",
    "setUncaughtExceptionHandler",
];

fn change(class: &str, method: &str, descriptor: &str) -> Option<Change> {
    Some(match (class, method, descriptor) {
        ("java/lang/Object", "wait" | "wait0", "(J)V") => Change::Instead(WAIT),
        ("java/lang/Object", "notify", "()V") => Change::Instead(NOTIFY),
        ("java/lang/Object", "notifyAll", "()V") => Change::Instead(NOTIFY_ALL),
        ("java/lang/Object", "hashCode", "()I") => Change::Value(HASH),
        ("java/lang/Object", "clone", "()Ljava/lang/Object;") => Change::Before(CLONE),
        ("java/lang/Shutdown", "halt0", "(I)V") => Change::Instead(HALT),
        ("java/lang/System", "arraycopy", _) => Change::Instead(COPY),
        ("java/lang/System", "identityHashCode", _) => Change::Value(HASH),
        ("java/lang/System", "currentTimeMillis", "()J") => Change::Clock(0),
        ("java/lang/System", "nanoTime", "()J") => Change::Clock(1),
        ("jdk/internal/misc/VM", "getNanoTimeAdjustment", "(J)J") => Change::ClockSince,
        ("java/lang/Thread", "yield" | "yield0" | "onSpinWait", "()V") => Change::Instead(YIELD),
        // In milliseconds up to Java 18, in nanoseconds since.
        ("java/lang/Thread", "sleep", "(J)V") => Change::Instead(SLEEP),
        ("java/lang/Thread", "sleep0" | "sleepNanos0", "(J)V") => Change::Instead(SLEEP_NANOS),
        ("java/lang/Thread", "dispatchUncaughtException", _) => Change::Instead(UNCAUGHT),
        ("java/lang/Thread", "start0", "()V") => Change::Around(STARTING, STARTED),
        // Not its native part, for the flag is set before that.
        ("java/lang/Thread", "interrupt", "()V") => Change::Before(INTERRUPT),
        ("java/lang/Thread", "isInterrupted", "()Z") => Change::Before(LOOK),
        ("java/lang/Thread", "interrupted", "()Z") => Change::Before(LOOK_OWN),
        ("java/lang/Thread", "isAlive", "()Z") => Change::Value(ALIVE),
        ("java/lang/Thread", "join", "()V") => Change::Before(JOIN),
        ("java/lang/Thread", "getName", "()Ljava/lang/String;") => Change::Part(EventKind::VolatileRead, Event::NAME),
        ("java/lang/Thread", "setName", _) => Change::Part(EventKind::VolatileWrite, Event::NAME),
        ("java/lang/Thread", "getPriority", "()I") => Change::Part(EventKind::VolatileRead, Event::PRIORITY),
        ("java/lang/Thread", "setPriority", "(I)V") => Change::Part(EventKind::VolatileWrite, Event::PRIORITY),
        ("java/lang/Thread", "isDaemon", "()Z") => Change::Part(EventKind::VolatileRead, Event::STATUS),
        ("java/lang/Thread", "setDaemon", "(Z)V") => Change::Part(EventKind::VolatileWrite, Event::STATUS),
        ("java/lang/Thread", "getUncaughtExceptionHandler", _) => Change::Part(EventKind::VolatileRead, Event::HANDLER),
        ("java/lang/Thread", "setUncaughtExceptionHandler", _) => {
            Change::Part(EventKind::VolatileWrite, Event::HANDLER)
        }
        ("java/lang/Thread", "getThreadGroup", _) => Change::Before(ASKS_OF_END),
        ("java/lang/ThreadGroup", "setDaemon", "(Z)V") => Change::Before(ENDS_WITH_THREADS),
        ("java/lang/Thread", "getState", _) => Change::State,
        (LOCK_SUPPORT, "getBlocker", _) => Change::Part(EventKind::VolatileRead, Event::BLOCKER),
        (LOCK, "lockInterruptibly", "()V") | (LOCK, "tryLockNanos", "(J)Z") => Change::LockWithin,
        (CONDITION_OBJECT, "await", "()V") => Change::Await(0),
        (CONDITION_OBJECT, "awaitUninterruptibly", "()V") => Change::Await(1),
        (CONDITION_OBJECT, "awaitNanos", "(J)J") => Change::Await(2),
        (CONDITION_OBJECT, "await", "(JLjava/util/concurrent/TimeUnit;)Z") => Change::Await(3),
        (CONDITION_OBJECT, "awaitUntil", "(Ljava/util/Date;)Z") => Change::Await(4),
        (CONDITION_OBJECT, "signal", "()V") => Change::Condition(0),
        (CONDITION_OBJECT, "signalAll", "()V") => Change::Condition(1),
        (CONDITION_OBJECT, "hasWaiters", "()Z") => Change::Condition(2),
        (CONDITION_OBJECT, "getWaitQueueLength", "()I") => Change::Condition(3),
        ("java/security/SecureRandom", "nextBytes", "([B)V") => Change::Instead(RANDOM),
        ("jdk/internal/misc/Unsafe", "park", "(ZJ)V") => Change::Instead(PARK),
        ("jdk/internal/misc/Unsafe", "unpark", "(Ljava/lang/Object;)V") => Change::Instead(UNPARK),
        ("jdk/internal/misc/Unsafe", "copyMemory0" | "copySwapMemory0", _) => Change::CopyMemory,
        ("jdk/internal/misc/Unsafe", "setMemory0", _) => Change::SetMemory,
        ("jdk/internal/misc/Unsafe", "freeMemory0", "(J)V") => Change::FreeMemory,
        ("jdk/internal/misc/Unsafe", _, _) if descriptor.starts_with("(Ljava/lang/Object;J") => {
            if let Some(size) = atomic_access(method) {
                return Some(Change::Atomic(size));
            }
            let (kind, size) = raw_access(method)?;
            Change::Raw(kind, size)
        }
        _ => return None,
    })
}

/// How many bytes a method of `Unsafe` updates whatever it finds. The compiler makes one instruction of it, so it is one
/// step here, too.
fn atomic_access(method: &str) -> Option<u8> {
    let kind = method.strip_prefix("getAndAdd").or_else(|| method.strip_prefix("getAndSet"))?;
    SIZES.into_iter().find(|(name, _)| *name == kind).map(|(_, size)| size)
}

/// The types that methods of `Unsafe` are named after, and how many bytes they have; 0 for references.
const SIZES: [(&str, u8); 9] = [
    ("Boolean", 1),
    ("Byte", 1),
    ("Char", 2),
    ("Double", 8),
    ("Float", 4),
    ("Int", 4),
    ("Long", 8),
    ("Reference", 0),
    ("Short", 2),
];

/// What a method of `Unsafe` does to what is at an offset of an object, and how many bytes that is.
fn raw_access(method: &str) -> Option<(EventKind, u8)> {
    let (kind, rest) = [
        ("compareAndExchange", EventKind::Update),
        ("compareAndSet", EventKind::Update),
        ("get", EventKind::Read),
        ("put", EventKind::Write),
    ]
    .into_iter()
    .find_map(|(verb, kind)| Some((kind, method.strip_prefix(verb)?)))?;
    let (mode, size) = SIZES.into_iter().find_map(|(name, size)| Some((rest.strip_prefix(name)?, size)))?;
    match (kind, mode) {
        (_, "") => Some((kind, size)),
        (EventKind::Read, "Volatile") => Some((EventKind::VolatileRead, size)),
        (EventKind::Write, "Volatile") => Some((EventKind::VolatileWrite, size)),
        _ => None,
    }
}

/// Changes the native methods of one of the [`CLASSES`].
pub fn change_natives(bytes: &[u8]) -> Result<Vec<u8>, InstrumentError> {
    let mut class = ClassFile::parse(bytes)?;
    let name = class.name().to_string();
    for method in 0..class.methods.len() {
        let flags = class.methods[method].flags;
        let text = |index| class.constants.utf8(index).to_string();
        let (method_name, descriptor) = (text(class.methods[method].name), text(class.methods[method].descriptor));
        if let Some(change) = change(&name, &method_name, &descriptor)
            && is_replaced(&name, &method_name, &descriptor, flags.has(Flags::NATIVE))
        {
            wrap(&mut class, method, &method_name, &descriptor, change).map_err(|error| match error {
                EditError::Overflow(overflow) => InstrumentError::Overflow(overflow),
                other => panic!("internal bug: a method of ours in place of {method_name}: {other}"),
            })?;
        }
    }
    Ok(class.write()?)
}

/// Renames the native method, and puts one of ours in its place.
fn wrap(
    class: &mut ClassFile<'_>,
    method: usize,
    name: &str,
    descriptor: &str,
    change: Change,
) -> Result<(), EditError> {
    let owner = class.name().to_string();
    let takes_monitor = matches!(change, Change::Part(..)) && class.methods[method].flags.has(Flags::SYNCHRONIZED);
    replace(class, method, name, |class, renamed, flags| {
        body(class, &owner, name, renamed, descriptor, flags, change)
    })?;
    if takes_monitor {
        let flags = &mut class.methods[method].flags;
        *flags = flags.without(Flags::SYNCHRONIZED);
        take_monitor(class, method)
    } else {
        Ok(())
    }
}

/// Renames a method with the prefix, and puts code in its place that is given the new name and its own flags.
pub fn replace<'a>(
    class: &mut ClassFile<'a>,
    method: usize,
    name: &str,
    body: impl FnOnce(&mut ClassFile<'a>, &str, Flags) -> Result<classfile::Code<'a>, EditError>,
) -> Result<(), EditError> {
    let native_flags = class.methods[method].flags;
    let descriptor = class.constants.utf8(class.methods[method].descriptor).to_string();
    let renamed = format!("{}{name}", PREFIX.to_str().expect("internal bug: the prefix is text"));
    // Private and final, so that the table of virtual methods stays as the virtual machine knows it.
    let hidden =
        native_flags.without(Flags(Flags::PUBLIC.0 | Flags::PROTECTED.0)).with(Flags::PRIVATE).with(Flags::FINAL);
    let mut attributes = class.methods[method].attributes.clone();
    class.copy_method(method, &renamed, hidden)?;
    attributes.retain(|attribute| !matches!(attribute.value, AttributeValue::Code(_)));

    let flags = native_flags.without(Flags::NATIVE);
    let code = body(class, &renamed, flags)?;
    class.add_method(flags, name, &descriptor, Some(code))?;
    // The new method takes the place of the old, with its annotations and exceptions.
    let mut ours = class.methods.pop().expect("internal bug: just added");
    ours.attributes.extend(attributes);
    classfile::drop_annotation(
        &mut ours.attributes,
        &class.constants,
        "Ljdk/internal/vm/annotation/IntrinsicCandidate;",
    );
    class.methods[method] = ours;
    Ok(())
}

/// Takes the receiver's monitor by events around a method; the original takes the real one.
fn take_monitor(class: &mut ClassFile<'_>, method: usize) -> Result<(), EditError> {
    let mut hook = |hook: Hook| class.constants.add_method(HOOKS, hook.name, hook.descriptor);
    let (enter, exit) = (hook(ENTER)?, hook(EXIT)?);
    let object = class.constants.add_class("java/lang/Object")?;
    let code = class.methods[method].code().expect("internal bug: a method of ours has code");
    let mut edit = CodeEdit::new(code);
    // A handler knows no locals but those that are added.
    let slot = edit.add_local(VerificationType::Object(object))?;
    let told = |local, hook| {
        // The number of no site.
        [
            Instruction::Load(ValueType::Reference, local),
            Instruction::Int(-1),
            Instruction::Invoke(InvokeOp::Static, hook),
        ]
    };
    let keep = [Instruction::Load(ValueType::Reference, 0), Instruction::Store(ValueType::Reference, slot)];
    let leave = told(slot, exit).to_vec();
    edit.wrap(Wrap { enter: [&keep[..], &told(0, enter)].concat(), leave: leave.clone(), catch: leave, catches: None });
    class.edit_method(method, edit)
}

fn body<'a>(
    class: &mut ClassFile<'a>,
    owner: &str,
    name: &str,
    renamed: &str,
    descriptor: &str,
    flags: Flags,
    change: Change,
) -> Result<classfile::Code<'a>, EditError> {
    let is_static = flags.has(Flags::STATIC);
    let original = class.constants.add_method(owner, renamed, descriptor)?;
    let mut call = |hook: Hook| -> Result<Index<classfile::kind::MethodRef>, EditError> {
        Ok(class.constants.add_method(HOOKS, hook.name, hook.descriptor)?)
    };
    let hook = match change {
        Change::Raw(..) | Change::Atomic(_) => call(RAW)?,
        Change::Instead(hook) | Change::Value(hook) | Change::Before(hook) | Change::Around(hook, _) => call(hook)?,
        Change::CopyMemory | Change::SetMemory | Change::FreeMemory => call(COPY_MEMORY)?,
        Change::Clock(_) | Change::ClockSince => call(CLOCK)?,
        Change::Part(..) => call(PART)?,
        Change::Await(_) => call(AWAIT)?,
        Change::Condition(_) => call(CONDITION)?,
        Change::LockWithin => call(LOCK_WITHIN)?,
        Change::State => call(STATE)?,
    };
    let after = match change {
        Change::Around(_, hook) => Some(call(hook)?),
        Change::Raw(EventKind::Update, _) => Some(call(FAILED)?),
        Change::Atomic(_) => Some(call(QUIET)?),
        _ => None,
    };
    let state = match change {
        Change::State => {
            Some(class.constants.add_method("jdk/internal/misc/VM", "toThreadState", "(I)Ljava/lang/Thread$State;")?)
        }
        _ => None,
    };
    let long = match change {
        Change::LockWithin => Some(class.constants.add_long(NO_LIMIT)?),
        Change::ClockSince => Some(class.constants.add_long(NANOS_A_SECOND)?),
        _ => None,
    };
    let slot = match change {
        Change::Part(_, slot) => Some(class.constants.add_integer(slot as i32)?),
        _ => None,
    };
    let constants = &class.constants;
    let shape = Shape::of(descriptor);
    let first = !is_static as u16;
    let receiver = (!is_static).then_some(Instruction::Load(ValueType::Reference, 0));
    let arguments: Vec<_> =
        shape.parameters.iter().map(|&(kind, slot)| Instruction::Load(kind, slot + first)).collect();

    let mut code = CodeBuilder::new(owner, name, descriptor, flags);
    let not_done = code.label();
    match change {
        Change::Raw(kind, size) => {
            for load in &arguments[..2] {
                code.push(load.clone(), constants)?;
            }
            code.push(Instruction::Int(kind as i16 | (size as i16) << 8), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
        }
        Change::Atomic(size) => {
            for load in &arguments[..2] {
                code.push(load.clone(), constants)?;
            }
            code.push(Instruction::Int(EventKind::Update as i16 | (size as i16) << 8), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
            code.push(Instruction::Int(1), constants)?;
            code.push(
                Instruction::Invoke(InvokeOp::Static, after.expect("internal bug: it ends what it begins")),
                constants,
            )?;
        }
        Change::CopyMemory => {
            for load in &arguments[..5] {
                code.push(load.clone(), constants)?;
            }
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
        }
        Change::SetMemory | Change::FreeMemory => {
            let written = match change {
                Change::SetMemory => arguments[..3].to_vec(),
                _ => vec![Instruction::Null, arguments[0].clone(), Instruction::Long(1)],
            };
            let nothing = [Instruction::Null, Instruction::Int(-1), Instruction::Operate(classfile::Operator::I2l)];
            for load in nothing.into_iter().chain(written) {
                code.push(load, constants)?;
            }
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
        }
        Change::Instead(instead) => {
            let with_receiver = Shape::of(instead.descriptor).parameters.len() > arguments.len();
            for load in receiver.iter().filter(|_| with_receiver).chain(&arguments) {
                code.push(load.clone(), constants)?;
            }
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
            code.jump_if(Condition::Eq, not_done)?;
            code.push(Instruction::Return(None), constants)?;
            code.bind(not_done)?;
        }
        Change::Value(_) => {
            let object = receiver.iter().chain(&arguments).next().expect("internal bug: a hash of nothing");
            code.push(object.clone(), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
            code.push(Instruction::Stack(StackOp::Dup), constants)?;
            code.jump_if(Condition::Lt, not_done)?;
            code.push(Instruction::Return(Some(ValueType::Int)), constants)?;
            code.bind(not_done)?;
            code.push(Instruction::Stack(StackOp::Pop), constants)?;
        }
        Change::Part(kind, _) => {
            code.push(Instruction::Load(ValueType::Reference, 0), constants)?;
            code.push(Instruction::Ldc(slot.expect("internal bug: just added")), constants)?;
            code.push(Instruction::Int(kind as i16), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
        }
        Change::State => {
            code.push(Instruction::Load(ValueType::Reference, 0), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
            code.push(Instruction::Stack(StackOp::Dup), constants)?;
            code.jump_if(Condition::Lt, not_done)?;
            code.push(Instruction::Invoke(InvokeOp::Static, state.expect("internal bug: just added")), constants)?;
            code.push(Instruction::Return(Some(ValueType::Reference)), constants)?;
            code.bind(not_done)?;
            code.push(Instruction::Stack(StackOp::Pop), constants)?;
        }
        Change::Await(method) => {
            let parameter = |kind, otherwise| {
                let found = shape.parameters.iter().find(|(parameter, _)| *parameter == kind);
                found.map_or(otherwise, |&(kind, slot)| Instruction::Load(kind, slot + first))
            };
            code.push(Instruction::Load(ValueType::Reference, 0), constants)?;
            code.push(parameter(ValueType::Long, Instruction::Long(0)), constants)?;
            code.push(parameter(ValueType::Reference, Instruction::Null), constants)?;
            code.push(Instruction::Int(method), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
            code.push(Instruction::Stack(StackOp::Dup2), constants)?;
            code.push(Instruction::Long(0), constants)?;
            code.push(Instruction::Operate(classfile::Operator::Lcmp), constants)?;
            code.jump_if(Condition::Lt, not_done)?;
            match shape.returns {
                None => code.push(Instruction::Stack(StackOp::Pop2), constants)?,
                Some(ValueType::Long) => {}
                Some(_) => code.push(Instruction::Operate(classfile::Operator::L2i), constants)?,
            }
            code.push(Instruction::Return(shape.returns), constants)?;
            code.bind(not_done)?;
            code.push(Instruction::Stack(StackOp::Pop2), constants)?;
        }
        Change::Condition(_) | Change::LockWithin => {
            code.push(Instruction::Load(ValueType::Reference, 0), constants)?;
            match (change, arguments.first()) {
                (Change::Condition(method), _) => code.push(Instruction::Int(method), constants)?,
                (_, Some(nanos)) => code.push(nanos.clone(), constants)?,
                (_, None) => code.push(Instruction::Ldc2(long.expect("internal bug: just added")), constants)?,
            }
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
            code.push(Instruction::Stack(StackOp::Dup), constants)?;
            code.jump_if(Condition::Lt, not_done)?;
            if shape.returns.is_none() {
                code.push(Instruction::Stack(StackOp::Pop), constants)?;
            }
            code.push(Instruction::Return(shape.returns), constants)?;
            code.bind(not_done)?;
            code.push(Instruction::Stack(StackOp::Pop), constants)?;
        }
        Change::Before(hook_before) | Change::Around(hook_before, _) => {
            for load in receiver.iter().filter(|_| hook_before.descriptor.starts_with("(L")) {
                code.push(load.clone(), constants)?;
            }
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
        }
        Change::Clock(_) | Change::ClockSince => {
            let which = if let Change::Clock(which) = change { which } else { NANOS_SINCE_1970 };
            code.push(Instruction::Int(which), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, hook), constants)?;
            code.push(Instruction::Stack(StackOp::Dup2), constants)?;
            code.push(Instruction::Long(0), constants)?;
            code.push(Instruction::Operate(classfile::Operator::Lcmp), constants)?;
            code.jump_if(Condition::Lt, not_done)?;
            if let Some(a_second) = long {
                code.push(arguments[0].clone(), constants)?;
                code.push(Instruction::Ldc2(a_second), constants)?;
                code.push(Instruction::Operate(classfile::Operator::Lmul), constants)?;
                code.push(Instruction::Operate(classfile::Operator::Lsub), constants)?;
            }
            code.push(Instruction::Return(Some(ValueType::Long)), constants)?;
            code.bind(not_done)?;
            code.push(Instruction::Stack(StackOp::Pop2), constants)?;
        }
    }
    for load in receiver.iter().chain(&arguments) {
        code.push(load.clone(), constants)?;
    }
    let invoke = if is_static { InvokeOp::Static } else { InvokeOp::Special };
    code.push(Instruction::Invoke(invoke, original), constants)?;
    match (after, change) {
        (None, _) => {}
        (Some(failed), Change::Raw(..)) => {
            let done = code.label();
            let expected = arguments[2].clone();
            // The update says whether it was done, or what it found in place of what was expected.
            match (descriptor.ends_with('Z') && name.starts_with("compareAndSet"), shape.returns) {
                (true, _) => {
                    code.push(Instruction::Stack(StackOp::Dup), constants)?;
                    code.jump_if(Condition::Ne, done)?;
                }
                (false, Some(ValueType::Long)) => {
                    code.push(Instruction::Stack(StackOp::Dup2), constants)?;
                    code.push(expected, constants)?;
                    code.push(Instruction::Operate(classfile::Operator::Lcmp), constants)?;
                    code.jump_if(Condition::Eq, done)?;
                }
                (false, returns) => {
                    code.push(Instruction::Stack(StackOp::Dup), constants)?;
                    code.push(expected, constants)?;
                    let same =
                        if returns == Some(ValueType::Reference) { Condition::SameRef } else { Condition::IntEq };
                    code.jump_if(same, done)?;
                }
            }
            code.push(Instruction::Invoke(InvokeOp::Static, failed), constants)?;
            code.bind(done)?;
        }
        (Some(quiet), Change::Atomic(_)) => {
            code.push(Instruction::Int(-1), constants)?;
            code.push(Instruction::Invoke(InvokeOp::Static, quiet), constants)?;
        }
        (Some(after), _) => {
            if let Some(load) = &receiver {
                code.push(load.clone(), constants)?;
            }
            code.push(Instruction::Invoke(InvokeOp::Static, after), constants)?;
        }
    }
    code.push(Instruction::Return(shape.returns), constants)?;
    code.finish(&mut class.constants)
}

//! The classes that rewritten code calls, written from nothing.
//!
//! They are in `java.lang`, because every module can see that package. Their methods are of the form
//! `if (on) return native(...); return nothing`: rewritten code runs long before native methods can be
//! bound.

use classfile::{
    BaseType, ClassFile, CodeBuilder, Condition, EditError, FieldOp, Flags, Instruction, InvokeOp, JavaStr, Label,
    MethodDescriptor, Operator, StackOp, TypeDescriptor, ValueType,
};

/// The class with the hooks.
pub const HOOKS: &str = "java/lang/RaddleHooks";
/// What is thrown to end the threads of an execution that is over.
pub const UNWIND: &str = "java/lang/RaddleUnwind";
/// By which a thread of a fork/join pool waits on a condition, so that the pool can make up for it.
pub const BLOCKER: &str = "java/lang/RaddleBlocker";

/// A hook: a static method of [`HOOKS`], and of the same name with a `0` behind, the native one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The name without the `0`.
    pub name: &'static str,
    /// Of both.
    pub descriptor: &'static str,
}

const fn hook(name: &'static str, descriptor: &'static str) -> Hook {
    Hook { name, descriptor }
}

/// Before an access of an instance field: the object, the site.
pub const ACCESS: Hook = hook("access", "(Ljava/lang/Object;I)V");
/// Before an access of an array element: the array, the index, the site.
pub const ELEMENT: Hook = hook("element", "(Ljava/lang/Object;II)V");
/// Before an access of a static field: the site.
pub const STATIC: Hook = hook("statics", "(I)V");
/// Before a monitor is taken: the object, the site.
pub const ENTER: Hook = hook("enter", "(Ljava/lang/Object;I)V");
/// After a monitor was given up: the object, the site.
pub const EXIT: Hook = hook("exit", "(Ljava/lang/Object;I)V");
/// Around what must not be interrupted: 1 when it begins, -1 when it ends.
pub const QUIET: Hook = hook("quiet", "(I)V");

/// Where code begins to handle an exception: what it has caught. A thread that has to leave throws on.
pub const CAUGHT: Hook = hook("caught", "(Ljava/lang/Object;)V");
/// Around the static initialiser of an application's class: the class and 1 when it begins, null and -1 when it ends.
pub const INITIALISES: Hook = hook("initialises", "(Ljava/lang/Object;I)V");
/// Around what is quiet only in loaders of the JDK: the loader, and 1 when it begins, -1 when it ends.
pub const QUIET_IN: Hook = hook("quietIn", "(Ljava/lang/Object;I)V");

/// Before a raw access: the object, the offset in it, and what is done: the number of an event's kind and, above
/// its eight bits, how many bytes are touched.
pub const RAW: Hook = hook("raw", "(Ljava/lang/Object;JI)V");
/// Around each method of a synchronizer of the JDK: the object and what the method does (see `scope::Step`) when it begins,
/// null and -1 when it ends.
pub const SYNCHRONIZE: Hook = hook("synchronizes", "(Ljava/lang/Object;I)V");
/// After a raw update that found another value than it expected.
pub const FAILED: Hook = hook("failed", "()V");
/// Instead of `Object.wait`: the object, the milliseconds. These and the next say whether they did it.
pub const WAIT: Hook = hook("waits", "(Ljava/lang/Object;J)Z");
/// Instead of `Object.notify`.
pub const NOTIFY: Hook = hook("notifies", "(Ljava/lang/Object;)Z");
/// Instead of `Object.notifyAll`.
pub const NOTIFY_ALL: Hook = hook("notifiesAll", "(Ljava/lang/Object;)Z");
/// Instead of `Unsafe.park`: whether the time is absolute, and the time.
pub const PARK: Hook = hook("parks", "(ZJ)Z");
/// Instead of `Unsafe.unpark`: the thread.
pub const UNPARK: Hook = hook("unparks", "(Ljava/lang/Object;)Z");
/// Instead of `Thread.yield`.
pub const YIELD: Hook = hook("yields", "()Z");
/// Instead of `Thread.sleep`: the time in milliseconds.
pub const SLEEP: Hook = hook("sleeps", "(J)Z");
/// The same in nanoseconds.
pub const SLEEP_NANOS: Hook = hook("sleepsNanos", "(J)Z");
/// Instead of the handling of an exception that a thread has not caught: the thread, the exception.
pub const UNCAUGHT: Hook = hook("uncaught", "(Ljava/lang/Object;Ljava/lang/Object;)Z");
/// After a class was initialised: the class.
pub const INITIALIZED: Hook = hook("initialized", "(Ljava/lang/Object;)V");
/// Instead of `System.arraycopy`.
pub const COPY: Hook = hook("copies", "(Ljava/lang/Object;ILjava/lang/Object;II)Z");
/// Before an opaque method touches elements of an array: the array, the first, how many (below 0 for all), and what
/// is done, as a number of an event's kind.
pub const TOUCH: Hook = hook("touches", "(Ljava/lang/Object;III)V");
/// Before an object is cloned.
pub const CLONE: Hook = hook("clones", "(Ljava/lang/Object;)V");
/// Before something of a thread is read or written that opaque code keeps: the thread, the slot, and what is done, as a
/// number of an event's kind.
pub const PART: Hook = hook("parts", "(Ljava/lang/Object;II)V");
/// Instead of a look at the state of a thread: a number as the JDK has it, or below 0 if it did nothing.
pub const STATE: Hook = hook("state", "(Ljava/lang/Object;)I");
/// Instead of an attempt at a lock that time or an interrupt may end: the lock, and the nanoseconds or
/// [`NO_LIMIT`]. 1 if it was taken, 0 if not, and below 0 if nothing was done.
pub const LOCK_WITHIN: Hook = hook("locksWithin", "(Ljava/lang/Object;J)I");
/// Instead of a wait on a condition: the condition, a time, its unit or a date, and which method it is. Below 0 if
/// nothing was done.
pub const AWAIT: Hook = hook("awaits", "(Ljava/lang/Object;JLjava/lang/Object;I)J");
/// Instead of what is done to those that wait on a condition: the condition, and which method it is. Below 0 if nothing was done.
pub const CONDITION: Hook = hook("conditions", "(Ljava/lang/Object;I)I");
/// What a blocker waits for.
pub const BLOCK: Hook = hook("blocks", "()Z");
/// Around what is no part of a step of a synchronizer though it runs inside: 1 when it begins, -1 when it ends. Around what is
/// part of it again inside that: 2 and -2.
pub const PAUSE: Hook = hook("pauses", "(I)V");
/// Before a look whether a thread was interrupted.
pub const LOOK: Hook = hook("looks", "(Ljava/lang/Object;)V");
pub const ASKS_OF_END: Hook = hook("asksOfEnd", "(Ljava/lang/Object;)V");
pub const ENDS_WITH_THREADS: Hook = hook("endsWithThreads", "(Ljava/lang/Object;)V");
/// Before a look whether the current thread was interrupted.
pub const LOOK_OWN: Hook = hook("looksOwn", "()V");
/// Instead of an identity hash: the object. These and the next say a number below 0 if they did nothing.
pub const HASH: Hook = hook("hash", "(Ljava/lang/Object;)I");
/// Instead of a look at the clock: 0 for milliseconds since 1970, 1 for nanoseconds, 2 for nanoseconds since 1970.
pub const CLOCK: Hook = hook("clock", "(I)J");
/// Instead of a look whether a thread is alive.
pub const ALIVE: Hook = hook("alive", "(Ljava/lang/Object;)I");
/// Instead of random bytes from the operating system: the array that is filled.
pub const RANDOM: Hook = hook("randoms", "(Ljava/lang/Object;)Z");
/// Instead of the end of the virtual machine: the status.
pub const HALT: Hook = hook("halts", "(I)Z");
/// Before a thread is waited for until it ends: the thread.
pub const JOIN: Hook = hook("joins", "(Ljava/lang/Object;)V");
/// Before a thread is started.
pub const STARTING: Hook = hook("starting", "(Ljava/lang/Object;)V");
/// After a thread was started.
pub const STARTED: Hook = hook("started", "(Ljava/lang/Object;)V");
/// Before a thread is interrupted.
pub const INTERRUPT: Hook = hook("interrupts", "(Ljava/lang/Object;)V");

/// Before bytes are copied or set, in arrays or outside the heap: from where, to where (each a base object or null,
/// and an offset) and how many. Where nothing is read, the first offset is below 0.
pub const COPY_MEMORY: Hook = hook("copiesMemory", "(Ljava/lang/Object;JLjava/lang/Object;JJ)V");
/// Before opaque code accesses a field that can change: the object, the site. These and the next three do nothing
/// unless threads are watched.
pub const WATCH_FIELD: Hook = hook("watchesField", "(Ljava/lang/Object;I)V");
/// Before opaque code accesses an array element: the array, the index, the site.
pub const WATCH_ELEMENT: Hook = hook("watchesElement", "(Ljava/lang/Object;II)V");
/// Before opaque code accesses a static field that can change: the site.
pub const WATCH_STATIC: Hook = hook("watchesStatic", "(I)V");
/// Before a native method that does something which others can observe: the object that it does it to or null, the
/// site.
pub const WATCH_NATIVE: Hook = hook("watchesNative", "(Ljava/lang/Object;I)V");

/// Before opaque code takes a monitor: the object, the site. This and the next do nothing unless threads are watched.
pub const WATCH_ENTER: Hook = hook("watchesEnter", "(Ljava/lang/Object;I)V");
/// After opaque code gave up a monitor: the object, the site.
pub const WATCH_EXIT: Hook = hook("watchesExit", "(Ljava/lang/Object;I)V");

/// A time that is none.
pub const NO_LIMIT: i64 = i64::MIN;

/// All hooks.
pub const ALL: &[Hook] = &[
    ACCESS,
    ELEMENT,
    STATIC,
    ENTER,
    EXIT,
    QUIET,
    RAW,
    SYNCHRONIZE,
    FAILED,
    WAIT,
    NOTIFY,
    NOTIFY_ALL,
    PARK,
    UNPARK,
    YIELD,
    JOIN,
    SLEEP,
    HASH,
    CLOCK,
    ALIVE,
    STARTING,
    STARTED,
    INTERRUPT,
    SLEEP_NANOS,
    UNCAUGHT,
    INITIALIZED,
    COPY,
    CLONE,
    LOOK,
    ASKS_OF_END,
    ENDS_WITH_THREADS,
    LOOK_OWN,
    RANDOM,
    TOUCH,
    HALT,
    PART,
    STATE,
    LOCK_WITHIN,
    AWAIT,
    CONDITION,
    BLOCK,
    PAUSE,
    INITIALISES,
    CAUGHT,
    QUIET_IN,
    COPY_MEMORY,
    WATCH_FIELD,
    WATCH_ELEMENT,
    WATCH_STATIC,
    WATCH_NATIVE,
    WATCH_ENTER,
    WATCH_EXIT,
];

/// Hooks that are called only while [`WATCHING`] is set.
const WATCHES: [Hook; 6] = [WATCH_FIELD, WATCH_ELEMENT, WATCH_STATIC, WATCH_NATIVE, WATCH_ENTER, WATCH_EXIT];

/// The static field that says whether hooks are bound.
pub const ON: &str = "on";
/// The static field that says whether several threads are under control, so that what opaque code does matters.
pub const WATCHING: &str = "watching";

/// The static field that says that the thread under control is the only one, so that its accesses are no events.
pub const ALONE: &str = "alone";
/// The static field that says how many of these there may be before the native method is called all the same.
pub const LEFT: &str = "left";
/// The static field that says whether one of them was a write.
pub const WRITTEN: &str = "written";
/// The numbers of sites that write have this bit, and no others do. So they are below 0 in Java.
pub const WRITES: u32 = 1 << 31;

/// Hooks that do nothing while [`ALONE`] is set.
const ACCESSES: [Hook; 8] = [ACCESS, ELEMENT, STATIC, RAW, FAILED, COPY, TOUCH, CLONE];

/// The names of all hooks.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|hook| hook.name)
}

/// The classes that must be in `java.base`, by name. Hooks that are left out do nothing.
pub fn classes(left_out: &[String]) -> Result<Vec<(&'static str, Vec<u8>)>, EditError> {
    Ok(vec![(HOOKS, hooks(left_out)?), (UNWIND, unwind()?), (BLOCKER, blocker()?)])
}

/// Java 17: the oldest that is hosted.
const VERSION: u16 = 61;

fn hooks(left_out: &[String]) -> Result<Vec<u8>, EditError> {
    let mut class = ClassFile::new(HOOKS, "java/lang/Object", VERSION)?;
    let flags = Flags::PUBLIC.with(Flags::STATIC);
    class.add_field(flags.with(Flags::VOLATILE), ON, "Z")?;
    class.add_field(flags.with(Flags::VOLATILE), WATCHING, "Z")?;
    // They change in the thread that asks, or when there is no other: no need to be volatile.
    class.add_field(flags, ALONE, "Z")?;
    class.add_field(flags, LEFT, "I")?;
    class.add_field(flags, WRITTEN, "Z")?;
    let on = class.constants.add_field(HOOKS, ON, "Z")?;
    let watching = class.constants.add_field(HOOKS, WATCHING, "Z")?;
    for hook in ALL.iter().copied() {
        let native_name = format!("{}0", hook.name);
        class.add_method(flags.with(Flags::NATIVE), &native_name, hook.descriptor, None)?;
        let native = class.constants.add_method(HOOKS, &native_name, hook.descriptor)?;
        let shape = Shape::of(hook.descriptor);

        let mut code = CodeBuilder::new(HOOKS, hook.name, hook.descriptor, flags);
        let off = code.label();
        if !left_out.iter().any(|name| name == hook.name) {
            if ACCESSES.contains(&hook) {
                pass_alone(&mut code, &mut class, hook, off)?;
            }
            let guard = if WATCHES.contains(&hook) { watching } else { on };
            code.push(Instruction::Field(FieldOp::GetStatic, guard), &class.constants)?;
            code.jump_if(Condition::Eq, off)?;
            for (kind, slot) in shape.parameters {
                code.push(Instruction::Load(kind, slot), &class.constants)?;
            }
            code.push(Instruction::Invoke(InvokeOp::Static, native), &class.constants)?;
            code.push(Instruction::Return(shape.returns), &class.constants)?;
            code.bind(off)?;
        }
        match (hook.descriptor.as_bytes().last(), shape.returns) {
            (Some(b'Z'), _) => code.push(Instruction::Int(0), &class.constants)?,
            (_, Some(ValueType::Long)) => {
                code.push(Instruction::Int(-1), &class.constants)?;
                code.push(Instruction::Operate(Operator::I2l), &class.constants)?;
            }
            (_, Some(_)) => code.push(Instruction::Int(-1), &class.constants)?,
            (_, None) => {}
        }
        code.push(Instruction::Return(shape.returns), &class.constants)?;
        let code = code.finish(&mut class.constants)?;
        class.add_method(flags, hook.name, hook.descriptor, Some(code))?;
    }
    Ok(class.write()?)
}

/// Goes to `done` if the thread is the only one, unless it is time to call again.
fn pass_alone(code: &mut CodeBuilder, class: &mut ClassFile<'_>, hook: Hook, done: Label) -> Result<(), EditError> {
    let mut field = |name, descriptor| class.constants.add_field(HOOKS, name, descriptor);
    let (alone, left, written) = (field(ALONE, "Z")?, field(LEFT, "I")?, field(WRITTEN, "Z")?);
    let thread = class.constants.add_class("java/lang/Thread")?;
    let constants = &class.constants;
    let several = code.label();
    code.push(Instruction::Field(FieldOp::GetStatic, alone), constants)?;
    code.jump_if(Condition::Eq, several)?;
    let (kind, last) = *Shape::of(hook.descriptor).parameters.last().unwrap_or(&(ValueType::Int, 0));
    if [ACCESS, ELEMENT, STATIC].contains(&hook) {
        let reads = code.label();
        code.push(Instruction::Load(kind, last), constants)?;
        code.jump_if(Condition::Ge, reads)?;
        code.push(Instruction::Int(1), constants)?;
        code.push(Instruction::Field(FieldOp::PutStatic, written), constants)?;
        code.bind(reads)?;
    }
    if hook == RAW {
        // Memory outside the heap is numbered always, and what threads have for random numbers is chance.
        for object in [Instruction::Null, Instruction::InstanceOf(thread)] {
            code.push(Instruction::Load(ValueType::Reference, 0), constants)?;
            match object {
                Instruction::Null => code.jump_if(Condition::Null, several)?,
                is_thread => {
                    code.push(is_thread, constants)?;
                    code.jump_if(Condition::Ne, several)?;
                }
            }
        }
    }
    if [ACCESS, ELEMENT, STATIC, RAW].contains(&hook) {
        code.push(Instruction::Field(FieldOp::GetStatic, left), constants)?;
        code.push(Instruction::Int(-1), constants)?;
        code.push(Instruction::Operate(Operator::Iadd), constants)?;
        code.push(Instruction::Stack(StackOp::Dup), constants)?;
        code.push(Instruction::Field(FieldOp::PutStatic, left), constants)?;
        code.jump_if(Condition::Ge, done)?;
    } else {
        code.goto(done)?;
    }
    code.bind(several)
}

/// How the parameters of a static method are loaded, and its value returned.
pub struct Shape {
    /// Each with its slot.
    pub parameters: Vec<(ValueType, u16)>,
    /// None for nothing.
    pub returns: Option<ValueType>,
}

impl Shape {
    /// The shape of a descriptor that is well formed.
    pub fn of(descriptor: &str) -> Shape {
        let parsed = JavaStr::new(descriptor.as_bytes()).and_then(MethodDescriptor::new);
        let parsed = parsed.expect("internal bug: a malformed descriptor");
        let mut slot = 0;
        let parameter = |parameter: TypeDescriptor<'_>| {
            let at = slot;
            slot += parameter.slots();
            (value_type(parameter), at)
        };
        Shape { parameters: parsed.parameters().map(parameter).collect(), returns: parsed.returns().map(value_type) }
    }
}

fn value_type(descriptor: TypeDescriptor<'_>) -> ValueType {
    match descriptor.base() {
        BaseType::Reference => ValueType::Reference,
        BaseType::Long => ValueType::Long,
        BaseType::Float => ValueType::Float,
        BaseType::Double => ValueType::Double,
        _ => ValueType::Int,
    }
}

/// An error without a constructor: it is only ever allocated, and so has no stack trace to fill in.
fn unwind() -> Result<Vec<u8>, EditError> {
    Ok(ClassFile::new(UNWIND, "java/lang/Error", VERSION)?.write()?)
}

/// A `ForkJoinPool.ManagedBlocker` that does all in one hook.
fn blocker() -> Result<Vec<u8>, EditError> {
    let mut class = ClassFile::new(BLOCKER, "java/lang/Object", VERSION)?;
    let interface = class.constants.add_class("java/util/concurrent/ForkJoinPool$ManagedBlocker")?;
    class.interfaces.push(interface);
    let flags = Flags::PUBLIC.with(Flags::FINAL);
    let block = class.constants.add_method(HOOKS, BLOCK.name, BLOCK.descriptor)?;
    for (name, instruction) in
        [("block", Instruction::Invoke(InvokeOp::Static, block)), ("isReleasable", Instruction::Int(0))]
    {
        let mut code = CodeBuilder::new(BLOCKER, name, "()Z", flags);
        code.push(instruction, &class.constants)?;
        code.push(Instruction::Return(Some(ValueType::Int)), &class.constants)?;
        let code = code.finish(&mut class.constants)?;
        class.add_method(flags, name, "()Z", Some(code))?;
    }
    Ok(class.write()?)
}

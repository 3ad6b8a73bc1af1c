//! What is rewritten, and what is deliberately opaque.
//!
//! The virtual machine stands on some packages: code there runs while classes are loaded and linked, while
//! threads start, and inside the hooks' own machinery. Events there would be noise at best. What they do
//! runs as one opaque step. A few classes in those packages are what users share, and are rewritten.

use crate::hook_class::{BLOCKER, HOOKS, UNWIND};
use crate::native_methods;
use schedule::EventKind;

/// Whether events in a class are seen. The name is as class files have it.
pub fn is_rewritten(class: &str) -> bool {
    if REWRITTEN_ALL_THE_SAME.contains(&class) {
        return true;
    }
    !OPAQUE.iter().any(|package| class.starts_with(package))
}

/// What is done to the code of a class when it is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Nothing: it is what the hooks are made of.
    Ours,
    /// Its accesses are events.
    Rewritten,
    /// Its accesses of elements are events, and nothing else is seen.
    Elements,
    /// Its accesses are watched.
    Opaque {
        /// Whether the monitors that it takes in blocks are events.
        monitors: bool,
    },
}

impl Treatment {
    /// What is done to a class. The name is as class files have it.
    pub fn of(class: &str) -> Treatment {
        match class {
            HOOKS | UNWIND | BLOCKER => Treatment::Ours,
            _ if is_rewritten(class) => Treatment::Rewritten,
            _ if tells_of_elements(class) => Treatment::Elements,
            _ => Treatment::Opaque { monitors: tells_of_monitors(class) },
        }
    }
}

/// Whether a class belongs to the JDK by its name.
pub fn is_of_jdk(class: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|package| class.starts_with(package))
}

/// The name of a class for people: a lock of `java.util.concurrent` is known by its own, not by that of what is inside it.
pub fn shown_name(class: &str) -> &str {
    let inside = ["$NonfairSync", "$FairSync", "$Sync"].iter().find_map(|end| class.strip_suffix(end));
    inside.filter(|name| name.starts_with("java.util.concurrent.")).unwrap_or(class)
}

/// Whether a method of ours stands in its place.
fn is_replaced(class: &str, method: &str) -> bool {
    let name = method.split('(').next().unwrap_or(method);
    native_methods::is_changed(class, name, &method[name.len()..])
}

/// Packages in which no event is seen, with all that is below them.
pub const OPAQUE: [&str; 4] = ["java/lang/", "jdk/internal/", "sun/", "java/security/"];

/// Classes in opaque packages that are rewritten.
pub const REWRITTEN_ALL_THE_SAME: [&str; 3] =
    ["java/lang/StringBuffer", "java/lang/StringBuilder", "java/lang/AbstractStringBuilder"];

/// Whether an opaque class touches arrays of the code under test by instructions: plain accesses of elements
/// by `VarHandle`. Only those are seen.
fn tells_of_elements(class: &str) -> bool {
    class.starts_with("java/lang/invoke/VarHandle") && class.ends_with("$Array")
}

/// Whether an opaque class tells of the monitors that it takes in blocks. These hold one while they call code that is rewritten and takes
/// it, too (a trace is printed line by line): what that may do would depend on what nobody was told of.
fn tells_of_monitors(class: &str) -> bool {
    ["java/lang/ClassLoader", "java/lang/Throwable", "sun/nio/cs/StreamEncoder", "sun/nio/cs/StreamDecoder"]
        .contains(&class)
}

/// Whether a method makes, from the time, what is to differ between processes: the salt of immutable sets and
/// maps, by which they order their elements. It runs long before there are hooks.
pub fn is_salted(class: &str, method: &str) -> bool {
    class == "java/util/ImmutableCollections" && method == "<clinit>()V"
}

/// Methods of rewritten classes that wait for what only a thread outside control does: here, the reference handler, which
/// frees the memory of buffers that are gone. For a thread under control that would be a wait without end.
pub fn waits_for_uncontrolled(class: &str, method: &str) -> bool {
    class == "java/nio/Bits" && method.starts_with("reserveMemory(")
}

/// Methods of the JDK's synchronizers, whose steps are told as one. What runs the tasks of a pool is none, though it
/// extends a synchronizer.
pub fn is_of_synchronizer(class: &str, method: &str) -> bool {
    let Some(name) = class.strip_prefix("java/util/concurrent/") else { return false };
    let is_one = name.starts_with("locks/AbstractQueued")
        && (name.ends_with("Synchronizer") || name.ends_with("$ConditionObject"))
        || name == "ThreadPoolExecutor$Worker"
        || ["$Sync", "$FairSync", "$NonfairSync"].iter().any(|end| name.ends_with(end));
    // What stands where a method was tells of events itself.
    is_one && !method.starts_with('<') && method != "run()V" && !is_replaced(class, method)
}

/// What a method of a synchronizer does, as far as it matters. The numbers are for the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Something.
    Any = 1,
    /// It takes a lock.
    Lock,
    /// It takes a lock that is free.
    TryLock,
    /// It gives a lock up.
    Unlock,
    /// It says who waits for a lock.
    Queue,
}

impl Step {
    /// What a method does, if its object is a lock that blocks like a monitor.
    pub fn of(class: &str, method: &str) -> Step {
        match (class, method) {
            ("java/util/concurrent/locks/ReentrantLock$Sync", "lock()V") => Step::Lock,
            ("java/util/concurrent/locks/ReentrantLock$Sync", "tryLock()Z") => Step::TryLock,
            ("java/util/concurrent/locks/AbstractQueuedSynchronizer", "release(I)Z") => Step::Unlock,
            ("java/util/concurrent/locks/AbstractQueuedSynchronizer", _) => {
                let name = method.split('(').next().unwrap_or(method);
                if ASK_FOR_QUEUES.contains(&name) { Step::Queue } else { Step::Any }
            }
            _ => Step::Any,
        }
    }

    /// Whether the step with that number says who waits for a lock.
    pub fn asks(number: i32) -> bool {
        number == Step::Queue as i32
    }

    /// The event of the step with that number.
    pub fn event(number: i32) -> Option<EventKind> {
        let steps =
            [(Step::Lock, EventKind::Lock), (Step::TryLock, EventKind::TryLock), (Step::Unlock, EventKind::Unlock)];
        steps.into_iter().find(|(step, _)| *step as i32 == number).map(|(_, kind)| kind)
    }
}

/// Methods of a synchronizer that say who waits for it, or on a condition of it. How many wait on a condition is
/// known elsewhere.
const ASK_FOR_QUEUES: [&str; 10] = [
    "getExclusiveQueuedThreads",
    "getFirstQueuedThread",
    "getQueueLength",
    "getQueuedThreads",
    "getSharedQueuedThreads",
    "getWaitingThreads",
    "hasContended",
    "hasQueuedThreads",
    "isQueued",
    "toString",
];

/// What runs inside a step of a synchronizer but is no part of it: a pool makes up for a thread that waits on a condition.
pub fn pauses_steps(class: &str, method: &str) -> bool {
    class == "java/util/concurrent/ForkJoinPool" && method.starts_with("managedBlock(")
}

/// What is part of the step again: the wait itself.
pub fn resumes_steps(class: &str, method: &str) -> bool {
    class.starts_with("java/util/concurrent/locks/AbstractQueued")
        && class.ends_with("Synchronizer$ConditionNode")
        && matches!(method, "block()Z" | "isReleasable()Z")
}

/// Methods of opaque classes that are quiet in objects of the JDK's own classes, and not in those of applications.
pub fn is_hushed_in_jdk(class: &str, method: &str) -> bool {
    class == "java/lang/ClassLoader" && method == "loadClass"
}

/// Methods of opaque classes in which the virtual machine loads, links and initialises code: what they call
/// in rewritten classes is not part of an execution either.
pub fn is_hushed(class: &str, method: &str) -> bool {
    match class {
        _ if method == "<clinit>" => true,
        // What the virtual machine calls by itself, in the midst of anything.
        "java/lang/ClassLoader" => matches!(method, "findNative" | "checkPackageAccess"),
        // Whoever wants a log of exits; to look for that loads a lot.
        "java/lang/Shutdown" => method == "logRuntimeExit",
        // Places where loaders of applications look, too.
        _ if class.starts_with("jdk/internal/loader/") => {
            let name = &class["jdk/internal/loader/".len()..];
            !name.starts_with("URLClassPath") && name != "FileURLMapper" && name != "Resource"
        }
        // Lists of an enum's constants, made on first use.
        "java/lang/Class" => method == "getEnumConstantsShared" || method == "enumConstantDirectory",
        // Numbers of threads, and the books that the JDK keeps of them.
        "java/lang/Thread" => method == "nextThreadID" || method == "exit",
        "java/lang/Thread$ThreadIdentifiers" => true,
        "java/lang/ThreadGroup" => BOOKS_OF_GROUPS.contains(&method),
        _ if class.starts_with("jdk/internal/vm/") => class.contains("ThreadContainer") && method != "start",
        // Method handles, call sites and string concatenations are made on first use, and made anew when they
        // were used often enough. What calls the code under test itself is not quiet.
        "java/lang/invoke/MethodHandle" => method == "customize",
        // What a call site calls can be changed and looked at.
        "java/lang/invoke/MethodHandleNatives" => !method.starts_with("setCallSiteTarget"),
        "java/lang/invoke/CallSite" => !["getTarget", "setTarget"].iter().any(|name| method.starts_with(name)),
        "java/lang/invoke/LambdaForm" => !method.starts_with("interpret") && method != "<init>",
        // These are given what threads can share: lists, loaders, members and classes to be defined.
        "java/lang/invoke/MethodType" => {
            !matches!(method, "fromMethodDescriptorString" | "listToArray" | "methodType")
                && !method.ends_with("ParameterTypes")
        }
        "java/lang/invoke/MethodHandles$Lookup" => {
            !["define", "findClass", "unreflect"].iter().any(|start| method.starts_with(start))
        }
        _ if class.starts_with("java/lang/invoke/") => MAKERS_OF_HANDLES.contains(&&class[17..]),
        "java/lang/reflect/Method" | "java/lang/reflect/Constructor" | "java/lang/reflect/Field" => {
            method.starts_with("acquire")
        }
        "jdk/internal/reflect/ReflectionFactory" | "jdk/internal/reflect/MethodHandleAccessorFactory" => true,
        _ => false,
    }
}

/// Methods by which a group of threads knows what is in it. Who asks for that taints.
const BOOKS_OF_GROUPS: [&str; 7] = [
    "add",
    "addUnstarted",
    "remove",
    "synchronizedAddStrong",
    "synchronizedAddWeak",
    "threadStartFailed",
    "threadTerminated",
];

/// The static field that a synchronized method of an opaque class counts by, if that is all it does. Such a method is
/// one step: a thread that is interrupted inside would hold the monitor.
pub fn counts(class: &str, method: &str) -> Option<&'static str> {
    (class == "java/lang/Thread" && method == "nextThreadNum").then_some("threadInitNumber")
}

/// Whether a method of an opaque class makes the name of a thread, in a builder that nobody else has. That is quiet.
pub fn names_thread(class: &str, method: &str) -> bool {
    class == "java/lang/Thread" && matches!(method, "<init>" | "genThreadName")
}

/// Methods of opaque classes whose answer depends on what quiet code has done: which threads there are in a group.
pub fn taints(class: &str, method: &str) -> bool {
    const OF_GROUPS: [&str; 9] = [
        "activeCount",
        "activeGroupCount",
        "destroy",
        "enumerate",
        "interrupt",
        "isDestroyed",
        "list",
        "resume",
        "stopOrSuspend",
    ];
    class == "java/lang/ThreadGroup" && OF_GROUPS.contains(&method)
}

/// Classes of `java.lang.invoke` that make what others call.
const MAKERS_OF_HANDLES: [&str; 13] = [
    "BootstrapMethodInvoker",
    "BoundMethodHandle$Specializer",
    "ClassSpecializer",
    "InnerClassLambdaMetafactory",
    "InvokerBytecodeGenerator",
    "Invokers",
    "LambdaFormBuffer",
    "LambdaFormEditor",
    "LambdaMetafactory",
    "MemberName",
    "MethodTypeForm",
    "StringConcatFactory",
    "VarForm",
];

//! Of which objects a copy can be kept, and put back.

use crate::graph::{FieldLayout, Kind, Layout, is_opaque};

/// What is done with an object that static state leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its fields or elements are kept, and followed.
    Kept,
    /// It never changes but for what the machine keeps in it, such as whether a method may be called by reflection. Or it
    /// belongs to the machine, and an initialiser that runs again gets the same one.
    LeftAlone,
    /// It has state that cannot be written, such as an address.
    Refused,
}

/// Classes, or packages of such, whose objects are left alone. One of a class that extends these and has fields of its own is not.
const LEFT_ALONE: [&str; 26] = [
    "java/lang/Class",
    "java/lang/ClassLoader",
    "java/lang/Module",
    "java/lang/ModuleLayer",
    "java/lang/Package",
    "java/lang/Runtime",
    "java/lang/StackTraceElement",
    "java/lang/StackWalker",
    "java/lang/invoke/DirectMethodHandle",
    "java/lang/invoke/MethodHandles$Lookup",
    "java/lang/invoke/MethodType",
    "java/lang/invoke/VarHandle",
    "java/lang/reflect/AccessibleObject",
    "java/nio/charset/Charset",
    "java/security/AccessControlContext",
    "java/security/CodeSource",
    "java/security/Permission",
    "java/security/ProtectionDomain",
    // Loggers of the platform, which all share.
    "jdk/internal/logger/",
    "sun/util/logging/",
    "jdk/internal/misc/Unsafe",
    "jdk/internal/reflect/ReflectionFactory",
    "sun/misc/Unsafe",
    "sun/reflect/ReflectionFactory",
    "sun/reflect/generics/",
    "sun/util/locale/",
];

/// Classes of opaque packages, or such packages, whose objects are like any others.
const ORDINARY: [&str; 8] = [
    "java/nio/Heap",
    "java/nio/Buffer",
    "java/nio/ByteBuffer",
    "java/nio/CharBuffer",
    // What a handler of a logger writes with.
    "java/nio/charset/CharsetDecoder",
    "java/nio/charset/CharsetEncoder",
    "sun/nio/cs/",
    "sun/util/calendar/",
];

/// What a thread that was never started can be told, in one version or another.
const OF_THREADS: [&str; 7] =
    ["contextClassLoader", "daemon", "holder", "interrupted", "name", "priority", "uncaughtExceptionHandler"];

/// Classes of opaque packages whose objects are kept, and the fields of them that are.
const IN_PART: [(&str, &[&str]); 16] = [
    ("java/lang/Object", &[]),
    ("java/lang/Enum", &[]),
    ("java/lang/Number", &[]),
    ("java/lang/Record", &[]),
    ("java/lang/Thread", &OF_THREADS),
    ("java/lang/Thread$FieldHolder", &["daemon", "priority"]),
    ("java/lang/ThreadLocal", &[]),
    ("java/lang/ThreadLocal$SuppliedThreadLocal", &["supplier"]),
    ("java/lang/InheritableThreadLocal", &[]),
    ("java/lang/Throwable", &["detailMessage", "cause", "suppressedExceptions"]),
    ("java/lang/ref/Reference", &["referent", "queue", "next"]),
    ("java/lang/ref/ReferenceQueue", &["head", "queueLength"]),
    ("java/lang/ref/ReferenceQueue$Null", &[]),
    ("java/lang/ref/NativeReferenceQueue", &[]),
    ("java/lang/ref/SoftReference", &[]),
    ("java/lang/ref/WeakReference", &[]),
];

/// What is done with objects of a class.
pub fn standing(layout: &Layout) -> Standing {
    if matches!(layout.kind, Kind::String | Kind::Class | Kind::Boxed) {
        return Standing::LeftAlone;
    }
    let is_in = |class: &String, list: &[&str]| list.iter().any(|known| is_below(class, known));
    if layout.classes.iter().any(|class| is_in(class, &LEFT_ALONE)) {
        let has_more = layout.fields.iter().any(|field| !is_opaque(&field.class));
        return if has_more { Standing::Refused } else { Standing::LeftAlone };
    }
    // Exceptions of the JDK add nothing that changes.
    let is_throwable = layout.classes.iter().any(|class| class == "java/lang/Throwable");
    let is_in_part = |class: &String| IN_PART.iter().any(|(known, _)| class == known);
    let is_known = |class: &String| is_throwable || is_in(class, &ORDINARY) || is_in_part(class);
    let is_refused = layout.classes.iter().any(|class| is_opaque(class) && !is_known(class));
    if is_refused { Standing::Refused } else { Standing::Kept }
}

/// Whether a field of an object that is kept is kept too.
pub fn is_kept(field: &FieldLayout) -> bool {
    let is_in_part = || IN_PART.iter().any(|(class, names)| *class == &*field.class && names.contains(&&*field.name));
    !is_opaque(&field.class) || ORDINARY.iter().any(|known| is_below(&field.class, known)) || is_in_part()
}

/// A package with all that is in it, or a class with those inside it or of several kinds, which its name begins.
fn is_below(class: &str, known: &str) -> bool {
    let is_beginning =
        known.ends_with('/') || ["java/nio/Heap", "java/lang/invoke/DirectMethodHandle"].contains(&known);
    class == known || is_beginning && class.starts_with(known)
}

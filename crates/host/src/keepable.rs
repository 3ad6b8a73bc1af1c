//! Of which objects a copy can be kept, and put back.

use crate::graph::{FieldLayout, Kind, Layout, is_opaque};

/// What is done with an object that static state leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Its fields or elements are kept, and followed.
    Kept,
    /// It never changes, or belongs to the virtual machine and to every execution.
    LeftAlone,
    /// It has state that cannot be written, such as an address or a thread.
    Refused,
}

/// Classes, or packages of such, whose objects are left alone, with all that extends them.
const LEFT_ALONE: [&str; 16] = [
    "java/lang/Class",
    "java/lang/ClassLoader",
    "java/lang/Module",
    "java/lang/ModuleLayer",
    "java/lang/Package",
    "java/lang/Runtime",
    "java/lang/StackTraceElement",
    "java/lang/ThreadGroup",
    "java/lang/invoke/",
    "java/lang/ref/ReferenceQueue",
    "java/lang/reflect/",
    "java/nio/charset/Charset",
    "java/security/AccessControlContext",
    "java/security/CodeSource",
    "java/security/ProtectionDomain",
    "sun/util/locale/",
];

/// Classes of opaque packages, or such packages, whose objects are like any others.
const ORDINARY: [&str; 5] =
    ["java/nio/Heap", "java/nio/Buffer", "java/nio/ByteBuffer", "java/nio/CharBuffer", "sun/util/calendar/"];

/// Classes of opaque packages that may be extended, and whose own fields are not looked at: a referent aside.
const SKIPPED: [&str; 10] = [
    "java/lang/Object",
    "java/lang/Enum",
    "java/lang/Number",
    "java/lang/Record",
    "java/lang/Throwable",
    "java/lang/ThreadLocal",
    "java/lang/InheritableThreadLocal",
    REFERENCE,
    "java/lang/ref/SoftReference",
    "java/lang/ref/WeakReference",
];
const REFERENCE: &str = "java/lang/ref/Reference";

/// What is done with objects of a class.
pub fn standing(layout: &Layout) -> Standing {
    if matches!(layout.kind, Kind::String | Kind::Class | Kind::Boxed) {
        return Standing::LeftAlone;
    }
    let is_throwable = layout.classes.iter().any(|class| class == "java/lang/Throwable");
    let mut standing = Standing::Kept;
    for class in layout.classes.iter().filter(|class| is_opaque(class)) {
        let is_in = |list: &[&str]| list.iter().any(|known| is_below(class, known));
        if is_in(&LEFT_ALONE) {
            return Standing::LeftAlone;
        }
        let is_skipped = SKIPPED.contains(&class.as_str()) || is_throwable;
        if !is_skipped && !is_in(&ORDINARY) {
            standing = Standing::Refused;
        }
    }
    standing
}

/// Whether a field of an object that is kept is kept too.
pub fn is_kept(field: &FieldLayout) -> bool {
    !is_opaque(&field.class)
        || ORDINARY.iter().any(|known| is_below(&field.class, known))
        || &*field.class == REFERENCE && &*field.name == "referent"
}

/// A package with all that is in it, or a class by the beginning of its name.
fn is_below(class: &str, known: &str) -> bool {
    let is_prefix = known.ends_with('/') || known == "java/nio/Heap";
    class == known || is_prefix && class.starts_with(known)
}

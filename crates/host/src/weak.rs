//! Accesses that Java orders less than volatile ones.
//!
//! Events know plain and volatile accesses only: whatever is between, such as `lazySet` and `VarHandle.getAcquire`, is told as one or
//! the other, and executions are sequentially consistent. Whoever draws conclusions about the Java memory model has to know who uses them.

use classfile::{ClassFile, Constant, MemberRef};

/// Whether a class names a method for such an access, in its code or as a text. The JDK's own classes are taken at
/// their word.
pub fn uses_weak_accesses(bytes: &[u8]) -> bool {
    let Ok(file) = ClassFile::parse(bytes) else { return false };
    file.constants.numbers().any(|number| match file.constants.get(number) {
        Some(Constant::MethodRef { .. }) => {
            file.constants.index(number).is_some_and(|index| is_weak(&file.constants.method(index)))
        }
        // Whoever looks methods up has their names as text.
        Some(Constant::Utf8(text)) => is_weak_name(&text.to_string()),
        _ => false,
    })
}

fn is_weak_name(name: &str) -> bool {
    let modes = ["Acquire", "Release", "Opaque"];
    let verbs = ["get", "set", "compareAndExchange", "getAndSet", "getAndAdd", "getAndBitwise"];
    name == "lazySet"
        || name.starts_with("weakCompareAndSet")
        || name.starts_with("putOrdered")
        || verbs.iter().any(|verb| name.starts_with(verb)) && modes.iter().any(|mode| name.ends_with(mode))
        || modes.iter().any(|mode| name.starts_with("GET_") && name.ends_with(&mode.to_uppercase()))
        || modes.iter().any(|mode| name.starts_with("SET_") && name.ends_with(&mode.to_uppercase()))
        || name.starts_with("WEAK_COMPARE_AND_SET")
}

fn is_weak(method: &MemberRef<'_>) -> bool {
    let (class, name) = (method.class.to_string(), method.name.to_string());
    let has_modes = class == "java/lang/invoke/VarHandle" || class.starts_with("java/util/concurrent/atomic/");
    let modes = ["Acquire", "Release", "Opaque", "Plain"];
    match class.as_str() {
        "sun/misc/Unsafe" => name.starts_with("putOrdered"),
        "java/lang/invoke/VarHandle" if name == "get" || name == "set" => false,
        _ if has_modes => {
            name == "lazySet" || name.starts_with("weakCompareAndSet") || modes.iter().any(|mode| name.ends_with(mode))
        }
        _ => false,
    }
}

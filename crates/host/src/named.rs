//! What classes of an application name that a certificate has to know of.

use classfile::{ClassFile, Constant};

/// Something that an application's class names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    /// The number of processors, or of a thread. We say numbers of our own.
    Numbers,
    /// `LockSupport`, by which a thread can be given a permit while it waits for a lock, which then uses it up.
    Permits,
    /// References that the garbage collector clears, and finalizers. Here it does neither at a time of its own.
    References,
}

/// Classes that refer to objects which the garbage collector may take, or that do something when it does.
const REFERENCES: [&str; 5] = [
    "java/lang/ref/WeakReference",
    "java/lang/ref/SoftReference",
    "java/lang/ref/PhantomReference",
    "java/lang/ref/Cleaner",
    "java/util/WeakHashMap",
];

/// What a class names.
pub fn named(class: &ClassFile<'_>) -> Vec<Named> {
    let mut all = Vec::new();
    for number in class.constants.numbers() {
        match class.constants.get(number) {
            Some(Constant::MethodRef { .. }) => {
                let method = class.constants.index(number).map(|index| class.constants.method(index));
                let is_number = |name: &str, descriptor: &str| {
                    // Of a thread, whatever its class is.
                    name == "availableProcessors" || descriptor == "()J" && (name == "getId" || name == "threadId")
                };
                if method.is_some_and(|it| is_number(&it.name.to_str(), &it.descriptor.to_str())) {
                    all.push(Named::Numbers);
                }
            }
            Some(Constant::Class(_)) => {
                let Some(name) = class.constants.index(number).map(|index| class.constants.class_name(index)) else {
                    continue;
                };
                if name == "java/util/concurrent/locks/LockSupport" {
                    all.push(Named::Permits);
                }
                if REFERENCES.iter().any(|reference| name == *reference) {
                    all.push(Named::References);
                }
            }
            _ => {}
        }
    }
    if class.find_method("finalize", "()V").is_some() {
        all.push(Named::References);
    }
    all
}

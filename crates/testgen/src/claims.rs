//! Which classes mean their objects to be shared by threads.
//!
//! A list that two threads are given says nothing of the class under test when it breaks. An account with locks of its
//! own does: whoever wrote it expects threads to meet there. So objects of classes that claim to be safe may be
//! arguments of calls in several threads, and of others not.

use classfile::{AttributeValue, ClassFile, Flags, Instruction};

use crate::class_info::ClassInfo;
use crate::library::{Library, is_of_jdk};

/// Packages of the JDK whose classes are made for threads.
const CONCURRENT: &str = "java/util/concurrent/";

/// Whether code of a class takes locks, or keeps what is made for threads.
pub fn has_locks(file: &ClassFile<'_>) -> bool {
    let constants = &file.constants;
    let in_code = file.methods.iter().any(|method| {
        let mut code = method.code().into_iter().flat_map(|code| code.instructions());
        method.flags.has(Flags::SYNCHRONIZED)
            || code.any(|placed| matches!(placed.instruction, Instruction::MonitorEnter))
    });
    let in_fields = || {
        let mut fields = file.fields.iter();
        fields.any(|field| {
            field.flags.has(Flags::VOLATILE) || constants.utf8(field.descriptor).to_string().contains(CONCURRENT)
        })
    };
    in_code || in_fields()
}

/// Whether an annotation says that a class is safe, whoever declares that annotation.
pub fn is_annotated(file: &ClassFile<'_>) -> bool {
    file.attributes.iter().any(|attribute| match &attribute.value {
        AttributeValue::Annotations { annotations, .. } => annotations.iter().any(|annotation| {
            let name = file.constants.utf8(annotation.type_descriptor).to_string();
            name.trim_end_matches(';').rsplit(['/', '$']).next() == Some("ThreadSafe")
        }),
        _ => false,
    })
}

impl Library<'_> {
    /// Whether objects of a class are meant to be shared. Of the JDK those are that are made for it, and those most of
    /// whose methods are synchronized: others have a lock somewhere, too. A `Vector` has, but whoever goes through it has to
    /// keep others away: it looks whether somebody has changed it, and throws.
    pub fn is_shareable(&self, class: &str) -> bool {
        if is_of_jdk(class) {
            let is_locked = || self.class(class).is_some_and(|info| is_synchronized(&info));
            return class.starts_with(CONCURRENT) || is_locked() && !self.fails_fast(class);
        }
        let line = self.line(class);
        let mut own = line.iter().filter(|info| !is_of_jdk(&info.name) && !info.is_interface());
        own.any(|info| info.claims_safety)
    }

    /// Whether a collection of the JDK counts its changes.
    fn fails_fast(&self, class: &str) -> bool {
        self.line(class).iter().any(|info| info.fields.iter().any(|field| field.name == "modCount"))
    }

    /// Whether all that can be done with an object of a class is to ask it, and that does not change it.
    pub fn only_tells(&self, class: &str) -> bool {
        let line = self.line(class);
        let mut classes = line.iter().filter(|info| info.name != "java/lang/Object");
        !line.is_empty() && classes.all(|info| info.only_tells)
    }
}

/// Whether most methods that a class declares for its users are synchronized.
fn is_synchronized(info: &ClassInfo) -> bool {
    let called = info.methods.iter().filter(|it| !it.is_static() && it.flags.has(Flags::PUBLIC));
    let (locked, free): (Vec<_>, Vec<_>) = called.partition(|it| it.flags.has(Flags::SYNCHRONIZED));
    locked.len() > free.len()
}

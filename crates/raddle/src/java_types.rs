//! What class files say of classes, for tests that are written as Java.
//!
//! Classes are read when they are first asked for, and kept. One that is missing or damaged is not known; what is written
//! of it then is a guess that the compiler may refuse.

use classfile::{Attribute, AttributeValue, ClassFile, ConstantPool, Flags, InnerClass};
use classpath::{ClassName, ClassPath};
use emit::{Access, ClassFacts, MemberFacts, Types};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The classes of a class path.
pub struct JavaTypes<'p> {
    class_path: &'p ClassPath,
    known: RefCell<HashMap<String, Option<Rc<ClassFacts>>>>,
    /// The packages that modules export to all, by module; with slashes.
    exported: RefCell<HashMap<String, Rc<HashSet<String>>>>,
}

impl Types for JavaTypes<'_> {
    fn class(&self, name: &str) -> Option<Rc<ClassFacts>> {
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        let facts = self.read(name).map(Rc::new);
        self.known.borrow_mut().insert(name.to_owned(), facts.clone());
        facts
    }
}

impl<'p> JavaTypes<'p> {
    /// Those of a class path, that of the JDK with it.
    pub fn new(class_path: &'p ClassPath) -> JavaTypes<'p> {
        JavaTypes { class_path, known: RefCell::default(), exported: RefCell::default() }
    }

    fn read(&self, name: &str) -> Option<ClassFacts> {
        let found = self.class_path.find_exact(&ClassName::parse(name).ok()?).ok()??;
        let class = ClassFile::parse(&found.bytes).ok()?;
        let constants = &class.constants;
        let text = |index| constants.utf8(index).to_str().into_owned();
        let class_name = |index| constants.class_name(index).to_str().into_owned();
        let nesting = nesting(&class, name);
        let module = found.origin.module;
        let is_exported = module.is_none_or(|module| {
            let package = name.rsplit_once('/').map_or("", |(package, _)| package);
            self.exports(module).contains(package)
        });
        let access = if is_exported { nesting.access } else { nesting.access.min(Access::Package) };
        Some(ClassFacts {
            name: name.to_owned(),
            source: nesting.source,
            access,
            is_interface: class.flags.has(Flags::INTERFACE),
            is_inner: nesting.is_inner,
            of_jdk: module.is_some(),
            superclass: class.super_class.map(class_name),
            interfaces: class.interfaces.iter().map(|&index| class_name(index)).collect(),
            signature: signature(&class.attributes, constants),
            methods: {
                let of = |method: &classfile::Method<'_>| MemberFacts {
                    is_varargs: method.flags.has(Flags::VARARGS),
                    is_abstract: method.flags.has(Flags::ABSTRACT),
                    throws: throws(&method.attributes, constants),
                    ..member(
                        method.full_flags(),
                        text(method.name),
                        text(method.descriptor),
                        &method.attributes,
                        constants,
                    )
                };
                class.methods.iter().map(of).collect()
            },
            fields: {
                let of = |field: &classfile::Field<'_>| {
                    member(field.full_flags(), text(field.name), text(field.descriptor), &field.attributes, constants)
                };
                class.fields.iter().map(of).collect()
            },
        })
    }

    /// The packages that a module exports to all.
    fn exports(&self, module: &str) -> Rc<HashSet<String>> {
        if let Some(known) = self.exported.borrow().get(module) {
            return known.clone();
        }
        let exported = Rc::new(self.read_exports(module).unwrap_or_default());
        self.exported.borrow_mut().insert(module.to_owned(), exported.clone());
        exported
    }

    fn read_exports(&self, module: &str) -> Option<HashSet<String>> {
        let bytes = self.class_path.module_info(module).ok()??;
        let class = ClassFile::parse(&bytes).ok()?;
        let declared = class.attributes.iter().find_map(|attribute| match &attribute.value {
            AttributeValue::Module(module) => Some(module),
            _ => None,
        })?;
        let to_all = declared.exports.iter().filter(|exports| exports.to.is_empty());
        let name = |index: u16| match class.constants.get(index) {
            Some(classfile::Constant::Package(name)) => Some(class.constants.utf8(name).to_str().into_owned()),
            _ => None,
        };
        Some(to_all.filter_map(|exports| name(exports.package.raw())).collect())
    }
}

/// Where a class stands in others.
struct Nesting {
    source: Option<String>,
    access: Access,
    is_inner: bool,
}

/// Reads it off the list of nested classes, in which a class has all classes that it is in.
fn nesting(class: &ClassFile<'_>, name: &str) -> Nesting {
    let constants = &class.constants;
    let nested = class.attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::InnerClasses(nested) => Some(&nested[..]),
        _ => None,
    });
    let entry = |of: &str| -> Option<&InnerClass> {
        nested.unwrap_or_default().iter().find(|entry| constants.class_name(entry.inner).to_str() == of)
    };
    let Some(own) = entry(name) else {
        // The flag that a class has by itself tells public ones from others, and that is all there is for these.
        let simple = name.rsplit('/').next().unwrap_or(name);
        return Nesting { source: Some(simple.to_owned()), access: access(class.flags), is_inner: false };
    };
    let is_inner = !own.flags.has(Flags::STATIC) && !own.flags.has(Flags::INTERFACE);
    let (mut source, mut narrowest, mut at) = (Some(String::new()), Access::Public, name.to_owned());
    // As long as it takes, and no longer where a damaged list goes in a circle.
    for _ in 0..=nested.map_or(0, <[_]>::len) {
        let Some(entry) = entry(&at) else { break };
        narrowest = narrowest.min(access(entry.flags));
        source = match (source, entry.name, entry.outer) {
            (Some(inside), Some(simple), Some(_)) => Some(format!(".{}{inside}", constants.utf8(simple).to_str())),
            _ => None,
        };
        match entry.outer {
            Some(outer) => at = constants.class_name(outer).to_str().into_owned(),
            None => break,
        }
    }
    let outermost = at.rsplit('/').next().unwrap_or(&at);
    Nesting { source: source.map(|inside| format!("{outermost}{inside}")), access: narrowest, is_inner }
}

fn access(flags: Flags) -> Access {
    if flags.has(Flags::PUBLIC) {
        Access::Public
    } else if flags.has(Flags::PROTECTED) {
        Access::Protected
    } else if flags.has(Flags::PRIVATE) {
        Access::Private
    } else {
        Access::Package
    }
}

fn member(
    flags: Flags,
    name: String,
    descriptor: String,
    attributes: &[Attribute<'_>],
    constants: &ConstantPool<'_>,
) -> MemberFacts {
    MemberFacts {
        name,
        descriptor,
        signature: signature(attributes, constants),
        access: access(flags),
        is_static: flags.has(Flags::STATIC),
        is_abstract: false,
        is_final: flags.has(Flags::FINAL),
        is_synthetic: flags.has(Flags::SYNTHETIC),
        is_varargs: false,
        throws: Vec::new(),
    }
}

fn signature(attributes: &[Attribute<'_>], constants: &ConstantPool<'_>) -> Option<String> {
    attributes.iter().find_map(|attribute| match attribute.value {
        AttributeValue::Signature(index) => Some(constants.utf8(index).to_str().into_owned()),
        _ => None,
    })
}

fn throws(attributes: &[Attribute<'_>], constants: &ConstantPool<'_>) -> Vec<String> {
    let declared = attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::Exceptions(classes) => Some(&classes[..]),
        _ => None,
    });
    declared.unwrap_or_default().iter().map(|&class| constants.class_name(class).to_str().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use classpath::Jdk;

    #[test]
    fn classes_of_the_jdk_are_known() {
        let class_path = ClassPath::of_jdk(&Jdk::find(None).unwrap()).unwrap();
        let types = JavaTypes::new(&class_path);
        let entry = types.class("java/util/Map$Entry").unwrap();
        assert_eq!((entry.source.as_deref(), entry.access), (Some("Map.Entry"), Access::Public));
        assert!(entry.is_interface && !entry.is_inner && entry.of_jdk && entry.is_generic());

        let iterator = types.class("java/util/ArrayList$Itr").unwrap();
        assert_eq!((iterator.source.as_deref(), iterator.access), (Some("ArrayList.Itr"), Access::Private));
        assert!(iterator.is_inner && !iterator.is_interface);

        let hidden = types.class("jdk/internal/misc/Unsafe").unwrap();
        assert_eq!(hidden.access, Access::Package, "its package is not exported to all");

        let buffer = types.class("java/lang/StringBuffer").unwrap();
        assert_eq!(buffer.superclass.as_deref(), Some("java/lang/AbstractStringBuilder"));
        assert!(buffer.methods.iter().filter(|method| method.name == "append").count() > 10);
        let read = types.class("java/io/InputStream").unwrap();
        let read = read.methods.iter().find(|method| method.descriptor == "()I" && method.name == "read").unwrap();
        assert!(read.is_abstract && read.throws == ["java/io/IOException"]);
        assert_eq!(types.class("no/such/Class"), None);
        assert_eq!(types.class("no//name"), None);
    }
}

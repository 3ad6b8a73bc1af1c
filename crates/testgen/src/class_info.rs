//! What a test needs to know of a class: who may use it, its members with their generic types, and its constants.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap};

use classfile::{AttributeValue, ClassFile, ClassSignature, ClassType, Constant, FieldOp, Flags, Instruction};
use classfile::{MethodSignature, TypeParameter, TypeSignature};

use crate::claims;
use crate::library::is_of_jdk;
use crate::messages;
use crate::numbers;

/// A class or interface.
#[derive(Clone, Debug)]
pub struct ClassInfo {
    /// As class files name it.
    pub name: String,
    /// As declared: those of a nested class are in the class around it.
    pub flags: Flags,
    /// The class around it.
    pub outer: Option<String>,
    /// An inner class: the first argument of its constructors is the object of the class around it.
    pub is_inner: bool,
    /// Inside a method, or without a name of its own: nobody else can name it.
    pub is_local: bool,
    pub super_class: Option<String>,
    pub interfaces: Vec<String>,
    pub type_parameters: Vec<TypeParameter>,
    /// Superclass and interfaces with their type arguments.
    pub supertypes: Vec<ClassType>,
    pub constructors: Vec<MethodInfo>,
    pub methods: Vec<MethodInfo>,
    pub constants: Vec<FieldInfo>,
    /// Fields that each of its objects has.
    pub fields: Vec<FieldInfo>,
    /// All that can be done with its objects is to ask them for what they hold, and that does not change them.
    pub only_tells: bool,
    /// It has locks of its own, or says that it is safe.
    pub claims_safety: bool,
    /// Texts that its code mentions, those aside that only its exceptions say.
    pub strings: Vec<String>,
    /// Whole numbers that its code mentions, and their neighbours.
    pub numbers: Vec<i64>,
}

/// A method or constructor.
#[derive(Clone, Debug)]
pub struct MethodInfo {
    pub name: String,
    pub descriptor: String,
    pub flags: Flags,
    pub type_parameters: Vec<TypeParameter>,
    pub parameters: Vec<TypeSignature>,
    /// None for `void`.
    pub returns: Option<TypeSignature>,
    /// The classes of which it makes objects, if it gives an object, with others of its class that it calls; of methods of objects
    /// only where the class has others inside it.
    pub makes: Vec<String>,
    /// Whether its own code is seen to change something. Of classes of the JDK nobody looks.
    pub changes: bool,
}

/// A field.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    pub name: String,
    pub descriptor: String,
    pub flags: Flags,
}

impl ClassInfo {
    /// Reads it off a class file; None for modules and files that are not a class.
    pub fn read(bytes: &[u8]) -> Option<ClassInfo> {
        let file = ClassFile::parse(bytes).ok()?;
        let name = file.name().to_string();
        let constants = &file.constants;
        let class_name = |index| constants.class_name(index).to_string();
        let super_class = file.super_class.map(class_name);
        let interfaces: Vec<String> = file.interfaces.iter().map(|&index| class_name(index)).collect();
        let signature = signature(&file, &file.attributes).and_then(|text| ClassSignature::parse(&text).ok());
        let (type_parameters, supertypes) = match signature {
            Some(signature) => {
                let above = super_class.is_some().then_some(signature.superclass);
                (signature.parameters, above.into_iter().chain(signature.interfaces).collect())
            }
            None => (Vec::new(), super_class.iter().chain(&interfaces).map(|name| plain(name)).collect()),
        };
        let mut info = ClassInfo {
            flags: file.full_flags(),
            outer: None,
            is_inner: false,
            is_local: false,
            super_class,
            interfaces,
            type_parameters,
            supertypes,
            constructors: Vec::new(),
            methods: Vec::new(),
            constants: Vec::new(),
            fields: Vec::new(),
            only_tells: false,
            claims_safety: claims::has_locks(&file) || claims::is_annotated(&file),
            strings: Vec::new(),
            numbers: numbers::of(&file),
            name,
        };
        info.read_nesting(&file);
        let has_members = has_members(&file);
        let making = LazyCell::new(|| Making::of(&file));
        for (number, method) in file.methods.iter().enumerate() {
            let Some(mut method) = MethodInfo::read(&file, method, info.is_inner) else { continue };
            let gives_object = matches!(method.returns, Some(TypeSignature::Class(_) | TypeSignature::Variable(_)));
            if gives_object && (has_members || method.is_static()) {
                method.makes = making.made_by(number);
            }
            match &*method.name {
                "<init>" => info.constructors.push(method),
                "<clinit>" => {}
                _ => info.methods.push(method),
            }
        }
        info.read_constants(&file);
        // Most classes are told by what their methods take; only of the others the code is looked at.
        let called = info.methods.iter().filter(|it| !it.is_static() && !it.flags.has(Flags::PRIVATE));
        info.only_tells = called.into_iter().all(|method| method.asks()) && only_tells(&file);
        Some(info)
    }

    fn read_nesting(&mut self, file: &ClassFile<'_>) {
        let constants = &file.constants;
        for attribute in &file.attributes {
            match &attribute.value {
                AttributeValue::InnerClasses(classes) => {
                    let own = classes.iter().find(|class| constants.class_name(class.inner) == *self.name);
                    if let Some(own) = own {
                        // Interfaces and enums are static without saying so in every compiler's output.
                        let is_static = own.flags.has(Flags::STATIC) || own.flags.has(Flags::INTERFACE);
                        self.flags = match self.flags.has(Flags::SYNTHETIC) {
                            true => own.flags.with(Flags::SYNTHETIC),
                            false => own.flags,
                        };
                        self.outer = own.outer.map(|outer| constants.class_name(outer).to_string());
                        self.is_inner = !is_static;
                        self.is_local |= own.outer.is_none() || own.name.is_none();
                    }
                }
                AttributeValue::EnclosingMethod { .. } => self.is_local = true,
                _ => {}
            }
        }
    }

    fn read_constants(&mut self, file: &ClassFile<'_>) {
        let messages = messages::of(file);
        for number in file.constants.numbers() {
            match file.constants.get(number) {
                Some(Constant::String(_)) if messages.contains(&number) => {}
                Some(Constant::String(text)) => self.strings.push(file.constants.utf8(text).to_string()),
                // What code names by its class is found under that name.
                Some(Constant::MethodRef { class, name_and_type })
                    if file.constants.class_name(class) == "java/lang/Class" =>
                {
                    let asked = file.constants.name_and_type(name_and_type).0.to_string();
                    self.strings.extend(names_of_classes(&asked).iter().map(|&name| name.to_owned()));
                }
                _ => {}
            }
        }
        for field in &file.fields {
            let descriptor = file.constants.utf8(field.descriptor).to_string();
            let name = file.constants.utf8(field.name).to_string();
            let holds_object = descriptor.starts_with('L');
            let field = FieldInfo { name, descriptor, flags: field.full_flags() };
            let can_be_named = !field.flags.has(Flags::SYNTHETIC);
            match field.flags.has(Flags::STATIC) {
                false => self.fields.push(field),
                true if holds_object && can_be_named && field.flags.has(Flags::FINAL) => self.constants.push(field),
                true => {}
            }
        }
    }

    /// Whether it is an interface.
    pub fn is_interface(&self) -> bool {
        self.flags.has(Flags::INTERFACE)
    }

    /// Whether it has no objects of its own.
    pub fn is_abstract(&self) -> bool {
        self.flags.has(Flags::ABSTRACT) || self.is_interface()
    }

    /// Whether it is an enum.
    pub fn is_enum(&self) -> bool {
        self.flags.has(Flags::ENUM) && self.super_class.as_deref() == Some("java/lang/Enum")
    }

    /// Its package: `java/util`.
    pub fn package(&self) -> &str {
        package(&self.name)
    }

    /// A method of its own.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&MethodInfo> {
        self.methods.iter().find(|method| method.name == name && method.descriptor == descriptor)
    }
}

impl MethodInfo {
    /// All but what it makes.
    fn read(file: &ClassFile<'_>, method: &classfile::Method<'_>, of_inner: bool) -> Option<MethodInfo> {
        let name = file.constants.utf8(method.name).to_string();
        let descriptor = file.constants.utf8(method.descriptor).to_string();
        let erased = MethodSignature::parse(&descriptor).ok()?;
        let generic = signature(file, &method.attributes).and_then(|text| MethodSignature::parse(&text).ok());
        let left_out = |generic: &MethodSignature| erased.parameters.len() - generic.parameters.len();
        // Constructors of enums and inner classes have parameters that signatures leave out.
        let generic = generic.filter(|generic| generic.parameters.len() <= erased.parameters.len());
        let generic = generic.and_then(|mut generic| match left_out(&generic) {
            0 => Some(generic),
            1 if of_inner && name == "<init>" => {
                generic.parameters.insert(0, erased.parameters[0].clone());
                Some(generic)
            }
            _ => None,
        });
        let MethodSignature { type_parameters, parameters, returns, .. } = generic.unwrap_or(erased);
        let (makes, flags) = (Vec::new(), method.full_flags());
        let has_asked = parameters.is_empty() && returns.is_some();
        let changes = has_asked && !is_of_jdk(&file.name().to_string()) && changes(file, method);
        Some(MethodInfo { name, descriptor, flags, type_parameters, parameters, returns, makes, changes })
    }

    /// Whether it is there for source code to call.
    pub fn is_in_source(&self) -> bool {
        !self.flags.has(Flags::SYNTHETIC)
    }

    /// Whether it gets nothing, or something to compare with, and gives something; and is not seen to change anything.
    pub fn asks(&self) -> bool {
        self.name == "equals" || self.parameters.is_empty() && self.returns.is_some() && !self.changes
    }

    /// Whether it is static.
    pub fn is_static(&self) -> bool {
        self.flags.has(Flags::STATIC)
    }
}

/// The package part of a class name.
pub fn package(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(package, _)| package)
}

/// A class without type arguments.
pub fn plain(name: &str) -> ClassType {
    ClassType { name: name.to_owned(), arguments: Vec::new(), inner: Vec::new() }
}

/// Whether no method changes an object of the class, nor asks another object, which it might change. What all objects have may do so.
fn only_tells(file: &ClassFile<'_>) -> bool {
    const OF_ALL: [&str; 3] = ["equals", "hashCode", "toString"];
    let (constants, own) = (&file.constants, file.name());
    file.methods.iter().all(|method| {
        let name = constants.utf8(method.name).to_string();
        let is_free = name.starts_with('<') || method.flags.has(Flags::STATIC) || OF_ALL.contains(&&*name);
        is_free
            || method.code().into_iter().flat_map(|code| code.instructions()).all(|placed| match placed.instruction {
                Instruction::Field(FieldOp::Put | FieldOp::PutStatic, _) | Instruction::ArrayStore(_) => false,
                Instruction::Invoke(_, target) => constants.method(target).class == own,
                Instruction::InvokeDynamic(_) => false,
                _ => true,
            })
    })
}

/// Whether a method writes, or calls a method of another class by a name that does not sound like a question.
fn changes(file: &ClassFile<'_>, method: &classfile::Method<'_>) -> bool {
    const QUESTIONS: [&str; 12] =
        ["get", "is", "has", "size", "length", "contains", "equals", "hashCode", "toString", "valueOf", "peek", "name"];
    let (constants, own) = (&file.constants, file.name());
    method.code().into_iter().flat_map(|code| code.instructions()).any(|placed| match placed.instruction {
        Instruction::Field(FieldOp::Put | FieldOp::PutStatic, _) | Instruction::ArrayStore(_) => true,
        Instruction::Invoke(_, target) => {
            let target = constants.method(target);
            // What a number or a flag of `java.util.concurrent.atomic` is asked and changed by begins alike.
            let name = target.name.to_string();
            let is_question = QUESTIONS.iter().any(|question| name.starts_with(question)) && !name.contains("And");
            target.class != own && !is_question && !name.starts_with('<')
        }
        _ => false,
    })
}

/// Whether there are classes inside it.
fn has_members(file: &ClassFile<'_>) -> bool {
    let own = file.name();
    let inside = |outer| file.constants.class_name(outer) == own;
    file.attributes.iter().any(|attribute| match &attribute.value {
        AttributeValue::InnerClasses(classes) => classes.iter().any(|class| class.outer.is_none_or(inside)),
        _ => false,
    })
}

/// Which classes methods of a class make objects of.
struct Making {
    /// Of each method, by its number: the classes.
    makes: Vec<Vec<String>>,
    /// The methods of the same class that it calls.
    calls: Vec<Vec<usize>>,
}

impl Making {
    fn of(file: &ClassFile<'_>) -> Making {
        let (constants, own) = (&file.constants, file.name());
        let names = file.methods.iter().map(|method| (constants.utf8(method.name), constants.utf8(method.descriptor)));
        let numbers: HashMap<_, usize> = names.zip(0..).collect();
        let mut making = Making { makes: Vec::new(), calls: Vec::new() };
        for method in &file.methods {
            let (mut makes, mut calls) = (Vec::new(), Vec::new());
            for placed in method.code().into_iter().flat_map(|code| code.instructions()) {
                match placed.instruction {
                    Instruction::New(class) => makes.push(constants.class_name(class).to_string()),
                    Instruction::Invoke(_, target) => {
                        let target = constants.method(target);
                        // What a constructor makes is kept, not given.
                        let is_own = target.class == own && target.name != *"<init>";
                        calls.extend(numbers.get(&(target.name, target.descriptor)).filter(|_| is_own));
                    }
                    _ => {}
                }
            }
            making.makes.push(makes);
            making.calls.push(calls);
        }
        making
    }

    /// The classes of which a method makes objects, itself or in others of its class that it calls.
    fn made_by(&self, method: usize) -> Vec<String> {
        let (mut seen, mut open) = (BTreeSet::from([method]), vec![method]);
        let mut makes = BTreeSet::new();
        while let Some(method) = open.pop() {
            makes.extend(self.makes[method].iter().cloned());
            open.extend(self.calls[method].iter().filter(|called| seen.insert(**called)));
        }
        makes.into_iter().collect()
    }
}

fn signature(file: &ClassFile<'_>, attributes: &[classfile::Attribute<'_>]) -> Option<String> {
    attributes.iter().find_map(|attribute| match attribute.value {
        AttributeValue::Signature(text) => Some(file.constants.utf8(text).to_string()),
        _ => None,
    })
}

/// Names of classes whose objects tests pass where anything will do, as this method of `Class` tells them.
fn names_of_classes(method: &str) -> &'static [&'static str] {
    match method {
        "getSimpleName" => &["String", "Object", "Integer"],
        "getName" | "getTypeName" | "getCanonicalName" => {
            &["java.lang.String", "java.lang.Object", "java.lang.Integer"]
        }
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use classfile::Attribute;

    #[test]
    fn what_an_attribute_says_is_synthetic_is_not_in_source() {
        let mut file = ClassFile::new("acme/List", "java/lang/Object", 46).unwrap();
        let attribute =
            Attribute { name: file.constants.add_utf8("Synthetic").unwrap(), value: AttributeValue::Synthetic };
        for name in ["access$000", "size"] {
            let flags = Flags::PUBLIC.with(Flags::ABSTRACT);
            let method = file.add_method(flags, name, "()I", None).unwrap();
            method.attributes.extend((name != "size").then(|| attribute.clone()));
            let flags = Flags::PUBLIC.with(Flags::STATIC).with(Flags::FINAL);
            let field = file.add_field(flags, name, "Lacme/List;").unwrap();
            field.attributes.extend((name != "size").then(|| attribute.clone()));
        }
        let visible = ClassInfo::read(&file.write().unwrap()).unwrap();
        let in_source = visible.methods.iter().filter(|method| method.is_in_source());
        assert_eq!(in_source.map(|method| &*method.name).collect::<Vec<_>>(), ["size"]);
        assert_eq!(visible.constants.iter().map(|field| &*field.name).collect::<Vec<_>>(), ["size"]);
        assert!(!visible.flags.has(Flags::SYNTHETIC));
        file.attributes.push(attribute);
        assert!(ClassInfo::read(&file.write().unwrap()).unwrap().flags.has(Flags::SYNTHETIC));
    }
}

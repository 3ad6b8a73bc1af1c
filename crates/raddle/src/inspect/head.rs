//! The class as a whole: its declaration, and the facts that stand under it.

use classfile::{
    AttributeValue, ClassFile, ClassSignature, Flags, FlagsOf, InnerClass, JavaStr, RecordComponent, TypeSignature,
};

use super::lookup::Found;
use super::outline::{Declaration, modifiers, signature};
use super::{module, spelling};

/// A label and what it stands for.
#[derive(Debug)]
pub struct Fact {
    pub label: &'static str,
    pub items: Vec<String>,
}

/// The declaration: modifiers, kind, name, type parameters, record components.
pub fn declaration(class: &ClassFile<'_>) -> Declaration {
    if let Some(module) = module::of(class) {
        return module::declaration(class, module);
    }
    let kind = Kind::of(class);
    let parameters = class_signature(class).map(|signature| signature.parameters).unwrap_or_default();
    let parameters: Vec<String> = parameters.iter().map(spelling::written).collect();
    let mut after = if parameters.is_empty() { String::new() } else { format!("<{}>", parameters.join(", ")) };
    if let Some(components) = record(class) {
        let components: Vec<String> = components.iter().map(|component| component_text(class, component)).collect();
        after.push_str(&format!("({})", components.join(", ")));
    }
    // Only the entry that a nested class has for itself tells all its modifiers.
    let flags = own_entry(class).map_or(class.flags, |entry| entry.flags);
    let mut modifiers = modifiers(flags.without(kind.implied()), FlagsOf::Class);
    if !permitted(class).is_empty() && kind != Kind::Enum {
        modifiers.push("sealed");
    }
    Declaration {
        modifiers,
        before: format!("{} ", kind.keyword()),
        name: spelling::qualified(class.name()),
        after,
        throws: Vec::new(),
    }
}

/// What it extends, implements and permits.
pub fn clauses(class: &ClassFile<'_>) -> Vec<Fact> {
    let plain = |index| spelling::class(class.constants.class_name(index));
    let (superclass, interfaces) = match class_signature(class) {
        Some(signature) => (
            Some(spelling::written(&signature.superclass)),
            signature.interfaces.iter().map(spelling::written).collect(),
        ),
        None => (class.super_class.map(plain), class.interfaces.iter().copied().map(plain).collect()),
    };
    let superclass = superclass.into_iter().filter(|name| name != "Object").collect();
    let inherits = if class.flags.has(Flags::INTERFACE) { "extends" } else { "implements" };
    some([("extends", superclass), (inherits, interfaces), ("permits", permitted(class))])
}

/// Where the class comes from, and which classes belong to it.
pub fn facts(class: &ClassFile<'_>, found: &Found) -> Vec<Fact> {
    let constants = &class.constants;
    let name = spelling::qualified(class.name());
    let mut facts = some([
        ("from", vec![found.origin.clone()]),
        ("found as", misplaced(found, &name).into_iter().collect()),
        ("version", vec![version(class)]),
        ("source", source_file(class).map(spelling::plain).into_iter().collect()),
        ("size", vec![format!("{} bytes", found.bytes.len())]),
    ]);
    let class_name = |index| spelling::qualified(constants.class_name(index));
    let mut nested: Vec<String> = inner_classes(class)
        .iter()
        .filter(|inner| inner.outer == Some(class.this_class))
        .map(|inner| class_name(inner.inner))
        .collect();
    for attribute in &class.attributes {
        match &attribute.value {
            AttributeValue::NestHost(host) => facts.extend(some([("nest host", vec![class_name(*host)])])),
            AttributeValue::NestMembers(members) => {
                for member in members.iter().map(|&member| class_name(member)) {
                    if !nested.contains(&member) {
                        nested.push(member);
                    }
                }
            }
            AttributeValue::EnclosingMethod { class: outer, method } => {
                let outer = class_name(*outer);
                let place = match method.map(|method| constants.name_and_type(method)) {
                    Some((name, descriptor)) => {
                        format!("{outer}.{}{}", spelling::plain(name), spelling::method_type(descriptor))
                    }
                    None => outer,
                };
                facts.extend(some([("inside", vec![place])]));
            }
            AttributeValue::Module(module) => facts.extend(module::facts(class, module)),
            AttributeValue::ModuleMainClass(main) => facts.extend(some([("main class", vec![class_name(*main)])])),
            _ => {}
        }
    }
    // Their own part of the name is enough.
    let prefix = format!("{name}$");
    nested.iter_mut().for_each(|nested| *nested = nested.strip_prefix(&prefix).unwrap_or(nested).to_owned());
    facts.extend(some([("nested", nested)]));
    facts
}

/// The name that constructors have in source.
pub fn simple_name(class: &ClassFile<'_>) -> String {
    match own_entry(class).and_then(|entry| entry.name) {
        Some(name) => spelling::plain(class.constants.utf8(name)),
        None => {
            let name = spelling::qualified(class.name());
            name.rsplit('.').next().unwrap_or_default().to_owned()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Class,
    Interface,
    Annotation,
    Enum,
    Record,
}

impl Kind {
    fn of(class: &ClassFile<'_>) -> Kind {
        match class.flags {
            flags if flags.has(Flags::ANNOTATION) => Kind::Annotation,
            flags if flags.has(Flags::INTERFACE) => Kind::Interface,
            flags if flags.has(Flags::ENUM) => Kind::Enum,
            _ if record(class).is_some() => Kind::Record,
            _ => Kind::Class,
        }
    }

    fn keyword(self) -> &'static str {
        match self {
            Kind::Class => "class",
            Kind::Interface => "interface",
            Kind::Annotation => "@interface",
            Kind::Enum => "enum",
            Kind::Record => "record",
        }
    }

    /// Modifiers that such a class has without being declared so.
    fn implied(self) -> Flags {
        match self {
            Kind::Class => Flags(0),
            Kind::Interface | Kind::Annotation => Flags::ABSTRACT.with(Flags::STATIC),
            Kind::Enum => Flags::FINAL.with(Flags::ABSTRACT).with(Flags::STATIC),
            Kind::Record => Flags::FINAL.with(Flags::STATIC),
        }
    }
}

fn version(class: &ClassFile<'_>) -> String {
    let (major, minor) = (class.major_version, class.minor_version);
    let java = match major {
        ..49 => format!("1.{}", major.saturating_sub(44)),
        _ => (major - 44).to_string(),
    };
    let preview = if major >= 56 && minor == u16::MAX { " with preview features" } else { "" };
    format!("Java {java}{preview} (class file {major}.{minor})")
}

/// Says so if the class lies where no JVM would take it from.
fn misplaced(found: &Found, name: &str) -> Option<String> {
    let place = found.name.as_ref()?.to_string();
    (place != name).then(|| format!("{place} (the class path entry is not the root of its packages)"))
}

fn component_text(class: &ClassFile<'_>, component: &RecordComponent<'_>) -> String {
    let name = spelling::plain(class.constants.utf8(component.name));
    let generic = signature(&component.attributes, &class.constants);
    let of_type = match generic.and_then(|text| TypeSignature::parse(&text).ok()) {
        Some(generic) => spelling::written(generic),
        None => spelling::field_type(class.constants.utf8(component.descriptor)),
    };
    format!("{of_type} {name}")
}

/// None also if it is malformed: a JVM takes no notice of that either.
fn class_signature(class: &ClassFile<'_>) -> Option<ClassSignature> {
    ClassSignature::parse(&signature(&class.attributes, &class.constants)?).ok()
}

fn record<'c, 'a>(class: &'c ClassFile<'a>) -> Option<&'c [RecordComponent<'a>]> {
    class.attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::Record(components) => Some(components.as_slice()),
        _ => None,
    })
}

fn permitted(class: &ClassFile<'_>) -> Vec<String> {
    let permitted = class.attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::PermittedSubclasses(classes) => Some(classes.as_slice()),
        _ => None,
    });
    let name = |&index| spelling::class(class.constants.class_name(index));
    permitted.unwrap_or_default().iter().map(name).collect()
}

fn source_file<'c>(class: &'c ClassFile<'_>) -> Option<JavaStr<'c>> {
    class.attributes.iter().find_map(|attribute| match attribute.value {
        AttributeValue::SourceFile(name) => Some(class.constants.utf8(name)),
        _ => None,
    })
}

fn inner_classes<'c>(class: &'c ClassFile<'_>) -> &'c [InnerClass] {
    let inner = class.attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::InnerClasses(classes) => Some(classes.as_slice()),
        _ => None,
    });
    inner.unwrap_or_default()
}

/// What a nested class says of itself.
fn own_entry<'c>(class: &'c ClassFile<'_>) -> Option<&'c InnerClass> {
    inner_classes(class).iter().find(|inner| class.constants.class_name(inner.inner) == class.name())
}

/// Facts that say something.
pub fn some<const N: usize>(facts: [(&'static str, Vec<String>); N]) -> Vec<Fact> {
    let facts = facts.into_iter().filter(|(_, items)| !items.is_empty());
    facts.map(|(label, items)| Fact { label, items }).collect()
}

//! Types of values in code that the host writes.

use super::NotImplementable;
use super::write::value_type;
use classfile::{JavaStr, MethodDescriptor, TypeDescriptor, ValueType};

/// The type of a value: its descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Type(pub String);

/// The type of null: no descriptor.
pub const NULL: &str = "null";

impl Type {
    /// The type with that descriptor.
    pub fn parse(descriptor: &str) -> Result<Type, NotImplementable> {
        let parsed = JavaStr::new(descriptor.as_bytes()).and_then(TypeDescriptor::new);
        parsed.map(|_| Type(descriptor.to_owned())).ok_or_else(|| NotImplementable::Descriptor(descriptor.to_owned()))
    }

    /// Whether it is an object or null.
    pub fn is_reference(&self) -> bool {
        self.0 == NULL || self.0.starts_with(['L', '['])
    }

    /// How it is loaded and returned.
    pub fn kind(&self) -> ValueType {
        let parsed = JavaStr::new(self.0.as_bytes()).and_then(TypeDescriptor::new);
        parsed.map_or(ValueType::Reference, value_type)
    }

    /// As a class constant has it.
    pub fn class_name(&self) -> &str {
        self.0.strip_prefix('L').map_or(&*self.0, |name| name.trim_end_matches(';'))
    }
}

/// The parameters of a method, and what it returns.
pub fn types(descriptor: &str) -> Result<(Vec<Type>, Option<Type>), NotImplementable> {
    let parsed = JavaStr::new(descriptor.as_bytes()).and_then(MethodDescriptor::new);
    let parsed = parsed.ok_or_else(|| NotImplementable::Descriptor(descriptor.to_owned()))?;
    let of = |of: TypeDescriptor<'_>| Type(of.text().to_string());
    Ok((parsed.parameters().map(of).collect(), parsed.returns().map(of)))
}

/// The class of the box for a primitive type.
pub fn boxed(letter: &str) -> &'static str {
    match letter {
        "Z" => "java/lang/Boolean",
        "B" => "java/lang/Byte",
        "C" => "java/lang/Character",
        "S" => "java/lang/Short",
        "I" => "java/lang/Integer",
        "J" => "java/lang/Long",
        "F" => "java/lang/Float",
        _ => "java/lang/Double",
    }
}

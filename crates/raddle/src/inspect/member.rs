//! Fields and methods.

use classfile::{
    AttributeValue, ClassFile, Constant, Flags, FlagsOf, Index, Instruction, MethodDescriptor, MethodSignature,
    TypeParameter, TypeSignature, kind,
};

use super::listing::Listing;
use super::outline::{Body, CodeFacts, Declaration, Field, Method, modifiers, signature};
use super::{literal, spelling};

/// What is shown of a field.
pub fn field(class: &ClassFile<'_>, field: &classfile::Field<'_>) -> Field {
    let constants = &class.constants;
    let descriptor = constants.utf8(field.descriptor);
    let generic = signature(&field.attributes, constants).and_then(|text| TypeSignature::parse(&text).ok());
    let of_type = generic.map_or_else(|| spelling::field_type(descriptor), spelling::written);
    let value = field.attributes.iter().find_map(|attribute| match attribute.value {
        AttributeValue::ConstantValue(index) => Some(value(class, index, descriptor.as_bytes())),
        _ => None,
    });
    Field {
        value,
        volatile: field.flags.has(Flags::VOLATILE),
        declaration: Declaration {
            modifiers: modifiers(field.flags, FlagsOf::Field),
            before: format!("{of_type} "),
            name: spelling::plain(constants.utf8(field.name)),
            after: String::new(),
            throws: Vec::new(),
        },
    }
}

/// What is shown of a method. `constructor` is what source calls a constructor.
pub fn method(class: &ClassFile<'_>, method: &classfile::Method<'_>, constructor: &str, listed: bool) -> Method {
    Method {
        synchronized: method.flags.has(Flags::SYNCHRONIZED),
        declaration: declaration(class, method, constructor),
        body: match method.code() {
            Some(code) => Body::Code(CodeFacts {
                lines: code.line_numbers().map(|entry| entry.line).collect(),
                bytes: code.bytes().len(),
                instructions: code.instructions().count(),
                monitor_enters: code.instructions().filter(|i| i.instruction == Instruction::MonitorEnter).count(),
                listing: listed.then(|| Listing::of(class, code)),
            }),
            None if method.flags.has(Flags::NATIVE) => Body::Native,
            None if method.flags.has(Flags::ABSTRACT) => Body::Abstract,
            None => Body::Missing,
        },
    }
}

fn declaration(class: &ClassFile<'_>, method: &classfile::Method<'_>, constructor: &str) -> Declaration {
    let constants = &class.constants;
    let name = constants.utf8(method.name);
    let mut modifiers = modifiers(method.flags, FlagsOf::Method);
    if name == "<clinit>" {
        // The block's own "static" is its name here.
        modifiers.retain(|modifier| *modifier != "static");
        return Declaration {
            modifiers,
            before: String::new(),
            name: "static {}".to_owned(),
            after: String::new(),
            throws: Vec::new(),
        };
    }
    let concrete = Flags::ABSTRACT.with(Flags::STATIC).with(Flags::PRIVATE);
    if class.flags.has(Flags::INTERFACE) && method.flags.0 & concrete.0 == 0 {
        modifiers.push("default");
    }
    let types = Types::of(class, method);
    let parameters = spelled_parameters(types.parameters, method.flags.has(Flags::VARARGS));
    let type_parameters = match types.type_parameters.as_slice() {
        [] => String::new(),
        some => format!("<{}> ", some.iter().map(spelling::written).collect::<Vec<_>>().join(", ")),
    };
    let (before, name) = match name == "<init>" {
        true => (type_parameters, constructor.to_owned()),
        false => (format!("{type_parameters}{} ", types.returns), spelling::plain(name)),
    };
    Declaration { modifiers, before, name, after: format!("({parameters})"), throws: types.throws }
}

/// The types of a method: those of its generic signature if there is one, else those of its descriptor.
struct Types {
    type_parameters: Vec<TypeParameter>,
    parameters: Vec<String>,
    returns: String,
    throws: Vec<String>,
}

impl Types {
    fn of(class: &ClassFile<'_>, method: &classfile::Method<'_>) -> Types {
        let constants = &class.constants;
        let thrown = method.attributes.iter().find_map(|attribute| match &attribute.value {
            AttributeValue::Exceptions(classes) => Some(classes.as_slice()),
            _ => None,
        });
        let thrown = thrown.unwrap_or_default().iter();
        let throws = thrown.map(|&class| spelling::class(constants.class_name(class))).collect();
        let generic = signature(&method.attributes, constants).and_then(|text| MethodSignature::parse(&text).ok());
        let void = || "void".to_owned();
        if let Some(generic) = generic {
            return Types {
                parameters: generic.parameters.iter().map(spelling::written).collect(),
                returns: generic.returns.map_or_else(void, spelling::written),
                // The signature repeats them only if one is a type parameter.
                throws: match generic.throws.as_slice() {
                    [] => throws,
                    throws => throws.iter().map(spelling::written).collect(),
                },
                type_parameters: generic.type_parameters,
            };
        }
        let descriptor = MethodDescriptor::new(constants.utf8(method.descriptor));
        let descriptor = descriptor.expect("internal bug: descriptors are checked when a class is read");
        Types {
            type_parameters: Vec::new(),
            parameters: descriptor.parameters().map(spelling::written).collect(),
            returns: descriptor.returns().map_or_else(void, spelling::written),
            throws,
        }
    }
}

fn spelled_parameters(mut parameters: Vec<String>, variable: bool) -> String {
    if let Some(last) = parameters.last_mut().filter(|_| variable)
        && let Some(element) = last.strip_suffix("[]")
    {
        *last = format!("{element}...");
    }
    parameters.join(", ")
}

/// A field's constant value. The pool keeps small types as `int`; the descriptor tells which it is.
fn value(class: &ClassFile<'_>, index: Index<kind::Value>, descriptor: &[u8]) -> String {
    match (class.constants.get(index.raw()), descriptor) {
        (Some(Constant::Integer(value)), b"Z") => (value != 0).to_string(),
        (Some(Constant::Integer(value)), b"C") => literal::character(value as u16),
        (Some(Constant::Integer(value)), _) => value.to_string(),
        (Some(Constant::Long(value)), _) => format!("{value}L"),
        (Some(Constant::Float(value)), _) => literal::float(value),
        (Some(Constant::Double(value)), _) => literal::double(value),
        (Some(Constant::String(text)), _) => literal::string(class.constants.utf8(text)),
        _ => unreachable!("internal bug: no other constant is a value"),
    }
}

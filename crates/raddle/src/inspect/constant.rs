//! Constants as operands: what an instruction names, in words.

use classfile::{BootstrapMethod, ClassFile, Constant, Index, MemberRef, kind};

use super::{literal, spelling};

/// A field or method: `java.util.Vector.elementCount: int`, `java.util.Vector.get(int): Object`.
pub fn member(member: MemberRef<'_>) -> String {
    let (class, name) = (spelling::class(member.class), spelling::plain(member.name));
    match member.descriptor.as_bytes().first() {
        Some(b'(') => format!("{class}.{name}{}", spelling::method_type(member.descriptor)),
        _ => format!("{class}.{name}: {}", spelling::field_type(member.descriptor)),
    }
}

/// A constant that can be loaded.
pub fn loadable(class: &ClassFile<'_>, index: Index<kind::Loadable>) -> String {
    let constants = &class.constants;
    match constants.get(index.raw()) {
        Some(Constant::Integer(value)) => value.to_string(),
        Some(Constant::Float(value)) => literal::float(value),
        Some(Constant::Long(value)) => format!("{value}L"),
        Some(Constant::Double(value)) => literal::double(value),
        Some(Constant::String(text)) => literal::string(constants.utf8(text)),
        Some(Constant::Class(name)) => format!("{}.class", spelling::class(constants.utf8(name))),
        Some(Constant::MethodType(descriptor)) => spelling::method_type(constants.utf8(descriptor)),
        Some(Constant::MethodHandle { reference_kind, member: named }) => {
            format!("{} {}", handle_kind(reference_kind), member(constants.member(named)))
        }
        Some(Constant::Dynamic { name_and_type, .. }) => {
            let (name, descriptor) = constants.name_and_type(name_and_type);
            format!("dynamic {}: {}", spelling::plain(name), spelling::field_type(descriptor))
        }
        _ => unreachable!("internal bug: nothing else can be loaded"),
    }
}

/// The bootstrap method of a dynamic constant.
pub fn bootstrap_of(class: &ClassFile<'_>, index: Index<kind::Loadable>) -> Option<u16> {
    match class.constants.get(index.raw()) {
        Some(Constant::Dynamic { bootstrap, .. }) => Some(bootstrap),
        _ => None,
    }
}

/// A bootstrap method and its arguments, one a line. A dynamic constant among the arguments is told by
/// its name alone, for it may lead back to itself.
pub fn bootstrap(class: &ClassFile<'_>, number: u16) -> Vec<String> {
    let BootstrapMethod { method, arguments } = &class.bootstrap_methods()[usize::from(number)];
    let by = match class.constants.get(method.raw()) {
        Some(Constant::MethodHandle { member, .. }) => class.constants.member(member),
        _ => unreachable!("internal bug: a bootstrap method is a method handle"),
    };
    let name = format!("by {}.{}", spelling::class(by.class), spelling::plain(by.name));
    let arguments = arguments.iter().map(|&argument| format!("  {}", brief(loadable(class, argument))));
    std::iter::once(name).chain(arguments).collect()
}

fn handle_kind(reference_kind: u8) -> &'static str {
    match reference_kind {
        1 => "getfield",
        2 => "getstatic",
        3 => "putfield",
        4 => "putstatic",
        5 => "invokevirtual",
        6 => "invokestatic",
        7 => "invokespecial",
        8 => "new",
        _ => "invokeinterface",
    }
}

/// Long strings are cut: they stand whole where they are loaded.
fn brief(text: String) -> String {
    const LONGEST: usize = 72;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) if text.starts_with('"') => format!("{}...\"", &text[..end]),
        _ => text,
    }
}

//! Generic types: what stands for their variables, and what is left of them when code runs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use classfile::{ClassType, TypeArgument, TypeParameter, TypeSignature};

use crate::class_info::plain;

/// What type variables stand for.
pub type Bindings = BTreeMap<String, TypeSignature>;

/// A class without type arguments, as a type.
pub fn class(name: &str) -> TypeSignature {
    TypeSignature::Class(plain(name))
}

/// The name of a class with its inner parts, as class files have it.
pub fn class_name(class: &ClassType) -> Cow<'_, str> {
    let whole = |outer: Cow<'_, str>, (name, _): &(String, _)| Cow::Owned(format!("{outer}${name}"));
    class.inner.iter().fold(Cow::Borrowed(&*class.name), whole)
}

/// The type arguments of the innermost class.
pub fn arguments(class: &ClassType) -> &[TypeArgument] {
    class.inner.last().map_or(&class.arguments, |(_, arguments)| arguments)
}

/// A type with its variables replaced. Wildcards become their bounds, and what stands for nothing is an `Object`.
pub fn substitute(wanted: &TypeSignature, bindings: &Bindings) -> TypeSignature {
    match wanted {
        TypeSignature::Primitive(_) => wanted.clone(),
        TypeSignature::Variable(name) => bindings.get(name).cloned().unwrap_or_else(|| class("java/lang/Object")),
        TypeSignature::Array(element) => TypeSignature::Array(Box::new(substitute(element, bindings))),
        TypeSignature::Class(of) => {
            let arguments = arguments(of).iter().map(|argument| TypeArgument::Exact(standing(argument, bindings)));
            let arguments = arguments.collect();
            TypeSignature::Class(ClassType { name: class_name(of).into_owned(), arguments, inner: Vec::new() })
        }
    }
}

/// What a type argument stands for.
pub fn standing(argument: &TypeArgument, bindings: &Bindings) -> TypeSignature {
    match argument {
        TypeArgument::Any => class("java/lang/Object"),
        TypeArgument::Extends(bound) | TypeArgument::Super(bound) | TypeArgument::Exact(bound) => {
            substitute(bound, bindings)
        }
    }
}

/// What the variables of a class stand for if its type arguments are these; raw types leave them open.
pub fn bind(parameters: &[TypeParameter], given: &[TypeArgument], outside: &Bindings) -> Bindings {
    let mut bindings = Bindings::new();
    for (parameter, argument) in parameters.iter().zip(given) {
        bindings.insert(parameter.name.clone(), standing(argument, outside));
    }
    bindings
}

/// The bound of a type variable; the first if there are several.
pub fn bound(parameter: &TypeParameter) -> TypeSignature {
    let bounds = parameter.class_bound.iter().chain(&parameter.interface_bounds);
    let named = bounds.clone().find(|bound| !is_object(bound));
    named.or(bounds.clone().next()).cloned().unwrap_or_else(|| class("java/lang/Object"))
}

/// Whether a type is `Object`.
pub fn is_object(wanted: &TypeSignature) -> bool {
    matches!(wanted, TypeSignature::Class(of) if of.name == "java/lang/Object" && of.inner.is_empty())
}

/// The name of a reference type as class files have it: `java/lang/String`, `[I`. None for primitive types. Variables must
/// have been replaced.
pub fn erased(wanted: &TypeSignature) -> Option<Cow<'_, str>> {
    match wanted {
        TypeSignature::Primitive(_) => None,
        TypeSignature::Variable(_) => Some("java/lang/Object".into()),
        TypeSignature::Class(of) => Some(class_name(of)),
        TypeSignature::Array(element) => Some(Cow::Owned(match &**element {
            TypeSignature::Primitive(letter) => format!("[{letter}"),
            element => match erased(element)? {
                array if array.starts_with('[') => format!("[{array}"),
                name => format!("[L{name};"),
            },
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_wildcards_are_replaced() {
        let wanted = TypeSignature::parse("Ljava/util/Map<-TK;+[TV;>.Entry<*>;").unwrap();
        let bindings = Bindings::from([("K".to_owned(), class("java/lang/String"))]);
        let found = substitute(&wanted, &bindings);
        assert_eq!(found.to_string(), "java.util.Map$Entry<java.lang.Object>");
        let wanted = TypeSignature::parse("Ljava/util/Map<-TK;+[TV;>;").unwrap();
        let found = substitute(&wanted, &bindings);
        assert_eq!(found.to_string(), "java.util.Map<java.lang.String, java.lang.Object[]>");
        assert_eq!(erased(&found).as_deref(), Some("java/util/Map"));
        let array = TypeSignature::parse("[[TK;").unwrap();
        assert_eq!(erased(&substitute(&array, &bindings)).as_deref(), Some("[[Ljava/lang/String;"));
    }
}

//! Supertypes, and the members that source sees through a type.

use crate::descriptor::{self, OBJECT, is_reference};
use crate::generics;
use crate::types::{ClassFacts, MemberFacts, Types};
use std::rc::Rc;

/// Answers questions about types from what the caller knows of classes.
#[derive(Clone, Copy)]
pub struct Hierarchy<'t> {
    types: &'t dyn Types,
}

/// A method of a type as source sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Method {
    /// Who declares it.
    pub by: Rc<ClassFacts>,
    pub facts: MemberFacts,
    /// Its parameters and result where the type arguments that the type gives are put in.
    pub seen: String,
    /// The descriptors of declarations that it overrides or stands for, its own with them.
    pub erased: Vec<String>,
}

impl<'t> Hierarchy<'t> {
    pub fn new(types: &'t dyn Types) -> Self {
        Hierarchy { types }
    }

    pub fn class(&self, name: &str) -> Option<Rc<ClassFacts>> {
        if name.starts_with('[') { None } else { self.types.class(name) }
    }

    /// The class itself and all its supertypes that are there: superclasses first, then interfaces, each once. `Object` is
    /// last for an interface.
    pub fn supertypes(&self, class: &str) -> Vec<Rc<ClassFacts>> {
        let mut found: Vec<Rc<ClassFacts>> = Vec::new();
        let mut interfaces = Vec::new();
        let mut next = Some(if class.starts_with('[') { "java/lang/Object".to_owned() } else { class.to_owned() });
        while let Some(facts) = next.and_then(|name| self.class(&name)) {
            if found.iter().any(|known| known.name == facts.name) {
                break;
            }
            interfaces.extend(facts.interfaces.iter().cloned());
            next = facts.superclass.clone().filter(|_| !facts.is_interface);
            found.push(facts);
        }
        let mut at = 0;
        while let Some(name) = interfaces.get(at).cloned() {
            at += 1;
            if found.iter().any(|known| known.name == name) {
                continue;
            }
            if let Some(facts) = self.class(&name) {
                interfaces.extend(facts.interfaces.iter().cloned());
                found.push(facts);
            }
        }
        if found.first().is_some_and(|first| first.is_interface) {
            found.extend(self.class("java/lang/Object"));
        }
        found
    }

    /// Whether a value of the one type can be used where the other is wanted, without boxes.
    pub fn fits(&self, given: &str, wanted: &str) -> bool {
        if given == wanted {
            return true;
        }
        if !is_reference(given) || !is_reference(wanted) {
            return widens(given, wanted);
        }
        if given == descriptor::NULL || wanted == OBJECT {
            return true;
        }
        match (given.strip_prefix('['), wanted.strip_prefix('[')) {
            (Some(given), Some(wanted)) => is_reference(given) && is_reference(wanted) && self.fits(given, wanted),
            (Some(_), None) => matches!(wanted, "Ljava/lang/Cloneable;" | "Ljava/io/Serializable;"),
            (None, Some(_)) => false,
            (None, None) => {
                let (Some(given), Some(wanted)) = (descriptor::class(given), descriptor::class(wanted)) else {
                    return false;
                };
                self.supertypes(given).iter().any(|facts| facts.name == wanted)
            }
        }
    }

    /// Whether a class is one of those that need not be declared when thrown.
    pub fn is_unchecked(&self, exception: &str) -> bool {
        let supertypes = self.supertypes(exception);
        supertypes.iter().any(|facts| matches!(&*facts.name, "java/lang/RuntimeException" | "java/lang/Error"))
    }

    /// The methods of that name that source sees through a type, or its constructors. Those that the compiler made are not
    /// among them.
    pub fn methods(&self, class: &str, name: &str) -> Vec<Method> {
        let mut supertypes = self.supertypes(class);
        if name == "<init>" {
            supertypes.truncate(1);
        }
        let mut found: Vec<Method> = Vec::new();
        for by in &supertypes {
            for facts in by.methods.iter().filter(|method| method.name == name && !method.is_synthetic) {
                let seen = generics::seen_from(self, class, by, facts);
                let same = |method: &&mut Method| parameters(&method.seen) == parameters(&seen);
                match found.iter_mut().find(same) {
                    Some(known) => known.erased.push(facts.descriptor.clone()),
                    None => {
                        let erased = vec![facts.descriptor.clone()];
                        found.push(Method { by: by.clone(), facts: facts.clone(), seen, erased });
                    }
                }
            }
        }
        found
    }

    /// The method that a reference in a class file names, whatever it returns.
    pub fn method(&self, class: &str, name: &str, descriptor: &str) -> Option<Method> {
        let is_meant = |method: &Method| method.erased.iter().any(|own| parameters(own) == parameters(descriptor));
        self.methods(class, name).into_iter().find(is_meant)
    }

    /// The field that a reference in a class file names.
    pub fn field(&self, class: &str, name: &str) -> Option<(Rc<ClassFacts>, MemberFacts)> {
        self.supertypes(class).into_iter().find_map(|by| {
            let field = by.fields.iter().find(|field| field.name == name)?.clone();
            Some((by, field))
        })
    }
}

/// The parameters in the descriptor of a method.
pub fn parameters(descriptor: &str) -> &str {
    descriptor.rsplit_once(')').map_or(descriptor, |(parameters, _)| parameters)
}

/// The widening of primitive types.
fn widens(given: &str, wanted: &str) -> bool {
    let wider = match given {
        "B" => "SIJFD",
        "S" | "C" => "IJFD",
        "I" => "JFD",
        "J" => "FD",
        "F" => "D",
        _ => "",
    };
    !wanted.is_empty() && wider.contains(wanted)
}

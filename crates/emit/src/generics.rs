//! Which types the parameters of an inherited method have, where a class says what a type parameter above it stands for:
//! `class Names implements Comparator<String>` has a `compare(String, String)`.
//!
//! A class that has type parameters itself is used raw, and raw types forget those of their supertypes.

use crate::descriptor::OBJECT;
use crate::hierarchy::Hierarchy;
use crate::types::{ClassFacts, MemberFacts};

/// Type parameters by name, with the descriptors of what they stand for.
type Meanings = Vec<(String, String)>;

/// The descriptor of a method as it is inherited by a class. Its own where nothing else is known.
pub fn seen_from(hierarchy: &Hierarchy<'_>, class: &str, by: &ClassFacts, method: &MemberFacts) -> String {
    let erased = || method.descriptor.clone();
    let Some(signature) = method.signature.as_deref().filter(|_| by.name != class && by.is_generic()) else {
        return erased();
    };
    let Some(mut meanings) = meanings(hierarchy, class, &by.name, &Meanings::new(), 0) else { return erased() };
    let mut reader = Reader { rest: signature };
    // The type parameters of the method itself come first: they may hide those of the class.
    let own = reader.type_parameters(&meanings);
    meanings.splice(0..0, own.unwrap_or_default());
    reader.method(&meanings).unwrap_or_else(erased)
}

/// What the type parameters of a supertype stand for; None if the class does not say, as raw types do not.
fn meanings(hierarchy: &Hierarchy<'_>, class: &str, above: &str, known: &Meanings, depth: usize) -> Option<Meanings> {
    let facts = hierarchy.class(class)?;
    if facts.is_generic() && depth == 0 {
        return None;
    }
    let mut reader = Reader { rest: facts.signature.as_deref()? };
    reader.type_parameters(known)?;
    while !reader.rest.is_empty() {
        let (supertype, arguments) = reader.class_type(known)?;
        let Some(facts) = hierarchy.class(&supertype) else { continue };
        let mut parameters = Reader { rest: facts.signature.as_deref().unwrap_or_default() };
        let parameters = parameters.type_parameters(&Meanings::new()).unwrap_or_default();
        if parameters.len() != arguments.len() {
            continue;
        }
        let named = parameters.into_iter().map(|(name, _)| name).zip(arguments).collect();
        if supertype == above {
            return Some(named);
        }
        if let Some(found) = meanings(hierarchy, &supertype, above, &named, depth + 1) {
            return Some(found);
        }
    }
    None
}

/// Reads signatures, and erases what it reads.
struct Reader<'s> {
    rest: &'s str,
}

impl Reader<'_> {
    fn take(&mut self, text: &str) -> bool {
        let taken = self.rest.strip_prefix(text);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    fn until(&mut self, end: &[char]) -> Option<String> {
        let (name, rest) = self.rest.split_at(self.rest.find(end)?);
        self.rest = rest;
        Some(name.to_owned())
    }

    /// Declared type parameters with their erasures; none if there are none.
    fn type_parameters(&mut self, known: &Meanings) -> Option<Meanings> {
        let mut found = Meanings::new();
        if !self.take("<") {
            return Some(found);
        }
        while !self.take(">") {
            let name = self.until(&[':'])?;
            let mut erasure = None;
            while self.take(":") {
                if !self.rest.starts_with(':') {
                    let all: Meanings = found.iter().chain(known).cloned().collect();
                    let bound = self.one_type(&all)?;
                    erasure = erasure.or(Some(bound));
                }
            }
            found.push((name, erasure.unwrap_or_else(|| OBJECT.to_owned())));
        }
        Some(found)
    }

    fn method(&mut self, meanings: &Meanings) -> Option<String> {
        let mut descriptor = String::from("(");
        if !self.take("(") {
            return None;
        }
        while !self.take(")") {
            descriptor += &self.one_type(meanings)?;
        }
        let returns = if self.take("V") { "V".to_owned() } else { self.one_type(meanings)? };
        Some(descriptor + ")" + &returns)
    }

    fn one_type(&mut self, meanings: &Meanings) -> Option<String> {
        if self.take("[") {
            return Some(format!("[{}", self.one_type(meanings)?));
        }
        if self.take("T") {
            let name = self.until(&[';'])?;
            self.take(";");
            let meant = meanings.iter().find(|(known, _)| *known == name);
            return Some(meant.map_or_else(|| OBJECT.to_owned(), |(_, meaning)| meaning.clone()));
        }
        if self.rest.starts_with('L') {
            return Some(format!("L{};", self.class_type(meanings)?.0));
        }
        let letter = self.rest.get(..1)?.to_owned();
        self.rest = &self.rest[1..];
        Some(letter)
    }

    /// A class and the erasures of its last type arguments.
    fn class_type(&mut self, meanings: &Meanings) -> Option<(String, Vec<String>)> {
        if !self.take("L") {
            return None;
        }
        let mut name = self.until(&['<', ';', '.'])?;
        let mut arguments = Vec::new();
        loop {
            if self.take("<") {
                arguments.clear();
                while !self.take(">") {
                    arguments.push(if self.take("*") {
                        OBJECT.to_owned()
                    } else {
                        let _ = self.take("+") || self.take("-");
                        self.one_type(meanings)?
                    });
                }
            } else if self.take(".") {
                name = name + "$" + &self.until(&['<', ';', '.'])?;
            } else {
                return self.take(";").then_some((name, arguments));
            }
        }
    }
}

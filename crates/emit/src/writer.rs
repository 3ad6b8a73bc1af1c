//! Names and expressions: what stands inside a statement.

use crate::class_names::{ClassNames, source_name};
use crate::descriptor::{self, NULL, OBJECT, STRING, is_reference};
use crate::hierarchy::{Hierarchy, Method};
use crate::literal;
use crate::local_names::LocalNames;
use crate::overload::is_chosen;
use crate::types::{Access, ClassFacts, MemberFacts};
use crate::{Unsayable, Why};
use std::collections::BTreeMap;
use testcase::Argument;

/// Writes Java. What cannot be said is written as well as it can be, and remembered.
pub struct Writer<'t> {
    pub hierarchy: Hierarchy<'t>,
    pub classes: ClassNames,
    /// Where the code will stand; None if it is only to be read.
    pub place: Option<Place>,
    /// The first thing that source cannot say.
    pub problem: Option<Unsayable>,
}

/// Where code stands.
#[derive(Clone, Debug)]
pub struct Place {
    /// With slashes.
    pub package: String,
    /// The simple name of the class around it.
    pub class: String,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    pub name: String,
    /// Its type, as a descriptor.
    pub of: String,
}

/// The variables that are there.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// What calls gave, by their numbers; None where that is nothing, or nobody uses it.
    pub values: Vec<Option<Local>>,
    /// What calls of suffixes return that probes use.
    pub returned: BTreeMap<(usize, usize), Given>,
    /// Those of the method that is being implemented.
    pub parameters: Vec<Local>,
    pub names: LocalNames,
}

/// An expression that is a variable, a literal or a cast.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    pub text: String,
    /// Its type, as a descriptor.
    pub of: String,
}

/// The method that a call names, among those of the same name.
pub struct Meant<'m> {
    pub parameters: Vec<&'m str>,
    /// The parameters of all methods of that name.
    pub all: Vec<Vec<&'m str>>,
    pub facts: Option<&'m MemberFacts>,
}

impl Writer<'_> {
    /// Remembers that something cannot be said.
    pub fn cannot(&mut self, what: &str, why: Why) {
        if self.place.is_some() {
            self.problem.get_or_insert_with(|| Unsayable { what: what.replace('/', "."), why });
        }
    }

    /// Names a class.
    pub fn class(&mut self, name: &str) -> String {
        let facts = self.hierarchy.class(name);
        let (package, source) = source_name(name, facts.as_deref());
        if let Some(facts) = &facts {
            if facts.source.is_none() {
                self.cannot(name, Why::Nameless);
            } else if !self.sees(facts) {
                self.cannot(name, Why::Hidden);
            }
        }
        match self.classes.name(&package, &source) {
            Some(name) => name,
            None => {
                self.cannot(name, Why::NameTaken);
                source
            }
        }
    }

    /// Names a type.
    pub fn type_name(&mut self, of: &str) -> String {
        let element = of.trim_start_matches('[');
        let name = match (descriptor::primitive(element), descriptor::class(element)) {
            (Some((_, word, _)), _) => word.to_owned(),
            (None, Some(class)) => self.class(class),
            (None, None) => self.class("java/lang/Object"),
        };
        name + &"[]".repeat(of.len() - element.len())
    }

    /// Whether code here can name a class.
    fn sees(&self, class: &ClassFacts) -> bool {
        let Some(place) = &self.place else { return true };
        match class.access {
            Access::Public => true,
            Access::Private => false,
            Access::Package | Access::Protected => class.package() == place.package,
        }
    }

    /// Remembers it if code here cannot use a member. Subclasses may use what is protected.
    pub fn check_access(&mut self, by: &ClassFacts, member: &MemberFacts, from_subclass: bool) {
        let Some(place) = &self.place else { return };
        let seen = match member.access {
            Access::Public => true,
            Access::Private => false,
            Access::Protected if from_subclass => true,
            Access::Package | Access::Protected => by.package() == place.package,
        };
        if !seen {
            self.cannot(&format!("{}.{}{}", by.name, member.name, member.descriptor), Why::Hidden);
        }
    }

    /// The type that a variable for values of that type has: the nearest one above it that can be named here.
    pub fn nameable(&self, of: &str) -> String {
        let element = of.trim_start_matches('[');
        let Some(class) = descriptor::class(element) else { return of.to_owned() };
        let supertypes = self.hierarchy.supertypes(class);
        let seen = supertypes.iter().find(|facts| facts.source.is_some() && self.sees(facts));
        match seen {
            Some(facts) => of.replace(element, &format!("L{};", facts.name)),
            None if supertypes.is_empty() => of.to_owned(),
            None => OBJECT.to_owned(),
        }
    }

    /// An argument as it is, with the type that the compiler gives it.
    pub fn given(&mut self, argument: &Argument, scope: &Scope) -> Given {
        let plain = |text: String, of: &str| Given { text, of: of.to_owned() };
        match argument {
            Argument::Null => plain("null".into(), NULL),
            Argument::Boolean(z) => plain(z.to_string(), "Z"),
            Argument::Byte(b) => plain(format!("(byte) {b}"), "B"),
            Argument::Short(s) => plain(format!("(short) {s}"), "S"),
            Argument::Char(c) => plain(literal::char(*c), "C"),
            Argument::Int(i) => plain(literal::int(*i, || self.class("java/lang/Integer")), "I"),
            Argument::Long(j) => plain(literal::long(*j, || self.class("java/lang/Long")), "J"),
            Argument::Float(f) => plain(literal::float(*f, || self.class("java/lang/Float")), "F"),
            Argument::Double(d) => plain(literal::double(*d, || self.class("java/lang/Double")), "D"),
            Argument::String(text) => plain(literal::string(text), STRING),
            Argument::Class(name) => {
                let name = self.type_name(&descriptor::of_class(name));
                plain(name + ".class", "Ljava/lang/Class;")
            }
            Argument::Value(number) => self.variable(scope.values.get(*number).and_then(Option::as_ref)),
            Argument::Returned { suffix, call } => match scope.returned.get(&(*suffix, *call)) {
                Some(given) => given.clone(),
                None => self.variable(None),
            },
            Argument::Parameter(number) => self.variable(scope.parameters.get(*number)),
        }
    }

    fn variable(&mut self, local: Option<&Local>) -> Given {
        match local {
            Some(local) => Given { text: local.name.clone(), of: local.of.clone() },
            None => {
                self.cannot("a value that no call gives", Why::Malformed);
                Given { text: "null".into(), of: NULL.into() }
            }
        }
    }

    /// A cast.
    pub fn cast(&mut self, given: Given, to: &str) -> Given {
        // What looks like a difference must not be read as one, and what is no subtype goes by way of Object.
        let text = if given.text.starts_with('-') { format!("({})", given.text) } else { given.text };
        let to_name = self.type_name(to);
        let boxed = descriptor::primitive(&given.of).map(|(.., boxed)| descriptor::of_class(boxed));
        let by_object = boxed.is_some_and(|boxed| is_reference(to) && !self.hierarchy.fits(&boxed, to));
        let text = match by_object {
            true => format!("({to_name}) ({}) {text}", self.class("java/lang/Object")),
            false => format!("({to_name}) {text}"),
        };
        Given { text, of: to.to_owned() }
    }

    /// An argument where a type is wanted; a constant may be narrowed where it is assigned.
    pub fn assigned(&mut self, argument: &Argument, wanted: &str, scope: &Scope) -> String {
        match argument {
            Argument::Byte(b) if wanted == "B" => b.to_string(),
            Argument::Short(s) if wanted == "S" => s.to_string(),
            _ => {
                let given = self.given(argument, scope);
                self.converted(given, wanted)
            }
        }
    }

    /// An expression where a type is wanted, boxed by the compiler if that does it.
    pub fn converted(&mut self, given: Given, wanted: &str) -> String {
        let boxed = descriptor::primitive(&given.of).map(|(.., boxed)| descriptor::of_class(boxed));
        let fits = |of: &str| self.hierarchy.fits(of, wanted);
        match fits(&given.of) || is_reference(wanted) && boxed.is_some_and(|boxed| fits(&boxed)) {
            true => given.text,
            false => self.cast(given, wanted).text,
        }
    }

    /// The arguments of a call, with the casts without which it would be another call.
    pub fn arguments(&mut self, arguments: &[Argument], meant: &Meant<'_>, scope: &Scope) -> String {
        if arguments.len() != meant.parameters.len() {
            self.cannot("a call with another number of arguments than it has parameters", Why::Malformed);
        }
        let mut given: Vec<Given> = arguments.iter().map(|argument| self.given(argument, scope)).collect();
        let count = arguments.len().min(meant.parameters.len());
        let is_varargs = meant.facts.is_some_and(|facts| facts.is_varargs);
        let is_class_bound = meant.facts.and_then(|facts| facts.signature.as_deref()).is_some_and(names_a_class);
        for at in 0..count {
            let wanted = meant.parameters[at];
            let is_null_array = is_varargs && at + 1 == meant.parameters.len() && given[at].of == NULL;
            let is_literal = is_class_bound && matches!(arguments[at], Argument::Class(_));
            if is_null_array || is_literal || !self.hierarchy.fits(&given[at].of, wanted) {
                given[at] = self.cast(given[at].clone(), wanted);
            }
        }
        let chosen = |writer: &Self, given: &[Given]| {
            let types: Vec<&str> = given.iter().map(|given| given.of.as_str()).collect();
            // Where nothing is known of the class there may be any number of methods.
            let known = !meant.all.is_empty() || !types.contains(&NULL);
            known && is_chosen(&writer.hierarchy, &meant.parameters, &meant.all, &types)
        };
        for cast_all in [false, true] {
            for at in 0..count {
                let wanted = meant.parameters[at];
                if (cast_all || given[at].of == NULL) && given[at].of != wanted && !chosen(self, &given) {
                    given[at] = self.cast(given[at].clone(), wanted);
                }
            }
        }
        given.into_iter().map(|given| given.text).collect::<Vec<_>>().join(", ")
    }
}

/// Whether a generic declaration ties a `Class` to a type, to which a literal may then not fit.
fn names_a_class(signature: &str) -> bool {
    signature.split("Ljava/lang/Class<").skip(1).any(|argument| !argument.starts_with("*>"))
}

impl<'m> Meant<'m> {
    /// Of a method that is known, among those of the same name.
    pub fn of(method: &'m Method, all: &'m [Method]) -> Meant<'m> {
        let parameters = |method: &'m Method| descriptor::method(&method.seen).unwrap_or_default().0;
        Meant { parameters: parameters(method), all: all.iter().map(parameters).collect(), facts: Some(&method.facts) }
    }

    /// Of a method of which nothing is known but its descriptor.
    pub fn unknown(descriptor: &'m str) -> Meant<'m> {
        let parameters = descriptor::method(descriptor).unwrap_or_default().0;
        Meant { parameters, all: Vec::new(), facts: None }
    }

    /// Without the first parameter, which is written elsewhere.
    pub fn without_first(mut self) -> Meant<'m> {
        let shorten = |parameters: &mut Vec<&'m str>| {
            parameters.drain(..parameters.len().min(1));
        };
        shorten(&mut self.parameters);
        self.all.iter_mut().for_each(shorten);
        self
    }
}

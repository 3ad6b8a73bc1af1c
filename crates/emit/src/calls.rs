//! Calls as expressions.

use crate::Why;
use crate::descriptor::{self, NULL};
use crate::hierarchy::{Method, parameters};
use crate::local_names;
use crate::types::MemberFacts;
use crate::writer::{Given, Meant, Scope, Writer};
use testcase::{Argument, Call, Operation};

/// A call as Java.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// More than one line for an anonymous class.
    pub lines: Vec<String>,
    /// The descriptor of what it gives; `V` for nothing.
    pub of: String,
    /// It may stand alone.
    pub is_statement: bool,
    /// The exceptions that it declares, as class files name them.
    pub throws: Vec<String>,
}

impl Written {
    fn new(text: String, of: &str) -> Written {
        Written { lines: vec![text], of: of.to_owned(), is_statement: true, throws: Vec::new() }
    }

    fn value(text: String, of: &str) -> Written {
        Written { is_statement: false, ..Written::new(text, of) }
    }
}

/// What stands before the dot.
enum Before {
    Class(String),
    Object(Given),
}

impl Writer<'_> {
    /// Writes a call.
    pub fn call(&mut self, call: &Call, scope: &Scope) -> Written {
        let arguments = &call.arguments[..];
        match &call.operation {
            Operation::Construct { class, descriptor } => self.construct(class, descriptor, arguments, scope),
            Operation::Static { class, name, descriptor } => {
                let before = Before::Class(class.clone());
                self.invoke(before, class, (name, descriptor), arguments, scope)
            }
            Operation::Virtual { class, name, descriptor, receiver } => {
                let before = Before::Object(self.receiver(receiver, class, scope));
                self.invoke(before, class, (name, descriptor), arguments, scope)
            }
            Operation::GetField { class, name, descriptor, receiver } => {
                let field = self.field_of(receiver, class, name, scope);
                Written::value(field, descriptor)
            }
            Operation::PutField { class, name, descriptor, receiver } => {
                let field = self.field_of(receiver, class, name, scope);
                self.put((class, name, descriptor), field, arguments, scope)
            }
            Operation::GetStatic { class, name, descriptor } => {
                Written::value(self.static_field(class, name), descriptor)
            }
            Operation::PutStatic { class, name, descriptor } => {
                let field = self.static_field(class, name);
                self.put((class, name, descriptor), field, arguments, scope)
            }
            Operation::Array { element } => {
                let of = descriptor::of_class(element);
                let elements: Vec<_> = arguments.iter().map(|argument| self.assigned(argument, &of, scope)).collect();
                let array = format!("[{of}");
                Written::value(format!("new {} {{{}}}", self.type_name(&array), elements.join(", ")), &array)
            }
            Operation::Implement { class, descriptor, methods } => {
                self.implement(class, descriptor, methods, arguments, scope)
            }
        }
    }

    fn construct(&mut self, class: &str, descriptor: &str, arguments: &[Argument], scope: &Scope) -> Written {
        let of = descriptor::of_class(class);
        let (outer, given, throws) = self.constructor(class, descriptor, arguments, scope, false);
        let name = self.class(class);
        let text = match outer {
            Some(outer) => format!("{outer}.new {}({given})", name.rsplit('.').next().unwrap_or(&name)),
            None => format!("new {name}({given})"),
        };
        Written { throws, ..Written::new(text, &of) }
    }

    /// The arguments of a constructor, with the object around an inner class apart, and what it throws.
    pub fn constructor(
        &mut self,
        class: &str,
        descriptor: &str,
        arguments: &[Argument],
        scope: &Scope,
        from_subclass: bool,
    ) -> (Option<String>, String, Vec<String>) {
        let all = self.hierarchy.methods(class, "<init>");
        let found = all.iter().find(|method| parameters(&method.facts.descriptor) == parameters(descriptor));
        if let Some(method) = found {
            self.check_access(&method.by, &method.facts, from_subclass);
        }
        let meant = found.map_or_else(|| Meant::unknown(descriptor), |method| Meant::of(method, &all));
        let throws = found.map(|method| method.facts.throws.clone()).unwrap_or_default();
        let is_inner = self.hierarchy.class(class).is_some_and(|facts| facts.is_inner);
        match (is_inner, arguments.split_first(), meant.parameters.first().copied()) {
            (true, Some((outer, rest)), Some(outer_type)) => {
                let outer = self.receiver(outer, descriptor::class(outer_type).unwrap_or(outer_type), scope);
                (Some(bracketed(outer).text), self.arguments(rest, &meant.without_first(), scope), throws)
            }
            _ => (None, self.arguments(arguments, &meant, scope), throws),
        }
    }

    /// An object that something of that class is done to.
    fn receiver(&mut self, receiver: &Argument, class: &str, scope: &Scope) -> Given {
        let given = self.given(receiver, scope);
        let wanted = descriptor::of_class(class);
        match given.of != NULL && self.hierarchy.fits(&given.of, &wanted) {
            true => given,
            false => self.cast(given, &wanted),
        }
    }

    fn invoke(
        &mut self,
        mut before: Before,
        class: &str,
        (name, descriptor): (&str, &str),
        arguments: &[Argument],
        scope: &Scope,
    ) -> Written {
        self.check_name(class, name);
        let Some((_, returns)) = descriptor::method(descriptor) else {
            self.cannot(descriptor, Why::Malformed);
            return Written::new(format!("{name}()"), "V");
        };
        let mut through = match &before {
            Before::Class(class) => class.clone(),
            Before::Object(given) => descriptor::class(&given.of).unwrap_or(&given.of).to_owned(),
        };
        // Where a subclass says what a type parameter above it stands for, or has a method that only a bridge leads to,
        // the call goes by the raw type that declares the method.
        if let Before::Object(given) = &before
            && let Some(raw) = self.raw_declarer(&through, class, (name, descriptor), arguments, scope)
        {
            let cast = self.cast(given.clone(), &descriptor::of_class(&raw));
            before = Before::Object(cast);
            through = raw;
        }
        let all = self.hierarchy.methods(&through, name);
        let found = find(&all, descriptor);
        if let Some(method) = found {
            let is_array_clone = through.starts_with('[') && name == "clone";
            if !is_array_clone {
                self.check_access(&method.by, &method.facts, false);
            }
        } else if self.is_synthetic(&through, name, descriptor) {
            self.cannot(&format!("{through}.{name}{descriptor}"), Why::Hidden);
        }
        let meant = found.map_or_else(|| Meant::unknown(descriptor), |method| Meant::of(method, &all));
        let given = self.arguments(arguments, &meant, scope);
        let before = self.before(before);
        let throws = found.map(|method| method.facts.throws.clone()).unwrap_or_default();
        Written { throws, ..Written::new(format!("{before}.{name}({given})"), returns) }
    }

    /// Whether a compiler has made a method that source does not have.
    fn is_synthetic(&self, class: &str, name: &str, descriptor: &str) -> bool {
        let is_it =
            |method: &MemberFacts| method.is_synthetic && method.name == name && method.descriptor == descriptor;
        self.hierarchy.supertypes(class).iter().any(|by| by.methods.iter().any(is_it))
    }

    /// The type above `through` by which a method must be called, if not by `through` itself.
    fn raw_declarer(
        &mut self,
        through: &str,
        class: &str,
        (name, descriptor): (&str, &str),
        arguments: &[Argument],
        scope: &Scope,
    ) -> Option<String> {
        let all = self.hierarchy.methods(through, name);
        let method = find(&all, descriptor)?;
        let seen = descriptor::method(&method.seen)?.0;
        let fit = seen.iter().zip(arguments).all(|(wanted, argument)| {
            let given = self.given(argument, scope);
            self.hierarchy.fits(&given.of, wanted)
        });
        if fit || parameters(&method.seen) == parameters(descriptor) {
            return None;
        }
        let supertypes = self.hierarchy.supertypes(class);
        let declares = |by: &&std::rc::Rc<crate::types::ClassFacts>| {
            by.methods.iter().any(|method| {
                method.name == name && !method.is_synthetic && parameters(&method.descriptor) == parameters(descriptor)
            })
        };
        supertypes.iter().find(declares).map(|by| by.name.clone()).filter(|raw| raw != through)
    }

    fn before(&mut self, before: Before) -> String {
        match before {
            Before::Class(class) => self.class(&class),
            Before::Object(given) => bracketed(given).text,
        }
    }

    fn field_of(&mut self, receiver: &Argument, class: &str, name: &str, scope: &Scope) -> String {
        self.check_name(class, name);
        let mut given = self.receiver(receiver, class, scope);
        let declared = self.hierarchy.field(class, name);
        let hiding = descriptor::class(&given.of).and_then(|of| self.hierarchy.field(of, name));
        if hiding.map(|(by, _)| by) != declared.as_ref().map(|(by, _)| by.clone()) {
            given = self.cast(given, &descriptor::of_class(class));
        }
        if let Some((by, field)) = declared {
            self.check_access(&by, &field, false);
        }
        format!("{}.{name}", bracketed(given).text)
    }

    /// Other languages than Java give their members names that it does not have: `add-WZ4Q5Ns`.
    fn check_name(&mut self, class: &str, name: &str) {
        if !local_names::is_of_member(name) {
            self.cannot(&format!("{class}.{name}"), Why::Nameless);
        }
    }

    fn static_field(&mut self, class: &str, name: &str) -> String {
        self.check_name(class, name);
        if let Some((by, field)) = self.hierarchy.field(class, name) {
            self.check_access(&by, &field, false);
        }
        format!("{}.{name}", self.class(class))
    }

    fn put(
        &mut self,
        (class, name, of): (&str, &str, &str),
        field: String,
        arguments: &[Argument],
        scope: &Scope,
    ) -> Written {
        if self.hierarchy.field(class, name).is_some_and(|(_, field)| field.is_final) {
            self.cannot(&format!("{class}.{name}"), Why::Final);
        }
        let value = arguments.first().map(|argument| self.assigned(argument, of, scope));
        if value.is_none() {
            self.cannot(&field, Why::Malformed);
        }
        Written::new(format!("{field} = {}", value.unwrap_or_default()), "V")
    }
}

/// The method that a descriptor names.
fn find<'m>(all: &'m [Method], descriptor: &str) -> Option<&'m Method> {
    all.iter().find(|method| method.erased.iter().any(|own| parameters(own) == parameters(descriptor)))
}

/// A cast needs brackets before a dot.
fn bracketed(given: Given) -> Given {
    let text = if given.text.starts_with('(') { format!("({})", given.text) } else { given.text };
    Given { text, ..given }
}

//! Anonymous classes and lambdas, for classes that a test writes itself.

use crate::calls::Written;
use crate::descriptor::{self, of_class};
use crate::hierarchy::{Hierarchy, parameters};
use crate::types::{Access, ClassFacts, MemberFacts};
use crate::writer::{Scope, Writer};
use crate::{Why, generics};
use std::rc::Rc;
use std::slice::Iter;
use testcase::{Argument, Behaviour, Implementation};

/// A method that a class inherits, with all declarations of it.
struct Inherited {
    name: String,
    /// As the class sees it, with the narrowest result.
    seen: String,
    declarations: Vec<(Rc<ClassFacts>, MemberFacts)>,
}

/// A method that is being written.
struct Body<'b> {
    returns: &'b str,
    /// What it may throw.
    throws: &'b [String],
}

impl Writer<'_> {
    /// Writes an object of a class that the test writes.
    pub fn implement(
        &mut self,
        class: &str,
        descriptor: &str,
        methods: &[Implementation],
        arguments: &[Argument],
        scope: &Scope,
    ) -> Written {
        let of = of_class(class);
        let inherited = inherited(&self.hierarchy, class);
        let mut written: Vec<(&Inherited, Option<&Implementation>)> = Vec::new();
        for given in methods {
            match inherited.iter().find(|method| method.is(given)) {
                Some(method) if written.iter().all(|(known, _)| !std::ptr::eq(*known, method)) => {
                    written.push((method, Some(given)));
                }
                Some(_) => {}
                None => self.cannot(&format!("{class}.{}{}", given.name, given.descriptor), Why::Hidden),
            }
        }
        for method in inherited.iter().filter(|method| method.is_needed()) {
            if written.iter().all(|(known, _)| !std::ptr::eq(*known, method)) {
                written.push((method, None));
            }
        }
        // The variable that the object goes to is in scope inside a lambda.
        let mut inner = scope.clone();
        inner.names.take(&self.nameable(&of), "value");
        let is_interface = self.hierarchy.class(class).is_some_and(|facts| facts.is_interface);
        if let [(method, given)] = written[..]
            && is_interface
            && method.is_needed()
            && !method.is_generic()
            && let Some(lambda) = self.lambda(method, given.map_or(&Behaviour::Nothing, |given| &given.does), &inner)
        {
            return Written { lines: vec![lambda], of, is_statement: false, throws: Vec::new() };
        }
        // Names of counters are taken before those of parameters, which would hide them.
        let counted: usize = methods.iter().map(|method| in_turns(&method.does)).sum();
        let counters: Vec<String> = (0..counted).map(|_| inner.names.number("calls")).collect();
        let mut unused = counters.iter();
        let mut bodies = Vec::new();
        for (method, given) in written {
            bodies.extend(self.method(method, given, &inner, &mut unused));
        }
        let (outer, passed, throws) = match is_interface {
            true => (None, String::new(), Vec::new()),
            false => self.constructor(class, descriptor, arguments, scope, true),
        };
        let name = self.class(class);
        let mut lines = vec![match outer {
            Some(outer) => format!("{outer}.new {}({passed}) {{", name.rsplit('.').next().unwrap_or(&name)),
            None => format!("new {name}({passed}) {{"),
        }];
        for counter in &counters {
            let atomic = self.class("java/util/concurrent/atomic/AtomicInteger");
            lines.push(format!("    final {atomic} {counter} = new {atomic}();"));
        }
        lines.extend(indented(bodies));
        lines.push("}".to_owned());
        Written { lines, of, is_statement: true, throws }
    }

    fn method(
        &mut self,
        method: &Inherited,
        given: Option<&Implementation>,
        scope: &Scope,
        counters: &mut Iter<'_, String>,
    ) -> Vec<String> {
        for (by, member) in &method.declarations {
            self.check_access(by, member, true);
        }
        let scope = with_parameters(method, scope);
        let (_, returns) = descriptor::method(&method.seen).unwrap_or_default();
        let throws = method.throws(&self.hierarchy);
        let declared: Vec<String> = throws.iter().map(|exception| self.class(exception)).collect();
        let declared = if declared.is_empty() { String::new() } else { format!(" throws {}", declared.join(", ")) };
        let typed = |writer: &mut Self, of: &str| if of == "V" { "void".to_owned() } else { writer.type_name(of) };
        let parameters: Vec<String> =
            scope.parameters.iter().map(|local| format!("{} {}", typed(self, &local.of), local.name)).collect();
        let returned = typed(self, returns);
        let access = method.access();
        let mut lines = vec![format!("{access}{returned} {}({}){declared} {{", method.name, parameters.join(", "))];
        let does = given.map_or(&Behaviour::Nothing, |given| &given.does);
        let body = self.behaviour(does, &Body { returns, throws: &throws }, &scope, counters);
        // Nothing comes after, so a return that gives nothing is not needed.
        let body = if body.last().is_some_and(|last| last == "return;") { &body[..body.len() - 1] } else { &body[..] };
        lines.extend(indented(body.to_vec()));
        lines.push("}".to_owned());
        lines
    }

    /// Statements that end a method.
    fn behaviour(
        &mut self,
        behaviour: &Behaviour,
        body: &Body<'_>,
        scope: &Scope,
        counters: &mut Iter<'_, String>,
    ) -> Vec<String> {
        match behaviour {
            Behaviour::Nothing => vec![nothing(body.returns)],
            Behaviour::Return(argument) => {
                if body.returns == "V" {
                    self.cannot("a value that a method without one is to give", Why::Malformed);
                }
                vec![format!("return {};", self.assigned(argument, body.returns, scope))]
            }
            Behaviour::Throw { class, message } => {
                let arguments: Vec<Argument> = message.iter().map(|text| Argument::String(text.clone())).collect();
                let descriptor = if arguments.is_empty() { "()V" } else { "(Ljava/lang/String;)V" };
                let (_, passed, _) = self.constructor(class, descriptor, &arguments, scope, false);
                let new = format!("new {}({passed})", self.class(class));
                let allowed = self.is_allowed(&of_class(class), body);
                match self.place.as_ref().filter(|_| !allowed) {
                    Some(place) => vec![format!("throw {}.undeclared({new});", place.class)],
                    None => vec![format!("throw {new};")],
                }
            }
            Behaviour::Call(call) => {
                let written = self.call(call, scope);
                let text = written.lines.join(" ");
                let mut lines = match (body.returns, written.of.as_str()) {
                    ("V", "V") => vec![format!("{text};"), "return;".to_owned()],
                    ("V", _) if written.is_statement => vec![format!("{text};"), "return;".to_owned()],
                    ("V", of) => {
                        let name = scope.names.clone().take(of, "unused");
                        vec![format!("{} {name} = {text};", self.type_name(of)), "return;".to_owned()]
                    }
                    (returns, "V") => vec![format!("{text};"), nothing(returns)],
                    (returns, of) => {
                        let given = crate::writer::Given { text, of: of.to_owned() };
                        vec![format!("return {};", self.converted(given, returns))]
                    }
                };
                let allowed = written.throws.iter().all(|exception| self.is_allowed(&of_class(exception), body));
                if let Some(place) = self.place.clone().filter(|_| !allowed) {
                    let name = scope.names.clone().number("thrown");
                    let throwable = self.class("java/lang/Throwable");
                    lines = [vec!["try {".to_owned()], indented(lines)].concat();
                    lines.push(format!("}} catch ({throwable} {name}) {{"));
                    lines.push(format!("    throw {}.undeclared({name});", place.class));
                    lines.push("}".to_owned());
                }
                lines
            }
            Behaviour::InTurn(turns) => {
                let Some((last, before)) = turns.split_last() else { return vec![nothing(body.returns)] };
                if before.is_empty() {
                    return self.behaviour(last, body, scope, counters);
                }
                let counter = counters.next().expect("internal bug: all that is done in turn was counted");
                let mut lines = vec![format!("switch ({counter}.getAndIncrement()) {{")];
                for (number, turn) in before.iter().enumerate() {
                    lines.push(format!("    case {number}:"));
                    lines.extend(indented(indented(self.behaviour(turn, body, scope, counters))));
                }
                lines.push("    default:".to_owned());
                lines.extend(indented(indented(self.behaviour(last, body, scope, counters))));
                lines.push("}".to_owned());
                lines
            }
        }
    }

    fn is_allowed(&self, exception: &str, body: &Body<'_>) -> bool {
        descriptor::class(exception).is_some_and(|class| self.hierarchy.is_unchecked(class))
            || body.throws.iter().any(|declared| self.hierarchy.fits(exception, &of_class(declared)))
    }

    /// A lambda, where one line says it all.
    fn lambda(&mut self, method: &Inherited, does: &Behaviour, scope: &Scope) -> Option<String> {
        let scope = with_parameters(method, scope);
        let (_, returns) = descriptor::method(&method.seen)?;
        let throws = method.throws(&self.hierarchy);
        if matches!(does, Behaviour::InTurn(_)) {
            return None;
        }
        let body = self.behaviour(does, &Body { returns, throws: &throws }, &scope, &mut [].iter());
        let body = match &body[..] {
            [only] if only == "return;" => "{ }".to_owned(),
            [only] if only.starts_with("return ") => only["return ".len()..].trim_end_matches(';').to_owned(),
            [only] => format!("{{ {only} }}"),
            [first, last] if last == "return;" && matches!(does, Behaviour::Call(call) if gives_statement(call)) => {
                first.trim_end_matches(';').to_owned()
            }
            _ => return None,
        };
        let names: Vec<&str> = scope.parameters.iter().map(|local| local.name.as_str()).collect();
        Some(match names[..] {
            [one] => format!("{one} -> {body}"),
            _ => format!("({}) -> {body}", names.join(", ")),
        })
    }
}

fn gives_statement(call: &testcase::Call) -> bool {
    use testcase::Operation::{Construct, Static, Virtual};
    matches!(call.operation, Construct { .. } | Static { .. } | Virtual { .. })
}

/// How many counters a behaviour needs.
fn in_turns(behaviour: &Behaviour) -> usize {
    match behaviour {
        Behaviour::InTurn(turns) => (turns.len() > 1) as usize + turns.iter().map(in_turns).sum::<usize>(),
        _ => 0,
    }
}

fn nothing(returns: &str) -> String {
    match returns {
        "V" => "return;",
        "Z" => "return false;",
        _ if descriptor::is_reference(returns) => "return null;",
        _ => "return 0;",
    }
    .to_owned()
}

fn indented(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().map(|line| format!("    {line}")).collect()
}

fn with_parameters(method: &Inherited, scope: &Scope) -> Scope {
    let mut scope = scope.clone();
    let (parameters, _) = descriptor::method(&method.seen).unwrap_or_default();
    let local = |of: &str| crate::writer::Local { name: scope.names.take(of, "value"), of: of.to_owned() };
    scope.parameters = parameters.into_iter().map(local).collect();
    scope
}

/// The methods that a class can override, in the order in which they are declared.
fn inherited(hierarchy: &Hierarchy<'_>, class: &str) -> Vec<Inherited> {
    let mut found: Vec<Inherited> = Vec::new();
    for by in hierarchy.supertypes(class) {
        for method in &by.methods {
            if method.is_synthetic || method.is_static || method.access == Access::Private || method.name == "<init>" {
                continue;
            }
            let seen = generics::seen_from(hierarchy, class, &by, method);
            let is_same =
                |known: &&mut Inherited| known.name == method.name && parameters(&known.seen) == parameters(&seen);
            let declaration = (by.clone(), method.clone());
            match found.iter_mut().find(is_same) {
                Some(known) => {
                    let result = |seen: &str| descriptor::method(seen).map_or("V", |(_, returns)| returns).to_owned();
                    if hierarchy.fits(&result(&seen), &result(&known.seen)) {
                        known.seen = seen;
                    }
                    known.declarations.push(declaration);
                }
                None => found.push(Inherited { name: method.name.clone(), seen, declarations: vec![declaration] }),
            }
        }
    }
    found
}

impl Inherited {
    fn is(&self, given: &Implementation) -> bool {
        let is_one = |(_, member): &(_, MemberFacts)| parameters(&member.descriptor) == parameters(&given.descriptor);
        self.name == given.name && self.declarations.iter().any(is_one)
    }

    /// Whether a class that does not implement it is abstract.
    fn is_needed(&self) -> bool {
        // A class goes before all interfaces. What all objects have as protected is no public method of an interface.
        if let Some((_, member)) = self.declarations.iter().find(|(by, _)| !by.is_interface) {
            let is_declared_wider = self.declarations.iter().any(|(_, other)| other.access > member.access);
            return member.is_abstract || is_declared_wider;
        }
        let overridden = |(by, _): &(Rc<ClassFacts>, MemberFacts)| {
            self.declarations.iter().any(|(other, _)| other.interfaces.contains(&by.name))
        };
        self.declarations.iter().any(|declaration| declaration.1.is_abstract && !overridden(declaration))
    }

    fn is_generic(&self) -> bool {
        self.declarations.iter().any(|(_, member)| member.signature.as_deref().is_some_and(|s| s.starts_with('<')))
    }

    fn access(&self) -> &'static str {
        match self.declarations.iter().map(|(_, member)| member.access).max() {
            Some(Access::Public) => "public ",
            Some(Access::Protected) => "protected ",
            _ => "",
        }
    }

    /// What all declarations allow.
    fn throws(&self, hierarchy: &Hierarchy<'_>) -> Vec<String> {
        let Some(((_, first), others)) = self.declarations.split_first() else { return Vec::new() };
        let allows = |member: &MemberFacts, exception: &str| {
            member.throws.iter().any(|declared| hierarchy.fits(&of_class(exception), &of_class(declared)))
        };
        let all_allow = |exception: &&String| others.iter().all(|(_, member)| allows(member, exception));
        first.throws.iter().filter(all_allow).cloned().collect()
    }
}

//! What objects that a test writes do when code under test calls them: now and then they call a subject again.
//!
//! A class that calls its listeners with a lock in hand is entered again, and what the listener does there may want
//! another lock. What is a fault of the class and what is misuse is not in class files, so callbacks keep to what
//! nearly every class must bear:
//!
//! - A listener, whose method gives nothing, may call any method of the subject that keeps it. That may be another subject only
//!   in tests that are about it ([`Composer::called_back`]).
//! - What is asked for a value, or is passed by one of several threads, only looks at the one subject there is: documentation
//!   forbids functions to change what they are called by, often enough.
//!
//! A task that such an object is given it runs, as an executor does: whoever hands it over may wait for it.
//!
//! What fails so even alone, as a recursion without an end does, is rejected like every other test. A class that
//! calls listeners without a lock, as it should, makes two calls of one then: other threads may come between. So of
//! such a test only deadlocks by locks count ([`testcase::TestCase::calls_back`]), and where results are compared
//! there are none.

use classfile::TypeSignature;
use testcase::{Argument, Behaviour, Call, Operation};

use crate::class_info::MethodInfo;
use crate::compose::{Composer, Shape};
use crate::draft::{Draft, Owner};
use crate::learnt::{Choice, Name};
use crate::library::{Library, OpenMethod};
use crate::maker::Maker;
use crate::relations::Relations;
use crate::subject::{Callable, SubjectClass};
use crate::types::{self, Bindings};

/// One in so many methods that could call a subject does.
const CALLS_BACK: usize = 6;

/// A method of the class under test that a callback may call.
pub struct CalledBack {
    callable: Callable,
    only_looks: bool,
}

impl CalledBack {
    /// All methods of a class.
    pub fn of(class: &SubjectClass, relations: &Relations) -> Vec<CalledBack> {
        let methods = class.callable().filter(|(_, callable)| callable.has_receiver());
        let called = |(number, callable): (usize, &Callable)| CalledBack {
            callable: callable.clone(),
            only_looks: relations.only_looks(number),
        };
        methods.map(called).collect()
    }
}

/// Whether a method takes a listener: an interface or abstract class where at least half of the abstract methods return
/// nothing.
pub fn takes_listener(library: &Library<'_>, method: &MethodInfo) -> bool {
    let is_listener = |parameter: &TypeSignature| {
        let TypeSignature::Class(of) = parameter else { return false };
        let name = types::class_name(of);
        let is_open = library.class(&name).is_some_and(|info| info.is_abstract() && library.is_visible(&info));
        let open: &[OpenMethod] = if is_open { &library.abstract_methods(&name) } else { &[] };
        let told = open.iter().filter(|(_, method)| method.returns.is_none()).count();
        told > 0 && 2 * told >= open.len()
    };
    method.parameters.iter().any(is_listener)
}

/// Types of what is there to be run. Of a program's own types nobody knows: one method may end something.
const FUNCTIONS: [&str; 4] = [
    "java/lang/Runnable",
    "java/util/concurrent/Callable",
    "java/util/function/Supplier",
    "java/security/PrivilegedAction",
];
/// How methods are called that run what they are given, where a type has others as well: what forgets a task is given one, too.
const RUNS: [&str; 6] = ["execute", "submit", "run", "call", "invoke", "schedule"];
/// One in so many methods of functions and listeners throws.
const FAILS: usize = 12;
/// Upper bound on the open methods of a type with such a method.
const MAX_OPEN: usize = 2;
/// What weighs less makes calls fail mostly.
const MOSTLY_FAILS: f64 = 0.3;

impl Maker<'_> {
    /// What a method of an object that the test writes does if it throws; None if it does something else. Loaders and
    /// listeners fail in practice, and what a class does then is seldom tried.
    pub fn fail(&mut self, (owner, method): &OpenMethod, open: usize) -> Option<(Behaviour, Choice)> {
        let place = Name::of(("fails", owner, &method.name, &method.descriptor));
        let choice = Choice { place, what: Name::of("throws") };
        let may_fail = open <= MAX_OPEN && self.rng.one_in(FAILS) && self.learnt.weight(choice) > MOSTLY_FAILS;
        let class = "java/lang/SecurityException".to_owned();
        may_fail.then(|| (Behaviour::Throw { class, message: Some("refused by the test".into()) }, choice))
    }

    /// What a method of an object that the test writes does with a function among its arguments that takes nothing: it runs it, if
    /// that is all that its type is for, as an executor's is, or its name says so. None if it is given no function.
    pub fn run_given(&self, (_, method): &OpenMethod, open: usize, bindings: &Bindings) -> Option<Behaviour> {
        let returns = method.returns.as_ref().map(|returns| types::substitute(returns, bindings));
        let run = |(number, parameter): (usize, &TypeSignature)| {
            let class = types::erased(&types::substitute(parameter, bindings))?.into_owned();
            let is_function = FUNCTIONS.contains(&&*class);
            let [(owner, called)] = &*self.library.abstract_methods(&class) else { return None };
            let fits = match (&returns, &called.returns) {
                (None, _) => true,
                (Some(wanted), Some(given)) => self.library.fits(&types::substitute(given, &Bindings::new()), wanted),
                (Some(_), None) => false,
            };
            (is_function && fits && called.parameters.is_empty()).then(|| {
                let (name, descriptor) = (called.name.clone(), called.descriptor.clone());
                let receiver = Argument::Parameter(number);
                Call {
                    operation: Operation::Virtual { class: owner.clone(), name, descriptor, receiver },
                    arguments: vec![],
                }
            })
        };
        let call = method.parameters.iter().enumerate().find_map(run)?;
        let runs = open == 1 || RUNS.iter().any(|name| method.name.starts_with(name));
        Some(if runs { Behaviour::Call(Box::new(call)) } else { Behaviour::Nothing })
    }

    /// What a method of an object that the test writes does if it calls a subject; None if it does something else.
    pub fn call_back(
        &mut self,
        draft: &Draft,
        (owner, method): &OpenMethod,
        bindings: &Bindings,
    ) -> Option<(Behaviour, Choice)> {
        let is_listener = method.returns.is_none();
        let subject = match (draft.called_back, &draft.subjects[..]) {
            (Some(other), _) if is_listener => other,
            (Some(_), _) => return None,
            (None, [only]) if self.rng.one_in(CALLS_BACK) => *only,
            (None, _) => return None,
        };
        let may_change = is_listener && !matches!(draft.owner, Some(Owner::Thread(_)));
        let given: Vec<TypeSignature> = method.parameters.iter().map(|p| types::substitute(p, bindings)).collect();
        let returns = method.returns.as_ref().map(|returns| types::substitute(returns, bindings));
        let place = Name::of(("call back", owner, &method.name, &method.descriptor));
        let (mut fitting, mut weights) = (Vec::new(), Vec::new());
        for (number, called) in self.producers.called_back.iter().enumerate() {
            let fits = |wanted: &TypeSignature| match &called.callable.method.returns {
                Some(gives) => self.library.fits(&types::substitute(gives, &Bindings::new()), wanted),
                None => true,
            };
            let sources = self.sources(&called.callable.method, &given);
            if (may_change || called.only_looks) && returns.as_ref().is_none_or(fits) && sources.is_some() {
                let method = &called.callable.method;
                weights.push(self.learnt.weight(Choice { place, what: Name::of((&method.name, &method.descriptor)) }));
                fitting.push((number, sources.unwrap_or_default()));
            }
        }
        let (number, sources) = fitting.swap_remove(self.rng.weighted(&weights)?);
        let arguments = sources.into_iter().map(|source| self.from(source)).collect();
        let Callable { owner: class, method, .. } = &self.producers.called_back[number].callable;
        let (class, name, descriptor) = (class.clone(), method.name.clone(), method.descriptor.clone());
        let choice = Choice { place, what: Name::of((&name, &descriptor)) };
        let operation = Operation::Virtual { class, name, descriptor, receiver: Argument::Value(subject) };
        Some((Behaviour::Call(Box::new(Call { operation, arguments })), choice))
    }

    /// Where a method that is called back has its arguments from; None if one of them would have to be made.
    fn sources(&self, called: &MethodInfo, given: &[TypeSignature]) -> Option<Vec<Source>> {
        let text = types::class("java/lang/String");
        let source = |parameter: &TypeSignature| {
            let wanted = types::substitute(parameter, &Bindings::new());
            if let TypeSignature::Primitive(letter) = wanted {
                return Some(Source::Number(letter));
            }
            let passed = given.iter().position(|given| self.library.fits(given, &wanted)).map(Source::Passed);
            passed.or_else(|| self.library.fits(&text, &wanted).then_some(Source::Text))
        };
        called.parameters.iter().map(source).collect()
    }

    fn from(&mut self, source: Source) -> Argument {
        match source {
            Source::Number(letter) => self.literals.primitive(letter, &mut self.rng),
            Source::Text => Argument::String(self.literals.string(&mut self.rng)),
            Source::Passed(parameter) => Argument::Parameter(parameter),
        }
    }
}

/// Where an argument of a method that is called back comes from.
enum Source {
    /// A literal of a primitive type.
    Number(char),
    Text,
    /// A parameter of the method that calls it.
    Passed(usize),
}

impl Composer<'_, '_> {
    /// Whether there are tests with callbacks that call the other one of two subjects.
    pub fn has_listeners(&self) -> bool {
        !self.class.takers.is_empty() && !self.maker.producers.called_back.is_empty()
    }

    /// Two subjects, each of which keeps something that calls the other.
    pub fn called_back(&mut self, draft: &mut Draft, methods: (usize, usize), bindings: &Bindings, shape: Shape) {
        let (first, second) = self.two(draft, bindings);
        let subjects = [first, second];
        let taker = *self.maker.rng.pick(&self.class.takers).unwrap_or(&methods.0);
        for (number, &subject) in subjects.iter().enumerate() {
            (draft.owner, draft.called_back) = (Some(Owner::Subject(number)), Some(subjects[1 - number]));
            self.change(draft, taker, bindings, Some(subject), None);
            (draft.owner, draft.called_back) = (None, None);
        }
        for thread in 0..shape.threads {
            for position in 0..shape.calls {
                let method = self.method_at(methods, thread, position);
                self.suffix_call(draft, method, bindings, Some(subjects[thread % 2]), None, thread);
            }
        }
    }
}

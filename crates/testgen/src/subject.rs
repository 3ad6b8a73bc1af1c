//! The class under test: how its objects are made, and which of its methods a test can call.

use std::collections::BTreeSet;
use std::rc::Rc;

use analysis::{ClassFacts, LockFact};
use classfile::{Flags, TypeSignature};
use testcase::{Argument, Call, Operation};

use crate::callbacks::takes_listener;
use crate::class_info::{ClassInfo, FieldInfo, MethodInfo};
use crate::draft::{Draft, Owner, Place};
use crate::learnt::{Choice, Name};
use crate::library::{Library, is_of_jdk};
use crate::maker::{Maker, Rather};
use crate::producers::{Producer, Way, gives, implementations, simplicity, takes};
use crate::types::{self, Bindings};

/// The class under test.
pub struct SubjectClass {
    pub info: Rc<ClassInfo>,
    /// How its objects are made.
    pub ways: Vec<Producer>,
    /// Classes that the test writes below an abstract class, for when everything in `ways` fails.
    pub spare: Vec<Producer>,
    /// Its methods, in the order of the facts; None for those that a test cannot call.
    pub methods: Vec<Option<Callable>>,
    /// Methods that a test would call if it could make an object of the class, by their numbers.
    pub out_of_reach: BTreeSet<usize>,
    /// Those that take listeners, by their numbers.
    pub takers: Vec<usize>,
}

/// A method of the class under test.
#[derive(Clone, Debug)]
pub struct Callable {
    /// The class by which it is called: the class under test, or one above it that a test can name.
    pub owner: String,
    /// The class that declares it.
    pub declared_in: String,
    pub method: MethodInfo,
    /// The parameters that it locks, counted from 0: it expects other threads to have them, too. A lock of something
    /// inside a parameter says nothing of the parameter: a parser that reads from a stream takes the lock of the stream.
    /// It does where the parameter is of the class under test, which is said to be made for threads.
    pub locks: BTreeSet<usize>,
}

impl Callable {
    /// Whether it is called on a subject.
    pub fn has_receiver(&self) -> bool {
        !self.method.is_static() && !self.is_constructor()
    }

    /// Whether a call of it makes an object of the class.
    pub fn is_constructor(&self) -> bool {
        self.method.name == "<init>"
    }

    /// Whether it gives an object and is given none: it may lend what it gives.
    pub fn may_lend(&self) -> bool {
        let is_plain = |parameter: &TypeSignature| matches!(parameter, TypeSignature::Primitive(_));
        let gives = matches!(self.method.returns, Some(TypeSignature::Class(_)));
        gives && self.has_receiver() && self.method.parameters.iter().all(is_plain)
    }
}

/// Why there is nothing to test.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Untestable {
    #[error("class {0} cannot be read")]
    Unreadable(String),
    #[error("{0} is an interface, which has no objects of its own: name a class that implements it")]
    Interface(String),
    #[error("{0} is an enum of the JDK: what its constants hold cannot be put back between executions")]
    Enum(String),
    #[error("{0} is abstract and no class below it was found that a test can make: name a class that extends it")]
    Abstract(String),
    #[error(
        "{0} has no constructor or factory that a test could call, and no static methods: name a class that has one"
    )]
    NoConstructor(String),
    #[error("{0} has no public methods to call concurrently")]
    NoMethods(String),
}

/// Learnt weight of a way to make a subject that failed at least ten times more often than it went well.
const HOPELESS: f64 = 0.18;

/// What every object has and no test needs.
const OF_OBJECT: [&str; 4] = ["getClass", "notify", "notifyAll", "wait"];

/// Whether a test has no business to call a method. A finalizer belongs to the virtual machine, which runs it when nobody else has
/// the object any more, whichever class declares it and however visible: beside other calls it says nothing of a class.
fn is_aside(declared_in: &str, name: &str, descriptor: &str) -> bool {
    // What all constants of enums have cannot change, unless the enum declares it anew.
    let of_all = declared_in == "java.lang.Object" && OF_OBJECT.contains(&name) || declared_in == "java.lang.Enum";
    of_all || name == "finalize" && descriptor == "()V"
}

impl SubjectClass {
    /// Looks at a class under test, methods with some names aside.
    pub fn find(
        library: &Library<'_>,
        class: &str,
        facts: &ClassFacts,
        skip: &[String],
    ) -> Result<SubjectClass, Untestable> {
        let name = class.replace('/', ".");
        let info = library.class(class).ok_or_else(|| Untestable::Unreadable(name.clone()))?;
        if info.is_interface() {
            return Err(Untestable::Interface(name));
        }
        if info.is_enum() && is_of_jdk(class) {
            return Err(Untestable::Enum(name));
        }
        let ways = ways(library, &info);
        let spare = spare(library, &info, &ways);
        // Of a class that only the test extends, abstract methods are the test's own code.
        let is_made = !ways.is_empty();
        let is_extended = is_made && ways.iter().all(|producer| matches!(producer.way, Way::Implement { .. }));
        let mut methods: Vec<Option<Callable>> = facts
            .methods
            .iter()
            .map(|method| {
                let is_aside = is_aside(&method.declared_in, &method.name, &method.descriptor);
                let called = !is_aside && !skip.iter().any(|text| method.is_meant_by(text));
                let is_own = |it: &Callable| is_extended && it.method.flags.has(Flags::ABSTRACT);
                let callable = match method.is_constructor() {
                    true => constructor(library, &info, &method.descriptor),
                    false => callable(library, &info, &method.name, &method.descriptor),
                };
                let callable = callable.filter(|callable| called && !is_own(callable));
                callable.map(|callable| {
                    let taken = method.takes.iter().map(|taken| &facts.locks[taken.lock]);
                    let is_on_trial = |number: &usize| {
                        let of = callable.method.parameters.get(*number).and_then(types::erased);
                        of.is_some_and(|of| *of == *info.name || !is_of_jdk(&of) && library.is_subtype(&info.name, &of))
                    };
                    let locked = |lock: &LockFact| lock.itself().or_else(|| lock.argument.filter(is_on_trial));
                    let locks = taken.filter_map(locked).collect();
                    Callable { locks, ..callable }
                })
            })
            .collect();
        let needs_object = |it: &Callable| match it.is_constructor() {
            true => info.is_abstract(),
            false => it.has_receiver() && !is_made,
        };
        let out_of_reach = methods.iter().enumerate().filter(|(_, it)| it.as_ref().is_some_and(needs_object));
        let out_of_reach: BTreeSet<usize> = out_of_reach.map(|(number, _)| number).collect();
        out_of_reach.iter().for_each(|&number| methods[number] = None);
        if !is_made && methods.iter().all(Option::is_none) {
            return Err(if info.is_abstract() { Untestable::Abstract(name) } else { Untestable::NoConstructor(name) });
        }
        // What every object has counts for nothing where all else is left to the test.
        let of_object = |callable: &Callable| is_extended && callable.declared_in == "java/lang/Object";
        if methods.iter().flatten().all(of_object) {
            return Err(if is_extended { Untestable::Abstract(name) } else { Untestable::NoMethods(name) });
        }
        let all = methods.iter().enumerate();
        let takers = all.filter(|(_, it)| it.as_ref().is_some_and(|it| takes_listener(library, &it.method)));
        let takers = takers.map(|(number, _)| number).collect();
        Ok(SubjectClass { info, ways, spare, methods, out_of_reach, takers })
    }

    /// Classes that its methods and what makes it want, and that are not on the class path. Nothing but null can be given there.
    pub fn missing(&self, library: &Library<'_>) -> BTreeSet<String> {
        let ways = self.ways.iter().filter_map(|producer| producer.way.method());
        let wanted = self.callable().map(|(_, callable)| &callable.method).chain(ways);
        let wanted = wanted.flat_map(|method| &method.parameters).filter_map(class_of);
        wanted.filter(|name| library.class(name).is_none()).map(|name| name.replace('/', ".")).collect()
    }

    /// Each static method that gives a subject, with each method that can be called on one.
    pub fn births(&self, library: &Library<'_>) -> Vec<(usize, usize)> {
        let gives = |it: &Callable| it.method.is_static() && gives(library, &it.method, &self.info.name);
        let factories = self.callable().filter(|(_, it)| gives(it)).map(|(number, _)| number);
        let called = || self.callable().filter(|(_, it)| it.has_receiver()).map(|(number, _)| number);
        factories.flat_map(|factory| called().map(move |method| (factory, method))).collect()
    }

    /// The type of its objects.
    pub fn object_type(&self, bindings: &Bindings) -> TypeSignature {
        crate::produce::generic(&self.info, bindings)
    }

    /// Whether a test can call something without a subject.
    pub fn has_static(&self) -> bool {
        self.callable().any(|(_, it)| !it.has_receiver())
    }

    /// Whether a method is called on a subject.
    pub fn has_receiver(&self, method: usize) -> bool {
        self.methods[method].as_ref().is_some_and(Callable::has_receiver)
    }

    /// Whether a method gives another object of the class: a child, a parent, a slice. That it gives the subject itself, so that calls
    /// can be written in a row, does not count.
    pub fn is_offspring(&self, method: usize, facts: &ClassFacts) -> bool {
        let Some(callable) = self.methods[method].as_ref().filter(|it| it.has_receiver()) else { return false };
        let is_own = matches!(&callable.method.returns, Some(TypeSignature::Class(of)) if types::class_name(of) == self.info.name);
        is_own && !facts.methods[method].gives_itself
    }

    /// The methods that can be called, by their numbers.
    pub fn callable(&self) -> impl Iterator<Item = (usize, &Callable)> {
        self.methods.iter().enumerate().filter_map(|(number, method)| Some((number, method.as_ref()?)))
    }
}

/// The class of a type, or of what its arrays hold.
fn class_of(wanted: &TypeSignature) -> Option<String> {
    match wanted {
        TypeSignature::Class(class) => Some(types::class_name(class).into_owned()),
        TypeSignature::Array(element) => class_of(element),
        TypeSignature::Primitive(_) | TypeSignature::Variable(_) => None,
    }
}

/// A constructor as a test can call it. Those of an abstract class are called by what is below it.
fn constructor(library: &Library<'_>, class: &Rc<ClassInfo>, descriptor: &str) -> Option<Callable> {
    let constructor = class.constructors.iter().find(|it| it.descriptor == descriptor && it.is_in_source())?;
    let can_use = library.is_visible(class) && library.can_use(constructor.flags, class.package());
    let is_callable = can_use || class.is_abstract() && library.is_visible(class);
    let (owner, declared_in, method) = (class.name.clone(), class.name.clone(), constructor.clone());
    is_callable.then(|| Callable { owner, declared_in, method, locks: BTreeSet::new() })
}

/// A method as a test can call it.
fn callable(library: &Library<'_>, class: &Rc<ClassInfo>, name: &str, descriptor: &str) -> Option<Callable> {
    let line = library.line(&class.name);
    let declaring = line.iter().find(|info| info.method(name, descriptor).is_some())?;
    let method = declaring.method(name, descriptor)?.clone();
    if !method.is_in_source() {
        return None;
    }
    let owner = match library.is_visible(class) {
        true => class.name.clone(),
        false => {
            // By a class or interface above it that has the method, too, and that a test can name.
            let known = |info: &&Rc<ClassInfo>| {
                library.is_visible(info)
                    && info.method(name, descriptor).is_some_and(|method| method.flags.has(Flags::PUBLIC))
            };
            line.iter().find(known)?.name.clone()
        }
    };
    Some(Callable { owner, declared_in: declaring.name.clone(), method, locks: BTreeSet::new() })
}

/// How objects of a class are made: its constructors, methods that give it or a class below it, and methods that say they give
/// something more general but make it.
fn ways(library: &Library<'_>, class: &Rc<ClassInfo>) -> Vec<Producer> {
    let mut found = Vec::new();
    let mut places: Vec<Rc<ClassInfo>> = library.visible_in(class.package()).to_vec();
    let around = class.outer.as_ref().and_then(|outer| library.class(outer));
    places.extend(around.filter(|outer| !places.iter().any(|known| known.name == outer.name)));
    if library.is_visible(class) && !places.iter().any(|known| known.name == class.name) {
        places.push(class.clone());
    }
    for place in &places {
        found.extend(constants(library, place, &class.name));
        if class.is_enum() {
            continue;
        }
        let own = place.name == class.name;
        let below = own || class.is_abstract() && library.is_subtype(&place.name, &class.name);
        if below && !place.is_abstract() {
            let usable = place.constructors.iter().filter(|c| library.can_use(c.flags, place.package()));
            for constructor in usable.filter(|constructor| constructor.is_in_source()) {
                let way = Way::Construct { class: place.clone(), constructor: constructor.clone() };
                found.push(Producer::new(way, 2.0 * simplicity(constructor)));
            }
        }
        let usable = place.methods.iter().filter(|m| m.is_in_source() && library.can_use(m.flags, place.package()));
        for method in usable {
            let declared = gives(library, method, &class.name);
            // A method of the subject that gives another one is no way to come by the first.
            let needs_itself = !method.is_static() && library.is_subtype(&place.name, &class.name)
                || takes(library, method, &class.name);
            let makes = method.makes.iter().any(|made| library.is_subtype(made, &class.name))
                && is_above(library, method, &class.name);
            match () {
                _ if needs_itself => {}
                _ if method.is_static() && (declared || makes) => {
                    let way = Way::Static { class: place.clone(), method: method.clone() };
                    let weight = if makes { 2.0 } else { 0.5 };
                    found.push(Producer::new(way, weight * simplicity(method)));
                }
                _ if !method.is_static() && (declared || makes) => {
                    let way = Way::Virtual { class: place.clone(), method: method.clone(), inside: None };
                    found.push(Producer::new(way, 0.2 * simplicity(method)));
                }
                _ => {}
            }
        }
    }
    // Where there is a direct way, roundabout ones only cost time. Whoever makes an inner object needs the one around it anyway.
    if !class.is_inner
        && found.iter().any(|producer| matches!(producer.way, Way::Construct { .. } | Way::Static { .. }))
    {
        found.retain(|producer| !matches!(producer.way, Way::Virtual { .. }));
    }
    // New objects are better subjects than one that is there for all.
    if found.iter().any(|producer| matches!(producer.way, Way::Construct { .. })) {
        found.retain(|producer| !producer.way.is_constant());
    }
    if found.is_empty() && class.is_abstract() {
        found = extended(library, class);
    }
    found
}

/// Classes that a test writes below an abstract class that it cannot construct. Factories of such a class may only look up
/// what its subclasses have registered, and fail where there are none.
fn spare(library: &Library<'_>, class: &Rc<ClassInfo>, ways: &[Producer]) -> Vec<Producer> {
    let is_direct = |way: &Producer| matches!(way.way, Way::Construct { .. } | Way::Implement { .. });
    let mut found = Vec::new();
    if class.is_abstract() && library.is_visible(class) && !is_of_jdk(&class.name) && !ways.iter().any(is_direct) {
        implementations(library, class, 1.0, &mut found);
    }
    found
}

/// Static fields that hold a subject, which is one for all who ask: constants of an enum, and singletons. Static
/// state is put back between executions, but not that of the JDK.
fn constants(library: &Library<'_>, place: &Rc<ClassInfo>, class: &str) -> Vec<Producer> {
    let holds = |field: &&FieldInfo| {
        let of = field.descriptor.trim_start_matches('L').trim_end_matches(';');
        library.can_use(field.flags, place.package()) && library.is_subtype(of, class)
    };
    let fields = place.constants.iter().filter(|_| !is_of_jdk(&place.name)).filter(holds);
    fields.map(|field| Producer::new(Way::Constant { class: place.clone(), field: field.clone() }, 1.0)).collect()
}

/// How objects of an abstract class are made if nobody in its package makes them: by classes below it elsewhere,
/// else by a class that the test writes.
fn extended(library: &Library<'_>, class: &Rc<ClassInfo>) -> Vec<Producer> {
    let mut found = Vec::new();
    for below in library.given().iter().filter(|it| !it.is_abstract() && library.is_subtype(&it.name, &class.name)) {
        let usable = |it: &&MethodInfo| it.is_in_source() && library.can_use(it.flags, below.package());
        for constructor in below.constructors.iter().filter(usable) {
            let way = Way::Construct { class: below.clone(), constructor: constructor.clone() };
            found.push(Producer::new(way, simplicity(constructor)));
        }
    }
    if found.is_empty() && library.is_visible(class) {
        implementations(library, class, 1.0, &mut found);
    }
    found
}

/// Whether what a method declares to give is a class or what is above it.
fn is_above(library: &Library<'_>, method: &MethodInfo, class: &str) -> bool {
    match &method.returns {
        Some(TypeSignature::Class(of)) => library.is_subtype(class, &types::class_name(of)),
        _ => false,
    }
}

impl Maker<'_> {
    /// Adds the calls that make a subject, and says which gives it.
    pub fn subject(&mut self, draft: &mut Draft, class: &SubjectClass, way: &Producer, bindings: &Bindings) -> usize {
        let wanted = class.object_type(bindings);
        let number = self.produce(draft, way, &wanted, 0);
        draft.subjects.push(number);
        draft.choices.push((Place::Prefix(number), of_way(way)));
        number
    }

    /// Whether no way to make a subject is known that goes well now and then.
    pub fn can_hardly_make(&self, class: &SubjectClass) -> bool {
        let is_hopeless = |way: &Producer| self.learnt.weight(of_way(way)) < HOPELESS;
        class.ways.iter().chain(&class.spare).all(is_hopeless)
    }

    /// A way to make a subject, as likely as what was learnt says; there must be one.
    pub fn way<'c>(&mut self, class: &'c SubjectClass) -> &'c Producer {
        let learnt = |way: &Producer| self.learnt.weight(of_way(way));
        let is_hopeless = |way: &Producer| learnt(way) < HOPELESS;
        let ways = match !class.spare.is_empty() && class.ways.iter().all(is_hopeless) {
            true => &class.spare,
            false => &class.ways,
        };
        let weights: Vec<f64> = ways.iter().map(|way| way.weight * learnt(way)).collect();
        &ways[self.rng.weighted(&weights).unwrap_or(0)]
    }

    /// A call of a method of the class under test, on the subject if it needs one; `rather` is a subject that is to be
    /// passed where it fits.
    pub fn call(
        &mut self,
        draft: &mut Draft,
        called: Called<'_>,
        subject: Option<usize>,
        rather: Option<Rather>,
        at: Option<Place>,
    ) -> Call {
        let Called { class, callable, bindings } = called;
        let bindings = self.library.bindings_above(&class.info.name, bindings, &callable.declared_in);
        let before = draft.owner;
        if let Some(Place::Suffix(thread, _)) = at {
            draft.owner = Some(Owner::Thread(thread));
        }
        draft.receiver = subject.filter(|_| callable.has_receiver());
        let made = self.arguments(draft, &callable.owner, &callable.method, &bindings, 0, rather);
        (draft.owner, draft.receiver) = (before, None);
        self.share(draft, &made.values, &callable.locks);
        let (class, name) = (callable.owner.clone(), callable.method.name.clone());
        let descriptor = callable.method.descriptor.clone();
        let operation = match callable.has_receiver() {
            false if callable.is_constructor() => Operation::Construct { class, descriptor },
            false => Operation::Static { class, name, descriptor },
            true => {
                let subject = subject.expect("internal bug: without a subject only static methods are called");
                Operation::Virtual { class, name, descriptor, receiver: Argument::Value(subject) }
            }
        };
        // A call of the prefix gets its number when it is put there.
        let at = at.unwrap_or(Place::Prefix(usize::MAX));
        draft.choices.extend(made.choices.into_iter().map(|choice| (at, choice)));
        Call { operation, arguments: made.values }
    }
}

/// What is called, and what the type variables of its class stand for.
#[derive(Clone, Copy)]
pub struct Called<'c> {
    pub class: &'c SubjectClass,
    pub callable: &'c Callable,
    pub bindings: &'c Bindings,
}

/// The choice of a way to make a subject.
pub fn of_way(way: &Producer) -> Choice {
    Choice { place: Name::of("subject"), what: way.key }
}

//! What a subject gives out and keeps a hold of: a transaction, a subscription, a live view of its keys. And what it was
//! given and others have as well: a clock that is moved by hand, a registry that several share, the builder that built it.
//!
//! Whoever has such a part uses it beside the subject: `tx.commit()` in one thread while another calls `db.abortAll()`.
//! Which calls are paired with which is for `part_pairs` to say.
//!
//! A part that is given out is an object of a class outside of the JDK that can change, or a collection that the
//! analysis says is part of the subject. Iterators are none: nobody expects to share what they go through. What a
//! subject is given is a part only if its class claims that threads may share it: others belong to the subject then.
//!
//! A part may be of the class under test itself: a child that asks its parent, a slice of the same array. What is known of the methods
//! then says which pairs of them to try.
//!
//! What a subject holds and gives out as it is may be its configuration: a registry of extensions that is filled before
//! anybody uses it. Beside the subject it is only looked at, unless its class claims that threads may share it or its
//! methods act on the subject: it belongs to the subject's class, or has a field for a subject.

use std::rc::Rc;

use analysis::{ClassFacts, CommonArgument};
use classfile::{Flags, TypeSignature};

use crate::class_info::{ClassInfo, FieldInfo, MethodInfo};
use crate::library::{Library, is_of_jdk};
use crate::producers::Way;
use crate::subject::SubjectClass;
use crate::types;

/// An object that others use beside the subject.
#[derive(Clone, Debug)]
pub struct Part {
    /// How it comes to be one.
    pub source: Source,
    /// The declared class of what is given out, or the class of what is taken.
    pub info: Rc<ClassInfo>,
    /// Its type, with what it holds.
    pub gives: TypeSignature,
    /// Whether threads are meant to share it.
    pub is_shareable: bool,
    /// What can be done with it, with the class that declares each method.
    pub methods: Vec<(String, MethodInfo)>,
}

/// How an object comes to be part of a subject.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A method of the subject gives it out, by its number.
    Given(usize),
    /// A method of the subject takes it, by its number; None if the subject is made of it.
    Taken(Option<usize>),
}

impl Source {
    /// The method of the subject.
    pub fn method(self) -> Option<usize> {
        match self {
            Source::Given(method) => Some(method),
            Source::Taken(method) => method,
        }
    }
}

/// A call of a part beside a call of the subject, or of another part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beside {
    /// The part, by its number, and the method of it.
    pub part: usize,
    /// The method that is called on it, by its number.
    pub method: usize,
    /// What another thread calls on a part; None if it calls the subject itself.
    pub other: Option<PartCall>,
    /// Whether that is the same part; else it is a second one.
    pub is_same: bool,
}

/// A call of a second part: of one that the same method gives out, or another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartCall {
    /// The part, by its number, and the method of it.
    pub part: usize,
    /// The method that is called on it, by its number.
    pub method: usize,
}

/// Collections of the JDK that may be live views, and what changes or reads them as one call.
const VIEWS: [&str; 4] = ["java/util/Collection", "java/util/Set", "java/util/List", "java/util/Map"];
const OF_VIEWS: [&str; 9] = ["add", "clear", "contains", "containsKey", "hashCode", "put", "remove", "size", "toArray"];
/// What whoever is told such an object of the JDK does with it in the end: the interface or class, and a method without
/// parameters.
const FINISHERS: [(&str, &str, &str); 8] = [
    ("java/util/stream/Stream", "toArray", "()[Ljava/lang/Object;"),
    ("java/util/concurrent/CompletableFuture", "join", "()Ljava/lang/Object;"),
    ("java/util/concurrent/Future", "get", "()Ljava/lang/Object;"),
    ("java/lang/AutoCloseable", "close", "()V"),
    ("java/lang/Runnable", "run", "()V"),
    ("java/util/concurrent/Callable", "call", "()Ljava/lang/Object;"),
    ("java/util/function/Supplier", "get", "()Ljava/lang/Object;"),
    ("java/util/Iterator", "next", "()Ljava/lang/Object;"),
];
/// Of objects of the class under test that its methods give out those of so many methods are parts.
const MOST_OFFSPRING: usize = 2;
/// What is gone through once, by one thread.
const ONCE: [&str; 4] =
    ["java/util/Iterator", "java/util/Enumeration", "java/util/Spliterator", "java/util/stream/BaseStream"];
/// Upper bound on the pairs with parts, and on those with common arguments.
pub const MOST: usize = 60;

/// Pairs to be tried, and how many there are past the bound.
pub struct Bounded<T> {
    /// The first of them.
    pub tried: Vec<T>,
    /// The number of those that are not tried.
    pub left: usize,
}

impl<T> Bounded<T> {
    fn of(mut found: Vec<T>) -> Bounded<T> {
        let left = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        Bounded { tried: found, left }
    }
}

/// What is done in the end with an object of a class of the JDK: the class that declares the method, its name and descriptor.
pub fn finisher(library: &Library<'_>, class: &str) -> Option<(&'static str, &'static str, &'static str)> {
    FINISHERS.into_iter().find(|(of, ..)| is_of_jdk(class) && library.is_subtype(class, of))
}

/// The same where the thread itself that got it does so at once: with what says nothing before it is asked. Whoever goes
/// through a collection, by an iterator or a stream of it, has to keep others from changing it.
pub fn finisher_of_own(
    library: &Library<'_>,
    subject: &str,
    class: &str,
) -> Option<(&'static str, &'static str, &'static str)> {
    let is_collection = ["java/util/Collection", "java/util/Map"].iter().any(|of| library.is_subtype(subject, of));
    finisher(library, class).filter(|(of, ..)| match *of {
        "java/util/Iterator" => false,
        "java/util/stream/Stream" => !is_collection,
        _ => true,
    })
}

/// The parts that subjects of a class have.
pub fn find(library: &Library<'_>, class: &SubjectClass, facts: &ClassFacts) -> Vec<Part> {
    let mut parts = given_out(library, class, facts);
    parts.extend(taken(library, class));
    parts
}

fn given_out(library: &Library<'_>, class: &SubjectClass, facts: &ClassFacts) -> Vec<Part> {
    let (mut parts, mut offspring): (Vec<Part>, Vec<usize>) = Default::default();
    for (giver, callable) in class.callable().filter(|(_, callable)| !callable.is_constructor()) {
        let Some(gives @ TypeSignature::Class(of)) = &callable.method.returns else { continue };
        let Some(info) = library.class(&types::class_name(of)) else { continue };
        let publishes = &facts.methods[giver].publishes;
        let is_view = VIEWS.contains(&&*info.name) && !publishes.is_empty();
        // What a factory makes belongs to whoever calls it.
        let is_made = publishes.iter().all(|path| path.starts_with("new "));
        if !callable.has_receiver() && is_made && !is_view {
            continue;
        }
        let is_own = !is_of_jdk(&info.name) && library.is_visible(&info) && can_change(library, &info);
        if class.is_offspring(giver, facts) && is_own {
            offspring.push(giver);
        }
        let is_subject = library.is_subtype(&class.info.name, &info.name);
        let is_once = ONCE.iter().any(|once| library.is_subtype(&info.name, once));
        if is_once || is_subject || !(is_view || is_own) {
            continue;
        }
        let mut methods = methods(library, &info, is_view);
        let is_shareable = library.is_shareable(&info.name);
        let is_held = publishes.iter().any(|path| path.starts_with("this"));
        if is_held && !is_view && !is_shareable && !acts_on(library, &info, &class.info) {
            methods.retain(|(_, method)| method.asks());
        }
        if !methods.is_empty() {
            let source = Source::Given(giver);
            parts.push(Part { source, info, gives: gives.clone(), is_shareable, methods });
        }
    }
    let needs = |giver: &usize| class.methods[*giver].as_ref().map_or(0, |it| it.method.parameters.len());
    offspring.sort_by_key(needs);
    for giver in offspring.into_iter().take(MOST_OFFSPRING) {
        let gives = class.methods[giver].as_ref().and_then(|it| it.method.returns.clone());
        let mut methods = methods(library, &class.info, false);
        let is_called = |it: &MethodInfo| {
            class.callable().any(|(_, own)| own.method.name == it.name && own.method.descriptor == it.descriptor)
        };
        methods.retain(|(_, method)| is_called(method));
        let (source, info) = (Source::Given(giver), class.info.clone());
        parts.extend(gives.map(|gives| Part { source, info, gives, is_shareable: true, methods }));
    }
    parts
}

/// Whether methods of a part may act on the subject that gives it out: it is of a class inside the subject's or around
/// it, or its class, or one below an interface or abstract class, has a field for a subject.
fn acts_on(library: &Library<'_>, part: &ClassInfo, subject: &ClassInfo) -> bool {
    let outermost = |name: &str| name.split('$').next().map(str::to_owned);
    let holds_subject = |name: &str| {
        let line = library.line(name);
        let mut fields = line.iter().filter(|info| !is_of_jdk(&info.name)).flat_map(|info| &info.fields);
        fields.any(|field| {
            let of = field.descriptor.trim_start_matches('[').strip_prefix('L').map(|of| of.trim_end_matches(';'));
            of.is_some_and(|of| {
                let is_above = !is_of_jdk(of) && library.is_subtype(&subject.name, of);
                is_above || library.is_subtype(of, &subject.name)
            })
        })
    };
    outermost(&part.name) == outermost(&subject.name)
        || holds_subject(&part.name)
        || part.is_abstract()
            && library
                .visible_in(part.package())
                .iter()
                .any(|below| library.is_subtype(&below.name, &part.name) && holds_subject(&below.name))
}

/// What subjects are made of or are given, of classes beside theirs that threads may share.
fn taken(library: &Library<'_>, class: &SubjectClass) -> Vec<Part> {
    let arguments = class.ways.iter().filter_map(|way| way.way.method()).flat_map(|it| &it.parameters);
    // A builder may go on to build others while what it has built is used.
    let builders = class.ways.iter().filter_map(|way| match &way.way {
        Way::Virtual { class, .. } => Some(types::class(&class.name)),
        _ => None,
    });
    let builders: Vec<TypeSignature> = builders.collect();
    let made_of = arguments.chain(&builders).map(|of| (None, of));
    let callable = class.callable().filter(|(_, callable)| callable.has_receiver());
    let given = callable.flat_map(|(number, it)| it.method.parameters.iter().map(move |of| (Some(number), of)));
    let mut parts: Vec<Part> = Vec::new();
    for (method, of) in made_of.chain(given) {
        let TypeSignature::Class(of) = of else { continue };
        let Some(wanted) = library.class(&types::class_name(of)).filter(|wanted| !is_of_jdk(&wanted.name)) else {
            continue;
        };
        let beside = library.visible_in(wanted.package());
        let fits = |info: &&Rc<ClassInfo>| {
            let is_subject = info.name == class.info.name || library.is_subtype(&info.name, &class.info.name);
            !is_subject
                && !info.is_abstract()
                && info.type_parameters.is_empty()
                && library.is_subtype(&info.name, &wanted.name)
        };
        for info in beside.iter().filter(fits) {
            let is_known = parts.iter().any(|part| part.info.name == info.name && part.source == Source::Taken(method));
            let is_shared = !is_known && library.is_shareable(&info.name) && can_change(library, info);
            let methods = if is_shared { methods(library, info, false) } else { Vec::new() };
            if methods.iter().any(|(_, method)| !method.asks()) {
                let gives = TypeSignature::Class(of.clone());
                let source = Source::Taken(method);
                parts.push(Part { source, info: info.clone(), gives, is_shareable: true, methods });
            }
        }
    }
    parts
}

/// Whether an object can do something else than tell what it holds. Of an interface nobody knows.
fn can_change(library: &Library<'_>, info: &ClassInfo) -> bool {
    const PLAIN: [&str; 3] = ["Ljava/lang/", "Ljava/math/", "Ljava/time/"];
    let is_value = |field: &FieldInfo| {
        let is_plain = field.descriptor.len() == 1 || PLAIN.iter().any(|plain| field.descriptor.starts_with(plain));
        is_plain && field.flags.has(Flags::FINAL)
    };
    let line = library.line(&info.name);
    let is_plain = info.only_tells || line.iter().all(|info| info.fields.iter().all(is_value));
    info.is_interface() || !is_plain && !info.is_enum()
}

fn methods(library: &Library<'_>, info: &Rc<ClassInfo>, is_view: bool) -> Vec<(String, MethodInfo)> {
    let mut found: Vec<(String, MethodInfo)> = Vec::new();
    for declaring in library.line(&info.name).iter().filter(|it| it.name != "java/lang/Object") {
        for method in &declaring.methods {
            let is_known =
                |(_, known): &(String, MethodInfo)| known.name == method.name && known.descriptor == method.descriptor;
            let is_callable = !method.is_static()
                && method.is_in_source()
                && library.can_use(method.flags, declaring.package())
                && method.flags.has(Flags::PUBLIC);
            let is_wanted = !is_view || OF_VIEWS.contains(&&*method.name);
            if is_callable && is_wanted && !found.iter().any(is_known) {
                found.push((declaring.name.clone(), method.clone()));
            }
        }
    }
    // What changes something comes first: it is told by giving nothing, or taking something.
    found.sort_by_key(|(_, method)| (method.asks(), method.parameters.len()));
    found
}

/// The pairs of methods that conflict if they are given one object, of a class that threads may share: one that claims so,
/// or that only stands for something which the subject has.
pub fn common(library: &Library<'_>, class: &SubjectClass, facts: &ClassFacts) -> Bounded<CommonArgument> {
    let may_be_shared = |method: usize, argument: usize| {
        let Some(Some(callable)) = class.methods.get(method) else { return false };
        let of = callable.method.parameters.get(argument).and_then(types::erased);
        // Of what is below a class that others implement nobody knows whether it may be shared.
        let is_whole = |of: &str| library.class(of).is_some_and(|info| !info.is_abstract() && !info.is_interface());
        of.is_some_and(|of| !is_of_jdk(&of) && is_whole(&of) && (library.is_shareable(&of) || library.only_tells(&of)))
    };
    let mut found = facts.common_arguments();
    found.retain(|it| may_be_shared(it.methods.0, it.arguments.0) && may_be_shared(it.methods.1, it.arguments.1));
    Bounded::of(found)
}

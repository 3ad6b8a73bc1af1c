//! Interfaces and abstract classes implemented by a class that the host writes.
//!
//! The class has a name that follows from what it does, so it is the same in every process, and is defined once in each.
//! It stands in the package and class loader of the type that it implements, so that what only that package can see can
//! be implemented too. Public types of the JDK are implemented in a package of our own instead: the class may then call
//! the classes under test, which the JDK's loaders do not see.
//!
//! It is loaded as all classes are, and so tells of its events: reads of captured values, counts of calls.

mod body;
mod hierarchy;
pub mod reflect;
mod types;
mod write;

use crate::jni::Env;
use crate::read::Reading;
use crate::resolve::{ResolveError, found};
use crate::scope::is_of_jdk;
use classfile::{EditError, Flags, Overflow};
use hierarchy::Inheritable;
use jni_sys::{jclass, jmethodID, jobject};
use reflect::TypeFacts;
use std::collections::HashMap;
use std::sync::Mutex;
use testcase::{Argument, Behaviour, Implementation};
use write::{Body, Captured, Does, Plan};

/// Why a type cannot be implemented as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum NotImplementable {
    #[error("it is final")]
    Final,
    #[error("it is sealed")]
    Sealed,
    #[error("it is an array, an enum or a record, which nothing extends")]
    Closed,
    #[error("its constructor {0} is private")]
    PrivateConstructor(String),
    #[error("it is an interface and has no constructor {0}")]
    NoConstructor(String),
    #[error("it has no method {0} that can be overridden")]
    NoSuchMethod(String),
    #[error("its method {method} is seen in package {package} only")]
    Hidden { method: String, package: String },
    #[error("it can only be implemented inside the JDK, from where {0} is not seen")]
    OutOfSight(String),
    #[error("{method} has no parameter {number}")]
    NoSuchParameter { method: String, number: usize },
    #[error("{method}: {found} is no {wanted}")]
    Type { method: String, found: String, wanted: String },
    #[error("call {0} gives no value")]
    NoValue(usize),
    #[error("the descriptor {0} is malformed")]
    Descriptor(String),
    #[error("no behaviour can be {0}")]
    Call(String),
    #[error("class {0} was not found")]
    NoSuchClass(String),
    #[error(transparent)]
    Write(#[from] EditError),
}

impl From<Overflow> for NotImplementable {
    fn from(overflow: Overflow) -> Self {
        NotImplementable::Write(EditError::Overflow(overflow))
    }
}

/// A class that was written, ready to make objects.
pub struct Implemented {
    /// A global reference.
    pub class: jclass,
    pub constructor: jmethodID,
    /// The values that the constructor takes after its arguments, by their numbers.
    pub captured: Vec<usize>,
}

/// What is to be implemented.
#[derive(Clone, Copy)]
pub struct Wish<'w> {
    pub class: &'w str,
    pub descriptor: &'w str,
    pub methods: &'w [Implementation],
    /// The first letters of the descriptors of all values there are.
    pub letters: &'w [u8],
}

/// The package for types of the JDK.
const OWN_PACKAGE: &str = "raddle/";

/// Global references to the classes that were defined, by all that decides what each is. One test wants them again and again: it
/// is made ready for each suffix alone and for each order of its calls.
static DEFINED: Mutex<Option<HashMap<String, Defined>>> = Mutex::new(None);

struct Defined(jclass);

// SAFETY: it is a global reference.
unsafe impl Send for Defined {}

/// Writes and defines the class, unless that was done before.
pub fn implement(env: Env, reading: &Reading, wish: Wish<'_>) -> Result<Implemented, ResolveError> {
    let captured = captured(wish).map_err(|reason| refused(wish, reason))?;
    let text = format!("{} {} {:?} {captured:?}", wish.class, wish.descriptor, wish.methods);
    let class = match defined(&text) {
        Some(class) => class,
        None => {
            let class = env.global(define(env, reading, wish, &captured, hash(&text))?);
            let mut classes = DEFINED.lock().unwrap_or_else(|e| e.into_inner());
            classes.get_or_insert_default().insert(text, Defined(class));
            class
        }
    };
    let constructor = env.method(class, "<init>", &write::own_constructor(wish.descriptor, &captured));
    found(env, reading, &format!("an implementation of {}", wish.class), constructor.is_some())?;
    let constructor = constructor.expect("internal bug: found");
    Ok(Implemented { class, constructor, captured: captured.iter().map(|captured| captured.number).collect() })
}

/// Writes and defines the class, whose name ends with that number.
fn define(
    env: Env,
    reading: &Reading,
    wish: Wish<'_>,
    captured: &[Captured],
    number: u64,
) -> Result<jclass, ResolveError> {
    let refuse = |reason| refused(wish, reason);
    let of = env.find_class(wish.class);
    found(env, reading, wish.class, of.is_some())?;
    let of = of.expect("internal bug: found");
    let facts = reflect::facts(env, of);
    check(&facts, wish).map_err(refuse)?;
    if !facts.is_interface {
        let constructor = env.method(of, "<init>", wish.descriptor);
        found(env, reading, &format!("{}.<init>{}", wish.class, wish.descriptor), constructor.is_some())?;
        if reflect::constructor_flags(env, of, wish.descriptor).is_some_and(|flags| flags.has(Flags::PRIVATE)) {
            return Err(refuse(NotImplementable::PrivateConstructor(wish.descriptor.to_owned())));
        }
    }
    let hierarchy = reflect::hierarchy(env, of);
    found(env, reading, wish.class, true)?;
    let (super_class, interface) = match facts.is_interface {
        true => ("java/lang/Object", Some(wish.class)),
        false => (wish.class, None),
    };
    let inheritable = hierarchy.inheritable(super_class, interface);
    let place = Place::choose(env, of, &facts, &inheritable, wish);
    let name = format!("{}{}$raddle${number:016x}", place.package, simple_name(wish.class));
    let methods = bodies(wish, &inheritable, &place).map_err(refuse)?;
    check_sight(wish, &place).map_err(refuse)?;
    let plan = Plan { name: &name, super_class, interface, constructor: wish.descriptor, captured, methods };
    let is_interface = |class: &str| reflect::is_interface(env, class);
    let bytes = plan.write(&is_interface).map_err(refuse)?;
    let class = env.define_class(&name, place.loader, &bytes);
    found(env, reading, &format!("an implementation of {}", wish.class), class.is_some())?;
    Ok(class.expect("internal bug: found"))
}

fn refused(wish: Wish<'_>, reason: NotImplementable) -> ResolveError {
    ResolveError::NotImplementable { class: wish.class.replace('/', "."), reason }
}

fn defined(text: &str) -> Option<jclass> {
    DEFINED.lock().unwrap_or_else(|e| e.into_inner()).as_ref()?.get(text).map(|defined| defined.0)
}

fn check(facts: &TypeFacts, wish: Wish<'_>) -> Result<(), NotImplementable> {
    if facts.is_closed {
        Err(NotImplementable::Closed)
    } else if facts.flags.has(Flags::FINAL) {
        Err(NotImplementable::Final)
    } else if facts.is_sealed {
        Err(NotImplementable::Sealed)
    } else if facts.is_interface && wish.descriptor != "()V" {
        Err(NotImplementable::NoConstructor(wish.descriptor.to_owned()))
    } else {
        Ok(())
    }
}

/// Where the class is defined.
struct Place {
    /// With a slash behind; empty for the one without a name.
    package: String,
    loader: jobject,
    /// Whether the loader is another than that of the class path, whose classes it does not see.
    in_jdk: bool,
}

impl Place {
    fn choose(env: Env, of: jclass, facts: &TypeFacts, inheritable: &[Inheritable], wish: Wish<'_>) -> Place {
        let application = reflect::application_loader(env);
        let reachable = |flags: Flags| flags.has(Flags::PUBLIC) || flags.has(Flags::PROTECTED);
        let open = facts.flags.has(Flags::PUBLIC)
            && facts.is_exported
            && reflect::constructor_flags(env, of, wish.descriptor).is_none_or(reachable)
            && inheritable.iter().filter(|method| method.needed).all(|method| reachable(method.declared.flags));
        if is_of_jdk(wish.class) && open {
            return Place { package: OWN_PACKAGE.to_owned(), loader: application, in_jdk: false };
        }
        let loader = reflect::loader(env, of);
        Place { package: package(wish.class).to_owned(), loader, in_jdk: !env.same(loader, application) }
    }
}

/// A class that is defined inside the JDK cannot name those of the class path.
fn check_sight(wish: Wish<'_>, place: &Place) -> Result<(), NotImplementable> {
    fn classes(behaviour: &Behaviour, named: &mut Vec<String>) {
        match behaviour {
            Behaviour::Throw { class, .. } => named.push(class.clone()),
            Behaviour::Call(call) => named.push(call.operation.class().to_owned()),
            Behaviour::InTurn(turns) => turns.iter().for_each(|turn| classes(turn, named)),
            Behaviour::Nothing | Behaviour::Return(_) => {}
        }
    }
    let mut named = Vec::new();
    wish.methods.iter().for_each(|method| classes(&method.does, &mut named));
    match named.into_iter().find(|class| place.in_jdk && !is_of_jdk(class) && !class.starts_with('[')) {
        Some(class) => Err(NotImplementable::OutOfSight(class)),
        None => Ok(()),
    }
}

/// The methods to write: those that are given, and all others that are needed.
fn bodies<'w>(wish: Wish<'w>, inheritable: &[Inheritable], place: &Place) -> Result<Vec<Body<'w>>, NotImplementable> {
    let is = |method: &Inheritable, given: &Implementation| {
        method.declared.name == given.name && method.declared.descriptor == given.descriptor
    };
    for given in wish.methods {
        let overridden = inheritable.iter().find(|method| is(method, given));
        if overridden.is_none_or(|method| method.declared.flags.has(Flags::FINAL)) {
            return Err(NotImplementable::NoSuchMethod(format!("{}{}", given.name, given.descriptor)));
        }
    }
    let mut bodies = Vec::new();
    for method in inheritable {
        let declared = &method.declared;
        let does = match wish.methods.iter().find(|given| is(method, given)) {
            Some(given) => Does::Behaviour(&given.does),
            None if !method.needed => continue,
            None => match wish.methods.iter().find(|given| is_bridged(method, given)) {
                Some(given) => Does::Same(&given.descriptor),
                None => Does::Behaviour(&Behaviour::Nothing),
            },
        };
        let access = Flags(declared.flags.0 & (Flags::PUBLIC.0 | Flags::PROTECTED.0));
        if access.0 == 0 && package(&method.by) != place.package {
            let method_name = format!("{}{}", declared.name, declared.descriptor);
            let package = package(&method.by).trim_end_matches('/').replace('/', ".");
            return Err(NotImplementable::Hidden { method: method_name, package });
        }
        let (name, descriptor) = (declared.name.clone(), declared.descriptor.clone());
        bodies.push(Body { name, descriptor, flags: access, does });
    }
    Ok(bodies)
}

/// Whether a method differs from the given one by its return type only, both being objects: a compiler would give it
/// a bridge to that one.
fn is_bridged(method: &Inheritable, given: &Implementation) -> bool {
    let parts = |descriptor: &str| descriptor.rsplit_once(')').map(|(a, b)| (a.to_owned(), b.starts_with(['L', '['])));
    let (Some((own, own_object)), Some((other, other_object))) =
        (parts(&method.declared.descriptor), parts(&given.descriptor))
    else {
        return false;
    };
    method.declared.name == given.name && own == other && own_object && other_object
}

/// The values that behaviours use, in the order of their numbers.
fn captured(wish: Wish<'_>) -> Result<Vec<Captured>, NotImplementable> {
    let mut numbers = Vec::new();
    for method in wish.methods {
        method.does.for_each_argument(&mut |argument| {
            if let Argument::Value(number) = argument {
                numbers.push(*number);
            }
        });
    }
    numbers.sort_unstable();
    numbers.dedup();
    let capture = |number: usize| match wish.letters[number] {
        b'V' => Err(NotImplementable::NoValue(number)),
        letter => Ok(Captured { number, letter }),
    };
    numbers.into_iter().map(capture).collect()
}

/// FNV-1a: the same in every process.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3))
}

/// With a slash behind.
fn package(class: &str) -> &str {
    class.rfind('/').map_or("", |slash| &class[..=slash])
}

fn simple_name(class: &str) -> &str {
    &class[package(class).len()..]
}

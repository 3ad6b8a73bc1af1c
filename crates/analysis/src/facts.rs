//! What was found out about a class, in words and numbers that need no class path any more.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

/// A class under test with the summaries of its public methods.
#[derive(Clone, Debug, Serialize)]
pub struct ClassFacts {
    /// Its name: `java.util.Vector`.
    pub class: String,
    /// What the reader must know, such as that the class is abstract.
    pub notes: Vec<String>,
    /// All locations that its methods access.
    pub locations: Vec<Location>,
    /// All locks that its methods take.
    pub locks: Vec<LockFact>,
    /// Its public methods, inherited ones included, by name; then its constructors that touch what others may share:
    /// static state, and what their arguments hold.
    pub methods: Vec<MethodFacts>,
    /// Fields of the subject that hold what a caller gives: two subjects can be made to share it.
    pub setters: Vec<Setters>,
    /// How many methods were analysed for it, on all kinds of receivers.
    pub reached: usize,
    /// How much work that was, in instructions walked and stores of callees taken over.
    pub work: u64,
    /// How many effects callers took over from their callees.
    pub taken_over: u64,
}

/// Whose object a path starts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The subject itself, or what hangs on it.
    Subject,
    /// A static field, or a class.
    Static,
    /// A parameter of the method.
    Parameter,
    /// An object of which only the type is known.
    Outside,
}

/// A memory location: a field of an object on a path, the elements of an array, or a static field.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Location {
    /// As Java would write it: `this.elementData[]`.
    pub path: String,
    /// The class that declares the field; `[]` for elements.
    pub class: String,
    /// The field.
    pub field: String,
    /// Whose it is.
    pub owner: Owner,
    /// The argument that the path starts from, counted from 0, if the owner is a parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<usize>,
    /// Whether it never changes once its object is there.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Other locations that may be the same on one subject, as this one or they stand for many.
    #[serde(skip)]
    pub overlaps: Vec<usize>,
    /// The location of the subject that this is, if the argument is the subject of another call.
    #[serde(skip)]
    pub of_subject: Option<usize>,
    /// The entry of [`ClassFacts::setters`] by which two subjects can share it.
    #[serde(skip)]
    pub within: Option<usize>,
}

/// A field of the subject that holds what a caller gives.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Setters {
    /// The field: `this.f`.
    pub path: String,
    /// Constructors and methods that put an argument there.
    pub by: Vec<Setter>,
}

/// A constructor or method that puts an argument into a field, as it is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Setter {
    /// As Java would write it: `new Account(Counter)`, `setF(Counter)`.
    pub method: String,
    /// The argument, counted from 0.
    pub argument: usize,
}

/// How a lock is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LockMode {
    /// `synchronized`
    Monitor,
    /// A `java.util.concurrent` lock.
    Exclusive,
    /// A read lock.
    Shared,
}

/// A lock.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LockFact {
    /// As Java would write it: `this.lock`.
    pub path: String,
    /// The class of the object.
    pub class: String,
    /// How it is taken.
    pub mode: LockMode,
    /// Whose it is.
    pub owner: Owner,
    /// The argument that the path starts from, counted from 0, if the owner is a parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<usize>,
    /// Whether its path always leads to the same object.
    pub stable: bool,
    /// The locks whose object can stand in for this one's: those whose classes are the same or one above the
    /// other.
    #[serde(skip)]
    pub compatible: Vec<usize>,
    /// The lock of the subject that this is, if the argument is the subject of another call.
    #[serde(skip)]
    pub of_subject: Option<usize>,
    /// The entry of [`ClassFacts::setters`] by which two subjects can share it.
    #[serde(skip)]
    pub within: Option<usize>,
}

impl LockFact {
    /// The argument that is the lock itself, counted from 0, and does not only hold it.
    pub fn itself(&self) -> Option<usize> {
        self.argument.filter(|_| self.owner == Owner::Parameter && !self.path.contains(['.', '[']))
    }
}

/// A place in the code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct SiteFact {
    /// The class.
    pub class: String,
    /// The name of the method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The offset of the instruction.
    pub offset: u16,
    /// The source line.
    pub line: Option<u16>,
    /// The source file.
    pub file: Option<String>,
    /// Whether the instruction is a call that accesses a field or an element which it does not name: of `Unsafe`, of a
    /// `VarHandle`, of an updater.
    #[serde(skip)]
    pub is_raw: bool,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Kind {
    Read,
    Write,
    Update,
}

impl Kind {
    /// Whether it reads.
    pub fn reads(self) -> bool {
        self != Kind::Write
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        self != Kind::Read
    }
}

/// A lock that is held at an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct HeldFact {
    /// The lock, by its number.
    pub lock: usize,
    /// Whether it was taken before anything of the subject or static was accessed.
    pub from_start: bool,
    /// Whether it was taken before anything was accessed through the parameter that is accessed here; of the subject
    /// and of statics the same as `from_start`.
    pub from_first: bool,
}

/// An access of a location.
#[derive(Clone, Debug, Serialize)]
pub struct AccessFact {
    /// The location, by its number.
    pub location: usize,
    /// What is done.
    pub kind: Kind,
    /// Whether it is volatile or atomic.
    pub ordered: bool,
    /// The locks that are held for certain.
    pub held: Vec<HeldFact>,
    /// Where the access is.
    pub site: Arc<SiteFact>,
}

/// Two locks, the inner taken while the outer is held.
#[derive(Clone, Debug, Serialize)]
pub struct DoubleLock {
    /// The lock that is held, by its number.
    pub outer: usize,
    /// The lock that is taken, by its number.
    pub inner: usize,
    /// Where the inner one is taken.
    pub site: Arc<SiteFact>,
}

/// A lock that is taken.
#[derive(Clone, Debug, Serialize)]
pub struct LockUse {
    /// The lock, by its number.
    pub lock: usize,
    /// Where it is taken.
    pub site: Arc<SiteFact>,
}

/// A wait or a notification.
#[derive(Clone, Debug, Serialize)]
pub struct SignalFact {
    /// The monitor or condition.
    pub path: String,
    /// Whether it waits.
    pub wait: bool,
    /// Where.
    pub site: Arc<SiteFact>,
}

/// A call of which nothing is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct OpaqueFact {
    /// The class and method.
    pub call: String,
    /// Why.
    pub reason: &'static str,
}

/// A public method, or a constructor, with its summaries.
#[derive(Clone, Debug, Serialize)]
pub struct MethodFacts {
    /// Its name; `<init>` of a constructor.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The class that declares it.
    pub declared_in: String,
    /// Whether it is static.
    #[serde(rename = "static")]
    pub is_static: bool,
    /// Definition 5, with what else is touched: locations of parameters and of objects from outside.
    pub accesses: Vec<AccessFact>,
    /// Definition 6: the locks that protect every access of the subject and of statics.
    pub lock_summary: Vec<usize>,
    /// All locks that it takes.
    pub takes: Vec<LockUse>,
    /// Definition 9.
    pub double_locks: Vec<DoubleLock>,
    /// Waits and notifications.
    pub signals: Vec<SignalFact>,
    /// Parts of the subject, or views of it, that it returns.
    pub publishes: Vec<String>,
    /// Whether it returns the subject itself, and nothing else.
    pub gives_itself: bool,
    /// Calls of which nothing is known.
    pub opaque: Vec<OpaqueFact>,
}

impl MethodFacts {
    /// Whether it is a constructor. What it does to the new object is not in its summaries, for nobody else has it.
    pub fn is_constructor(&self) -> bool {
        self.name == CONSTRUCTOR
    }

    /// The name with its parameters: `add(int, Object)`, `new Account(Counter)`.
    pub fn signature(&self) -> String {
        signature(&self.name_in_source(), &self.descriptor)
    }

    fn name_in_source(&self) -> Cow<'_, str> {
        match self.is_constructor() {
            true => format!("new {}", self.declared_in.rsplit(['.', '$']).next().unwrap_or(&self.declared_in)).into(),
            false => Cow::Borrowed(&self.name),
        }
    }

    /// Whether somebody who writes this down means it: its name, or that with its parameters, such as `add(int,Object)`.
    pub fn is_meant_by(&self, text: &str) -> bool {
        let spaceless = |text: &str| text.replace(' ', "");
        self.name_in_source() == text || text.contains('(') && spaceless(&self.signature()) == spaceless(text)
    }
}

/// What class files call constructors.
const CONSTRUCTOR: &str = "<init>";

/// A name with the parameters of a descriptor.
pub(crate) fn signature(name: &str, descriptor: &str) -> String {
    let java = classfile::encode_modified_utf8(descriptor);
    let parameters = classfile::JavaStr::new(&java).and_then(classfile::MethodDescriptor::new);
    let parameters = parameters.map(|parsed| parsed.parameters().map(|p| short(&p.to_string())).collect::<Vec<_>>());
    format!("{name}({})", parameters.unwrap_or_default().join(", "))
}

/// The last part of a name.
fn short(name: &str) -> String {
    name.rsplit('.').next().unwrap_or(name).to_owned()
}

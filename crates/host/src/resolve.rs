//! A test case made ready to run: names looked up, literals made.

use crate::agent::LOADED;
use crate::implement::{NotImplementable, Wish, implement, reflect};
use crate::jni::Env;
use crate::outcome::Thrown;
use crate::read::Reading;
use crate::sites::{FieldRef, Site};
use classfile::{JavaStr, MethodDescriptor, TypeDescriptor, encode_modified_utf8};
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};
use schedule::{EventKind, SiteId};
use std::collections::HashMap;
use std::sync::Mutex;
use testcase::{Argument, Call, Operation};

/// A call that can be made. It holds global references for as long as the process lives.
#[derive(Clone)]
pub struct Ready {
    pub action: Action,
    pub receiver: Option<Operand>,
    pub arguments: Vec<Operand>,
    /// The first letter of the descriptor of what it gives.
    pub gives: u8,
    /// The first letter of the descriptor of the field or elements that it writes.
    pub puts: u8,
    /// What it tells of, if it touches a field or elements itself.
    pub access: Option<Access>,
}

/// An access that the test itself makes: an event, as it would be in code.
#[derive(Clone, Copy)]
pub struct Access {
    pub kind: EventKind,
    /// The number of the field; elements have their index instead.
    pub slot: u32,
    pub site: SiteId,
}

// SAFETY: the references are global and the identifiers are valid in every thread.
unsafe impl Send for Ready {}
// SAFETY: as above.
unsafe impl Sync for Ready {}

/// What the call does.
#[derive(Clone, Copy)]
pub enum Action {
    Construct(jclass, jmethodID),
    /// The same for an inner class, whose first argument is the object around the new one.
    ConstructInner(jclass, jmethodID),
    Static(jclass, jmethodID),
    Virtual(jmethodID),
    GetField(jfieldID),
    PutField(jfieldID),
    GetStatic(jclass, jfieldID),
    PutStatic(jclass, jfieldID),
    Array(jclass),
    /// An array of primitive values; what it writes says of which type.
    PrimitiveArray,
}

/// A value that is passed.
#[derive(Clone, Copy)]
pub enum Operand {
    Literal(jvalue),
    /// What the call with that number gave.
    Value(usize),
    /// What a call of a suffix returned, by the suffix and the number of the call in it.
    Returned(usize, usize),
}

impl Ready {
    /// The same call with other operands. None if there is none for one of them.
    pub fn with_operands(&self, other: &impl Fn(&Operand) -> Option<Operand>) -> Option<Ready> {
        let receiver = match &self.receiver {
            Some(receiver) => Some(other(receiver)?),
            None => None,
        };
        let arguments = self.arguments.iter().map(other).collect::<Option<_>>()?;
        Some(Ready { receiver, arguments, ..self.clone() })
    }
}

/// The first letters of the descriptors of values that calls can use.
#[derive(Clone, Copy)]
pub struct Letters<'l> {
    /// Of those that calls before gave, by their numbers.
    pub given: &'l [u8],
    /// Of what the calls of suffixes return, if those have ended.
    pub returned: &'l [Vec<u8>],
}

/// A call cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ResolveError {
    /// A class, method or field is not there, or its class cannot be initialised.
    #[error("{what}: {}{}", thrown.class, thrown.message.as_deref().map(|m| format!(": {m}")).unwrap_or_default())]
    Missing {
        /// What was looked up.
        what: String,
        /// What the virtual machine said.
        thrown: Box<Thrown>,
    },
    /// A descriptor is malformed, or the arguments are not as many as it says.
    #[error("{0} does not take these arguments")]
    Arguments(String),
    /// A type cannot be implemented as the test asks.
    #[error("{class} cannot be implemented: {reason}")]
    NotImplementable {
        /// The type.
        class: String,
        /// Why not.
        reason: NotImplementable,
    },
}

/// Makes calls ready, which can use values of these types and what calls before them in the list give.
pub fn resolve(env: Env, reading: &Reading, calls: &[Call], letters: Letters<'_>) -> Result<Vec<Ready>, ResolveError> {
    let mut given = letters.given.to_vec();
    let ready = calls.iter().enumerate().map(|(number, call)| {
        let ready = env.frame(|| resolve_call(env, reading, call, number, Letters { given: &given, ..letters }))?;
        given.push(ready.gives);
        Ok(ready)
    });
    ready.collect()
}

/// Makes sure that a class is loaded.
pub fn load(env: Env, reading: &Reading, class: &str) -> Result<(), ResolveError> {
    env.frame(|| {
        let loaded = env.find_class(class).is_some();
        found(env, reading, class, loaded)
    })
}

/// Global references to the classes that tests have named. They are named again by each test, and the same test is made ready
/// for each order of its calls.
static CLASSES: Mutex<Option<HashMap<String, Class>>> = Mutex::new(None);

#[derive(Clone, Copy)]
struct Class {
    class: jclass,
    is_inner: bool,
}

// SAFETY: it is a global reference.
unsafe impl Send for Class {}

/// A global reference to a class, which is initialised.
fn class(env: Env, reading: &Reading, name: &str) -> Result<Class, ResolveError> {
    let known = || CLASSES.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(class) = known().get_or_insert_default().get(name) {
        return Ok(*class);
    }
    let class = env.find_class(name);
    found(env, reading, name, class.is_some())?;
    let class = env.global(class.expect("internal bug: found"));
    let class = Class { class, is_inner: reflect::is_inner(env, class) };
    known().get_or_insert_default().insert(name.to_owned(), class);
    Ok(class)
}

/// Global references to the texts that tests have written down.
static TEXTS: Mutex<Option<HashMap<String, Text>>> = Mutex::new(None);

struct Text(jobject);

// SAFETY: it is a global reference.
unsafe impl Send for Text {}

/// A global reference to a text that is written down. As in Java, the same text is the same object wherever that is: it may be
/// locked, or compared by identity.
fn literal(env: Env, text: &str) -> Option<jobject> {
    let mut known = TEXTS.lock().unwrap_or_else(|e| e.into_inner());
    let known = known.get_or_insert_default();
    if let Some(Text(text)) = known.get(text) {
        return Some(*text);
    }
    let string = env.string(text)?;
    let intern = env.method(env.class_of(string), "intern", "()Ljava/lang/String;")?;
    // SAFETY: the method returns a reference.
    let interned = unsafe { env.call(string, intern, b'L', &[]).l };
    let interned = (!interned.is_null()).then(|| env.global(interned))?;
    known.insert(text.to_owned(), Text(interned));
    Some(interned)
}

/// Tells what the virtual machine says of something that is not there.
pub fn found(env: Env, reading: &Reading, what: &str, is_there: bool) -> Result<(), ResolveError> {
    match (is_there, env.take_exception()) {
        (true, None) => Ok(()),
        (_, exception) => {
            let thrown = exception.map(|exception| reading.thrown(env, exception));
            let unknown = || Thrown { class: "not found".into(), ..Thrown::default() };
            Err(ResolveError::Missing { what: what.to_owned(), thrown: Box::new(thrown.unwrap_or_else(unknown)) })
        }
    }
}

fn resolve_call(
    env: Env,
    reading: &Reading,
    call: &Call,
    number: usize,
    letters: Letters<'_>,
) -> Result<Ready, ResolveError> {
    let found = |what: &str, is_there: bool| found(env, reading, what, is_there);
    let known = |name: &str| class(env, reading, name);
    let class = |name: &str| known(name).map(|known| known.class);
    macro_rules! member {
        ($lookup:ident, $class:expr, $owner:expr, $name:expr, $descriptor:expr) => {{
            let id = env.$lookup($class, $name, $descriptor);
            found(&format!("{}.{}{}", $owner, $name, $descriptor), id.is_some())?;
            id.expect("internal bug: found")
        }};
    }
    let mut captured = Vec::new();
    let (action, parameters, gives) = match &call.operation {
        Operation::Construct { class: owner, descriptor } => {
            let Class { class, is_inner } = known(owner)?;
            let (parameters, _) = method_shape(owner, descriptor)?;
            let constructor = member!(method, class, owner, "<init>", descriptor);
            match is_inner && parameters.first() == Some(&b'L') {
                true => (Action::ConstructInner(class, constructor), parameters, b'L'),
                false => (Action::Construct(class, constructor), parameters, b'L'),
            }
        }
        Operation::Static { class: owner, name, descriptor } => {
            let class = class(owner)?;
            let (parameters, gives) = method_shape(name, descriptor)?;
            (Action::Static(class, member!(static_method, class, owner, name, descriptor)), parameters, gives)
        }
        Operation::Virtual { class: owner, name, descriptor, .. } => {
            let (parameters, gives) = method_shape(name, descriptor)?;
            (Action::Virtual(member!(method, class(owner)?, owner, name, descriptor)), parameters, gives)
        }
        Operation::GetField { class: owner, name, descriptor, .. } => {
            let id = member!(field, class(owner)?, owner, name, descriptor);
            (Action::GetField(id), vec![], field_letter(name, descriptor)?)
        }
        Operation::PutField { class: owner, name, descriptor, .. } => {
            let id = member!(field, class(owner)?, owner, name, descriptor);
            (Action::PutField(id), vec![field_letter(name, descriptor)?], b'V')
        }
        Operation::GetStatic { class: owner, name, descriptor } => {
            let class = class(owner)?;
            let id = member!(static_field, class, owner, name, descriptor);
            (Action::GetStatic(class, id), vec![], field_letter(name, descriptor)?)
        }
        Operation::PutStatic { class: owner, name, descriptor } => {
            let class = class(owner)?;
            let id = member!(static_field, class, owner, name, descriptor);
            (Action::PutStatic(class, id), vec![field_letter(name, descriptor)?], b'V')
        }
        Operation::Array { element } => match primitive_letter(element) {
            Some(letter) => (Action::PrimitiveArray, vec![letter; call.arguments.len()], b'['),
            None => (Action::Array(class(element)?), vec![b'L'; call.arguments.len()], b'['),
        },
        Operation::Implement { class: owner, descriptor, methods } => {
            let (parameters, _) = method_shape(owner, descriptor)?;
            let implemented =
                implement(env, reading, Wish { class: owner, descriptor, methods, letters: letters.given })?;
            captured = implemented.captured;
            (Action::Construct(implemented.class, implemented.constructor), parameters, b'L')
        }
    };
    let arguments = call.arguments.iter().zip(&parameters);
    let receiver_fits = call.operation.receiver().is_none_or(|receiver| is_passable(receiver, b'L', letters));
    if !receiver_fits
        || parameters.len() != call.arguments.len()
        || !arguments.clone().all(|(argument, &letter)| is_passable(argument, letter, letters))
    {
        return Err(ResolveError::Arguments(format!("{:?}", call.operation)));
    }
    let operand = |argument: &Argument| operand(env, argument, &class);
    let mut operands = call.arguments.iter().map(operand).collect::<Result<Vec<_>, _>>()?;
    operands.extend(captured.into_iter().map(Operand::Value));
    let written =
        matches!(call.operation, Operation::PutField { .. } | Operation::PutStatic { .. } | Operation::Array { .. });
    Ok(Ready {
        action,
        receiver: call.operation.receiver().map(operand).transpose()?,
        arguments: operands,
        gives,
        puts: parameters.first().copied().filter(|_| written).unwrap_or(match &call.operation {
            Operation::Array { element } => primitive_letter(element).unwrap_or(b'L'),
            _ => b'V',
        }),
        access: access(&call.operation, number),
    })
}

/// The event of a call that touches a field or elements itself. Its site is in the test: it is named by what is done, and
/// its offset is the number of the call among its list.
fn access(operation: &Operation, number: usize) -> Option<Access> {
    let (verb, kind) = match operation {
        Operation::GetField { .. } | Operation::GetStatic { .. } => ("get", EventKind::Read),
        Operation::PutField { .. } | Operation::PutStatic { .. } => ("put", EventKind::Write),
        Operation::Array { .. } => ("fill", EventKind::Write),
        _ => return None,
    };
    let class = operation.class().to_owned();
    let field = match operation {
        Operation::GetField { name, .. }
        | Operation::PutField { name, .. }
        | Operation::GetStatic { name, .. }
        | Operation::PutStatic { name, .. } => Some(FieldRef { class: class.clone(), name: name.clone() }),
        _ => None,
    };
    let what = field.as_ref().map_or(format!("{class}[]"), |field| format!("{class}.{}", field.name));
    let method = format!("{verb} {}", what.replace('/', "."));
    let site = Site { class: Site::TEST.to_owned(), method, pc: number as u16, line: None, kind, field };
    let mut loaded = LOADED.lock().unwrap_or_else(|e| e.into_inner());
    let sites = &mut loaded.as_mut().expect("internal bug: no agent").sites;
    let site = sites.add(site);
    let (kind, slot) = sites.resolve(site).expect("internal bug: just added");
    Some(Access { kind, slot, site })
}

/// Whether an argument can be passed where the descriptor begins with that letter.
fn is_passable(argument: &Argument, letter: u8, letters: Letters<'_>) -> bool {
    let is_reference = |letter: u8| matches!(letter, b'L' | b'[');
    let fits = |given: &u8| *given == letter || is_reference(*given) && is_reference(letter);
    match argument {
        Argument::Null | Argument::String(_) | Argument::Class(_) => is_reference(letter),
        Argument::Boolean(_) => letter == b'Z',
        Argument::Byte(_) => letter == b'B',
        Argument::Char(_) => letter == b'C',
        Argument::Short(_) => letter == b'S',
        Argument::Int(_) => letter == b'I',
        Argument::Long(_) => letter == b'J',
        Argument::Float(_) => letter == b'F',
        Argument::Double(_) => letter == b'D',
        Argument::Value(number) => letters.given.get(*number).is_some_and(fits),
        Argument::Returned { suffix, call } => {
            letters.returned.get(*suffix).and_then(|calls| calls.get(*call)).is_some_and(fits)
        }
        Argument::Parameter(_) => false,
    }
}

/// The letter of a primitive type, by its name in Java.
fn primitive_letter(name: &str) -> Option<u8> {
    Some(match name {
        "boolean" => b'Z',
        "byte" => b'B',
        "char" => b'C',
        "short" => b'S',
        "int" => b'I',
        "long" => b'J',
        "float" => b'F',
        "double" => b'D',
        _ => return None,
    })
}

fn operand(
    env: Env,
    argument: &Argument,
    class: &impl Fn(&str) -> Result<jclass, ResolveError>,
) -> Result<Operand, ResolveError> {
    Ok(Operand::Literal(match argument {
        Argument::Null => jvalue { l: std::ptr::null_mut::<jni_sys::_jobject>() as jobject },
        Argument::Boolean(z) => jvalue { z: *z },
        Argument::Byte(b) => jvalue { b: *b },
        Argument::Char(c) => jvalue { c: *c },
        Argument::Short(s) => jvalue { s: *s },
        Argument::Int(i) => jvalue { i: *i },
        Argument::Long(j) => jvalue { j: *j },
        Argument::Float(f) => jvalue { f: *f },
        Argument::Double(d) => jvalue { d: *d },
        Argument::String(text) => {
            jvalue { l: literal(env, text).ok_or_else(|| ResolveError::Arguments("a string".into()))? }
        }
        Argument::Class(name) => jvalue { l: class(name)? },
        Argument::Value(number) => return Ok(Operand::Value(*number)),
        Argument::Returned { suffix, call } => return Ok(Operand::Returned(*suffix, *call)),
        Argument::Parameter(_) => unreachable!("internal bug: parameters are not passable"),
    }))
}

/// The first letters of the parameters of a method, and of what it returns.
fn method_shape(name: &str, descriptor: &str) -> Result<(Vec<u8>, u8), ResolveError> {
    let text = encode_modified_utf8(descriptor);
    let parsed = JavaStr::new(&text).and_then(MethodDescriptor::new);
    let parsed = parsed.ok_or_else(|| ResolveError::Arguments(format!("{name}{descriptor}")))?;
    let letter = |of: TypeDescriptor<'_>| of.text().as_bytes()[0];
    Ok((parsed.parameters().map(letter).collect(), parsed.returns().map_or(b'V', letter)))
}

fn field_letter(name: &str, descriptor: &str) -> Result<u8, ResolveError> {
    let text = encode_modified_utf8(descriptor);
    let parsed = JavaStr::new(&text).and_then(TypeDescriptor::new);
    let parsed = parsed.ok_or_else(|| ResolveError::Arguments(format!("{name} {descriptor}")))?;
    Ok(parsed.text().as_bytes()[0])
}

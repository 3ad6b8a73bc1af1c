//! A test case made ready to run: names looked up, literals made.

use crate::jni::Env;
use crate::outcome::Thrown;
use crate::read::Reading;
use classfile::{JavaStr, MethodDescriptor, TypeDescriptor, encode_modified_utf8};
use jni_sys::{jclass, jfieldID, jmethodID, jobject, jvalue};
use testcase::{Argument, Call, Operation};

/// A call that can be made. It holds global references for as long as the process lives.
pub struct Ready {
    pub action: Action,
    pub receiver: Option<Operand>,
    pub arguments: Vec<Operand>,
    /// The first letter of the descriptor of what it gives.
    pub gives: u8,
    /// The first letter of the descriptor of the field that it writes.
    pub puts: u8,
}

// SAFETY: the references are global and the identifiers are valid in every thread.
unsafe impl Send for Ready {}
// SAFETY: as above.
unsafe impl Sync for Ready {}

/// What the call does.
#[derive(Clone, Copy)]
pub enum Action {
    Construct(jclass, jmethodID),
    Static(jclass, jmethodID),
    Virtual(jmethodID),
    GetField(jfieldID),
    PutField(jfieldID),
    GetStatic(jclass, jfieldID),
    PutStatic(jclass, jfieldID),
    Array(jclass),
}

/// A value that is passed.
#[derive(Clone, Copy)]
pub enum Operand {
    Literal(jvalue),
    /// What the call with that number gave.
    Value(usize),
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
        thrown: Thrown,
    },
    /// A descriptor is malformed, or the arguments are not as many as it says.
    #[error("{0} does not take these arguments")]
    Arguments(String),
}

/// Makes calls ready.
pub fn resolve(env: Env, reading: &Reading, calls: &[Call]) -> Result<Vec<Ready>, ResolveError> {
    calls.iter().map(|call| env.frame(|| resolve_call(env, reading, call))).collect()
}

/// Makes sure that a class is loaded.
pub fn load(env: Env, reading: &Reading, class: &str) -> Result<(), ResolveError> {
    env.frame(|| {
        let loaded = env.find_class(class).is_some();
        found(env, reading, class, loaded)
    })
}

/// Tells what the virtual machine says of something that is not there.
fn found(env: Env, reading: &Reading, what: &str, is_there: bool) -> Result<(), ResolveError> {
    match (is_there, env.take_exception()) {
        (true, None) => Ok(()),
        (_, exception) => {
            let thrown = exception.map(|exception| reading.thrown(env, exception));
            let unknown = || Thrown { class: "not found".into(), message: None, frames: Vec::new() };
            Err(ResolveError::Missing { what: what.to_owned(), thrown: thrown.unwrap_or_else(unknown) })
        }
    }
}

fn resolve_call(env: Env, reading: &Reading, call: &Call) -> Result<Ready, ResolveError> {
    let found = |what: &str, is_there: bool| found(env, reading, what, is_there);
    let class = |name: &str| {
        let class = env.find_class(name);
        found(name, class.is_some())?;
        Ok(env.global(class.expect("internal bug: found")))
    };
    macro_rules! member {
        ($lookup:ident, $class:expr, $owner:expr, $name:expr, $descriptor:expr) => {{
            let id = env.$lookup($class, $name, $descriptor);
            found(&format!("{}.{}{}", $owner, $name, $descriptor), id.is_some())?;
            id.expect("internal bug: found")
        }};
    }
    let (action, parameters, gives) = match &call.operation {
        Operation::Construct { class: owner, descriptor } => {
            let class = class(owner)?;
            let (parameters, _) = method_shape(owner, descriptor)?;
            (Action::Construct(class, member!(method, class, owner, "<init>", descriptor)), parameters, b'L')
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
            (Action::GetField(id), 0, field_letter(name, descriptor)?)
        }
        Operation::PutField { class: owner, name, descriptor, .. } => {
            (Action::PutField(member!(field, class(owner)?, owner, name, descriptor)), 1, b'V')
        }
        Operation::GetStatic { class: owner, name, descriptor } => {
            let class = class(owner)?;
            let id = member!(static_field, class, owner, name, descriptor);
            (Action::GetStatic(class, id), 0, field_letter(name, descriptor)?)
        }
        Operation::PutStatic { class: owner, name, descriptor } => {
            let class = class(owner)?;
            (Action::PutStatic(class, member!(static_field, class, owner, name, descriptor)), 1, b'V')
        }
        Operation::Array { element } => (Action::Array(class(element)?), call.arguments.len(), b'L'),
    };
    if parameters != call.arguments.len() {
        return Err(ResolveError::Arguments(format!("{:?}", call.operation)));
    }
    let operand = |argument: &Argument| operand(env, argument, &class);
    Ok(Ready {
        action,
        receiver: call.operation.receiver().map(operand).transpose()?,
        arguments: call.arguments.iter().map(operand).collect::<Result<_, _>>()?,
        gives,
        puts: match &call.operation {
            Operation::PutField { name, descriptor, .. } | Operation::PutStatic { name, descriptor, .. } => {
                field_letter(name, descriptor)?
            }
            _ => b'V',
        },
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
            let string = env.string(text).ok_or_else(|| ResolveError::Arguments("a string".into()))?;
            jvalue { l: env.global(string) }
        }
        Argument::Class(name) => jvalue { l: class(name)? },
        Argument::Value(number) => return Ok(Operand::Value(*number)),
    }))
}

/// How many parameters a method has, and the first letter of what it returns.
fn method_shape(name: &str, descriptor: &str) -> Result<(usize, u8), ResolveError> {
    let text = encode_modified_utf8(descriptor);
    let parsed = JavaStr::new(&text).and_then(MethodDescriptor::new);
    let parsed = parsed.ok_or_else(|| ResolveError::Arguments(format!("{name}{descriptor}")))?;
    Ok((parsed.parameters().count(), parsed.returns().map_or(b'V', |returns| returns.text().as_bytes()[0])))
}

fn field_letter(name: &str, descriptor: &str) -> Result<u8, ResolveError> {
    let text = encode_modified_utf8(descriptor);
    let parsed = JavaStr::new(&text).and_then(TypeDescriptor::new);
    let parsed = parsed.ok_or_else(|| ResolveError::Arguments(format!("{name} {descriptor}")))?;
    Ok(parsed.text().as_bytes()[0])
}

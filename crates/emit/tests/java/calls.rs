//! Test cases written down in Rust.

use testcase::{Argument, Behaviour, Call, Implementation, Operation};

pub fn construct(class: &str, descriptor: &str, arguments: Vec<Argument>) -> Call {
    Call { operation: Operation::Construct { class: class.into(), descriptor: descriptor.into() }, arguments }
}

/// A new object of a class whose constructor has no parameters.
pub fn new(class: &str) -> Call {
    construct(class, "()V", vec![])
}

/// Calls an instance method, given as `name(...)...`.
pub fn invoke(class: &str, method: &str, receiver: Argument, arguments: Vec<Argument>) -> Call {
    let (name, descriptor) = split(method);
    Call { operation: Operation::Virtual { class: class.into(), name, descriptor, receiver }, arguments }
}

/// Calls a static method.
pub fn invoke_static(class: &str, method: &str, arguments: Vec<Argument>) -> Call {
    let (name, descriptor) = split(method);
    Call { operation: Operation::Static { class: class.into(), name, descriptor }, arguments }
}

pub fn implement(class: &str, methods: Vec<Implementation>) -> Call {
    let (class, descriptor) = (class.into(), "()V".into());
    Call { operation: Operation::Implement { class, descriptor, methods }, arguments: vec![] }
}

pub fn array(element: &str, arguments: Vec<Argument>) -> Call {
    Call { operation: Operation::Array { element: element.into() }, arguments }
}

/// Reads a field, given as `name:descriptor`; a static one if there is no receiver.
pub fn get(class: &str, field: &str, receiver: Option<Argument>) -> Call {
    let (class, (name, descriptor)) = (class.into(), field_parts(field));
    let operation = match receiver {
        Some(receiver) => Operation::GetField { class, name, descriptor, receiver },
        None => Operation::GetStatic { class, name, descriptor },
    };
    Call { operation, arguments: vec![] }
}

/// Writes a field likewise.
pub fn put(class: &str, field: &str, receiver: Option<Argument>, to: Argument) -> Call {
    let (class, (name, descriptor)) = (class.into(), field_parts(field));
    let operation = match receiver {
        Some(receiver) => Operation::PutField { class, name, descriptor, receiver },
        None => Operation::PutStatic { class, name, descriptor },
    };
    Call { operation, arguments: vec![to] }
}

/// A method that is implemented, given as `name(...)...`.
pub fn does(method: &str, does: Behaviour) -> Implementation {
    let (name, descriptor) = split(method);
    Implementation { name, descriptor, does }
}

pub fn returns(method: &str, argument: Argument) -> Implementation {
    does(method, Behaviour::Return(argument))
}

pub fn back(call: Call) -> Behaviour {
    Behaviour::Call(Box::new(call))
}

pub fn throws(class: &str, message: Option<&str>) -> Behaviour {
    Behaviour::Throw { class: class.into(), message: message.map(str::to_owned) }
}

pub fn value(number: usize) -> Argument {
    Argument::Value(number)
}

pub fn text(text: &str) -> Argument {
    Argument::String(text.into())
}

fn split(method: &str) -> (String, String) {
    let (name, descriptor) = method.split_at(method.find('(').unwrap());
    (name.to_owned(), descriptor.to_owned())
}

fn field_parts(field: &str) -> (String, String) {
    let (name, descriptor) = field.split_once(':').unwrap();
    (name.to_owned(), descriptor.to_owned())
}

//! The keys under which a class looks things up: the shape of maps that it expects, such as settings and messages.
//!
//! `(Map) message.get("sync")` and `((Number) sync.get("time")).longValue()` say that there are maps in maps, and numbers in these. A map
//! with other keys, however it is filled, runs none of what comes then. **What it may miss:** keys that are put together, or kept in
//! fields that are no constants.

use classfile::{ClassFile, Constant, Instruction, InvokeOp, TypeSignature};

use crate::types;

/// A key that code asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    pub text: String,
    /// The type that what is found must have.
    pub of: Option<TypeSignature>,
}

/// Asks a map for one key.
const LOOK_UPS: [(&str, &str); 4] = [
    ("get", "(Ljava/lang/Object;)Ljava/lang/Object;"),
    ("remove", "(Ljava/lang/Object;)Ljava/lang/Object;"),
    ("containsKey", "(Ljava/lang/Object;)Z"),
    ("getProperty", "(Ljava/lang/String;)Ljava/lang/String;"),
];

/// The keys that a class asks for, each once, in the order in which its code names them.
pub fn of(bytes: &[u8]) -> Vec<Key> {
    let Ok(file) = ClassFile::parse(bytes) else { return Vec::new() };
    let mut keys: Vec<Key> = Vec::new();
    for code in file.methods.iter().filter_map(|method| method.code()) {
        let mut text = None;
        let mut instructions = code.instructions().map(|placed| placed.instruction).peekable();
        while let Some(instruction) = instructions.next() {
            let asked = match &instruction {
                Instruction::Invoke(InvokeOp::Virtual | InvokeOp::Interface, target) => {
                    let target = file.constants.method(*target);
                    let is_look_up =
                        |look_up: (&str, &str)| target.name == *look_up.0 && target.descriptor == *look_up.1;
                    let gives_text = target.descriptor.to_string().ends_with(")Ljava/lang/String;");
                    let of = gives_text.then(|| types::class("java/lang/String"));
                    text.take().filter(|_| LOOK_UPS.into_iter().any(is_look_up)).map(|text| Key { text, of })
                }
                _ => None,
            };
            text = match instruction {
                Instruction::Ldc(constant) => match file.constants.get(constant.raw()) {
                    Some(Constant::String(text)) => Some(file.constants.utf8(text).to_string()),
                    _ => None,
                },
                _ => None,
            };
            let Some(mut asked) = asked else { continue };
            if let Some(Instruction::CheckCast(class)) = instructions.peek() {
                let name = file.constants.class_name(*class).to_string();
                let array = name.starts_with('[').then(|| TypeSignature::parse(&name).ok()).flatten();
                asked.of = array.or_else(|| Some(types::class(&name)));
            }
            match keys.iter_mut().find(|key| key.text == asked.text) {
                Some(known) => known.of = known.of.take().or(asked.of),
                None => keys.push(asked),
            }
        }
    }
    keys
}

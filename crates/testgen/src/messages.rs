//! Texts of a class that only its exceptions say. They are written for readers, and no argument that a caller would
//! pass.
//!
//! A text is such a message if every instruction that loads it stands between `new` of an exception and the call of its
//! constructor, and the next call takes it as a text: that constructor, or a method of `String`, `StringBuilder` or
//! `StringBuffer`, which put messages together. **What it may miss:** messages that are handed to helpers, as those of
//! `Objects.requireNonNull`. Such texts stay literals.

use std::collections::BTreeSet;

use classfile::{ClassFile, Instruction};

/// Classes whose methods put texts together.
const OF_TEXTS: [&str; 3] = ["java/lang/String", "java/lang/StringBuilder", "java/lang/StringBuffer"];

/// The numbers of the constants that only exceptions say.
pub fn of(file: &ClassFile<'_>) -> BTreeSet<u16> {
    let (mut said, mut used) = (BTreeSet::new(), BTreeSet::new());
    for code in file.methods.iter().filter_map(|method| method.code()) {
        let instructions: Vec<Instruction> = code.instructions().map(|placed| placed.instruction).collect();
        let messages = in_code(file, &instructions);
        for (at, instruction) in instructions.iter().enumerate() {
            if let Instruction::Ldc(constant) = instruction {
                let is_message = messages.contains(&at);
                if is_message { &mut said } else { &mut used }.insert(constant.raw());
            }
        }
    }
    &said - &used
}

/// The places of the instructions that load a message.
fn in_code(file: &ClassFile<'_>, instructions: &[Instruction]) -> BTreeSet<usize> {
    let constants = &file.constants;
    let mut messages = BTreeSet::new();
    // Objects whose constructor was not called yet: their class, and what was loaded since.
    let mut open: Vec<(String, Vec<usize>)> = Vec::new();
    // What was loaded since the last call.
    let mut loaded: Vec<usize> = Vec::new();
    for (at, instruction) in instructions.iter().enumerate() {
        match instruction {
            Instruction::New(class) => {
                // What was loaded before is for somebody else.
                loaded.clear();
                open.push((constants.class_name(*class).to_string(), Vec::new()));
            }
            Instruction::Ldc(_) => loaded.push(at),
            Instruction::InvokeDynamic(_) => loaded.clear(),
            Instruction::Invoke(_, target) => {
                let target = constants.method(*target);
                let class = target.class.to_string();
                let made = open.iter().rposition(|(of, _)| target.name == *"<init>" && *of == class);
                let takes_text = made.is_some() || OF_TEXTS.contains(&&*class);
                let taken = std::mem::take(&mut loaded);
                match made.map(|place| open.split_off(place).swap_remove(0)) {
                    Some((class, texts)) => {
                        let texts: Vec<usize> = texts.into_iter().chain(taken).collect();
                        let is_thrown = matches!(instructions.get(at + 1), Some(Instruction::Throw));
                        match is_thrown || is_exception(&class) {
                            true => messages.extend(texts),
                            // A `StringBuilder` that is made of a text may be for a message, too.
                            false if OF_TEXTS.contains(&&*class) => {
                                open.iter_mut().for_each(|(_, outer)| outer.extend(&texts));
                            }
                            false => {}
                        }
                    }
                    None if takes_text => {
                        if let Some((_, texts)) = open.last_mut() {
                            texts.extend(taken);
                        }
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }
    messages
}

/// Whether a class is named as exceptions are.
fn is_exception(class: &str) -> bool {
    ["Exception", "Error"].iter().any(|kind| class.ends_with(kind))
}

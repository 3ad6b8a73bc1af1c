//! Real classes to start from: a small set in which everything occurs that javac writes.

use classfile::{Attribute, AttributeValue, ClassFile};
use classpath::{ClassName, ClassPath, Jdk};
use std::collections::HashSet;
use std::ops::Range;

/// A class that is small enough to be changed many times.
#[derive(Clone)]
pub struct Seed {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Where the contents of its Code attributes lie.
    pub codes: Vec<Range<usize>>,
    /// Where instructions of one byte lie.
    pub short_instructions: Vec<usize>,
}

const LARGEST: usize = 30_000;

/// Of each JDK: for each attribute, instruction and kind of constant that occurs in java.base the smallest
/// class that has it, as far as those chosen before do not; and some from all modules alike.
pub fn seeds(jdks: &[Jdk]) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for jdk in jdks {
        let classes = ClassPath::of_jdk(jdk).unwrap();
        let bytes =
            |name: &ClassName| classes.find_exact(name).unwrap().expect("a listed class is there").bytes.to_vec();
        let mut chosen: Vec<_> = classes.classes().unwrap().step_by(997).map(|name| (name, bytes(name))).collect();
        let java_base = classes.classes_in_module("java.base").unwrap();
        let mut by_size: Vec<_> = java_base.iter().map(|name| (name, bytes(name))).collect();
        by_size.sort_by_key(|(_, bytes)| bytes.len());
        let mut seen = HashSet::new();
        chosen.extend(by_size.into_iter().filter(|(_, bytes)| adds_features(bytes, &mut seen)));
        chosen.retain(|(_, bytes)| bytes.len() <= LARGEST);
        seeds.extend(chosen.into_iter().map(|(name, bytes)| seed(format!("{name} of {}", jdk.version), bytes)));
    }
    seeds
}

fn seed(name: String, bytes: Vec<u8>) -> Seed {
    let class = ClassFile::parse(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (mut codes, mut short_instructions) = (Vec::new(), Vec::new());
    for code in class.methods.iter().filter_map(|method| method.code()) {
        let start = code.bytes().as_ptr().addr() - bytes.as_ptr().addr();
        // Before the instructions stand their length and two bounds; before those, the attribute's length.
        let content = start - 8;
        let length = u32::from_be_bytes(bytes[content - 4..content].try_into().unwrap());
        codes.push(content..content + length as usize);
        short_instructions.extend(code.instructions().filter(|i| i.length == 1).map(|i| start + i.pc as usize));
    }
    drop(class);
    Seed { name, bytes, codes, short_instructions }
}

/// Whether the class has something that was not seen before.
fn adds_features(bytes: &[u8], seen: &mut HashSet<(&'static str, Vec<u8>)>) -> bool {
    let class = ClassFile::parse(bytes).unwrap();
    let before = seen.len();
    let mut attributes = |all: &[Attribute<'_>]| {
        seen.extend(all.iter().map(|a| ("attribute", class.constants.utf8(a.name).as_bytes().to_vec())));
    };
    attributes(&class.attributes);
    class.fields.iter().for_each(|field| attributes(&field.attributes));
    for method in &class.methods {
        attributes(&method.attributes);
        method.code().into_iter().for_each(|code| attributes(&code.attributes));
    }
    for code in class.methods.iter().filter_map(|method| method.code()) {
        seen.extend(code.instructions().map(|i| ("instruction", vec![code.bytes()[i.pc as usize]])));
        for frame in code.frames() {
            let kind = format!("{:?}", std::mem::discriminant(&frame.kind));
            seen.insert(("frame", kind.into_bytes()));
        }
    }
    for number in class.constants.numbers() {
        let kind = std::mem::discriminant(&class.constants.get(number).unwrap());
        seen.insert(("constant", format!("{kind:?}").into_bytes()));
    }
    let module = class.attributes.iter().any(|a| matches!(a.value, AttributeValue::Module(_)));
    if module {
        seen.insert(("module", Vec::new()));
    }
    seen.len() > before
}

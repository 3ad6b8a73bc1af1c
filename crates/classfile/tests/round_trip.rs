//! Every class of every JDK on the machine is read, and written back byte for byte.
//!
//! Writing code copies its instructions and writing the pool copies its constants, so both are also
//! taken apart into typed values and put together again from those alone.

mod support;

use classfile::{
    Attribute, AttributeValue, ClassFile, ClassSignature, Code, ConstantPool, Form, MethodSignature, TypeSignature,
    encode,
};
use classpath::ClassPath;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn every_class_of_every_jdk() {
    for jdk in support::jdks() {
        let classes = ClassPath::of_jdk(&jdk).unwrap();
        let names: Vec<_> = classes.classes().unwrap().cloned().collect();
        let (bytes, instructions, signatures) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        support::for_each_class(&classes, &names, |name, original| {
            let mut class = ClassFile::parse(original).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(class.write().unwrap() == original, "{name} was written back differently");

            class.constants = rebuilt(&class.constants);
            assert!(class.write().unwrap() == original, "{name}: constants were put together differently");
            for code in class.methods.iter().filter_map(|method| method.code()) {
                instructions.fetch_add(check_instructions(name, code, &class.constants), Relaxed);
            }
            signatures.fetch_add(check_signatures(name, &class), Relaxed);
            bytes.fetch_add(original.len(), Relaxed);
        });
        let declarations = check_declarations(&classes);
        println!(
            "JDK {}: {} classes, {declarations} declarations of modules and packages, {} MB, {} instructions, {} signatures",
            jdk.version,
            names.len(),
            bytes.into_inner() / 1_000_000,
            instructions.into_inner(),
            signatures.into_inner()
        );
        assert!(names.len() > 1000);
    }
}

/// Reads and writes back what a listing of classes leaves out. Counts it.
fn check_declarations(classes: &ClassPath) -> usize {
    let mut count = 0;
    let mut check = |name: &str, original: &[u8]| {
        let class = ClassFile::parse(original).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(class.write().unwrap() == original, "{name} was written back differently");
        count += 1;
    };
    for module in classes.modules().unwrap() {
        check(module, &classes.module_info(module).unwrap().expect("every module is declared"));
    }
    for package in classes.packages().unwrap() {
        let name = classpath::ClassName::parse(&format!("{package}.package-info")).unwrap();
        if let Some(class) = classes.find_exact(&name).unwrap() {
            check(package, &class.bytes);
        }
    }
    count
}

/// The same constants, each added anew from its value.
fn rebuilt(constants: &ConstantPool<'_>) -> ConstantPool<'static> {
    let mut rebuilt = ConstantPool::new();
    for number in constants.numbers() {
        let index = rebuilt.append::<Anything>(constants.get(number).unwrap()).unwrap();
        assert_eq!(index.raw(), number);
    }
    rebuilt
}

#[derive(Clone, Copy)]
enum Anything {}

impl classfile::Kind for Anything {
    const NAME: &'static str = "anything";
    fn accepts(_: u8) -> bool {
        true
    }
}

fn check_instructions(name: &str, code: &Code<'_>, constants: &ConstantPool<'_>) -> usize {
    let (mut bytes, mut count) = (Vec::new(), 0);
    for placed in code.instructions() {
        assert_eq!(placed.pc as usize, bytes.len(), "{name}");
        let form = Form::Length(placed.length as usize);
        encode(&placed.instruction, placed.pc, form, constants, &mut bytes);
        count += 1;
    }
    assert!(bytes == code.bytes(), "{name}: instructions were put together differently");
    count
}

fn check_signatures(name: &str, class: &ClassFile<'_>) -> usize {
    let find = |attributes: &[Attribute<'_>]| {
        attributes.iter().find_map(|attribute| match attribute.value {
            AttributeValue::Signature(text) => Some(class.constants.utf8(text).to_str().into_owned()),
            _ => None,
        })
    };
    let mut count = 0;
    let mut check = |text: String, parsed: String| {
        assert_eq!(text, parsed, "{name}");
        count += 1;
    };
    if let Some(text) = find(&class.attributes) {
        check(ClassSignature::parse(&text).unwrap().to_signature(), text);
    }
    for text in class.fields.iter().filter_map(|field| find(&field.attributes)) {
        check(TypeSignature::parse(&text).unwrap().to_signature(), text);
    }
    for text in class.methods.iter().filter_map(|method| find(&method.attributes)) {
        check(MethodSignature::parse(&text).unwrap().to_signature(), text);
    }
    count
}

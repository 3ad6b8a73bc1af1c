//! The tables of what is no event, held against the class files of whole JDKs.
//!
//! A native method that is on no line would count as unknown where it need not, and a line that matches nothing
//! is a review of something else. Both fail here, on the releases that were reviewed.

use std::collections::{BTreeMap, BTreeSet};

use classfile::{ClassFile, Flags, MethodDescriptor};
use classpath::{ClassPath, Jdk};
use host::unseen::caches;
use host::unseen::natives::{self, Effect, Line, Place};

use crate::jdks;

/// The releases whose natives and fields were reviewed. On others, what is new counts as unknown.
const REVIEWED: [u32; 2] = [17, 25];

#[test]
fn every_native_method_of_the_jdk_is_reviewed() {
    let mut audit = Audit::default();
    let jdks = jdks();
    for jdk in &jdks {
        let before = audit.natives;
        let mut missing = vec![];
        for_each_class(jdk, |class| audit.natives_of(class, &mut missing));
        println!("JDK {}: {} native methods, {} on no line", jdk.version, audit.natives - before, missing.len());
        assert!(audit.natives - before > 1_000, "too few natives to say anything");
        if REVIEWED.contains(&jdk.feature) {
            assert_eq!(missing, [""; 0], "JDK {}: natives on no line", jdk.version);
        }
    }
    for line in natives::lines() {
        for (class, field) in line.effects.iter().filter_map(static_field) {
            let fields = audit.static_fields.get(class);
            assert!(fields.is_some_and(|fields| fields.contains(field)), "line {}: no {class}.{field}", line.number);
        }
    }
    if has_all_reviewed(&jdks) {
        let idle = natives::lines().filter(|line| !audit.used.contains(&line.number));
        let idle: Vec<String> = idle.map(|line| format!("line {}: {}", line.number, line.reason)).collect();
        assert_eq!(idle, [""; 0], "lines that match nothing");
    }
}

#[test]
fn every_cache_is_a_mutable_field_of_the_jdk() {
    let jdks = jdks();
    let mut found = BTreeSet::new();
    for jdk in &jdks {
        let before = found.len();
        for_each_class(jdk, |class| {
            let name = class.name().to_string();
            for field in class.fields.iter().filter(|field| !field.flags.has(Flags::FINAL)) {
                let field = class.constants.utf8(field.name).to_string();
                let entry = caches::entries().iter().find(|entry| entry.covers(&name, &field));
                assert_eq!(entry.is_some(), caches::is_cache(&name, &field), "{name}.{field}");
                found.extend(entry.map(|entry| entry.line));
            }
        });
        println!("JDK {}: {} entries that were not met before", jdk.version, found.len() - before);
    }
    if has_all_reviewed(&jdks) {
        let idle = caches::entries().iter().filter(|entry| !found.contains(&entry.line));
        let idle: Vec<String> =
            idle.map(|entry| format!("line {}: {}.{}", entry.line, entry.class, entry.field)).collect();
        assert_eq!(idle, [""; 0], "entries without a mutable field");
    }
}

/// Whether a line that matches nothing here matches nothing at all.
fn has_all_reviewed(jdks: &[Jdk]) -> bool {
    let has_all = REVIEWED.iter().all(|reviewed| jdks.iter().any(|jdk| jdk.feature == *reviewed));
    if !has_all {
        println!("lines that match nothing are not looked for: that needs JDK {REVIEWED:?}");
    }
    has_all
}

#[derive(Default)]
struct Audit {
    natives: usize,
    /// Numbers of lines that say what some method does.
    used: BTreeSet<usize>,
    /// Of the classes that a line names.
    static_fields: BTreeMap<String, BTreeSet<String>>,
}

impl Audit {
    fn natives_of(&mut self, class: &ClassFile<'_>, missing: &mut Vec<String>) {
        let class_name = class.name().to_string();
        if natives::lines()
            .flat_map(|line| &line.effects)
            .filter_map(static_field)
            .any(|(named, _)| named == class_name)
        {
            let fields = class.fields.iter().filter(|field| field.flags.has(Flags::STATIC));
            let names = fields.map(|field| class.constants.utf8(field.name).to_string());
            self.static_fields.entry(class_name.clone()).or_default().extend(names);
        }
        for method in class.methods.iter().filter(|method| method.flags.has(Flags::NATIVE)) {
            self.natives += 1;
            let descriptor = class.constants.utf8(method.descriptor);
            let (name, text) = (class.constants.utf8(method.name).to_string(), descriptor.to_string());
            let shown = format!("{class_name}.{name}{text}");
            let Some(line) = natives::find(&class_name, &name, &text) else {
                missing.push(shown);
                continue;
            };
            self.used.insert(line.number);
            check_fits(line, &shown, MethodDescriptor::new(descriptor).unwrap(), method.flags.has(Flags::STATIC));
            let is_modelled = line.effects.contains(&Effect::Modelled);
            assert_eq!(natives::is_hooked(&class_name, &name, &text), is_modelled, "{shown}");
        }
    }
}

/// The receiver and arguments that a line names are there, and no array is left out.
fn check_fits(line: &Line, shown: &str, descriptor: MethodDescriptor<'_>, is_static: bool) {
    let parameters: Vec<String> = descriptor.parameters().map(|parameter| parameter.text().to_string()).collect();
    let is_reference =
        |argument: u8| parameters.get(argument as usize).is_some_and(|parameter| parameter.starts_with(['L', '[']));
    let mut touched = vec![];
    for effect in &line.effects {
        match *effect {
            Effect::Access { place: Place::Receiver, .. } => assert!(!is_static, "{shown} has no receiver"),
            Effect::Access { place: Place::Argument(argument), .. } => {
                assert!(is_reference(argument), "{shown}: argument {argument} is no object");
                touched.push(argument as usize);
            }
            Effect::Element { array, index, .. } => {
                assert!(is_reference(array) && parameters[index as usize] == "I", "{shown}: no element");
                touched.push(array as usize);
            }
            _ => {}
        }
    }
    let says_accesses = !line.effects.iter().any(|e| matches!(e, Effect::Pure | Effect::Modelled | Effect::Taints));
    let arrays = (0..parameters.len()).filter(|argument| parameters[*argument].starts_with('['));
    let left_out: Vec<usize> = arrays.filter(|argument| !touched.contains(argument)).collect();
    assert!(!says_accesses || left_out.is_empty(), "{shown}: nothing is said of the arrays {left_out:?}");
}

fn static_field(effect: &Effect) -> Option<(&'static str, &'static str)> {
    match *effect {
        Effect::Access { place: Place::Field { class, name }, .. } => Some((class, name)),
        _ => None,
    }
}

/// Calls `look` with each class of all modules of a JDK.
fn for_each_class(jdk: &Jdk, mut look: impl FnMut(&ClassFile<'_>)) {
    let class_path = ClassPath::of_jdk(jdk).unwrap();
    for module in class_path.modules().unwrap() {
        for name in class_path.classes_in_module(module).unwrap() {
            let bytes = class_path.find_exact(name).unwrap().unwrap().bytes;
            look(&ClassFile::parse(&bytes).unwrap());
        }
    }
}

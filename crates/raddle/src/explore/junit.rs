//! Test methods of JUnit 4 and 5, found by their annotations and called without JUnit.
//!
//! A test is a new object, what runs before, the test itself and what runs after; methods of superclasses come first before
//! and last after. Rules, extensions, runners and parameters need JUnit itself: where they are, the user is told.

use anyhow::anyhow;
use classfile::{Annotation, AttributeValue, ClassFile, Flags};
use classpath::{ClassName, ClassPath};
use testcase::{Argument, Call, Operation};

/// What a method is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Test,
    BeforeAll,
    Before,
    After,
    AfterAll,
}

/// A method of a test class.
#[derive(Clone, Debug)]
pub struct Method {
    pub name: String,
    pub descriptor: String,
    pub is_static: bool,
    pub role: Option<Role>,
    /// Why it is not to be run, if it is not.
    pub refused: Option<&'static str>,
}

/// The calls of a test, and what they leave out.
#[derive(Debug, Default)]
pub struct Steps {
    pub calls: Vec<Call>,
    pub notes: Vec<String>,
}

const ROLES: &[(&str, Role)] = &[
    ("Lorg/junit/Test;", Role::Test),
    ("Lorg/junit/jupiter/api/Test;", Role::Test),
    ("Lorg/junit/jupiter/api/RepeatedTest;", Role::Test),
    ("Lorg/junit/BeforeClass;", Role::BeforeAll),
    ("Lorg/junit/jupiter/api/BeforeAll;", Role::BeforeAll),
    ("Lorg/junit/Before;", Role::Before),
    ("Lorg/junit/jupiter/api/BeforeEach;", Role::Before),
    ("Lorg/junit/After;", Role::After),
    ("Lorg/junit/jupiter/api/AfterEach;", Role::After),
    ("Lorg/junit/AfterClass;", Role::AfterAll),
    ("Lorg/junit/jupiter/api/AfterAll;", Role::AfterAll),
];

const REFUSED: &[(&str, &str)] = &[
    ("Lorg/junit/Ignore;", "is marked with @Ignore: take that away to explore it"),
    ("Lorg/junit/jupiter/api/Disabled;", "is marked with @Disabled: take that away to explore it"),
    ("Lorg/junit/jupiter/params/ParameterizedTest;", "is parameterized: call it from a test without parameters"),
];

const LEFT_OUT: &[(&str, &str)] = &[
    ("Lorg/junit/Rule;", "rules (@Rule) are not applied"),
    ("Lorg/junit/ClassRule;", "rules (@ClassRule) are not applied"),
    ("Lorg/junit/runner/RunWith;", "the runner (@RunWith) is not used"),
    ("Lorg/junit/jupiter/api/extension/ExtendWith;", "extensions (@ExtendWith) are not applied"),
    ("Lorg/junit/jupiter/api/extension/RegisterExtension;", "extensions (@RegisterExtension) are not applied"),
    ("Lorg/junit/jupiter/api/Timeout;", "time limits (@Timeout) are not applied"),
];

/// The methods of a class.
pub fn methods<'c>(file: &'c ClassFile<'_>) -> impl Iterator<Item = Method> + 'c {
    file.methods.iter().map(|method| {
        let marks: Vec<_> = annotations(&method.attributes).collect();
        let named = |descriptor: &str| marks.iter().any(|mark| file.constants.utf8(mark.type_descriptor) == descriptor);
        let expects = marks.iter().any(|mark| is_test_with(file, mark, "expected"));
        let refused = REFUSED.iter().find(|(descriptor, _)| named(descriptor)).map(|(_, why)| *why);
        Method {
            name: file.constants.utf8(method.name).to_string(),
            descriptor: file.constants.utf8(method.descriptor).to_string(),
            is_static: method.flags.has(Flags::STATIC),
            role: ROLES.iter().find(|(descriptor, _)| named(descriptor)).map(|(_, role)| *role),
            refused: refused
                .or(expects.then_some("expects an exception by its annotation: catch it in the test instead")),
        }
    })
}

/// Why no test of a class is to be run, if that is so.
pub fn refused(file: &ClassFile<'_>) -> Option<&'static str> {
    let marks: Vec<_> = annotations(&file.attributes).collect();
    let named = |descriptor: &str| marks.iter().any(|mark| file.constants.utf8(mark.type_descriptor) == descriptor);
    REFUSED.iter().find(|(descriptor, _)| named(descriptor)).map(|(_, why)| *why)
}

/// Whether it is JUnit 4's annotation of tests with an element of this name.
fn is_test_with(file: &ClassFile<'_>, mark: &Annotation, element: &str) -> bool {
    file.constants.utf8(mark.type_descriptor) == "Lorg/junit/Test;"
        && mark.elements.iter().any(|(name, _)| file.constants.utf8(*name) == element)
}

fn annotations<'a>(attributes: &'a [classfile::Attribute<'_>]) -> impl Iterator<Item = &'a Annotation> {
    attributes.iter().flat_map(|attribute| match &attribute.value {
        AttributeValue::Annotations { annotations, .. } => annotations.as_slice(),
        _ => &[],
    })
}

/// The calls that a test is made of.
pub fn steps(file: &ClassFile<'_>, class: &str, test: &str, class_path: &ClassPath) -> anyhow::Result<Steps> {
    // From the class up to those that the JDK has, which mark nothing.
    let mut steps = Steps::default();
    let mut levels = vec![(class.to_owned(), methods(file).collect::<Vec<_>>())];
    note(file, test, &mut steps);
    let mut above = file.super_class.map(|index| file.constants.class_name(index).to_string());
    while let Some(name) = above.take().filter(|name| !name.starts_with("java/")) {
        let Some(found) = class_path.find_exact(&ClassName::parse(&name)?)? else { break };
        let file = ClassFile::parse(&found.bytes).map_err(|error| anyhow!("{name} cannot be read: {error}"))?;
        note(&file, test, &mut steps);
        above = file.super_class.map(|index| file.constants.class_name(index).to_string());
        levels.push((name, methods(&file).collect()));
    }
    let of_role = |role: Role, upwards: bool| {
        let mut found = Vec::new();
        for (place, (class, methods)) in levels.iter().enumerate() {
            // A method that a class below overrides is that one's.
            let hidden = |method: &Method| {
                levels[..place].iter().any(|(_, below)| below.iter().any(|other| other.name == method.name))
            };
            let own = methods.iter().filter(|method| method.role == Some(role) && !hidden(method));
            found.push(own.map(|method| (class.clone(), method.clone())).collect::<Vec<_>>());
        }
        if !upwards {
            found.reverse();
        }
        found.concat()
    };
    let is_static = levels[0].1.iter().any(|method| method.name == test && method.is_static);
    let before_all = of_role(Role::BeforeAll, false);
    steps
        .calls
        .extend(before_all.iter().filter(|(_, method)| method.is_static).map(|(class, method)| call(class, method, 0)));
    let subject = steps.calls.len();
    let construct = Operation::Construct { class: class.to_owned(), descriptor: "()V".into() };
    steps.calls.push(Call { operation: construct, arguments: vec![] });
    steps.calls.extend(
        before_all.iter().filter(|(_, method)| !method.is_static).map(|(class, method)| call(class, method, subject)),
    );
    steps.calls.extend(of_role(Role::Before, false).iter().map(|(class, method)| call(class, method, subject)));
    let own = Method { name: test.into(), descriptor: "()V".into(), is_static, role: None, refused: None };
    steps.calls.push(call(class, &own, subject));
    for role in [Role::After, Role::AfterAll] {
        steps.calls.extend(of_role(role, true).iter().map(|(class, method)| call(class, method, subject)));
    }
    Ok(steps)
}

fn call(class: &str, method: &Method, subject: usize) -> Call {
    let (class, name, descriptor) = (class.to_owned(), method.name.clone(), method.descriptor.clone());
    let operation = match method.is_static {
        true => Operation::Static { class, name, descriptor },
        false => Operation::Virtual { class, name, descriptor, receiver: Argument::Value(subject) },
    };
    Call { operation, arguments: vec![] }
}

/// Notes what only JUnit could do. What other tests are marked with does not matter.
fn note(file: &ClassFile<'_>, test: &str, steps: &mut Steps) {
    let of_fields = file.fields.iter().flat_map(|field| annotations(&field.attributes));
    let called =
        methods(file).zip(&file.methods).filter(|(known, _)| known.role != Some(Role::Test) || known.name == test);
    let of_methods = called.flat_map(|(_, method)| annotations(&method.attributes));
    for mark in annotations(&file.attributes).chain(of_fields).chain(of_methods) {
        let left_out = LEFT_OUT.iter().find(|(descriptor, _)| file.constants.utf8(mark.type_descriptor) == *descriptor);
        let timed = is_test_with(file, mark, "timeout").then_some("time limits (@Test(timeout = ...)) are not applied");
        if let Some(what) = left_out.map(|(_, what)| *what).or(timed)
            && !steps.notes.iter().any(|note| note == what)
        {
            steps.notes.push(what.to_string());
        }
    }
}

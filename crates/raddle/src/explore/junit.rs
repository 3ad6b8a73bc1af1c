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
    /// Whether a class below has it, too.
    pub is_inherited: bool,
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
            is_inherited: !method.flags.has(Flags::PRIVATE) && file.constants.utf8(method.name) != "<init>",
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

/// A class, or one above it, with its methods.
pub struct Level {
    pub class: String,
    pub methods: Vec<Method>,
    /// What its marks ask of JUnit, by the test that they are for; those without are for all.
    left_out: Vec<(Option<String>, &'static str)>,
}

/// A class and those above it, up to those that the JDK has, which mark nothing.
pub fn levels(file: &ClassFile<'_>, class: &str, class_path: &ClassPath) -> anyhow::Result<Vec<Level>> {
    let level = |class: &str, file: &ClassFile<'_>| Level {
        class: class.to_owned(),
        methods: methods(file).collect(),
        left_out: left_out(file),
    };
    let above_of = |file: &ClassFile<'_>| file.super_class.map(|index| file.constants.class_name(index).to_string());
    let (mut levels, mut above) = (vec![level(class, file)], above_of(file));
    while let Some(name) = above.take().filter(|name| !name.starts_with("java/")) {
        let Some(found) = class_path.find_exact(&ClassName::parse(&name)?)? else { break };
        let file = ClassFile::parse(&found.bytes).map_err(|error| anyhow!("{name} cannot be read: {error}"))?;
        above = above_of(&file);
        levels.push(level(&name, &file));
    }
    Ok(levels)
}

/// The methods that can be called on the lowest of these classes, its own first, each with the class that has it.
pub fn callable(levels: &[Level]) -> impl Iterator<Item = (&str, &Method)> {
    levels.iter().enumerate().flat_map(|(height, level)| {
        let methods = level.methods.iter().filter(move |method| height == 0 || method.is_inherited);
        methods.map(|method| (&*level.class, method))
    })
}

/// The calls that a test is made of.
pub fn steps(levels: &[Level], test: &Method) -> Steps {
    let mut steps = Steps::default();
    for (_, what) in
        levels.iter().flat_map(|level| &level.left_out).filter(|(of, _)| of.as_ref().is_none_or(|of| *of == test.name))
    {
        if !steps.notes.iter().any(|note| note == what) {
            steps.notes.push((*what).to_owned());
        }
    }
    let of_role = |role: Role, upwards: bool| {
        let mut found = Vec::new();
        for (place, Level { class, methods, .. }) in levels.iter().enumerate() {
            // A method that a class below overrides is that one's.
            let hidden = |method: &Method| {
                levels[..place].iter().any(|below| below.methods.iter().any(|other| other.name == method.name))
            };
            let own = methods.iter().filter(|method| method.role == Some(role) && !hidden(method));
            found.push(own.map(|method| (class.clone(), method.clone())).collect::<Vec<_>>());
        }
        if !upwards {
            found.reverse();
        }
        found.concat()
    };
    let class = &levels[0].class;
    let before_all = of_role(Role::BeforeAll, false);
    steps
        .calls
        .extend(before_all.iter().filter(|(_, method)| method.is_static).map(|(class, method)| call(class, method, 0)));
    let subject = steps.calls.len();
    let construct = Operation::Construct { class: class.clone(), descriptor: "()V".into() };
    steps.calls.push(Call { operation: construct, arguments: vec![] });
    steps.calls.extend(
        before_all.iter().filter(|(_, method)| !method.is_static).map(|(class, method)| call(class, method, subject)),
    );
    steps.calls.extend(of_role(Role::Before, false).iter().map(|(class, method)| call(class, method, subject)));
    steps.calls.push(call(class, test, subject));
    for role in [Role::After, Role::AfterAll] {
        steps.calls.extend(of_role(role, true).iter().map(|(class, method)| call(class, method, subject)));
    }
    steps
}

fn call(class: &str, method: &Method, subject: usize) -> Call {
    let (class, name, descriptor) = (class.to_owned(), method.name.clone(), method.descriptor.clone());
    let operation = match method.is_static {
        true => Operation::Static { class, name, descriptor },
        false => Operation::Virtual { class, name, descriptor, receiver: Argument::Value(subject) },
    };
    Call { operation, arguments: vec![] }
}

/// What a class asks of JUnit that is not done, with the test that asks for it, if one does.
fn left_out(file: &ClassFile<'_>) -> Vec<(Option<String>, &'static str)> {
    let of_all =
        annotations(&file.attributes).chain(file.fields.iter().flat_map(|field| annotations(&field.attributes)));
    let of_methods = methods(file).zip(&file.methods).flat_map(|(known, method)| {
        let test = (known.role == Some(Role::Test)).then_some(known.name);
        annotations(&method.attributes).map(move |mark| (test.clone(), mark))
    });
    let all = of_all.map(|mark| (None, mark)).chain(of_methods);
    all.filter_map(|(test, mark)| {
        let known = LEFT_OUT.iter().find(|(descriptor, _)| file.constants.utf8(mark.type_descriptor) == *descriptor);
        let timed = is_test_with(file, mark, "timeout").then_some("time limits (@Test(timeout = ...)) are not applied");
        Some((test, known.map(|(_, what)| *what).or(timed)?))
    })
    .collect()
}

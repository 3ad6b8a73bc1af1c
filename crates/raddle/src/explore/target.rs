//! What is explored: a program's `main`, or a test method, as calls in one thread.

use anyhow::{anyhow, bail};
use classfile::{ClassFile, Flags};
use classpath::{ClassName, ClassPath, Jdk};
use testcase::{Argument, Call, Operation, TestCase};

use super::junit::{self, Level, Role};
use crate::inspect::advice_for;

/// A program or test that can be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// As it is shown: `com.acme.Main`, `com.acme.AccountTest#transfer`.
    pub name: String,
    /// The class, as class files name it.
    pub class: String,
    /// The calls, all in the prefix.
    pub test: TestCase,
    /// Whether threads that are left waiting at the end are a failure: a program does not end then.
    pub must_end: bool,
    /// What the user should know of how it is run.
    pub notes: Vec<String>,
}

impl Target {
    /// Finds what `CLASS` or `CLASS#METHOD` means.
    pub fn find(text: &str, class_path: &ClassPath, jdk: &Jdk) -> anyhow::Result<Target> {
        let (class, method) = match text.split_once('#') {
            Some((class, method)) => (class, Some(method.strip_suffix("()").unwrap_or(method))),
            None => (text, None),
        };
        let name = ClassName::parse(class).map_err(|error| anyhow!("{error}; give a name such as com.acme.Main"))?;
        let Some(found) = class_path.find(&name)? else {
            let advice = advice_for(&name, class_path.classes()?);
            bail!("class {name} is not on the class path or in JDK {}: {advice}", jdk.version);
        };
        let file =
            ClassFile::parse(&found.bytes).map_err(|error| anyhow!("{name} is no class that can be read: {error}"))?;
        let newest = jdk.feature as u16 + 44;
        if file.major_version > newest {
            bail!(
                "{name} was compiled for Java {}, and JDK {} is older: name a newer one with --java-home",
                file.major_version - 44,
                jdk.version
            );
        }
        let class = found.name.internal().to_owned();
        match method {
            None => main(&junit::levels(&file, &class, class_path)?),
            Some(method) => test_method(&file, &junit::levels(&file, &class, class_path)?, method),
        }
    }
}

fn main(levels: &[Level]) -> anyhow::Result<Target> {
    let class = levels[0].class.clone();
    let name = class.replace('/', ".");
    let has = |descriptor: &str| {
        junit::callable(levels)
            .any(|(_, method)| method.name == "main" && method.descriptor == descriptor && method.is_static)
    };
    let call = |descriptor: &str, arguments| Call {
        operation: Operation::Static { class: class.clone(), name: "main".into(), descriptor: descriptor.into() },
        arguments,
    };
    let prefix = if has("([Ljava/lang/String;)V") {
        let array = Call { operation: Operation::Array { element: "java/lang/String".into() }, arguments: vec![] };
        vec![array, call("([Ljava/lang/String;)V", vec![Argument::Value(0)])]
    } else if has("()V") {
        vec![call("()V", vec![])]
    } else {
        match tests(levels).next() {
            Some(first) => bail!("{name} has no main; name one of its tests, such as {name}#{first}"),
            None => bail!("{name} has no main and no test: name a class with one, or a method as {name}#METHOD"),
        }
    };
    let test = TestCase { prefix, ..TestCase::default() };
    Ok(Target { name, class, test, must_end: true, notes: Vec::new() })
}

/// The tests of a class, by name.
fn tests(levels: &[Level]) -> impl Iterator<Item = &str> {
    junit::callable(levels).filter(|(_, method)| method.role == Some(Role::Test)).map(|(_, method)| &*method.name)
}

fn test_method(file: &ClassFile<'_>, levels: &[Level], method: &str) -> anyhow::Result<Target> {
    let class = levels[0].class.clone();
    let name = class.replace('/', ".");
    let named = || junit::callable(levels).map(|(_, found)| found).filter(|found| found.name == method);
    let Some(found) = named().find(|found| found.descriptor == "()V").or_else(|| named().next()) else {
        let tests: Vec<_> = tests(levels).collect();
        let advice =
            if tests.is_empty() { "it has no tests".into() } else { format!("its tests are {}", tests.join(", ")) };
        bail!("{name} has no method {method}: {advice}");
    };
    if found.descriptor != "()V" {
        bail!("{name}#{method} takes parameters or gives a value: name a method without, such as a plain test");
    }
    if let Some(why) = found.refused {
        bail!("{name}#{method} {why}");
    }
    if file.flags.has(Flags::ABSTRACT) {
        bail!("{name} is abstract: name a class below it that can be made");
    }
    if let Some(why) = junit::refused(file) {
        bail!("{name} {why}");
    }
    if !found.is_static && !junit::methods(file).any(|made| made.name == "<init>" && made.descriptor == "()V") {
        bail!(
            "{name} has no constructor without parameters: move the test to a class that has, such as a static nested one"
        );
    }
    let steps = junit::steps(levels, found);
    let mut notes = steps.notes;
    if found.role.is_none() {
        notes.push(format!("{method} is not marked as a test, and is run all the same"));
    }
    let test = TestCase { prefix: steps.calls, ..TestCase::default() };
    Ok(Target { name: format!("{name}#{method}"), class, test, must_end: false, notes })
}

//! The classes under test, and what their headers say of them.

use crate::support::compile;
use classpath::Jdk;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A class under test.
pub struct Class {
    pub name: String,
    source: PathBuf,
    /// What must be found; nothing in a class that is clean.
    pub expected: Vec<Expected>,
    /// Options without which it is not found.
    pub options: Vec<String>,
    /// By which oracle a class is clean.
    pub oracle: String,
}

/// What must be found in a class: one finding of that kind, with that exception if it is one, in a test that calls one of these.
#[derive(Debug)]
pub struct Expected {
    kind: String,
    exception: Option<String>,
    methods: Vec<String>,
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {}", self.exception.as_deref().unwrap_or(&self.kind), self.methods.join(", "))
    }
}

impl Expected {
    /// Reads `exception java.lang.NullPointerException in read, close`, or `deadlock in add`.
    fn parse(text: &str) -> Expected {
        let (what, methods) = text.split_once(" in ").unwrap();
        let (kind, exception) = match what.split_once(' ') {
            Some((kind, exception)) => (kind, Some(exception.to_owned())),
            None => (what, None),
        };
        // Another word would never be found, whatever is.
        let kinds = ["exception", "deadlock", "hang", "linearizability"];
        assert!(kinds.contains(&kind) && exception.is_some() == (kind == "exception"), "not a kind of finding: {text}");
        let methods = methods.split(", ").map(str::to_owned).collect();
        Expected { kind: kind.to_owned(), exception, methods }
    }

    /// The finding in the report of a class that is it, if there is one.
    pub fn find<'r>(&self, report: &'r Value) -> Option<&'r Value> {
        report["findings"].as_array()?.iter().find(|finding| self.is_met(finding))
    }

    /// Whether this is it.
    fn is_met(&self, finding: &Value) -> bool {
        let calls =
            |method: &Value| self.methods.iter().any(|name| method.as_str().unwrap().split('(').next() == Some(name));
        finding["kind"] == *self.kind
            && finding["exception"].as_str() == self.exception.as_deref()
            && finding["methods"].as_array().unwrap().iter().any(calls)
    }
}

/// All classes under test, in the order of their names.
pub fn all() -> Vec<Class> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/classes");
    let mut sources: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    sources.into_iter().map(read).collect()
}

fn read(source: PathBuf) -> Class {
    let text = std::fs::read_to_string(&source).unwrap();
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//")).collect();
    let of = |key: &str| head.iter().filter_map(|line| line.strip_prefix(key)).collect::<Vec<_>>();
    let expected: Vec<Expected> = of("// expect: ").into_iter().map(Expected::parse).collect();
    assert_eq!(expected.is_empty(), head.contains(&"// clean"), "{} is clean or not", source.display());
    let options = of("// options: ").iter().flat_map(|line| line.split(' ')).map(str::to_owned).collect();
    let oracle = of("// oracle: ").first().copied().unwrap_or("linearizability").to_owned();
    let stem = source.file_stem().unwrap().to_str().unwrap();
    let name = of("// class: ").first().copied().unwrap_or(stem).to_owned();
    Class { name, source, expected, options, oracle }
}

/// Compiled classes, each in a folder of its own: what is beside a class under test is used to make its arguments.
pub struct Compiled {
    folder: TempDir,
}

impl Compiled {
    pub fn new(jdk: &Jdk, classes: &[Class]) -> Compiled {
        let (together, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let sources: Vec<PathBuf> = classes.iter().map(|class| class.source.clone()).collect();
        compile(jdk, &sources, together.path(), together.path());
        for class in classes {
            std::fs::create_dir(folder.path().join(outermost(&class.name))).unwrap();
        }
        for file in std::fs::read_dir(together.path()).unwrap() {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            std::fs::rename(file.path(), folder.path().join(outermost(&name)).join(&name)).unwrap();
        }
        Compiled { folder }
    }

    /// The class path of a class.
    pub fn of(&self, class: &Class) -> PathBuf {
        self.folder.path().join(outermost(&class.name))
    }
}

/// The class that is not inside another one.
fn outermost(name: &str) -> &str {
    name.split(['$', '.']).next().unwrap()
}

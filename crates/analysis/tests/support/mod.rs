//! How these tests compile and analyse classes.

#![allow(dead_code)] // Each test uses a part.

use std::path::Path;
use std::process::Command;

use analysis::{Analyzer, ByteStore, ClassFacts, Error, Kind, Owner, Pair};
use classpath::{ClassName, ClassPath, Jdk};
use tempfile::TempDir;

/// The JDKs of this machine with a compiler; there has to be one.
pub fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

/// The fixtures, compiled.
pub fn fixtures(jdk: &Jdk) -> TempDir {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/deps");
    let sources = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let target = tempfile::tempdir().unwrap();
    let mut javac = Command::new(jdk.javac());
    javac.args(["-g", "-nowarn", "-Xlint:-options", "-d"]).arg(target.path()).args(sources);
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target
}

/// The classes of a folder and of a JDK.
pub fn class_path(jdk: &Jdk, folder: Option<&Path>) -> ClassPath {
    let mut class_path = ClassPath::new(jdk.feature);
    if let Some(folder) = folder {
        class_path.push(folder).unwrap();
    }
    class_path.append(ClassPath::of_jdk(jdk).unwrap());
    class_path
}

pub fn try_analyze(class_path: &ClassPath, class: &str) -> Result<ClassFacts, Error> {
    let bytes = ByteStore::new();
    Analyzer::new(class_path, &bytes).analyze(&ClassName::parse(class).unwrap())
}

pub fn analyze(class_path: &ClassPath, class: &str) -> ClassFacts {
    try_analyze(class_path, class).unwrap_or_else(|error| panic!("{error}"))
}

/// The number of the only method of that name, or with those parameters.
pub fn method(facts: &ClassFacts, name: &str) -> usize {
    let found: Vec<usize> = (0..facts.methods.len())
        .filter(|&number| facts.methods[number].name == name || facts.methods[number].signature() == name)
        .collect();
    assert_eq!(found.len(), 1, "{name} in {}: {found:?}", facts.class);
    found[0]
}

/// How two methods depend on each other.
pub fn pair(facts: &ClassFacts, a: &str, b: &str) -> Pair {
    let (a, b) = (method(facts, a), method(facts, b));
    let methods = (a.min(b), a.max(b));
    facts.pairs().into_iter().find(|pair| pair.methods == methods).unwrap()
}

/// The accesses of the subject and of statics: `R this.pos`, `W this.pos`, `U` for both; in order, each once.
pub fn access_summary(facts: &ClassFacts, name: &str) -> Vec<String> {
    accesses(facts, name, &[Owner::Subject, Owner::Static])
}

pub fn accesses(facts: &ClassFacts, name: &str, owners: &[Owner]) -> Vec<String> {
    let mut found: Vec<String> = facts.methods[method(facts, name)]
        .accesses
        .iter()
        .filter(|access| owners.contains(&facts.locations[access.location].owner))
        .map(|access| {
            let kind = match access.kind {
                Kind::Read => "R",
                Kind::Write => "W",
                Kind::Update => "U",
            };
            format!("{kind} {}", facts.locations[access.location].path)
        })
        .collect();
    found.sort();
    found.dedup();
    found
}

pub fn lock_summary(facts: &ClassFacts, name: &str) -> Vec<String> {
    let summary = &facts.methods[method(facts, name)].lock_summary;
    summary.iter().map(|&lock| facts.locks[lock].path.clone()).collect()
}

pub fn double_locks(facts: &ClassFacts, name: &str) -> Vec<(String, String)> {
    let path = |lock: usize| facts.locks[lock].path.clone();
    facts.methods[method(facts, name)].double_locks.iter().map(|d| (path(d.outer), path(d.inner))).collect()
}

//! What becomes of each public method of the packages that every program uses.
//!
//! A method is of the first category that applies to anything it reaches ([`reach`]). `list.txt` says why that is
//! right for those that taint, that reach something left out on purpose, or that are modelled. A method on no line
//! fails the test, as does a line that fits no method: a new release cannot bring a method that nobody has looked at.
//!
//! The decisions are those of `host`, by the functions that it rewrites classes with.
//!
//! With `RADDLE_BLESS` set, lines are added for what is missing, with a reason to be written. With `RADDLE_WHY` set to
//! the start of a method's name, the calls are printed by which such methods come to what they reach.

mod list;
mod program;
mod reach;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use crate::jdks;
use classfile::Flags;
use list::{List, Reached};
use program::{Id, Program};
use reach::{Category, Cause, Reach};

use host::unseen::Treatment;

const PACKAGES: [&str; 9] = [
    "java/lang",
    "java/lang/invoke",
    "java/lang/ref",
    "java/lang/reflect",
    "java/nio",
    "java/util",
    "java/util/concurrent",
    "java/util/concurrent/atomic",
    "java/util/concurrent/locks",
];

/// The releases whose methods were reviewed.
const REVIEWED: [u32; 2] = [17, 25];

#[test]
fn every_public_method_is_of_a_reviewed_category() {
    let text = include_str!("list.txt");
    let list = List::parse(text).unwrap_or_else(|wrong| panic!("list.txt: {wrong}"));
    let mut found = BTreeMap::new();
    for jdk in jdks() {
        let program = Program::read(&jdk);
        let roots = public_methods(&program);
        let reach = Reach::of(&program, &roots);
        println!("JDK {}: {} methods, {} with those that they call", jdk.version, roots.len(), reach.len());
        if let Ok(asked) = std::env::var("RADDLE_WHY") {
            for id in roots.iter().filter(|id| id.short().starts_with(&asked)) {
                for cause in reach.causes(id).filter(|cause| cause.0 < Category::Watched) {
                    println!("{}: {:?}: {}", id.short(), cause, reach.way(id, cause).join(" > "));
                }
            }
        }
        let table = Table::of(&program, &roots, &reach);
        table.write(jdk.feature);
        print!("{}", table.counts());
        found.insert(jdk.feature, table.reached);
    }
    let reviewed: BTreeMap<u32, BTreeSet<Reached>> =
        found.into_iter().filter(|(feature, _)| REVIEWED.contains(feature)).collect();
    let problems: Vec<String> = list.problems(&reviewed, &REVIEWED);
    if std::env::var_os("RADDLE_BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/opaque_methods/list.txt");
        std::fs::write(path, format!("{text}{}", list.missing(&reviewed))).unwrap();
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// What can be called from outside: public and protected methods of public classes, and those that they inherit of
/// others.
fn public_methods(program: &Program) -> Vec<Id> {
    let is_public = |name: &str| {
        let ends = name.match_indices('$').map(|(end, _)| end).chain([name.len()]);
        ends.map(|end| &name[..end]).all(|outer| program.classes.get(outer).is_none_or(|c| c.flags.has(Flags::PUBLIC)))
    };
    let in_packages = |name: &str| name.rsplit_once('/').is_some_and(|(package, _)| PACKAGES.contains(&package));
    let mut classes: BTreeSet<&str> =
        program.classes.keys().map(String::as_str).filter(|name| in_packages(name) && is_public(name)).collect();
    for class in classes.clone() {
        let above = program.classes[class].super_class.as_deref();
        classes.extend(above.filter(|above| in_packages(above)));
    }
    let is_open = |flags: Flags| flags.0 & (Flags::PUBLIC.0 | Flags::PROTECTED.0) != 0 && !flags.has(Flags::SYNTHETIC);
    let mut methods = vec![];
    for class in classes {
        let own = program.classes[class].methods.iter().filter(|(_, method)| is_open(method.flags));
        methods.extend(own.map(|((name, descriptor), _)| Id {
            class: class.to_owned(),
            name: name.clone(),
            descriptor: descriptor.clone(),
        }));
    }
    methods.sort();
    methods
}

/// What becomes of each method of one release.
struct Table {
    rows: Vec<(Id, Category, String)>,
    /// What the list has to say of.
    reached: BTreeSet<Reached>,
}

impl Table {
    fn of(program: &Program, roots: &[Id], reach: &Reach) -> Table {
        let mut table = Table { rows: vec![], reached: BTreeSet::new() };
        for id in roots {
            let causes: BTreeSet<&Cause> = reach.causes(id).collect();
            let method = program.method(id).expect("a root is a method");
            let otherwise = match Treatment::of(&id.class) {
                _ if method.flags.has(Flags::ABSTRACT) => Category::Declared,
                Treatment::Rewritten => Category::Events,
                _ => Category::Pure,
            };
            let first = causes.first().map_or(otherwise, |(category, _)| *category);
            let all: Vec<String> =
                causes.iter().map(|(category, what)| format!("{} {what}", category.name())).collect();
            table.rows.push((id.clone(), first, all.join("; ")));
            for (category, what) in causes.into_iter().filter(|(category, _)| *category < Category::Watched) {
                table.reached.insert(Reached { category: *category, cause: what.clone(), method: id.short() });
            }
        }
        table
    }

    /// Writes all of it for people.
    fn write(&self, feature: u32) {
        let mut text = String::new();
        for (id, category, causes) in &self.rows {
            writeln!(text, "{:9} {}{}  {causes}", category.name(), id.short(), id.descriptor).unwrap();
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("opaque-methods-{feature}.txt"));
        std::fs::write(&path, text).unwrap();
        println!("all of them: {}", path.display());
    }

    /// How many methods of each package are of each category.
    fn counts(&self) -> String {
        let mut text = format!("{:28}", "");
        let mut counts: BTreeMap<&str, BTreeMap<Category, usize>> = BTreeMap::new();
        for (id, category, _) in &self.rows {
            let package = id.class.rsplit_once('/').map_or("", |(package, _)| package);
            *counts.entry(package).or_default().entry(*category).or_default() += 1;
        }
        Category::ALL.iter().for_each(|category| write!(text, "{:>9}", category.name()).unwrap());
        for (package, counts) in counts {
            write!(text, "\n{package:28}").unwrap();
            let count = |category| counts.get(category).copied().unwrap_or(0);
            Category::ALL.iter().for_each(|category| write!(text, "{:>9}", count(category)).unwrap());
        }
        text + "\n"
    }
}

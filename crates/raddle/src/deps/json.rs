//! Everything that was found out, for programs.

use analysis::{AccessFact, ClassFacts, Error, Location, LockFact, MethodFacts, SiteFact};
use serde::Serialize;

use super::Counts;

#[derive(Serialize)]
struct Document<'f> {
    raddle: &'static str,
    java: &'f str,
    classes: Vec<Class<'f>>,
    refused: Vec<String>,
}

/// Locations and locks are named by their place in these lists.
#[derive(Serialize)]
struct Class<'f> {
    class: &'f str,
    notes: &'f [String],
    pairs: Sets,
    locations: &'f [Location],
    locks: &'f [LockFact],
    methods: &'f [MethodFacts],
    dependencies: Vec<Dependency<'f>>,
}

#[derive(Serialize)]
struct Sets {
    total: usize,
    pc: usize,
    double_lock: usize,
}

/// A pair that depends in some way; all others do not.
#[derive(Serialize)]
struct Dependency<'f> {
    /// By their place in the list of methods.
    methods: [usize; 2],
    conflict: bool,
    parallel: bool,
    double_lock: bool,
    score: u32,
    conflicts: Vec<Conflict<'f>>,
    crossings: Vec<Crossing<'f>>,
}

#[derive(Serialize)]
struct Conflict<'f> {
    location: usize,
    common_lock: Option<usize>,
    first: &'f AccessFact,
    second: &'f AccessFact,
}

#[derive(Serialize)]
struct Crossing<'f> {
    first: [usize; 2],
    first_site: &'f SiteFact,
    second: [usize; 2],
    second_site: &'f SiteFact,
}

/// The document about these classes, and about those that could not be analysed.
pub fn document(facts: &[&ClassFacts], refused: &[&Error], java: &str) -> String {
    let document = Document {
        raddle: env!("CARGO_PKG_VERSION"),
        java,
        classes: facts.iter().map(|facts| class(facts)).collect(),
        refused: refused.iter().map(|error| error.to_string()).collect(),
    };
    let mut text = serde_json::to_string(&document).expect("internal bug: facts are plain data");
    text.push('\n');
    text
}

fn class(facts: &ClassFacts) -> Class<'_> {
    let pairs = facts.pairs();
    let Counts { all: total, pc, double_lock } = Counts::of(&pairs);
    let depends = pairs.iter().filter(|pair| pair.conflict || pair.double_lock);
    let dependencies = depends.map(|pair| {
        let (a, b) = pair.methods;
        let conflicts = facts.conflicts(a, b).into_iter().map(|conflict| Conflict {
            location: conflict.first.location,
            common_lock: conflict.common,
            first: conflict.first,
            second: conflict.second,
        });
        let crossings = facts.crossings(a, b).into_iter().map(|(one, other)| Crossing {
            first: [one.outer, one.inner],
            first_site: &one.site,
            second: [other.outer, other.inner],
            second_site: &other.site,
        });
        Dependency {
            methods: [a, b],
            conflict: pair.conflict,
            parallel: pair.parallel,
            double_lock: pair.double_lock,
            score: pair.score,
            conflicts: conflicts.collect(),
            crossings: crossings.collect(),
        }
    });
    Class {
        class: &facts.class,
        notes: &facts.notes,
        pairs: Sets { total, pc, double_lock },
        locations: &facts.locations,
        locks: &facts.locks,
        methods: &facts.methods,
        dependencies: dependencies.collect(),
    }
}

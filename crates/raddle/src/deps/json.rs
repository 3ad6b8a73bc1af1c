//! Everything that was found out, for programs.

use analysis::{
    AccessFact, Accesses, ClassFacts, Error, Location, LockFact, MethodFacts, SecondShare, Setters, SiteFact, Through,
};
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
    setters: &'f [Setters],
    dependencies: Vec<Dependency<'f>>,
}

#[derive(Serialize)]
struct Sets {
    total: usize,
    pc: usize,
    double_lock: usize,
    /// Those that conflict if something else than the subject is shared. Not of the paper, and in no other count.
    second_share: usize,
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
    second_share: bool,
    conflicts: Vec<Conflict<'f>>,
    crossings: Vec<Crossing<'f>>,
    second_shares: Vec<Share<'f>>,
}

#[derive(Serialize)]
struct Conflict<'f> {
    location: usize,
    common_lock: Option<usize>,
    first: &'f AccessFact,
    second: &'f AccessFact,
}

/// A conflict on two subjects, and what has to be shared for it.
#[derive(Serialize)]
struct Share<'f> {
    /// `parameter` or `field`.
    through: &'static str,
    /// Of a parameter: which of the two methods it is passed to, and which of its arguments is the other's subject;
    /// both counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<[usize; 2]>,
    /// Of a field: its place in the list of setters.
    #[serde(skip_serializing_if = "Option::is_none")]
    setters: Option<usize>,
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
    let accesses = Accesses::of(facts);
    let pairs = accesses.pairs();
    let Counts { all: total, pc, double_lock, second_share } = Counts::of(&pairs);
    let depends = pairs.iter().filter(|pair| pair.conflict || pair.double_lock || pair.second_share);
    let dependencies = depends.map(|pair| {
        let (a, b) = pair.methods;
        let conflicts = facts.conflicts(a, b).into_iter().map(|conflict| Conflict {
            location: conflict.first.location,
            common_lock: conflict.common,
            first: conflict.first,
            second: conflict.second,
        });
        let crossings = accesses.crossings().between(a, b).map(|(one, other)| Crossing {
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
            second_share: pair.second_share,
            conflicts: conflicts.collect(),
            crossings: crossings.collect(),
            second_shares: facts.second_shares(a, b).into_iter().map(share).collect(),
        }
    });
    Class {
        class: &facts.class,
        notes: &facts.notes,
        pairs: Sets { total, pc, double_lock, second_share },
        locations: &facts.locations,
        locks: &facts.locks,
        methods: &facts.methods,
        setters: &facts.setters,
        dependencies: dependencies.collect(),
    }
}

fn share(share: SecondShare<'_>) -> Share<'_> {
    let (through, argument, setters) = match share.through {
        Through::Argument { number, of_first } => ("parameter", Some([usize::from(!of_first), number]), None),
        Through::Field(setters) => ("field", None, Some(setters)),
    };
    let SecondShare { conflict, .. } = share;
    Share { through, argument, setters, common_lock: conflict.common, first: conflict.first, second: conflict.second }
}

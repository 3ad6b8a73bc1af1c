//! What linearizations have shown, and what is not to be explained by it.

use std::collections::{BTreeMap, BTreeSet};

use testcase::TestCase;

use crate::excused::{is_excused, thrown_by_test};
use crate::observation::{Ended, Given, Kind, Observation, Place};
use crate::violation::{Oracle, Rank, Violation};
use crate::weak;

/// What the linearizations of a test case have shown. Only once all have been added, each in every way in which it is run,
/// an execution can be judged.
#[derive(Clone, Debug)]
pub struct Serial<V> {
    /// The most that a difference at each place means.
    kinds: BTreeMap<Place, Kind>,
    /// Classes of exceptions that the test itself has thrown.
    of_test: BTreeSet<String>,
    /// Classes of exceptions that linearizations end with.
    thrown: BTreeSet<String>,
    stuck: bool,
    endless: bool,
    /// Places at which identical executions differ.
    unsteady: BTreeSet<Place>,
    /// Identical executions differ in more than what calls return.
    erratic: bool,
    /// Those that came to their end, each once.
    outcomes: Vec<Observation<V>>,
}

impl<V: Given> Serial<V> {
    /// For the linearizations of this test case.
    pub fn new(test: &TestCase) -> Serial<V> {
        let suffixes = test.suffixes.iter().enumerate().flat_map(|(suffix, calls)| {
            calls.iter().enumerate().map(move |(call, of)| (Place::Suffix { suffix, call }, weak::kind(of)))
        });
        let probes = test.probes.iter().enumerate().map(|(call, of)| (Place::Probe { call }, weak::kind(of)));
        Serial {
            kinds: suffixes.chain(probes).collect(),
            of_test: thrown_by_test(test),
            thrown: BTreeSet::new(),
            stuck: false,
            endless: false,
            unsteady: BTreeSet::new(),
            erratic: false,
            outcomes: Vec::new(),
        }
    }

    /// A linearization has shown this.
    pub fn add(&mut self, observation: Observation<V>) {
        self.thrown.extend(observation.thrown().map(|(_, class)| class.to_owned()));
        self.stuck |= observation.stuck;
        self.endless |= observation.endless;
        if !observation.stuck && !observation.endless && !self.outcomes.contains(&observation) {
            self.outcomes.push(observation);
        }
    }

    /// One linearization has shown this and that, run twice in the same way. Where they differ, nothing follows from
    /// what others show.
    pub fn add_twice(&mut self, one: Observation<V>, other: Observation<V>) {
        let (of_one, of_other): (Vec<_>, Vec<_>) = (one.calls().collect(), other.calls().collect());
        self.erratic |= of_one.len() != of_other.len() || (one.stuck, one.endless) != (other.stuck, other.endless);
        for (&(place, one), &(other_place, other)) in of_one.iter().zip(&of_other) {
            match (one, other) {
                (Ended::Returned(one), Ended::Returned(other)) if place == other_place => {
                    if one != other {
                        self.unsteady.insert(place);
                    }
                }
                (one, other) if place == other_place && one == other => {}
                _ => {
                    self.unsteady.insert(place);
                    self.erratic = true;
                }
            }
        }
        self.add(one);
        self.add(other);
    }

    /// The places at which identical executions differ.
    pub fn unsteady(&self) -> impl Iterator<Item = Place> {
        self.unsteady.iter().copied()
    }

    /// The classes of exceptions that linearizations end with.
    pub fn thrown(&self) -> impl Iterator<Item = &str> {
        self.thrown.iter().map(String::as_str)
    }

    /// Whether some linearization is stuck.
    pub fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Whether some linearization has no end.
    pub fn is_endless(&self) -> bool {
        self.endless
    }

    /// What is wrong with an execution, if no linearization explains it.
    pub fn judge(&self, observation: &Observation<V>, oracle: Oracle) -> Option<Violation> {
        let counts = |class: &str| !is_excused(class) && !self.of_test.contains(class);
        let unexplained = observation.thrown().find(|(_, class)| counts(class) && !self.thrown.contains(*class));
        if let Some((at, class)) = unexplained {
            return Some(Violation::Exception { at, class: class.to_owned() });
        }
        if observation.stuck || observation.endless {
            return match observation {
                Observation { stuck: true, .. } => (!self.stuck).then_some(Violation::Stuck),
                _ => (!self.endless).then_some(Violation::Endless),
            };
        }
        let all_count = observation.thrown().all(|(_, class)| counts(class));
        (oracle == Oracle::Linearizability && all_count && !self.erratic).then(|| self.values(observation)).flatten()
    }

    /// What is wrong with what calls returned: all of them together, for each may have returned what it does in some
    /// linearization, and all of them what they do in none.
    fn values(&self, observation: &Observation<V>) -> Option<Violation> {
        // Nearly always there is one that is the same in all.
        if self.outcomes.contains(observation) {
            return None;
        }
        let explained =
            |least: Kind| self.outcomes.iter().any(|of| self.differences(observation, of, least).is_empty());
        if explained(Kind::Aggregate) {
            return None;
        }
        let rank = if explained(Kind::Scalar) { Rank::Aggregate } else { Rank::Scalar };
        let differences = self.outcomes.iter().map(|of| self.differences(observation, of, Kind::Aggregate));
        // Without an outcome all linearizations were stuck or had no end: then nothing is known of values.
        let differs = differences.min_by_key(Vec::len)?;
        Some(Violation::Values { rank, differs })
    }

    /// Where an execution differs from a linearization, in what means at least so much.
    fn differences(&self, observation: &Observation<V>, of: &Observation<V>, least: Kind) -> Vec<Place> {
        let (one, other): (BTreeMap<_, _>, BTreeMap<_, _>) = (observation.calls().collect(), of.calls().collect());
        let places: BTreeSet<&Place> = one.keys().chain(other.keys()).collect();
        let differs = |place: &&Place| match (one.get(*place), other.get(*place)) {
            (Some(Ended::Returned(one)), Some(Ended::Returned(other))) => {
                one != other && self.kind(place, one, other) >= least
            }
            (one, other) => one != other,
        };
        places.into_iter().filter(|place| !matches!(place, Place::Prefix { .. })).filter(differs).copied().collect()
    }

    /// What a difference of two values at a place means.
    fn kind(&self, place: &Place, one: &V, other: &V) -> Kind {
        let of_place = if self.unsteady.contains(place) { Some(&Kind::Unknown) } else { self.kinds.get(place) };
        let (one, other) = (one.kind(), other.kind());
        let of_values = if one == Kind::Unknown || other == Kind::Unknown { Kind::Unknown } else { one.max(other) };
        of_place.copied().unwrap_or(Kind::Unknown).min(of_values)
    }
}

//! What linearizations have shown, and what is not to be explained by it.

use std::collections::{BTreeMap, BTreeSet};

use testcase::TestCase;

use crate::excused::{is_excused, thrown_by_test};
use crate::observation::{Ended, Given, Kind, Observation, Place};
use crate::refusal::is_rejection;
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
    /// Classes of exceptions that calls of suffixes and started threads end with in linearizations.
    thrown: BTreeSet<String>,
    stuck: bool,
    endless: bool,
    /// The same of probes. What they do says nothing about the suffixes before them.
    after: After,
    /// Places at which identical executions differ.
    unsteady: BTreeSet<Place>,
    /// Identical executions differ in more than what calls return.
    erratic: bool,
    /// Those that came to their end, each once.
    outcomes: Vec<Observation<V>>,
}

/// What the probes of linearizations have shown.
#[derive(Clone, Default, Debug)]
struct After {
    thrown: BTreeSet<String>,
    stuck: bool,
    endless: bool,
    /// Upper bound on the probes that returned in one linearization.
    returned: usize,
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
            after: After::default(),
            unsteady: BTreeSet::new(),
            erratic: false,
            outcomes: Vec::new(),
        }
    }

    /// A linearization has shown this.
    pub fn add(&mut self, observation: Observation<V>) {
        for (place, class) in observation.thrown() {
            let thrown = if is_probe(&place) { &mut self.after.thrown } else { &mut self.thrown };
            thrown.insert(class.to_owned());
        }
        let is_after = observation.is_cut_off_after();
        let (stuck, endless) = match is_after {
            true => (&mut self.after.stuck, &mut self.after.endless),
            false => (&mut self.stuck, &mut self.endless),
        };
        *stuck |= observation.stuck;
        *endless |= observation.endless;
        let returned = |ended: &&Ended<V>| matches!(ended, Ended::Returned(_));
        self.after.returned = self.after.returned.max(observation.probes.iter().take_while(returned).count());
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

    /// The first probe that returns in no linearization.
    pub fn failing_probe(&self) -> Option<usize> {
        self.kinds.contains_key(&Place::Probe { call: self.after.returned }).then_some(self.after.returned)
    }

    /// Whether a probe has no end in some linearization.
    pub fn is_endless_afterwards(&self) -> bool {
        self.after.endless
    }

    /// Whether some linearization has come to its end.
    pub fn has_ended(&self) -> bool {
        !self.outcomes.is_empty()
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
        self.judge_unless(observation, oracle, false)
    }

    /// The same, where it is known what calls returned: an exception does not count if some thread was told before what no
    /// linearization tells it, and made another call all the same. Before probes come all calls, and whoever makes them
    /// knows what all threads were told.
    pub fn judge_by_results(&self, observation: &Observation<V>, oracle: Oracle) -> Option<Violation> {
        self.judge_unless(observation, oracle, true)
    }

    fn judge_unless(&self, observation: &Observation<V>, oracle: Oracle, by_results: bool) -> Option<Violation> {
        let counts = |class: &str| !is_excused(class) && !self.of_test.contains(class);
        let is_explained = |place: &Place, class: &str| {
            self.thrown.contains(class) || is_probe(place) && self.after.thrown.contains(class)
        };
        let unexplained = observation.thrown().filter(|(place, class)| counts(class) && !is_explained(place, class));
        let is_misled = |place: &Place| by_results && self.is_misled_at(observation, place);
        let unexplained: Vec<(Place, &str)> = unexplained.filter(|(place, _)| !is_misled(place)).collect();
        let exception = |&(at, class): &(Place, &str)| Violation::Exception { at, class: class.to_owned() };
        if let Some(fault) = unexplained.iter().find(|(_, class)| !is_rejection(class)) {
            return Some(exception(fault));
        }
        let rejection = unexplained.first().map(exception);
        if observation.stuck || observation.endless {
            let is_after = observation.is_cut_off_after();
            let does_not_end = match observation {
                _ if is_after && by_results && self.is_misled(observation) => None,
                Observation { stuck: true, .. } => {
                    (!(self.stuck || is_after && self.after.stuck)).then_some(Violation::Stuck)
                }
                _ => (!(self.endless || is_after && self.after.endless)).then_some(Violation::Endless),
            };
            return does_not_end.or(rejection);
        }
        if rejection.is_some() {
            return rejection;
        }
        let all_count = observation.thrown().all(|(_, class)| counts(class));
        (oracle == Oracle::Linearizability && all_count && !self.erratic).then(|| self.values(observation)).flatten()
    }

    /// Whether threads went on after calls that together returned what they return in no linearization. A caller would
    /// have looked at that and not have gone on so, and whatever fails then may fail because of that. Before probes come
    /// all calls of the suffixes.
    fn is_misled(&self, observation: &Observation<V>) -> bool {
        let last = usize::from(observation.probes.is_empty());
        let before_others = observation.suffixes.iter().enumerate().flat_map(|(suffix, ends)| {
            let calls = ends.iter().take(ends.len().saturating_sub(last)).enumerate();
            calls.map(move |(call, end)| (suffix, call, end))
        });
        let told: Vec<(usize, usize, &Ended<V>)> = before_others.collect();
        let is_like = |of: &Observation<V>| told.iter().all(|told| self.tells(of, *told));
        !self.outcomes.is_empty() && !self.outcomes.iter().any(is_like)
    }

    /// Whether a thread that made calls before this one, or beside it, had been told what no linearization tells it. Each knows
    /// its own results only. A call that went wrong because of that may make another thread's fail.
    fn is_misled_at(&self, observation: &Observation<V>, place: &Place) -> bool {
        let at = match *place {
            Place::Prefix { .. } => return false,
            Place::Probe { .. } => return self.is_misled(observation),
            Place::Suffix { suffix, call } => Some((suffix, call)),
            Place::Started { .. } => None,
        };
        let is_told_otherwise = |(suffix, ends): (usize, &Vec<Ended<V>>)| {
            let before = match at {
                Some((own, call)) if own == suffix => call,
                _ => ends.len().saturating_sub(1),
            };
            let told = || ends.iter().take(before).enumerate();
            let is_like = |of: &Observation<V>| told().all(|(call, end)| self.tells(of, (suffix, call, end)));
            !self.outcomes.iter().any(is_like)
        };
        !self.outcomes.is_empty() && observation.suffixes.iter().enumerate().any(is_told_otherwise)
    }

    /// Whether a call of a suffix ends in a linearization as it did elsewhere, as far as a caller looks at it: at
    /// numbers, texts and truth values, and whether there is an object at all.
    fn tells(&self, of: &Observation<V>, (suffix, call, end): (usize, usize, &Ended<V>)) -> bool {
        let place = Place::Suffix { suffix, call };
        match (end, of.suffixes.get(suffix).and_then(|ends| ends.get(call))) {
            (_, None) => false,
            _ if self.unsteady.contains(&place) => true,
            (Ended::Returned(one), Some(Ended::Returned(other))) => {
                let is_like = one == other || self.kind(&place, one, other) < Kind::Scalar;
                is_like && one.is_nothing() == other.is_nothing()
            }
            (one, Some(other)) => one == other,
        }
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

fn is_probe(place: &Place) -> bool {
    matches!(place, Place::Probe { .. })
}

//! What is learnt from how a test went: which choices let calls return, which methods hardly ever run, and what to try again.

use testcase::{Argument, Call, Operation, TestCase};

use super::{Candidate, FAILURES_OF_RUNAWAY, FEW_MISSES, Feedback, Generator, HOPELESS, MANY_TARGETS, MISSES_OF_MANY};
use super::{MOST_MISSES, Origin};
use crate::companions;
use crate::compose::{Shape, as_changer, name_of};
use crate::draft::Place;
use crate::learnt::{Choice, Name};
use crate::maker::Maker;
use crate::mix;
use crate::plan::Step;
use crate::recipes::Kitchen;
use crate::shrink;

impl Generator<'_> {
    /// What became of a test that was written so. Of one that ran, calls that have never returned are left out: they were not tested.
    pub fn learn(&mut self, test: &TestCase, origin: &Origin, feedback: Feedback) {
        self.learn_recipes(test, origin, feedback);
        let (library, class) = (&self.maker.library, &self.class.info.name);
        let under_test = |call: &Call| {
            let is_known = name_of(call).is_some_and(|name| self.numbers.contains_key(&name));
            is_known && library.is_subtype(class, call.operation.class())
        };
        companions::learn(&mut self.maker.learnt, test, feedback, under_test);
        let is_repaired = self.repair(test, origin, feedback);
        // Whether a call waits is a matter of the subject's state, not of what the call was given.
        let waits = matches!(
            feedback,
            Feedback::PrefixWaits { .. } | Feedback::SuffixWaits { .. } | Feedback::SuffixSpins { .. }
        );
        let feedback = match feedback {
            Feedback::SuffixSpins { suffix, call } => {
                self.learn_who_waits(test, suffix, call);
                self.note_runaway(test.suffixes.get(suffix).and_then(|calls| calls.get(call)));
                Feedback::SuffixFails { suffix, call }
            }
            Feedback::SuffixWaits { suffix, call } => {
                self.learn_who_waits(test, suffix, call);
                Feedback::SuffixFails { suffix, call }
            }
            Feedback::PrefixWaits { call } => Feedback::PrefixFails { call },
            Feedback::PrefixRunsAway { call } => {
                self.learn_who_runs_away(test.prefix.get(call), true);
                Feedback::PrefixFails { call }
            }
            Feedback::SuffixRunsAway { suffix, call } => {
                self.learn_who_runs_away(test.suffixes.get(suffix).and_then(|calls| calls.get(call)), false);
                Feedback::SuffixFails { suffix, call }
            }
            other => other,
        };
        let failed = match feedback {
            Feedback::PrefixFails { call } | Feedback::PrefixWaits { call } | Feedback::PrefixRunsAway { call } => {
                Some(Place::Prefix(call))
            }
            Feedback::SuffixFails { suffix, call }
            | Feedback::SuffixWaits { suffix, call }
            | Feedback::SuffixSpins { suffix, call }
            | Feedback::SuffixRunsAway { suffix, call } => Some(Place::Suffix(suffix, call)),
            Feedback::Unusable => None,
            Feedback::Ran { .. } => None,
        };
        let ran = matches!(feedback, Feedback::Ran { .. });
        for (place, choice) in &origin.choices {
            if let Place::Probe(probe) = *place {
                self.learn_of_probe(*choice, probe, feedback);
                continue;
            }
            // Where no call is known to have failed, as where there was no memory left, it may be any, and what is good
            // shows elsewhere.
            let went_well = match failed {
                _ if ran => Some(true),
                None => Some(false),
                Some(failed) if failed == *place => (!waits).then_some(false),
                Some(Place::Suffix(suffix, 0)) if *place == Place::Before(suffix) => Some(false),
                Some(failed) if gets(test, failed, *place) => Some(false),
                Some(failed) => returned_before(failed, *place).then_some(true),
            };
            if let Some(went_well) = went_well {
                self.maker.learnt.note(*choice, went_well);
                if went_well {
                    self.maker.proven.accept(*choice);
                }
            }
        }
        match (origin.parts, feedback) {
            (Some(parts), Feedback::PrefixFails { call }) => self.contege.refuse_prefix(parts, call),
            (Some(parts), Feedback::SuffixFails { suffix, .. }) => self.contege.refuse_suffix(parts, suffix),
            _ => {}
        }
        let is_hopeless = self.learn_of_methods(test, feedback);
        if ran {
            self.shown(test, origin).into_iter().for_each(|target| self.targets.all[target].ran += 1);
        }
        let Some(number) = origin.target().filter(|_| !is_repaired) else { return };
        let is_crowded = self.targets.all.len() > MANY_TARGETS;
        let target = &mut self.targets.all[number];
        match feedback {
            Feedback::Ran { overlapped, .. } => {
                target.tried += 1;
                target.covered += u32::from(overlapped);
                target.misses = 0;
            }
            _ => {
                target.misses += 1;
                // What cannot be run at all may have cost a worker.
                let is_costly = feedback == Feedback::Unusable;
                let most = match () {
                    _ if is_hopeless || is_costly => FEW_MISSES,
                    _ if is_crowded => MISSES_OF_MANY,
                    _ => MOST_MISSES,
                };
                if target.misses.is_multiple_of(most) {
                    target.tried += 1;
                } else {
                    // Once more, with other arguments; in a state that calls have changed, if it does not work without.
                    let grown = origin.step.shape.grown || target.misses >= 3;
                    let shape = Shape { grown, ..origin.step.shape };
                    self.begun.push_front(Step { shape, ..origin.step });
                }
            }
        }
    }

    /// With which arguments calls return.
    fn learn_recipes(&mut self, test: &TestCase, origin: &Origin, feedback: Feedback) {
        let (in_prefix, in_suffixes, failed) = match feedback {
            Feedback::PrefixFails { call } | Feedback::PrefixRunsAway { call } => {
                (call, None, test.prefix.get(call).map(|made| (Place::Prefix(call), made)))
            }
            Feedback::PrefixWaits { call } => (call, None, None),
            Feedback::SuffixFails { suffix, call } | Feedback::SuffixRunsAway { suffix, call } => {
                let failed = test.suffixes.get(suffix).and_then(|calls| calls.get(call));
                (test.prefix.len(), Some((suffix, call)), failed.map(|made| (Place::Suffix(suffix, call), made)))
            }
            Feedback::SuffixWaits { suffix, call } | Feedback::SuffixSpins { suffix, call } => {
                (test.prefix.len(), Some((suffix, call)), None)
            }
            Feedback::Ran { .. } => (test.prefix.len(), Some((test.suffixes.len(), 0)), None),
            Feedback::Unusable => return,
        };
        let changing = self.maker.changing_constants(&test.prefix);
        let kitchen = Kitchen {
            prefix: &test.prefix,
            given: &origin.given,
            under_test: &self.class.info.name,
            changing: &changing,
            subject: self.only_subject(test),
        };
        let at = |place: Place| -> Vec<Choice> {
            origin.choices.iter().filter(|(of, _)| *of == place).map(|(_, choice)| *choice).collect()
        };
        let Maker { recipes, rng, .. } = &mut self.maker;
        for (number, call) in test.prefix.iter().enumerate().take(in_prefix) {
            recipes.returned(&kitchen, call, number, || at(Place::Prefix(number)), rng);
        }
        for (suffix, calls) in test.suffixes.iter().enumerate() {
            for (number, call) in calls.iter().enumerate() {
                if in_suffixes.is_some_and(|until| (suffix, number) < until) {
                    let choices = || at(Place::Suffix(suffix, number));
                    recipes.returned(&kitchen, call, test.prefix.len(), choices, rng);
                }
            }
        }
        if let Some((place, call)) = failed {
            recipes.failed(call, &at(place));
        }
    }

    /// The call of the prefix that gives the only subject of a test.
    fn only_subject(&self, test: &TestCase) -> Option<usize> {
        let of_class = test.suffixes.iter().flatten().filter(|call| self.method_of(call).is_some());
        let mut subjects = of_class.filter_map(|call| match call.operation.receiver() {
            Some(Argument::Value(number)) => Some(*number),
            _ => None,
        });
        let first = subjects.next().filter(|number| *number < test.prefix.len())?;
        subjects.all(|other| other == first).then_some(first)
    }

    /// Leaves out a call of the prefix that does not return, if nothing needs what it gives: the state that it was to lead to is
    /// not to be had so, and all that was made besides is. Says whether such a test is next.
    fn repair(&mut self, test: &TestCase, origin: &Origin, feedback: Feedback) -> bool {
        let (Feedback::PrefixFails { call } | Feedback::PrefixWaits { call } | Feedback::PrefixRunsAway { call }) =
            feedback
        else {
            return false;
        };
        let is_apt = origin.scout.is_none() && origin.parts.is_none();
        let Some(less) = is_apt.then(|| shrink::without_prefix_call(test, call)).flatten() else { return false };
        if !self.seen.insert(mix::hash(&less)) {
            return false;
        }
        let mut origin = origin.clone();
        let down = |number: usize| (number != call).then_some(number - usize::from(number > call));
        origin.choices.retain_mut(|(place, _)| match place {
            Place::Prefix(number) | Place::Implemented(number) => match down(*number) {
                Some(less) => {
                    *number = less;
                    true
                }
                None => false,
            },
            Place::Suffix(..) | Place::Before(_) | Place::Probe(_) => true,
        });
        origin.given.remove(call);
        let (goals, numbers) = self.goals(&origin.step);
        origin.goals = numbers;
        let executions = self.executions(&origin.step);
        let round = self.plan.round();
        self.repaired.push_back(Candidate { test: less, executions, round, goals, is_scout: false, origin });
        true
    }

    /// What was chosen for a probe is known to be good or bad only up to the first that fails.
    fn learn_of_probe(&mut self, choice: Choice, probe: usize, feedback: Feedback) {
        let Feedback::Ran { failing_probe, .. } = feedback else { return };
        if failing_probe.is_none_or(|failing| probe <= failing) {
            self.maker.learnt.note(choice, failing_probe != Some(probe));
        }
    }

    /// A method was seen to wait, which its code did not show: it parks, or asks a queue. Whatever changes what it looks at
    /// may be what it waits for.
    fn learn_who_waits(&mut self, test: &TestCase, suffix: usize, call: usize) {
        let made = test.suffixes.get(suffix).and_then(|calls| calls.get(call));
        let Some(waiting) = made.and_then(|call| self.method_of(call)) else { return };
        if self.relations.note_wait(waiting) {
            let others: Vec<usize> = self.class.callable().map(|(other, _)| other).collect();
            for other in others.into_iter().filter(|&other| self.relations.waits_for(waiting, other)) {
                self.targets.add_wait((waiting, other), &mut self.maker.rng);
            }
        }
    }

    /// A call has had no end, which costs as much as many others. It counts as that many failures, so that its method soon hardly ever
    /// runs, and others have their turns.
    fn learn_who_runs_away(&mut self, call: Option<&Call>, in_prefix: bool) {
        let Some((call, name)) = call.and_then(|call| Some((call, name_of(call)?))) else { return };
        self.note_runaway(Some(call));
        for _ in 1..FAILURES_OF_RUNAWAY {
            if in_prefix {
                as_changer(call).into_iter().for_each(|choice| self.maker.learnt.note(choice, false));
            } else {
                self.note_method(Choice { place: Name::of("method"), what: name }, false);
            }
        }
    }

    /// A call has had no end. Others like it get few events when they run alone.
    fn note_runaway(&mut self, call: Option<&Call>) {
        let named = call.and_then(|call| Some((call.operation.class(), name_of(call)?)));
        self.runaways.extend(named.map(Name::of));
    }

    /// Whether a test makes a call that has had no end in another.
    pub fn may_run_away(&self, test: &TestCase) -> bool {
        let is_known = |call: &Call| {
            name_of(call).is_some_and(|name| self.runaways.contains(&Name::of((call.operation.class(), name))))
        };
        test.prefix.iter().chain(test.suffixes.iter().flatten()).any(is_known)
    }

    /// Notes which methods run alone. Says whether the one that failed hardly ever does.
    fn learn_of_methods(&mut self, test: &TestCase, feedback: Feedback) -> bool {
        let choice = |call: &Call| Some(Choice { place: Name::of("method"), what: name_of(call)? });
        let (returned, failed) = match feedback {
            Feedback::PrefixFails { call } | Feedback::PrefixWaits { call } | Feedback::PrefixRunsAway { call } => {
                (call, test.prefix.get(call))
            }
            Feedback::SuffixFails { .. }
            | Feedback::SuffixWaits { .. }
            | Feedback::SuffixSpins { .. }
            | Feedback::SuffixRunsAway { .. }
            | Feedback::Ran { .. } => (test.prefix.len(), None),
            Feedback::Unusable => (0, None),
        };
        let returned = test.prefix.iter().take(returned).map(|call| (call, true));
        for (call, ran) in returned.chain(failed.map(|call| (call, false))) {
            // What arguments are made of are constructors of other classes.
            let is_made =
                matches!(&call.operation, Operation::Construct { class, .. } if *class != self.class.info.name);
            if let Some(choice) = as_changer(call).filter(|_| !is_made) {
                self.maker.learnt.note(choice, ran);
            }
        }
        match feedback {
            Feedback::Ran { .. } => {
                for choice in test.suffixes.iter().flatten().filter_map(choice) {
                    self.note_method(choice, true);
                }
                false
            }
            Feedback::SuffixFails { suffix, call }
            | Feedback::SuffixWaits { suffix, call }
            | Feedback::SuffixSpins { suffix, call }
            | Feedback::SuffixRunsAway { suffix, call } => {
                let failed = test.suffixes.get(suffix).and_then(|calls| calls.get(call));
                failed.and_then(choice).is_some_and(|choice| self.note_method(choice, false))
            }
            Feedback::PrefixFails { .. }
            | Feedback::PrefixWaits { .. }
            | Feedback::PrefixRunsAway { .. }
            | Feedback::Unusable => false,
        }
    }

    /// A method has run alone, or not. Says whether it hardly ever does.
    fn note_method(&mut self, choice: Choice, ran: bool) -> bool {
        self.maker.learnt.note(choice, ran);
        let is_hopeless = self.maker.learnt.weight(choice) < HOPELESS;
        if let Some(&number) = self.numbers.get(&choice.what)
            && self.hopeless[number] != is_hopeless
        {
            self.hopeless[number] = is_hopeless;
            self.make_wait(number);
        }
        is_hopeless
    }

    /// Targets of a method wait for their turns if it hardly ever runs, or costs far more than others, or no longer.
    pub(super) fn make_wait(&mut self, method: usize) {
        let waits: Vec<bool> =
            self.hopeless.iter().zip(&self.dear).map(|(hopeless, dear)| *hopeless || *dear).collect();
        self.targets.note_hopeless(method, &waits);
    }
}

/// Whether the call at a place has returned when another fails that is made alone.
fn returned_before(failed: Place, place: Place) -> bool {
    match (place, failed) {
        (Place::Prefix(number), Place::Prefix(failed)) => number < failed,
        (Place::Prefix(_), Place::Suffix(..)) => true,
        (Place::Suffix(suffix, number), Place::Suffix(failed, call)) => suffix == failed && number < call,
        // Suffixes are tried in order.
        (Place::Before(suffix), Place::Suffix(failed, call)) => suffix < failed || suffix == failed && call > 0,
        _ => false,
    }
}

/// Whether a call gets an object that the test implements, which may be to blame when it fails.
fn gets(test: &TestCase, call: Place, implemented: Place) -> bool {
    let Place::Implemented(number) = implemented else { return false };
    let call = match call {
        Place::Prefix(call) => test.prefix.get(call),
        Place::Suffix(suffix, call) => test.suffixes.get(suffix).and_then(|calls| calls.get(call)),
        Place::Before(_) | Place::Probe(_) | Place::Implemented(_) => None,
    };
    let object = Argument::Value(number);
    call.is_some_and(|call| call.arguments.contains(&object) || call.operation.receiver() == Some(&object))
}

//! Probes: calls that one thread makes once all others have ended.
//!
//! Two calls that break an object may both return, and only the next call notices: a list whose size is wrong, two
//! nodes that hold each other, a permit that was lost. A longer suffix finds that too, but then the broken state needs
//! a schedule in which one more call comes late enough. Calls afterwards need no schedule.
//!
//! What the threads were told is used as well, as its owners would: a ticket is waited for, a lease is closed, an entry is
//! asked for by the number that it got.

use classfile::TypeSignature;
use testcase::{Argument, Call, Operation};

use crate::class_info::MethodInfo;
use crate::companions::receiver;
use crate::compose::{Composer, name_of};
use crate::draft::{Draft, OWN, Place};
use crate::learnt::{Choice, Name};
use crate::parts;
use crate::subject::{Callable, Called};
use crate::types::{self, Bindings};

/// Where it is learnt which methods return when they are called last.
const AFTERWARDS: &str = "afterwards";
/// Upper bound on the calls of one test.
const MAX_CALLS: usize = 3;
/// So many observers are asked of each subject.
const MOST_PROBES: usize = 8;
/// How much likelier methods are that only look, because those are never misuse.
const LOOKING: f64 = 3.0;
/// How much less likely methods are that do not touch what the pair changes.
const UNRELATED: f64 = 0.1;
/// One in so many tests hands in what each thread was told.
const GIVEN_BACK: usize = 3;
/// Upper bound on the calls of what threads were told.
const MOST_TOLD: usize = 2;

impl Composer<'_, '_> {
    /// Adds some calls on the subjects of a test of these two methods.
    pub fn afterwards(&mut self, draft: &mut Draft, methods: (usize, usize)) {
        let class = self.class;
        // Threads have come by their subjects themselves where the prefix made none.
        if draft.subjects.is_empty() != self.without_subject {
            return;
        }
        draft.is_after = true;
        if self.maker.rng.one_in(GIVEN_BACK) && self.give_back(draft) {
            return;
        }
        // What threads were told comes last, mostly after calls that may be what it waits for.
        let told = if self.maker.rng.one_in(2) { 1 + self.maker.rng.below(MOST_TOLD) } else { 0 };
        let can_be_called = told > 0 && self.can_call_results(draft);
        let calls = if can_be_called { self.maker.rng.below(MAX_CALLS) } else { 1 + self.maker.rng.below(MAX_CALLS) };
        let bindings = Bindings::new();
        let candidates: Vec<(usize, f64)> = class
            .callable()
            // Others may have no end in a state that nobody has tried, and take as long in every execution.
            .filter(|(number, _)| self.relations.only_looks(*number) || [methods.0, methods.1].contains(number))
            .filter(|(_, callable)| !callable.is_constructor() && (callable.has_receiver() != self.without_subject))
            .filter(|(number, callable)| !self.dear[*number] && callable.declared_in != "java/lang/Object")
            .map(|(number, callable)| {
                let method = &callable.method;
                let key = Name::of((&method.name, &method.descriptor));
                let learnt = self.maker.learnt.at(Name::of(AFTERWARDS)).weight(key);
                let is_related = self.relations.changes(methods.0, number) || self.relations.changes(methods.1, number);
                // What was told to a thread waits for changes, if for anything.
                let looks = self.relations.only_looks(number) && !can_be_called;
                let looking = if looks { LOOKING } else { 1.0 };
                (number, learnt * looking * if is_related { 1.0 } else { UNRELATED })
            })
            .collect();
        let weights: Vec<f64> = candidates.iter().map(|(_, weight)| *weight).collect();
        for _ in 0..calls {
            let Some(chosen) = self.maker.rng.weighted(&weights) else { return };
            let subject = self.maker.rng.pick(&draft.subjects).copied();
            let Some(callable) = &class.methods[candidates[chosen].0] else { continue };
            let at = Place::Probe(draft.probes.len());
            let call = self.maker.call(draft, Called { class, callable, bindings: &bindings }, subject, None, Some(at));
            if let Some(what) = name_of(&call) {
                draft.choices.push((at, Choice { place: Name::of(AFTERWARDS), what }));
            }
            draft.probes.push(call);
        }
        if can_be_called {
            (0..told).for_each(|_| self.of_result(draft));
        }
    }

    /// Adds a call of one method for what each of several threads was told: two that got the same number both hand it in. Says whether
    /// there is such a method.
    fn give_back(&mut self, draft: &mut Draft) -> bool {
        let is_kept = |&&((suffix, call), _): &&((usize, usize), TypeSignature)| {
            let own = Argument::Value(OWN + call);
            let uses = |call: &Call| call.arguments.contains(&own) || call.operation.receiver() == Some(&own);
            draft.suffixes.get(suffix).is_some_and(|calls| !calls.iter().any(uses))
        };
        let told: Vec<((usize, usize), TypeSignature)> = draft.results.iter().filter(is_kept).cloned().collect();
        let Some((_, of)) = self.maker.rng.pick(&told).cloned() else { return false };
        let mut each: Vec<(usize, usize)> = Vec::new();
        for (at, _) in told.iter().filter(|(_, other)| *other == of) {
            if each.iter().all(|(suffix, _)| *suffix != at.0) {
                each.push(*at);
            }
        }
        let class = self.class;
        let takes = |(number, callable): (usize, &Callable)| {
            let parameter = callable.method.parameters.iter().position(|parameter| *parameter == of)?;
            let may_wait = self.relations.waits(number);
            (callable.has_receiver() && !self.dear[number] && !may_wait).then_some((number, parameter))
        };
        let takers: Vec<(usize, usize)> = class.callable().filter_map(takes).collect();
        let here = self.maker.learnt.at(Name::of(AFTERWARDS));
        let weights: Vec<f64> =
            takers.iter().map(|(taker, _)| self.key(*taker).map_or(0.0, |key| here.weight(key))).collect();
        let Some(chosen) = self.maker.rng.weighted(&weights).filter(|_| each.len() > 1) else { return false };
        let (taker, parameter) = takers[chosen];
        let Some(callable) = &class.methods[taker] else { return false };
        for (suffix, call) in each {
            // What one subject has told is nothing to another.
            let told_by = draft.suffixes[suffix].get(call).and_then(receiver);
            let Some(subject) = told_by.filter(|subject| draft.subjects.contains(subject)) else { continue };
            let at = Place::Probe(draft.probes.len());
            let called = Called { class, callable, bindings: &Bindings::new() };
            let mut made = self.maker.call(draft, called, Some(subject), None, Some(at));
            made.arguments[parameter] = Argument::Value(draft.returned_by(suffix, call));
            if let Some(what) = self.key(taker) {
                draft.choices.push((at, Choice { place: Name::of(AFTERWARDS), what }));
            }
            draft.probes.push(made);
        }
        !draft.probes.is_empty()
    }

    /// Whether a call of a suffix has returned an object with which something can be done.
    fn can_call_results(&self, draft: &Draft) -> bool {
        draft.results.iter().any(|(_, of)| types::erased(of).is_some_and(|class| self.can_call(&class)))
    }

    fn can_call(&self, class: &str) -> bool {
        let is_part = || self.parts.iter().any(|part| part.info.name == class && !part.methods.is_empty());
        parts::finisher(&self.maker.library, class).is_some() || is_part()
    }

    /// Adds a call of an object that a call of a suffix has returned.
    fn of_result(&mut self, draft: &mut Draft) {
        let objects =
            draft.results.iter().filter_map(|(at, of)| Some((*at, of.clone(), types::erased(of)?.into_owned())));
        let objects: Vec<_> = objects.filter(|(.., class)| self.can_call(class)).collect();
        let Some(((suffix, call), of, class)) = self.maker.rng.pick(&objects).cloned() else { return };
        let receiver = Argument::Value(draft.returned_by(suffix, call));
        let at = Place::Probe(draft.probes.len());
        if let Some((class, name, descriptor)) = parts::finisher(&self.maker.library, &class) {
            let (class, name, descriptor) = (class.into(), name.into(), descriptor.into());
            let operation = Operation::Virtual { class, name, descriptor, receiver };
            draft.probes.push(Call { operation, arguments: Vec::new() });
            return;
        }
        let parts = self.parts;
        let Some(part) = parts.iter().find(|part| part.info.name == class) else { return };
        let key = |method: &MethodInfo| Name::of((&method.name, &method.descriptor));
        let here = self.maker.learnt.at(Name::of((AFTERWARDS, &class)));
        let weights: Vec<f64> = part.methods.iter().map(|(_, method)| here.weight(key(method))).collect();
        let Some(chosen) = self.maker.rng.weighted(&weights) else { return };
        let (declared_in, method) = &part.methods[chosen];
        let own = self.maker.bindings_of(&part.info, &of);
        let bindings = self.maker.library.bindings_above(&part.info.name, &own, declared_in);
        let made = self.maker.arguments(draft, &part.info.name, method, &bindings, 0, None);
        draft.choices.extend(made.choices.into_iter().map(|choice| (at, choice)));
        let place = Name::of((AFTERWARDS, &class));
        draft.choices.push((at, Choice { place, what: key(method) }));
        let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
        let operation = Operation::Virtual { class, name, descriptor, receiver };
        draft.probes.push(Call { operation, arguments: made.values });
    }

    /// Calls that look at the subjects, or at static state if there are none, and change nothing: for whoever compares
    /// what was seen.
    pub fn observe(&mut self, draft: &mut Draft) {
        let class = self.class;
        let bindings = Bindings::new();
        let looking = class.callable().filter(|(number, callable)| {
            let method = &callable.method;
            let of_object = callable.declared_in == "java/lang/Object";
            method.parameters.is_empty()
                && method.returns.is_some()
                && callable.has_receiver() != draft.subjects.is_empty()
                && !of_object
                && self.relations.only_looks(*number)
        });
        let looking: Vec<usize> = looking.map(|(number, _)| number).collect();
        let subjects: Vec<Option<usize>> = match draft.subjects.is_empty() {
            true => vec![None],
            false => draft.subjects.iter().copied().map(Some).collect(),
        };
        for subject in subjects {
            for &number in looking.iter().take(MOST_PROBES) {
                let Some(callable) = &class.methods[number] else { continue };
                let called = Called { class, callable, bindings: &bindings };
                let call = self.maker.call(draft, called, subject, None, None);
                draft.probes.push(call);
            }
        }
    }
}

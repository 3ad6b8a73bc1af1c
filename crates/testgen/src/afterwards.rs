//! Probes: calls that one thread makes once all others have ended.
//!
//! Two calls that break an object may both return, and only the next call notices: a list whose size is wrong, two
//! nodes that hold each other, a permit that was lost. A longer suffix finds that too, but then the broken state needs
//! a schedule in which one more call comes late enough. Calls afterwards need no schedule.

use crate::compose::{Composer, name_of};
use crate::draft::{Draft, Place};
use crate::learnt::{Choice, Name};
use crate::subject::Called;
use crate::types::Bindings;

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

impl Composer<'_, '_> {
    /// Adds some calls on the subjects of a test of these two methods.
    pub fn afterwards(&mut self, draft: &mut Draft, methods: (usize, usize)) {
        let class = self.class;
        // Threads have come by their subjects themselves where the prefix made none.
        if draft.subjects.is_empty() != self.without_subject {
            return;
        }
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
                let looking = if self.relations.only_looks(number) { LOOKING } else { 1.0 };
                (number, learnt * looking * if is_related { 1.0 } else { UNRELATED })
            })
            .collect();
        let weights: Vec<f64> = candidates.iter().map(|(_, weight)| *weight).collect();
        for _ in 0..1 + self.maker.rng.below(MAX_CALLS) {
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

//! Tests of calls that share more than the subject: parts of it, and arguments that both calls get.

use std::collections::BTreeSet;

use classfile::TypeSignature;
use testcase::{Argument, Call, Operation};

use crate::compose::{Composer, Shape};
use crate::draft::{Draft, OWN, Owner, Place};
use crate::learnt::{Choice, Name};
use crate::maker::Rather;
use crate::parts::{Beside, Part, PartCall, Source};
use crate::types::Bindings;

/// Where it is learnt which methods give out parts, and which give null: a call of that fails.
const GIVER: &str = "part giver";
/// What weighs less mostly gives nothing.
const SELDOM_GIVES: f64 = 0.5;

impl Composer<'_, '_> {
    /// Calls on one subject that are given one object. There is no such test if the first call gets none.
    pub fn common(
        &mut self,
        draft: &mut Draft,
        methods: (usize, usize),
        arguments: (usize, usize),
        bindings: &Bindings,
        shape: Shape,
    ) {
        let subject = self.subject(draft, bindings);
        let growth = if shape.grown { self.growth() } else { 0 };
        for _ in 0..growth {
            let changer = self.changer(methods);
            self.change(draft, changer, bindings, subject, None);
        }
        let mut common = None;
        for thread in 0..shape.threads {
            for position in 0..shape.calls {
                let method = self.method_at(methods, thread, position);
                let is_first = method == methods.0 && (methods.0 != methods.1 || thread % 2 == 0);
                let parameter = if is_first { arguments.0 } else { arguments.1 };
                let is_of_pair = is_first || method == methods.1;
                let rather =
                    common.filter(|_| is_of_pair).map(|subject| Rather { subject, parameter: Some(parameter) });
                let made = self.suffix_call(draft, method, bindings, subject, rather, thread);
                let given = made.and_then(|made| draft.suffixes[thread][made].arguments.get(parameter));
                if let Some(common) = common {
                    if is_of_pair && given != Some(&Argument::Value(common)) {
                        return draft.suffixes.clear();
                    }
                    continue;
                }
                match given {
                    Some(&Argument::Value(number)) if number < draft.prefix.len() => common = Some(number),
                    _ => return draft.suffixes.clear(),
                }
            }
        }
    }

    /// One thread has what the subject gave out, the other has the subject, or what it gave out a second time.
    pub fn part(
        &mut self,
        draft: &mut Draft,
        (giver, own): (usize, usize),
        beside: Beside,
        bindings: &Bindings,
        shape: Shape,
    ) {
        let subject = self.subject(draft, bindings);
        // What is there to be given out may be little: each call that grows the subject may take it.
        if shape.grown && self.maker.rng.one_in(2) {
            for _ in 0..self.growth() {
                let changer = self.changer((giver, own));
                self.change(draft, changer, bindings, subject, None);
            }
        }
        let source = self.parts[beside.part].source;
        let taken_by = match source {
            Source::Given(_) => None,
            Source::Taken(None) => subject,
            Source::Taken(Some(taker)) => self.change(draft, taker, bindings, subject, None),
        };
        let mut first = taken_by.and_then(|call| self.has_taken(draft, call, beside.part));
        if first.is_none() && matches!(source, Source::Taken(_)) {
            return;
        }
        // What a thread is given while others are at it may be half of one state and half of another, as with
        // `reader = book.read()`.
        let asks_itself = !beside.is_same && self.maker.rng.one_in(3);
        for thread in 0..shape.threads {
            let own_part = PartCall { part: beside.part, method: beside.method };
            let called = if thread % 2 == 0 { Some(own_part) } else { beside.other };
            // What is given out belongs to the thread that uses it.
            draft.owner = Some(Owner::Thread(thread));
            let source = called.map(|called| match self.parts[called.part].source {
                Source::Given(_) => Source::Given(self.giver(called.part)),
                taken => taken,
            });
            let given = match source {
                None => None,
                Some(Source::Taken(_)) => first,
                Some(_) if beside.is_same && first.is_some() => first,
                Some(Source::Given(giver)) if asks_itself => {
                    self.suffix_call(draft, giver, bindings, subject, None, thread).map(|call| OWN + call)
                }
                Some(Source::Given(giver)) => self.change(draft, giver, bindings, subject, None),
            };
            if let Some(Source::Given(giver)) = source
                && let Some(what) = self.key(giver)
            {
                let next = draft.suffixes.get(thread).map_or(0, Vec::len);
                draft.choices.push((Place::Suffix(thread, next), Choice { place: Name::of(GIVER), what }));
            }
            first = first.or(given.filter(|given| *given < OWN));
            draft.owner = None;
            for position in 0..shape.calls {
                // Past the first call, whatever else whoever has the part may do.
                let further = if position == 0 { 0 } else { self.maker.rng.below(4) };
                match (called, given) {
                    (Some(_), Some(_)) if further == 3 => {
                        self.suffix_call(draft, own, bindings, subject, None, thread);
                    }
                    (Some(called), Some(given)) if further > 0 => {
                        let method = self.maker.rng.below(self.parts[called.part].methods.len());
                        self.part_call(draft, PartCall { method, ..called }, bindings, given, thread);
                    }
                    (Some(called), Some(given)) => self.part_call(draft, called, bindings, given, thread),
                    _ if further > 1 => {
                        let method = self.method_at((giver, own), thread, position);
                        self.suffix_call(draft, method, bindings, subject, None, thread);
                    }
                    _ => drop(self.suffix_call(draft, own, bindings, subject, None, thread)),
                }
            }
        }
    }

    /// The method that is to give out a part: its own, unless that mostly gives nothing, and another gives parts of the same type with
    /// which the same can be done.
    fn giver(&mut self, part: usize) -> usize {
        let of = |part: &Part| match part.source {
            Source::Given(giver) => Some(giver),
            Source::Taken(_) => None,
        };
        let own = of(&self.parts[part]).unwrap_or_default();
        let here = self.maker.learnt.at(Name::of(GIVER));
        let weight = |giver: usize| self.key(giver).map_or(0.0, |key| here.weight(key));
        if weight(own) > SELDOM_GIVES {
            return own;
        }
        let own_part = &self.parts[part];
        // What is held, and only looked at, has fewer methods.
        let is_like = |part: &&Part| {
            part.gives == own_part.gives
                && part.is_shareable == own_part.is_shareable
                && part.methods.len() == own_part.methods.len()
        };
        let others: Vec<usize> = self.parts.iter().filter(is_like).filter_map(of).collect();
        let weights: Vec<f64> = others.iter().map(|&giver| weight(giver).powi(3)).collect();
        self.maker.rng.weighted(&weights).map_or(own, |chosen| others[chosen])
    }

    /// What a call got that is of the class of a part, as it is or in something else that it got.
    fn has_taken(&mut self, draft: &Draft, call: usize, part: usize) -> Option<usize> {
        let class = &self.parts[part].info.name;
        let is_of = |given: &TypeSignature| crate::types::erased(given).is_some_and(|of| of == *class);
        let makes = |call: &Call| matches!(&call.operation, Operation::Construct { class: made, .. } if made == class);
        let fits = |number: usize| makes(&draft.prefix[number]) || draft.given[number].as_ref().is_some_and(is_of);
        let (mut open, mut fitting) = (vec![call], Vec::new());
        while let Some(call) = open.pop() {
            let arguments = draft.prefix[call].arguments.iter().chain(draft.prefix[call].operation.receiver());
            let got = arguments.filter_map(|argument| match argument {
                Argument::Value(number) if *number < call => Some(*number),
                _ => None,
            });
            for number in got.filter(|number| !draft.subjects.contains(number)) {
                match fits(number) {
                    true => fitting.push(number),
                    false => open.push(number),
                }
            }
        }
        self.maker.rng.pick(&fitting).copied()
    }

    /// A call of a part, which a call of the prefix or of the same thread gave out.
    fn part_call(&mut self, draft: &mut Draft, called: PartCall, bindings: &Bindings, given: usize, thread: usize) {
        let part = &self.parts[called.part];
        let (declared_in, method) = &part.methods[called.method];
        let gives = crate::types::substitute(&part.gives, bindings);
        let own = self.maker.bindings_of(&part.info, &gives);
        let bindings = self.maker.library.bindings_above(&part.info.name, &own, declared_in);
        if draft.suffixes.len() <= thread {
            draft.suffixes.resize(thread + 1, Vec::new());
        }
        let at = Place::Suffix(thread, draft.suffixes[thread].len());
        let before = draft.owner.replace(Owner::Thread(thread));
        let made = self.maker.arguments(draft, &part.info.name, method, &bindings, 0, None);
        draft.owner = before;
        self.maker.share(draft, &made.values, &BTreeSet::new());
        draft.choices.extend(made.choices.into_iter().map(|choice| (at, choice)));
        let operation = Operation::Virtual {
            class: part.info.name.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            receiver: Argument::Value(given),
        };
        draft.suffixes[thread].push(Call { operation, arguments: made.values });
    }
}

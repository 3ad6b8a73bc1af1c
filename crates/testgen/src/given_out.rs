//! Objects that others give out: what builders build, and what a subject hands to whoever calls it.

use classfile::TypeSignature;
use testcase::{Argument, Call, Operation};

use crate::class_info::{ClassInfo, MethodInfo};
use crate::draft::{Draft, OWN};
use crate::learnt::{Choice, Name};
use crate::library::is_of_jdk;
use crate::maker::{Candidate, MADE, Maker, Wish};
use crate::producers::{Producer, Way};
use crate::types::{self, Bindings};

/// How many of its setters are called on an object that is to make another one.
const BARE: &str = "bare";
const SOME: &str = "some";
const PREPARED: [&str; 3] = [BARE, SOME, "all"];
/// What weighs less failed more than twice as often as it went well.
const LENDS: f64 = 0.5;
/// Never more than so many.
const MOST_SETTERS: usize = 6;

impl Maker<'_> {
    /// One of the subjects that there are, if it can be what gives an object out: what one has given out is of no use to others.
    pub fn giving_subject(&mut self, draft: &Draft, owner: &TypeSignature) -> Option<usize> {
        let fits = |number: &&usize| draft.given[**number].as_ref().is_some_and(|of| self.library.fits(of, owner));
        let fitting: Vec<usize> = draft.subjects.iter().filter(fits).copied().collect();
        (!fitting.is_empty()).then(|| fitting[self.rng.below(fitting.len())])
    }

    /// Whether all that can be done with an object of a type is to ask it, and that does not change it. Then it only stands for something that the subject which
    /// gave it out has, and threads may share it.
    pub fn is_handle(&self, of: &TypeSignature) -> bool {
        let Some(class) = types::erased(of) else { return false };
        !is_of_jdk(&class) && self.library.only_tells(&class)
    }

    /// Whether it is a method by which a subject lends something: it changes the subject, and needs no other object.
    pub fn lends(&self, producer: &Producer) -> bool {
        let Way::Virtual { class, method, .. } = &producer.way else { return false };
        class.name == self.producers.class && self.lenders.contains(&Name::of((&method.name, &method.descriptor)))
    }

    /// Whether a call is of a method by which a subject may lend something.
    fn is_lender(&self, call: &Call) -> bool {
        match &call.operation {
            Operation::Virtual { name, descriptor, .. } => self.lenders.contains(&Name::of((&**name, descriptor))),
            _ => false,
        }
    }

    /// Leaves only what the subject of a call has lent or will lend, where it lends such objects. What a subject is
    /// given back and never lent is a mistake of the test. Where lending mostly fails, as `take` of an empty queue
    /// does, it is no lending.
    pub fn only_lent(&self, draft: &Draft, wish: &Wish<'_>, candidates: &mut Vec<(Name, f64, Candidate)>) {
        if wish.depth > 0 || draft.receiver.is_none() {
            return;
        }
        let works = |key: Name| {
            let weight = |place: Name| self.learnt.at(place).weight(key);
            weight(wish.place).min(weight(Name::of(MADE))) >= LENDS
        };
        let is_lending = |candidate: &Candidate| match candidate {
            Candidate::Produce(ways, way) => self.lends(&ways[*way]) && works(ways[*way].key),
            _ => false,
        };
        if !candidates.iter().any(|(.., candidate)| is_lending(candidate)) {
            return;
        }
        candidates.retain(|(.., candidate)| match candidate {
            // What was given back is not lent any more, unless it only stands for something.
            Candidate::There(number) if *number >= OWN => draft.is_lent_just_now(*number, |call| self.is_lender(call)),
            Candidate::There(number) => {
                let is_lent = draft.lent.get(number) == draft.receiver.as_ref();
                is_lent && (draft.handles.contains(number) || !draft.is_passed(*number))
            }
            candidate => is_lending(candidate),
        });
    }

    /// Calls setters of an object that is to make another one, for it may not do so without. Says which call gives the object then:
    /// some setters give another.
    pub fn prepare(&mut self, draft: &mut Draft, object: usize, class: &ClassInfo, depth: usize) -> (usize, Choice) {
        let place = Name::of(("prepare", &class.name));
        let here = self.learnt.at(place);
        let weights = PREPARED.map(|what| here.weight(Name::of(what)));
        let chosen = self.rng.weighted(&weights).unwrap_or(0);
        let mut setters: Vec<MethodInfo> = self.setters(class);
        let count = match PREPARED[chosen] {
            BARE => 0,
            SOME => self.rng.below(setters.len().min(MOST_SETTERS) + 1),
            _ => setters.len().min(MOST_SETTERS),
        };
        let mut object = object;
        for _ in 0..count {
            let setter = setters.swap_remove(self.rng.below(setters.len()));
            let arguments = self.arguments(draft, &class.name, &setter, &Bindings::new(), depth + 1, None);
            let is_fluent = setter.returns.is_some();
            let operation = Operation::Virtual {
                class: class.name.clone(),
                name: setter.name,
                descriptor: setter.descriptor,
                receiver: Argument::Value(object),
            };
            let number = self.push(draft, operation, arguments, None);
            if is_fluent {
                object = number;
            }
        }
        (object, Choice { place, what: Name::of(PREPARED[chosen]) })
    }

    /// Methods that are given something, and give nothing back or an object of their own class.
    fn setters(&self, class: &ClassInfo) -> Vec<MethodInfo> {
        let is_own = |returns: &Option<TypeSignature>| match returns {
            None => true,
            Some(TypeSignature::Class(of)) => types::class_name(of) == class.name,
            Some(_) => false,
        };
        let can_use = |method: &MethodInfo| self.library.can_use(method.flags, class.package());
        let is_setter = |method: &&MethodInfo| {
            !method.is_static() && method.is_in_source() && !method.parameters.is_empty() && can_use(method)
        };
        class.methods.iter().filter(is_setter).filter(|method| is_own(&method.returns)).cloned().collect()
    }
}

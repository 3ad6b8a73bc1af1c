//! Makes the values that calls need: the parameter task of ConTeGe.
//!
//! A value is one that is there already, a literal, null, the subject itself, or a new object, whose own parameters are made in
//! the same way. How likely each is depends on what was learnt from earlier sequences. All objects are made in the prefix: so
//! the suffixes are short, and can share what they are given.
//!
//! **Deviation from the paper:** it makes parameters of a suffix in the suffix, and never shares them.

use std::borrow::Cow;
use std::rc::Rc;

use classfile::TypeSignature;
use testcase::{Argument, Call, Operation};

use crate::class_info::MethodInfo;
use crate::draft::{Draft, Place};
use crate::keys::Key;
use crate::learnt::{Choice, Learnt, Name};
use crate::library::Library;
use crate::literals::{self, Literals};
use crate::producers::{Producer, Producers, Way};
use crate::rng::Rng;
use crate::types::{self, Bindings};

/// Objects are made of objects no deeper than this.
pub const DEEPEST: usize = 3;
/// What weighs as much as a value that is there already: all new objects together.
const NEW: f64 = 4.0;
const TEXT: f64 = 3.0;
const OWN_TEXT: f64 = 0.4;
const OF_MAKER: f64 = 1.0;
const SUBJECT: f64 = 1.5;
const THERE: f64 = 1.0;
const NULL: f64 = 0.2;
/// Where a method is known to take it: what is set back to nothing is a state of its own.
const NULL_TAKEN: f64 = 0.8;
/// It is taken if it went well three times as often as not.
const TAKEN: f64 = 1.3;
/// So many texts are drawn, of which the one that went best is the likeliest.
const TEXTS: usize = 3;

/// The place of a choice of a way to make an object, wherever it is made.
const MADE: &str = "object";

/// Makes values.
pub struct Maker<'p> {
    pub library: Library<'p>,
    pub producers: Producers,
    pub literals: Literals,
    pub learnt: Learnt,
    pub rng: Rng,
    /// The keys that it asks for.
    pub keys: Vec<Key>,
}

/// Values for the parameters of a call, and what was chosen for each.
#[derive(Default)]
pub struct Arguments {
    pub values: Vec<Argument>,
    pub choices: Vec<Choice>,
}

/// A subject that is to be passed.
#[derive(Clone, Copy, Debug)]
pub struct Rather {
    pub subject: usize,
    /// For which parameter; for the first that it fits, if none is named.
    pub parameter: Option<usize>,
}

/// What a value is for.
pub struct Wish<'w> {
    pub wanted: &'w TypeSignature,
    /// The parameter, for what is learnt.
    pub place: Name,
    /// How deep in objects that are made for objects.
    pub depth: usize,
    /// A subject that is to be passed if it fits.
    pub rather: Option<usize>,
    /// The class whose method gets it, if it is one's.
    pub of: Option<&'w str>,
}

enum Candidate {
    Literal(Argument),
    There(usize),
    /// In one of these ways.
    Produce(Rc<[Producer]>, usize),
    Array(TypeSignature),
    /// What a subject says of itself: what is parsed is often what was printed.
    TextOf(usize),
}

impl Maker<'_> {
    /// Values for the parameters of a method. The first that fits is the subject `rather`, if one is given.
    pub fn arguments(
        &mut self,
        draft: &mut Draft,
        owner: &str,
        method: &MethodInfo,
        bindings: &Bindings,
        depth: usize,
        mut rather: Option<Rather>,
    ) -> Arguments {
        let bindings = self.bind_own(method, bindings);
        let mut made = Arguments::default();
        for (number, parameter) in method.parameters.iter().enumerate() {
            let wanted = types::substitute(parameter, &bindings);
            let place = Name::of((owner, &method.name, &method.descriptor, number));
            let fits = rather.is_some_and(|rather| {
                rather.parameter.is_none_or(|parameter| parameter == number)
                    && draft.given[rather.subject].as_ref().is_some_and(|given| self.library.fits(given, &wanted))
            });
            let rather = if fits { rather.take().map(|rather| rather.subject) } else { None };
            let wish = Wish { wanted: &wanted, place, depth, rather, of: Some(owner) };
            let (value, choice) = self.value(draft, wish);
            made.values.push(value);
            made.choices.push(choice);
        }
        made
    }

    /// With what a method's own type variables stand for.
    fn bind_own<'b>(&mut self, method: &MethodInfo, bindings: &'b Bindings) -> Cow<'b, Bindings> {
        let mut bindings = Cow::Borrowed(bindings);
        for parameter in &method.type_parameters {
            if !bindings.contains_key(&parameter.name) {
                let bound = self.standing_for(&types::bound(parameter), &bindings);
                bindings.to_mut().insert(parameter.name.clone(), bound);
            }
        }
        bindings
    }

    /// A type for a type variable with this bound.
    pub fn standing_for(&mut self, bound: &TypeSignature, bindings: &Bindings) -> TypeSignature {
        let bound = types::substitute(bound, bindings);
        let usual = ["java/lang/String", "java/lang/String", "java/lang/Object", "java/lang/Integer"];
        let usual = types::class(usual[self.rng.below(usual.len())]);
        let text = types::class("java/lang/String");
        match () {
            _ if self.library.fits(&usual, &bound) => usual,
            _ if self.library.fits(&text, &bound) => text,
            _ => bound,
        }
    }

    /// A value.
    pub fn value(&mut self, draft: &mut Draft, wish: Wish<'_>) -> (Argument, Choice) {
        if let TypeSignature::Primitive(letter) = wish.wanted {
            return self.primitive(*letter, &wish);
        }
        let chosen = |what: Name| Choice { place: wish.place, what };
        if let Some(subject) = wish.rather {
            return (Argument::Value(subject), chosen(Name::of("subject")));
        }
        let mut candidates = self.candidates(draft, &wish);
        let here = self.learnt.at(wish.place);
        let weights: Vec<f64> = candidates.iter().map(|(what, weight, _)| weight * here.weight(*what)).collect();
        let Some(number) = self.rng.weighted(&weights) else { return (Argument::Null, chosen(Name::of("null"))) };
        let (what, _, candidate) = candidates.swap_remove(number);
        let value = match candidate {
            Candidate::Literal(literal) => literal,
            Candidate::There(number) => Argument::Value(number),
            Candidate::TextOf(subject) => Argument::Value(self.text_of(draft, subject)),
            Candidate::Array(element) => Argument::Value(self.array(draft, &element, &wish)),
            Candidate::Produce(ways, way) => {
                let number = self.produce(draft, &ways[way], wish.wanted, wish.depth);
                // Some objects can hardly be made, whatever they are made for.
                draft.choices.push((Place::Prefix(number), of_producer(&ways[way])));
                Argument::Value(number)
            }
        };
        (value, chosen(what))
    }

    fn primitive(&mut self, letter: char, wish: &Wish<'_>) -> (Argument, Choice) {
        // Some literals, of which the one that went best is the likeliest.
        let mut drawn = Vec::new();
        for _ in 0..3 {
            // What is made has a size, mostly, and the largest takes all memory; but a `long` is seldom a size.
            let literal = match wish.depth == 0 || letter == 'J' {
                true => self.literals.any_primitive(letter, &mut self.rng),
                false => self.literals.primitive(letter, &mut self.rng),
            };
            let choice = Choice { place: wish.place, what: Name::of(&literal) };
            drawn.push((literal, choice));
        }
        let weights: Vec<f64> = drawn.iter().map(|(_, choice)| self.learnt.weight(*choice)).collect();
        let number = self.rng.weighted(&weights).unwrap_or(0);
        drawn.swap_remove(number)
    }

    /// What can be passed, with how it is called where choices are learnt, and how likely it is before anything is.
    fn candidates(&mut self, draft: &Draft, wish: &Wish<'_>) -> Vec<(Name, f64, Candidate)> {
        let mut found = Vec::new();
        let mut add = |what: Name, weight: f64, candidate: Candidate| found.push((what, weight, candidate));
        let there: Vec<usize> = (0..draft.prefix.len())
            .filter(|&number| draft.may_use(number))
            .filter(|&number| draft.given[number].as_ref().is_some_and(|given| self.library.fits(given, wish.wanted)))
            .collect();
        for &number in &there {
            match draft.subjects.contains(&number) {
                true => add(Name::of("subject"), SUBJECT / draft.subjects.len() as f64, Candidate::There(number)),
                false => add(Name::of("there"), THERE / there.len() as f64, Candidate::There(number)),
            }
        }
        let takes_null = wish.depth == 0 && self.learnt.at(wish.place).weight(Name::of("null")) > TAKEN;
        add(Name::of("null"), if takes_null { NULL_TAKEN } else { NULL }, Candidate::Literal(Argument::Null));
        let text = types::class("java/lang/String");
        if self.library.fits(&text, wish.wanted) {
            for _ in 0..TEXTS {
                let literal = self.literals.string(&mut self.rng);
                add(of_text(&literal), TEXT / TEXTS as f64, Candidate::Literal(Argument::String(literal)));
            }
            // Where methods of the class under test are called, its own are among the literals.
            if wish.depth > 0
                && let Some(class) = wish.of.and_then(|class| self.library.class(class))
                && let Some(literal) = literals::of_maker(&class.strings, &mut self.rng)
            {
                add(of_text(literal), OF_MAKER, Candidate::Literal(Argument::String(literal.clone())));
            }
            if *wish.wanted == text
                && let Some(&subject) = draft.subjects.first()
            {
                add(Name::of("text of subject"), OWN_TEXT, Candidate::TextOf(subject));
            }
        }
        match wish.wanted {
            TypeSignature::Array(element) => add(Name::of("array"), NEW, Candidate::Array((**element).clone())),
            wanted => {
                let name = types::erased(wanted).unwrap_or_default();
                if name == "java/lang/Class" {
                    add(Name::of("class"), NEW, Candidate::Literal(Argument::Class("java/lang/String".into())));
                } else if name != "java/lang/String" {
                    let producers = self.producers.of(&self.library, &name);
                    let is_fitting = |producer: &Producer| {
                        (wish.depth < DEEPEST || producer.needs() == 0) && !self.is_of_another(draft, producer)
                    };
                    let fitting = producers.iter().enumerate().filter(|(_, producer)| is_fitting(producer));
                    let made = self.learnt.at(Name::of(MADE));
                    // Twice over, for it is known from all places where one was made.
                    let weight = |producer: &Producer| producer.weight * made.weight(producer.key).powi(2);
                    let weighed: Vec<_> = fitting.map(|(number, producer)| (number, weight(producer))).collect();
                    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
                    for (number, weight) in weighed {
                        let weight = NEW * weight / total.max(f64::MIN_POSITIVE);
                        add(producers[number].key, weight, Candidate::Produce(producers.clone(), number));
                    }
                }
            }
        }
        found
    }

    /// Whether it gives an object that can change, and that another thread or subject has been given.
    fn is_of_another(&self, draft: &Draft, producer: &Producer) -> bool {
        let Way::Constant { class, field } = &producer.way else { return false };
        let of = field.descriptor.trim_start_matches('L').trim_end_matches(';');
        !class.is_enum() && draft.is_taken(&class.name, &field.name) && !self.library.never_changes(of)
    }

    fn text_of(&mut self, draft: &mut Draft, subject: usize) -> usize {
        let operation = Operation::Virtual {
            class: "java/lang/Object".into(),
            name: "toString".into(),
            descriptor: "()Ljava/lang/String;".into(),
            receiver: Argument::Value(subject),
        };
        self.push(draft, operation, Arguments::default(), Some(types::class("java/lang/String")))
    }

    fn array(&mut self, draft: &mut Draft, element: &TypeSignature, wish: &Wish<'_>) -> usize {
        let length = if wish.depth < DEEPEST { self.rng.below(4) } else { 0 };
        let place = Name::of((wish.place, "element"));
        let mut arguments = Arguments::default();
        for _ in 0..length {
            let wish = Wish { wanted: element, place, depth: wish.depth + 1, rather: None, of: wish.of };
            let (value, choice) = self.value(draft, wish);
            arguments.values.push(value);
            arguments.choices.push(choice);
        }
        let name = match element {
            TypeSignature::Primitive(_) => element.to_string(),
            element => types::erased(element).unwrap_or_default().into_owned(),
        };
        self.push(draft, Operation::Array { element: name }, arguments, Some(wish.wanted.clone()))
    }

    /// Adds a call to the prefix, with what was chosen for it.
    pub fn push(
        &mut self,
        draft: &mut Draft,
        operation: Operation,
        arguments: Arguments,
        gives: Option<TypeSignature>,
    ) -> usize {
        let number = draft.push(Call { operation, arguments: arguments.values }, gives);
        draft.choices.extend(arguments.choices.into_iter().map(|choice| (Place::Prefix(number), choice)));
        number
    }
}

/// The choice of a way to make an object.
fn of_producer(producer: &Producer) -> Choice {
    Choice { place: Name::of(MADE), what: producer.key }
}

/// A text that is written down.
fn of_text(literal: &str) -> Name {
    Name::of(("text", literal))
}

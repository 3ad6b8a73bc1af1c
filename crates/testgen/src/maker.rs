//! Makes the values that calls need: the parameter task of ConTeGe.
//!
//! A value is one that is there already, a literal, null, the subject itself, or a new object, whose own parameters are made in
//! the same way. How likely each is depends on what was learnt from earlier sequences. All objects are made in the prefix: so
//! the suffixes are short, and can share what they are given.
//!
//! **Deviation from the paper:** it makes parameters of a suffix in the suffix, and never shares them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use classfile::TypeSignature;
use testcase::{Argument, Call, Operation};

use crate::class_info::{MethodInfo, package};
use crate::draft::{Draft, Place};
use crate::givers::{Giver, is_lent, of_kind};
use crate::keys::Key;
use crate::learnt::{Choice, Learnt, Name};
use crate::library::Library;
use crate::literals::{self, Literals};
use crate::producers::{Producer, Producers, Way, is_general};
use crate::proven::Proven;
use crate::recipes::Recipes;
use crate::rng::Rng;
use crate::types::{self, Bindings};

/// Objects are made of objects no deeper than this.
pub const DEEPEST: usize = 3;
/// What gives out another object may be so much deeper: a configuration is told by a service, which a builder builds, which a
/// factory gives. Nothing else will do there, and null never does.
const DEEPER: usize = 2;
/// Only where there is nothing else.
const NULL_AS_RECEIVER: f64 = 1e-6;
/// How much less likely an object of a class that the test writes is to give out another.
const OWN_AS_RECEIVER: f64 = 0.05;
/// What weighs as much as a value that is there already: all new objects together.
const NEW: f64 = 4.0;
/// The same where a class will do.
const NEW_BESIDE_CLASSES: f64 = 1.0;
const TEXT: f64 = 3.0;
const OWN_TEXT: f64 = 0.4;
const USED_TEXT: f64 = 3.0;
/// The same for a call that has failed with all others.
const WANTED_TEXT: f64 = 24.0;
const OF_MAKER: f64 = 1.0;
const SUBJECT: f64 = 1.5;
const THERE: f64 = 1.0;
/// What is meant to be shared mostly is.
const SHARED: f64 = 6.0;
/// What the subject gives out when it is asked for it: all that a pool takes back.
const ASKED: f64 = 0.5;
/// What a subject was given before: a listener that was added can be removed.
const KNOWN: f64 = 4.0;
/// What the subject has told the same thread: an id, a ticket.
const TOLD: f64 = 3.0;
const NULL: f64 = 0.2;
/// What a collection gets whose elements it adds, removes or gives away.
const BULK: [&str; 6] = [
    "java/lang/Iterable",
    "java/util/Collection",
    "java/util/List",
    "java/util/Map",
    "java/util/Queue",
    "java/util/Set",
];
/// Where a method is known to take it: what is set back to nothing is a state of its own.
const NULL_TAKEN: f64 = 0.8;
/// It is taken if it went well three times as often as not.
const TAKEN: f64 = 1.3;
/// Number of classes below the bound of a `Class` that are passed there.
const MAX_CLASSES: usize = 4;
/// So many texts are drawn, of which the one that went best is the likeliest.
const TEXTS: usize = 3;

/// The place of a choice of a way to make an object, wherever it is made.
pub const MADE: &str = "object";

/// Makes values.
pub struct Maker<'p> {
    pub library: Library<'p>,
    pub producers: Producers,
    pub literals: Literals,
    pub learnt: Learnt,
    /// Texts that calls accepted.
    pub proven: Proven,
    /// Arguments with which calls returned.
    pub recipes: Recipes,
    pub rng: Rng,
    /// The keys that it asks for.
    pub keys: Vec<Key>,
    /// The methods of the class under test that may lend something, by name and descriptor.
    pub lenders: HashSet<Name>,
    /// Methods of the class under test that give out a part of the subject.
    pub publishers: HashSet<Name>,
    /// Methods of the class under test that give out what a type variable stands for.
    pub givers: Vec<Giver>,
    /// Whether values are wanted that the subject knows: a call fails whenever it gets others.
    pub wants_known: bool,
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
    /// Whether it is to give out another object.
    pub is_receiver: bool,
    /// The type variable that the parameter of a call under test is declared with, and what variables stand for there.
    pub asked: Option<(&'w str, &'w Bindings)>,
}

pub enum Candidate {
    Literal(Argument),
    There(usize),
    /// In one of these ways.
    Produce(Rc<[Producer]>, usize),
    Array(TypeSignature),
    /// What this method of the subject gives out, by its number among the givers.
    Asked(usize),
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
        let called = Name::of((owner, &method.name, &method.descriptor));
        // No recipe has a listener that calls a subject.
        if rather.is_none()
            && draft.called_back.is_none()
            && let Some(recipe) = self.recipes.draw(called, depth == 0, &mut self.rng).cloned()
            && self.is_apt(draft, &recipe, method, &bindings)
        {
            return self.follow(draft, recipe);
        }
        let wants_known = depth == 0 && self.recipes.never_returned(called);
        let wanted_known = std::mem::replace(&mut self.wants_known, wants_known);
        let mut made = Arguments::default();
        for (number, parameter) in method.parameters.iter().enumerate() {
            let wanted = types::substitute(parameter, &bindings);
            let place = Name::of((owner, &method.name, &method.descriptor, number));
            let fits = rather.is_some_and(|rather| {
                rather.parameter.is_none_or(|parameter| parameter == number)
                    && draft.given[rather.subject].as_ref().is_some_and(|given| self.library.fits(given, &wanted))
            });
            let rather = if fits { rather.take().map(|rather| rather.subject) } else { None };
            let asked = match parameter {
                TypeSignature::Variable(variable) if depth == 0 => Some((&**variable, &*bindings)),
                _ => None,
            };
            let wish = Wish { wanted: &wanted, place, depth, rather, of: Some(owner), is_receiver: false, asked };
            let (value, choice) = self.value(draft, wish);
            made.choices.push(choice);
            if asked.is_some_and(|(variable, _)| self.may_ask(draft, variable)) {
                made.choices.push(of_kind(place, is_lent(draft, &value)));
            }
            made.values.push(value);
        }
        // What was made for these values has set it, too.
        self.wants_known = wanted_known;
        made
    }

    /// Lets other threads have what a method of the class under test gets and locks, and what is meant to be shared.
    pub fn share(&mut self, draft: &mut Draft, values: &[Argument], locked: &BTreeSet<usize>) {
        for (number, value) in values.iter().enumerate() {
            let Argument::Value(value) = *value else { continue };
            let Some(given) = draft.given.get(value) else { continue };
            let class = given.as_ref().and_then(types::erased);
            if locked.contains(&number) || class.is_some_and(|class| self.library.is_shareable(&class)) {
                draft.shared.insert(value);
            }
        }
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
            return self.primitive(draft, *letter, &wish);
        }
        let chosen = |what: Name| Choice { place: wish.place, what };
        if let Some(subject) = wish.rather {
            return (Argument::Value(subject), chosen(Name::of("subject")));
        }
        let mut candidates = self.candidates(draft, &wish);
        self.only_lent(draft, &wish, &mut candidates);
        let here = self.learnt.at(wish.place);
        let mut weights: Vec<f64> = candidates.iter().map(|(what, weight, _)| weight * here.weight(*what)).collect();
        // Each new text is another choice, of which nothing was learnt. That what was not lent is refused is learnt of all together.
        if wish.asked.is_some_and(|(variable, _)| self.may_ask(draft, variable)) {
            for (weight, (.., candidate)) in weights.iter_mut().zip(&candidates) {
                let is_lent = match candidate {
                    Candidate::Asked(_) => true,
                    Candidate::There(number) => is_lent(draft, &Argument::Value(*number)),
                    Candidate::Literal(_) | Candidate::Produce(..) | Candidate::Array(_) | Candidate::TextOf(_) => {
                        false
                    }
                };
                *weight *= self.learnt.weight(of_kind(wish.place, is_lent));
            }
        }
        let Some(number) = self.rng.weighted(&weights) else { return (Argument::Null, chosen(Name::of("null"))) };
        let (what, _, candidate) = candidates.swap_remove(number);
        let value = match candidate {
            Candidate::Literal(literal) => literal,
            Candidate::There(number) => Argument::Value(number),
            Candidate::Asked(giver) => match (draft.receiver, wish.asked) {
                (Some(subject), Some((_, bindings))) => {
                    Argument::Value(self.ask(draft, giver, subject, bindings, &wish))
                }
                _ => Argument::Null,
            },
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

    fn primitive(&mut self, draft: &Draft, letter: char, wish: &Wish<'_>) -> (Argument, Choice) {
        let is_of_type = |of: &TypeSignature| *of == TypeSignature::Primitive(letter);
        let is_number = wish.depth == 0 && matches!(letter, 'I' | 'J');
        // What the subject has told under a number it is asked for by that, by the same thread above all.
        let own: Vec<usize> = draft.returned().filter(|(_, of)| is_of_type(of)).map(|(number, _)| number).collect();
        if is_number && self.rng.chance(if own.is_empty() { 0.5 } else { 0.7 }) {
            let given = draft.given.iter().enumerate().filter(|(_, of)| of.as_ref().is_some_and(is_of_type));
            let given: Vec<usize> = given.map(|(number, _)| number).filter(|_| self.rng.one_in(3)).collect();
            if let Some(&number) = self.rng.pick(if own.is_empty() { &given } else { &own }) {
                return (Argument::Value(number), Choice { place: wish.place, what: Name::of("told") });
            }
        }
        // What was put under a number is found under it.
        if is_number && (self.rng.one_in(3) || self.wants_known) {
            let used = draft.numbers(letter);
            // What several calls take one by one, one call gives at once.
            if self.rng.one_in(3)
                && let Some(sum) = sum(&used)
            {
                let what = Name::of(&sum);
                return (sum, Choice { place: wish.place, what });
            }
            if let Some(&literal) = self.rng.pick(&used) {
                return (literal.clone(), Choice { place: wish.place, what: Name::of(literal) });
            }
        }
        // Some literals, of which the one that went best is the likeliest.
        let mut drawn = Vec::new();
        for _ in 0..3 {
            // What is made has a size, mostly, and the largest takes all memory; but a `long` is seldom a size.
            let literal = match wish.depth == 0 || letter == 'J' {
                true => self.literals.any_primitive(letter, &mut self.rng),
                false => self.literals.primitive(letter, &mut self.rng),
            };
            let choice = Choice { place: wish.place, what: Name::of(&literal) };
            // The largest there are may cost a loop of as many rounds, and are tried often enough by chance.
            if literals::is_small(&literal) {
                self.proven.saw(choice.what, &literal);
            }
            drawn.push((literal, choice));
        }
        // One that was accepted, where none of those may be.
        if let Some(literal) = self.proven.at(wish.place, &mut self.rng) {
            drawn.push((literal.clone(), Choice { place: wish.place, what: Name::of(literal) }));
        }
        let weights: Vec<f64> = drawn.iter().map(|(_, choice)| self.learnt.weight(*choice)).collect();
        let number = self.rng.weighted(&weights).unwrap_or(0);
        drawn.swap_remove(number)
    }

    /// What can be passed, with how it is called where choices are learnt, and how likely it is before anything is.
    fn candidates(&mut self, draft: &Draft, wish: &Wish<'_>) -> Vec<(Name, f64, Candidate)> {
        let mut found = Vec::new();
        let mut add = |what: Name, weight: f64, candidate: Candidate| found.push((what, weight, candidate));
        let is_given_back = |number: usize| draft.lent.contains_key(&number) && draft.is_passed(number);
        let there: Vec<usize> = (0..draft.prefix.len())
            .filter(|&number| draft.may_use(number) && (draft.handles.contains(&number) || !is_given_back(number)))
            .filter(|&number| draft.given[number].as_ref().is_some_and(|given| self.library.fits(given, wish.wanted)))
            .collect();
        // What `list.addAll(list)` does is undefined, says `Collection`.
        let is_bulk = types::erased(wish.wanted).is_some_and(|of| BULK.contains(&&*of));
        for &number in there.iter().filter(|number| !is_bulk || draft.receiver.as_ref() != Some(number)) {
            match draft.subjects.contains(&number) {
                true => add(Name::of("subject"), SUBJECT / draft.subjects.len() as f64, Candidate::There(number)),
                false => {
                    let weight = match () {
                        _ if draft.shared.contains(&number) => SHARED,
                        _ if draft.is_known_to_subject(number) => KNOWN,
                        _ => THERE,
                    };
                    // Objects that came from different methods of the subject are learnt apart: one may work where the
                    // other is refused.
                    let what = match &draft.prefix[number].operation {
                        Operation::Virtual { name, .. } => Name::of(("there", name)),
                        _ => Name::of("there"),
                    };
                    add(what, weight / there.len() as f64, Candidate::There(number));
                }
            }
        }
        let told = draft.returned().filter(|(_, of)| wish.depth == 0 && self.library.fits(of, wish.wanted));
        for (number, _) in told {
            add(Name::of("told"), TOLD, Candidate::There(number));
        }
        let takes_null = wish.depth == 0 && self.learnt.at(wish.place).weight(Name::of("null")) > TAKEN;
        if wish.is_receiver {
            add(Name::of("null"), NULL_AS_RECEIVER, Candidate::Literal(Argument::Null));
        } else if !draft.without_null {
            add(Name::of("null"), if takes_null { NULL_TAKEN } else { NULL }, Candidate::Literal(Argument::Null));
        }
        let text = types::class("java/lang/String");
        if self.library.fits(&text, wish.wanted) {
            for _ in 0..TEXTS {
                let literal = self.literals.string(&mut self.rng);
                let what = of_text(&literal);
                let literal = Argument::String(literal);
                self.proven.saw(what, &literal);
                add(what, TEXT / TEXTS as f64, Candidate::Literal(literal));
            }
            if let Some(literal @ Argument::String(text)) = self.proven.at(wish.place, &mut self.rng) {
                add(of_text(text), TEXT / TEXTS as f64, Candidate::Literal(literal.clone()));
            }
            // What one call put under a name, another finds under it.
            let texts = draft.texts();
            if let Some(&text) = self.rng.pick(&texts) {
                let weight = if self.wants_known { WANTED_TEXT } else { USED_TEXT };
                add(of_text(text), weight, Candidate::Literal(Argument::String(text.to_owned())));
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
        if let Some((variable, _)) = wish.asked.filter(|_| draft.receiver.is_some()) {
            let fitting = || self.givers.iter().enumerate().filter(|(_, giver)| giver.variable == variable);
            let count = fitting().count();
            for (number, giver) in fitting() {
                add(Name::of(("asked", giver.key())), ASKED / count as f64, Candidate::Asked(number));
            }
        }
        match wish.wanted {
            TypeSignature::Array(element) => add(Name::of("array"), NEW, Candidate::Array((**element).clone())),
            wanted => {
                let name = types::erased(wanted).unwrap_or_default();
                // What takes a `Type` takes classes, and rarely anything that a test can write.
                let takes_classes = !is_general(&name) && self.library.is_subtype("java/lang/Class", &name);
                if takes_classes {
                    let classes = self.class_literals(wanted);
                    let weight = NEW / classes.len() as f64;
                    for class in classes {
                        let what = Name::of(("class", &class));
                        add(what, weight, Candidate::Literal(Argument::Class(class)));
                    }
                }
                if name != "java/lang/Class" && name != "java/lang/String" {
                    let new = if takes_classes { NEW_BESIDE_CLASSES } else { NEW };
                    let producers = self.producers.of(&self.library, &name);
                    let deepest = DEEPEST + if wish.is_receiver { DEEPER } else { 0 };
                    let is_fitting = |producer: &Producer| {
                        (wish.depth < deepest || producer.needs() == 0) && !self.is_of_another(draft, producer)
                    };
                    let fitting = producers.iter().enumerate().filter(|(_, producer)| is_fitting(producer));
                    let made = self.learnt.at(Name::of(MADE));
                    // Twice over, for it is known from all places where one was made.
                    // What the test writes gives out what the test could make itself.
                    let is_own = |producer: &Producer| matches!(producer.way, Way::Implement { .. });
                    let of_way =
                        |producer: &Producer| if wish.is_receiver && is_own(producer) { OWN_AS_RECEIVER } else { 1.0 };
                    let weight =
                        |producer: &Producer| producer.weight * of_way(producer) * made.weight(producer.key).powi(2);
                    let weighed: Vec<_> = fitting.map(|(number, producer)| (number, weight(producer))).collect();
                    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
                    for (number, weight) in weighed {
                        let weight = new * weight / total.max(f64::MIN_POSITIVE);
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
        draft.is_taken(&class.name, &field.name) && self.holds_what_changes(&class.name, &field.descriptor)
    }

    /// Whether a static field of a class holds an object that can change.
    fn holds_what_changes(&self, class: &str, descriptor: &str) -> bool {
        let is_enum = self.library.class(class).is_some_and(|info| info.is_enum());
        !is_enum && !self.library.never_changes(descriptor.trim_start_matches('L').trim_end_matches(';'))
    }

    /// The static fields that calls read, with objects that can change: the class and the field.
    pub fn changing_constants(&self, calls: &[Call]) -> BTreeSet<(String, String)> {
        let changing = calls.iter().filter_map(|call| match &call.operation {
            Operation::GetStatic { class, name, descriptor } if self.holds_what_changes(class, descriptor) => {
                Some((class.clone(), name.clone()))
            }
            _ => None,
        });
        changing.collect()
    }

    /// Classes for a parameter of type `Class`: those that its type argument allows. Two threads have to be able to pass
    /// different ones, and one that is above another.
    fn class_literals(&self, wanted: &TypeSignature) -> Vec<String> {
        const USUAL: [&str; 4] =
            ["java/lang/String", "java/lang/Integer", "java/lang/Object", "java/lang/RuntimeException"];
        let argument = match wanted {
            TypeSignature::Class(of) => types::arguments(of).first(),
            _ => None,
        };
        let bound = argument
            .and_then(|argument| types::erased(&types::standing(argument, &Bindings::new())).map(Cow::into_owned));
        let bound = bound.as_deref().unwrap_or("java/lang/Object");
        let own = &self.producers.class;
        let mut found: Vec<String> = USUAL.iter().map(|&name| name.to_owned()).collect();
        let can_name = |name: &str| self.library.class(name).is_some_and(|info| self.library.is_visible(&info));
        found.extend(Some(own).filter(|own| can_name(own)).cloned());
        found.retain(|name| self.library.is_subtype(name, bound));
        if bound != "java/lang/Object" {
            let beside = self.library.visible_in(package(bound));
            let below = beside.iter().filter(|info| self.library.is_subtype(&info.name, bound));
            found.extend(below.map(|info| info.name.clone()).take(MAX_CLASSES));
            found.extend(Some(bound).filter(|bound| can_name(bound)).map(str::to_owned));
        }
        found.sort();
        found.dedup();
        if found.is_empty() {
            found.push("java/lang/String".to_owned());
        }
        found
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
            let wish = Wish {
                wanted: element,
                place,
                depth: wish.depth + 1,
                rather: None,
                of: wish.of,
                is_receiver: false,
                asked: None,
            };
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

/// The sum of small numbers.
fn sum(numbers: &[&Argument]) -> Option<Argument> {
    let is_small = |number: i64| (1..=LARGEST_SUM).contains(&number);
    let values = numbers.iter().map(|number| match number {
        Argument::Int(number) => i64::from(*number),
        Argument::Long(number) => *number,
        _ => 0,
    });
    let sum: i64 = values.filter(|number| is_small(*number)).sum();
    is_small(sum).then_some(())?;
    Some(match numbers.first()? {
        Argument::Long(_) => Argument::Long(sum),
        _ => Argument::Int(sum as i32),
    })
}

/// Upper bound on a sum that is passed: it may be a size.
const LARGEST_SUM: i64 = 64;

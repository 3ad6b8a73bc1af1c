//! Arguments with which calls have returned, to be passed again together.
//!
//! Choices are learnt one parameter at a time ([`learnt`](crate::learnt)), but many calls want arguments that fit each
//! other: a range whose lower end is below its upper end, a day that the month has. Objects of a library are made of
//! such objects, so a test of a class with heavy constructors has dozens of calls that may fail, and most drafts did. A
//! recipe holds all arguments of one call that returned, with the calls that made them. It stands for nothing that
//! belongs to a test: no subject is in it, and no function that fails or gives null.
//!
//! **States.** A call under test may fail until others were made: an edge needs the nodes at its ends. Where calls of a
//! method mostly fail, its recipes hold the calls that the subject got before, too, with [`SUBJECT`] in its place. Short ones
//! are kept.
//!
//! **What it may miss.** A state of two objects; a call that returned by the state that other threads had left.

use std::collections::{BTreeMap, BTreeSet};

use classfile::TypeSignature;
use testcase::{Argument, Behaviour, Call, Operation};

use crate::class_info::MethodInfo;
use crate::draft::{Draft, Place};
use crate::learnt::{ByName, Choice, Name};
use crate::maker::{Arguments, Maker};
use crate::rng::Rng;
use crate::types::{self, Bindings};

/// Marks a call whose arguments were not made anew: that it returns says nothing of those that are.
pub fn marker() -> Choice {
    Choice { place: Name::of("recipe"), what: Name::of("followed") }
}

/// Recipes, by the methods and constructors whose arguments they are.
#[derive(Debug, Default)]
pub struct Recipes {
    of: ByName<Known>,
}

/// What is known of the calls of one method.
#[derive(Debug, Default)]
struct Known {
    /// How often calls with arguments that were made anew returned, and how often they failed.
    returned: u32,
    failed: u32,
    recipes: Vec<Recipe>,
    /// Number of recipes that were seen, of which some are kept.
    seen: usize,
}

/// A call and what it gives; None for `void`.
type Made = (Call, Option<TypeSignature>);

/// Stands for the subject of the call.
pub const SUBJECT: usize = usize::MAX;

/// The arguments of one call.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The calls that make them, with what each gives. Values are numbers of these calls.
    pub calls: Vec<Made>,
    pub arguments: Vec<Argument>,
    /// What was chosen for each parameter.
    pub choices: Vec<Choice>,
    /// Whether calls of the subject are among those that make them.
    pub has_state: bool,
}

/// Number of recipes that are kept of one method.
const MAX_RECIPES: usize = 8;
/// Recipes with more calls are not kept: they are states of objects rather than arguments.
const MAX_CALLS: usize = 24;
/// Share of calls that get a recipe where arguments that are made anew never do.
const MOST_REUSED: f64 = 0.95;
/// The same for calls of the class under test, whose failures may be due to the subject's state.
const MOST_REUSED_UNDER_TEST: f64 = 0.5;
/// Recipes of such a call hold the subject's state if it fails as often as it returns.
const MOSTLY_FAILS: u32 = 1;
/// A method of which so many calls failed, and none returned, needs something that other calls do first.
const OFTEN: u32 = 4;
/// Longer rows of calls are no state that another call needs: most of them just happened to be made.
const MAX_STATE: usize = 6;

/// The name of what a call calls, as [`Maker::arguments`](crate::maker::Maker::arguments) calls it.
fn called(operation: &Operation) -> Option<Name> {
    match operation {
        Operation::Construct { class, descriptor } | Operation::Implement { class, descriptor, .. } => {
            Some(Name::of((class, "<init>", descriptor)))
        }
        Operation::Static { class, name, descriptor } | Operation::Virtual { class, name, descriptor, .. } => {
            Some(Name::of((class, name, descriptor)))
        }
        _ => None,
    }
}

/// The calls of a prefix with their types, from which recipes are taken.
pub struct Kitchen<'t> {
    pub prefix: &'t [Call],
    pub given: &'t [Option<TypeSignature>],
    /// The class under test: nothing of it is part of a recipe.
    pub under_test: &'t str,
    /// Static fields that hold objects which can change: nothing of them is part of a recipe either.
    pub changing: &'t BTreeSet<(String, String)>,
    /// The call that gives the only subject, if there is one.
    pub subject: Option<usize>,
}

impl Recipes {
    /// A recipe for a call of a method, or None if its arguments are to be made anew. The more often calls have failed,
    /// the likelier is a recipe.
    pub fn draw(&self, method: Name, is_under_test: bool, rng: &mut Rng) -> Option<&Recipe> {
        let known = self.of.get(&method)?;
        let recipe = rng.pick(&known.recipes)?;
        let share = f64::from(known.failed) / f64::from(known.failed + known.returned + 1);
        let most = if is_under_test && !recipe.has_state { MOST_REUSED_UNDER_TEST } else { MOST_REUSED };
        // A draft has several of them, and one that fails is enough.
        let likely = 1.0 - (1.0 - share).powi(3);
        rng.chance(likely * most).then_some(recipe)
    }

    /// Whether calls of a method were made and none has returned.
    pub fn never_returned(&self, method: Name) -> bool {
        self.of.get(&method).is_some_and(|known| known.returned == 0 && known.failed >= OFTEN)
    }

    /// A call with these choices has returned. `before` is the number of calls of the prefix that were made before it.
    pub fn returned(
        &mut self,
        kitchen: &Kitchen<'_>,
        call: &Call,
        before: usize,
        choices: impl FnOnce() -> Vec<Choice>,
        rng: &mut Rng,
    ) {
        let Some(method) = called(&call.operation).filter(|_| !call.arguments.is_empty()) else { return };
        let choices = choices();
        if choices.contains(&marker()) {
            return;
        }
        let known = self.of.entry(method).or_default();
        known.returned += 1;
        // Nobody asks for recipes of what does not fail.
        if known.failed == 0 && known.recipes.len() >= MAX_RECIPES / 2 {
            return;
        }
        let is_on_subject = kitchen.subject.is_some_and(|subject| is_of(call, subject));
        let has_state = is_on_subject && known.failed > MOSTLY_FAILS * known.returned;
        let Some((calls, arguments)) = kitchen.recipe(call, before, has_state) else { return };
        known.seen += 1;
        let recipe = Recipe { calls, arguments, choices, has_state };
        if known.recipes.iter().any(|it| it.calls == recipe.calls && it.arguments == recipe.arguments) {
            return;
        }
        if known.recipes.len() < MAX_RECIPES {
            known.recipes.push(recipe);
        } else if has_state {
            // Those without a state are of the time when little was known.
            let rank = |it: &Recipe| (!it.has_state, it.calls.len());
            let longest = (0..MAX_RECIPES).max_by_key(|&place| rank(&known.recipes[place]));
            if let Some(place) = longest.filter(|&place| rank(&known.recipes[place]) > rank(&recipe)) {
                known.recipes[place] = recipe;
            }
        } else if rng.below(known.seen) < MAX_RECIPES {
            let place = rng.below(MAX_RECIPES);
            known.recipes[place] = recipe;
        }
    }

    /// A call has failed.
    pub fn failed(&mut self, call: &Call, choices: &[Choice]) {
        let is_anew = !call.arguments.is_empty() && !choices.contains(&marker());
        if let Some(method) = called(&call.operation).filter(|_| is_anew) {
            self.of.entry(method).or_default().failed += 1;
        }
    }
}

impl Kitchen<'_> {
    /// All that makes the arguments of a call, and the arguments.
    fn recipe(&self, call: &Call, before: usize, has_state: bool) -> Option<(Vec<Made>, Vec<Argument>)> {
        let subject = self.subject.filter(|_| has_state);
        let needed = self.needed(&call.arguments, before, subject)?;
        let numbers = needed.iter().enumerate().map(|(new, &old)| (old, new));
        let numbers: BTreeMap<usize, usize> = numbers.chain(subject.map(|subject| (subject, SUBJECT))).collect();
        let calls = needed.iter().map(|&number| {
            let mut call = self.prefix[number].clone();
            call.renumber(&|value| numbers[&value]);
            (call, self.given[number].clone())
        });
        let calls = calls.collect();
        let mut arguments = call.arguments.clone();
        for argument in &mut arguments {
            if let Argument::Value(value) = argument {
                *value = numbers[value];
            }
        }
        Some((calls, arguments))
    }

    /// The calls that arguments need, those that change what is needed among them. None if they cannot be in a recipe.
    fn needed(&self, arguments: &[Argument], before: usize, subject: Option<usize>) -> Option<BTreeSet<usize>> {
        let mut needed = BTreeSet::new();
        let of_subject = |number: &usize| subject.is_some_and(|subject| is_of(&self.prefix[*number], subject));
        let mut open: Vec<usize> = (0..before.min(self.prefix.len())).filter(of_subject).collect();
        if open.len() > MAX_STATE {
            return None;
        }
        for argument in arguments {
            open.extend(value(argument, before)?.filter(|number| Some(*number) != subject));
        }
        loop {
            while let Some(number) = open.pop() {
                if !needed.insert(number) {
                    continue;
                }
                let is_usable = |call: &&Call| of_subject(&number) || self.is_usable(number, call);
                let call = self.prefix.get(number).filter(is_usable)?;
                let mut is_known = true;
                call.for_each_argument(&mut |argument| match value(argument, number) {
                    Some(value) => open.extend(value.filter(|number| Some(*number) != subject)),
                    None => is_known = false,
                });
                if !is_known || needed.len() > MAX_CALLS {
                    return None;
                }
            }
            let changes = |number: &usize| match self.prefix[*number].operation.receiver() {
                Some(Argument::Value(receiver)) => needed.contains(receiver) && !needed.contains(number),
                _ => false,
            };
            open.extend((0..before.min(self.prefix.len())).filter(changes));
            if open.is_empty() {
                return Some(needed);
            }
        }
    }

    fn is_usable(&self, number: usize, call: &Call) -> bool {
        let is_of_subject = |of: &TypeSignature| types::erased(of).is_some_and(|of| of == self.under_test);
        let fails = |does: &Behaviour| does.throws() || does.calls_back() || gives_null(does);
        let may_stand = match &call.operation {
            Operation::Implement { methods, .. } => !methods.iter().any(|method| fails(&method.does)),
            Operation::GetStatic { class, name, .. } => !self.changing.contains(&(class.clone(), name.clone())),
            _ => true,
        };
        may_stand
            && call.operation.class() != self.under_test
            && !self.given.get(number).is_some_and(|given| given.as_ref().is_some_and(is_of_subject))
    }
}

impl Maker<'_> {
    /// Whether the arguments of a recipe fit the parameters of a method, whose type variables may stand for something else than
    /// where it was written down.
    pub fn is_apt(&self, draft: &Draft, recipe: &Recipe, method: &MethodInfo, bindings: &Bindings) -> bool {
        let text = types::class("java/lang/String");
        let fits = |(argument, parameter): (&Argument, &TypeSignature)| {
            let wanted = || types::substitute(parameter, bindings);
            match argument {
                Argument::Null => !draft.without_null,
                Argument::String(_) => self.library.fits(&text, &wanted()),
                Argument::Value(SUBJECT) => true,
                Argument::Value(number) => match &recipe.calls[*number].1 {
                    Some(given) => self.library.fits(given, &wanted()),
                    None => false,
                },
                _ => true,
            }
        };
        (draft.receiver.is_some() || !recipe.has_state) && recipe.arguments.iter().zip(&method.parameters).all(fits)
    }

    /// Makes the arguments of a recipe once more.
    pub fn follow(&mut self, draft: &mut Draft, recipe: Recipe) -> Arguments {
        let Recipe { calls, arguments: mut values, mut choices, .. } = recipe;
        let (first, subject) = (draft.prefix.len(), draft.receiver.unwrap_or_default());
        let here = |value: usize| if value == SUBJECT { subject } else { first + value };
        for (mut call, given) in calls {
            call.renumber(&here);
            let (is_constant, remembers) = match &call.operation {
                Operation::GetStatic { class, .. } => {
                    (self.library.class(class).is_some_and(|info| info.is_enum()), false)
                }
                Operation::Implement { class, .. } => (false, !self.library.is_stateless(class)),
                _ => (false, false),
            };
            let is_of_subject = call.operation.receiver() == Some(&Argument::Value(subject));
            let number = draft.push(call, given);
            // What the subject gives out it may have lent.
            draft.lent.extend((is_of_subject && draft.receiver.is_some()).then_some((number, subject)));
            draft.constants.extend(is_constant.then_some(number));
            draft.remembering.extend(remembers.then_some(number));
            draft.choices.push((Place::Prefix(number), marker()));
        }
        for value in &mut values {
            if let Argument::Value(number) = value {
                *number = here(*number);
            }
        }
        choices.push(marker());
        Arguments { values, choices }
    }
}

/// Whether a call is one of an object.
fn is_of(call: &Call, object: usize) -> bool {
    call.operation.receiver() == Some(&Argument::Value(object))
}

/// The number of an earlier call whose value an argument is, if it is one's. None if it is no argument of a prefix.
fn value(argument: &Argument, before: usize) -> Option<Option<usize>> {
    match argument {
        Argument::Value(number) if *number < before => Some(Some(*number)),
        Argument::Value(_) | Argument::Returned { .. } => None,
        _ => Some(None),
    }
}

fn gives_null(does: &Behaviour) -> bool {
    match does {
        Behaviour::Return(argument) => *argument == Argument::Null,
        Behaviour::InTurn(turns) => turns.iter().any(gives_null),
        Behaviour::Nothing | Behaviour::Throw { .. } | Behaviour::Call(_) => false,
    }
}

//! Arguments with which calls have returned, to be passed again together.
//!
//! Choices are learnt one parameter at a time ([`learnt`](crate::learnt)), but many calls want arguments that fit each
//! other: a range whose lower end is below its upper end, a day that the month has. Objects of a library are made of
//! such objects, so a test of a class with heavy constructors has dozens of calls that may fail, and most drafts did. A
//! recipe holds all arguments of one call that returned, with the calls that made them. It stands for nothing that
//! belongs to a test: no subject is in it, and no function that fails or gives null.
//!
//! **What it may miss.** A call that returned for another reason than its arguments, because of the subject's state. So
//! the calls under test reuse recipes less often than those that make objects for them.

use std::collections::{BTreeMap, BTreeSet};

use classfile::TypeSignature;
use testcase::{Argument, Behaviour, Call, Operation};

use crate::learnt::{ByName, Choice, Name};
use crate::rng::Rng;
use crate::types;

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

/// The arguments of one call.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The calls that make them, with what each gives. Values are numbers of these calls.
    pub calls: Vec<Made>,
    pub arguments: Vec<Argument>,
    /// What was chosen for each parameter.
    pub choices: Vec<Choice>,
}

/// Number of recipes that are kept of one method.
const MAX_RECIPES: usize = 8;
/// Recipes with more calls are not kept: they are states of objects rather than arguments.
const MAX_CALLS: usize = 24;
/// Share of calls that get a recipe where arguments that are made anew never do.
const MOST_REUSED: f64 = 0.95;
/// The same for calls of the class under test, whose failures may be due to the subject's state.
const MOST_REUSED_UNDER_TEST: f64 = 0.5;

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
}

impl Recipes {
    /// A recipe for a call of a method, or None if its arguments are to be made anew. The more often calls have failed,
    /// the likelier is a recipe.
    pub fn draw(&self, method: Name, is_under_test: bool, rng: &mut Rng) -> Option<&Recipe> {
        let known = self.of.get(&method)?;
        let share = f64::from(known.failed) / f64::from(known.failed + known.returned + 1);
        let most = if is_under_test { MOST_REUSED_UNDER_TEST } else { MOST_REUSED };
        // A draft has several of them, and one that fails is enough.
        let likely = 1.0 - (1.0 - share).powi(3);
        if !rng.chance(likely * most) {
            return None;
        }
        rng.pick(&known.recipes)
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
        let Some((calls, arguments)) = kitchen.recipe(call, before) else { return };
        known.seen += 1;
        let recipe = Recipe { calls, arguments, choices };
        if known.recipes.iter().any(|it| it.calls == recipe.calls && it.arguments == recipe.arguments) {
            return;
        }
        if known.recipes.len() < MAX_RECIPES {
            known.recipes.push(recipe);
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
    fn recipe(&self, call: &Call, before: usize) -> Option<(Vec<Made>, Vec<Argument>)> {
        let needed = self.needed(&call.arguments, before)?;
        let numbers: BTreeMap<usize, usize> = needed.iter().enumerate().map(|(new, &old)| (old, new)).collect();
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
    fn needed(&self, arguments: &[Argument], before: usize) -> Option<BTreeSet<usize>> {
        let mut needed = BTreeSet::new();
        let mut open: Vec<usize> = Vec::new();
        for argument in arguments {
            open.extend(value(argument, before)?);
        }
        loop {
            while let Some(number) = open.pop() {
                if !needed.insert(number) {
                    continue;
                }
                let call = self.prefix.get(number).filter(|call| self.is_usable(number, call))?;
                let mut is_known = true;
                call.for_each_argument(&mut |argument| match value(argument, number) {
                    Some(value) => open.extend(value),
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

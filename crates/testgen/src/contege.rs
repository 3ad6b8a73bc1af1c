//! ConTeGe's algorithm 1: random prefixes, random suffixes for each, and a test for every two suffixes of one prefix.
//!
//! Pradel and Gross, "Fully Automatic and Precise Detection of Thread Safety Violations", PLDI 2012. **Deviations:** what
//! suffixes need is made in the prefix of the test; whether a prefix or suffix runs alone is found out with the first test that
//! has it, not before; of the objects that methods give, none is used again; threads share subjects and what may be
//! shared, as in all tests, and not whatever the prefix has made.

use std::collections::BTreeSet;

use testcase::{Argument, Call};

use crate::compose::Composer;
use crate::draft::{Draft, Owner, Place};
use crate::learnt::Choice;
use crate::subject::Called;
use crate::types::Bindings;

/// So many prefixes there are at the most.
const MOST_PREFIXES: usize = 25;
/// So many suffixes of a prefix.
const MOST_SUFFIXES: usize = 50;
/// Upper bound on the suffixes that are made until one fits another.
const MOST_TRIES: usize = 20;
/// So many calls may change the state of the subject.
const STATE_CHANGERS: usize = 5;
/// So many calls a suffix has.
const CALLS: usize = 2;

/// What is kept from one test to the next.
#[derive(Default)]
pub struct ConTeGe {
    prefixes: Vec<Prefix>,
    /// Tests that were put together and not yet given.
    open: Vec<Parts>,
    /// How many prefixes and suffixes there were so far, which is the number of the next.
    count: usize,
}

/// What a test is made of, by numbers that are not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    prefix: usize,
    suffixes: [usize; 2],
}

struct Prefix {
    number: usize,
    draft: Draft,
    bindings: Bindings,
    suffixes: Vec<Suffix>,
}

/// Calls of one thread, with what they need. Values are numbered as if that stood right after the prefix.
#[derive(Clone)]
struct Suffix {
    number: usize,
    made: Vec<Call>,
    calls: Vec<Call>,
    choices: Vec<(Place, Choice)>,
    /// What one thread of a test may have.
    sole: BTreeSet<Sole>,
}

/// What threads do not share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Sole {
    /// The object in a static field, which can change: the class and the field.
    Constant(String, String),
    /// What a subject has lent in the prefix, which is given back once.
    Loan(usize),
}

impl ConTeGe {
    /// The next test, and what it is made of. None if no two suffixes fit each other: one that needs what only one
    /// thread may have does not fit itself.
    pub fn next(&mut self, composer: &mut Composer<'_, '_>) -> Option<(Draft, Parts)> {
        for _ in 0..MOST_TRIES {
            if self.open.is_empty() {
                self.extend(composer);
            }
        }
        if self.open.is_empty() {
            return None;
        }
        let parts = self.open.swap_remove(composer.maker.rng.below(self.open.len()));
        let prefix = self.prefixes.iter().find(|prefix| prefix.number == parts.prefix);
        let prefix = prefix.expect("internal bug: tests of a prefix go with it");
        let suffix = |number| {
            let suffix = prefix.suffixes.iter().find(|suffix| suffix.number == number);
            suffix.expect("internal bug: tests of a suffix go with it")
        };
        Some((combine(&prefix.draft, parts.suffixes.map(suffix)), parts))
    }

    /// The prefix of a test does not run alone, or only with what one of its suffixes needs.
    pub fn refuse_prefix(&mut self, parts: Parts, call: usize) {
        let prefix = self.prefixes.iter().find(|prefix| prefix.number == parts.prefix);
        match prefix.is_some_and(|prefix| call < prefix.draft.prefix.len()) {
            true => {
                self.prefixes.retain(|prefix| prefix.number != parts.prefix);
                self.open.retain(|open| open.prefix != parts.prefix);
            }
            false => (0..2).for_each(|suffix| self.refuse_suffix(parts, suffix)),
        }
    }

    /// A suffix of a test does not run alone.
    pub fn refuse_suffix(&mut self, parts: Parts, suffix: usize) {
        let refused = parts.suffixes[suffix];
        for prefix in &mut self.prefixes {
            prefix.suffixes.retain(|suffix| suffix.number != refused);
        }
        self.open.retain(|open| !open.suffixes.contains(&refused));
    }

    /// One more suffix, of a new prefix if there may be one, with a test for each that it can be run beside.
    fn extend(&mut self, composer: &mut Composer<'_, '_>) {
        let place = match self.prefixes.len() < MOST_PREFIXES && composer.maker.rng.one_in(4) {
            false if !self.prefixes.is_empty() => composer.maker.rng.below(self.prefixes.len()),
            _ => {
                self.count += 1;
                self.prefixes.push(prefix(composer, self.count));
                self.prefixes.len() - 1
            }
        };
        let prefix = &mut self.prefixes[place];
        if prefix.suffixes.len() >= MOST_SUFFIXES {
            // It has had its share; what is new is more likely to show something.
            prefix.suffixes.clear();
        }
        self.count += 1;
        let new = suffix(composer, prefix, self.count);
        let sole = new.sole.clone();
        prefix.suffixes.push(new);
        let fits = |other: &&Suffix| sole.is_disjoint(&other.sole);
        let parts = |other: &Suffix| Parts { prefix: prefix.number, suffixes: [self.count, other.number] };
        self.open.extend(prefix.suffixes.iter().filter(fits).map(parts));
    }
}

fn prefix(composer: &mut Composer<'_, '_>, number: usize) -> Prefix {
    let class = composer.class;
    let bindings = composer.maker.complete(&class.info.type_parameters, Bindings::new());
    let mut draft = Draft::default();
    composer.without_subject = class.has_static() && composer.maker.can_hardly_make(class);
    let subject = composer.subject(&mut draft, &bindings);
    for _ in 0..composer.maker.rng.below(STATE_CHANGERS + 1) {
        let before = draft.choices.len();
        let call = any_call(composer, &mut draft, &bindings, subject, Place::Prefix(usize::MAX));
        let pushed = draft.push(call, None);
        let own = Place::Prefix(usize::MAX);
        let choices = draft.choices[before..].iter_mut().filter(|(place, _)| *place == own);
        choices.for_each(|(place, _)| *place = Place::Prefix(pushed));
    }
    Prefix { number, draft, bindings, suffixes: Vec::new() }
}

fn suffix(composer: &mut Composer<'_, '_>, prefix: &Prefix, number: usize) -> Suffix {
    let mut draft = prefix.draft.clone();
    draft.choices.clear();
    // Whichever thread it will be: what the prefix has made and can change is for none.
    draft.owner = Some(Owner::Thread(0));
    let subject = draft.subjects.first().copied();
    composer.without_subject = subject.is_none();
    for call in 0..1 + composer.maker.rng.below(CALLS) {
        // One after the other: what is given back by a call is not given back by the next.
        let call = any_call(composer, &mut draft, &prefix.bindings, subject, Place::Suffix(0, call));
        draft.put(0, call);
    }
    let calls = draft.suffixes.swap_remove(0);
    let start = prefix.draft.prefix.len();
    let made = draft.prefix.split_off(start);
    let constants = composer.maker.changing_constants(&made).into_iter();
    let passed = calls.iter().flat_map(|call| &call.arguments).filter_map(|argument| match argument {
        Argument::Value(number) => Some(*number),
        _ => None,
    });
    let loans = passed.filter(|number| *number < start && draft.lent.contains_key(number)).map(Sole::Loan);
    let sole = constants.map(|(class, field)| Sole::Constant(class, field)).chain(loans).collect();
    Suffix { number, made, calls, choices: draft.choices, sole }
}

fn any_call(
    composer: &mut Composer<'_, '_>,
    draft: &mut Draft,
    bindings: &Bindings,
    subject: Option<usize>,
    at: Place,
) -> Call {
    let class = composer.class;
    let all = composer.callable();
    let chosen = composer.maker.rng.pick(&all).and_then(|&number| class.methods[number].as_ref());
    let callable = chosen.expect("internal bug: a class without methods is refused");
    composer.maker.call(draft, Called { class, callable, bindings }, subject, None, Some(at))
}

/// The prefix, what the suffixes need, and the suffixes.
fn combine(prefix: &Draft, suffixes: [&Suffix; 2]) -> Draft {
    let mut draft = prefix.clone();
    let start = prefix.prefix.len();
    for (thread, suffix) in suffixes.into_iter().enumerate() {
        let shift = draft.prefix.len() - start;
        let up = |value: usize| if value >= start { value + shift } else { value };
        let mut suffix = suffix.clone();
        suffix.made.iter_mut().for_each(|call| call.renumber(&up));
        suffix.calls.iter_mut().for_each(|call| call.renumber(&up));
        draft.owner = Some(Owner::Thread(thread));
        for call in suffix.made {
            draft.push(call, None);
        }
        draft.owner = None;
        draft.suffixes.push(suffix.calls);
        draft.choices.extend(suffix.choices.into_iter().map(|(place, choice)| match place {
            Place::Prefix(number) => (Place::Prefix(up(number)), choice),
            Place::Suffix(_, call) => (Place::Suffix(thread, call), choice),
            Place::Implemented(number) => (Place::Implemented(up(number)), choice),
            // These tests have none.
            Place::Before(_) | Place::Probe(_) => (place, choice),
        }));
    }
    draft
}

//! What comes next: one test after the other, and what is learnt from each.

use std::collections::{HashSet, VecDeque};

use analysis::ClassFacts;
use classfile::TypeSignature;
use classpath::ClassPath;
use testcase::{Argument, Call, Operation, TestCase};

use crate::callbacks::CalledBack;
use crate::compose::{Composer, Shape, as_changer, name_of};
use crate::contege::{ConTeGe, Parts};
use crate::draft::{Draft, Place};
use crate::keys::Key;
use crate::learnt::{ByName, Choice, Learnt, Name};
use crate::library::Library;
use crate::literals::Literals;
use crate::maker::{Giver, Maker};
use crate::mix;
use crate::part_pairs;
use crate::parts::{self, Part};
use crate::plan::{Aim, Plan, Step};
use crate::prices::Prices;
use crate::producers::Producers;
use crate::proven::Proven;
use crate::recipes::{Kitchen, Recipes};
use crate::relations::Relations;
use crate::rng::Rng;
use crate::scouts::Scouts;
use crate::shrink;
use crate::subject::{Callable, SubjectClass, Untestable};
use crate::targets::{Mode, Target, Targets};

/// How tests are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// By which strategy.
    pub strategy: Strategy,
    /// The same seed gives the same tests, as long as they go the same.
    pub seed: u64,
    /// Whether tests end with calls that look at the subjects.
    pub observe: bool,
    /// Methods of the class that no test calls: names, or names with parameters such as `add(int, Object)`.
    pub skip: Vec<String>,
}

/// How test cases are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// At random, as ConTeGe does.
    Random,
    /// Pairs of methods that depend on each other, as DepCon+ does.
    Pairs,
    /// Pairs, then longer tests of them, then random ones, and again.
    Auto,
}

/// A test to be run.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The test.
    pub test: TestCase,
    /// How many executions it is worth.
    pub executions: u64,
    /// In which round of all kinds of tests it is written.
    pub round: u32,
    /// What is to be noticed if it is reached: places, two of which two threads have to reach.
    pub goals: Vec<(u64, u64)>,
    /// Whether it has one thread, and is only run to see what that reaches.
    pub is_scout: bool,
    /// Why it was written so.
    pub origin: Origin,
}

/// Why a test was written as it was, for whoever says how it went.
#[derive(Clone, Debug)]
pub struct Origin {
    step: Step,
    /// What a random test is made of.
    parts: Option<Parts>,
    choices: Vec<(Place, Choice)>,
    /// What each call of the prefix gives.
    given: Vec<Option<TypeSignature>>,
    /// The goals of the target that are to be noticed.
    goals: Vec<usize>,
    /// What a scout is made of.
    scout: Option<Box<Draft>>,
}

impl Origin {
    /// What it is for, by the number of the target; None for a random one.
    pub fn target(&self) -> Option<usize> {
        self.step.target
    }
}

/// How a test went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// A call of the prefix did not return, even alone.
    PrefixFails {
        /// The number of the call.
        call: usize,
    },
    /// A call of the prefix waits for good.
    PrefixWaits {
        /// The number of the call.
        call: usize,
    },
    /// A call of the prefix, or a thread that it has started, has no end.
    PrefixRunsAway {
        /// The number of the call.
        call: usize,
    },
    /// A call of a suffix waits for others, and spins meanwhile: alone it has no end.
    SuffixSpins {
        /// The number of the suffix.
        suffix: usize,
        /// The number of the call.
        call: usize,
    },
    /// A call of a suffix, or a thread that it has started, has no end even if it is alone.
    SuffixRunsAway {
        /// The number of the suffix.
        suffix: usize,
        /// The number of the call.
        call: usize,
    },
    /// A call of a suffix did not return, even alone.
    SuffixFails {
        /// The number of the suffix.
        suffix: usize,
        /// The number of the call.
        call: usize,
    },
    /// A call of a suffix waits for good if it is alone.
    SuffixWaits {
        /// The number of the suffix.
        suffix: usize,
        /// The number of the call.
        call: usize,
    },
    /// It could not be run.
    Unusable,
    /// It was run.
    Ran {
        /// Whether calls have really overlapped.
        overlapped: bool,
        /// The first probe that returns in no order of the calls.
        failing_probe: Option<usize>,
    },
}

/// Writes tests for a class.
pub struct Generator<'p> {
    maker: Maker<'p>,
    class: SubjectClass,
    relations: Relations,
    /// What its objects give out.
    parts: Vec<Part>,
    targets: Targets,
    contege: ConTeGe,
    plan: Plan,
    scouts: Scouts,
    /// What was begun: targets with the shapes of tests that are still to be written for them.
    begun: VecDeque<Step>,
    /// Tests that were written before, without a call that failed.
    repaired: VecDeque<Candidate>,
    /// The hashes of tests that were written.
    seen: HashSet<u64>,
    observe: bool,
    /// Whether tests of pairs may end with calls that nothing is compared for.
    looks_afterwards: bool,
    /// The methods of the class by name and descriptor, and whether each hardly ever runs, even alone.
    numbers: ByName<usize>,
    /// Of each method of the facts, as reports call it.
    signatures: Vec<String>,
    hopeless: Vec<bool>,
    prices: Prices,
    dear: Vec<bool>,
    /// Methods and constructors of which a call has had no end.
    runaways: HashSet<Name>,
}

/// The longest row of calls that change the state of a subject; Max-len of DepCon+.
const LONGEST: usize = 10;
/// So many tests of no use in a row, and a target has had its turn; fewer, where many others wait for theirs.
const MOST_MISSES: u32 = 10;
const MISSES_OF_MANY: u32 = 3;
const MANY_TARGETS: usize = 300;
/// One in so many tests of a pair ends with calls that look for what it has broken.
const AFTERWARDS: usize = 2;
/// A method that failed ten times more often than it ran weighs less than this.
const HOPELESS: f64 = 0.18;
/// A call that has no end counts as so many that fail.
const FAILURES_OF_RUNAWAY: usize = 5;
/// The same for a target with a method that has never run alone.
const FEW_MISSES: u32 = 2;
/// So many tests that were there before in a row, and there are no new ones.
const MOST_REPEATS: usize = 12;

impl<'p> Generator<'p> {
    /// Writes tests for the class of the facts, which class files name so.
    pub fn new(
        class_path: &'p ClassPath,
        class: &str,
        facts: &ClassFacts,
        settings: Settings,
    ) -> Result<Generator<'p>, Untestable> {
        let library = Library::new(class_path, class);
        let subject = SubjectClass::find(&library, class, facts, &settings.skip)?;
        let line = library.line(class);
        let own: Vec<_> =
            line.iter().filter(|info| info.name == class || info.package() == subject.info.package()).collect();
        let literals = Literals::new(
            own.iter().flat_map(|info| &info.strings),
            own.iter().flat_map(|info| info.numbers.iter().copied()),
        );
        let keys: Vec<Key> = own.iter().flat_map(|info| library.keys(&info.name).to_vec()).collect();
        let relations = Relations::of(facts);
        let mut rng = Rng::new(settings.seed);
        let parts = parts::find(&library, &subject, facts);
        let targets = Targets::of(facts, &relations, &subject, &mut rng)
            .with_births(facts, &subject.births(&library), &mut rng)
            .with_parts(part_pairs::pairs(&parts, &subject, &relations), &mut rng)
            .with_common(parts::common(&library, &subject, facts), &mut rng);
        let methods = subject.callable();
        let numbers = methods.map(|(number, it)| (Name::of((&it.method.name, &it.method.descriptor)), number));
        let lends = |number: usize, it: &Callable| !relations.only_looks(number) && it.may_lend();
        let lenders = subject.callable().filter(|(number, it)| lends(*number, it));
        let lenders = lenders.map(|(_, it)| Name::of((&it.method.name, &it.method.descriptor))).collect();
        let publishing = facts.methods.iter().filter(|method| !method.publishes.is_empty());
        let publishers = publishing.map(|method| Name::of((&method.name, &method.descriptor))).collect();
        let givers = subject.callable().filter(|(number, it)| !relations.only_looks(*number) && it.has_receiver());
        let givers = givers.filter_map(|(_, it)| match &it.method.returns {
            Some(TypeSignature::Variable(variable)) => {
                let (variable, owner, method) = (variable.clone(), it.owner.clone(), it.method.clone());
                Some(Giver { variable, owner, method })
            }
            _ => None,
        });
        let givers = givers.collect();
        let (numbers, hopeless) = (numbers.collect(), vec![false; subject.methods.len()]);
        let called_back = if settings.observe { Vec::new() } else { CalledBack::of(&subject, &relations) };
        let producers = Producers::new(class, called_back);
        Ok(Generator {
            maker: Maker {
                library,
                producers,
                literals,
                learnt: Learnt::default(),
                proven: Proven::default(),
                recipes: Recipes::default(),
                rng,
                keys,
                lenders,
                publishers,
                givers,
                wants_known: false,
            },
            class: subject,
            relations,
            parts,
            targets,
            contege: ConTeGe::default(),
            plan: Plan::new(settings.strategy),
            scouts: Scouts::default(),
            begun: VecDeque::new(),
            repaired: VecDeque::new(),
            seen: HashSet::new(),
            observe: settings.observe,
            looks_afterwards: settings.strategy == Strategy::Auto && !settings.observe,
            numbers,
            signatures: facts.methods.iter().map(|method| method.signature()).collect(),
            prices: Prices::new(hopeless.len()),
            dear: vec![false; hopeless.len()],
            hopeless,
            runaways: HashSet::new(),
        })
    }

    /// How many pairs of methods there are, and how many of them depend on each other.
    pub fn pairs(&self) -> (usize, usize) {
        (self.targets.pairs, self.targets.relevant)
    }

    /// Classes that methods and constructors of the class want and that are not on the class path, in the order of their names.
    pub fn missing(&self) -> Vec<String> {
        self.class.missing(&self.maker.library).into_iter().collect()
    }

    /// Whether a test of every pair that is to be tried has run, and all places were reached for which it is tried.
    pub fn is_done(&self) -> bool {
        self.targets.all.iter().all(Target::is_done) && self.scouts.is_done()
    }

    /// The pairs that are to be tried.
    pub fn targets(&self) -> &[Target] {
        &self.targets.all
    }

    /// How many pairs are never tried, because there are too many with objects that a subject gives out or takes.
    pub fn left(&self) -> usize {
        self.targets.left
    }

    /// The methods that no test calls because no object of the class can be made, and how many pairs they are in that
    /// may hurt each other.
    pub fn out_of_reach(&self) -> (Vec<String>, usize) {
        let names = self.class.out_of_reach.iter().map(|&method| self.signatures[method].clone());
        (names.collect(), self.targets.out_of_reach)
    }

    /// Whether methods conflict in static state that one execution leaves to the next.
    pub fn is_state_kept(&self) -> bool {
        self.targets.is_state_kept
    }

    /// The next test; None if no new ones come to mind.
    #[allow(clippy::should_implement_trait)] // What was learnt since may bring new ones to mind.
    pub fn next(&mut self) -> Option<Candidate> {
        if let Some(repaired) = self.repaired.pop_front() {
            return Some(repaired);
        }
        for _ in 0..MOST_REPEATS * 64 {
            let step = match self.begun.pop_front() {
                Some(step) => step,
                None => {
                    let steps = self.plan.next(&mut self.targets, &self.scouts)?;
                    self.begun.extend(steps);
                    continue;
                }
            };
            for _ in 0..MOST_REPEATS {
                let (mut draft, parts) = self.draft(&step);
                let is_scout = matches!(step.aim, Aim::Scout(_));
                let scout = is_scout.then(|| Box::new(draft.clone()));
                let given = std::mem::take(&mut draft.given);
                let (test, choices) = draft.finish();
                let threads = if is_scout { 1 } else { 2 };
                let is_whole = test.suffixes.len() >= threads && test.suffixes.iter().all(|suffix| !suffix.is_empty());
                if is_whole && self.seen.insert(mix::hash(&test)) {
                    let executions = self.executions(&step);
                    let (goals, numbers) = self.goals(&step);
                    let origin = Origin { step, parts, choices, given, goals: numbers, scout };
                    return Some(Candidate { test, executions, round: self.plan.round(), goals, is_scout, origin });
                }
            }
            if let Some(target) = step.target {
                // A round without a new test: there may be some once more was learnt, but they are few.
                self.targets.all[target].tried += 1;
                self.targets.all[target].exhausted |= step.shape.grown;
            }
        }
        None
    }

    /// What is to be noticed when a test of this step runs, and which goals of its target that is.
    fn goals(&self, step: &Step) -> (Vec<(u64, u64)>, Vec<usize>) {
        if let Aim::Scout(_) = step.aim {
            let unreached = |target: &Target| -> Vec<(u64, u64)> {
                target.unreached().map(|goal| target.goals[goal].places).collect()
            };
            let mut wanted: Vec<(u64, u64)> = Vec::new();
            for (one, other) in self.targets.all.iter().flat_map(unreached) {
                wanted.extend([one, other].into_iter().filter(|place| *place != 0).map(|place| (place, 0)));
            }
            wanted.sort_unstable();
            wanted.dedup();
            return (wanted, Vec::new());
        }
        let Some(target) = step.target.map(|number| &self.targets.all[number]) else { return Default::default() };
        let numbers: Vec<usize> = target.unreached().collect();
        (numbers.iter().map(|&goal| target.goals[goal].places).collect(), numbers)
    }

    /// A test that ran has reached these of what was to be noticed, by their numbers.
    pub fn reached(&mut self, origin: &Origin, reached: &[usize]) {
        let Some(target) = origin.target() else { return };
        for goal in reached.iter().filter_map(|&number| origin.goals.get(number)) {
            self.targets.all[target].goals[*goal].reached = true;
        }
        if self.targets.all[target].ran > 0 {
            self.targets.ran(target);
        }
    }

    /// Every schedule of a test was run, and passed.
    pub fn certified(&mut self, test: &TestCase, origin: &Origin) {
        self.shown(test, origin).into_iter().for_each(|target| self.targets.all[target].certified += 1);
    }

    /// The targets of which a test says something: that for which it was written, if it calls both methods, in two threads. A test
    /// that goes where a scout was calls what that has called there, which may be another method.
    fn shown(&self, test: &TestCase, origin: &Origin) -> Vec<usize> {
        let Some(number) = origin.target() else { return self.met(test) };
        let target = &self.targets.all[number];
        let calls = |suffix: usize, method: usize| {
            test.suffixes[suffix].iter().any(|call| self.method_of(call) == Some(method))
        };
        let threads = 0..test.suffixes.len();
        let is_shown = match target.mode {
            // What is called on a part is no method of the class.
            Mode::Part(_) => test.suffixes.iter().filter(|calls| !calls.is_empty()).count() > 1,
            _ => threads
                .clone()
                .filter(|&one| calls(one, target.methods.0))
                .any(|one| threads.clone().any(|other| other != one && calls(other, target.methods.1))),
        };
        if is_shown { vec![number] } else { Vec::new() }
    }

    /// The method of the class under test that a call of a suffix calls.
    fn method_of(&self, call: &Call) -> Option<usize> {
        self.numbers.get(&name_of(call)?).copied()
    }

    /// The targets whose calls on one subject, or of static methods, a random test has in two threads.
    fn met(&self, test: &TestCase) -> Vec<usize> {
        let called = |call: &Call| Some((self.method_of(call)?, call.operation.receiver().cloned()));
        // Whatever a static method is called beside, static state is the same.
        let meet = |on: &Option<Argument>, other: &Option<Argument>| on.is_none() || other.is_none() || on == other;
        let suffixes: Vec<Vec<(usize, Option<Argument>)>> =
            test.suffixes.iter().map(|calls| calls.iter().filter_map(called).collect()).collect();
        let mut pairs = HashSet::new();
        for (number, one) in suffixes.iter().enumerate() {
            for (a, on) in one {
                let beside = suffixes[number + 1..].iter().flatten().filter(|(_, other)| meet(on, other));
                pairs.extend(beside.map(|(b, _)| (*a.min(b), *a.max(b))));
            }
        }
        let is_on_one = |mode: Mode| matches!(mode, Mode::Conflict | Mode::Crossing | Mode::Wait | Mode::Opaque);
        let is_met = |target: &Target| is_on_one(target.mode) && pairs.contains(&target.methods);
        (0..self.targets.all.len()).filter(|&target| is_met(&self.targets.all[target])).collect()
    }

    /// A scout has run: which of its calls were where, which of them have returned, and by which path each went.
    pub fn scouted(&mut self, origin: &Origin, hits: &[(usize, u64)], returned: Vec<bool>, paths: &[u64]) {
        let Some(draft) = &origin.scout else { return };
        let calls = draft.suffixes.first().into_iter().flatten();
        let methods: Vec<Option<usize>> =
            calls.map(|call| self.method_of(call).filter(|&method| self.targets.is_tried_on_one(method))).collect();
        self.scouts.note((**draft).clone(), hits, returned, methods.into_iter().zip(paths.iter().copied()));
    }

    /// What became of a test that was written so. Of one that ran, calls that have never returned are left out: they were not tested.
    pub fn learn(&mut self, test: &TestCase, origin: &Origin, feedback: Feedback) {
        self.learn_recipes(test, origin, feedback);
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
    fn make_wait(&mut self, method: usize) {
        let waits: Vec<bool> =
            self.hopeless.iter().zip(&self.dear).map(|(hopeless, dear)| *hopeless || *dear).collect();
        self.targets.note_hopeless(method, &waits);
    }

    /// So many executions of a test have cost so many events together.
    pub fn price(&mut self, test: &TestCase, origin: &Origin, executions: u64, cost: u64) {
        self.plan.note_cost(&origin.step, cost);
        let cost = cost / executions.max(1);
        let called = test.suffixes.iter().flatten().chain(&test.probes);
        let mut called: Vec<usize> = called.filter_map(|call| self.method_of(call)).collect();
        called.sort_unstable();
        called.dedup();
        self.prices.note(&called, cost);
        let dear = self.prices.dear();
        let changed: Vec<usize> = (0..dear.len()).filter(|&method| dear[method] != self.dear[method]).collect();
        self.dear = dear;
        changed.into_iter().for_each(|method| self.make_wait(method));
    }

    fn draft(&mut self, step: &Step) -> (Draft, Option<Parts>) {
        let mut composer = Composer {
            maker: &mut self.maker,
            class: &self.class,
            relations: &self.relations,
            parts: &self.parts,
            longest: LONGEST,
            dear: &self.dear,
            in_step: None,
            without_subject: false,
        };
        let (mut draft, parts) = match step.target {
            None if let Aim::Scout(sought) = step.aim => (composer.scout(sought), None),
            Some(number) if let Aim::Reach(goal) = step.aim => {
                let target = &self.targets.all[number];
                let (one, other) = target.goals[goal].places;
                let way = self.scouts.way(one, &mut composer.maker.rng);
                let beside = self.scouts.way(other, &mut composer.maker.rng);
                let sought = target.goals[goal].methods.0;
                let partner = if target.methods.0 == sought { target.methods.1 } else { target.methods.0 };
                (way.map_or_else(Draft::default, |way| composer.reach(way, beside, partner)), None)
            }
            target if let Aim::Near { milestone, before } = step.aim => {
                self.scouts.try_milestone(milestone);
                let method = self.scouts.milestones()[milestone].method;
                let methods = target.map_or((method, method), |target| self.targets.all[target].methods);
                let way = self.scouts.before(milestone, before).or_else(|| self.scouts.before(milestone, 0));
                let other = if methods.0 == method { methods.1 } else { methods.0 };
                (way.map_or_else(Draft::default, |way| composer.beside_call(&way, other)), None)
            }
            Some(number) => {
                let target = &self.targets.all[number];
                (composer.pair(target.methods, target.mode, step.shape), None)
            }
            None => match self.contege.next(&mut composer) {
                Some((draft, parts)) => (draft, Some(parts)),
                None => (Draft::default(), None),
            },
        };
        if self.observe && !matches!(step.aim, Aim::Scout(_)) {
            composer.observe(&mut draft);
        } else if let Some(number) = step.target
            && self.looks_afterwards
            && step.aim == Aim::Meet
            && step.shape.grown
            && composer.maker.rng.one_in(AFTERWARDS)
        {
            composer.afterwards(&mut draft, self.targets.all[number].methods);
        }
        (draft, parts)
    }

    /// A few at first, more when a target comes round again.
    fn executions(&self, step: &Step) -> u64 {
        let tried = step.target.map_or(2, |target| self.targets.all[target].tried);
        let first = match step.target.map(|target| self.targets.all[target].mode) {
            Some(Mode::Deadlock | Mode::Crossing) => 300,
            // Several threads that wake each other up have many schedules.
            Some(Mode::Wait) => 2_000,
            _ => 400,
        };
        first << tried.min(4)
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

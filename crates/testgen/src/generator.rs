//! What comes next: one test after the other. What is learnt from each is in `lessons`.

mod lessons;

use std::collections::{HashSet, VecDeque};

use analysis::ClassFacts;
use classfile::TypeSignature;
use classpath::ClassPath;
use testcase::{Argument, Call, TestCase};

use crate::callbacks::CalledBack;
use crate::compose::{Composer, name_of};
use crate::contege::{ConTeGe, Parts};
use crate::draft::{Draft, Place};
use crate::givers::Giver;
use crate::keys::Key;
use crate::learnt::{ByName, Choice, Learnt, Name};
use crate::library::Library;
use crate::literals::Literals;
use crate::maker::Maker;
use crate::mix;
use crate::part_pairs;
use crate::parts::{self, Part};
use crate::plan::{Aim, Plan, Step};
use crate::prices::Prices;
use crate::producers::Producers;
use crate::proven::Proven;
use crate::recipes::Recipes;
use crate::relations::Relations;
use crate::rng::Rng;
use crate::scouts::Scouts;
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
    /// Its methods that give another object of it.
    offspring: Vec<usize>,
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
/// One in so many tests of a changed subject has one in a state in which a scout was.
const SCOUTED: usize = 4;
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
        let offspring =
            subject.callable().map(|(number, _)| number).filter(|number| subject.is_offspring(*number, facts));
        let offspring = offspring.collect();
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
            offspring,
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
            offspring: &self.offspring,
            longest: LONGEST,
            dear: &self.dear,
            in_step: None,
            unprepared: 1.0,
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
                let is_in_state = step.shape.grown && target.is_on_one() && composer.maker.rng.one_in(SCOUTED);
                let state = if is_in_state { self.scouts.state(&mut composer.maker.rng) } else { None };
                (composer.pair(target.methods, target.mode, step.shape, state), None)
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
            && draft.suffixes.len() > 1
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

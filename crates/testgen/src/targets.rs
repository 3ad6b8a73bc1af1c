//! Which pair of methods is next: what DepCon+ keeps of all pairs, in the order of CovCon.
//!
//! Pairs that conflict in parallel (M_pc) are tried on one subject, pairs that lock in opposite order (M_d) on two,
//! and on one as well if it may have both locks. Pairs that conflict only if a second object is shared, which
//! neither paper has, are tried on two that share it. Pairs that conflict in static state are tried on two subjects
//! that share nothing else, too: each has locks of its own, and one subject may have to be in two states at once
//! for both calls to get there. Of each kind the one is next whose number of tries is lowest and best explains what
//! was covered: max(1, |tried - covered|) x max(1, tried), as CovCon has it; among equals, the one that shares the
//! most without protection and, in turn, one with a conflict that no test has run ([`novelty`]) or any.
//!
//! **What is left out.** Two subjects that were given the same object and keep it (Intruder's setters). Whether they may share it is
//! for that object to say, and the class under test is seldom to blame: two wrappers of one map are a mistake of the test.
//!
//! A method that hardly ever runs even alone, because it wants objects that are hard to make, is in as many pairs as any other. Its
//! pairs wait, or a large class would be tried for little else.
//!
//! **Deviation:** CovCon begins with all pairs in random order. The static score is a better guess, but it likes methods that do
//! much, and in a large class those are slow, need objects that are hard to make, and are all of one kind. So all have their turn.
//!
//! [`novelty`]: crate::novelty

use std::collections::BTreeSet;

use analysis::{AccessFact, ClassFacts, CommonArgument, Owner, Through};

use crate::goals::{Goal, Goals};
use crate::library::is_of_jdk;
use crate::novelty::Novelty;
use crate::parts::{Beside, Bounded};
use crate::relations::Relations;
use crate::rng::Rng;
use crate::subject::SubjectClass;

/// What a pair of methods is tried for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// On one subject.
    Conflict,
    /// On two, of which one is an argument of the other's call.
    Share {
        /// The argument, counted from 0.
        argument: usize,
        /// Whether it is passed to the first method; else to the second.
        of_first: bool,
    },
    /// On two, each of which may hold the other.
    Deadlock,
    /// On one, which has both locks that are taken in opposite order.
    Crossing,
    /// On one, by several threads: one waits for what another does.
    Wait,
    /// On two that share static state only.
    Apart,
    /// On what the first, a static method, gives to each thread: the second is called on it. Nobody has asked for it before.
    Born,
    /// On one, which gives a part of itself out: the part is called beside it.
    Part(Beside),
    /// On one, and both calls are given one object.
    Common {
        /// The argument of each, counted from 0.
        arguments: (usize, usize),
    },
    /// On one; nothing is known of what they share, because they do what is not known.
    Opaque,
}

/// A pair of methods to be tried.
#[derive(Clone, Debug)]
pub struct Target {
    /// The methods, by their numbers in the facts.
    pub methods: (usize, usize),
    /// What it is tried for.
    pub mode: Mode,
    /// How suspicious it is.
    pub score: u32,
    /// How many tests were tried.
    pub tried: u32,
    /// How many of them ran.
    pub ran: u32,
    /// In how many of them calls have overlapped.
    pub covered: u32,
    /// How many of them were certified.
    pub certified: u32,
    /// What tests have to reach.
    pub goals: Vec<Goal>,
    /// How many tests in a row were of no use.
    pub misses: u32,
    /// No new tests come to mind.
    pub exhausted: bool,
    /// Whether the class declares neither method: it may have inherited hundreds, which others have tried.
    is_inherited: bool,
    /// The number of its conflicts in [`Novelty`], if they are known.
    conflicts: Option<usize>,
    /// One of the methods hardly ever runs, even alone.
    pub is_hopeless: bool,
    /// Decides between equals.
    chance: usize,
}

impl Target {
    /// Whether one of its methods hardly ever runs, or none of many tests has run: what they wait for is made by neither,
    /// or they need a state that nobody knows how to reach.
    pub fn seldom_runs(&self) -> bool {
        self.is_hopeless || self.ran == 0 && self.tried >= BARREN
    }
}

/// All targets of a class.
#[derive(Debug, Default)]
pub struct Targets {
    pub all: Vec<Target>,
    /// How many of all pairs there are.
    pub pairs: usize,
    /// How many are in M_pc or M_d, or need a second share.
    pub relevant: usize,
    /// How many pairs are not tried, because there are too many with parts or common arguments.
    pub left: usize,
    /// How many pairs that may hurt each other have a method that needs an object which no test can make.
    pub out_of_reach: usize,
    /// Whether some of them conflict in static state of a class of the JDK, which is not put back between executions.
    pub is_state_kept: bool,
    turn: usize,
    /// How long those without hope have waited.
    hopeless_turn: usize,
    /// How many targets of each kind were chosen: each kind goes through the orders by itself.
    chosen: [usize; KINDS.len()],
    /// Conflicts that no test has run.
    novelty: Novelty,
}

/// What decides between targets that were tried as often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// Whether the class declares a method of theirs, and then whether they have a conflict that no test has run. How many
    /// does not count: what does much would always come first.
    New,
    /// How much they share without protection.
    Score,
    Chance,
}

/// They take turns.
const ORDERS: [Order; 4] = [Order::New, Order::Score, Order::New, Order::Chance];

/// Targets with a method that hardly ever runs, or costs far more than others, have one turn in so many, and those that nobody else wants.
pub const HOPELESS_TURNS: usize = 9;
/// So often is a target tried that has never run, before it has one turn in so many, too.
const BARREN: u32 = 2;

/// Equals are told apart by one of so many numbers.
const CHANCES: usize = 1 << 20;

/// The kinds of targets that take turns.
const KINDS: [fn(&Mode) -> bool; 9] = [
    |mode| matches!(mode, Mode::Deadlock),
    |mode| matches!(mode, Mode::Crossing),
    |mode| matches!(mode, Mode::Conflict),
    |mode| matches!(mode, Mode::Wait),
    |mode| matches!(mode, Mode::Apart),
    |mode| matches!(mode, Mode::Born),
    |mode| matches!(mode, Mode::Share { .. }),
    |mode| matches!(mode, Mode::Part(_)),
    |mode| matches!(mode, Mode::Common { .. }),
];

impl Targets {
    /// Whether a method is tried beside some other, or itself, on one subject.
    pub fn is_tried_on_one(&self, method: usize) -> bool {
        self.all.iter().any(|target| target.is_on_one() && [target.methods.0, target.methods.1].contains(&method))
    }

    /// The targets that the facts give, of methods that can be called.
    pub fn of(facts: &ClassFacts, relations: &Relations, class: &SubjectClass, rng: &mut Rng) -> Targets {
        let mut targets = Targets::default();
        let (statics, goals, mut conflicts) = (Statics::of(facts), Goals::new(facts), Vec::new());
        let callable = |method: usize| class.methods[method].is_some();
        let is_meant = |method: usize| callable(method) || class.out_of_reach.contains(&method);
        for pair in goals.accesses().pairs() {
            let methods = pair.methods;
            if !is_meant(methods.0) || !is_meant(methods.1) {
                continue;
            }
            let is_relevant = pair.is_pc() || pair.double_lock || pair.second_share;
            targets.pairs += 1;
            targets.relevant += usize::from(is_relevant);
            if !callable(methods.0) || !callable(methods.1) {
                targets.out_of_reach += usize::from(is_relevant);
                continue;
            }
            let is_on_subject = class.has_receiver(methods.0) || class.has_receiver(methods.1);
            let is_apart = statics.conflict(facts, methods);
            targets.is_state_kept |= is_apart && is_of_jdk(&class.info.name);
            let mut add =
                |mode: Mode, score: u32| targets.add(methods, mode, score, goals.of(mode, methods), rng.below(CHANCES));
            if pair.double_lock {
                let crossed = goals.accesses().crossings().kinds(methods.0, methods.1);
                // Static methods have no other locks than those of arguments and of classes.
                if is_on_subject || crossed.beyond {
                    add(Mode::Deadlock, pair.score);
                }
                // Where a lock is that of an argument, the argument is another object.
                if crossed.within {
                    add(Mode::Crossing, pair.score);
                }
            }
            if pair.is_pc() {
                let number = add(Mode::Conflict, pair.score);
                conflicts.push((number, goals.meetings(methods).collect::<Vec<_>>()));
            }
            if relations.waits_for(methods.0, methods.1) || relations.waits_for(methods.1, methods.0) {
                add(Mode::Wait, pair.score.max(1));
            }
            // Where one needs no subject, the two have static state in common on any.
            if is_apart && class.has_receiver(methods.0) && class.has_receiver(methods.1) {
                add(Mode::Apart, pair.score.max(1));
            }
            if pair.second_share {
                let mut ways: Vec<Mode> = Vec::new();
                for share in facts.second_shares(methods.0, methods.1) {
                    if let Through::Argument { number: argument, of_first } = share.through {
                        ways.push(Mode::Share { argument, of_first });
                    }
                }
                ways.dedup();
                for mode in ways {
                    add(mode, pair.score.max(1));
                }
            }
            let known = pair.is_pc() || pair.double_lock || pair.second_share || is_apart;
            if !known && (relations.is_opaque(methods.0) || relations.is_opaque(methods.1)) {
                add(Mode::Opaque, 0);
            }
        }
        let is_own = |method: usize| facts.methods[method].declared_in == facts.class;
        for target in &mut targets.all {
            target.is_inherited = !is_own(target.methods.0) && !is_own(target.methods.1);
        }
        for (number, places) in conflicts {
            targets.all[number].conflicts = Some(targets.novelty.push(places.into_iter()));
        }
        targets
    }

    /// Adds pairs of a static method that gives subjects, and changes static state meanwhile, with each method of these: an
    /// instance for all that is made when somebody asks for it first, or a table of those that were made.
    pub fn with_births(mut self, facts: &ClassFacts, births: &[(usize, usize)], rng: &mut Rng) -> Targets {
        let statics = Statics::of(facts);
        for &methods in
            births.iter().filter(|(factory, _)| statics.0[*factory].iter().any(|access| access.kind.writes()))
        {
            self.add(methods, Mode::Born, 1, Vec::new(), rng.below(CHANCES));
        }
        self
    }

    /// Adds pairs with parts that a subject gives out.
    pub fn with_parts(mut self, pairs: Bounded<((usize, usize), Beside)>, rng: &mut Rng) -> Targets {
        self.left += pairs.left;
        for (methods, beside) in pairs.tried {
            self.add(methods, Mode::Part(beside), 1, Vec::new(), rng.below(CHANCES));
        }
        self
    }

    /// Adds pairs that conflict if they are given one object, of those that threads may share.
    pub fn with_common(mut self, common: Bounded<CommonArgument>, rng: &mut Rng) -> Targets {
        self.left += common.left;
        for CommonArgument { methods, arguments } in common.tried {
            // What is not known of such a pair is tried here as well.
            self.all.retain(|target| target.methods != methods || target.mode != Mode::Opaque);
            self.relevant += usize::from(!self.all.iter().any(|target| target.methods == methods));
            self.add(methods, Mode::Common { arguments }, 1, Vec::new(), rng.below(CHANCES));
        }
        self
    }

    /// Adds a pair of which the first method waits for the second.
    pub fn add_wait(&mut self, methods: (usize, usize), rng: &mut Rng) {
        self.add(methods, Mode::Wait, 1, Vec::new(), rng.below(CHANCES));
    }

    /// Adds a target, and says which it is.
    fn add(&mut self, methods: (usize, usize), mode: Mode, score: u32, goals: Vec<Goal>, chance: usize) -> usize {
        let (tried, ran, covered, certified, misses) = (0, 0, 0, 0, 0);
        let (exhausted, is_hopeless) = (false, false);
        self.all.push(Target {
            methods,
            mode,
            score,
            tried,
            ran,
            covered,
            certified,
            goals,
            misses,
            exhausted,
            is_inherited: false,
            conflicts: None,
            is_hopeless,
            chance,
        });
        self.all.len() - 1
    }

    /// The next target of those that were tried less often than this, the kinds in turn. None if there is none.
    pub fn next(&mut self, below: u32, with_opaque: bool) -> Option<usize> {
        self.hopeless_turn = (self.hopeless_turn + 1) % HOPELESS_TURNS;
        let all = self.hopeless_turn == 0;
        if !all && let Some(found) = self.in_turn(below, with_opaque, &|target| !target.seldom_runs()) {
            return Some(found);
        }
        self.in_turn(below, with_opaque, &|_| true)
    }

    fn in_turn(&mut self, below: u32, with_opaque: bool, counts: &dyn Fn(&Target) -> bool) -> Option<usize> {
        let is_open = |target: &Target| counts(target) && !target.exhausted && target.tried < below;
        for _ in 0..KINDS.len() {
            let number = self.turn % KINDS.len();
            let (kind, order) = (KINDS[number], ORDERS[self.chosen[number] % ORDERS.len()]);
            self.turn += 1;
            if let Some(found) = self.lowest(order, &|target| kind(&target.mode) && is_open(target)) {
                self.chosen[number] += 1;
                return Some(found);
            }
        }
        let is_opaque = |target: &Target| target.mode == Mode::Opaque && is_open(target);
        if with_opaque { self.lowest(Order::Chance, &is_opaque) } else { None }
    }

    fn lowest(&self, order: Order, counts: &dyn Fn(&Target) -> bool) -> Option<usize> {
        let open = self.all.iter().enumerate().filter(|(_, target)| counts(target));
        let new = |target: &Target| target.conflicts.map_or(0, |number| self.novelty.open(number));
        let rank = |target: &Target| match order {
            Order::New => (target.is_inherited, u32::from(new(target) == 0)),
            Order::Score => (false, u32::MAX - target.score),
            Order::Chance => (false, 0),
        };
        open.min_by_key(|(_, target)| (target.priority(), rank(target), target.chance)).map(|(number, _)| number)
    }

    /// A test of a target has run, and what it reached is noted among the target's goals.
    pub fn ran(&mut self, target: usize) {
        let target = &self.all[target];
        let Some(conflicts) = target.conflicts else { return };
        let unreached: BTreeSet<u64> = target.unreached().map(|goal| target.goals[goal].places.0).collect();
        self.novelty.ran(conflicts, |place| !unreached.contains(&place));
    }

    /// A method hardly ever runs, even alone, or does after all: which of them do, the slice says by their numbers.
    pub fn note_hopeless(&mut self, method: usize, hopeless: &[bool]) {
        for target in self.all.iter_mut().filter(|it| it.methods.0 == method || it.methods.1 == method) {
            target.is_hopeless = hopeless[target.methods.0] || hopeless[target.methods.1];
        }
    }
}

/// The accesses of static state by each method.
struct Statics<'f>(Vec<Vec<&'f AccessFact>>);

impl<'f> Statics<'f> {
    fn of(facts: &'f ClassFacts) -> Statics<'f> {
        let is_of_others = !is_of_jdk(&facts.class.replace('.', "/"));
        let is_static = |access: &&AccessFact| {
            let location = &facts.locations[access.location];
            let is_own = !(is_of_others && is_inside_jdk(&location.path));
            location.owner == Owner::Static && !location.is_final && is_own
        };
        Statics(facts.methods.iter().map(|method| method.accesses.iter().filter(is_static).collect()).collect())
    }

    /// Whether two methods conflict there though they are called on two subjects, each of which has locks of its own.
    fn conflict(&self, facts: &ClassFacts, (one, other): (usize, usize)) -> bool {
        let is_common = |lock: usize, b: &AccessFact| {
            facts.locks[lock].owner == Owner::Static && b.held.iter().any(|held| held.lock == lock)
        };
        let meet = |a: &AccessFact, b: &AccessFact| {
            let same = a.location == b.location || facts.locations[a.location].overlaps.contains(&b.location);
            same && !a.held.iter().any(|held| is_common(held.lock, b))
        };
        // Where both only write, each may be the last at one of two locations.
        let mut written = BTreeSet::new();
        for a in &self.0[one] {
            for b in self.0[other].iter().filter(|b| meet(a, b)) {
                if a.kind.writes() && b.kind.reads() || a.kind.reads() && b.kind.writes() {
                    return true;
                }
                if a.kind.writes() && b.kind.writes() {
                    written.insert(a.location);
                }
            }
        }
        written.len() > 1
    }
}

/// Whether static state is the JDK's own, such as the generator of random numbers that each `ConcurrentHashMap` asks. The
/// class under test has nothing to protect there. System properties and the like, which everybody sets, are another matter.
fn is_inside_jdk(path: &str) -> bool {
    const SET_BY_ALL: [&str; 3] = ["java.lang.System.", "java.util.Locale.", "java.util.TimeZone."];
    is_of_jdk(&path.replace('.', "/")) && !SET_BY_ALL.iter().any(|known| path.starts_with(known))
}

impl Target {
    /// The goals that no test has reached, by their numbers.
    pub fn unreached(&self) -> impl Iterator<Item = usize> {
        (0..self.goals.len()).filter(|&goal| !self.goals[goal].reached)
    }

    /// Whether its calls are made on one subject, and that is all they need.
    pub fn is_on_one(&self) -> bool {
        matches!(self.mode, Mode::Conflict | Mode::Opaque | Mode::Crossing)
    }

    /// Whether a test has run, and all that has to be reached was.
    pub fn is_done(&self) -> bool {
        self.ran > 0 && self.unreached().next().is_none()
    }

    fn priority(&self) -> u64 {
        u64::from(self.tried.abs_diff(self.covered).max(1)) * u64::from(self.tried.max(1))
    }
}

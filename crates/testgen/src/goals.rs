//! Places in the code that tests of a target have to reach.
//!
//! A pair of methods is suspected because of accesses, or locks, at certain places. As long as no test has executed
//! them, nothing is known about the suspicion, however many tests have passed. A ring that is full at 32 does another
//! thing with the 33rd element.
//!
//! A goal is one place, or two that two threads have to reach in one test. Code that a maintainer of the class can
//! change has a goal for each place. Many branches of the collections of the JDK are for sizes and hashes that no
//! test has. So there any place of the class will do, and that two threads have met in what both use there. (Any place of
//! the package is too little: asking a list for its size says nothing of going through it.)
//!
//! Who accesses a field by `Unsafe`, a `VarHandle` or an updater is not seen, only which field it is. So the place of
//! such an access is that field, wherever it was accessed so; of elements, any access of this kind.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use analysis::{AccessFact, Accesses, ClassFacts, Conflict, DoubleLock, LockMode, MethodFacts, SiteFact};

use crate::library::is_of_jdk;
use crate::mix::{self, ByMix};
use crate::targets::Mode;

/// Something to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The places that two threads have to reach; 0 in the second if one is enough.
    pub places: (u64, u64),
    /// The methods that lead there.
    pub methods: (usize, usize),
    /// Whether a test did.
    pub reached: bool,
    /// What it is, for whoever reads that it was not reached.
    pub text: String,
}

/// Where a thread has waited, wherever that was: a wait is inside the JDK.
pub const WAITED: u64 = 1;

/// Where the calls of two threads have touched the same part of an object of the JDK, one of them to change it.
pub const MET: u64 = 2;

/// A place of which nobody can tell whether it was reached. A pair with such a goal is never done.
const UNKNOWN: u64 = 3;

/// Where something was accessed by a call that does not name it.
pub const RAW: u64 = 4;

/// Upper bound for one target. Of the others nothing is known, and that is a goal of its own.
const MOST: usize = 64;

/// Upper bound on the crossings of two methods that are looked at. With more, what is left is a goal that is never reached. In
/// crossings and not in time, so that the same class has the same goals on each machine.
const MAX_CROSSINGS: usize = 2_000;

/// The number of a place in the code. The class is as class files name it, the method with its descriptor.
pub fn place(class: &str, method: &str, offset: u16) -> u64 {
    // Smaller ones mean something else.
    mix::hash(&(class, method, offset)).max(RAW + 1)
}

/// The number that stands for any place of a class.
pub fn class(class: &str) -> u64 {
    mix::hash(&("any", class)).max(RAW + 1)
}

/// The number of a field that is accessed by calls which do not name it. The class is as class files name it.
pub fn raw_field(class: &str, field: &str) -> u64 {
    mix::hash(&("raw", class, field)).max(RAW + 1)
}

/// The number of what accesses of one kind do at a place.
pub fn part(place: u64, writes: bool) -> u64 {
    mix::hash(&("part", place, writes))
}

/// The number of a place at which a thread takes a monitor while it has another.
pub fn nested(place: u64) -> u64 {
    mix::hash(&("nested", place)).max(RAW + 1)
}

/// The number of a path: of the set of places that a call has touched, in their order.
pub fn path(places: &BTreeSet<u64>) -> u64 {
    mix::hash(&("path", places))
}

fn place_of(site: &SiteFact) -> u64 {
    place(&site.class.replace('.', "/"), &format!("{}{}", site.method, site.descriptor), site.offset)
}

/// Finds the goals of targets.
pub struct Goals<'f> {
    facts: &'f ClassFacts,
    accesses: Accesses<'f>,
    package: &'f str,
    /// Of each method, where its nested acquisitions are to be seen.
    doubles: Vec<OnceCell<Doubles>>,
    /// The places in the code at which something was found out already, by address: methods share them.
    sites: RefCell<HashMap<*const SiteFact, Site, ByMix>>,
    /// How many fields there are on the path to each location.
    depths: Vec<usize>,
    /// The crossings of the pair that was asked for last: most pairs that cross on two subjects do so on one as well.
    last_crossings: RefCell<Option<OfPair>>,
}

/// A pair of methods, and its goals.
type OfPair = ((usize, usize), Vec<Goal>);

/// What is known of a place in the code.
#[derive(Clone, Copy)]
struct Site {
    /// Its number.
    place: u64,
    /// Whether it is in code that belongs to the class.
    is_own: bool,
}

/// Where the nested acquisitions of a method are to be seen, by outer and inner lock; None of those in code that does not belong to
/// the class.
type Doubles = HashMap<(usize, usize), Option<u64>, ByMix>;

impl<'f> Goals<'f> {
    /// For the class of these facts.
    pub fn new(facts: &'f ClassFacts) -> Goals<'f> {
        let package = facts.class.rsplit_once('.').map_or("", |(package, _)| package);
        let doubles = facts.methods.iter().map(|_| OnceCell::new()).collect();
        let depths = facts.locations.iter().map(|location| location.path.split('.').count()).collect();
        Goals {
            facts,
            accesses: Accesses::of(facts),
            package,
            doubles,
            sites: RefCell::default(),
            depths,
            last_crossings: RefCell::default(),
        }
    }

    /// The accesses of the methods, and how they cross.
    pub fn accesses(&self) -> &Accesses<'f> {
        &self.accesses
    }

    /// What tests of two methods have to reach.
    pub fn of(&self, mode: Mode, methods: (usize, usize)) -> Vec<Goal> {
        let mut goals = match mode {
            Mode::Conflict => self.of_conflicts(methods),
            Mode::Deadlock | Mode::Crossing => {
                let mut last = self.last_crossings.borrow_mut();
                if last.as_ref().is_none_or(|(of, _)| *of != methods) {
                    *last = Some((methods, self.of_crossings(methods)));
                }
                last.as_ref().map(|(_, goals)| goals.clone()).unwrap_or_default()
            }
            Mode::Wait => self.of_waits(methods),
            Mode::Share { .. } | Mode::Apart | Mode::Born | Mode::Part(_) | Mode::Common { .. } | Mode::Opaque => {
                Vec::new()
            }
        };
        if goals.len() > MOST {
            goals.truncate(MOST);
            let text = format!("more places of {} and {}", self.name(methods.0), self.name(methods.1));
            goals.push(Goal { places: (UNKNOWN, 0), methods, reached: false, text });
        }
        goals
    }

    /// Whether a place is in code that belongs to the class.
    fn is_own(&self, site: &SiteFact) -> bool {
        let package = site.class.rsplit_once('.').map_or("", |(package, _)| package);
        package == self.package || !is_of_jdk(&site.class.replace('.', "/"))
    }

    fn site(&self, site: &Arc<SiteFact>) -> Site {
        let look = || Site { place: place_of(site), is_own: self.is_own(site) };
        *self.sites.borrow_mut().entry(Arc::as_ptr(site)).or_insert_with(look)
    }

    fn of_conflicts(&self, methods: (usize, usize)) -> Vec<Goal> {
        let (mut goals, mut seen) = (Vec::new(), BTreeSet::new());
        let goal = |access: &AccessFact, method: usize, place: u64| {
            let (path, at) = (self.path(access), at(&access.site));
            let text = format!("{} accesses {path} {at}", self.name(method));
            Goal { places: (place, 0), methods: (method, method), reached: false, text }
        };
        // Inside the JDK there are branches that no test reaches, and some that only the analysis believes in. That a
        // method has come to the object at all is to be seen: by the access that is the least deep in it.
        let mut of_jdk: [Option<&AccessFact>; 2] = [None; 2];
        // A map that one method goes through, and from which the other removes something only if it is there.
        let mut met: Option<&AccessFact> = None;
        let depth = |access: &AccessFact| self.depths[access.location];
        let rank = |access: &AccessFact| (is_internal(&access.site), depth(access));
        for Conflict { first, second, .. } in self.accesses.meetings(methods.0, methods.1) {
            let sites = [first, second].map(|access| self.site(&access.site));
            for ((access, method), site) in [(first, methods.0), (second, methods.1)].into_iter().zip(sites) {
                if site.is_own {
                    let place = self.place_of(access, site);
                    if seen.insert((method, place)) {
                        goals.push(goal(access, method, place));
                    }
                    continue;
                }
                let nearest = &mut of_jdk[usize::from(method != methods.0)];
                if nearest.is_none_or(|known| rank(access) < rank(known)) {
                    *nearest = Some(access);
                }
            }
            let is_of_jdk = sites.iter().all(|site| !site.is_own);
            if is_of_jdk && met.is_none_or(|known| depth(first) < depth(known)) {
                met = Some(first);
            }
            if goals.len() > MOST {
                return goals;
            }
        }
        for (access, method) in of_jdk.into_iter().zip([methods.0, methods.1]) {
            let Some(access) = access else { continue };
            let place = class(&access.site.class.replace('.', "/"));
            let inside = access.site.class.rsplit_once('.').map_or("", |(package, _)| package);
            let text = format!("{} accesses {} in {inside}", self.name(method), self.path(access));
            goals.push(Goal { text, ..goal(access, method, place) });
        }
        if let Some(access) = met {
            let (one, other, path) = (self.name(methods.0), self.name(methods.1), self.path(access));
            let text = format!("{one} and {other} in one test at {path}, one of them to change it");
            goals.push(Goal { places: (MET, 0), methods, reached: false, text });
        }
        goals
    }

    /// The places at which two methods conflict, those of the first conflicts.
    pub fn meetings(&self, methods: (usize, usize)) -> impl Iterator<Item = (u64, u64)> {
        let place = |access: &AccessFact| self.place_of(access, self.site(&access.site));
        self.accesses.meetings(methods.0, methods.1).take(MOST).map(move |Conflict { first, second, .. }| {
            let (one, other) = (place(first), place(second));
            (one.min(other), one.max(other))
        })
    }

    /// What is accessed.
    fn path(&self, access: &AccessFact) -> &str {
        &self.facts.locations[access.location].path
    }

    /// Where an access is to be seen.
    fn place_of(&self, access: &AccessFact, site: Site) -> u64 {
        let location = &self.facts.locations[access.location];
        match access.site.is_raw {
            false => site.place,
            true if location.path.ends_with(']') => RAW,
            true => raw_field(&location.class.replace('.', "/"), &location.field),
        }
    }

    /// Those of the first crossings, one more than are kept: thousands of acquisitions cross each other in two large methods.
    fn of_crossings(&self, methods: (usize, usize)) -> Vec<Goal> {
        let (mut goals, mut seen) = (Vec::new(), BTreeSet::new());
        let (first, second) = (self.doubles(methods.0), self.doubles(methods.1));
        let place = |of: &Doubles, double: &DoubleLock| of.get(&(double.outer, double.inner)).copied().flatten();
        let crossings = self.accesses.crossings();
        for (number, (one, other)) in crossings.between(methods.0, methods.1).enumerate() {
            if number == MAX_CROSSINGS {
                let text = format!("more locks that {} and {} cross", self.name(methods.0), self.name(methods.1));
                goals.push(Goal { places: (UNKNOWN, 0), methods, reached: false, text });
                break;
            }
            let (Some(first), Some(second)) = (place(first, one), place(second, other)) else { continue };
            if seen.insert((first, second)) {
                let text = |method: usize, double: &DoubleLock| {
                    let [outer, inner] = [double.outer, double.inner].map(|lock| &*self.facts.locks[lock].path);
                    format!("{} locks {outer}, then {inner} {}", self.name(method), at(&double.site))
                };
                let unseen = if [first, second].contains(&UNKNOWN) { " (which cannot be seen)" } else { "" };
                let text = format!("{}, and {}{unseen}", text(methods.0, one), text(methods.1, other));
                goals.push(Goal { places: (first, second), methods, reached: false, text });
            }
            if goals.len() > MOST {
                break;
            }
        }
        goals
    }

    fn doubles(&self, method: usize) -> &Doubles {
        self.doubles[method].get_or_init(|| {
            let doubles = &self.facts.methods[method].double_locks;
            let place =
                |double: &DoubleLock| self.is_own(&double.site).then(|| self.inside(method, double).unwrap_or(UNKNOWN));
            doubles.iter().map(|double| ((double.outer, double.inner), place(double))).collect()
        })
    }

    fn of_waits(&self, methods: (usize, usize)) -> Vec<Goal> {
        let waiting = [methods.0, methods.1].into_iter().find_map(|method| {
            let mut waits = self.facts.methods[method].signals.iter().filter(|signal| signal.wait);
            waits.find(|signal| self.is_own(&signal.site)).map(|signal| (method, signal))
        });
        let goal = waiting.map(|(method, signal)| Goal {
            places: (WAITED, 0),
            methods: (method, method),
            reached: false,
            text: format!("{} waits {}", self.name(method), at(&signal.site)),
        });
        goal.into_iter().collect()
    }

    /// A place that a thread is at only if it has taken the inner lock. A monitor is taken in code that is seen, and so is
    /// whether the thread has another: a child that has no parent asks only itself.
    /// Other locks are taken inside the JDK, and an access that both protect says that they were.
    fn inside(&self, method: usize, double: &DoubleLock) -> Option<u64> {
        let is_monitor = |lock: usize| self.facts.locks[lock].mode == LockMode::Monitor;
        if is_monitor(double.inner) {
            let place = place_of(&double.site);
            return Some(if is_monitor(double.outer) { nested(place) } else { place });
        }
        let of: &MethodFacts = &self.facts.methods[method];
        let holds = |access: &AccessFact, lock: usize| access.held.iter().any(|held| held.lock == lock);
        let protected = |access: &&AccessFact| {
            holds(access, double.outer) && holds(access, double.inner) && self.is_own(&access.site)
        };
        of.accesses.iter().find(protected).map(|access| self.place_of(access, self.site(&access.site)))
    }

    fn name(&self, method: usize) -> String {
        self.facts.methods[method].signature()
    }
}

/// Whether a place is in what classes of the JDK share among themselves.
fn is_internal(site: &SiteFact) -> bool {
    ["jdk.", "sun."].iter().any(|start| site.class.starts_with(start))
}

/// Where a place is, as a reader looks for it.
fn at(site: &SiteFact) -> String {
    match (&site.file, site.line) {
        (Some(file), Some(line)) => format!("at {file}:{line}"),
        _ => format!("in {}.{}", site.class, site.method),
    }
}

//! What methods reach: each with what it does itself, and with what it calls.
//!
//! Calls are followed through opaque code, and through a rewritten class with those nested in it. They end at other
//! rewritten classes, whose accesses are events. A call of a method without code is followed to those of its package
//! that implement it, if they are few. Other overriding methods are not followed.
//!
//! **What it may miss.** Static initialisers, which run once in whichever thread comes first; what code of other
//! modules does; and what methods of subclasses reach where calls name the superclass.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::program::{Id, Op, Program};
use classfile::{ArrayType, Flags};
use host::unseen::natives::{self, Effect, Place};
use host::unseen::{self, Elements, Fate, Treatment};

/// What becomes of something that a method does. The first of all that it reaches is what is said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Keeps a certificate from being given.
    Taints,
    /// Is left out on purpose.
    Quiet,
    /// Tells of events of its own.
    Modelled,
    /// Bytes that strings and their helpers touch without a watch.
    Strings,
    /// Accesses that are watched, and opened where threads share them.
    Watched,
    /// Accesses that are events.
    Events,
    /// Has no code.
    Declared,
    /// Nothing that others could notice.
    Pure,
}

impl Category {
    pub const ALL: [Category; 8] = [
        Category::Taints,
        Category::Quiet,
        Category::Modelled,
        Category::Strings,
        Category::Watched,
        Category::Events,
        Category::Declared,
        Category::Pure,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Category::Taints => "taints",
            Category::Quiet => "quiet",
            Category::Modelled => "modelled",
            Category::Strings => "strings",
            Category::Watched => "watched",
            Category::Events => "events",
            Category::Declared => "declared",
            Category::Pure => "pure",
        }
    }
}

/// Why a method is of a category: the native method, quiet method or model that it reaches.
pub type Cause = (Category, String);

/// What methods reach.
#[derive(Default)]
pub struct Reach {
    numbers: HashMap<Id, usize>,
    calls: Vec<Vec<usize>>,
    own: Vec<BTreeSet<Cause>>,
    /// Of each method, the numbers of all causes.
    reached: Vec<BTreeSet<u16>>,
    causes: Vec<Cause>,
}

impl Reach {
    pub fn of(program: &Program, roots: &[Id]) -> Reach {
        let mut reach = Reach::default();
        let mut left: Vec<Id> = roots.to_vec();
        for root in roots {
            reach.number(root);
        }
        while let Some(id) = left.pop() {
            let number = reach.numbers[&id];
            let (causes, called) = look(program, &id);
            reach.own[number] = causes;
            for called in called {
                if !reach.numbers.contains_key(&called) {
                    left.push(called.clone());
                }
                let target = reach.number(&called);
                reach.calls[number].push(target);
            }
        }
        reach.spread();
        reach
    }

    /// Brings causes to callers.
    fn spread(&mut self) {
        let all: BTreeSet<&Cause> = self.own.iter().flatten().collect();
        self.causes = all.into_iter().cloned().collect();
        let number = |cause| self.causes.binary_search(cause).expect("among all") as u16;
        self.reached = self.own.iter().map(|own| own.iter().map(number).collect()).collect();
        let mut callers = vec![vec![]; self.calls.len()];
        for (caller, called) in self.calls.iter().enumerate() {
            called.iter().for_each(|called| callers[*called].push(caller));
        }
        // Each cause by itself goes to whoever has not heard of it.
        let mut left: Vec<(usize, u16)> = self
            .reached
            .iter()
            .enumerate()
            .flat_map(|(method, causes)| causes.iter().map(move |c| (method, *c)))
            .collect();
        while let Some((method, cause)) = left.pop() {
            for &caller in &callers[method] {
                if self.reached[caller].insert(cause) {
                    left.push((caller, cause));
                }
            }
        }
    }

    /// Why the method is what it is, most important first.
    pub fn causes(&self, id: &Id) -> impl Iterator<Item = &Cause> {
        self.reached[self.numbers[id]].iter().map(|cause| &self.causes[*cause as usize])
    }

    /// The calls by which a method comes to a cause, as few as there can be.
    pub fn way(&self, from: &Id, cause: &Cause) -> Vec<String> {
        let names: HashMap<usize, &Id> = self.numbers.iter().map(|(id, number)| (*number, id)).collect();
        let start = self.numbers[from];
        let mut before = HashMap::from([(start, start)]);
        let mut left = VecDeque::from([start]);
        while let Some(mut at) = left.pop_front() {
            if self.own[at].contains(cause) {
                let mut way = vec![names[&at].short()];
                while before[&at] != at {
                    at = before[&at];
                    way.push(names[&at].short());
                }
                way.reverse();
                return way;
            }
            for &next in &self.calls[at] {
                before.entry(next).or_insert_with(|| {
                    left.push_back(next);
                    at
                });
            }
        }
        vec![]
    }

    /// How many methods were looked at.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    fn number(&mut self, id: &Id) -> usize {
        let next = self.own.len();
        let number = *self.numbers.entry(id.clone()).or_insert(next);
        if number == next {
            self.own.push(BTreeSet::new());
            self.calls.push(vec![]);
        }
        number
    }
}

/// What a method does itself, and what it calls.
fn look(program: &Program, id: &Id) -> (BTreeSet<Cause>, Vec<Id>) {
    let Id { class, name, descriptor } = id;
    let mut causes = BTreeSet::new();
    let Some(method) = program.method(id) else { return (causes, vec![]) };
    let is_native = method.flags.has(Flags::NATIVE);
    let treatment = Treatment::of(class);
    let mut add = |category, what: &str| {
        causes.insert((category, what.to_owned()));
    };
    if method.flags.has(Flags::ABSTRACT) || treatment == Treatment::Ours {
        return (causes, vec![]);
    }
    if unseen::is_replaced(class, name, descriptor, is_native) {
        add(Category::Modelled, &id.short());
        return (causes, vec![]);
    }
    if is_native {
        for effect in natives::effects(class, name, descriptor).unwrap_or(&[Effect::Taints]) {
            match effect {
                Effect::Pure => {}
                Effect::Modelled => add(Category::Modelled, &id.short()),
                Effect::Access { place, .. } if !place.changes_by_itself() => match place {
                    Place::World(piece) => add(Category::Watched, piece),
                    _ => add(Category::Watched, "objects"),
                },
                Effect::Element { .. } => add(Category::Watched, "elements"),
                Effect::Access { .. } | Effect::Taints => add(Category::Taints, &id.short()),
            }
        }
        // Linked to a method of the same name, by the kind of variable.
        let is_variable = class == "java/lang/invoke/VarHandle";
        return (causes, if is_variable { linked_to(program, name) } else { vec![] });
    }
    let mut seen = (true, Elements::All);
    match treatment {
        Treatment::Rewritten => {
            let full = format!("{name}{descriptor}");
            if name == "<clinit>" || unseen::waits_for_uncontrolled(class, &full) {
                add(Category::Quiet, &id.short());
                return (causes, vec![]);
            }
            if unseen::is_of_synchronizer(class, &full) {
                add(Category::Modelled, "steps of synchronizers");
            }
        }
        Treatment::Elements => seen = (false, Elements::All),
        Treatment::Ours => unreachable!(),
        Treatment::Opaque { .. } => {
            match Fate::of(class, name, descriptor) {
                Fate::Quiet { tells } => {
                    add(Category::Quiet, &id.short());
                    if tells {
                        add(Category::Modelled, &id.short());
                    }
                    return (causes, vec![]);
                }
                Fate::Counts(_) => {
                    add(Category::Watched, "fields");
                    return (causes, vec![]);
                }
                Fate::QuietInJdk => {
                    add(Category::Quiet, &id.short());
                    return (causes, vec![]);
                }
                Fate::Watched { elements, tells, taints } => {
                    seen = (true, if tells { Elements::All } else { elements });
                    if taints {
                        add(Category::Taints, &id.short());
                    }
                    if tells {
                        add(Category::Modelled, &id.short());
                    }
                }
                // It has code in this release: what it calls is replaced.
                Fate::Replaced => seen = (false, Elements::None),
            }
            if method.flags.has(Flags::SYNCHRONIZED) && seen.0 {
                add(Category::Watched, "monitors");
            }
        }
    }
    let is_opaque = treatment != Treatment::Rewritten;
    let mut called = vec![];
    for op in &method.ops {
        match op {
            Op::Field { class: named, name: field } if is_opaque => {
                let (declared, is_final) = program.field(named, field);
                let is_own = name == "<init>" && declared == class;
                if unseen::can_change(declared, field, is_final) && !is_own {
                    match seen.0 {
                        true => add(Category::Watched, "fields"),
                        false => add(Category::Quiet, &format!("fields in {}", id.short())),
                    }
                }
            }
            Op::Element(element) if is_opaque => match seen.1.has(*element) {
                true => add(Category::Watched, "elements"),
                false if *element == ArrayType::Byte && seen.1 == Elements::NotBytes => add(Category::Strings, class),
                false => add(Category::Quiet, &format!("elements in {}", id.short())),
            },
            Op::Monitor if is_opaque && seen.0 => add(Category::Watched, "monitors"),
            Op::Monitor if is_opaque => add(Category::Quiet, &format!("monitors in {}", id.short())),
            Op::Field { .. } | Op::Element(_) | Op::Monitor => {}
            Op::Call(op, target) => called.extend(program.targets(*op, target)),
            Op::Refer(target) => called.extend(program.targets(classfile::InvokeOp::Special, target)),
        }
    }
    called.retain(|target| !is_apart(program, class, target));
    called.retain(|target| Treatment::of(&target.class) != Treatment::Rewritten || is_of_nest(class, target));
    (causes, called)
}

fn is_of_nest(class: &str, target: &Id) -> bool {
    let outermost = |class: &str| class.split('$').next().unwrap_or_default().to_owned();
    outermost(class) == outermost(&target.class)
}

/// Calls that say nothing of the caller. An exception that is made is nobody else's yet. Permissions are asked for only
/// where an application has set a security manager. Virtual threads are switched off: each is a thread of its own.
fn is_apart(program: &Program, class: &str, target: &Id) -> bool {
    if ["java/lang/VirtualThread", "jdk/internal/vm/Continuation"].contains(&&*target.class) {
        return target.class != class;
    }
    let makes_exception = target.name == "<init>" && program.extends(&target.class, "java/lang/Throwable");
    let asks = target.class == "java/lang/SecurityManager" && class != "java/lang/SecurityManager";
    makes_exception && !program.extends(class, "java/lang/Throwable") || asks
}

/// The methods that the virtual machine links an access by a `VarHandle` to.
fn linked_to(program: &Program, name: &str) -> Vec<Id> {
    let is_kind = |class: &str| class.starts_with("java/lang/invoke/VarHandle") && class.contains('$');
    let kinds = program.classes.iter().filter(|(class, _)| is_kind(class));
    let methods = kinds.flat_map(|(class, known)| known.methods.keys().map(move |method| (class, method)));
    let named = methods.filter(|(_, (own, _))| own == name);
    named
        .map(|(class, (name, descriptor))| Id {
            class: class.clone(),
            name: name.clone(),
            descriptor: descriptor.clone(),
        })
        .collect()
}

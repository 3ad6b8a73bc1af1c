//! Puts test cases together: a prefix that builds the subjects, and suffixes that call a pair of methods.
//!
//! Exception mode of DepCon+ (algorithm 3) has one subject, deadlock mode (algorithm 4) two, which are grown symmetrically so that
//! each may hold the other. A test with a second share has two, of which one is passed to the other, and one of static state two that
//! share nothing else.

use testcase::{Call, Operation};

use crate::draft::{Draft, Owner, Place};
use crate::maker::{Maker, Rather};
use crate::relations::Relations;
use crate::subject::{Called, SubjectClass};
use crate::targets::Mode;
use crate::types::Bindings;

/// Whoever puts test cases together.
pub struct Composer<'c, 'p> {
    pub maker: &'c mut Maker<'p>,
    pub class: &'c SubjectClass,
    pub relations: &'c Relations,
    /// The longest row of calls that change the state of a subject.
    pub longest: usize,
}

/// What a test is to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whether calls change the state of the subjects first.
    pub grown: bool,
    /// How many calls a suffix has.
    pub calls: usize,
    /// How many suffixes there are.
    pub threads: usize,
}

/// One in so many tests that could have one subject has two that share nothing but what is static.
const APART: usize = 6;

impl Composer<'_, '_> {
    /// A test of two methods.
    pub fn pair(&mut self, methods: (usize, usize), mode: Mode, shape: Shape) -> Draft {
        let bindings = self.maker.complete(&self.class.info.type_parameters, Bindings::new());
        let mut draft = Draft::default();
        match mode {
            // What is reached through static state is not always known.
            Mode::Conflict | Mode::Opaque if shape.grown && self.maker.rng.one_in(APART) => {
                self.apart(&mut draft, methods, &bindings, shape);
            }
            Mode::Conflict | Mode::Opaque => self.one_subject(&mut draft, methods, &bindings, shape),
            Mode::Deadlock => self.two_subjects(&mut draft, methods, &bindings, shape),
            Mode::Apart => self.apart(&mut draft, methods, &bindings, shape),
            Mode::Share { argument, of_first } => {
                self.shared_argument(&mut draft, methods, &bindings, shape, (argument, of_first));
            }
        }
        draft
    }

    fn one_subject(&mut self, draft: &mut Draft, methods: (usize, usize), bindings: &Bindings, shape: Shape) {
        let way = self.maker.way(self.class);
        let subject = self.maker.subject(draft, self.class, way, bindings);
        if shape.grown {
            for _ in 0..self.growth() {
                let changer = self.changer(methods);
                self.change(draft, changer, bindings, subject, None);
            }
        }
        for thread in 0..shape.threads {
            for position in 0..shape.calls {
                let method = self.method_at(methods, thread, position);
                self.suffix_call(draft, method, bindings, subject, None, thread);
            }
        }
    }

    fn two_subjects(&mut self, draft: &mut Draft, methods: (usize, usize), bindings: &Bindings, shape: Shape) {
        let subjects = self.two(draft, bindings);
        if shape.grown {
            for _ in 0..1 + self.maker.rng.below(3) {
                let changer = self.symmetric_changer(draft, methods, bindings, subjects.0);
                self.change_both(draft, changer, bindings, subjects);
            }
        }
        for thread in 0..shape.threads {
            let (own, other) = if thread % 2 == 0 { subjects } else { (subjects.1, subjects.0) };
            for position in 0..shape.calls {
                let method = self.method_at(methods, thread, position);
                let rather = Rather { subject: other, parameter: None };
                self.suffix_call(draft, method, bindings, own, Some(rather), thread);
            }
        }
    }

    /// Two subjects that are grown each in its own way, and never meet.
    fn apart(&mut self, draft: &mut Draft, methods: (usize, usize), bindings: &Bindings, shape: Shape) {
        let (first, second) = self.two(draft, bindings);
        let subjects = [first, second];
        for (number, &subject) in subjects.iter().enumerate() {
            let growth = if shape.grown { self.maker.rng.below(3) } else { 0 };
            draft.owner = Some(Owner::Subject(number));
            for _ in 0..growth {
                // What one of a pair undoes, the other has often done.
                let other = self.method_at(methods, number + 1, 0);
                let changer = if self.maker.rng.one_in(2) { other } else { self.changer(methods) };
                self.change(draft, changer, bindings, subject, None);
            }
            draft.owner = None;
        }
        for thread in 0..shape.threads {
            for position in 0..shape.calls {
                let method = self.method_at(methods, thread, position);
                self.suffix_call(draft, method, bindings, subjects[thread % 2], None, thread);
            }
        }
    }

    fn shared_argument(
        &mut self,
        draft: &mut Draft,
        methods: (usize, usize),
        bindings: &Bindings,
        shape: Shape,
        (number, of_first): (usize, bool),
    ) {
        let subjects = self.two(draft, bindings);
        if shape.grown {
            for _ in 0..1 + self.maker.rng.below(3) {
                let changer = self.changer(methods);
                self.change_both(draft, changer, bindings, subjects);
            }
        }
        let (caller, other) = if of_first { methods } else { (methods.1, methods.0) };
        let rather = Rather { subject: subjects.1, parameter: Some(number) };
        for thread in 0..shape.threads {
            for position in 0..shape.calls {
                match (thread + position) % 2 {
                    0 => self.suffix_call(draft, caller, bindings, subjects.0, Some(rather), thread),
                    _ => self.suffix_call(draft, other, bindings, subjects.1, None, thread),
                }
            }
        }
    }

    /// Two subjects, mostly made in the same way.
    fn two(&mut self, draft: &mut Draft, bindings: &Bindings) -> (usize, usize) {
        let way = self.maker.way(self.class);
        // What the one is made of is not to be shared by the other: that is another kind of test.
        draft.owner = Some(Owner::Subject(0));
        let first = self.maker.subject(draft, self.class, way, bindings);
        let way = if self.maker.rng.one_in(4) { self.maker.way(self.class) } else { way };
        draft.owner = Some(Owner::Subject(1));
        let subjects = std::mem::take(&mut draft.subjects);
        let second = self.maker.subject(draft, self.class, way, bindings);
        draft.owner = None;
        draft.subjects.splice(0..0, subjects);
        (first, second)
    }

    /// The method that a thread calls there: the pair in turn, in opposite order in every other thread.
    fn method_at(&mut self, methods: (usize, usize), thread: usize, position: usize) -> usize {
        // Past the pair itself, sometimes something that changes what it looks at.
        if (position > 0 || thread > 1) && self.maker.rng.one_in(3) {
            return self.changer(methods);
        }
        if (thread + position).is_multiple_of(2) { methods.0 } else { methods.1 }
    }

    fn growth(&mut self) -> usize {
        // Short prefixes are most of them, for what they show is easier to understand.
        let limit = if self.maker.rng.one_in(4) { self.longest } else { self.longest.min(3) };
        1 + self.maker.rng.below(limit)
    }

    /// A method that changes what one of the pair looks at; any, if none is known to.
    fn changer(&mut self, methods: (usize, usize)) -> usize {
        let all: Vec<usize> = self.class.callable().map(|(number, _)| number).collect();
        let changing: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&one| self.relations.changes(one, methods.0) || self.relations.changes(one, methods.1))
            .collect();
        let of = if changing.is_empty() || self.maker.rng.one_in(8) { &all } else { &changing };
        *self.maker.rng.pick(of).unwrap_or(&methods.0)
    }

    /// A method that takes a subject, most of the time: so each may come to hold the other.
    fn symmetric_changer(
        &mut self,
        draft: &Draft,
        methods: (usize, usize),
        bindings: &Bindings,
        subject: usize,
    ) -> usize {
        let taking: Vec<usize> = self
            .class
            .callable()
            .filter(|(number, callable)| {
                let above = self.maker.library.bindings_above(&self.class.info.name, bindings, &callable.declared_in);
                let fits = |parameter: &classfile::TypeSignature| {
                    let wanted = crate::types::substitute(parameter, &above);
                    draft.given[subject].as_ref().is_some_and(|given| self.maker.library.fits(given, &wanted))
                };
                !self.relations.only_looks(*number) && callable.method.parameters.iter().any(fits)
            })
            .map(|(number, _)| number)
            .collect();
        match self.maker.rng.one_in(3) || taking.is_empty() {
            true => self.changer(methods),
            false => *self.maker.rng.pick(&taking).unwrap_or(&methods.0),
        }
    }

    /// Changes the state of a subject.
    fn change(
        &mut self,
        draft: &mut Draft,
        method: usize,
        bindings: &Bindings,
        subject: usize,
        rather: Option<Rather>,
    ) {
        let class = self.class;
        let Some(callable) = &class.methods[method] else { return };
        let before = draft.choices.len();
        let call = self.maker.call(draft, Called { class, callable, bindings }, subject, rather, None);
        // Its number is known only now: what its arguments needed came first.
        let number = draft.push(call, None);
        let own = Place::Prefix(usize::MAX);
        draft.choices[before..].iter_mut().filter(|(place, _)| *place == own).for_each(|(place, _)| {
            *place = Place::Prefix(number);
        });
    }

    fn change_both(&mut self, draft: &mut Draft, method: usize, bindings: &Bindings, subjects: (usize, usize)) {
        let (first, second) = subjects;
        for (number, (own, other)) in [(first, second), (second, first)].into_iter().enumerate() {
            draft.owner = Some(Owner::Subject(number));
            self.change(draft, method, bindings, own, Some(Rather { subject: other, parameter: None }));
        }
        draft.owner = None;
    }

    fn suffix_call(
        &mut self,
        draft: &mut Draft,
        method: usize,
        bindings: &Bindings,
        subject: usize,
        rather: Option<Rather>,
        thread: usize,
    ) {
        let class = self.class;
        let Some(callable) = &class.methods[method] else { return };
        if draft.suffixes.len() <= thread {
            draft.suffixes.resize(thread + 1, Vec::new());
        }
        let at = Place::Suffix(thread, draft.suffixes[thread].len());
        let call = self.maker.call(draft, Called { class, callable, bindings }, subject, rather, Some(at));
        draft.suffixes[thread].push(call);
    }

    /// Calls that look at the subjects and change nothing, for whoever compares what was seen.
    pub fn observe(&mut self, draft: &mut Draft) {
        let class = self.class;
        let bindings = Bindings::new();
        let looking = class.callable().filter(|(number, callable)| {
            let method = &callable.method;
            let of_object = callable.declared_in == "java/lang/Object";
            method.parameters.is_empty()
                && method.returns.is_some()
                && !method.is_static()
                && !of_object
                && self.relations.only_looks(*number)
        });
        let looking: Vec<usize> = looking.map(|(number, _)| number).collect();
        for &subject in &draft.subjects.clone() {
            for &number in looking.iter().take(MOST_PROBES) {
                let Some(callable) = &class.methods[number] else { continue };
                let called = Called { class, callable, bindings: &bindings };
                let call: Call = self.maker.call(draft, called, subject, None, None);
                draft.probes.push(call);
            }
        }
        debug_assert!(draft.probes.iter().all(|probe| matches!(probe.operation, Operation::Virtual { .. })));
    }
}

/// So many observers are asked of each subject.
const MOST_PROBES: usize = 8;

//! Puts test cases together: a prefix that builds the subjects, and suffixes that call a pair of methods.
//!
//! Exception mode of DepCon+ (algorithm 3) has one subject, deadlock mode (algorithm 4) two, which are grown
//! symmetrically so that each may hold the other. Crossings and waits are tried on one subject. A test with a second
//! share has two, of which one is passed to the other, and one of static state two that share nothing else. Tests of
//! parts and of common arguments are in `beside`.

use classfile::TypeSignature;
use testcase::{Argument, Call, Operation};

use crate::companions::receiver;
use crate::draft::{Draft, OWN, Owner, Place, is_name};
use crate::learnt::{Choice, Name};
use crate::library::is_of_jdk;
use crate::maker::{Maker, Rather};
use crate::parts::{self, Part, Source};
use crate::producers::Producer;
use crate::relations::Relations;
use crate::scouts::Way;
use crate::subject::{Callable, Called, SubjectClass};
use crate::targets::Mode;
use crate::types::Bindings;

/// Where it is learnt which methods return when they are called before the others.
const CHANGER: &str = "changer";

/// The name under which it is kept what is known of the method or constructor that a call calls.
pub fn name_of(call: &Call) -> Option<Name> {
    match &call.operation {
        Operation::Virtual { name, descriptor, .. } | Operation::Static { name, descriptor, .. } => {
            Some(Name::of((&**name, descriptor)))
        }
        Operation::Construct { descriptor, .. } => Some(Name::of(("<init>", descriptor))),
        _ => None,
    }
}

/// The choice to call a method before the others.
pub fn as_changer(call: &Call) -> Option<Choice> {
    Some(Choice { place: Name::of(CHANGER), what: name_of(call)? })
}

/// Whoever puts test cases together.
pub struct Composer<'c, 'p> {
    pub maker: &'c mut Maker<'p>,
    pub class: &'c SubjectClass,
    pub relations: &'c Relations,
    /// What subjects give out.
    pub parts: &'c [Part],
    /// The methods that give another object of the class.
    pub offspring: &'c [usize],
    /// The longest row of calls that change the state of a subject.
    pub longest: usize,
    /// Which methods cost far more than others.
    pub dear: &'c [bool],
    /// With which of the pair all threads begin; None if every other thread begins with the other one.
    pub in_step: Option<usize>,
    /// Methods that return without preparation in a larger share of their calls get none in this test, so that no state is out of reach
    /// that only calls without preparation show.
    pub unprepared: f64,
    /// Whether the test has no subject: its calls are of static methods alone.
    pub without_subject: bool,
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

/// So many calls a scout has.
const SCOUTED: usize = 80;
/// One in so many tests that could have one subject has two that share nothing but what is static.
const APART: usize = 6;
/// One in so many calls that return a future, a stream or the like is followed by a call of that.
const FINISHED: usize = 3;
/// One in so many tests of a class that takes listeners has two subjects whose listeners call the other one.
const CALLED_BACK: usize = 6;

impl Composer<'_, '_> {
    /// A test of two methods, on a subject in the state in which a scout was, if one is given.
    pub fn pair(&mut self, methods: (usize, usize), mode: Mode, shape: Shape, state: Option<Draft>) -> Draft {
        let bindings = self.maker.complete(&self.class.info.type_parameters, Bindings::new());
        let mut draft = Draft { uses_results: true, ..Draft::default() };
        // Of three threads two make the same call: either of the two methods.
        let is_symmetric = matches!(mode, Mode::Conflict | Mode::Opaque | Mode::Crossing);
        let is_swapped = is_symmetric && shape.threads > 2 && self.maker.rng.one_in(2);
        let methods = if is_swapped { (methods.1, methods.0) } else { methods };
        // What one call gives out another of the same thread gets: `hang` and `fetch` in each of two threads.
        let is_in_step = shape.calls > 1 && self.maker.rng.one_in(2);
        self.in_step = is_in_step.then(|| self.maker.rng.below(2));
        self.unprepared = self.maker.rng.share();
        if let Some(state) = state.filter(|state| !state.subjects.is_empty()) {
            // Whatever had to be done may have been.
            self.unprepared = 1.0;
            let subject = state.subjects.first().copied();
            draft = Draft { uses_results: true, ..state };
            self.threads(&mut draft, methods, &bindings, subject, shape);
            return draft;
        }
        self.without_subject = self.goes_without_subject(methods, mode);
        match mode {
            // What only takes locks of arguments or classes needs nothing else to be shared.
            Mode::Deadlock if self.without_subject => self.one_subject(&mut draft, methods, &bindings, shape),
            _ if self.without_subject => self.of_mode(&mut draft, methods, mode, &bindings, shape),
            _ if shape.grown && self.has_listeners() && self.maker.rng.one_in(CALLED_BACK) => {
                self.called_back(&mut draft, methods, &bindings, shape);
            }
            // What is reached through static state is not always known.
            Mode::Conflict | Mode::Opaque if shape.grown && self.maker.rng.one_in(APART) => {
                self.apart(&mut draft, methods, &bindings, shape);
            }
            _ => self.of_mode(&mut draft, methods, mode, &bindings, shape),
        }
        draft
    }

    fn of_mode(&mut self, draft: &mut Draft, methods: (usize, usize), mode: Mode, bindings: &Bindings, shape: Shape) {
        match mode {
            Mode::Conflict | Mode::Opaque | Mode::Crossing => self.one_subject(draft, methods, bindings, shape),
            Mode::Wait => self.waiting(draft, methods, bindings, shape),
            Mode::Deadlock => self.two_subjects(draft, methods, bindings, shape),
            Mode::Apart => self.apart(draft, methods, bindings, shape),
            Mode::Born => self.born(draft, methods, bindings, shape),
            Mode::Part(beside) => self.part(draft, methods, beside, bindings, shape),
            Mode::Common { arguments } => self.common(draft, methods, arguments, bindings, shape),
            Mode::Share { argument, of_first } => {
                self.shared_argument(draft, methods, bindings, shape, (argument, of_first));
            }
        }
    }

    /// Whether a test of two methods has no subject. Two static methods need none. Where one can be made they have it
    /// in half of the tests, for what makes it may change static state, and what is called on it.
    fn goes_without_subject(&mut self, methods: (usize, usize), mode: Mode) -> bool {
        let needs_none = !self.class.has_receiver(methods.0) && !self.class.has_receiver(methods.1);
        let is_apt = match mode {
            Mode::Apart | Mode::Born | Mode::Share { .. } => false,
            Mode::Part(beside) => matches!(self.parts[beside.part].source, Source::Given(_)),
            _ => true,
        };
        needs_none && is_apt && (self.maker.can_hardly_make(self.class) || self.maker.rng.one_in(2))
    }

    /// Makes a subject, if the test has one.
    pub fn subject(&mut self, draft: &mut Draft, bindings: &Bindings) -> Option<usize> {
        if self.without_subject {
            return None;
        }
        let way = self.maker.way(self.class);
        Some(self.maker.subject(draft, self.class, way, bindings))
    }

    /// The methods that the test can call.
    pub fn callable(&self) -> Vec<usize> {
        let fits = |number: &usize| !self.without_subject || !self.class.has_receiver(*number);
        self.class.callable().map(|(number, _)| number).filter(fits).collect()
    }

    /// A long row of calls in one thread, mostly of one or two methods that change what the sought one looks at, so
    /// that something grows. Every other row repeats one call, with the same arguments: what counts how often something
    /// was so gets to its end only by that.
    pub fn scout(&mut self, sought: usize) -> Draft {
        let bindings = self.maker.complete(&self.class.info.type_parameters, Bindings::new());
        let mut draft = Draft { without_null: !self.maker.rng.one_in(4), ..Draft::default() };
        self.without_subject = self.goes_without_subject((sought, sought), Mode::Conflict);
        let subject = self.subject(&mut draft, &bindings);
        let is_steady = self.maker.rng.one_in(2);
        let mut often: Vec<usize> = (0..1 + self.maker.rng.below(2)).map(|_| self.changer((sought, sought))).collect();
        if is_steady && !self.relations.only_looks(sought) && self.maker.rng.one_in(2) {
            often = vec![sought];
        }
        let mut repeated: Option<Call> = None;
        for _ in 0..SCOUTED {
            let turn = self.maker.rng.below(if is_steady { 16 } else { 8 });
            if let Some(call) = repeated.as_ref().filter(|_| turn > 1) {
                draft.put(0, call.clone());
                continue;
            }
            let method = match turn {
                0 => sought,
                1 => self.changer((sought, sought)),
                _ => *self.maker.rng.pick(&often).unwrap_or(&sought),
            };
            self.suffix_call(&mut draft, method, &bindings, subject, None, 0);
            if is_steady && turn > 1 {
                repeated =
                    draft.suffixes.first().and_then(|calls| calls.last()).filter(|call| !lends(&draft, call)).cloned();
            }
        }
        draft
    }

    /// A test of two methods that goes to a place where a scout was: the first thread makes the call that was there.
    pub fn reach(&mut self, way: &Way, beside: Option<&Way>, other: usize) -> Draft {
        let draft = way.begin(beside, &mut self.maker.rng);
        self.with_other(draft, other)
    }

    /// With a second thread that makes a call of this method, if there is none.
    fn with_other(&mut self, mut draft: Draft, other: usize) -> Draft {
        let subject = draft.subjects.first().copied();
        self.without_subject = subject.is_none();
        let is_callable = subject.is_some() || !self.class.has_receiver(other);
        if draft.suffixes.len() < 2 && is_callable {
            let bindings = self.maker.complete(&self.class.info.type_parameters, Bindings::new());
            self.suffix_call(&mut draft, other, &bindings, subject, None, 1);
        }
        draft
    }

    /// A test that makes a call of a scout, in the state in which it was made, beside a call of another method: mostly
    /// with the same arguments, if it is the same method.
    pub fn beside_call(&mut self, way: &Way, other: usize) -> Draft {
        let mut draft = way.begin(None, &mut self.maker.rng);
        let repeated = if self.maker.rng.one_in(4) { None } else { self.repeated(&mut draft, other, 1) };
        let draft = match repeated {
            Some(call) => {
                draft.put(1, call);
                draft
            }
            None => self.with_other(draft, other),
        };
        // What was lent once is given back once.
        if is_given_twice(&draft) { Draft::default() } else { draft }
    }

    fn one_subject(&mut self, draft: &mut Draft, methods: (usize, usize), bindings: &Bindings, shape: Shape) {
        let subject = self.subject(draft, bindings);
        let growth = if shape.grown { self.growth() } else { 0 };
        let changers = self.grow(draft, methods, bindings, subject, growth);
        self.threads(draft, methods, bindings, subject, shape);
        self.expect_of(draft, &changers);
    }

    /// What the threads call on one subject.
    fn threads(
        &mut self,
        draft: &mut Draft,
        methods: (usize, usize),
        bindings: &Bindings,
        subject: Option<usize>,
        shape: Shape,
    ) {
        for thread in 0..shape.threads {
            for position in 0..shape.calls {
                let method = self.method_at(methods, thread, position);
                self.suffix_call(draft, method, bindings, subject, None, thread);
            }
        }
    }

    /// Changes the state of a subject so many times. Says by which methods.
    fn grow(
        &mut self,
        draft: &mut Draft,
        methods: (usize, usize),
        bindings: &Bindings,
        subject: Option<usize>,
        growth: usize,
    ) -> Vec<usize> {
        let changers: Vec<usize> = (0..growth).map(|_| self.changer(methods)).collect();
        for &changer in &changers {
            self.change(draft, changer, bindings, subject, None);
        }
        changers
    }

    /// Lets it be learnt after which changes the first call of each thread returns: `take` after `give`, and not after
    /// `drain`.
    fn expect_of(&self, draft: &mut Draft, changers: &[usize]) {
        for thread in 0..draft.suffixes.len() {
            let Some(first) = draft.suffixes[thread].first().and_then(as_changer) else { continue };
            let place = Name::of((CHANGER, first.what));
            let choices = changers.iter().filter_map(|&changer| Some(Choice { place, what: self.key(changer)? }));
            let choices: Vec<Choice> = choices.collect();
            draft.choices.extend(choices.into_iter().map(|choice| (Place::Before(thread), choice)));
        }
    }

    pub fn key(&self, method: usize) -> Option<Name> {
        let method = &self.class.methods[method].as_ref()?.method;
        Some(Name::of((&method.name, &method.descriptor)))
    }

    /// Several threads that wait for each other. Who is woken up may be another than the one that could go on,
    /// which needs three of them or more.
    fn waiting(&mut self, draft: &mut Draft, methods: (usize, usize), bindings: &Bindings, shape: Shape) {
        let subject = self.subject(draft, bindings);
        let growth = if shape.grown { self.maker.rng.below(3) } else { 0 };
        let changers = self.grow(draft, methods, bindings, subject, growth);
        // As many calls of the one as of the other, mostly: then nobody has to wait for good. But one signal may be for
        // all who wait.
        const PATTERNS: [&[&str]; 7] = [
            &["a", "b"],
            &["a", "a", "b", "b"],
            &["a", "a", "bb"],
            &["aa", "bb"],
            &["aa", "b", "b"],
            &["a", "b", "b"],
            &["a", "a", "b"],
        ];
        let pattern = match shape {
            Shape { calls: 1, threads: 2, grown: false } => PATTERNS[0],
            _ => PATTERNS[self.maker.rng.below(PATTERNS.len())],
        };
        // Which of the two waits is not known.
        let first = if pattern.len() > 2 && self.maker.rng.one_in(2) { b'b' } else { b'a' };
        for (thread, calls) in pattern.iter().enumerate() {
            for call in calls.bytes() {
                let method = if call == first { methods.0 } else { methods.1 };
                // Several that want the same wait for one thing: whoever is woken up may be the wrong one.
                let repeated = if self.maker.rng.one_in(3) { None } else { self.repeated(draft, method, thread) };
                match repeated {
                    Some(call) => draft.put(thread, call),
                    None => drop(self.suffix_call(draft, method, bindings, subject, None, thread)),
                }
            }
        }
        self.expect_of(draft, &changers);
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
                self.suffix_call(draft, method, bindings, Some(own), Some(rather), thread);
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
                self.change(draft, changer, bindings, Some(subject), None);
            }
            draft.owner = None;
        }
        for thread in 0..shape.threads {
            for position in 0..shape.calls {
                let method = self.method_at(methods, thread, position);
                self.suffix_call(draft, method, bindings, Some(subjects[thread % 2]), None, thread);
            }
        }
    }

    /// Each thread asks a static method for a subject, and calls what it gets. The prefix makes none: it may be made when
    /// somebody asks for it first.
    fn born(&mut self, draft: &mut Draft, (factory, method): (usize, usize), bindings: &Bindings, shape: Shape) {
        // Calls are written for an object that stands for what the thread is given.
        let operation = Operation::Construct { class: "java/lang/Object".into(), descriptor: "()V".into() };
        let stand_in = draft.push(Call { operation, arguments: Vec::new() }, None);
        for thread in 0..shape.threads {
            self.suffix_call(draft, factory, bindings, Some(stand_in), None, thread);
            for position in 0..shape.calls {
                let method = if position == 0 { method } else { self.changer((method, method)) };
                self.suffix_call(draft, method, bindings, Some(stand_in), None, thread);
            }
            for call in draft.suffixes.get_mut(thread).into_iter().flatten() {
                if let Operation::Virtual { receiver, .. } = &mut call.operation
                    && *receiver == Argument::Value(stand_in)
                {
                    *receiver = Argument::Value(OWN);
                }
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
                    0 => self.suffix_call(draft, caller, bindings, Some(subjects.0), Some(rather), thread),
                    _ => self.suffix_call(draft, other, bindings, Some(subjects.1), None, thread),
                };
            }
        }
    }

    /// Two subjects, mostly made in the same way.
    pub fn two(&mut self, draft: &mut Draft, bindings: &Bindings) -> (usize, usize) {
        let way = self.maker.way(self.class);
        if !self.offspring.is_empty()
            && self.maker.rng.one_in(2)
            && let Some(both) = self.with_offspring(draft, way, bindings)
        {
            return both;
        }
        // What the one is made of is not to be shared by the other: that is another kind of test.
        draft.owner = Some(Owner::Subject(0));
        let first = self.maker.subject(draft, self.class, way, bindings);
        let is_made = !way.way.is_constant();
        let other = if is_made && !self.maker.rng.one_in(4) { way } else { self.maker.way(self.class) };
        if !is_made && other.key == way.key {
            // There is only one, whoever asks for it.
            draft.owner = None;
            return (first, first);
        }
        let way = other;
        draft.owner = Some(Owner::Subject(1));
        let subjects = std::mem::take(&mut draft.subjects);
        let second = self.maker.subject(draft, self.class, way, bindings);
        draft.owner = None;
        draft.subjects.splice(0..0, subjects);
        (first, second)
    }

    /// A subject and another that it gives out, in either order.
    fn with_offspring(&mut self, draft: &mut Draft, way: &Producer, bindings: &Bindings) -> Option<(usize, usize)> {
        let place = Name::of("offspring");
        let weight = |giver: &usize| self.key(*giver).map_or(0.0, |key| self.maker.learnt.at(place).weight(key));
        let weights: Vec<f64> = self.offspring.iter().map(weight).collect();
        let giver = self.offspring[self.maker.rng.weighted(&weights)?];
        let first = self.maker.subject(draft, self.class, way, bindings);
        let second = self.change(draft, giver, bindings, Some(first), None)?;
        draft.given[second] = Some(self.class.object_type(bindings));
        draft.subjects.push(second);
        let is_first = self.maker.rng.one_in(2);
        // A parent may be null, and the first call of the thread that has it shows that.
        let choice = self.key(giver).map(|what| Choice { place, what });
        draft.choices.extend(choice.map(|choice| (Place::Suffix(usize::from(!is_first), 0), choice)));
        Some(if is_first { (second, first) } else { (first, second) })
    }

    /// The method that a thread calls there: the pair in turn, in opposite order in every other thread.
    pub fn method_at(&mut self, methods: (usize, usize), thread: usize, position: usize) -> usize {
        // Past the pair itself, sometimes something that changes what it looks at.
        let is_of_pair = match self.in_step {
            Some(_) => thread < 2 && position < 2,
            None => thread < 2 && position == 0,
        };
        if !is_of_pair && self.maker.rng.one_in(3) {
            return self.changer(methods);
        }
        let turn = position + self.in_step.unwrap_or(thread);
        if turn.is_multiple_of(2) { methods.0 } else { methods.1 }
    }

    pub fn growth(&mut self) -> usize {
        // Short prefixes are most of them, for what they show is easier to understand.
        let limit = if self.maker.rng.one_in(4) { self.longest } else { self.longest.min(3) };
        1 + self.maker.rng.below(limit)
    }

    /// A method that changes what one of the pair looks at; any, if none is known to.
    pub fn changer(&mut self, methods: (usize, usize)) -> usize {
        let all = self.callable();
        let changing: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&one| self.relations.changes(one, methods.0) || self.relations.changes(one, methods.1))
            .collect();
        let of = if changing.is_empty() || self.maker.rng.one_in(8) { &all } else { &changing };
        self.returning(of, methods).unwrap_or(methods.0)
    }

    /// One of these methods. Those that seldom return when they are called before the others, because they wait or throw,
    /// are seldom chosen, and so are those after which one of the pair seldom returns.
    fn returning(&mut self, of: &[usize], methods: (usize, usize)) -> Option<usize> {
        let here = self.maker.learnt.at(Name::of(CHANGER));
        let after = |method: usize| {
            let key = self.key(method);
            key.map(|key| self.maker.learnt.at(Name::of((CHANGER, key))))
        };
        let after = [after(methods.0), after(methods.1)];
        let weight = |number: &usize| {
            let key = self.key(*number)?;
            Some(after.iter().flatten().fold(here.weight(key), |weight, after| weight * after.weight(key)))
        };
        let weights: Vec<f64> = of.iter().map(|number| weight(number).unwrap_or(0.0)).collect();
        self.maker.rng.weighted(&weights).map(|chosen| of[chosen])
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
            false => self.returning(&taking, methods).unwrap_or(methods.0),
        }
    }

    /// Changes the state of a subject. Says which call does so.
    pub fn change(
        &mut self,
        draft: &mut Draft,
        method: usize,
        bindings: &Bindings,
        subject: Option<usize>,
        rather: Option<Rather>,
    ) -> Option<usize> {
        let is_of_subject = |call: &&Call| subject.is_some() && receiver(call) == subject;
        if let Some(companion) = self.companion(method, draft.prefix.iter().filter(is_of_subject)) {
            self.own_change(draft, companion, bindings, subject, rather);
        }
        self.own_change(draft, method, bindings, subject, rather)
    }

    /// Adds a call of a method to what changes a subject.
    fn own_change(
        &mut self,
        draft: &mut Draft,
        method: usize,
        bindings: &Bindings,
        subject: Option<usize>,
        rather: Option<Rather>,
    ) -> Option<usize> {
        let class = self.class;
        let callable = class.methods[method].as_ref()?;
        let before = draft.choices.len();
        let call = self.maker.call(draft, Called { class, callable, bindings }, subject, rather, None);
        // Its number is known only now: what its arguments needed came first.
        let number = draft.push(call, None);
        let own = Place::Prefix(usize::MAX);
        draft.choices[before..].iter_mut().filter(|(place, _)| *place == own).for_each(|(place, _)| {
            *place = Place::Prefix(number);
        });
        if let Some(of) = self.passed_on(method, bindings).filter(|_| draft.uses_results) {
            let key = Name::of((&callable.method.name, &callable.method.descriptor));
            if self.maker.is_handle(&of) {
                draft.handles.insert(number);
            }
            if self.maker.lenders.contains(&key) || self.maker.is_giver(key) {
                draft.lent.extend(subject.map(|subject| (number, subject)));
            } else if self.maker.publishers.contains(&key) {
                draft.shared.insert(number);
            }
            draft.given[number] = Some(of);
        }
        Some(number)
    }

    /// What a method of the subject returns, if it may stand for something that the subject has: an object of a class
    /// that is not the JDK's, or of one that ends something, or a name that is more than an answer. And what a
    /// constructor makes.
    fn passed_on(&self, method: usize, bindings: &Bindings) -> Option<TypeSignature> {
        let callable = self.class.methods[method].as_ref()?;
        if callable.is_constructor() {
            return Some(self.class.object_type(bindings));
        }
        let returns = callable.method.returns.as_ref().filter(|_| callable.has_receiver())?;
        let above = self.maker.library.bindings_above(&self.class.info.name, bindings, &callable.declared_in);
        let of = crate::types::substitute(returns, &above);
        match &of {
            TypeSignature::Primitive('I' | 'J') => Some(of).filter(|_| !self.relations.only_looks(method)),
            TypeSignature::Class(_) if is_name(&of) => Some(of).filter(|_| !self.relations.only_looks(method)),
            TypeSignature::Class(_) => {
                let class = crate::types::erased(&of)?;
                let is_subject = self.maker.library.is_subtype(&self.class.info.name, &class);
                let is_wanted = !is_of_jdk(&class) || parts::finisher(&self.maker.library, &class).is_some();
                (is_wanted && !is_subject).then_some(of)
            }
            _ => None,
        }
    }

    fn change_both(&mut self, draft: &mut Draft, method: usize, bindings: &Bindings, subjects: (usize, usize)) {
        let (first, second) = subjects;
        for (number, (own, other)) in [(first, second), (second, first)].into_iter().enumerate() {
            draft.owner = Some(Owner::Subject(number));
            self.change(draft, method, bindings, Some(own), Some(Rather { subject: other, parameter: None }));
        }
        draft.owner = None;
    }

    /// Has a thread call a method, with what it has to call before and after. Says which of its calls that is.
    pub fn suffix_call(
        &mut self,
        draft: &mut Draft,
        method: usize,
        bindings: &Bindings,
        subject: Option<usize>,
        rather: Option<Rather>,
        thread: usize,
    ) -> Option<usize> {
        let class = self.class;
        let callable = class.methods[method].as_ref()?;
        if draft.suffixes.len() <= thread {
            draft.suffixes.resize(thread + 1, Vec::new());
        }
        if let Some(call) = self.mirrored(draft, callable, subject, thread).filter(|_| rather.is_none()) {
            draft.put(thread, call);
            return Some(draft.suffixes[thread].len() - 1);
        }
        if let Some(companion) = self.companion(method, draft.suffixes[thread].iter()) {
            self.own_call(draft, companion, bindings, subject, None, thread);
        }
        let number = draft.suffixes[thread].len();
        self.own_call(draft, method, bindings, subject, rather, thread);
        Some(number)
    }

    /// Adds a call of a method to what a thread does.
    fn own_call(
        &mut self,
        draft: &mut Draft,
        method: usize,
        bindings: &Bindings,
        subject: Option<usize>,
        rather: Option<Rather>,
        thread: usize,
    ) {
        let class = self.class;
        let Some(callable) = &class.methods[method] else { return };
        let at = Place::Suffix(thread, draft.suffixes[thread].len());
        let call = self.maker.call(draft, Called { class, callable, bindings }, subject, rather, Some(at));
        if let Some(of) = self.passed_on(method, bindings).filter(|_| draft.uses_results) {
            let own = draft.suffixes[thread].len();
            let finishes = self.finishes(&of);
            draft.results.push(((thread, own), of));
            draft.suffixes[thread].push(call);
            draft.suffixes[thread].extend(finishes.map(|operation| ask(operation, OWN + own)));
            return;
        }
        draft.suffixes[thread].push(call);
    }

    /// What the thread that got an object of a class of the JDK does with it at once, now and then: a future is waited for, a
    /// stream gone through.
    fn finishes(&mut self, of: &TypeSignature) -> Option<Finisher> {
        let class = crate::types::erased(of)?;
        let found = parts::finisher_of_own(&self.maker.library, &self.class.info.name, &class)?;
        self.maker.rng.one_in(FINISHED).then_some(found)
    }

    /// The call that another thread makes of the same method, with two arguments the other way round: `transfer(a,
    /// b)` beside `transfer(b, a)`. Only now and then, and where both threads may have them.
    fn mirrored(
        &mut self,
        draft: &mut Draft,
        callable: &Callable,
        subject: Option<usize>,
        thread: usize,
    ) -> Option<Call> {
        let call = of_another(draft, callable, thread)?;
        let parameters = &callable.method.parameters;
        let places = (0..parameters.len()).flat_map(|one| (one + 1..parameters.len()).map(move |other| (one, other)));
        let differ = |(one, other): &(usize, usize)| {
            parameters[*one] == parameters[*other] && call.arguments[*one] != call.arguments[*other]
        };
        let swappable: Vec<(usize, usize)> = places.filter(differ).collect();
        let &(one, other) = self.maker.rng.pick(&swappable)?;
        let mut call = call.clone();
        if !may_make(draft, &call, thread) || !self.maker.rng.one_in(2) {
            return None;
        }
        call.arguments.swap(one, other);
        if let Operation::Virtual { receiver, .. } = &mut call.operation {
            *receiver = Argument::Value(subject?);
        }
        Some(call)
    }

    /// The call that another thread makes of the same method, if this thread may make it, too.
    fn repeated(&self, draft: &mut Draft, method: usize, thread: usize) -> Option<Call> {
        if self.needs_companion(method) {
            return None;
        }
        let callable = self.class.methods[method].as_ref()?;
        let call = of_another(draft, callable, thread)?.clone();
        may_make(draft, &call, thread).then_some(call)
    }
}

/// Class, name and descriptor of a method without parameters.
type Finisher = (&'static str, &'static str, &'static str);

/// A call of such a method.
fn ask((class, name, descriptor): Finisher, receiver: usize) -> Call {
    let (class, name, descriptor) = (class.into(), name.into(), descriptor.into());
    Call {
        operation: Operation::Virtual { class, name, descriptor, receiver: Argument::Value(receiver) },
        arguments: vec![],
    }
}

/// A call of a method by an earlier thread, which passes on nothing that this one was told.
fn of_another<'d>(draft: &'d Draft, callable: &Callable, thread: usize) -> Option<&'d Call> {
    let is_same = |call: &&Call| match &call.operation {
        Operation::Virtual { name, descriptor, .. } | Operation::Static { name, descriptor, .. } => {
            *name == callable.method.name && *descriptor == callable.method.descriptor
        }
        _ => false,
    };
    let is_own = |argument: &Argument| matches!(argument, Argument::Value(OWN..));
    let others = draft.suffixes.iter().take(thread).flatten();
    others.filter(|call| !call.arguments.iter().any(is_own)).find(is_same)
}

/// Whether two threads give back what a subject has given out once.
fn is_given_twice(draft: &Draft) -> bool {
    let is_of_subject = |number: &usize| match draft.prefix.get(*number).and_then(|call| call.operation.receiver()) {
        Some(Argument::Value(receiver)) => draft.subjects.contains(receiver),
        _ => false,
    };
    let given = |calls: &Vec<Call>| -> Vec<usize> {
        let all = calls.iter().flat_map(|call| &call.arguments);
        let numbers =
            all.filter_map(|argument| if let Argument::Value(number) = argument { Some(*number) } else { None });
        numbers.filter(is_of_subject).collect()
    };
    match &draft.suffixes[..] {
        [first, second, ..] => given(first).iter().any(|number| given(second).contains(number)),
        _ => false,
    }
}

/// Whether a call gives something back, which nobody does twice.
fn lends(draft: &Draft, call: &Call) -> bool {
    call.arguments.iter().any(|argument| matches!(argument, Argument::Value(number) if draft.lent.contains_key(number)))
}

/// Whether a thread may have all that is passed by a call of another.
fn may_make(draft: &mut Draft, call: &Call, thread: usize) -> bool {
    let before = draft.owner.replace(Owner::Thread(thread));
    let may_use = |argument: &Argument| match argument {
        Argument::Value(number) => draft.may_use(*number),
        _ => true,
    };
    let may_all = call.arguments.iter().all(may_use);
    draft.owner = before;
    may_all
}

//! Conflicts that need a second shared object: two calls on two subjects that meet elsewhere.
//!
//! The definitions of DepCon+ are about calls on one subject. Two more ways to share are known from the papers. An
//! argument of one call may be the subject of the other, as in `a.append(b)` and `b.append(c)`. And two subjects may
//! hold one inner object, because a setter or constructor takes it from the caller (Intruder, its example `foo` and
//! `foo` with `setF`). The lock of the one subject then says nothing about the other; only locks of what is shared
//! do.
//!
//! **What it may miss.** An argument that is shared by both calls and is neither's subject (see
//! [`ClassFacts::common_arguments`]); inner objects farther away than one setter.
//!
//! **What it may say too much.** It does not know whether the lock of an inner object is held throughout. So a method
//! that does all its work on the object under the object's own lock is named, too, with that lock.

use crate::depend::{Conflict, Index, Shared, keep_out};
use crate::facts::{AccessFact, ClassFacts, MethodFacts, Owner};

/// How two calls on two subjects come to share something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Through {
    /// This argument of the one is the subject of the other.
    Argument {
        /// The argument, counted from 0.
        number: usize,
        /// Whether it is passed to the first method; else to the second.
        of_first: bool,
    },
    /// Both subjects hold one object: an entry of [`ClassFacts::setters`] says in which field, and how it gets there.
    Field(usize),
}

/// Two accesses that conflict if something else than the subject is shared.
#[derive(Clone, Copy, Debug)]
pub struct SecondShare<'f> {
    /// The accesses, and a lock of what is shared that both hold then.
    pub conflict: Conflict<'f>,
    /// What has to be shared.
    pub through: Through,
}

/// A method, prepared for comparison.
#[derive(Clone, Copy)]
pub(crate) struct Side<'i, 'f> {
    pub method: &'f MethodFacts,
    pub index: &'i Index<'f>,
    pub arguments: &'i Arguments<'f>,
}

/// The accesses of a method to what could be the subject of another call, by argument and location.
pub(crate) struct Arguments<'f>(Vec<Argument<'f>>);

struct Argument<'f> {
    number: usize,
    accesses: Vec<&'f AccessFact>,
    /// The locks that are held whenever something of the argument is accessed, from the first time on.
    cover: Vec<usize>,
}

impl<'f> Arguments<'f> {
    pub fn of(facts: &'f ClassFacts, method: &'f MethodFacts) -> Arguments<'f> {
        let mut found: Vec<Argument<'f>> = Vec::new();
        for access in &method.accesses {
            let location = &facts.locations[access.location];
            let (Some(number), Some(_), false) = (location.argument, location.of_subject, location.is_final) else {
                continue;
            };
            let mut covering = access.held.iter().filter(|held| held.from_first).map(|held| held.lock);
            match found.iter_mut().find(|argument| argument.number == number) {
                Some(argument) => {
                    let covering: Vec<usize> = covering.collect();
                    argument.cover.retain(|lock| covering.contains(lock));
                    argument.accesses.push(access);
                }
                None => found.push(Argument { number, accesses: vec![access], cover: covering.by_ref().collect() }),
            }
        }
        found.iter_mut().for_each(|argument| argument.accesses.sort_by_key(|access| access.location));
        Arguments(found)
    }
}

impl ClassFacts {
    /// The conflicts of two methods on two subjects, one location after the other, each with its least protected
    /// accesses. What a lock of the shared object keeps apart throughout is not among them.
    pub fn second_shares(&self, first: usize, second: usize) -> Vec<SecondShare<'_>> {
        let methods = [first, second].map(|number| &self.methods[number]);
        let indices = methods.map(|method| Index::of(self, method));
        let arguments = methods.map(|method| Arguments::of(self, method));
        let side = |at: usize| Side { method: methods[at], index: &indices[at], arguments: &arguments[at] };
        let mut found = Vec::new();
        self.find_second_shares(side(0), side(1), &mut |share| {
            found.push(share);
            false
        });
        found
    }

    pub(crate) fn has_second_share(&self, first: Side<'_, '_>, second: Side<'_, '_>) -> bool {
        self.find_second_shares(first, second, &mut |_| true)
    }

    /// Tells of each until one is enough. Says whether one was.
    fn find_second_shares<'f>(
        &self,
        first: Side<'_, 'f>,
        second: Side<'_, 'f>,
        tell: &mut dyn FnMut(SecondShare<'f>) -> bool,
    ) -> bool {
        let same = std::ptr::eq(first.method, second.method);
        self.through_arguments(first, second, true, tell)
            || !same && self.through_arguments(second, first, false, tell)
            || self.through_fields(first, second, tell)
    }

    fn through_arguments<'f>(
        &self,
        caller: Side<'_, 'f>,
        other: Side<'_, 'f>,
        of_first: bool,
        tell: &mut dyn FnMut(SecondShare<'f>) -> bool,
    ) -> bool {
        // A lock of the argument is the other's lock of its subject; that of the caller's own subject is another's.
        let excludes = |a: usize, b: usize| {
            let (lock, other) = (&self.locks[a], &self.locks[b]);
            let one = lock.of_subject == Some(b) || lock.owner == Owner::Static && lock.path == other.path;
            one && lock.stable && other.stable && keep_out(lock.mode, other.mode)
        };
        for argument in &caller.arguments.0 {
            if argument.cover.iter().any(|&a| other.method.lock_summary.iter().any(|&b| excludes(a, b))) {
                continue;
            }
            let through = Through::Argument { number: argument.number, of_first };
            let shared = argument.accesses.chunk_by(|a, b| a.location == b.location).flat_map(|accesses| {
                let target = self.locations[accesses[0].location].of_subject;
                let overlaps = target.into_iter().flat_map(|target| self.locations[target].overlaps.iter().copied());
                target.into_iter().chain(overlaps).map(move |location| (accesses, other.index.at(location)))
            });
            let mut clashes = self.clashes(shared, &excludes).into_iter();
            if clashes.any(|conflict| tell(SecondShare { conflict: conflict.turned(!of_first), through })) {
                return true;
            }
        }
        false
    }

    fn through_fields<'f>(
        &self,
        first: Side<'_, 'f>,
        second: Side<'_, 'f>,
        tell: &mut dyn FnMut(SecondShare<'f>) -> bool,
    ) -> bool {
        if self.setters.is_empty() {
            return false;
        }
        let within = |accesses: &[&AccessFact]| self.locations[accesses[0].location].within;
        let shared: Vec<Shared<'_, 'f>> =
            self.shared(first.index, second.index).filter(|(a, b)| within(a) == within(b)).collect();
        (0..self.setters.len()).any(|field| {
            let excludes = |a: usize, b: usize| {
                let (a, b) = (&self.locks[a], &self.locks[b]);
                let shared = a.within == Some(field) || a.owner == Owner::Static;
                shared && a.path == b.path && keep_out(a.mode, b.mode)
            };
            let of_field = shared.iter().copied().filter(|(a, _)| within(a) == Some(field));
            let mut clashes = self.clashes(of_field, &excludes).into_iter();
            clashes.any(|conflict| tell(SecondShare { conflict, through: Through::Field(field) }))
        })
    }
}

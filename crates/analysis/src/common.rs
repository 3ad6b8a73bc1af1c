//! Conflicts of two calls on one subject that are given the same object: `tree.cut(branch)` beside
//! `tree.height(branch)`.
//!
//! The definitions of DepCon+ know what the subject holds. A class whose state is in handles that it gives out and gets
//! back conflicts in what its arguments hold, and nothing of that is on a path from the subject.
//!
//! **What it may miss.** Fields of classes of the JDK, and conflicts under a lock that is given up in between.
//! **What it may say too much.** Whether threads are meant to share such an argument is not in the facts, and the same
//! field of two objects that hang on one argument is taken for one.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{AccessFact, ClassFacts, MethodFacts};

/// Two methods that conflict if they are given one object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CommonArgument {
    /// The methods, by their numbers; the first is not larger.
    pub methods: (usize, usize),
    /// The argument of each, counted from 0.
    pub arguments: (usize, usize),
}

/// The accesses to what arguments hold, by the field and the argument.
type Fields<'f> = BTreeMap<(&'f str, &'f str), Vec<(usize, &'f AccessFact)>>;

impl ClassFacts {
    /// The pairs of methods that conflict without a lock if they are given one object, in order.
    pub fn common_arguments(&self) -> Vec<CommonArgument> {
        let fields: Vec<Fields<'_>> = self.methods.iter().map(|method| self.of_arguments(method)).collect();
        let mut found = BTreeSet::new();
        for first in 0..fields.len() {
            for second in first..fields.len() {
                for (field, accesses) in &fields[first] {
                    let others = fields[second].get(field).map_or(&[][..], |others| others);
                    for (one, a) in accesses {
                        let meet = others.iter().filter(|(_, b)| a.kind.writes() || b.kind.writes());
                        for (other, _) in meet.filter(|(other, b)| !self.are_apart((*one, a), (*other, b))) {
                            found.insert(CommonArgument { methods: (first, second), arguments: (*one, *other) });
                        }
                    }
                }
            }
        }
        found.into_iter().collect()
    }

    /// Of accesses that differ in nothing that counts here, the first.
    fn of_arguments<'f>(&'f self, method: &'f MethodFacts) -> Fields<'f> {
        let mut fields = Fields::new();
        for access in &method.accesses {
            let location = &self.locations[access.location];
            let is_own = !["java.", "javax.", "jdk.", "sun."].iter().any(|jdk| location.class.starts_with(jdk));
            let (Some(argument), true, false) = (location.argument, is_own, location.is_final) else { continue };
            let known: &mut Vec<(usize, &AccessFact)> = fields.entry((&*location.class, &*location.field)).or_default();
            let locks = |access: &AccessFact| access.held.iter().map(|held| held.lock).collect::<BTreeSet<_>>();
            let is_same = |(of, other): &(usize, &AccessFact)| {
                *of == argument && other.kind.writes() == access.kind.writes() && locks(other) == locks(access)
            };
            if !known.iter().any(is_same) {
                known.push((argument, access));
            }
        }
        fields
    }

    /// Whether a lock keeps two accesses to what an argument holds apart: one of the subject or of a class, or the
    /// argument's own.
    fn are_apart(&self, (one, a): (usize, &AccessFact), (other, b): (usize, &AccessFact)) -> bool {
        let is_itself = |lock: usize, argument: usize| self.locks[lock].itself() == Some(argument);
        a.held.iter().any(|a| {
            let is_same = |b: usize| self.excludes(a.lock, b) || is_itself(a.lock, one) && is_itself(b, other);
            b.held.iter().any(|b| is_same(b.lock))
        })
    }
}

//! Which methods a call can run.
//!
//! An object that the reached code makes is of a class that the reached code makes objects of. An object that
//! came from outside (a parameter, or what was stored by someone who is not seen) can be anything that its
//! type allows. Three things are assumed of those, and the call is marked as open besides: it may be an object
//! of the class under test; of one of the classes that the reached code makes; or of the class that usually
//! stands for the type (see `scope`). Of a call on a mere `Object` only the class under test and its own
//! nest or library are taken, and only where the path says whose object it is: nearly every class has a
//! `hashCode`, and what a vector in a vector in a vector holds is nobody's concern.

use classfile::Flags;

use crate::interpret::Interpreter;
use crate::names::Sym;
use crate::path::{PathId, Root};
use crate::scope;

/// More classes than this behind one call are cut off, and the call is marked as opaque.
const MAX_CLASSES: usize = 24;

/// The classes that a receiver may be of.
pub struct Candidates {
    pub classes: Vec<Sym>,
    /// Whether it may be of others, too.
    pub open: bool,
}

impl Interpreter<'_, '_, '_> {
    /// The classes of the object on a path, on which a method of `named` is called.
    pub fn candidates(&mut self, path: PathId, named: Sym) -> Candidates {
        let (class, exact) = self.type_of(path);
        if exact {
            return Candidates { classes: vec![class], open: false };
        }
        let class = if self.solver.program.is_subtype(class, named) { class } else { named };
        if self.solver.program.is_array(class) {
            return Candidates { classes: vec![class], open: false };
        }
        if let Some(classes) = self.content_of(path) {
            return Candidates { classes, open: false };
        }
        if class == self.solver.program.known.object && self.is_vague(path) {
            return Candidates { classes: Vec::new(), open: true };
        }
        let (id, under_test) = (self.id, self.solver.under_test);
        let mut classes = self.solver.implementers(class, id);
        if class == self.solver.program.known.object {
            classes.retain(|&candidate| self.is_own(candidate));
        }
        let loaded = self.solver.program.class(class);
        let is_final = loaded.as_ref().is_ok_and(|class| class.flags.has(Flags::FINAL));
        let mut add = |candidate: Sym| {
            if !classes.contains(&candidate) {
                classes.push(candidate);
            }
        };
        if loaded.is_ok_and(|class| class.is_concrete()) && class != self.solver.program.known.object {
            add(class);
        }
        if self.solver.program.is_subtype(under_test, class) && self.is_concrete(under_test) {
            add(under_test);
        }
        if let Some(usual) = scope::stand_in(self.solver.program, class) {
            add(usual);
        }
        let open = !is_final || classes.len() > MAX_CLASSES;
        classes.truncate(MAX_CLASSES);
        Candidates { classes, open }
    }

    /// Whether a path stands for objects of which nothing is known: neither type nor place.
    fn is_vague(&self, path: PathId) -> bool {
        let path = self.solver.paths.get(path);
        path.tail || matches!(path.root, Root::Outside(_) | Root::Anything)
    }

    /// The classes that constructors put into the final field at the end of a path, if they are all known.
    fn content_of(&mut self, path: PathId) -> Option<Vec<Sym>> {
        let path = self.solver.paths.get(path);
        let field = match (path.tail, path.fields.last(), path.root) {
            (true, ..) => return None,
            (false, Some(&field), _) => field,
            (false, None, Root::Static(field)) => field,
            _ => return None,
        };
        self.solver.contents.get(&field).map(|classes| classes.to_vec())
    }

    /// Whether a class belongs to what is tested: to the same library or, inside the JDK, to the same nest.
    fn is_own(&mut self, class: Sym) -> bool {
        let under_test = self.solver.under_test;
        self.solver.program.lambdas.contains_key(&class)
            || scope::same_nest(self.solver.program, class, under_test)
            || self.solver.program.class(class).is_ok_and(|class| !class.of_jdk)
    }

    pub fn is_concrete(&mut self, class: Sym) -> bool {
        self.solver.program.class(class).is_ok_and(|class| class.is_concrete())
    }
}

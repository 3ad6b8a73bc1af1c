//! Which methods a call can run.
//!
//! An object that the reached code makes is of a class that the reached code makes objects of. An object that
//! came from outside (a parameter, or what was stored by someone who is not seen) can be anything that its
//! type allows. Three things are assumed of those, and the call is marked as open besides: it may be an object
//! of the class under test; of one of the classes that the reached code makes; or of the class that usually
//! stands for the type (see `scope`). Of a call on a mere `Object` only the class under test and classes that
//! come with it are taken, and only where the path says whose object it is: nearly every class has a
//! `hashCode`, and what a vector in a vector in a vector holds is nobody's concern.

use classfile::{AttributeValue, Flags};

use crate::interpret::Interpreter;
use crate::names::Sym;
use crate::path::{PathId, Root};
use crate::program::ELEMENTS;
use crate::scope;

/// More classes than this behind one call are cut off, and the call is marked as opaque.
const MAX_CLASSES: usize = 24;

/// The classes that a receiver may be of.
pub struct Candidates {
    /// Each with whether it is merely assumed that it is the class under test.
    pub classes: Vec<(Sym, bool)>,
    /// Whether it may be of others, too.
    pub open: bool,
}

impl Interpreter<'_, '_, '_> {
    /// The classes of the object on a path, on which a method of `named` is called.
    pub fn candidates(&mut self, path: PathId, named: Sym) -> Candidates {
        let (class, exact) = self.type_of(path);
        let closed = |classes: Vec<Sym>| Candidates {
            classes: classes.into_iter().map(|class| (class, false)).collect(),
            open: false,
        };
        if exact {
            return closed(vec![class]);
        }
        let class = if self.solver.program.is_subtype(class, named) { class } else { named };
        if self.solver.program.is_array(class) {
            return closed(vec![class]);
        }
        if let Some(classes) = self.content_of(path) {
            return closed(classes);
        }
        let (id, under_test, object) = (self.id, self.solver.under_test, self.solver.program.known.object);
        if class == object && (self.key.nested || self.is_vague(path)) {
            return Candidates { classes: Vec::new(), open: true };
        }
        let mut classes = self.solver.implementers(class, (id, self.leader));
        if class == object {
            classes.retain(|&candidate| self.is_own(candidate));
        }
        let loaded = self.solver.program.class(class);
        let is_final = loaded.as_ref().is_ok_and(|class| class.flags.has(Flags::FINAL));
        if loaded.is_ok_and(|class| class.is_concrete()) && class != object && !classes.contains(&class) {
            classes.push(class);
        }
        if let Some(usual) = scope::stand_in(self.solver.program, class)
            && !classes.contains(&usual)
        {
            self.instantiate_data_of(usual);
            classes.push(usual);
        }
        let open = !is_final || classes.len() > MAX_CLASSES;
        // A more general type does not say that it is the class under test.
        let general = class != under_test && self.solver.program.is_subtype(under_test, class);
        if general {
            classes.retain(|&candidate| candidate != under_test);
        }
        classes.truncate(MAX_CLASSES);
        let assumed = class == object;
        let mut classes: Vec<(Sym, bool)> = classes.into_iter().map(|class| (class, assumed)).collect();
        if general && !self.key.nested && !self.is_fixed(path) && self.is_concrete(under_test) {
            classes.push((under_test, true));
        }
        Candidates { classes, open }
    }

    /// A class that stands in for an object from outside was filled by code that is not seen: the static nested
    /// classes of which it consists, such as the nodes of a map, have objects, too.
    fn instantiate_data_of(&mut self, class: Sym) {
        let Ok(loaded) = self.solver.program.class(class) else { return };
        let constants = &loaded.file.constants;
        let nested = loaded.file.attributes.iter().filter_map(|attribute| match &attribute.value {
            AttributeValue::InnerClasses(classes) => Some(classes),
            _ => None,
        });
        let own = nested.flatten().filter(|inner| {
            inner.flags.has(Flags::STATIC)
                && inner.outer.is_some_and(|outer| constants.class_name(outer) == loaded.file.name())
        });
        let own: Vec<_> = own.map(|inner| self.solver.program.names.java(constants.class_name(inner.inner))).collect();
        let spliterator = self.solver.program.names.get("java/util/Spliterator");
        for nested in own {
            if self.is_concrete(nested) && !self.solver.program.is_subtype(nested, spliterator) {
                self.solver.instantiate(nested);
            }
        }
    }

    /// Whether a path ends in a final field. What was put there at construction may be another object of the
    /// class under test, but then it was there before: two threads meet the two in the same order.
    fn is_fixed(&mut self, path: PathId) -> bool {
        match self.solver.paths.split(path) {
            Some((_, field)) => field != ELEMENTS && self.solver.program.field(field).is_final(),
            None => false,
        }
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

    /// Whether a class comes with what is tested, and not with the JDK.
    fn is_own(&mut self, class: Sym) -> bool {
        self.solver.program.class(class).is_ok_and(|class| !class.of_jdk)
    }

    pub fn is_concrete(&mut self, class: Sym) -> bool {
        self.solver.program.class(class).is_ok_and(|class| class.is_concrete())
    }
}

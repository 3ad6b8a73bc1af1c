//! Supertypes, and which method a call on an object of a known class runs.

use std::rc::Rc;

use classfile::Flags;

use crate::names::Sym;
use crate::program::{ELEMENTS, FieldId, MethodId, Program};

impl Program<'_> {
    /// The type itself and all its supertypes that are there: superclasses first, then interfaces, each once.
    /// A hierarchy that goes round in a circle ends where it meets itself.
    pub fn supertypes(&mut self, of: Sym) -> Rc<[Sym]> {
        if let Some(known) = self.supertypes.get(&of) {
            return known.clone();
        }
        let mut found = vec![of];
        let mut interfaces = Vec::new();
        if let Some(lambda) = self.lambdas.get(&of) {
            interfaces.push(lambda.interface);
        }
        let mut class = of;
        while let Ok(loaded) = self.class(class) {
            interfaces.extend(&loaded.interfaces);
            match loaded.super_class {
                Some(super_class) if !found.contains(&super_class) => found.push(super_class),
                _ => break,
            }
            class = loaded.super_class.expect("internal bug: just seen");
        }
        let mut at = 0;
        while let Some(&interface) = interfaces.get(at) {
            at += 1;
            if !found.contains(&interface) {
                found.push(interface);
                if let Ok(loaded) = self.class(interface) {
                    interfaces.extend(&loaded.interfaces);
                }
            }
        }
        if !found.contains(&self.known.object) {
            found.push(self.known.object);
        }
        let found: Rc<[Sym]> = found.into();
        self.supertypes.insert(of, found.clone());
        found
    }

    /// Whether every object of the one type is of the other.
    pub fn is_subtype(&mut self, sub: Sym, of: Sym) -> bool {
        if sub == of || of == self.known.object {
            return true;
        }
        if self.is_array(sub) {
            let (sub, of) = (self.names.text(sub).clone(), self.names.text(of).clone());
            return match (&sub[1..], of.strip_prefix('[')) {
                (_, None) => matches!(&*of, "java/lang/Cloneable" | "java/io/Serializable"),
                (sub, Some(of)) => match (element(sub), element(of)) {
                    (Some(sub), Some(of)) => {
                        let (sub, of) = (self.names.get(sub), self.names.get(of));
                        self.is_subtype(sub, of)
                    }
                    _ => sub == of,
                },
            };
        }
        self.supertypes(sub).contains(&of)
    }

    pub fn is_array(&self, name: Sym) -> bool {
        self.names.text(name).starts_with('[')
    }

    /// The type of the elements of an array type, if those are references.
    pub fn element_type(&mut self, array: Sym) -> Option<Sym> {
        if let Some(&known) = self.elements.get(&array) {
            return known;
        }
        let text = self.names.text(array).clone();
        let found = text.strip_prefix('[').and_then(element).map(|name| self.names.get(name));
        self.elements.insert(array, found);
        found
    }

    /// Whether objects of a class can have a field. If they need not be of exactly that class, of a subclass.
    pub fn can_have(&mut self, class: Sym, exact: bool, field: FieldId) -> bool {
        if let Some(&known) = self.holders.get(&(class, exact, field)) {
            return known;
        }
        let owner = self.field(field).owner;
        let can = match exact {
            _ if field == ELEMENTS => self.is_array(class) || !exact && class == self.known.object,
            true => self.is_subtype(class, owner),
            false => self.may_overlap(class, owner),
        };
        self.holders.insert((class, exact, field), can);
        can
    }

    /// Whether an object may be of both types: one is a subtype of the other, or some class not seen may
    /// extend both.
    pub fn may_overlap(&mut self, a: Sym, b: Sym) -> bool {
        if a == b {
            return true;
        }
        if let Some(&known) = self.overlaps.get(&(a, b)) {
            return known;
        }
        let overlap = self.find_overlap(a, b);
        self.overlaps.insert((a, b), overlap);
        overlap
    }

    fn find_overlap(&mut self, a: Sym, b: Sym) -> bool {
        if self.is_subtype(a, b) || self.is_subtype(b, a) {
            return true;
        }
        let open = |this: &mut Self, name| {
            this.class(name).is_ok_and(|class| class.is_interface() && !class.flags.has(Flags::FINAL))
        };
        let closed = |this: &mut Self, name| {
            this.is_array(name)
                || this.lambdas.contains_key(&name)
                || this.class(name).is_ok_and(|c| c.flags.has(Flags::FINAL))
        };
        (open(self, a) && !closed(self, b)) || (open(self, b) && !closed(self, a))
    }

    /// The method that a call runs on an object of exactly this class. None if it has none with code or a
    /// native body: abstract, or not there at all.
    pub fn select(&mut self, class: Sym, name: Sym, descriptor: Sym) -> Option<MethodId> {
        if let Some(&known) = self.selected.get(&(class, name, descriptor)) {
            return known;
        }
        let found = self.find_selected(class, name, descriptor);
        self.selected.insert((class, name, descriptor), found);
        found
    }

    fn find_selected(&mut self, class: Sym, name: Sym, descriptor: Sym) -> Option<MethodId> {
        let class = if self.is_array(class) { self.known.object } else { class };
        let mut default: Option<MethodId> = None;
        for supertype in self.supertypes(class).iter() {
            let Ok(loaded) = self.class(*supertype) else { continue };
            let Some(&found) = loaded.methods.get(&(name, descriptor)) else { continue };
            let flags = self.method(found).flags;
            if !loaded.is_interface() {
                if !flags.has(Flags::ABSTRACT) {
                    return Some(found);
                }
                continue;
            }
            if flags.has(Flags::ABSTRACT) || flags.has(Flags::STATIC) {
                continue;
            }
            // Of several default methods, that of the most special interface counts.
            default = match default {
                Some(other) if self.is_subtype(self.method(other).owner, *supertype) => Some(other),
                _ => Some(found),
            };
        }
        default
    }

    /// The method that a reference names, wherever above the class it is declared.
    pub fn resolve_method(&mut self, class: Sym, name: Sym, descriptor: Sym) -> Option<MethodId> {
        if let Some(&known) = self.resolved_methods.get(&(class, name, descriptor)) {
            return known;
        }
        let of = if self.is_array(class) { self.known.object } else { class };
        let supertypes = self.supertypes(of);
        let mut supertypes = supertypes.iter();
        let found =
            supertypes.find_map(|&supertype| self.class(supertype).ok()?.methods.get(&(name, descriptor)).copied());
        self.resolved_methods.insert((class, name, descriptor), found);
        found
    }
}

/// The class of an element's descriptor; None for primitive ones.
fn element(descriptor: &str) -> Option<&str> {
    match descriptor.as_bytes().first()? {
        b'L' => descriptor.strip_prefix('L')?.strip_suffix(';'),
        b'[' => Some(descriptor),
        _ => None,
    }
}

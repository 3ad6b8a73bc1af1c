//! Sites and fields by number: what hooks say instead of names.
//!
//! A number is a hash of what it names, so that it is the same in every process and traces can be
//! compared and kept. Where two hashes fall together, the one that is seen later gets the next free one.

use crate::hook_class::WRITES;
use crate::unseen;
use schedule::{Event, EventKind, SiteId};
use std::collections::{HashMap, HashSet};

/// Where in the code under test an event comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Site {
    /// As class files name it: `java/util/Vector`.
    pub class: String,
    /// Name and descriptor: `add(Ljava/lang/Object;)Z`.
    pub method: String,
    /// The offset of the instruction in the original code.
    pub pc: u16,
    /// The source line, if the class file tells.
    pub line: Option<u16>,
    /// What is done there.
    pub kind: EventKind,
    /// The field that is touched.
    pub field: Option<FieldRef>,
}

impl Site {
    /// The class of sites that are in the test itself.
    pub const TEST: &str = "test";
}

/// A field as an instruction names it: it may be declared by a superclass of `class`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FieldRef {
    /// The class it is looked up in.
    pub class: String,
    /// Its name.
    pub name: String,
}

/// All sites that were given a number.
#[derive(Debug, Default)]
pub struct Sites {
    by_number: HashMap<u32, Site>,
    fields: HashMap<u32, FieldRef>,
    /// What each rewritten class declares, and its superclass.
    classes: HashMap<String, ClassFields>,
    /// What was found out about each site that was asked for.
    resolved: HashMap<u32, (EventKind, u32)>,
    /// Fields whose accesses by opaque code are always events.
    told: HashSet<u32>,
}

#[derive(Debug)]
struct ClassFields {
    super_class: Option<String>,
    fields: Vec<DeclaredField>,
}

/// A field that a class declares.
#[derive(Debug)]
pub struct DeclaredField {
    /// Its name.
    pub name: String,
    /// Whether it is volatile.
    pub volatile: bool,
    /// Whether it is final.
    pub is_final: bool,
    /// Whether only its own class, and those inside it, can access it.
    pub is_private: bool,
}

/// What opaque code does at a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// A read or a write, plain or volatile.
    pub kind: EventKind,
    /// The number of the place.
    pub place: u32,
    /// Whether code that tells of events can access the place, too.
    pub meets_events: bool,
    /// Whether it is an event in any case.
    pub is_event: bool,
    /// How much is accessed.
    pub extent: Extent,
}

/// How much of an object an access is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The place alone: a field or an element.
    Part,
    /// A named piece of the world outside of objects.
    World,
    /// All fields or elements of the object.
    Whole,
    /// The monitor, which is taken.
    Monitor,
    /// Nobody knows.
    Anything,
}

/// The name, in place of a field's, of all that an object holds.
pub const WHOLE: &str = "*";
/// The name, in place of a field's, of what nobody knows.
pub const ANYTHING: &str = "?";

/// The name, in place of a field's, of a monitor that opaque code takes and that cannot be opened.
pub const HELD: &str = "monitor";

/// The name, in place of a field's, of all elements that the code of a class touches.
pub const ELEMENTS: &str = "[]";

/// The name, in place of a field's, of the monitors that the code of an opaque class takes.
pub const MONITOR: &str = "<monitor>";

impl Sites {
    /// Gives a site its number.
    pub fn add(&mut self, site: Site) -> SiteId {
        let hash = stable_hash(&[&site.class, &site.method, &site.pc.to_string(), site.kind.name()]);
        // Java sees by the sign whether it is a write.
        let sign = if site.kind == EventKind::Write { WRITES } else { 0 };
        let mut number = hash & !WRITES | sign;
        while self.by_number.get(&number).is_some_and(|known| *known != site) {
            number = number.wrapping_add(1) & !WRITES | sign;
        }
        self.by_number.insert(number, site);
        SiteId(number)
    }

    /// The site with that number.
    pub fn get(&self, site: SiteId) -> Option<&Site> {
        self.by_number.get(&site.0)
    }

    /// Notes what a class declares.
    pub fn add_class(&mut self, class: &str, super_class: Option<&str>, fields: Vec<DeclaredField>) {
        let declared = ClassFields { super_class: super_class.map(str::to_owned), fields };
        self.classes.insert(class.to_owned(), declared);
        // What was looked up while the class was not there may have been resolved too far up.
        self.resolved.clear();
    }

    /// Whether a class was noted.
    pub fn has_class(&self, class: &str) -> bool {
        self.classes.contains_key(class)
    }

    /// What happens at a site, and the number of the field it happens to: the same for all sites that mean
    /// the same field, 0 for those that mean none.
    pub fn resolve(&mut self, site: SiteId) -> Option<(EventKind, u32)> {
        if let Some(&known) = self.resolved.get(&site.0) {
            return Some(known);
        }
        let Site { kind, ref field, .. } = *self.by_number.get(&site.0)?;
        let resolved = match field.clone() {
            None => (kind, 0),
            Some(field) => {
                let (class, declared) = self.declaration(&field);
                let volatile = declared.is_some_and(|declared| declared.volatile);
                let kind = match kind {
                    EventKind::Read if volatile => EventKind::VolatileRead,
                    EventKind::Write if volatile => EventKind::VolatileWrite,
                    other => other,
                };
                let declared = FieldRef { class: class.to_owned(), name: field.name };
                (kind, self.number_of_field(declared))
            }
        };
        self.resolved.insert(site.0, resolved);
        Some(resolved)
    }

    /// The key of the accesses at a site (see `silence`): the number of the field or, for elements, one for all that the
    /// code of the class touches.
    pub fn key(&mut self, site: SiteId) -> Option<u32> {
        let Site { class, field, .. } = self.by_number.get(&site.0)?;
        match field {
            Some(_) => self.resolve(site).map(|(_, slot)| slot),
            None => {
                let elements = FieldRef { class: class.clone(), name: ELEMENTS.to_owned() };
                Some(self.number_of_field(elements))
            }
        }
    }

    /// What opaque code does at a site, and to which place: the number of the field or, for elements, one for all
    /// that its class touches. None if the place never changes.
    pub fn watched(&mut self, site: SiteId) -> Option<Watched> {
        let Site { class, kind, field, .. } = self.by_number.get(&site.0)?.clone();
        let Some(field) = field else {
            let place = self.number_of_field(FieldRef { class, name: ELEMENTS.to_owned() });
            return Some(Watched { kind, place, meets_events: true, is_event: false, extent: Extent::Part });
        };
        let extent = match &*field.name {
            HELD if field.class.is_empty() => Extent::Monitor,
            _ if field.class.is_empty() && field.name != ANYTHING => Extent::World,
            WHOLE => Extent::Whole,
            ANYTHING => Extent::Anything,
            _ => Extent::Part,
        };
        let (kind, place) = self.resolve(site)?;
        let (class, declared) = self.declaration(&field);
        let is_private = declared.is_some_and(|declared| declared.is_private);
        let is_final = declared.is_some_and(|declared| declared.is_final);
        let is_event = self.told.contains(&place);
        let watched = Watched { kind, place, meets_events: !is_private, is_event, extent };
        (is_event || unseen::can_change(class, &field.name, is_final)).then_some(watched)
    }

    /// Accesses of a static field by opaque code are events from now on.
    pub fn tell_of(&mut self, field: FieldRef) {
        let number = self.number_of_field(field);
        self.told.insert(number);
    }

    /// The number of a field, given the class that declares it.
    pub fn number_of_field(&mut self, field: FieldRef) -> u32 {
        let mut number = stable_hash(&[&field.class, &field.name]);
        let is_taken =
            |number| number >= Event::FIRST_RESERVED || self.fields.get(&number).is_some_and(|known| *known != field);
        while is_taken(number) {
            number = number.wrapping_add(1);
        }
        self.fields.insert(number, field);
        number
    }

    /// The field with that number.
    pub fn field(&self, number: u32) -> Option<&FieldRef> {
        self.fields.get(&number)
    }

    /// The class that declares a field, and how, if that is known.
    fn declaration<'s>(&'s self, field: &'s FieldRef) -> (&'s str, Option<&'s DeclaredField>) {
        let mut class = field.class.as_str();
        while let Some(known) = self.classes.get(class) {
            if let Some(declared) = known.fields.iter().find(|declared| declared.name == field.name) {
                return (class, Some(declared));
            }
            match &known.super_class {
                Some(super_class) => class = super_class,
                None => break,
            }
        }
        // The field is in a class that was not seen, or in an interface: the reference itself will do.
        (&field.class, None)
    }
}

/// FNV-1a over the parts and a separator.
fn stable_hash(parts: &[&str]) -> u32 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0x811c_9dc5, |hash: u32, byte| (hash ^ byte as u32).wrapping_mul(0x0100_0193))
}

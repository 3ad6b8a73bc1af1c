//! Access paths: names for objects, as seen from the start of a method.
//!
//! A path is a root (a parameter, a static field, an object that the method made) and the fields to follow
//! from there: `this.table.[].value`. It stands for whatever is found there while the method runs. Paths
//! are bounded so that every fixpoint ends: one that grows past [`MAX_FIELDS`], meets a field again, or comes to
//! an object of a type that it has been at (the next node of a list) is cut there and ends in a *tail*, which
//! stands for everything that can be reached from that place.

use std::rc::Rc;

use crate::names::{Map, Sym};
use crate::program::{ELEMENTS, FieldId, MethodId, Program};

/// How many fields a path may follow.
pub const MAX_FIELDS: usize = 4;

/// Of stores into objects farther away than this from a parameter, callers are told only those of new objects.
const MAX_STORE_FIELDS: usize = 2;

/// A path by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PathId(pub u32);

/// An instruction that makes an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AllocationId(pub u32);

/// Where a path starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    /// A parameter; the receiver of an instance method is the first.
    Parameter(u8),
    /// What a static field holds.
    Static(FieldId),
    /// An object that was made while the method ran. Its fields are followed through what was stored in them,
    /// so its paths have none.
    Fresh(AllocationId),
    /// The object of class `Class` of a class, which static synchronized methods lock.
    Class(Sym),
    /// A string constant.
    Text(Sym),
    /// An object of this type that came from code that is not seen. Whatever hangs on it is again one.
    Outside(Sym),
    /// Any object at all: more were met than can be told apart.
    Anything,
}

/// A path.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Path {
    pub root: Root,
    pub fields: Rc<[FieldId]>,
    /// Whether it stands for everything from there on.
    pub tail: bool,
}

impl Path {
    /// Whether an object on this path may be one that the caller made.
    pub fn may_be_new(&self) -> bool {
        !self.tail && matches!(self.root, Root::Parameter(_))
    }

    /// Whether it may be, and is near enough that all stores into it are told to callers.
    pub fn is_near(&self) -> bool {
        self.may_be_new() && self.fields.len() <= MAX_STORE_FIELDS
    }
}

/// Where an object is made, and its class.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Allocation {
    pub method: MethodId,
    pub offset: u16,
    pub class: Sym,
}

/// All paths that were met.
#[derive(Debug, Default)]
pub struct Paths {
    no_fields: Rc<[FieldId]>,
    roots: Map<Root, PathId>,
    numbers: Map<Path, PathId>,
    paths: Vec<Path>,
    appended: Map<(PathId, FieldId), PathId>,
    splits: Map<PathId, Option<(PathId, FieldId)>>,
    allocation_numbers: Map<Allocation, AllocationId>,
    allocations: Vec<Allocation>,
}

impl Paths {
    pub fn get(&self, id: PathId) -> &Path {
        &self.paths[id.0 as usize]
    }

    pub fn root(&mut self, root: Root) -> PathId {
        if let Some(&known) = self.roots.get(&root) {
            return known;
        }
        let id = self.number(Path { root, fields: self.no_fields.clone(), tail: false });
        self.roots.insert(root, id);
        id
    }

    pub fn allocation(&self, id: AllocationId) -> &Allocation {
        &self.allocations[id.0 as usize]
    }

    pub fn allocate(&mut self, allocation: Allocation) -> AllocationId {
        let next = AllocationId(self.allocations.len() as u32);
        let id = *self.allocation_numbers.entry(allocation).or_insert(next);
        if id == next {
            self.allocations.push(allocation);
        }
        id
    }

    /// The object made at an allocation, if that is what a path is.
    pub fn fresh(&self, id: PathId) -> Option<AllocationId> {
        match self.get(id).root {
            Root::Fresh(allocation) => Some(allocation),
            _ => None,
        }
    }

    /// What a field of a path's object holds. The field's values are references.
    pub fn append(&mut self, base: PathId, field: FieldId, program: &mut Program<'_>) -> PathId {
        if let Some(&known) = self.appended.get(&(base, field)) {
            return known;
        }
        let path = self.get(base).clone();
        let appended = if path.root == Root::Anything {
            base
        } else if let Root::Outside(_) = path.root {
            let type_name = if field == ELEMENTS { None } else { program.field(field).type_name };
            self.root(Root::Outside(type_name.unwrap_or(program.known.object)))
        } else if path.tail {
            base
        } else if let Some(at) = meets_itself(&path.fields, field, program) {
            self.number(Path { root: path.root, fields: path.fields[..=at].into(), tail: true })
        } else if path.fields.len() == MAX_FIELDS {
            self.number(Path { tail: true, ..path })
        } else {
            let fields = path.fields.iter().copied().chain([field]).collect();
            self.number(Path { root: path.root, fields, tail: false })
        };
        self.appended.insert((base, field), appended);
        appended
    }

    /// The path without its last field, and that field.
    pub fn split(&mut self, id: PathId) -> Option<(PathId, FieldId)> {
        if let Some(&known) = self.splits.get(&id) {
            return known;
        }
        let path = self.get(id).clone();
        let split = match path.fields.split_last() {
            Some((&last, before)) if !path.tail => {
                let base = Path { root: path.root, fields: before.into(), tail: false };
                Some((self.number(base), last))
            }
            _ => None,
        };
        self.splits.insert(id, split);
        split
    }

    /// Everything that can be reached from a path.
    pub fn with_tail(&mut self, id: PathId) -> PathId {
        let path = self.get(id).clone();
        match path.root {
            Root::Parameter(_) | Root::Static(_) => self.number(Path { tail: true, ..path }),
            _ => id,
        }
    }

    fn number(&mut self, path: Path) -> PathId {
        if let Some(&known) = self.numbers.get(&path) {
            return known;
        }
        let id = PathId(self.paths.len() as u32);
        self.numbers.insert(path.clone(), id);
        self.paths.push(path);
        id
    }
}

/// The place on a path where one more field would come back to: the same field, or an object of the same family.
fn meets_itself(fields: &[FieldId], field: FieldId, program: &mut Program<'_>) -> Option<usize> {
    if let Some(at) = fields.iter().position(|&f| f == field) {
        return Some(at);
    }
    let mut types = Vec::with_capacity(fields.len() + 1);
    let mut class = None;
    for &field in fields.iter().chain([&field]) {
        class = match field {
            ELEMENTS => class.and_then(|class| program.element_type(class)),
            field => program.field(field).type_name,
        };
        types.push(class);
    }
    let last = types.pop().flatten().filter(|&last| last != program.known.object)?;
    types.iter().position(|&earlier| {
        earlier.is_some_and(|earlier| {
            earlier != program.known.object && (program.is_subtype(last, earlier) || program.is_subtype(earlier, last))
        })
    })
}

//! What a slot of the stack or of the local variables may hold.

use std::rc::Rc;

use crate::lock::Lock;
use crate::names::Map;
use crate::path::{PathId, Paths, Root};
use crate::program::{FieldId, Program};

/// A set of paths by number. Equal sets have equal numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SetId(pub u32);

/// The set of no paths: null, or code that is never reached.
pub const EMPTY: SetId = SetId(0);

/// More paths than this in a set are no longer told apart.
const MAX_PATHS: usize = 10;

/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// No reference, or nothing that is used.
    Plain,
    /// A reference to one of these.
    Objects(SetId),
    /// What finds a field by itself: an offset for `Unsafe`, a `VarHandle`, an updater.
    Handle(FieldId),
    /// The result of an attempt to lock: true if it was locked.
    Attempt(Lock),
}

/// All sets that were met.
#[derive(Debug)]
pub struct Sets {
    numbers: Map<Rc<[PathId]>, SetId>,
    sets: Vec<Rc<[PathId]>>,
    unions: Map<(SetId, SetId), SetId>,
    /// The set of each path alone, as far as it was asked for.
    ones: Vec<Option<SetId>>,
}

impl Default for Sets {
    fn default() -> Sets {
        let empty: Rc<[PathId]> = Rc::new([]);
        let numbers = [(empty.clone(), EMPTY)].into_iter().collect();
        Sets { numbers, sets: vec![empty], unions: Map::default(), ones: Vec::new() }
    }
}

impl Sets {
    pub fn get(&self, id: SetId) -> Rc<[PathId]> {
        self.sets[id.0 as usize].clone()
    }

    pub fn one(&mut self, path: PathId) -> SetId {
        let at = path.0 as usize;
        if let Some(&Some(known)) = self.ones.get(at) {
            return known;
        }
        let one = self.number(&[path]);
        if self.ones.len() <= at {
            self.ones.resize(at + 1, None);
        }
        self.ones[at] = Some(one);
        one
    }

    /// Whether a path is in a set as it is.
    pub fn has(&self, id: SetId, path: PathId) -> bool {
        self.sets[id.0 as usize].contains(&path)
    }

    /// The only path of a set.
    pub fn single(&self, id: SetId) -> Option<PathId> {
        match *self.sets[id.0 as usize] {
            [path] => Some(path),
            _ => None,
        }
    }

    /// A set of paths, which need be in no order. Where there are too many, each root stands for all that can
    /// be reached from it, and in the end one path for everything. What was coarse stays so in every larger
    /// set, so sets only grow.
    pub fn of(&mut self, mut set: Vec<PathId>, paths: &mut Paths, program: &Program<'_>) -> SetId {
        simplify(&mut set, paths, program);
        if set.len() > MAX_PATHS {
            set.iter_mut().for_each(|path| *path = coarse(*path, paths, program));
            simplify(&mut set, paths, program);
        }
        if set.len() > MAX_PATHS {
            return self.one(paths.root(Root::Anything));
        }
        self.number(&set)
    }

    pub fn union(&mut self, a: SetId, b: SetId, paths: &mut Paths, program: &Program<'_>) -> SetId {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == EMPTY {
            return b;
        }
        if let Some(&known) = self.unions.get(&(a, b)) {
            return known;
        }
        let union = self.of([&*self.get(a), &*self.get(b)].concat(), paths, program);
        self.unions.insert((a, b), union);
        union
    }

    fn number(&mut self, sorted: &[PathId]) -> SetId {
        if let Some(&known) = self.numbers.get(sorted) {
            return known;
        }
        let id = SetId(self.sets.len() as u32);
        let set: Rc<[PathId]> = sorted.into();
        self.numbers.insert(set.clone(), id);
        self.sets.push(set);
        id
    }
}

/// Everything that can be reached from a path's root.
fn coarse(path: PathId, paths: &mut Paths, program: &Program<'_>) -> PathId {
    match paths.get(path).root {
        root @ (Root::Parameter(_) | Root::Static(_)) => {
            let root = paths.root(root);
            paths.with_tail(root)
        }
        Root::Outside(_) => paths.root(Root::Outside(program.known.object)),
        Root::Fresh(_) | Root::Class(_) | Root::Text(_) | Root::Anything => path,
    }
}

/// Takes away what others of the set stand for, and puts the rest in order.
fn simplify(set: &mut Vec<PathId>, paths: &mut Paths, program: &Program<'_>) {
    set.sort_unstable();
    set.dedup();
    if set.len() < 2 {
        return;
    }
    let anything = paths.root(Root::Anything);
    if set.contains(&anything) {
        *set = vec![anything];
        return;
    }
    // In most sets no path stands for others.
    let stands_for_others = |paths: &Paths, path: PathId| {
        let found = paths.get(path);
        found.tail && found.fields.is_empty() || found.root == Root::Outside(program.known.object)
    };
    let whole: Vec<PathId> = set.iter().copied().filter(|&path| stands_for_others(paths, path)).collect();
    if !whole.is_empty() {
        set.retain(|&path| {
            let coarse = coarse(path, paths, program);
            coarse == path || !whole.contains(&coarse)
        });
    }
}

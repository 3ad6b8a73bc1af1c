//! Wakeup trees: the sequences that are still to be explored from a state, with what they share run once.

use super::path::Path;
use crate::dependency::{Footprint, Resource};
use schedule::ObjectId;
use std::collections::VecDeque;

/// A thread that goes on, and what may follow. Children are in the order in which they are explored.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub thread: usize,
    /// What its event touches. An update counts as a write, for whether it fails is not known here.
    pub footprint: Footprint,
    pub children: Vec<Branch>,
}

/// A branch is as deep as an execution is long; what is below it goes without recursion, for which a stack may be too small.
impl Drop for Branch {
    fn drop(&mut self) {
        let mut below = std::mem::take(&mut self.children);
        while let Some(mut branch) = below.pop() {
            below.append(&mut branch.children);
        }
    }
}

/// Events of an execution, some left out, that are to happen in this order.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// Most are taken away at the front, where branches have them already.
    items: VecDeque<Item>,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    thread: usize,
    footprint: Footprint,
    /// The step of the execution; None for the last, which comes earlier here than it did there.
    step: Option<usize>,
}

/// Which objects two executions are sure to have in common.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// All: an object has the same number in every execution.
    All,
    /// Those with lower numbers: the others are numbered by first touch, after the executions have parted.
    Below(u32),
}

impl Known {
    /// Whether the resources may be the same, where each is of another execution.
    fn may_be_same(self, a: Resource, b: Resource) -> bool {
        match self {
            Known::Below(limit) if is_new(a.object, limit) && is_new(b.object, limit) => {
                a.space == b.space && a.slot == b.slot
            }
            _ => a == b,
        }
    }
}

fn is_new(object: ObjectId, limit: u32) -> bool {
    object != ObjectId::NONE && object.0 >= limit
}

impl Sequence {
    pub fn clear(&mut self) {
        self.items.clear();
    }

    pub fn push(&mut self, thread: usize, footprint: Footprint, step: Option<usize>) {
        self.items.push_back(Item { thread, footprint, step });
    }

    /// Whether the sequence can as well begin with this thread: its first event in the sequence is before none
    /// of the others, or it has none and its next event, which touches `footprint`, is independent of all.
    pub fn may_begin_with(&self, path: &Path, thread: usize, footprint: &Footprint) -> bool {
        match self.items.iter().position(|item| item.thread == thread) {
            Some(first) => self.is_initial(path, first),
            None => !self.items.iter().any(|item| item.footprint.conflicts(footprint)),
        }
    }

    fn is_initial(&self, path: &Path, index: usize) -> bool {
        let item = &self.items[index];
        !self.items.range(..index).any(|earlier| match (earlier.step, item.step) {
            (Some(earlier), Some(later)) => path.order.happens_before(earlier, later),
            // The last one's predecessors in its thread are here; they alone and what it touches order it.
            _ => earlier.thread == item.thread || earlier.footprint.conflicts(&item.footprint),
        })
    }

    /// Puts the sequence among these branches, unless they lead to all that it leads to. Says whether it did.
    pub fn insert(&mut self, path: &Path, known: Known, mut branches: &mut Vec<Branch>) -> bool {
        let mut deeper = false;
        'descend: while !self.items.is_empty() {
            for (index, branch) in branches.iter().enumerate() {
                match self.items.iter().position(|item| item.thread == branch.thread) {
                    Some(first) if self.is_initial(path, first) => {
                        self.items.remove(first);
                    }
                    Some(_) => continue,
                    None => {
                        // Directly below the state both are of the executions' common part.
                        let same = |a, b| if deeper { known.may_be_same(a, b) } else { a == b };
                        if self.items.iter().any(|item| item.footprint.conflicts_where(&branch.footprint, same)) {
                            continue;
                        }
                    }
                }
                if branches[index].children.is_empty() {
                    return false;
                }
                branches = &mut branches[index].children;
                deeper = true;
                continue 'descend;
            }
            branches.push(self.chain());
            return true;
        }
        false
    }

    fn chain(&mut self) -> Branch {
        let mut chain = None;
        while let Some(item) = self.items.pop_back() {
            let children = chain.take().into_iter().collect();
            chain = Some(Branch { thread: item.thread, footprint: item.footprint, children });
        }
        chain.expect("internal bug: a sequence that is not empty")
    }
}

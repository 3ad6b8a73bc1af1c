//! Wakeup trees: the sequences that are still to be explored from a state, with what they share run once.
//!
//! A sequence that ends where a branch ends and goes on after it needs no place of its own, for whatever follows the
//! branch is explored anyway. That is so only if no thread sleeps at the branch's end: one that does keeps from being
//! explored what it is part of, and that may be what the sequence was for. No branch would be put where a thread goes on
//! sleeping to its end if it were always known what depends on what. It is not: objects of two executions may have
//! other numbers, and an update that comes earlier than it did may fail there. A branch that is put into the tree
//! because of such a dependency is in doubt, and is made longer by the sequences that lead past its end.

use super::path::Path;
use crate::dependency::{Footprint, Mode, Resource};
use schedule::ObjectId;
use std::collections::VecDeque;

/// A thread that goes on, and what may follow. Children are in the order in which they are explored.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub thread: usize,
    touch: Touch,
    /// Threads that sleep where it ends are not known to be woken on the way. Of no meaning where there are children.
    in_doubt: bool,
    pub children: Vec<Branch>,
}

/// What an event touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub footprint: Footprint,
    /// What it changes it may as well only read: an update counts as a write where it is not known whether it fails.
    pub may_fail: bool,
}

/// Whether two events depend on each other, or a thread can come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Answer {
    No,
    Unknown,
    Yes,
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
    touch: Touch,
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
    /// Whether the resources are the same, where each is of another execution.
    fn same(self, a: Resource, b: Resource) -> Answer {
        match self {
            Known::Below(limit) if is_new(a.object, limit) && is_new(b.object, limit) => {
                if a.space == b.space && a.slot == b.slot { Answer::Unknown } else { Answer::No }
            }
            _ if a == b => Answer::Yes,
            _ => Answer::No,
        }
    }
}

impl Touch {
    /// Of an event that is known to touch this.
    pub fn sure(footprint: Footprint) -> Touch {
        Touch { footprint, may_fail: false }
    }

    fn conflicts(&self, other: &Touch, known: Known) -> Answer {
        let mode = |touch: &Touch, mode| if touch.may_fail && mode == Mode::Write { Mode::Read } else { mode };
        let mut answer = Answer::No;
        for a in self.footprint.accesses() {
            for b in other.footprint.accesses().filter(|b| a.mode.conflicts(b.mode)) {
                let surely = mode(self, a.mode).conflicts(mode(other, b.mode));
                let most = if surely { Answer::Yes } else { Answer::Unknown };
                answer = answer.max(known.same(a.resource, b.resource).min(most));
            }
        }
        answer
    }
}

fn is_new(object: ObjectId, limit: u32) -> bool {
    object != ObjectId::NONE && object.0 >= limit
}

/// Whether one of them is Yes; Unknown if one may be.
fn any(answers: impl Iterator<Item = Answer>) -> Answer {
    let mut strongest = Answer::No;
    for answer in answers {
        strongest = strongest.max(answer);
        if strongest == Answer::Yes {
            break;
        }
    }
    strongest
}

impl Sequence {
    pub fn clear(&mut self) {
        self.items.clear();
    }

    pub fn push(&mut self, thread: usize, touch: Touch, step: Option<usize>) {
        self.items.push_back(Item { thread, touch, step });
    }

    /// Whether the sequence can as well begin with this thread: its first event in the sequence is after none
    /// of the others, or it has none and its next event, which touches this, is independent of all.
    pub fn may_begin_with(&self, path: &Path, thread: usize, touch: &Touch, known: Known) -> Answer {
        let depends = match self.items.iter().position(|item| item.thread == thread) {
            Some(first) => self.is_after_others(path, first),
            None => any(self.items.iter().map(|item| item.touch.conflicts(touch, known))),
        };
        match depends {
            Answer::No => Answer::Yes,
            Answer::Unknown => Answer::Unknown,
            Answer::Yes => Answer::No,
        }
    }

    fn is_after_others(&self, path: &Path, index: usize) -> Answer {
        let item = &self.items[index];
        let is_after = |earlier: &Item| match (earlier.step, item.step) {
            (Some(earlier), Some(later)) if path.order.happens_before(earlier, later) => Answer::Yes,
            (Some(_), Some(_)) => Answer::No,
            // The last one's predecessors in its thread are here; they alone and what it touches order it.
            _ if earlier.thread == item.thread => Answer::Yes,
            _ => earlier.touch.conflicts(&item.touch, Known::All),
        };
        any(self.items.range(..index).map(is_after))
    }

    /// Puts the sequence among these branches, unless they lead to all that it leads to. It may be in doubt already
    /// whether threads that sleep are woken on its way.
    pub fn insert(&mut self, path: &Path, known: Known, mut branches: &mut Vec<Branch>, mut in_doubt: bool) {
        // Directly below the state both are of the executions' common part.
        let mut known_here = Known::All;
        'descend: while !self.items.is_empty() {
            for (index, branch) in branches.iter().enumerate() {
                match self.may_begin_with(path, branch.thread, &branch.touch, known_here) {
                    Answer::Yes => {}
                    Answer::Unknown => {
                        in_doubt = true;
                        continue;
                    }
                    Answer::No => continue,
                }
                if let Some(first) = self.items.iter().position(|item| item.thread == branch.thread) {
                    self.items.remove(first);
                }
                if branch.children.is_empty() && !branch.in_doubt {
                    return;
                }
                branches = &mut branches[index].children;
                known_here = known;
                continue 'descend;
            }
            branches.push(self.chain(in_doubt));
            return;
        }
    }

    fn chain(&mut self, in_doubt: bool) -> Branch {
        let mut chain = None;
        while let Some(item) = self.items.pop_back() {
            let children = chain.take().into_iter().collect();
            chain = Some(Branch { thread: item.thread, touch: item.touch, in_doubt, children });
        }
        chain.expect("internal bug: a sequence that is not empty")
    }
}

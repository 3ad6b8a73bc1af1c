//! What is to happen in place of an event, so that another comes before it.

use super::path::Path;
use crate::dependency::Footprint;

/// Events of an execution, some left out, that are to happen in this order.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    items: Vec<Item>,
    /// Reused, so that what is kept is allocated once and as small as can be.
    turns: Vec<(u16, u16)>,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    thread: usize,
    footprint: Footprint,
    /// The step of the execution; None for the last, which comes earlier here than it did there.
    step: Option<usize>,
}

impl Sequence {
    pub fn clear(&mut self) {
        self.items.clear();
    }

    pub fn push(&mut self, thread: usize, footprint: Footprint, step: Option<usize>) {
        self.items.push(Item { thread, footprint, step });
    }

    /// Whether the sequence can as well begin with this thread: its first event in the sequence depends on none
    /// before it. A thread that has none does not count, whatever it would do: see the [module](super).
    pub fn may_begin_with(&self, path: &Path, thread: usize) -> bool {
        let Some(index) = self.items.iter().position(|item| item.thread == thread) else { return false };
        let item = &self.items[index];
        !self.items[..index].iter().any(|earlier| match (earlier.step, item.step) {
            (Some(earlier), Some(later)) => path.order.happens_before(earlier, later),
            // The last one's predecessors in its thread are here; they alone and what it touches order it.
            _ => earlier.thread == item.thread || earlier.footprint.conflicts(&item.footprint),
        })
    }

    /// Who goes on, in this order.
    pub fn threads(&mut self) -> Guide {
        self.turns.clear();
        for item in self.items.iter().rev() {
            match self.turns.last_mut() {
                Some((thread, events)) if *thread as usize == item.thread && *events < u16::MAX => *events += 1,
                _ => self.turns.push((item.thread as u16, 1)),
            }
        }
        Guide(self.turns.as_slice().to_vec())
    }
}

/// The threads that go on next, the last one first, each with the number of its events. Many of these wait, and some are as
/// long as executions.
#[derive(Debug, Default)]
pub(super) struct Guide(Vec<(u16, u16)>);

impl Guide {
    /// Who goes on next.
    pub fn next(&self) -> Option<usize> {
        self.0.last().map(|&(thread, _)| thread.into())
    }

    /// Takes away who goes on next.
    pub fn step(&mut self) -> Option<usize> {
        let (thread, events) = self.0.last_mut()?;
        let thread = *thread;
        *events -= 1;
        if *events == 0 {
            self.0.pop();
        }
        Some(thread.into())
    }

    /// All are free to go on from here.
    pub fn drop_rest(&mut self) {
        self.0.clear();
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Guide>() + self.0.capacity() * size_of::<(u16, u16)>()
    }
}

//! Traces: what happened in an execution.

use crate::event::{Event, ThreadId};

/// One event with the thread that did it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Who.
    pub thread: ThreadId,
    /// What.
    pub event: Event,
}

/// The events of one execution, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// In the order in which they happened.
    pub steps: Vec<Step>,
}

impl Trace {
    /// A number that two traces share only if they are the same, event by event. It is the same in every
    /// process, given the same numbers for objects, slots and sites.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::default();
        for step in &self.steps {
            let Event { kind, object, slot, site } = step.event;
            hash.add(step.thread.0 as u64 | (kind as u64) << 16 | (object.0 as u64) << 32);
            hash.add(slot as u64 | (site.0 as u64) << 32);
        }
        hash.0
    }

    /// A number that two traces of one process share only if they are the same, event by event. It takes a fraction of what
    /// [`hash`](Trace::hash) takes, but another version may give other numbers.
    pub fn digest(&self) -> u64 {
        self.steps.iter().fold(self.steps.len() as u64, |digest, step| {
            let Event { kind, object, slot, site } = step.event;
            let first = step.thread.0 as u64 | (kind as u64) << 16 | (object.0 as u64) << 32;
            mix(mix(digest, first), slot as u64 | (site.0 as u64) << 32)
        })
    }

    /// How often another thread ran next.
    pub fn switches(&self) -> usize {
        self.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
    }
}

/// Both halves of a product depend on all of the digest and the word.
fn mix(digest: u64, word: u64) -> u64 {
    let product = u128::from(digest ^ 0x9e37_79b9_7f4a_7c15) * u128::from((word ^ 0xd1b5_4a32_d192_ed03) | 1);
    (product as u64) ^ (product >> 64) as u64 ^ word.rotate_left(32)
}

/// The FNV-1a hash on words: fixed for all time, unlike the standard library's.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ byte as u64).wrapping_mul(0x100_0000_01b3);
        }
    }
}

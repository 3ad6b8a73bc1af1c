//! A name for a finding that stays the same from run to run.

use crate::code::Code;
use crate::finding::Finding;
use crate::step::Step;

impl Finding {
    /// A name for the finding's folder: the same for the same violation at the same place, in 16 hexadecimal digits.
    ///
    /// It is made of target, kind, exception and of what the events of the cause do in which methods; without a
    /// cause, of what the threads did last. Lines, values and objects are no part of it, so that it outlives small
    /// edits. Whoever tells findings apart by more than that gives them a [`Finding::name`].
    pub fn id(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.add(&self.target);
        hash.add(self.kind.name());
        // The message of an exception may hold values.
        hash.add(self.what.split([':', ' ']).next().unwrap_or_default());
        let code = Code::of(self);
        let mut add = |step: &Step| {
            hash.add(step.kind.name());
            hash.add(step.what.as_deref().unwrap_or_default());
            let place = code.own(step);
            hash.add(place.map_or("", |frame| &frame.class));
            hash.add(place.map_or("", |frame| &frame.method));
        };
        for fact in &self.cause {
            self.step(fact.first).into_iter().chain(self.step(fact.second)).for_each(&mut add);
        }
        if self.cause.is_empty() {
            self.pending.iter().for_each(&mut add);
            self.steps.last().into_iter().for_each(&mut add);
        }
        format!("{:016x}", hash.0)
    }
}

/// The FNV-1a hash: fixed for all time, unlike the standard library's.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, text: &str) {
        // A byte that is in no text keeps neighbours apart.
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ byte as u64).wrapping_mul(0x100_0000_01b3);
        }
    }
}

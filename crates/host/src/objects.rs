//! Dense numbers for objects, by first touch in an execution.

use schedule::ObjectId;

/// Identity hashes of the execution's objects, with the numbers they were given. Open addressing; cleared
/// by starting a new generation, so that an execution costs nothing for the size of the table.
pub struct Objects {
    slots: Vec<Slot>,
    generation: u32,
    count: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    generation: u32,
    hash: i32,
    number: u32,
}

impl Default for Objects {
    fn default() -> Self {
        Objects { slots: vec![Slot::default(); 1024], generation: 1, count: 0 }
    }
}

impl Objects {
    /// Forgets all objects.
    pub fn clear(&mut self) {
        self.count = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    /// The number of the object with that identity hash.
    pub fn number(&mut self, hash: i32) -> ObjectId {
        if self.count as usize * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = spread(hash) & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.generation != self.generation {
                *slot = Slot { generation: self.generation, hash, number: self.count };
                self.count += 1;
                return ObjectId(self.count - 1);
            }
            if slot.hash == hash {
                return ObjectId(slot.number);
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of the object with that identity hash, if it has one.
    pub fn find(&self, hash: i32) -> Option<ObjectId> {
        let mask = self.slots.len() - 1;
        let mut at = spread(hash) & mask;
        while self.slots[at].generation == self.generation {
            if self.slots[at].hash == hash {
                return Some(ObjectId(self.slots[at].number));
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![Slot::default(); old.len() * 2];
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|slot| slot.generation == self.generation) {
            let mut at = spread(slot.hash) & mask;
            while self.slots[at].generation == self.generation {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }
}

fn spread(hash: i32) -> usize {
    (hash as u32).wrapping_mul(0x9e37_79b9) as usize >> 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_by_first_touch_in_each_generation() {
        let mut objects = Objects::default();
        for round in 0..3 {
            let hash = |i: i32| i.wrapping_mul(7919) ^ round;
            for i in 0..5000 {
                assert_eq!(objects.number(hash(i)), ObjectId(i as u32));
            }
            for i in (0..5000).rev() {
                assert_eq!(objects.number(hash(i)), ObjectId(i as u32));
            }
            objects.clear();
        }
    }
}

//! Ways to damage a class file.

use crate::seeds::Seed;
use proptest::prelude::*;
use proptest::sample::Index;

/// One way. Places are chosen by [`Index`], whatever the length of the file.
#[derive(Clone, Debug)]
pub enum Mutation {
    /// Bits change.
    Flip(Vec<(Index, u8)>),
    /// Bits change within Code attributes.
    FlipCode(Vec<(Index, u8)>),
    /// Instructions of one byte become others of one byte: most such code is well formed and senseless.
    Opcodes(Vec<(Index, Index)>),
    /// Numbers become extreme.
    Overwrite(Vec<(Index, &'static [u8])>),
    /// The end is missing.
    Truncate(Index),
    /// Some bytes are missing, or there twice.
    Move { from: Index, length: usize, to: Index },
    /// The beginning of one class, and the end of another.
    Splice { cut: Index, other: Index, other_cut: Index },
}

const EXTREMES: [&[u8]; 9] = [
    &[0],
    &[0xff],
    &[0, 0],
    &[0, 1],
    &[0x7f, 0xff],
    &[0xff, 0xff],
    &[0x7f, 0xff, 0xff, 0xff],
    &[0x80, 0, 0, 0],
    &[0xff, 0xff, 0xff, 0xff],
];

pub fn flips() -> impl Strategy<Value = Mutation> {
    prop::collection::vec((any::<Index>(), 1u8..), 1..6).prop_map(Mutation::Flip)
}

pub fn code_flips() -> impl Strategy<Value = Mutation> {
    prop::collection::vec((any::<Index>(), 1u8..), 1..4).prop_map(Mutation::FlipCode)
}

pub fn opcodes() -> impl Strategy<Value = Mutation> {
    prop::collection::vec(any::<(Index, Index)>(), 1..20).prop_map(Mutation::Opcodes)
}

pub fn extremes() -> impl Strategy<Value = Mutation> {
    let extreme = prop::sample::select(&EXTREMES[..]);
    prop::collection::vec((any::<Index>(), extreme), 1..4).prop_map(Mutation::Overwrite)
}

pub fn truncations() -> impl Strategy<Value = Mutation> {
    any::<Index>().prop_map(Mutation::Truncate)
}

pub fn moves() -> impl Strategy<Value = Mutation> {
    (any::<Index>(), 0..64usize, any::<Index>()).prop_map(|(from, length, to)| Mutation::Move { from, length, to })
}

pub fn splices() -> impl Strategy<Value = Mutation> {
    any::<(Index, Index, Index)>().prop_map(|(cut, other, other_cut)| Mutation::Splice { cut, other, other_cut })
}

/// Any of them.
#[allow(dead_code)] // Not every test file uses it.
pub fn mutations() -> impl Strategy<Value = Mutation> {
    prop_oneof![flips(), code_flips(), opcodes(), extremes(), truncations(), moves(), splices()]
}

impl Mutation {
    /// The damaged file.
    pub fn apply(&self, seed: &Seed, seeds: &[Seed]) -> Vec<u8> {
        let mut bytes = seed.bytes.clone();
        match self {
            Mutation::Flip(flips) => flips.iter().for_each(|(at, bits)| bytes[at.index(seed.bytes.len())] ^= bits),
            Mutation::FlipCode(flips) => {
                let places: Vec<_> = seed.codes.iter().cloned().flatten().collect();
                flips.iter().filter(|_| !places.is_empty()).for_each(|(at, bits)| bytes[*at.get(&places)] ^= bits);
            }
            Mutation::Opcodes(changes) => {
                let places = &seed.short_instructions;
                let short: Vec<u8> = (0..16)
                    .chain(26..54)
                    .chain(59..132)
                    .chain(133..153)
                    .chain(172..178)
                    .chain([190, 191, 194, 195])
                    .collect();
                for (at, opcode) in changes.iter().filter(|_| !places.is_empty()) {
                    bytes[*at.get(places)] = *opcode.get(&short);
                }
            }
            Mutation::Overwrite(numbers) => {
                for (at, number) in numbers {
                    let at = at.index(bytes.len() - number.len());
                    bytes[at..at + number.len()].copy_from_slice(number);
                }
            }
            Mutation::Truncate(length) => bytes.truncate(length.index(seed.bytes.len())),
            Mutation::Move { from, length, to } => {
                let from = from.index(bytes.len());
                let end = (from + length).min(bytes.len());
                let moved: Vec<_> = bytes[from..end].to_vec();
                let to = to.index(bytes.len());
                bytes.splice(to..(to + length / 2).min(seed.bytes.len()), moved);
            }
            Mutation::Splice { cut, other, other_cut } => {
                let other = &other.get(seeds).bytes;
                bytes.truncate(cut.index(seed.bytes.len()));
                bytes.extend_from_slice(&other[other_cut.index(other.len())..]);
            }
        }
        bytes
    }
}

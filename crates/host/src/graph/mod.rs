//! Value graphs: objects read whole at the moment at which a call returns.
//!
//! Fields are read one by one through the native interface. No method of the code under test runs, none that locks, and no
//! event is told of, so that reading is no part of the execution and cannot wait for a thread that stands still.
//!
//! The raw fields of a `HashMap` tell of its history: two maps with the same entries can differ in capacity, in the order
//! of a bucket and in `modCount`. So the collections of the JDK are shown by what they hold ([`shape`]), in sorted order
//! where they have none, and everything else by its fields. Reading ([`read`]) gives a flat snapshot with identity hashes
//! for names; once the execution is over, [`number`] turns the snapshots of all its results into [`Value`](crate::Value)s
//! with numbers that do not depend on the schedule.
//!
//! **What it may miss.** Beyond its [`Bounds`] nothing is compared, and it says so by `More`. Fields of opaque classes, and
//! what a weak reference refers to, are not read. Two keys of a hash table that differ in nothing but their identity, and
//! that no earlier result told apart, may swap places.

mod items;
mod layout;
mod number;
mod read;
mod shape;

pub use layout::{FieldLayout, Kind, Layout, Layouts, is_opaque, stable_name};
pub use number::Numbering;
pub use read::{Reader, Seen, Snapshot};

use crate::value::Value;
use std::sync::Arc;

/// How much of a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// At most so many values in all.
    pub values: usize,
    /// At most so many elements of one array or collection.
    pub elements: usize,
    /// Objects at most so deep inside each other are shown.
    pub depth: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds { values: 2000, elements: 250, depth: 50 }
    }
}

/// A value whose objects have no numbers yet.
#[derive(Debug, Clone)]
enum RawValue {
    Plain(Value),
    /// The object with that identity hash.
    Object(i32),
    More,
}

/// An object that was met, and what was found in it.
#[derive(Debug)]
struct RawObject {
    class: Arc<str>,
    content: RawContent,
}

#[derive(Debug)]
enum RawContent {
    Unread,
    More,
    Read { fields: Vec<(Arc<str>, RawValue)>, items: RawItems },
}

#[derive(Debug)]
enum RawItems {
    None,
    Elements { values: Vec<RawValue>, order: Order },
    Entries { entries: Vec<(RawValue, RawValue)>, order: Order },
    Text(String),
}

/// Whether the place of an element means anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Own,
    None,
}

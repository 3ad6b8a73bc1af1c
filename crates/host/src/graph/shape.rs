//! How the collections of the JDK hold what they hold, as data: by the names of their fields.
//!
//! The names are those of Java 17 to 25. A class that lacks a field of its row is shown by all its fields instead.

use super::layout::Layout;
use crate::scope::is_of_jdk;

/// How to find what a collection holds.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// The elements of an array: as many as the second field says, or all that are not null.
    Array { array: &'static str, count: Option<&'static str>, sorted: bool },
    /// Elements of an array from one index on, around its end, up to another index or by their count.
    Ring { array: &'static str, first: &'static str, end: Option<&'static str>, count: Option<&'static str> },
    /// Nodes from the one that these fields lead to, each with an item. Unless items can be null, those without one only
    /// mark a place.
    Chain { first: &'static [&'static str], next: &'static str, item: &'static str, nulls: bool },
    /// Nodes with keys and values, one after the other.
    Entries { first: &'static [&'static str], next: &'static str, key: &'static str, value: &'static str },
    /// The same in the buckets of an array.
    Buckets { key: &'static str, value: &'static str },
    /// A binary tree.
    Tree,
    /// An array of keys, each with its value behind it.
    Pairs { table: &'static str },
    /// These fields are the elements, one or two.
    Few { elements: &'static [&'static str], sorted: bool },
    /// These fields are key and value.
    OneEntry { key: &'static str, value: &'static str },
    /// The keys of another collection.
    Keys { map: &'static str },
    /// The same as another collection.
    Inner { of: &'static str },
    /// The text of a string buffer.
    Text,
    /// No collection: these fields are shown, and the others keep books.
    Only(&'static [&'static str]),
}

/// The shape of the objects of a class, as class files name it.
pub fn of(class: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|(name, _)| *name == class).map(|(_, shape)| shape)
}

const SHAPES: &[(&str, Shape)] = &[
    ("java/lang/AbstractStringBuilder", Shape::Text),
    ("java/lang/Throwable", Shape::Only(&["detailMessage", "cause"])),
    ("java/math/BigInteger", Shape::Only(&["signum", "mag"])),
    ("java/math/BigDecimal", Shape::Only(&["intVal", "scale", "intCompact"])),
    ("java/util/Date", Shape::Only(&["fastTime"])),
    ("java/util/ArrayList", Shape::Array { array: "elementData", count: Some("size"), sorted: false }),
    ("java/util/Vector", Shape::Array { array: "elementData", count: Some("elementCount"), sorted: false }),
    ("java/util/Arrays$ArrayList", Shape::Array { array: "a", count: None, sorted: false }),
    ("java/util/PriorityQueue", Shape::Array { array: "queue", count: Some("size"), sorted: true }),
    ("java/util/ArrayDeque", Shape::Ring { array: "elements", first: "head", end: Some("tail"), count: None }),
    ("java/util/LinkedList", Shape::Chain { first: &["first"], next: "next", item: "item", nulls: true }),
    ("java/util/HashMap", Shape::Buckets { key: "key", value: "value" }),
    ("java/util/Hashtable", Shape::Buckets { key: "key", value: "value" }),
    ("java/util/WeakHashMap", Shape::Buckets { key: "referent", value: "value" }),
    ("java/util/LinkedHashMap", Shape::Entries { first: &["head"], next: "after", key: "key", value: "value" }),
    ("java/util/TreeMap", Shape::Tree),
    ("java/util/HashMap$Node", Shape::OneEntry { key: "key", value: "value" }),
    ("java/util/HashMap$TreeNode", Shape::OneEntry { key: "key", value: "value" }),
    ("java/util/LinkedHashMap$Entry", Shape::OneEntry { key: "key", value: "value" }),
    ("java/util/Hashtable$Entry", Shape::OneEntry { key: "key", value: "value" }),
    ("java/util/TreeMap$Entry", Shape::OneEntry { key: "key", value: "value" }),
    ("java/util/IdentityHashMap", Shape::Pairs { table: "table" }),
    ("java/util/HashSet", Shape::Keys { map: "map" }),
    ("java/util/TreeSet", Shape::Keys { map: "m" }),
    ("java/util/ImmutableCollections$ListN", Shape::Array { array: "elements", count: None, sorted: false }),
    ("java/util/ImmutableCollections$List12", Shape::Few { elements: &["e0", "e1"], sorted: false }),
    ("java/util/ImmutableCollections$SetN", Shape::Array { array: "elements", count: None, sorted: true }),
    ("java/util/ImmutableCollections$Set12", Shape::Few { elements: &["e0", "e1"], sorted: true }),
    ("java/util/ImmutableCollections$MapN", Shape::Pairs { table: "table" }),
    ("java/util/ImmutableCollections$Map1", Shape::OneEntry { key: "k0", value: "v0" }),
    ("java/util/concurrent/ConcurrentHashMap", Shape::Buckets { key: "key", value: "val" }),
    ("java/util/concurrent/ConcurrentHashMap$Node", Shape::OneEntry { key: "key", value: "val" }),
    (
        "java/util/concurrent/ConcurrentSkipListMap",
        Shape::Entries { first: &["head", "node"], next: "next", key: "key", value: "val" },
    ),
    ("java/util/concurrent/ConcurrentSkipListSet", Shape::Keys { map: "m" }),
    ("java/util/concurrent/CopyOnWriteArrayList", Shape::Array { array: "array", count: None, sorted: false }),
    ("java/util/concurrent/CopyOnWriteArraySet", Shape::Inner { of: "al" }),
    (
        "java/util/concurrent/ConcurrentLinkedQueue",
        Shape::Chain { first: &["head"], next: "next", item: "item", nulls: false },
    ),
    (
        "java/util/concurrent/ConcurrentLinkedDeque",
        Shape::Chain { first: &["head"], next: "next", item: "item", nulls: false },
    ),
    (
        "java/util/concurrent/LinkedBlockingQueue",
        Shape::Chain { first: &["head"], next: "next", item: "item", nulls: false },
    ),
    (
        "java/util/concurrent/LinkedBlockingDeque",
        Shape::Chain { first: &["first"], next: "next", item: "item", nulls: false },
    ),
    (
        "java/util/concurrent/ArrayBlockingQueue",
        Shape::Ring { array: "items", first: "takeIndex", end: None, count: Some("count") },
    ),
    ("java/util/concurrent/PriorityBlockingQueue", Shape::Array { array: "queue", count: Some("size"), sorted: true }),
];

/// Whether a field of a class only keeps books: how often a collection was changed, which views of it were made.
pub fn is_bookkeeping(class: &str, field: &str) -> bool {
    match field {
        "modCount" | "expectedModCount" => is_of_jdk(class),
        "keySet" | "values" => class == "java/util/AbstractMap",
        _ => false,
    }
}

impl Shape {
    /// Whether a class has the fields that the shape names first.
    pub fn fits(&self, layout: &Layout) -> bool {
        let has = |name: &&str| layout.field(name).is_some();
        match self {
            Shape::Array { array, count, .. } => has(array) && count.iter().all(has),
            Shape::Ring { array, first, end, count } => has(array) && has(first) && end.iter().chain(count).all(has),
            Shape::Chain { first, .. } | Shape::Entries { first, .. } => has(&first[0]),
            Shape::Buckets { .. } => has(&"table"),
            Shape::Tree => has(&"root"),
            Shape::Pairs { table } => has(table),
            Shape::Few { elements, .. } => elements.iter().all(has),
            Shape::OneEntry { key, value } => has(key) && has(value),
            Shape::Keys { map } => has(map),
            Shape::Inner { of } => has(of),
            Shape::Text => ["value", "coder", "count"].iter().all(has),
            Shape::Only(fields) => fields.iter().all(has),
        }
    }
}

//! What is followed, what is opaque, and what is assumed of objects from outside.
//!
//! Opaque are the packages that the virtual machine stands on, as in the engine, which tells of no event there
//! either. So a summary says what an execution can show.

use crate::names::Sym;
use crate::program::Program;

/// Packages into which calls are not followed, with all below them.
const OPAQUE: [&str; 4] = ["java/lang/", "jdk/internal/", "sun/", "java/security/"];

/// Classes of those packages that are followed: what users share, and what only passes calls on.
const FOLLOWED: [&str; 7] = [
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/lang/AbstractStringBuilder",
    "java/lang/Iterable",
    "java/lang/CharSequence",
    "java/lang/Comparable",
    "java/lang/Readable",
];

/// Classes whose objects never change: a call of them is no more than an opaque step without effect, and
/// not worth a word.
const IMMUTABLE: [&str; 16] = [
    "java/lang/String",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Short",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Boolean",
    "java/lang/Float",
    "java/lang/Double",
    "java/lang/Number",
    "java/lang/Math",
    "java/lang/StrictMath",
    "java/lang/Enum",
    "java/lang/Record",
    "java/lang/Object",
    "java/lang/AssertionError",
];

/// What the names of opaque methods hold that write into arrays which they are given.
const WRITERS: [&str; 12] = [
    "put", "getchars", "getbytes", "inflate", "compress", "insert", "fill", "sort", "reverse", "copy", "read", "append",
];

/// Which class stands in for an object from outside, where a type says only what it can do. Any other class
/// may come; these are the usual ones, and what a test would pass.
const STAND_INS: [(&str, &str); 22] = [
    ("java/util/Collection", "java/util/ArrayList"),
    ("java/util/List", "java/util/ArrayList"),
    ("java/util/AbstractList", "java/util/ArrayList"),
    ("java/util/AbstractCollection", "java/util/ArrayList"),
    ("java/lang/Iterable", "java/util/ArrayList"),
    ("java/util/Set", "java/util/HashSet"),
    ("java/util/AbstractSet", "java/util/HashSet"),
    ("java/util/SortedSet", "java/util/TreeSet"),
    ("java/util/NavigableSet", "java/util/TreeSet"),
    ("java/util/Map", "java/util/HashMap"),
    ("java/util/AbstractMap", "java/util/HashMap"),
    ("java/util/SortedMap", "java/util/TreeMap"),
    ("java/util/NavigableMap", "java/util/TreeMap"),
    ("java/util/concurrent/ConcurrentMap", "java/util/concurrent/ConcurrentHashMap"),
    ("java/util/Queue", "java/util/ArrayDeque"),
    ("java/util/Deque", "java/util/ArrayDeque"),
    ("java/lang/CharSequence", "java/lang/StringBuilder"),
    ("java/lang/Appendable", "java/lang/StringBuilder"),
    ("java/io/InputStream", "java/io/ByteArrayInputStream"),
    ("java/io/OutputStream", "java/io/ByteArrayOutputStream"),
    ("java/io/Reader", "java/io/StringReader"),
    ("java/io/Writer", "java/io/StringWriter"),
];

/// How calls into a class are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    Followed,
    Opaque,
    /// Opaque, and not worth a word in a summary.
    Immutable,
}

impl Scope {
    pub fn of(class: &str) -> Scope {
        if FOLLOWED.contains(&class) || !OPAQUE.iter().any(|package| class.starts_with(package)) {
            Scope::Followed
        } else if is_immutable(class) {
            Scope::Immutable
        } else {
            Scope::Opaque
        }
    }
}

/// Whether an opaque method writes into arrays which it is given, by its name.
pub fn writes_arrays(method: &str) -> bool {
    let method = method.to_lowercase();
    WRITERS.iter().any(|word| method.contains(word))
}

/// Whether opaque code looks into the fields of a class: it is followed, and at home in an opaque package.
pub fn is_open_to_opaque(class: &str) -> bool {
    class.starts_with("java/lang/") && class.ends_with("Builder") || class == "java/lang/StringBuffer"
}

/// Whether calls into a class are not worth a word in a summary.
pub fn is_immutable(class: &str) -> bool {
    IMMUTABLE.contains(&class)
        || class.starts_with("java/lang/") && (class.ends_with("Exception") || class.ends_with("Error"))
}

/// The class that stands in for objects of a type.
pub fn stand_in(program: &mut Program<'_>, of: Sym) -> Option<Sym> {
    let text = program.names.text(of).clone();
    let found = STAND_INS.iter().find(|(general, _)| *general == &*text)?.1;
    Some(program.names.get(found))
}

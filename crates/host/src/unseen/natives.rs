//! What each native method of the JDK does that another thread can notice.
//!
//! The table is `natives.txt`: a reviewed line for each method, or for all natives of a class or package. A
//! line has effects joined by `+`, then `CLASS.METHOD`, with a descriptor where overloads differ, then the
//! reason. All effects of a line hold.
//!
//! - `pure`: depends on what never changes, and changes nothing that another thread can notice, caches
//!   aside. Also what only calls Java code.
//! - `modelled`: a hook of ours stands before it or in its place (`native_methods`).
//! - `reads PLACE`, `writes PLACE`: an access of `this`, of `arg0` to `argN` (for an array, its elements), of one
//!   field of these (`this.FIELD`), of a static field `CLASS.FIELD`, or of a named piece of the [`WORLD`].
//! - `elements ARRAY INDEX read|write`: an access of one element, by the numbers of two arguments.
//! - `taints`: no place describes what it does.
//!
//! Arguments are counted from 0 without the receiver; a `long` is one argument. An argument that is null is
//! no place. An object stands for all of its fields, so `writes this` conflicts with each of them.
//!
//! **Which line wins.** An exact class before a package, a longer package before a shorter one (`a/b/*` is
//! `a/b` with all packages below it). Within one class or package: name and descriptor, name, `*`.
//!
//! **What it may miss.** Only HotSpot on Linux, JDK 17 and 25, was reviewed. The native code of these
//! JDKs was reviewed by what it is documented to do; an audit holds the table against their class files
//! only. Native methods of other releases and of users are on no line, and the caller has to take them for
//! `taints`. A `modelled` method of `Unsafe` is no event without an object or on an opaque class: the hook
//! sees that, this table does not.
//!
//! **What it never does.** It never takes a method for pure that nobody has listed.

use super::parse::parse_line;
use crate::native_methods;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Pieces of the world outside of objects, by their names in the table.
pub const WORLD: [&str; 13] = [
    "FILES",
    "PROCESSES",
    "NETWORK",
    "SIGNALS",
    "LIBRARIES",
    "CLASSES",
    "ENVIRONMENT",
    "TIMEZONE",
    "MEMORY",
    "MODULES",
    "GC",
    "THREADS",
    "VM",
];

/// Something that a native method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that another thread can notice.
    Pure,
    /// A hook of ours tells what it does.
    Modelled,
    /// An access of a place. One that reads and writes counts as a write.
    Access {
        /// Whether the place may change.
        writes: bool,
        /// What is accessed.
        place: Place,
    },
    /// An access of one element of an array.
    Element {
        /// Which argument is the array.
        array: u8,
        /// Which argument is the index.
        index: u8,
        /// Whether the element may change.
        writes: bool,
    },
    /// Nothing can be said.
    Taints,
}

/// What a native method accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The receiver with its fields.
    Receiver,
    /// The object that is this argument, with its fields or elements.
    Argument(u8),
    /// A field of the receiver, or of the object that is this argument.
    FieldOf {
        /// None for the receiver.
        argument: Option<u8>,
        /// The field's name.
        name: &'static str,
    },
    /// One of the [`WORLD`].
    World(&'static str),
    /// A static field, which Java code accesses by instructions.
    Field {
        /// As class files name it.
        class: &'static str,
        /// The field's name.
        name: &'static str,
    },
}

impl Place {
    /// Whether every thread changes this place by whatever it does: it allocates, and its stack moves. A read of such a
    /// place depends on the schedule even if no native method has written it.
    pub fn changes_by_itself(self) -> bool {
        matches!(self, Place::World("GC" | "THREADS"))
    }
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// What the methods do: all of it. There is at least one.
    pub effects: Vec<Effect>,
    /// Why, in words.
    pub reason: &'static str,
    /// A class, or a package with its last slash.
    pub(super) owner: &'static str,
    /// None for all methods.
    pub(super) method: Option<&'static str>,
    /// None for all methods of that name.
    pub(super) descriptor: Option<&'static str>,
}

/// The effects of a native method, at least one; all of them hold. None if the method is on no line.
pub fn effects(class: &str, method: &str, descriptor: &str) -> Option<&'static [Effect]> {
    find(class, method, descriptor).map(|line| &line.effects[..])
}

/// The line that says what a native method does.
pub fn find(class: &str, method: &str, descriptor: &str) -> Option<&'static Line> {
    table().find(class, method, descriptor)
}

/// All lines, in order.
pub fn lines() -> impl Iterator<Item = &'static Line> {
    let mut lines: Vec<&Line> = table().lines.values().flatten().collect();
    lines.sort_by_key(|line| line.number);
    lines.into_iter()
}

/// Whether a hook of ours stands before a native method or in its place, which its line must say.
pub fn is_hooked(class: &str, method: &str, descriptor: &str) -> bool {
    native_methods::is_changed(class, method, descriptor)
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        Table::parse(include_str!("natives.txt")).unwrap_or_else(|error| panic!("internal bug: natives.txt: {error}"))
    })
}

/// Lines by their class or package.
#[derive(Debug)]
struct Table {
    lines: HashMap<&'static str, Vec<Line>>,
}

impl Table {
    /// Reads a table. An error tells the line and what is wrong with it.
    fn parse(text: &'static str) -> Result<Table, String> {
        let mut lines: HashMap<&'static str, Vec<Line>> = HashMap::new();
        for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            let number = index + 1;
            let line = parse_line(number, text).map_err(|wrong| format!("line {number}: {wrong}"))?;
            let others = lines.entry(line.owner).or_default();
            if let Some(same) =
                others.iter().find(|other| (other.method, other.descriptor) == (line.method, line.descriptor))
            {
                return Err(format!("line {number}: says the same methods as line {}", same.number));
            }
            others.push(line);
        }
        Ok(Table { lines })
    }

    fn find(&self, class: &str, method: &str, descriptor: &str) -> Option<&Line> {
        let within = |owner: &str| {
            let matching = self.lines.get(owner)?.iter().filter(|line| line.matches(method, descriptor));
            matching.max_by_key(|line| (line.method.is_some(), line.descriptor.is_some()))
        };
        let packages = class.rmatch_indices('/').map(|(slash, _)| &class[..=slash]);
        std::iter::once(class).chain(packages).find_map(within)
    }
}

impl Line {
    fn matches(&self, method: &str, descriptor: &str) -> bool {
        self.method.is_none_or(|own| own == method) && self.descriptor.is_none_or(|own| own == descriptor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
# A comment.

pure  a/B.read  fixed
writes FILES + reads arg1  a/B.read([BI)I  with a descriptor
taints  a/B.*  all others
reads this  a/*.*  the package
modelled  a/b/*.start  below it
";

    fn check(class: &str, method: &str, descriptor: &str, expected: Option<&[Effect]>) {
        let table = Table::parse(TABLE).unwrap();
        assert_eq!(table.find(class, method, descriptor).map(|line| &line.effects[..]), expected);
    }

    #[test]
    fn the_most_specific_line_wins() {
        let of_file = [
            Effect::Access { writes: true, place: Place::World("FILES") },
            Effect::Access { writes: false, place: Place::Argument(1) },
        ];
        let of_receiver = [Effect::Access { writes: false, place: Place::Receiver }];
        check("a/B", "read", "()I", Some(&[Effect::Pure]));
        check("a/B", "read", "([BI)I", Some(&of_file));
        check("a/B", "write", "()V", Some(&[Effect::Taints]));
        check("a/C", "read", "()I", Some(&of_receiver));
        check("a/B$C", "read", "()I", Some(&of_receiver));
        check("a/b/C", "start", "()V", Some(&[Effect::Modelled]));
        check("a/b/c/D", "start", "()V", Some(&[Effect::Modelled]));
        // The longer package has nothing to say of it, so the shorter one does.
        check("a/b/C", "stop", "()V", Some(&of_receiver));
        check("b/C", "start", "()V", None);
        check("ab/C", "start", "()V", None);
        check("A", "start", "()V", None);
    }

    #[test]
    fn two_lines_for_the_same_methods_are_refused() {
        let error = Table::parse("pure  a/B.c  once\ntaints  a/B.c  twice\n").unwrap_err();
        assert_eq!(error, "line 2: says the same methods as line 1");
    }

    #[test]
    fn natives_of_the_jdk_have_their_effects() {
        let of = |class, method, descriptor| effects(class, method, descriptor).unwrap();
        assert_eq!(of("java/lang/StrictMath", "sin", "(D)D"), [Effect::Pure]);
        assert_eq!(of("jdk/internal/misc/Unsafe", "getInt", "(Ljava/lang/Object;J)I"), [Effect::Modelled]);
        let out = Place::Field { class: "java/lang/System", name: "out" };
        assert_eq!(
            of("java/lang/System", "setOut0", "(Ljava/io/PrintStream;)V"),
            [Effect::Access { writes: true, place: out }]
        );
        assert_eq!(
            of("java/lang/reflect/Array", "setInt", "(Ljava/lang/Object;II)V"),
            [Effect::Element { array: 0, index: 1, writes: true }]
        );
        assert_eq!(effects("java/lang/Thread", "noSuchMethod", "()V"), None);
        assert_eq!(effects("com/acme/Library", "read", "()I"), None);
    }

    #[test]
    fn some_places_change_by_themselves() {
        assert!(Place::World("GC").changes_by_itself() && Place::World("THREADS").changes_by_itself());
        assert!(!Place::World("FILES").changes_by_itself() && !Place::Receiver.changes_by_itself());
    }
}

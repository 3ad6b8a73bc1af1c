//! Mutable fields of opaque classes that show no thread a difference.
//!
//! The table is `caches.txt`: `CLASS.FIELD`, then the reason. A field is on it if every thread gets the same
//! from the JDK whoever writes the field, when and how often. That holds for caches, for what only its own
//! thread touches, for what is written before others can see it, and for books that nobody reads back.
//!
//! - The fill may be racy, for opaque code that calls rewritten code can be interrupted. A field that is set
//!   before its content is complete is no cache.
//! - A cache that code of users fills is none, for it shows who came first (`ClassValue`, service loaders).
//! - Nor is a field that decides who does something once (`PhantomCleanable.next`), or what a setter changes
//!   and a getter returns.
//! - An entry covers the elements of arrays that only that field refers to.
//!
//! **What it may miss.** Identity: two fills may give equal objects that are not the same, where the JDK
//! hands them out (`Type` objects, accessors). Stack traces, which show whether reflection was compiled.
//! JDK 17 and 25 were reviewed. Fields that are not on it count as shared state, which costs certainty only.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Its number in the file, from 1.
    pub line: usize,
    /// A class as class files name it, or with a star the start of such names.
    pub class: &'static str,
    /// A field, or a star for all.
    pub field: &'static str,
}

impl Entry {
    /// Whether a field is meant by the entry.
    pub fn covers(&self, class: &str, field: &str) -> bool {
        let of_class = match self.class.strip_suffix('*') {
            Some(start) => class.starts_with(start),
            None => class == self.class,
        };
        of_class && (self.field == "*" || self.field == field)
    }
}

/// Whether no thread can see what a mutable field of an opaque class holds, or all see the same.
pub fn is_cache(class: &str, field: &str) -> bool {
    let table = table();
    // Code names the class by which it accesses a field, not the one that declares it. So a star would cover what is inherited, too:
    // whether a method may be called is set and seen by threads.
    if field == "override" {
        return false;
    }
    table.fields.get(class).is_some_and(|fields| fields.contains("*") || fields.contains(field))
        || table.starts.iter().any(|entry| entry.covers(class, field))
}

/// All entries, in order.
pub fn entries() -> &'static [Entry] {
    &table().entries
}

#[derive(Debug)]
struct Table {
    entries: Vec<Entry>,
    /// Fields by their class.
    fields: HashMap<&'static str, HashSet<&'static str>>,
    /// Entries that name more than one class.
    starts: Vec<Entry>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        Table::parse(include_str!("caches.txt")).unwrap_or_else(|error| panic!("internal bug: caches.txt: {error}"))
    })
}

impl Table {
    /// Reads a table. An error tells the line and what is wrong with it.
    fn parse(text: &'static str) -> Result<Table, String> {
        let mut table = Table { entries: vec![], fields: HashMap::new(), starts: vec![] };
        for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
            let line = index + 1;
            let (name, reason) = text.split_once("  ").ok_or_else(|| format!("line {line}: has no reason"))?;
            let (class, field) = name.rsplit_once('.').ok_or_else(|| format!("line {line}: no field: {name}"))?;
            if reason.trim().is_empty() || class.is_empty() || field.is_empty() {
                return Err(format!("line {line}: something is missing"));
            }
            if table.entries.iter().any(|entry| entry.covers(class, field)) {
                return Err(format!("line {line}: {name} is there already"));
            }
            let entry = Entry { line, class, field };
            table.entries.push(entry);
            if class.ends_with('*') {
                table.starts.push(entry);
            } else {
                table.fields.entry(class).or_default().insert(field);
            }
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope;

    #[test]
    fn fields_and_classes_and_starts_of_names() {
        assert!(is_cache("java/lang/String", "hash"));
        assert!(!is_cache("java/lang/String", "value"));
        assert!(is_cache("java/lang/reflect/Method", "methodAccessor"));
        assert!(!is_cache("java/lang/reflect/AccessibleObject", "override"));
        assert!(!is_cache("java/lang/reflect/Field", "override"));
        assert!(is_cache("java/lang/invoke/BoundMethodHandle$Species_LLLI", "BMH_SPECIES"));
        assert!(!is_cache("java/lang/invoke/BoundMethodHandle$Species_LLLI", "argL0"));
        assert!(!is_cache("com/acme/Cache", "hash"));
    }

    #[test]
    fn what_threads_can_see_is_no_cache() {
        for (class, field) in [
            ("java/lang/Throwable", "cause"),
            ("java/lang/Throwable", "stackTrace"),
            ("java/lang/Thread", "contextClassLoader"),
            ("java/lang/Thread", "threadStatus"),
            ("java/lang/ref/Reference", "referent"),
            ("java/lang/ref/Reference", "queue"),
            ("java/lang/ClassValue", "version"),
            ("java/lang/ClassValue$ClassValueMap", "cacheArray"),
            ("jdk/internal/ref/PhantomCleanable", "next"),
            ("jdk/internal/ref/PhantomCleanable", "node"),
            ("sun/util/calendar/CalendarDate", "year"),
        ] {
            assert!(!is_cache(class, field), "{class}.{field}");
        }
    }

    #[test]
    fn classes_that_are_rewritten_have_no_entry() {
        for entry in entries() {
            assert!(!scope::is_rewritten(entry.class), "line {}: {} has events", entry.line, entry.class);
        }
    }

    #[test]
    fn bad_lines_are_refused() {
        for (text, wrong) in [
            ("a/B.c", "line 1: has no reason"),
            ("a/B  why", "line 1: no field: a/B"),
            ("a/B.  why", "line 1: something is missing"),
            ("a/B.c   ", "line 1: something is missing"),
            ("# what\n\na/B.*  why\na/B.c  why", "line 4: a/B.c is there already"),
        ] {
            assert_eq!(Table::parse(text).unwrap_err(), wrong);
        }
    }
}

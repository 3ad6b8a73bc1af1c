//! The source text of lines of classes, for whoever shows a place in the code.
//!
//! [`Sources`] looks into the places that the user named, then into those that lie where builds put them
//! ([`nearby`]), and last into the JDK's own archive. A [`place`] is a folder or an archive, opened when it is first
//! looked into. Source text makes a report better and is never needed for one: what is missing, unreadable or too
//! short is `None`, and nothing here is an error.
//!
//! **What it may get wrong.** Nothing ties a source file to the class file that runs. A source that was changed since
//! the class was compiled shows the line of that number as it is now.

mod nearby;
mod place;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use classpath::ClassName;

use place::Place;

/// Where source files are looked for, and those that were read.
pub struct Sources {
    /// In the order in which they are asked.
    places: Vec<Place>,
    /// By path below a place; those that are nowhere are remembered, too.
    files: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl Sources {
    /// Looks into the entries of `source_path` (folders and archives, separated as for `java`), into what lies near
    /// the entries of the class path, and into the sources of the JDK of that home.
    pub fn new<'p>(
        source_path: Option<&str>,
        class_path: impl IntoIterator<Item = &'p Path>,
        java_home: Option<&Path>,
    ) -> Sources {
        let named = source_path.into_iter().flat_map(env::split_paths).filter(|path| !path.as_os_str().is_empty());
        let beside = class_path.into_iter().flat_map(nearby::of_entry);
        let of_jdk = java_home.into_iter().flat_map(nearby::of_jdk);
        let mut paths: Vec<PathBuf> = Vec::new();
        for path in named.chain(beside).chain(of_jdk) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        Sources { places: paths.into_iter().map(Place::new).collect(), files: RefCell::default() }
    }

    /// A line of a class, counted from 1, with its indentation. The class is named with dots or slashes, a nested one
    /// as `java.util.Map$Entry`; `source_file` is what its class file says of its source.
    pub fn line(&self, class: &str, source_file: Option<&str>, line: u32) -> Option<String> {
        let class = ClassName::parse(class).ok()?;
        let file = candidates(class.internal(), source_file).into_iter().find_map(|path| self.file(path))?;
        let number = usize::try_from(line).ok()?.checked_sub(1)?;
        file.lines().nth(number).map(printable)
    }

    fn file(&self, path: String) -> Option<Rc<str>> {
        let mut files = self.files.borrow_mut();
        let read = |path: &String| self.places.iter().find_map(|place| place.read(path)).map(Rc::from);
        files.entry(path).or_insert_with_key(read).clone()
    }
}

/// Where the source of a class lies below a place, the likeliest first. Without the word of the class file it is in
/// the file of its outermost class, unless its own name has a dollar in it.
fn candidates(internal: &str, source_file: Option<&str>) -> Vec<String> {
    let (package, class) = match internal.rfind('/') {
        Some(at) => internal.split_at(at + 1),
        None => ("", internal),
    };
    match source_file {
        // A class file may say anything, and this becomes part of a path.
        Some(file) if is_plain(file) => vec![format!("{package}{file}")],
        _ => {
            let outermost = class.char_indices().find(|&(at, c)| at > 0 && c == '$').map(|(at, _)| &class[..at]);
            let names = [class].into_iter().chain(outermost);
            names.map(|name| format!("{package}{name}.java")).collect()
        }
    }
}

fn is_plain(file: &str) -> bool {
    !file.is_empty() && !file.starts_with('.') && !file.contains(['/', '\\', ':', '\0'])
}

/// Source text goes to terminals: it must not steer them.
fn printable(line: &str) -> String {
    let shown = |c: char| if c.is_control() && c != '\t' { '\u{fffd}' } else { c };
    line.trim_end().chars().map(shown).collect()
}

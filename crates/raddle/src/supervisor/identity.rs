//! What the outcomes of all tasks depend on, besides the tasks themselves.
//!
//! Files are told by length and time of change, as build tools do: reading every jar at the start of a run would cost more
//! than it is worth. A file that was written again with the same content counts as another, so tasks may be done again
//! that need not be; that is the error which is safe. In folders only class files count, for a class path may well be the
//! folder that somebody works in.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::PoolSettings;

/// Tells runs apart whose tasks may come to something else. What is in `out` is what runs leave themselves.
pub fn identity(settings: &PoolSettings, out: &Path) -> String {
    let PoolSettings { java_home, class_path, by_manifest, options, fence, readable, heap, .. } = settings;
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("{version} {java_home:?} {class_path:?} {options:?} {fence:?} {readable:?} {heap}\n");
    let mut seen: HashSet<_> = out.metadata().iter().map(number).collect();
    for file in ["release", "lib/modules"] {
        describe(&java_home.join(file), &mut seen, &mut text);
    }
    let given = std::env::split_paths(class_path).filter(|entry| !entry.as_os_str().is_empty());
    for entry in given.chain(by_manifest.iter().cloned()) {
        describe(&entry, &mut seen, &mut text);
    }
    text
}

/// A line for a file, or for each file below a folder.
fn describe(path: &Path, seen: &mut HashSet<(u64, u64)>, text: &mut String) {
    // What is not there, or cannot be looked at, is not there for a worker either.
    let Ok(metadata) = path.metadata() else { return };
    if metadata.is_dir() {
        // Links may lead back to where they are.
        if seen.insert(number(&metadata)) {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            paths.retain(|path| path.is_dir() || path.extension().is_some_and(|extension| extension == "class"));
            paths.sort();
            paths.iter().for_each(|path| describe(path, seen, text));
        }
    } else {
        let (length, time) = (metadata.len(), (metadata.mtime(), metadata.mtime_nsec()));
        writeln!(text, "{path:?} {length} {time:?}").expect("internal bug: a string takes everything");
    }
}

fn number(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_told_apart_by_what_is_on_the_class_path() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("com/acme");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("Cache.class"), "one").unwrap();
        std::os::unix::fs::symlink(folder.path(), package.join("loop")).unwrap();
        let class_path = folder.path().to_str().unwrap().to_owned();
        let settings = PoolSettings::new("raddle".into(), "jdk".into(), class_path);
        let out = folder.path().join("raddle-out");
        let identity = || identity(&settings, &out);
        let first = identity();
        std::fs::write(folder.path().join("notes.txt"), "").unwrap();
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join("Hooks.class"), "").unwrap();
        assert_eq!(identity(), first, "no class under test has changed");
        std::fs::write(package.join("Cache.class"), "other").unwrap();
        let second = identity();
        assert_ne!(second, first, "a class has changed");
        std::fs::write(package.join("Other.class"), "").unwrap();
        assert_ne!(identity(), second, "a class is new");
    }
}

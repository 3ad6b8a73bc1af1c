//! The class path: entries in order, the first to hold a class wins.

use std::borrow::Cow;
use std::collections::HashSet;
use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::entry::Entry;
use crate::index::Index;
use crate::{ClassBytes, ClassName, Error, Jdk, Origin};

/// An ordered list of folders, jars, jmods and JDK images in which classes are found by name.
///
/// Java asks its own modules before the class path, so the order that a JVM sees is that of
/// [`ClassPath::of_jdk`], followed by [`append`](ClassPath::append) of the user's class path.
pub struct ClassPath {
    entries: Vec<Listed>,
    /// The JDK's release, which decides what multi-release jars hold.
    feature: u32,
    /// Built by the first listing; empty again when an entry is added.
    index: OnceLock<Index>,
}

struct Listed {
    entry: Entry,
    /// It is there because the manifest of another names it.
    is_by_manifest: bool,
}

impl ClassPath {
    /// A class path without entries, for a JDK of this feature release.
    pub fn new(feature: u32) -> ClassPath {
        ClassPath { entries: vec![], feature, index: OnceLock::new() }
    }

    /// Opens a class path as it is given to `java`: entries between the platform's separators, `lib/*` for
    /// all jars in a folder (here in the order of their names), and nothing for the current folder.
    ///
    /// Unlike `java`, an entry that does not exist or cannot be read is an error. What manifests name is there as well, as
    /// [`follow_manifests`](ClassPath::follow_manifests) finds it.
    pub fn parse(class_path: &str, feature: u32) -> Result<ClassPath, Error> {
        let mut opened = ClassPath::new(feature);
        for element in env::split_paths(class_path) {
            match element.file_name() {
                Some(name) if name == "*" => {
                    for jar in jars_in(or_current(element.parent().unwrap_or(&element)))? {
                        opened.push(&jar)?;
                    }
                }
                _ => opened.push(or_current(&element))?,
            }
        }
        opened.follow_manifests();
        Ok(opened)
    }

    /// Adds, behind each jar, the jars and folders that the `Class-Path` of its manifest names, and behind those what they name. As in
    /// the JDK, each is there once, and what does not exist or cannot be read is ignored.
    pub fn follow_manifests(&mut self) {
        let mut known = HashSet::new();
        for given in std::mem::take(&mut self.entries) {
            // The JDK takes names to be relative to the real jar, wherever a link to it is.
            let place = given.entry.path().canonicalize().unwrap_or_else(|_| given.entry.path().to_owned());
            // What was named before is not asked again.
            let mut open = if known.insert(place.clone()) { named_by(&given.entry, &place) } else { vec![] };
            self.entries.push(given);
            while let Some(place) = open.pop() {
                let is_folder = place.as_os_str().as_encoded_bytes().ends_with(b"/");
                let is_new = place.is_dir() == is_folder && place.canonicalize().is_ok_and(|real| known.insert(real));
                if let Some(entry) = is_new.then(|| Entry::open(&place, self.feature).ok()).flatten() {
                    open.extend(named_by(&entry, &place));
                    self.entries.push(Listed { entry, is_by_manifest: true });
                }
            }
        }
        self.index = OnceLock::new();
    }

    /// The class path of all modules of a JDK.
    pub fn of_jdk(jdk: &Jdk) -> Result<ClassPath, Error> {
        let mut opened = ClassPath::new(jdk.feature);
        opened.push(&jdk.modules_image())?;
        Ok(opened)
    }

    /// Adds an entry at the end. What kind it is, its content tells, not its name.
    pub fn push(&mut self, path: &Path) -> Result<(), Error> {
        self.entries.push(Listed { entry: Entry::open(path, self.feature)?, is_by_manifest: false });
        self.index = OnceLock::new();
        Ok(())
    }

    /// Adds all entries of another class path at the end.
    pub fn append(&mut self, other: ClassPath) {
        self.entries.extend(other.entries);
        self.index = OnceLock::new();
    }

    /// The paths of the entries, in order, as they were given or as manifests name them; wildcards are resolved.
    pub fn entries(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().map(|listed| listed.entry.path())
    }

    /// The paths of those entries that were given, in order.
    pub fn given(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().filter(|listed| !listed.is_by_manifest).map(|listed| listed.entry.path())
    }

    /// The paths of those entries that manifests name, in order.
    pub fn named_by_manifests(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().filter(|listed| listed.is_by_manifest).map(|listed| listed.entry.path())
    }

    /// Finds a class. If there is none of this name, the name is tried as that of a nested class, so that
    /// `java.util.Map.Entry` finds `java.util.Map$Entry`.
    pub fn find(&self, name: &ClassName) -> Result<Option<ClassBytes<'_>>, Error> {
        if let Some(found) = self.find_exact(name)? {
            return Ok(Some(found));
        }
        for nested in name.as_nested() {
            if let Some(found) = self.find_exact(&nested)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Finds a class of exactly this name, as a name that was read from a class file is meant.
    pub fn find_exact(&self, name: &ClassName) -> Result<Option<ClassBytes<'_>>, Error> {
        for Listed { entry, .. } in &self.entries {
            if let Some((bytes, module)) = entry.find(name)? {
                return Ok(Some(ClassBytes {
                    name: name.clone(),
                    bytes,
                    origin: Origin { entry: entry.path(), module },
                }));
            }
        }
        Ok(None)
    }

    /// All packages that hold classes, in order, as `java.util`; the unnamed package is an empty name.
    pub fn packages(&self) -> Result<impl Iterator<Item = &str>, Error> {
        Ok(self.index()?.packages())
    }

    /// The classes of a package, which is given as `java.util` or `java/util`, and not of its
    /// sub-packages; none if there is no such package. They are in order of their names.
    pub fn classes_in(&self, package: &str) -> Result<&[ClassName], Error> {
        Ok(self.index()?.in_package(&package.replace('/', ".")))
    }

    /// All classes, ordered by package and name. A class that several entries hold is listed once.
    pub fn classes(&self) -> Result<impl Iterator<Item = &ClassName>, Error> {
        Ok(self.index()?.classes())
    }

    /// All modules of the JDK images and jmods on the class path, in order.
    pub fn modules(&self) -> Result<impl Iterator<Item = &str>, Error> {
        Ok(self.index()?.modules())
    }

    /// The classes that a look-up finds in a module, in order of their names.
    pub fn classes_in_module(&self, module: &str) -> Result<&[ClassName], Error> {
        Ok(self.index()?.in_module(module))
    }

    /// The `module-info` of a module of a JDK image, which no name of a class could tell from others.
    pub fn module_info(&self, module: &str) -> Result<Option<Cow<'_, [u8]>>, Error> {
        for Listed { entry, .. } in &self.entries {
            if let Entry::Image(image) = entry
                && let Some(bytes) = image.module_info(module)?
            {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn index(&self) -> Result<&Index, Error> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let mut index = Index::default();
        for Listed { entry, .. } in &self.entries {
            entry.add_to(&mut index)?;
        }
        // Two threads may both have built it; they built the same.
        Ok(self.index.get_or_init(|| index.finish()))
    }
}

impl fmt::Debug for ClassPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries()).finish()
    }
}

/// What the manifest of an entry at this place names, the first last.
fn named_by(entry: &Entry, place: &Path) -> Vec<PathBuf> {
    match entry {
        Entry::Archive(archive) => archive.class_path(place).into_iter().rev().collect(),
        Entry::Folder(_) | Entry::Image(_) => vec![],
    }
}

fn or_current(path: &Path) -> &Path {
    match path.as_os_str().is_empty() {
        true => Path::new("."),
        false => path,
    }
}

/// The jars of a wildcard. Java tells them by the ends of their names, and so must this.
fn jars_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let children = fs::read_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::MissingEntry { path: folder.to_path_buf() },
        _ => Error::io(folder, error),
    })?;
    let mut jars = vec![];
    for child in children {
        let path = child.map_err(|error| Error::io(folder, error))?.path();
        if path.extension().is_some_and(|end| end == "jar" || end == "JAR") && path.is_file() {
            jars.push(path);
        }
    }
    jars.sort();
    Ok(jars)
}

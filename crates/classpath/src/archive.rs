//! Jars and jmods: zip archives of class files.
//!
//! A jmod is a zip with four bytes before it and the classes in its folder `classes`. Its module is told
//! by its file name, as the JDK's are: the name within would have to be read from `module-info`.
//!
//! Of several entries with one name the last counts, as in the JDK. Names are taken as UTF-8 whatever the
//! archive says of them, also as in the JDK. Encrypted entries and methods other than stored and deflated
//! are errors.

use std::io::Read;
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::archive_file::ArchiveFile;
use crate::{ClassName, Error, MAX_CLASS_SIZE, manifest, versions};

/// The folder of a jmod that holds its classes.
const JMOD_CLASSES: &str = "classes/";

/// A jar or jmod on the class path.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    /// Never read from: each look-up reads from a clone, which shares the directory.
    zip: ZipArchive<ArchiveFile>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Jar {
        /// The versions of a multi-release jar that count, the highest first; of other jars none.
        versions: Vec<u32>,
    },
    Jmod {
        module: String,
    },
}

impl Archive {
    /// Opens a jar, with the versions of it that count for a JDK of this feature release.
    pub fn open_jar(path: &Path, feature: u32) -> Result<Archive, Error> {
        let mut jar = Archive { path: path.to_path_buf(), zip: open_zip(path)?, kind: Kind::Jar { versions: vec![] } };
        let versions = jar.versions(feature)?;
        jar.kind = Kind::Jar { versions };
        Ok(jar)
    }

    pub fn open_jmod(path: &Path) -> Result<Archive, Error> {
        let module = path.file_stem().unwrap_or_default();
        Ok(Archive {
            path: path.to_path_buf(),
            zip: open_zip(path)?,
            kind: Kind::Jmod { module: module.to_string_lossy().into_owned() },
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The module of a jmod; jars are seen as a class path shows them, without modules.
    pub fn module(&self) -> Option<&str> {
        match &self.kind {
            Kind::Jar { .. } => None,
            Kind::Jmod { module } => Some(module),
        }
    }

    /// What the manifest of a jar at this place names as its class path. One that cannot be read names nothing.
    pub fn class_path(&self, jar: &Path) -> Vec<PathBuf> {
        match &self.kind {
            Kind::Jar { .. } => self.manifest().ok().flatten(),
            Kind::Jmod { .. } => None,
        }
        .map_or(vec![], |manifest| manifest::class_path(&manifest, jar))
    }

    pub fn find(&self, name: &ClassName) -> Result<Option<Vec<u8>>, Error> {
        let file = format!("{}.class", name.internal());
        let index = match &self.kind {
            Kind::Jar { versions } => versions
                .iter()
                .find_map(|&n| self.index_of(&(versions::folder(n) + &file)))
                .or_else(|| self.index_of(&file)),
            Kind::Jmod { .. } => self.index_of(&format!("{JMOD_CLASSES}{file}")),
        };
        index.map(|index| self.read(index)).transpose()
    }

    /// Calls `found` with the internal name of each class, with that of some more than once.
    pub fn for_each_class(&self, found: &mut dyn FnMut(&str)) {
        for name in self.names() {
            let file = match &self.kind {
                Kind::Jar { versions } => match versions::split(name) {
                    Some((n, file)) if versions.contains(&n) => Some(file),
                    Some(_) => None,
                    None => Some(name),
                },
                Kind::Jmod { .. } => name.strip_prefix(JMOD_CLASSES),
            };
            if let Some(class) = file.and_then(|file| file.strip_suffix(".class")) {
                found(class);
            }
        }
    }

    /// The manifest is read only if there are versions of which it could speak.
    fn versions(&self, feature: u32) -> Result<Vec<u32>, Error> {
        let mut versions: Vec<u32> =
            self.names().filter_map(|name| versions::split(name)).map(|(n, _)| n).filter(|&n| n <= feature).collect();
        versions.sort_unstable_by(|a, b| b.cmp(a));
        versions.dedup();
        if versions.is_empty() {
            return Ok(versions);
        }
        match self.manifest()? {
            Some(manifest) if versions::is_multi_release(&manifest) => Ok(versions),
            _ => Ok(vec![]),
        }
    }

    fn manifest(&self) -> Result<Option<Vec<u8>>, Error> {
        let name = self.names().find(|name| manifest::is_manifest(name));
        name.and_then(|name| self.index_of(name)).map(|index| self.read(index)).transpose()
    }

    /// The names that are Unicode: others are no names of classes.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.zip.file_names_raw().filter_map(|name| str::from_utf8(name).ok())
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.zip.index_for_name_raw(name.as_bytes())
    }

    fn read(&self, index: usize) -> Result<Vec<u8>, Error> {
        let mut zip = self.zip.clone();
        let mut file = zip.by_index(index).map_err(|error| unreadable(&self.path, error))?;
        let name = String::from_utf8_lossy(file.name_raw()).into_owned();
        let size = file.size();
        if size > MAX_CLASS_SIZE {
            return Err(Error::ClassTooLarge { path: self.path.clone(), name, size });
        }
        let mut bytes = Vec::with_capacity(size as usize);
        // One byte more than declared is enough to see that there are more, however many they are.
        (&mut file)
            .take(size + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::unreadable(&self.path, format!("{name}: {error}")))?;
        if bytes.len() as u64 != size {
            let reason = format!("{name} is not of the size that the archive declares");
            return Err(Error::unreadable(&self.path, reason));
        }
        Ok(bytes)
    }
}

fn open_zip(path: &Path) -> Result<ZipArchive<ArchiveFile>, Error> {
    let file = ArchiveFile::new(path).map_err(|error| Error::io(path, error))?;
    let opened = ZipArchive::new(file).map_err(|error| unreadable(path, error))?;
    // The clone holds no file open.
    Ok(opened.clone())
}

fn unreadable(path: &Path, error: ZipError) -> Error {
    let reason = match error {
        // What the file system says needs no "i/o error" before it.
        ZipError::Io(error) => error.to_string(),
        error => error.to_string(),
    };
    Error::unreadable(path, reason)
}

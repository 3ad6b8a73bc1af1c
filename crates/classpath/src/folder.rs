//! A folder of class files, laid out by package.
//!
//! Listing does not enter symbolic links to folders, which may lead in a circle; look-ups follow them. On
//! a file system that takes no notice of case, a look-up may find a class whose name differs in case.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::class_name::is_identifier;
use crate::{ClassName, Error, MAX_CLASS_SIZE};

/// A folder on the class path.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub fn open(path: &Path) -> Folder {
        Folder { path: path.to_path_buf() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn find(&self, name: &ClassName) -> Result<Option<Vec<u8>>, Error> {
        let relative = format!("{}.class", name.internal());
        let path = self.path.join(&relative);
        let size = match fs::metadata(&path) {
            // Anything but a plain file holds no class, and opening a pipe would wait for ever.
            Ok(metadata) if !metadata.is_file() => return Ok(None),
            Ok(metadata) => metadata.len(),
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(Error::io(&path, error)),
        };
        if size > MAX_CLASS_SIZE {
            return Err(Error::ClassTooLarge { path: self.path.clone(), name: relative, size });
        }
        let mut bytes = Vec::with_capacity(size as usize);
        File::open(&path)
            .and_then(|file| file.take(MAX_CLASS_SIZE).read_to_end(&mut bytes))
            .map_err(|error| Error::io(&path, error))?;
        Ok(Some(bytes))
    }

    /// Calls `found` with the internal name of each class.
    pub fn for_each_class(&self, found: &mut dyn FnMut(&str)) -> Result<(), Error> {
        let mut packages = vec![(self.path.clone(), String::new())];
        while let Some((folder, package)) = packages.pop() {
            let io = |error| Error::io(&folder, error);
            for child in fs::read_dir(&folder).map_err(io)? {
                let child = child.map_err(io)?;
                // No class is called by what is not Unicode.
                let Ok(name) = child.file_name().into_string() else {
                    continue;
                };
                if child.file_type().map_err(io)?.is_dir() {
                    if is_identifier(&name) {
                        packages.push((child.path(), format!("{package}{name}/")));
                    }
                } else if let Some(class) = name.strip_suffix(".class")
                    && child.path().is_file()
                {
                    found(&format!("{package}{class}"));
                }
            }
        }
        Ok(())
    }
}

/// Whether an error says that there is no such file, in any of the ways in which a path can be wrong.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename)
}

//! Everything that can go wrong here, each in one line that says what to do about it where that helps.

use std::io;
use std::path::{Path, PathBuf};

use crate::MAX_CLASS_SIZE;

/// Why a JDK was not found or a class path could not be read.
///
/// A class that is nowhere on the class path is no error: look-ups answer with `None`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No JDK was named and none was found in the usual places.
    #[error("no JDK found: give --java-home DIR or set JAVA_HOME")]
    NoJdk,

    /// A folder that was named as a JDK is not one.
    #[error("{given_by} {} is not a JDK: {reason}", home.display())]
    NotAJdk {
        /// Who named the folder: `--java-home` or `JAVA_HOME`.
        given_by: &'static str,
        /// The folder.
        home: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// A name that no class can have.
    #[error("{name:?} is not a class name: {reason}")]
    BadClassName {
        /// The name as given.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },

    /// A class path entry is not there. Java would pass over it in silence.
    #[error("class path entry {} does not exist", path.display())]
    MissingEntry {
        /// The entry.
        path: PathBuf,
    },

    /// A class path entry is a file of no bytes.
    #[error("class path entry {} is empty: build it again", path.display())]
    EmptyEntry {
        /// The entry.
        path: PathBuf,
    },

    /// A class path entry is of no kind that holds classes.
    #[error("class path entry {} is neither a folder nor a jar, jmod or JDK image", path.display())]
    NotAnEntry {
        /// The entry.
        path: PathBuf,
    },

    /// An archive or image is damaged, or uses what is not supported.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The archive or image.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// A class is larger than any real one.
    #[error(
        "{name} in {} has {size} bytes, and a class may have {MAX_CLASS_SIZE}",
        path.display()
    )]
    ClassTooLarge {
        /// The class path entry.
        path: PathBuf,
        /// The file in that entry.
        name: String,
        /// The size that the entry declares.
        size: u64,
    },

    /// The file system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the file system said.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, source: io::Error) -> Error {
        Error::Io { path: path.to_path_buf(), source }
    }

    pub(crate) fn unreadable(path: &Path, reason: impl Into<String>) -> Error {
        Error::Unreadable { path: path.to_path_buf(), reason: reason.into() }
    }
}

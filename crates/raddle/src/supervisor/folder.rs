//! Private folders of workers, all in one place that is removed in the end.
//!
//! The place is inside the output folder, which one run at a time has: so a run that was killed leaves nothing that the
//! next does not find and remove.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::settings;

/// The place of all private folders. Removed when it is dropped.
#[derive(Debug)]
pub struct PrivateFolders {
    place: PathBuf,
    made: AtomicU64,
}

impl PrivateFolders {
    /// Makes the place, and removes what an earlier run has left there.
    pub fn new(place: &Path) -> io::Result<PrivateFolders> {
        remove(place)?;
        std::fs::create_dir_all(place)?;
        Ok(PrivateFolders { place: place.canonicalize()?, made: AtomicU64::new(0) })
    }

    /// A new folder with nothing in it but an empty one for what code under test writes.
    pub(super) fn make(&self) -> io::Result<PathBuf> {
        let folder = self.place.join(self.made.fetch_add(1, Ordering::Relaxed).to_string());
        std::fs::create_dir_all(settings::scratch(&folder))?;
        Ok(folder)
    }
}

impl Drop for PrivateFolders {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        let _ = remove(&self.place);
    }
}

/// Removes all that is in a folder.
pub(super) fn empty(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => std::fs::remove_dir_all(entry.path())?,
            false => std::fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// How many bytes the files below a folder have. What vanishes in the meantime does not count.
pub(super) fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        _ => entry.metadata().map_or(0, |metadata| metadata.len()),
    });
    sizes.sum()
}

/// Removes a folder, if it is there.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

//! Private folders of workers, all in one place that is removed in the end.
//!
//! The place is inside the output folder, which one run at a time has: so a run that was killed leaves nothing that the
//! next does not find and remove.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

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

    /// A new, empty folder.
    pub(super) fn make(&self) -> io::Result<PathBuf> {
        let folder = self.place.join(self.made.fetch_add(1, Ordering::Relaxed).to_string());
        std::fs::create_dir(&folder)?;
        Ok(folder)
    }
}

impl Drop for PrivateFolders {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        let _ = remove(&self.place);
    }
}

/// Removes a folder, if it is there.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

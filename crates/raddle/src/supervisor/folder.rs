//! Private folders of workers, all in one place that is removed in the end.
//!
//! The place is inside the output folder, which one run at a time has: so a run that was killed leaves nothing that the
//! next does not find and remove. Where there is no such folder, it is among the temporary files under a name with the number
//! of the process, and whoever comes next removes those whose process is gone.

use std::fs::{DirEntry, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, geteuid, test_kill_process};

use super::settings;

/// The place of all private folders. Removed when it is dropped.
#[derive(Debug)]
pub struct PrivateFolders {
    place: PathBuf,
    made: AtomicU64,
    /// Locked as long as this is there, so that nobody takes the place for one that was left.
    _lock: File,
}

impl PrivateFolders {
    /// Makes the place, and removes what an earlier run has left there.
    pub fn new(place: &Path) -> io::Result<PrivateFolders> {
        remove(place)?;
        std::fs::create_dir_all(place)?;
        let lock = File::open(place)?;
        // Nobody else has it for longer than it takes to look.
        lock.lock()?;
        Ok(PrivateFolders { place: place.canonicalize()?, made: AtomicU64::new(0), _lock: lock })
    }

    /// Makes a place among temporary files, and removes those of processes that are gone.
    pub fn temporary(files: &Path) -> io::Result<PrivateFolders> {
        let entries = std::fs::read_dir(files).into_iter().flatten().flatten();
        for left in entries.filter(|entry| is_left(entry).unwrap_or(false)) {
            // Another run may remove it at the same time.
            let _ = remove(&left.path());
        }
        PrivateFolders::new(&files.join(format!("{TEMPORARY}{}", std::process::id())))
    }

    /// A new folder with nothing in it but an empty one for what code under test writes.
    pub(super) fn make(&self) -> io::Result<PathBuf> {
        let folder = self.place.join(self.made.fetch_add(1, Ordering::Relaxed).to_string());
        std::fs::create_dir_all(settings::scratch(&folder))?;
        Ok(folder)
    }
}

impl PrivateFolders {
    /// Removes the place. What cannot be removed now is removed by the next run.
    pub(super) fn clear(&self) {
        let _ = remove(&self.place);
    }
}

impl Drop for PrivateFolders {
    fn drop(&mut self) {
        self.clear();
    }
}

/// What the names of temporary places begin with.
const TEMPORARY: &str = "raddle-";

/// Whether this is a temporary place of ours whose process is gone. Its number alone does not tell: whoever lives in another
/// container may have the same temporary files and numbers of its own.
fn is_left(entry: &DirEntry) -> io::Result<bool> {
    let name = entry.file_name();
    let number = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY)).and_then(|number| number.parse().ok());
    let Some(process) = number.and_then(Pid::from_raw) else { return Ok(false) };
    // Of the entry itself, which may be a link.
    let metadata = entry.metadata()?;
    let is_ours = metadata.is_dir() && metadata.uid() == geteuid().as_raw();
    Ok(is_ours && test_kill_process(process) == Err(Errno::SRCH) && File::open(entry.path())?.try_lock().is_ok())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_processes_that_are_gone_have_left_is_removed() {
        let files = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = files.path().join(name);
            std::fs::create_dir_all(folder.join("0/tmp")).unwrap();
            folder
        };
        // No process has such a number.
        let (gone, used) = (folder("raddle-99999998"), folder("raddle-99999999"));
        let kept = [folder("raddle-1"), folder("raddle-out"), folder("other-99999999"), folder("raddle-0")];
        let link = files.path().join("raddle-99999997");
        std::os::unix::fs::symlink(&kept[2], &link).unwrap();
        let lock = File::open(&used).unwrap();
        lock.lock().unwrap();
        let folders = PrivateFolders::temporary(files.path()).unwrap();
        assert!(!gone.exists(), "it was left by nobody who lives");
        assert!(used.exists() && link.exists() && kept.iter().all(|folder| folder.join("0/tmp").exists()));
        let own = files.path().join(format!("raddle-{}", std::process::id()));
        assert!(own.exists());
        drop(folders);
        assert!(!own.exists());
        drop(lock);
        drop(PrivateFolders::temporary(files.path()).unwrap());
        assert!(!used.exists());
    }
}

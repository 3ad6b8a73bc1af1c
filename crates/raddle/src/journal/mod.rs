//! What a run has found and finished, on disk as it happens.
//!
//! A journal is a file that only grows: a record for each task that is done, with its length and a checksum before it. A
//! record is on the disk before the task counts as done. Whoever reads it again stops at the first record that is not
//! whole, which is where a run that was killed had come to; that task is done again, and no other.
//!
//! One run at a time has a folder. The lock is the kernel's, so it ends with the process however that ends.

mod record;

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::supervisor::{Outcome, Task};
use record::Record;

/// The journal of a run, and the right to write to its folder.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    finished: HashMap<String, Finished>,
    /// What all tasks of this run have in common.
    run: String,
    /// Held as long as this is.
    _lock: File,
}

#[derive(Debug)]
struct Finished {
    digest: u64,
    outcome: Outcome,
}

/// Why there is no journal, or no more.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Somebody else has the folder.
    #[error("another run is using {0}: wait for its end, or give another folder with --out")]
    InUse(PathBuf),
    /// The folder or a file in it cannot be used.
    #[error("cannot use {path}: {reason}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// The file is something else, or of another version.
    #[error("{0} is not a journal that this version of Raddle can read: remove it, or run without --resume")]
    Foreign(PathBuf),
}

const NAME: &str = "journal";
const PREVIOUS: &str = "journal.previous";
const LOCK: &str = "lock";

impl Journal {
    /// Takes a folder, which is made if it is not there. With `resume` what its journal has is taken over; without, that
    /// journal is put aside. `run` is what all tasks have in common and what their outcome depends on.
    pub fn open(folder: &Path, run: &str, resume: bool) -> Result<Journal, JournalError> {
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let lock = take(folder)?;
        let path = folder.join(NAME);
        if !resume && path.exists() {
            std::fs::rename(&path, folder.join(PREVIOUS)).map_err(failed(&path))?;
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut finished = HashMap::new();
        let read = file.as_mut().map_err(|error| io::Error::new(error.kind(), error.to_string())).and_then(|file| {
            let Some((records, whole)) = record::read(file)? else { return Ok(false) };
            finished
                .extend(records.into_iter().map(|Record { key, digest, outcome }| (key, Finished { digest, outcome })));
            // What is not whole was never finished.
            file.set_len(whole)?;
            file.seek(SeekFrom::Start(whole))?;
            if whole == 0 {
                file.write_all(record::MAGIC)?;
            }
            file.sync_all()?;
            // The name of a new file is on disk only when its folder is.
            File::open(folder)?.sync_all()?;
            Ok(true)
        });
        match (read, file) {
            (Ok(true), Ok(file)) => Ok(Journal { file, path, finished, run: run.to_owned(), _lock: lock }),
            (Ok(_), _) => Err(JournalError::Foreign(path)),
            (Err(reason), _) => Err(JournalError::File { path, reason }),
        }
    }

    /// What came of a task in an earlier run, if it was this very task.
    pub fn finished(&self, task: &Task) -> Option<&Outcome> {
        let finished = self.finished.get(&task.key)?;
        (finished.digest == record::digest(&self.run, task)).then_some(&finished.outcome)
    }

    /// How many tasks have an outcome, whether they are of this run or not.
    pub fn len(&self) -> usize {
        self.finished.len()
    }

    /// Whether no task has an outcome.
    pub fn is_empty(&self) -> bool {
        self.finished.is_empty()
    }

    /// Writes down what came of a task. It is on disk when this returns.
    pub fn finish(&mut self, task: &Task, outcome: Outcome) -> Result<(), JournalError> {
        let digest = record::digest(&self.run, task);
        let record = Record { key: task.key.clone(), digest, outcome };
        record::append(&mut self.file, &record).map_err(failed(&self.path))?;
        self.finished.insert(record.key, Finished { digest, outcome: record.outcome });
        Ok(())
    }
}

/// What is in the journal of a folder, in the order in which it was written. For whoever only wants to look.
pub fn read(folder: &Path) -> Result<Vec<(String, Outcome)>, JournalError> {
    let path = folder.join(NAME);
    let mut file = File::open(&path).map_err(failed(&path))?;
    let (records, _) = record::read(&mut file).map_err(failed(&path))?.ok_or(JournalError::Foreign(path))?;
    Ok(records.into_iter().map(|record| (record.key, record.outcome)).collect())
}

fn take(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(failed(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(failed(&path)(error)),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> JournalError {
    move |reason| JournalError::File { path: path.to_owned(), reason }
}

#[cfg(test)]
mod tests;

//! What a run has found and finished, on disk as it happens.
//!
//! A journal is a file that only grows: a record for whatever a task finds, when it finds it, and for each task that is
//! done, with its length and a checksum before it. A record is on the disk before the task counts as done. Whoever reads it
//! again stops at the first record that is not whole, which is where a run that was killed had come to. Tasks that were not
//! done by then are done again, and no others. What they find again is known by its content, and not written twice;
//! what is told again because more is known of it takes the place of what was known.
//!
//! One run at a time has a folder. The lock is the kernel's, so it ends with the process however that ends.

mod record;

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::supervisor::{Outcome, Task};
use crate::worker::protocol::Finding;
pub use record::{Entry, Record};

/// The journal of a run, and the right to write to its folder.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    known: HashMap<String, Known>,
    /// What all tasks of this run have in common.
    run: String,
    /// Held as long as this is.
    _lock: Lock,
}

/// The right to write to a folder.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    /// A process that is being started has this file, too, until it becomes another program: to close it would not do.
    fn drop(&mut self) {
        // It ends with the process in any case.
        let _ = self.0.unlock();
    }
}

/// What is known of a task.
#[derive(Debug)]
struct Known {
    /// Of the task and the run that this was found out in.
    digest: u64,
    /// Each failure as it is known best.
    found: Vec<Finding>,
    outcome: Option<Outcome>,
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
        let mut known = HashMap::new();
        let read = file.as_mut().map_err(|error| io::Error::new(error.kind(), error.to_string())).and_then(|file| {
            let Some((records, whole)) = record::read(file)? else { return Ok(false) };
            records.into_iter().for_each(|record| learn(&mut known, record));
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
            (Ok(true), Ok(file)) => Ok(Journal { file, path, known, run: run.to_owned(), _lock: lock }),
            (Ok(_), _) => Err(JournalError::Foreign(path)),
            (Err(reason), _) => Err(JournalError::File { path, reason }),
        }
    }

    /// What came of a task, in this run or an earlier one, if it was this very task.
    pub fn finished(&self, task: &Task) -> Option<&Outcome> {
        self.known(task)?.outcome.as_ref()
    }

    /// What a task has found, whether it is done or not.
    pub fn found(&self, task: &Task) -> &[Finding] {
        self.known(task).map_or(&[], |known| &known.found)
    }

    /// Whether a task of this key is done that was another, or in a run that was another.
    pub fn is_outdated(&self, task: &Task) -> bool {
        self.known(task).is_none() && self.known.get(&task.key).is_some_and(|known| known.outcome.is_some())
    }

    /// How many tasks have an outcome, whether they are of this run or not.
    pub fn len(&self) -> usize {
        self.known.values().filter(|known| known.outcome.is_some()).count()
    }

    /// Whether no task has an outcome.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes down what a task has found, or what more is known of it. It is on disk when this returns. Says whether it was
    /// not known yet.
    pub fn find(&mut self, task: &Task, finding: &Finding) -> Result<bool, JournalError> {
        if !finding.adds_to(self.found(task)) {
            return Ok(false);
        }
        self.append(task, Entry::Found(Box::new(finding.clone())))?;
        Ok(true)
    }

    /// Writes down what came of a task. It is on disk when this returns.
    pub fn finish(&mut self, task: &Task, outcome: Outcome) -> Result<(), JournalError> {
        self.append(task, Entry::Finished(outcome))
    }

    fn known(&self, task: &Task) -> Option<&Known> {
        self.known.get(&task.key).filter(|known| known.digest == record::digest(&self.run, task))
    }

    fn append(&mut self, task: &Task, entry: Entry) -> Result<(), JournalError> {
        let record = Record { key: task.key.clone(), digest: record::digest(&self.run, task), entry };
        record::append(&mut self.file, &record).map_err(failed(&self.path))?;
        learn(&mut self.known, record);
        Ok(())
    }
}

/// Takes in a record. Whatever is known of a task by the same key that is another does not count any more.
fn learn(known: &mut HashMap<String, Known>, Record { key, digest, entry }: Record) {
    let fresh = || Known { digest, found: Vec::new(), outcome: None };
    let known = known.entry(key).or_insert_with(fresh);
    if known.digest != digest {
        *known = fresh();
    }
    match entry {
        Entry::Found(finding) => finding.add_to(&mut known.found),
        Entry::Finished(outcome) => known.outcome = Some(outcome),
    }
}

/// What is in the journal of a folder, in the order in which it was written. For whoever only wants to look.
pub fn read(folder: &Path) -> Result<Vec<Record>, JournalError> {
    let path = folder.join(NAME);
    let mut file = File::open(&path).map_err(failed(&path))?;
    let (records, _) = record::read(&mut file).map_err(failed(&path))?.ok_or(JournalError::Foreign(path))?;
    Ok(records)
}

fn take(folder: &Path) -> Result<Lock, JournalError> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(failed(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(failed(&path)(error)),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> JournalError {
    move |reason| JournalError::File { path: path.to_owned(), reason }
}

#[cfg(test)]
mod tests;

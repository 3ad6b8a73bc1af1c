//! The bytes of a journal: a line that says what it is, then records of a length, a checksum and postcard bytes each.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use crate::supervisor::{Outcome, Task};
use crate::worker::protocol::Finding;

/// The first bytes. The number is that of the format.
pub const MAGIC: &[u8] = b"raddle journal 3\n";

/// What is known of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The key of the task.
    pub key: String,
    /// Of the task and its run.
    pub digest: u64,
    /// What is known.
    pub entry: Entry,
}

/// What is written down about a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// It has found something, or knows more of it, and goes on.
    Found(Box<Finding>),
    /// It is done.
    Finished(Outcome),
}

/// Writes a record, and waits until it is on disk. It is one write, so that a killed process leaves all or nothing of it
/// in most cases; the checksum is for the others.
pub fn append(file: &mut File, record: &Record) -> io::Result<()> {
    let content = postcard::to_stdvec(record).map_err(io::Error::other)?;
    let mut bytes = (content.len() as u32).to_le_bytes().to_vec();
    bytes.extend(crc32fast::hash(&content).to_le_bytes());
    bytes.extend(content);
    file.write_all(&bytes)?;
    file.sync_data()
}

/// All whole records, and how many bytes they are, the first line with them; None if it is no journal. An empty file is
/// one without records.
pub fn read(file: &mut File) -> io::Result<Option<(Vec<Record>, u64)>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else {
        // A run that was killed as it began may have written a part of the first line.
        return Ok(MAGIC.starts_with(&bytes).then_some((Vec::new(), 0)));
    };
    let mut records = Vec::new();
    while let Some((record, after)) = next(rest) {
        records.push(record);
        rest = after;
    }
    Ok(Some((records, (bytes.len() - rest.len()) as u64)))
}

fn next(bytes: &[u8]) -> Option<(Record, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (checksum, rest) = rest.split_first_chunk()?;
    let (content, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return None;
    }
    Some((postcard::from_bytes(content).ok()?, rest))
}

/// A number that two tasks share only if they are the same, in runs that are the same. FNV-1a, which is fixed for all time.
pub fn digest(run: &str, task: &Task) -> u64 {
    let task = postcard::to_stdvec(task).expect("internal bug: tasks can be written");
    run.bytes()
        .chain([0])
        .chain(task)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
}

//! The file under an archive, read by position and opened only while it is read.
//!
//! Each look-up reads through its own clone, so that threads share no position and need no lock, and a
//! class path of a thousand jars holds no file open. A clone opens the file anew and refuses one that is
//! not the file whose directory was read: the positions in that directory would mean nothing in it.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Enough for the class of median size with its header, and for a stretch of the archive's directory.
const BLOCK: usize = 8 << 10;

#[derive(Debug)]
pub(crate) struct ArchiveFile {
    path: Arc<Path>,
    /// What the file was when its directory was read.
    stamp: Stamp,
    position: u64,
    open: Option<Open>,
}

/// A file that is being read, with the bytes at `block_at` that were read last.
#[derive(Debug)]
struct Open {
    file: File,
    block: Vec<u8>,
    block_at: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl ArchiveFile {
    pub fn new(path: &Path) -> io::Result<ArchiveFile> {
        Ok(ArchiveFile { path: path.into(), stamp: Stamp::of(&path.metadata()?), position: 0, open: None })
    }

    fn open(&mut self) -> io::Result<&mut Open> {
        if self.open.is_none() {
            let file = File::open(&self.path)?;
            if Stamp::of(&file.metadata()?) != self.stamp {
                return Err(io::Error::other("it changed while it was in use"));
            }
            self.open = Some(Open { file, block: Vec::new(), block_at: 0 });
        }
        Ok(self.open.as_mut().expect("internal bug: just opened"))
    }
}

impl Clone for ArchiveFile {
    fn clone(&self) -> ArchiveFile {
        ArchiveFile { path: self.path.clone(), stamp: self.stamp.clone(), position: 0, open: None }
    }
}

impl Read for ArchiveFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let position = self.position;
        let open = self.open()?;
        let ready = match open.ready_at(position) {
            [] => {
                open.fill(position)?;
                open.ready_at(position)
            }
            ready => ready,
        };
        let count = ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ready[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for ArchiveFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.stamp.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl Open {
    /// The bytes of the block from `position` on; none if the block does not hold that position.
    fn ready_at(&self, position: u64) -> &[u8] {
        position
            .checked_sub(self.block_at)
            .and_then(|from| self.block.get(usize::try_from(from).ok()?..))
            .unwrap_or_default()
    }

    fn fill(&mut self, position: u64) -> io::Result<()> {
        // Taken out, so that an error leaves an empty block behind.
        let mut block = mem::take(&mut self.block);
        block.resize(BLOCK, 0);
        self.file.seek(SeekFrom::Start(position))?;
        let count = self.file.read(&mut block)?;
        block.truncate(count);
        self.block = block;
        self.block_at = position;
        Ok(())
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp { length: metadata.len(), modified: metadata.modified().ok() }
    }
}

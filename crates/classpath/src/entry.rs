//! One entry of a class path, of whichever kind its content says.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::archive::Archive;
use crate::folder::Folder;
use crate::image::Image;
use crate::image_tables;
use crate::index::Index;
use crate::{ClassName, Error};

/// A folder, archive or image on the class path.
#[derive(Debug)]
pub(crate) enum Entry {
    Folder(Folder),
    Archive(Archive),
    Image(Image),
}

/// A class in an entry: its bytes and its module.
type Found<'a> = (Cow<'a, [u8]>, Option<&'a str>);

impl Entry {
    pub fn open(path: &Path, feature: u32) -> Result<Entry, Error> {
        let metadata = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::MissingEntry { path: path.to_path_buf() },
            _ => Error::io(path, error),
        })?;
        let not_an_entry = || Error::NotAnEntry { path: path.to_path_buf() };
        if metadata.is_dir() {
            return Ok(Entry::Folder(Folder::open(path)));
        }
        if !metadata.is_file() {
            return Err(not_an_entry());
        }
        let head = head(path).map_err(|error| Error::io(path, error))?;
        match head.as_slice() {
            [] => Err(Error::EmptyEntry { path: path.to_path_buf() }),
            [b'J', b'M', 1, 0] => Archive::open_jmod(path).map(Entry::Archive),
            [b'P', b'K', ..] => Archive::open_jar(path, feature).map(Entry::Archive),
            _ if image_tables::has_magic(&head) => Image::open(path).map(Entry::Image),
            // A jar may have a script before it that runs it.
            _ => match Archive::open_jar(path, feature) {
                Err(Error::Unreadable { .. }) => Err(not_an_entry()),
                opened => opened.map(Entry::Archive),
            },
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Entry::Folder(folder) => folder.path(),
            Entry::Archive(archive) => archive.path(),
            Entry::Image(image) => image.path(),
        }
    }

    pub fn find(&self, name: &ClassName) -> Result<Option<Found<'_>>, Error> {
        Ok(match self {
            Entry::Folder(folder) => folder.find(name)?.map(|bytes| (bytes.into(), None)),
            Entry::Archive(archive) => archive.find(name)?.map(|bytes| (bytes.into(), archive.module())),
            Entry::Image(image) => image.find(name)?.map(|(bytes, module)| (bytes, Some(module))),
        })
    }

    /// Adds all classes of this entry to an index.
    pub fn add_to(&self, index: &mut Index) -> Result<(), Error> {
        match self {
            Entry::Folder(folder) => folder.for_each_class(&mut |class| index.add(class, None)),
            Entry::Archive(archive) => {
                archive.for_each_class(&mut |class| index.add(class, archive.module()));
                Ok(())
            }
            Entry::Image(image) => image.for_each_class(&mut |class, module| index.add(class, Some(module))),
        }
    }
}

/// The first bytes of a file, by which its kind is told.
fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(4);
    File::open(path)?.take(4).read_to_end(&mut head)?;
    Ok(head)
}

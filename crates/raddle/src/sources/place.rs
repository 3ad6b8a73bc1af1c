//! One place with source files: a folder or an archive, laid out by package, or by module and package as the JDK's
//! sources are.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

/// The largest source file that is read. The largest of the JDK has half a megabyte.
const MAX_SIZE: u64 = 16 << 20;

/// A folder of a module has this file in it.
const MODULE: &str = "module-info.java";

/// Somewhere to look for source files.
pub struct Place {
    path: PathBuf,
    opened: OnceCell<Opened>,
}

struct Opened {
    content: Content,
    /// The names of the folders of modules, which stand before those of packages.
    modules: Vec<String>,
}

enum Content {
    Folder,
    Archive(RefCell<ZipArchive<BufReader<File>>>),
    /// There is nothing that can be read.
    Nothing,
}

impl Place {
    pub fn new(path: PathBuf) -> Place {
        Place { path, opened: OnceCell::new() }
    }

    /// The text of the file on this path, with slashes, if there is one.
    pub fn read(&self, file: &str) -> Option<String> {
        let opened = self.opened.get_or_init(|| open(&self.path));
        let of_modules = opened.modules.iter().map(|module| format!("{module}/{file}"));
        [file.to_owned()].into_iter().chain(of_modules).find_map(|file| match &opened.content {
            Content::Folder => read_file(&self.path.join(file)),
            Content::Archive(zip) => read_entry(&mut zip.borrow_mut(), &file),
            Content::Nothing => None,
        })
    }
}

fn open(path: &Path) -> Opened {
    if path.is_dir() {
        return Opened { content: Content::Folder, modules: modules_in(path) };
    }
    let zip = File::open(path).ok().and_then(|file| ZipArchive::new(BufReader::new(file)).ok());
    let Some(zip) = zip else { return Opened { content: Content::Nothing, modules: Vec::new() } };
    let modules: BTreeSet<String> = zip
        .file_names_raw()
        .filter_map(|name| str::from_utf8(name).ok()?.strip_suffix(MODULE)?.strip_suffix('/'))
        .filter(|module| !module.contains('/'))
        .map(str::to_owned)
        .collect();
    Opened { content: Content::Archive(RefCell::new(zip)), modules: modules.into_iter().collect() }
}

fn modules_in(folder: &Path) -> Vec<String> {
    let children = fs::read_dir(folder).into_iter().flatten().flatten();
    let modules = children.filter(|child| child.path().join(MODULE).is_file());
    let mut names: Vec<String> = modules.filter_map(|child| child.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn read_file(path: &Path) -> Option<String> {
    // Opening a pipe would wait for ever.
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    read(File::open(path).ok()?, metadata.len())
}

fn read_entry(zip: &mut ZipArchive<BufReader<File>>, name: &str) -> Option<String> {
    let entry = zip.by_name(name).ok()?;
    let size = entry.size();
    read(entry, size)
}

/// Text in another encoding than UTF-8 is shown as far as it can be.
fn read(from: impl Read, size: u64) -> Option<String> {
    if size > MAX_SIZE {
        return None;
    }
    let mut bytes = Vec::with_capacity(size as usize);
    from.take(MAX_SIZE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

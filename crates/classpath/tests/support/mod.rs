//! What several tests need: the installed JDKs, and archives made on the spot.
#![allow(dead_code)] // Each test binary uses its own part.

use std::fs;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use classpath::{ClassName, ClassPath, Jdk};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The JDKs of this machine. These tests read real ones, so there has to be one.
pub fn jdks() -> Vec<Jdk> {
    let jdks = Jdk::installed();
    assert!(!jdks.is_empty(), "these tests need a JDK: install one or set JAVA_HOME");
    for jdk in &jdks {
        println!("JDK {} in {}", jdk.version, jdk.home.display());
    }
    jdks
}

pub fn name(text: &str) -> ClassName {
    ClassName::parse(text).expect("a class name")
}

/// A deflated zip of these files.
pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    for (name, content) in files {
        let deflated = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        zip.start_file(*name, deflated).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn write(folder: &Path, file: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

/// A class path of one entry, for a JDK of feature release 17.
pub fn open(path: &Path) -> ClassPath {
    let mut class_path = ClassPath::new(17);
    class_path.push(path).unwrap();
    class_path
}

/// The bytes that a look-up finds, as text.
pub fn found(class_path: &ClassPath, class: &str) -> Option<String> {
    let found = class_path.find(&name(class)).unwrap()?;
    Some(String::from_utf8(found.bytes.into_owned()).unwrap())
}

pub fn listed(class_path: &ClassPath) -> Vec<String> {
    class_path.classes().unwrap().map(ClassName::to_string).collect()
}

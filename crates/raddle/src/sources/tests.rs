//! Each way to find a source file, on folders and archives made for it.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use classpath::Jdk;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::Sources;

fn put(folder: &Path, file: &str, text: &str) -> PathBuf {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn archive(folder: &Path, name: &str, entries: &[(&str, &str)]) -> PathBuf {
    let path = folder.join(name);
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    for (entry, text) in entries {
        zip.start_file(*entry, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    path
}

/// The second line of `com.acme.Cache`, whose file says where it lies.
fn found(source_path: Option<&Path>, class_path: &[&Path], java_home: Option<&Path>) -> Option<String> {
    let source_path = source_path.map(|path| path.to_str().unwrap());
    let sources = Sources::new(source_path, class_path.iter().copied(), java_home);
    sources.line("com.acme.Cache", Some("Cache.java"), 2)
}

const CACHE: &str = "com/acme/Cache.java";

#[test]
fn in_what_was_named() {
    let folder = TempDir::new().unwrap();
    put(folder.path(), CACHE, "1\nin folder\n");
    let zip = archive(folder.path(), "some.zip", &[(CACHE, "1\nin archive\n")]);
    assert_eq!(found(Some(folder.path()), &[], None).unwrap(), "in folder");
    assert_eq!(found(Some(&zip), &[], None).unwrap(), "in archive");
    let both = format!("{}:{}:/gone", zip.display(), folder.path().display());
    assert_eq!(found(Some(Path::new(&both)), &[], None).unwrap(), "in archive");
}

#[test]
fn in_what_lies_near_the_class_path() {
    let folder = TempDir::new().unwrap();
    let (maven, gradle) = (folder.path().join("maven"), folder.path().join("gradle"));
    put(&maven, &format!("src/main/java/{CACHE}"), "1\nMaven\n");
    put(&gradle, &format!("src/main/java/{CACHE}"), "1\nGradle\n");
    for classes in [maven.join("target/classes"), gradle.join("build/classes/java/main")] {
        fs::create_dir_all(&classes).unwrap();
    }
    archive(folder.path(), "acme-1.0-sources.jar", &[(CACHE, "1\nsources jar\n")]);
    let jar = archive(folder.path(), "acme-1.0.jar", &[]);
    assert_eq!(found(None, &[&maven.join("target/classes")], None).unwrap(), "Maven");
    assert_eq!(found(None, &[&gradle.join("build/classes/java/main")], None).unwrap(), "Gradle");
    assert_eq!(found(None, &[&jar], None).unwrap(), "sources jar");
    let whole = archive(folder.path(), "whole.jar", &[(CACHE, "1\nthe jar itself\n")]);
    assert_eq!(found(None, &[&whole], None).unwrap(), "the jar itself");
    // What was named comes before what lies near.
    assert_eq!(found(Some(&whole), &[&jar], None).unwrap(), "the jar itself");
}

#[test]
fn in_the_sources_of_a_jdk_which_are_laid_out_by_module() {
    let home = TempDir::new().unwrap();
    fs::create_dir(home.path().join("lib")).unwrap();
    let entries =
        [("java.base/module-info.java", "module java.base {}"), ("java.base/com/acme/Cache.java", "1\nin a module\n")];
    archive(home.path(), "lib/src.zip", &entries);
    assert_eq!(found(None, &[], Some(home.path())).unwrap(), "in a module");
    // Unpacked, it is the same.
    let unpacked = TempDir::new().unwrap();
    entries.iter().for_each(|(entry, text)| drop(put(unpacked.path(), entry, text)));
    assert_eq!(found(Some(unpacked.path()), &[], None).unwrap(), "in a module");
}

#[test]
fn real_sources() {
    for jdk in Jdk::installed().iter().filter(|jdk| jdk.home.join("lib/src.zip").is_file()) {
        let sources = Sources::new(None, [], Some(&jdk.home));
        let lines = (1..2_000).map_while(|line| sources.line("java.util.Vector", Some("Vector.java"), line));
        assert!(lines.into_iter().any(|line| line.contains("public class Vector<E>")), "{}", jdk.version);
        assert!(sources.line("java.awt.Window$Type", None, 1).is_some(), "{}", jdk.version);
    }
}

#[test]
fn nested_classes_and_what_a_class_file_says() {
    let folder = TempDir::new().unwrap();
    put(folder.path(), "a/Outer.java", "outer");
    put(folder.path(), "a/Two.kt", "two");
    put(folder.path(), "a/Do$lar.java", "dollar");
    put(folder.path(), "Alone.java", "\tal\u{1b}[31mone \r\nlast");
    let sources = Sources::new(Some(folder.path().to_str().unwrap()), [], None);
    for (class, file, line, text) in [
        ("a.Outer$Inner$1", None, 1, Some("outer")),
        ("a/Outer", None, 1, Some("outer")),
        ("a.TwoKt", Some("Two.kt"), 1, Some("two")),
        ("a.Do$lar", None, 1, Some("dollar")),
        ("Alone", None, 1, Some("\tal\u{fffd}[31mone")),
        ("Alone", Some("../a/Outer.java"), 2, Some("last")),
        ("Alone", None, 3, None),
        ("Alone", None, 0, None),
        ("a.Gone", None, 1, None),
        ("a.Outer", Some("Gone.java"), 1, None),
        ("..", None, 1, None),
    ] {
        assert_eq!(sources.line(class, file, line).as_deref(), text, "{class} {file:?} {line}");
    }
}

#[test]
fn what_cannot_be_read_is_passed_over() {
    let folder = TempDir::new().unwrap();
    let damaged = put(folder.path(), "damaged-sources.jar", "no archive");
    fs::create_dir_all(folder.path().join(CACHE)).unwrap();
    let path = format!("{}:{}", damaged.display(), folder.path().display());
    assert_eq!(found(Some(Path::new(&path)), &[Path::new("/gone.jar")], Some(Path::new("/gone"))), None);
}

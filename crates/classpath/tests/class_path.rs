//! The class path as a whole: how it is written, which entry wins, what is refused.

mod support;

use std::env;
use std::fs;
use std::path::Path;
use std::thread;

use classpath::{ClassName, ClassPath, Error};
use support::{found, jdks, listed, name, open, write, zip};

/// Joins paths as the platform does.
fn joined<'a>(paths: impl IntoIterator<Item = &'a Path>) -> String {
    let joined = env::join_paths(paths).unwrap();
    joined.into_string().unwrap()
}

#[test]
fn the_first_entry_wins() {
    let temp = tempfile::tempdir().unwrap();
    let jar = write(temp.path(), "a.jar", &zip(&[("a/B.class", b"jar"), ("a/C.class", b"jar")]));
    let folder = temp.path().join("classes");
    write(&folder, "a/B.class", b"folder");
    write(&folder, "a/D.class", b"folder");

    for (order, winner) in [([&jar, &folder], "jar"), ([&folder, &jar], "folder")] {
        let text = joined(order.map(|path| path.as_path()));
        let class_path = ClassPath::parse(&text, 17).unwrap();
        assert_eq!(class_path.entries().collect::<Vec<_>>(), order);
        assert_eq!(found(&class_path, "a.B").as_deref(), Some(winner));
        assert_eq!(found(&class_path, "a.C").as_deref(), Some("jar"));
        assert_eq!(found(&class_path, "a.D").as_deref(), Some("folder"));
        assert_eq!(listed(&class_path), ["a.B", "a.C", "a.D"]);
    }
}

#[test]
fn the_exact_name_in_a_later_entry_comes_before_a_nested_one() {
    let temp = tempfile::tempdir().unwrap();
    let first = temp.path().join("first");
    let second = temp.path().join("second");
    write(&first, "a/B$C.class", b"nested");
    write(&second, "a/B/C.class", b"exact");
    let class_path = ClassPath::parse(&joined([&*first, &*second]), 17).unwrap();
    assert_eq!(found(&class_path, "a.B.C").as_deref(), Some("exact"));
    assert_eq!(found(&open(&first), "a.B.C").as_deref(), Some("nested"));
}

#[test]
fn a_wildcard_stands_for_the_jars_in_a_folder() {
    let temp = tempfile::tempdir().unwrap();
    let lib = temp.path().join("lib");
    let b = write(&lib, "b.jar", &zip(&[("a/B.class", b"b")]));
    let a = write(&lib, "a.JAR", &zip(&[("a/B.class", b"a")]));
    write(&lib, "c.zip", &zip(&[("a/C.class", b"c")]));
    write(&lib, "deeper/d.jar", &zip(&[("a/D.class", b"d")]));
    write(&lib, "folder.jar/a/E.class", b"e");
    write(&lib, "a/F.class", b"f");

    let text = lib.join("*").into_os_string().into_string().unwrap();
    let class_path = ClassPath::parse(&text, 17).unwrap();
    assert_eq!(class_path.entries().collect::<Vec<_>>(), [a, b]);
    assert_eq!(listed(&class_path), ["a.B"]);
    assert_eq!(found(&class_path, "a.B").as_deref(), Some("a"));

    let nowhere = temp.path().join("nowhere/*").into_os_string().into_string().unwrap();
    let error = ClassPath::parse(&nowhere, 17).unwrap_err();
    assert!(matches!(error, Error::MissingEntry { path } if path == temp.path().join("nowhere")));
}

#[test]
fn an_empty_element_is_the_current_folder() {
    let temp = tempfile::tempdir().unwrap();
    let text = joined([Path::new(""), temp.path()]);
    let entries = |text: &str| -> Vec<_> {
        let class_path = ClassPath::parse(text, 17).unwrap();
        class_path.entries().map(Path::to_path_buf).collect()
    };
    assert_eq!(entries(&text), [Path::new("."), temp.path()]);
    assert_eq!(entries(""), [Path::new(".")]);
    assert!(entries("*").is_empty(), "this folder holds no jars");
}

#[test]
fn what_is_no_entry_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let missing = temp.path().join("missing.jar");
    let empty = write(temp.path(), "empty.jar", b"");
    let text = write(temp.path(), "text.jar", b"this is no archive");
    let within = text.join("below");
    for (path, expected) in [
        (&missing, "does not exist"),
        (&within, "does not exist"),
        (&empty, "is empty"),
        (&text, "is neither a folder nor a jar"),
    ] {
        let error = ClassPath::parse(path.to_str().unwrap(), 17).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn a_folder_gives_its_classes() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "Main.class", b"Main");
    write(temp.path(), "a/b/C.class", b"C");
    write(temp.path(), "a/b/C$D.class", b"D");
    write(temp.path(), "a/b/package-info.class", b"package");
    write(temp.path(), "a/b/C.java", b"no class");
    write(temp.path(), "META-INF/a/E.class", b"no package");
    write(temp.path(), "a/Folder.class/F.class", b"no package either");
    let class_path = open(temp.path());
    assert_eq!(listed(&class_path), ["Main", "a.b.C", "a.b.C$D"]);
    assert_eq!(class_path.packages().unwrap().collect::<Vec<_>>(), ["", "a.b"]);
    assert_eq!(class_path.classes_in("").unwrap(), [name("Main")]);
    assert_eq!(found(&class_path, "a.b.C.D").as_deref(), Some("D"));
    for absent in ["a.Folder", "a.b.c.X", "Main.class.X", "a.b"] {
        assert_eq!(found(&class_path, absent), None, "{absent}");
    }
    assert_eq!(found(&class_path, &"x".repeat(5000)), None, "no file name is so long");
}

#[cfg(unix)]
#[test]
fn a_folder_in_a_circle_is_listed() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "a/B.class", b"B");
    std::os::unix::fs::symlink(temp.path(), temp.path().join("a/circle")).unwrap();
    let class_path = open(temp.path());
    assert_eq!(listed(&class_path), ["a.B"]);
    assert_eq!(found(&class_path, "a.circle.a.B").as_deref(), Some("B"));
}

#[test]
fn a_monstrous_class_file_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let path = write(temp.path(), "a/B.class", b"");
    let sparse = fs::File::options().write(true).open(&path).unwrap();
    sparse.set_len(classpath::MAX_CLASS_SIZE + 1).unwrap();
    let error = open(temp.path()).find(&name("a.B")).unwrap_err();
    assert!(matches!(error, Error::ClassTooLarge { .. }), "{error}");
}

#[test]
fn adding_entries_renews_the_listing() {
    let temp = tempfile::tempdir().unwrap();
    let first = temp.path().join("first");
    let second = temp.path().join("second");
    let third = temp.path().join("third");
    write(&first, "a/B.class", b"1");
    write(&second, "a/C.class", b"2");
    write(&third, "a/D.class", b"3");
    let mut class_path = open(&first);
    assert_eq!(listed(&class_path), ["a.B"]);
    class_path.push(&second).unwrap();
    assert_eq!(listed(&class_path), ["a.B", "a.C"]);
    class_path.append(open(&third));
    assert_eq!(listed(&class_path), ["a.B", "a.C", "a.D"]);
}

#[test]
fn a_class_in_front_of_the_jdk_is_no_class_of_its_module() {
    let temp = tempfile::tempdir().unwrap();
    write(temp.path(), "java/util/Vector.class", b"mine");
    let vector = name("java.util.Vector");
    for jdk in jdks() {
        let mut class_path = open(temp.path());
        class_path.append(ClassPath::of_jdk(&jdk).unwrap());
        assert_eq!(found(&class_path, "java.util.Vector").as_deref(), Some("mine"));
        assert!(!class_path.classes_in_module("java.base").unwrap().contains(&vector));
        assert!(class_path.classes_in("java.util").unwrap().contains(&vector));
    }
}

#[test]
fn threads_share_a_class_path() {
    let temp = tempfile::tempdir().unwrap();
    let contents: Vec<(String, Vec<u8>)> =
        (0..200).map(|n: u32| (format!("a/C{n}.class"), n.to_le_bytes().repeat(5_000))).collect();
    let files: Vec<(&str, &[u8])> =
        contents.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    let class_path = open(&write(temp.path(), "many.jar", &zip(&files)));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                assert_eq!(class_path.classes().unwrap().count(), contents.len());
                for (file, content) in &contents {
                    let class = ClassName::parse(file.strip_suffix(".class").unwrap()).unwrap();
                    let class = class_path.find(&class).unwrap().expect("in the jar");
                    assert_eq!(class.bytes, content.as_slice());
                }
            });
        }
    });
}

//! Jars and jmods: well-formed ones, those of the JDK's own tools, and hostile ones.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use classpath::{ClassPath, Error, Jdk, MAX_CLASS_SIZE};
use support::{found, jdks, listed, name, open, write, zip};

const MULTI_RELEASE: &[u8] = b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n";

#[test]
fn a_jar_gives_its_classes() {
    let temp = tempfile::tempdir().unwrap();
    let jar = zip(&[
        ("META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\n\n"),
        ("module-info.class", b"module"),
        ("a/package-info.class", b"package"),
        ("a/B.class", b"B"),
        ("a/B$C.class", b"C"),
        ("Main.class", b"Main"),
        ("a/readme.txt", b"no class"),
        ("BOOT-INF/classes/a/D.class", b"D"),
    ]);
    // The name does not say that it is a jar.
    let path = write(temp.path(), "library", &jar);
    let class_path = open(&path);
    assert_eq!(listed(&class_path), ["Main", "a.B", "a.B$C"]);
    assert_eq!(class_path.packages().unwrap().collect::<Vec<_>>(), ["", "a"]);
    assert_eq!(class_path.modules().unwrap().count(), 0);
    assert_eq!(found(&class_path, "a.B.C").as_deref(), Some("C"));
    assert_eq!(found(&class_path, "module-info").as_deref(), Some("module"));
    assert_eq!(found(&class_path, "a.package-info").as_deref(), Some("package"));
    assert_eq!(found(&class_path, "a.readme"), None);

    let main = class_path.find(&name("Main")).unwrap().unwrap();
    assert_eq!(main.origin.to_string(), path.to_str().unwrap());
}

#[test]
fn a_multi_release_jar_answers_for_the_release() {
    let temp = tempfile::tempdir().unwrap();
    let files: &[(&str, &[u8])] = &[
        ("meta-inf/manifest.mf", MULTI_RELEASE),
        ("a/B.class", b"base"),
        ("META-INF/versions/8/a/B.class", b"eight"),
        ("META-INF/versions/9/a/B.class", b"nine"),
        ("META-INF/versions/17/a/B.class", b"seventeen"),
        ("META-INF/versions/21/a/B.class", b"twenty-one"),
        ("META-INF/versions/21/a/New.class", b"new"),
        ("META-INF/versions/9/a/Nine.class", b"nine only"),
    ];
    let jar = write(temp.path(), "versions.jar", &zip(files));
    let cases = [
        (8, "base", vec!["a.B"]),
        (9, "nine", vec!["a.B", "a.Nine"]),
        (16, "nine", vec!["a.B", "a.Nine"]),
        (17, "seventeen", vec!["a.B", "a.Nine"]),
        (25, "twenty-one", vec!["a.B", "a.New", "a.Nine"]),
    ];
    for (feature, expected, classes) in cases {
        let mut class_path = ClassPath::new(feature);
        class_path.push(&jar).unwrap();
        assert_eq!(found(&class_path, "a.B").as_deref(), Some(expected), "release {feature}");
        assert_eq!(listed(&class_path), classes, "release {feature}");
    }

    let plain = write(temp.path(), "plain.jar", &zip(&files[1..]));
    assert_eq!(found(&open(&plain), "a.B").as_deref(), Some("base"));
    assert_eq!(listed(&open(&plain)), ["a.B"]);
}

#[test]
fn a_jar_of_the_jar_tool_is_read() {
    for jdk in jdks() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "base/a/B.class", b"base");
        let output = Command::new(jdk.home.join("bin/jar"))
            .current_dir(temp.path())
            .args(["--create", "--file", "tool.jar", "-C", "base", "."])
            .output()
            .expect("the jar tool runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let class_path = open(&temp.path().join("tool.jar"));
        assert_eq!(listed(&class_path), ["a.B"]);
        assert_eq!(found(&class_path, "a.B").as_deref(), Some("base"));
    }
}

#[test]
fn a_jar_behind_a_script_is_read() {
    let temp = tempfile::tempdir().unwrap();
    let mut bytes = b"#!/bin/sh\nexec java -jar \"$0\"\n".to_vec();
    bytes.extend(zip(&[("a/B.class", b"B")]));
    let class_path = open(&write(temp.path(), "run", &bytes));
    assert_eq!(found(&class_path, "a.B").as_deref(), Some("B"));
}

#[test]
fn a_jmod_gives_its_classes_and_its_module() {
    let temp = tempfile::tempdir().unwrap();
    let mut bytes = b"JM\x01\x00".to_vec();
    bytes.extend(zip(&[
        ("classes/module-info.class", b"module"),
        ("classes/a/B.class", b"B"),
        ("bin/a/Tool.class", b"no class of the module"),
    ]));
    let path = write(temp.path(), "a.module.jmod", &bytes);
    let class_path = open(&path);
    assert_eq!(listed(&class_path), ["a.B"]);
    assert_eq!(class_path.modules().unwrap().collect::<Vec<_>>(), ["a.module"]);
    assert_eq!(class_path.classes_in_module("a.module").unwrap(), [name("a.B")]);
    let class = class_path.find(&name("a.B")).unwrap().unwrap();
    assert_eq!(class.bytes, b"B".as_slice());
    assert_eq!(class.origin.to_string(), format!("{} (a.module)", path.display()));
    assert_eq!(found(&class_path, "a.Tool"), None);
}

#[test]
fn a_jmod_of_the_jmod_tool_is_read() {
    for jdk in jdks() {
        let temp = tempfile::tempdir().unwrap();
        write(temp.path(), "module-info.java", b"module m { exports a; }");
        write(temp.path(), "a/B.java", b"package a; public class B { }");
        let run = |tool: &Path, arguments: &[&str]| {
            let output = Command::new(tool).current_dir(temp.path()).args(arguments).output();
            let output = output.expect("the tool runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        run(&jdk.javac(), &["-d", "classes", "module-info.java", "a/B.java"]);
        run(&jdk.home.join("bin/jmod"), &["create", "--class-path", "classes", "m.jmod"]);
        let class_path = open(&temp.path().join("m.jmod"));
        assert_eq!(class_path.classes_in_module("m").unwrap(), [name("a.B")]);
        let compiled = fs::read(temp.path().join("classes/a/B.class")).unwrap();
        let class = class_path.find(&name("a.B")).unwrap().unwrap();
        assert_eq!(class.bytes, compiled);
        if jdk.jmods_dir().is_dir() {
            check_jmod_against_image(&jdk);
        }
    }
}

/// The JDK's own jmods hold what its image holds. Not every JDK comes with them.
fn check_jmod_against_image(jdk: &Jdk) {
    let image = ClassPath::of_jdk(jdk).unwrap();
    let jmod = open(&jdk.jmods_dir().join("java.logging.jmod"));
    let classes = jmod.classes_in_module("java.logging").unwrap();
    assert_eq!(classes, image.classes_in_module("java.logging").unwrap());
    assert!(!classes.is_empty());
    for class in classes {
        let from_jmod = jmod.find_exact(class).unwrap().expect("a listed class");
        assert!(from_jmod.bytes.starts_with(&[0xCA, 0xFE, 0xBA, 0xBE]), "{class}");
    }
}

#[test]
fn a_jar_without_files_holds_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let class_path = open(&write(temp.path(), "none.jar", &zip(&[])));
    assert_eq!(found(&class_path, "a.B"), None);
    assert_eq!(class_path.classes().unwrap().count(), 0);
}

#[test]
fn names_that_lead_elsewhere_are_not_listed() {
    let temp = tempfile::tempdir().unwrap();
    let path = write(
        temp.path(),
        "hostile.jar",
        &zip(&[
            ("../Up.class", b"1"),
            ("a/../../Up.class", b"2"),
            ("/etc/Absolute.class", b"3"),
            ("a//Double.class", b"4"),
            ("a/Folder.class/", b""),
            ("a\\Back.class", b"5"),
            (".class", b"6"),
            ("a/.class", b"7"),
            ("a/B.class", b"8"),
        ]),
    );
    let class_path = open(&path);
    assert_eq!(listed(&class_path), ["a.B"]);
    assert_eq!(found(&class_path, "a.Folder"), None);
}

#[test]
fn of_duplicate_files_the_last_counts() {
    let temp = tempfile::tempdir().unwrap();
    let jar = zip(&[("a/B.class", b"first"), ("a/C.class", b"second")]);
    let renamed = replace(&jar, b"a/C.class", b"a/B.class");
    let class_path = open(&write(temp.path(), "twice.jar", &renamed));
    assert_eq!(listed(&class_path), ["a.B"]);
    assert_eq!(found(&class_path, "a.B").as_deref(), Some("second"));
}

#[test]
fn a_class_of_monstrous_size_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let bomb = vec![0; MAX_CLASS_SIZE as usize + 1];
    let path = write(temp.path(), "bomb.jar", &zip(&[("a/B.class", &bomb)]));
    assert!(fs::metadata(&path).unwrap().len() < MAX_CLASS_SIZE / 100, "it is a bomb");
    let error = open(&path).find(&name("a.B")).unwrap_err();
    assert!(matches!(error, Error::ClassTooLarge { size, .. } if size == MAX_CLASS_SIZE + 1));
    let text = error.to_string();
    assert!(text.contains("a/B.class") && text.contains(path.to_str().unwrap()), "{text}");
}

#[test]
fn a_bomb_that_lies_about_its_size_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let size = 12_345_678_u32;
    let jar = zip(&[("a/B.class", &vec![0; size as usize])]);
    let lying = replace(&jar, &size.to_le_bytes(), &10_u32.to_le_bytes());
    let path = write(temp.path(), "liar.jar", &lying);
    let error = open(&path).find(&name("a.B")).unwrap_err();
    assert!(matches!(error, Error::Unreadable { .. }), "{error}");
    assert!(error.to_string().contains("a/B.class"), "{error}");
}

#[test]
fn damaged_jars_give_errors_that_name_them() {
    let temp = tempfile::tempdir().unwrap();
    let jar = zip(&[
        ("META-INF/MANIFEST.MF", MULTI_RELEASE),
        ("META-INF/versions/9/a/B.class", b"nine nine nine nine nine"),
        ("a/B.class", b"base base base base base"),
    ]);
    let use_all = |bytes: &[u8]| {
        let path = write(temp.path(), "damaged.jar", bytes);
        let mut class_path = ClassPath::new(17);
        let result = class_path.push(&path).and_then(|()| {
            class_path.classes()?.count();
            class_path.find(&name("a.B"))?;
            Ok(())
        });
        let error = result.err()?.to_string();
        assert!(error.contains(path.to_str().unwrap()), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        Some(error)
    };
    assert_eq!(use_all(&jar), None);
    for length in 0..jar.len() {
        assert!(use_all(&jar[..length]).is_some(), "cut off after {length} bytes");
    }
    let mut seen = 0;
    for at in 0..jar.len() {
        for bits in [0x01, 0x80, 0xFF] {
            let mut damaged = jar.clone();
            damaged[at] ^= bits;
            seen += usize::from(use_all(&damaged).is_some());
        }
    }
    assert!(seen > jar.len() / 2, "{seen} damages were seen");
}

#[test]
fn a_jar_that_changes_in_use_is_an_error() {
    let temp = tempfile::tempdir().unwrap();
    let path = write(temp.path(), "a.jar", &zip(&[("a/B.class", b"old")]));
    let class_path = open(&path);
    assert_eq!(found(&class_path, "a.B").as_deref(), Some("old"));
    write(temp.path(), "a.jar", &zip(&[("a/B.class", b"new and longer")]));
    let error = class_path.find(&name("a.B")).unwrap_err().to_string();
    assert!(error.contains("changed while it was in use"), "{error}");
    assert!(error.contains(path.to_str().unwrap()), "{error}");
}

/// Replaces each occurrence of some bytes by others of the same length.
fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut replaced = bytes.to_vec();
    let mut count = 0;
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            replaced[at..at + to.len()].copy_from_slice(to);
            count += 1;
        }
    }
    assert!(count > 0, "nothing to replace");
    replaced
}

//! What cannot be checked: one line that says why and what to do, and among other classes a class of which nothing is known.

use crate::jdks;
use crate::support::{BUDGET, Raddle, compile};
use classpath::Jdk;
use tempfile::TempDir;

/// Of each kind of class that cannot be checked one, and two that can.
const CLASSES: [(&str, &str); 13] = [
    ("Shape", "public interface Shape { double area(); }"),
    ("Figure", "public abstract class Figure { private Figure() {} public abstract double area(); }"),
    ("Colour", "public enum Colour { ; public static int rank() { return 1; } public int brightness() { return 2; } }"),
    ("Hidden", "public class Hidden { private Hidden() {} public int one() { return 1; } }"),
    ("Silent", "public class Silent { public Silent() {} }"),
    (
        "Broken",
        "public class Broken { static final int SIZE = Integer.parseInt(\"many\"); int count;
        public int next() { return count++ % SIZE; } public int count() { return count; } }",
    ),
    ("Part", "public class Part { private int uses; int use() { return uses++; } }"),
    ("Needy", "public class Needy { private Part part = new Part(); public int use() { return part.use(); } }"),
    (
        "Picky",
        "public class Picky { private int count; public int next() { return ++count; }
        public Picky(String name, long size, char sign) { if (!\"Rumpelstilt\".concat(\"skin\").equals(name)) throw new IllegalArgumentException(); } }",
    ),
    (
        "Eater",
        "public class Eater { private int count; public synchronized int next() { return ++count; }
        public synchronized void eat(Part[] parts) { count += parts == null ? 0 : parts.length; } }",
    ),
    ("Newer", "public class Newer { private int count; public int next() { return ++count; } }"),
    ("Steady", "public class Steady { private int count; public synchronized int next() { return ++count; } }"),
    (
        "Raced",
        "public class Raced { private String text = \"\"; public void put() { text = \"\"; }
        public int length() { return text == null ? 0 : text.length(); } public void take() { text = null; } }",
    ),
];

/// For each class that can be checked: some hundred tests.
const EFFORT: &str = "500000";

/// Where the major version of a class file is.
const MAJOR_VERSION: usize = 7;

/// The classes, without one that another needs, and with one of a later version.
fn classes(jdk: &Jdk, version: u8) -> TempDir {
    let (folder, source) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let sources = CLASSES.map(|(name, text)| {
        let file = source.path().join(format!("{name}.java"));
        std::fs::write(&file, text).unwrap();
        file
    });
    compile(jdk, &sources, folder.path(), folder.path());
    std::fs::remove_file(folder.path().join("Part.class")).unwrap();
    let newer = folder.path().join("Newer.class");
    let mut bytes = std::fs::read(&newer).unwrap();
    bytes[MAJOR_VERSION] = version;
    std::fs::write(&newer, bytes).unwrap();
    folder
}

#[test]
fn a_class_that_cannot_be_checked_gets_one_line_that_says_why() {
    let jdk = &jdks()[0];
    // One that the JDK does not know but we do, if there is one, and one that nobody knows.
    let next = 44 + jdk.feature as u8 + 1;
    let known = classes(jdk, next);
    let raddle = Raddle::new(jdk);
    let check = |target: &str, class_path: &TempDir| {
        let class_path = class_path.path().to_str().unwrap();
        let target: Vec<&str> = target.split(' ').collect();
        raddle
            .refused(&[&["check"], &*target, &["--budget", BUDGET, "--jobs", "1", "--classpath", class_path]].concat())
    };
    for (target, why, advice) in [
        ("Shape", "Shape is an interface", "name a class that implements it"),
        ("Figure", "Figure is abstract", "name a class that extends it"),
        ("java.util.concurrent.TimeUnit", "java.util.concurrent.TimeUnit is an enum of the JDK", "cannot be put back"),
        ("Hidden", "Hidden has no constructor or factory", "name a class that has one"),
        ("Silent", "Silent has no public methods", "to call concurrently"),
        ("Broken", "a static initialiser failed: java.lang.NumberFormatException", "correct what it needs"),
        ("Needy", "class Part is not on the class path", "with --classpath"),
        (
            "Picky",
            "of the 500",
            "tests that were tried fails even if its calls are made one after the other; mostly new Picky throws",
        ),
        ("Stedy", "class Stedy is not on the class path", "Steady"),
        ("com.acme.Frobnicator", "class com.acme.Frobnicator is not on the class path", "with --classpath"),
        ("com.acme.*", "there is no package com.acme", "with --classpath"),
        ("acme.jar", "acme.jar is no class", "with --classpath"),
        ("lib/acme.jar", "lib/acme.jar is no class", "with --classpath"),
        ("Steady --skip nxet", "it has no public method nxet", "correct --skip"),
        ("Steady#next", "class Steady#next is not on the class path", "correct the name"),
    ] {
        let line = check(target, &known);
        assert!(line.contains(why) && line.contains(advice), "{target}: {line}");
        assert!(line.matches(target).count() < 3, "once or twice is enough: {line}");
    }
    if next <= 69 {
        let line = check("Newer", &known);
        assert!(line.contains("UnsupportedClassVersionError") && line.contains("with --java-home"), "{line}");
    }
    let line = check("Newer", &classes(jdk, 99));
    assert!(line.contains("version 99") && line.contains("compile it for Java 25"), "{line}");
}

#[test]
fn what_methods_want_and_nobody_has_is_named() {
    for jdk in &jdks() {
        let classes = classes(jdk, 99);
        let (status, report) = Raddle::new(jdk).check(classes.path(), &["Eater", "--effort", EFFORT]);
        let class = &report["classes"][0];
        assert_eq!((status, &class["verdict"]), (0, &serde_json::json!("clean")), "{report:#}");
        let note = class["notes"].to_string();
        assert!(note.contains("not on the class path: Part;") && note.contains("--classpath"), "{note}");
    }
}

#[test]
fn among_others_it_is_unknown_and_the_others_are_checked() {
    for jdk in &jdks() {
        let classes = classes(jdk, 99);
        let raddle = Raddle::new(jdk);
        let names = ["Shape", "Broken", "Steady", "Needy", "Newer", "Colour", "Raced"];
        let (status, report) = raddle.check(classes.path(), &[&names[..], &["--effort", EFFORT]].concat());
        assert_eq!(status, 1, "{report:#}");
        let told = report["classes"].as_array().unwrap();
        assert_eq!(told.iter().map(|class| class["class"].as_str().unwrap()).collect::<Vec<_>>(), names);
        for class in told {
            match class["class"].as_str().unwrap() {
                "Steady" => assert_eq!(class["verdict"], "clean", "{class:#}"),
                // It has static methods, and others that need a constant.
                "Colour" => assert_eq!(class["verdict"], "nothing found", "{class:#}"),
                "Raced" => assert_eq!(class["verdict"], "violation", "{class:#}"),
                _ => {
                    assert_eq!(class["verdict"], "unknown", "{class:#}");
                    assert!(!class["reason"].as_str().unwrap().is_empty(), "{class:#}");
                }
            }
        }
    }
}

#[test]
fn arguments_that_mean_nothing_are_refused() {
    let jdk = &jdks()[0];
    let raddle = Raddle::new(jdk);
    let line = raddle.refused(&["check", "java.util.Vector", "--budget", "nonsense"]);
    assert!(line.contains("--budget") && line.contains("write 500ms, 60s, 5m or 1h"), "{line}");
    let line = raddle.refused(&["check", "java.util.Vector", "--jobs", "0"]);
    assert!(line.contains("--jobs must be at least 1"), "{line}");
    let line = raddle.refused(&["check", "java.util.Vector", "--classpath", "/no/such/folder"]);
    assert!(line.contains("correct --classpath"), "{line}");
    for (option, value, told) in [
        ("--jobs", "100000", "at the most"),
        ("--source-path", "/no/such/folder", "correct --source-path"),
        ("--allow-read", "/no/such/file", "correct --allow-read"),
        ("--out", "/proc/raddle", "give another folder with --out"),
        ("--java-option", "-XX:NoSuchOption", "correct --java-option"),
        ("--java-option", "--no-such-option", "correct --java-option"),
        ("--heap", "0", "--heap must be at least 1"),
    ] {
        let line = raddle.refused(&["check", "java.util.Vector", option, value]);
        assert!(line.contains(told) && line.contains(option), "{line}");
    }
    for (arguments, told) in [
        (&["check"][..], "required arguments were not provided: <CLASS|PACKAGE"),
        (&["check", "java.util.Vector", "--strategy", "best"], "possible values: auto, pairs, random"),
        (&["check", "java.util.Vector", "--budgte", "3s"], "found; a similar argument exists: '--budget'"),
        (&["chekc", "java.util.Vector"], "a similar subcommand exists: 'check'"),
    ] {
        let line = raddle.refused(arguments);
        assert!(line.contains(told) && line.contains("--help"), "{line}");
    }
}

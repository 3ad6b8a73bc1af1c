//! Whatever is wrong, one line says so and what to do, nothing else is printed, and the status is 2.

use std::env;
use std::fs;
use std::process::{Command, Stdio};

use classpath::Jdk;

use crate::support::{check_refused, compiled, inspect, jdks, shown, write};

/// A JDK to refuse things with, and a folder to stand in.
fn around() -> (Jdk, tempfile::TempDir) {
    (jdks().remove(0), tempfile::tempdir().unwrap())
}

#[test]
fn a_class_that_does_not_exist() {
    for jdk in jdks() {
        let place = format!("JDK {} ({})", jdk.version, jdk.home.display());
        let check = |args: &[&str], advice: &str| {
            let on_class_path = if args.len() > 1 { "on the class path or in" } else { "in" };
            let line = format!("class {} is not {on_class_path} {place}: {advice}", args[0]);
            check_refused(&mut inspect(&jdk, args), &line);
        };
        check(&["java.util.Vektor"], "did you mean java.util.Vector?");
        check(&["java.util.hashtable"], "did you mean java.util.Hashtable?");
        let nowhere = "correct the name, or name its jar or folder with --classpath";
        check(&["com.acme.Bank0815"], nowhere);
        let folder = tempfile::tempdir().unwrap();
        check(&["com.acme.Bank0815", "--classpath", folder.path().to_str().unwrap()], nowhere);
    }
}

#[test]
fn files_that_are_no_class_files() {
    let (jdk, folder) = around();
    let no_class = |name: &str| {
        format!(
            "{name} is not a class file, it does not start with CAFEBABE (at byte 0): \
             give a .class file or the name of a class"
        )
    };
    for (name, content, line) in [
        ("notes.txt", &b"Dear reader,\n"[..], no_class("notes.txt")),
        ("three.class", b"\xca\xfe\xba", no_class("three.class")),
        ("empty.class", b"", "empty.class is empty: compile it again".to_owned()),
        (
            "app.jar",
            b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            "app.jar is a jar: name a class of it with --classpath app.jar CLASS".to_owned(),
        ),
        (
            "java.base.jmod",
            b"JM\x01\x00PK",
            "java.base.jmod is a jmod: name a class of it with --classpath java.base.jmod CLASS".to_owned(),
        ),
        (
            "newer.class",
            b"\xca\xfe\xba\xbe\0\0\x10\0",
            "newer.class: class file version 4096 is newer than this tool knows (at byte 8); \
             compile it with --release 25 or older"
                .to_owned(),
        ),
        (
            "older.class",
            b"\xca\xfe\xba\xbe\0\0\0\x01",
            "older.class is damaged: there is no class file version 1 (at byte 8); compile it again".to_owned(),
        ),
    ] {
        write(folder.path(), name, content);
        check_refused(inspect(&jdk, [name]).current_dir(folder.path()), &line);
    }
    let image = jdk.modules_image();
    let image = image.display();
    let line = format!("{image} is a JDK image: name a class of it with --classpath {image} CLASS");
    check_refused(&mut inspect(&jdk, [jdk.modules_image()]), &line);
}

#[test]
fn a_class_file_that_was_cut_short() {
    let (jdk, _) = around();
    let folder = compiled(&jdk, "A.java", "class A { int f(int x) { return x + 1; } }");
    let whole = fs::read(folder.path().join("A.class")).unwrap();
    write(folder.path(), "A.class", &whole[..whole.len() - 1]);
    let offset = whole.len() - 2;
    let line = format!("the file ends too early: 2 bytes wanted, 1 left (at byte {offset}); compile it again");
    check_refused(inspect(&jdk, ["A.class"]).current_dir(folder.path()), &format!("A.class is damaged: {line}"));
    let found = format!("A in {} is damaged: {line}", folder.path().display());
    check_refused(inspect(&jdk, ["A", "--classpath"]).arg(folder.path()), &found);
    for length in 5..whole.len() {
        write(folder.path(), "A.class", &whole[..length]);
        let output = inspect(&jdk, ["A.class"]).current_dir(folder.path()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{length}: {stderr}");
        assert!(stderr.lines().count() == 1 && stderr.contains("(at byte "), "{length}: {stderr}");
    }
}

#[test]
fn folders_and_missing_files() {
    let (jdk, folder) = around();
    fs::create_dir(folder.path().join("classes")).unwrap();
    let no_file = |name: &str| {
        format!("there is no file {name}: give the path of a class file, or the name of a class without .class")
    };
    for (given, line) in [
        ("classes", "classes is a folder: name a class in it with --classpath classes CLASS".to_owned()),
        ("./classes", "./classes is a folder: name a class in it with --classpath ./classes CLASS".to_owned()),
        (".", ". is a folder: name a class in it with --classpath . CLASS".to_owned()),
        ("classes/A.class", no_file("classes/A.class")),
        ("java.util.Vector.class", no_file("java.util.Vector.class")),
        ("../nowhere/A", no_file("../nowhere/A")),
        (
            "[I",
            "\"[I\" is not a class name: it holds one of ; [ \\ : or a zero byte; give a name such as \
             java.util.Map.Entry"
                .to_owned(),
        ),
        ("", "\"\" is not a class name: it is empty; give a name such as java.util.Map.Entry".to_owned()),
    ] {
        check_refused(inspect(&jdk, [given]).current_dir(folder.path()), &line);
    }
    if cfg!(unix) {
        let line = "/dev/null is not a regular file: give a .class file or the name of a class";
        check_refused(&mut inspect(&jdk, ["/dev/null"]), line);
    }
}

#[test]
fn a_bad_class_path() {
    let (jdk, folder) = around();
    write(folder.path(), "empty.jar", b"");
    write(folder.path(), "notes.txt", b"Dear reader,\n");
    for (entry, line) in [
        ("empty.jar", "class path entry empty.jar is empty: build it again"),
        ("gone.jar", "class path entry gone.jar does not exist: correct --classpath"),
        (
            "notes.txt",
            "class path entry notes.txt is neither a folder nor a jar, jmod or JDK image: correct --classpath",
        ),
    ] {
        let with_others = env::join_paths([".", entry]).unwrap();
        for class_path in [entry.into(), with_others] {
            let mut command = inspect(&jdk, ["java.util.Vector", "--classpath"]);
            check_refused(command.arg(class_path).current_dir(folder.path()), line);
        }
    }
    // A jar without files is no error: the class is found elsewhere.
    write(folder.path(), "hollow.jar", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    shown(inspect(&jdk, ["java.util.Vector", "--classpath", "hollow.jar"]).current_dir(folder.path()));
}

#[test]
fn no_jdk() {
    let (jdk, folder) = around();
    let home = folder.path().join("jdk");
    let reason = format!("{} is not a JDK: there is no such folder", home.display());
    let class = ["java.util.Vector"];
    check_refused(inspect(&jdk, class).env("JAVA_HOME", &home), &format!("JAVA_HOME {reason}"));
    check_refused(inspect(&jdk, class).arg("--java-home").arg(&home), &format!("--java-home {reason}"));
    check_refused(
        inspect(&jdk, class).arg("--classpath").arg(folder.path()).env("JAVA_HOME", &home),
        &format!("class java.util.Vector is not on the class path, and JAVA_HOME {reason}"),
    );
}

#[test]
fn a_method_that_does_not_exist() {
    for jdk in jdks() {
        let line = "java.util.Vector has no method elementat: leave --method out to see which it has";
        check_refused(&mut inspect(&jdk, ["java.util.Vector", "--method", "elementat"]), line);
    }
}

#[test]
fn bad_arguments() {
    for (args, status) in [
        (&[][..], 2),
        (&["inspect"], 2),
        (&["inspekt"], 2),
        (&["inspect", "A", "--nonsense"], 2),
        (&["inspect", "A", "--color", "blue"], 2),
        (&["inspect", "A", "B"], 2),
        (&["--help"], 0),
        (&["inspect", "--help"], 0),
        (&["--version"], 0),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_raddle")).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{args:?}");
        assert_eq!(output.stdout.is_empty(), status == 2, "{args:?}");
        assert_eq!(output.stderr.is_empty(), status == 0, "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let (jdk, _) = around();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = inspect(&jdk, ["java.util.Vector"]);
    let output = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(stderr, "error: cannot write to standard output: No space left on device (os error 28)\n");
    assert_eq!(output.status.code(), Some(2));
}

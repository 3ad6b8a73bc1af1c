//! Test methods of JUnit 4 and 5, with the real libraries, which Maven fetches.

use crate::jdks;
use crate::support::{Raddle, compile};
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARIES: &[&str] = &[
    "junit:junit:4.13.2",
    "org.hamcrest:hamcrest-core:1.3",
    "org.junit.jupiter:junit-jupiter-api:5.10.2",
    "org.junit.platform:junit-platform-commons:1.10.2",
    "org.opentest4j:opentest4j:1.3.0",
    "org.apiguardian:apiguardian-api:1.1.2",
];

/// The jars, fetched once.
fn jars() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("junit");
    LIBRARIES
        .iter()
        .map(|library| {
            let parts: Vec<_> = library.split(':').collect();
            let jar = folder.join(format!("{}-{}.jar", parts[1], parts[2]));
            if !jar.is_file() {
                let output = Command::new("mvn")
                    .args(["-q", "-B", "dependency:copy", &format!("-Dartifact={library}")])
                    .arg(format!("-DoutputDirectory={}", folder.display()))
                    .current_dir(env!("CARGO_TARGET_TMPDIR"))
                    .output()
                    .expect("these tests need Maven");
                assert!(output.status.success(), "{library}: {}", String::from_utf8_lossy(&output.stdout));
            }
            jar
        })
        .collect()
}

const TESTS: &str = r#"
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.Before;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

class Counts {
    int count;
    static int expected;

    Thread start(Runnable body) {
        Thread thread = new Thread(body);
        thread.start();
        return thread;
    }

    @BeforeEach
    void begin() {
        count = 10;
    }
}

class Five extends Counts {
    @BeforeAll
    static void prepare() {
        expected = 12;
    }

    @org.junit.jupiter.api.Test
    void losesUpdates() throws InterruptedException {
        Thread thread = start(() -> count++);
        count++;
        thread.join();
        assertEquals(expected, count);
    }

    @org.junit.jupiter.api.Test
    void isSafe() throws InterruptedException {
        Thread thread = start(() -> { synchronized (this) { count++; } });
        synchronized (this) { count++; }
        thread.join();
        assertEquals(expected, count);
    }

    @org.junit.jupiter.api.Timeout(1)
    @org.junit.jupiter.api.Test
    void isTimed() {}

    @AfterEach
    void end() {
        if (count < 0) throw new AssertionError();
    }
}

class Four {
    @Rule public TestName name = new TestName();
    private int count;

    public Four() {}

    @Before
    public void begin() {
        count = 5;
    }

    @Test
    public void losesUpdates() throws InterruptedException {
        Thread thread = new Thread(() -> count++);
        thread.start();
        count++;
        thread.join();
        org.junit.Assert.assertEquals(7, count);
    }

    @Ignore @Test
    public void ignored() {}

    @Test(timeout = 1000)
    public void isTimed() {}

    @Test(expected = RuntimeException.class)
    public void expects() {}
}
"#;

#[test]
fn tests_of_both_junits_are_explored() {
    let jars = jars();
    let jars: Vec<_> = jars.iter().map(|jar| jar.to_str().unwrap()).collect();
    let libraries = jars.join(":");
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Tests.java");
    std::fs::write(&file, TESTS).unwrap();
    for jdk in jdks() {
        let classes = compile(&jdk, std::slice::from_ref(&file), &libraries);
        let class_path = format!("{}:{libraries}", classes.path().display());
        let raddle = Raddle::new(&jdk);
        for (target, message) in [("Five#losesUpdates", "<12> but was: <11>"), ("Four#losesUpdates", "<7> but was:<6>")]
        {
            let (status, report) = raddle.explore(&[target, "--first", "--classpath", &class_path]);
            assert_eq!(status, 1, "{report:#}");
            let what = report["findings"][0]["what"].as_str().unwrap();
            assert!(what.contains(message), "{what}");
        }
        let (status, report) = raddle.explore(&["Five#isSafe", "--classpath", &class_path]);
        assert_eq!((status, &report["certificate"]["race_free"]), (0, &true.into()), "{report:#}");
        let shown = raddle.run(&["explore", "Four#losesUpdates", "--first", "--classpath", &class_path]);
        assert!(String::from_utf8_lossy(&shown.stdout).contains("note: rules (@Rule) are not applied"));
        assert!(!String::from_utf8_lossy(&shown.stdout).contains("time limits"), "those are of another test");
        for (target, note) in [
            ("Five#isTimed", "note: time limits (@Timeout) are not applied"),
            ("Four#isTimed", "note: time limits (@Test(timeout = ...)) are not applied"),
        ] {
            let shown = raddle.run(&["explore", target, "--classpath", &class_path]);
            assert!(String::from_utf8_lossy(&shown.stdout).contains(note), "{target}");
        }
        for (target, part) in [
            ("Five", "name one of its tests, such as Five#losesUpdates"),
            ("Four#ignored", "is marked with @Ignore"),
            ("Four#expects", "expects an exception by its annotation"),
            ("Four#other", "its tests are losesUpdates, ignored, isTimed, expects"),
        ] {
            let line = raddle.refused(&["explore", target, "--classpath", &class_path]);
            assert!(line.contains(part), "{target}: {line}");
        }
    }
}

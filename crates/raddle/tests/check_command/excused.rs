//! What looks like a violation and is none: chance, threads of the class itself, time, and what other tests have left behind.

use crate::jdks;
use crate::support::{BUDGET, Raddle, compile};
use classpath::Jdk;
use tempfile::TempDir;

/// Classes that throw what they say they throw, each for a reason that is no matter of two calls at once.
const CLASSES: [(&str, &str); 6] = [
    (
        // Its fault shows late, and what an interface keeps is not put back between executions.
        "Tickets",
        "interface Drum { java.util.concurrent.atomic.AtomicInteger ROLL = new java.util.concurrent.atomic.AtomicInteger(); }
        public class Tickets implements Drum {
            private int last;
            public int draw() {
                int number = ROLL.incrementAndGet();
                last = number;
                if (last != number && number > 3000) throw new IllegalStateException(\"drawn twice\");
                return number;
            }
        }",
    ),
    (
        // Throws for one of eight numbers, whoever draws it.
        "Lottery",
        "public class Lottery {
            private final java.util.Random drum = new java.util.Random();
            private int draws;
            public int draw() {
                int first = drum.nextInt(8), second = drum.nextInt(8);
                if (first == second) throw new IllegalStateException(\"a pair\");
                synchronized (this) { return ++draws; }
            }
            public synchronized void reset() { draws = 0; }
        }",
    ),
    (
        // What was not printed yet can be taken back, and it is printed some time.
        "Printer",
        "public class Printer {
            private final java.util.ArrayDeque<String> waiting = new java.util.ArrayDeque<>();
            private boolean prints;
            public synchronized void add(String text) {
                waiting.add(text);
                if (!prints) { prints = true; new Thread(this::print).start(); }
            }
            private synchronized void print() { waiting.clear(); prints = false; }
            public synchronized String takeBack() {
                if (waiting.isEmpty()) throw new java.util.NoSuchElementException(\"printed\");
                return waiting.removeLast();
            }
        }",
    ),
    (
        // Two threads of its own do one half each.
        "Halves",
        "public class Halves {
            private boolean started, left, right;
            public synchronized void start() {
                if (started) return;
                started = true;
                new Thread(() -> { synchronized (this) { left = true; } }).start();
                new Thread(() -> { synchronized (this) { right = true; } }).start();
            }
            public synchronized boolean isDone() {
                if (left != right) throw new IllegalStateException(\"half\");
                return left;
            }
        }",
    ),
    (
        "Seat",
        "public class Seat {
            private final java.util.concurrent.locks.ReentrantLock lock = new java.util.concurrent.locks.ReentrantLock();
            private int uses;
            public int use() throws Exception {
                if (!lock.tryLock(10, java.util.concurrent.TimeUnit.MILLISECONDS)) {
                    throw new java.util.concurrent.TimeoutException(\"taken\");
                }
                try { Thread.sleep(50); return ++uses; } finally { lock.unlock(); }
            }
            public int uses() { lock.lock(); try { return uses; } finally { lock.unlock(); } }
        }",
    ),
    (
        "Alarm",
        "public class Alarm {
            private Thread sleeper;
            public void sleep() throws InterruptedException {
                synchronized (this) { while (sleeper != null) wait(); sleeper = Thread.currentThread(); }
                try { Thread.sleep(100); } finally { synchronized (this) { sleeper = null; notify(); } }
            }
            public synchronized boolean ring() {
                if (sleeper == null) return false;
                sleeper.interrupt();
                return true;
            }
        }",
    ),
];

/// Thousands of executions of each class.
const EFFORT: &str = "1000000";

fn compiled(jdk: &Jdk) -> TempDir {
    let (classes, source) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let sources = CLASSES.map(|(name, text)| {
        let file = source.path().join(format!("{name}.java"));
        std::fs::write(&file, text).unwrap();
        file
    });
    compile(jdk, &sources, classes.path(), classes.path());
    classes
}

#[test]
fn chance_and_time_and_threads_of_the_class_are_no_violations() {
    for jdk in &jdks() {
        let (classes, raddle) = (compiled(jdk), Raddle::new(jdk));
        for (class, _) in &CLASSES[1..] {
            let (status, report) = raddle.check(classes.path(), &[class, "--effort", EFFORT]);
            println!("JDK {} {class}: {}, {} tests", jdk.version, report["verdict"], report["classes"][0]["tests"]);
            assert!(status == 0 && report["classes"][0]["tests"].as_u64() > Some(0), "{report:#}");
        }
    }
}

#[test]
fn what_fails_only_after_other_tests_is_unconfirmed() {
    for jdk in &jdks() {
        let (classes, raddle) = (compiled(jdk), Raddle::new(jdk));
        let (status, report) = raddle.check(classes.path(), &["Tickets", "--effort", EFFORT]);
        let report = &report["classes"][0];
        println!("JDK {}: {}, {} withdrawn", jdk.version, report["verdict"], report["withdrawn"]);
        assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
        assert!(report["withdrawn"].as_u64() > Some(0), "{report:#}");
        let unconfirmed = &report["unconfirmed"][0];
        assert_eq!(unconfirmed["what"], "java.lang.IllegalStateException: drawn twice", "{report:#}");
        assert!(unconfirmed["where"].as_str().unwrap().starts_with("Tickets.draw(Tickets.java:"), "{report:#}");
        assert_eq!(unconfirmed["methods"][0], "draw()I", "{report:#}");
        // It is told in words as well, and not kept.
        let class_path = classes.path().to_str().unwrap();
        let limits = ["--jobs", "1", "--effort", EFFORT, "--budget", BUDGET];
        let output = raddle.run(&[&["check", "Tickets", "--classpath", class_path], &limits[..]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("unconfirmed: java.lang.IllegalStateException: drawn twice (at Tickets.draw"), "{text}");
        assert!(text.contains("failed, but not in a fresh virtual machine"), "{text}");
        assert!(!text.contains(": clean") && !text.contains(": nothing found"), "{text}");
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert_eq!(std::fs::read_dir(raddle.folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn what_is_no_object_of_the_class_does_not_count() {
    let source = "import java.util.*;
        public class Registry {
            class View extends AbstractMap<String, String> {
                public Set<Map.Entry<String, String>> entrySet() { return Collections.emptySet(); }
            }
            public Map<String, String> view() { return make(); }
            private Map<String, String> make() { return new View(); }
            public Map<String, String> copy() { return new HashMap<>(make()); }
        }";
    for jdk in &jdks() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Registry.java");
        std::fs::write(&file, source).unwrap();
        compile(jdk, &[file], folder.path(), folder.path());
        let (_, report) = Raddle::new(jdk).check(folder.path(), &["Registry$View", "--effort", EFFORT]);
        let class = &report["classes"][0];
        assert!(class["tests"].as_u64() > Some(0), "{report:#}");
        assert_eq!(class["findings"].as_array().map(Vec::len), Some(0), "{report:#}");
        let rejections = class["rejections"].to_string();
        assert!(rejections.contains("Registry.copy gives a java.util.HashMap"), "{rejections}");
    }
}

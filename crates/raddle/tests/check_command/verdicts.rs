//! Three words for a class in which nothing was found, by what was tested of it, and their exit statuses.

use crate::jdks;
use crate::support::{BUDGET, Raddle, compile};
use classpath::Jdk;
use tempfile::TempDir;

const CLASSES: [(&str, &str); 5] = [
    (
        "Tally",
        "public class Tally {
            private volatile int last;
            public void set(int value) { last = value; }
            public int last() { return last; }
        }",
    ),
    (
        "Dials",
        "public class Dials {
            private volatile int turns;
            public void one() { turns++; }
            public void two() { turns += 2; }
            public void three() { turns += 3; }
            public void four() { turns += 4; }
            public void five() { turns += 5; }
            public void six() { turns += 6; }
        }",
    ),
    (
        "Kiosk",
        "public abstract class Kiosk {
            private static int sold;
            private int stock;
            private Kiosk() {}
            public static synchronized void sell() { sold++; }
            public static synchronized int sold() { return sold; }
            public int stock() { return stock; }
        }",
    ),
    (
        "Parent",
        "public abstract class Parent {
            private static int children;
            protected Parent() { children++; }
            public static int children() { return children; }
            public abstract int age();
            public synchronized int twice() { return 2 * age(); }
        }",
    ),
    (
        // No test knows the number, so the locks are never taken in the other order.
        "Vault",
        "public class Vault {
            private final Object door = new Object();
            private final Object gold = new Object();
            private int bars;
            public void store() { synchronized (door) { synchronized (gold) { bars++; } } }
            public void take(long number) {
                if (number * number != 6_241_000_000_049L) {
                    return;
                }
                synchronized (gold) { synchronized (door) { bars--; } }
            }
        }",
    ),
];

fn compiled(jdk: &Jdk) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = CLASSES.map(|(name, text)| {
        let file = folder.path().join(format!("{name}.java"));
        std::fs::write(&file, text).unwrap();
        file
    });
    compile(jdk, &files, folder.path(), folder.path());
    folder
}

#[test]
fn the_word_and_the_exit_status_follow_from_what_was_tested() {
    for jdk in &jdks() {
        println!("JDK {}", jdk.version);
        let (classes, raddle) = (compiled(jdk), Raddle::new(jdk));
        let (status, report) = raddle.check(classes.path(), &["Tally", "--effort", "3000000"]);
        let class = &report["classes"][0];
        assert_eq!((status, &class["verdict"]), (0, &"clean".into()), "{report:#}");
        assert_eq!(class["targets"]["certified"], class["targets"]["total"], "{report:#}");

        let (status, report) = raddle.check(classes.path(), &["Vault", "--effort", "3000000"]);
        let class = &report["classes"][0];
        assert_eq!((status, &class["verdict"]), (0, &"nothing found".into()), "{report:#}");
        let unreached = class["unreached"][0].as_str().unwrap();
        assert!(unreached.contains("take(long) locks this.gold, then this.door at Vault.java:10"), "{unreached}");

        for (name, untested) in [("Kiosk", "stock(), which"), ("Parent", "new Parent(), which")] {
            let (status, report) = raddle.check(classes.path(), &[name, "--effort", "3000000"]);
            let class = &report["classes"][0];
            assert_eq!((status, &class["verdict"]), (0, &"nothing found".into()), "{report:#}");
            assert!(class["not_tested"][0].as_str().unwrap().starts_with(untested), "{report:#}");
        }

        // One test of many pairs.
        let (status, report) = raddle.check(classes.path(), &["Dials", "--effort", "1"]);
        let class = &report["classes"][0];
        assert_eq!((status, &class["verdict"]), (2, &"unknown".into()), "{report:#}");
        let reason = class["reason"].as_str().unwrap();
        assert!(reason.starts_with("barely tested: ") && reason.contains("--budget"), "{reason}");
    }
}

#[test]
fn the_page_and_the_table_say_how_much_was_tested_and_why_not_more() {
    for jdk in &jdks() {
        println!("JDK {}", jdk.version);
        let (classes, raddle) = (compiled(jdk), Raddle::new(jdk));
        let path = classes.path().to_str().unwrap();
        let options = ["--jobs", "1", "--budget", BUDGET, "--effort", "3000000", "--classpath", path];
        let say = |names: &[&str]| {
            let output = raddle.run(&[&["check"], names, &options[..]].concat());
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let page = say(&["Vault"]);
        for line in [
            "Vault: nothing found",
            "that may hurt each other were run together, ",
            "  no test got there: store() locks this.door, then this.gold at Vault.java:5, and take(long) locks \
             this.gold, then this.door at Vault.java:10",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
        let table = say(&["Tally", "Vault"]);
        let row = |name: &str| {
            let line = table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}\n{table}"));
            line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let head = ["class", "verdict", "findings", "pairs", "relevant", "tested", "certified", "tests", "executions"];
        assert_eq!(row("class"), head, "{table}");
        assert_eq!((&row("Tally")[1], &row("Tally")[6]), (&"clean".to_owned(), &"100%".to_owned()), "{table}");
        assert_eq!(row("Vault")[1..3], ["nothing", "found"], "{table}");
        assert!(table.contains("Vault: no test got there: store() locks this.door"), "{table}");
    }
}

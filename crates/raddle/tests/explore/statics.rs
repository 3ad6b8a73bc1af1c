//! Static state that cannot be put back gives no false findings and no certificates.

use crate::jdks;
use crate::support::{Raddle, compile};
use serde_json::Value;

const PROGRAMS: &str = r#"
import java.util.ArrayList;
import java.util.List;

class Together {
    static void run(Runnable body) throws Exception {
        Thread one = new Thread(body), other = new Thread(body);
        one.start();
        other.start();
        one.join();
        other.join();
    }
}

// Fields of interfaces are not put back between executions.
interface Left {
    java.util.Map<String, String> BEHIND = new java.util.HashMap<>();
}

enum Color {
    RED, GREEN
}

// Can be initialised once, as whoever registers itself somewhere can.
class Registered {
    static final List<Color> colors = new ArrayList<>();
    static int uses;

    static {
        if (Left.BEHIND.put("registered", "yes") != null) {
            throw new IllegalStateException("registered twice");
        }
        colors.add(Color.RED);
    }

    static int one() {
        if (colors.get(0) != Color.RED) {
            throw new IllegalStateException("another color");
        }
        return 1;
    }
}

class Holds {
    public static void main(String[] arguments) throws Exception {
        int[] count = {0};
        Together.run(() -> {
            synchronized (count) {
                count[0] += Registered.one();
            }
        });
        if (count[0] != 2) {
            throw new AssertionError("count " + count[0]);
        }
    }
}

class Loses {
    public static void main(String[] arguments) throws Exception {
        int[] count = {0};
        Together.run(() -> count[0] += Registered.one());
        if (count[0] != 2) {
            throw new AssertionError("lost");
        }
    }
}

// Fails by what an execution leaves behind, and by nothing else.
class Leaves {
    static final List<String> left = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {
            synchronized (left) {
                left.add("something");
                Registered.one();
            }
        });
        if (left.size() != 2) {
            throw new AssertionError("left");
        }
    }
}

// Can be initialised twice.
class Twice {
    static final int[] runs = {Integer.parseInt(Left.BEHIND.getOrDefault("runs", "0")) + 1};

    static {
        Left.BEHIND.put("runs", String.valueOf(runs[0]));
        if (runs[0] > 2) {
            throw new IllegalStateException("the third time");
        }
    }

    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {
            synchronized (runs) {
                runs[0]++;
            }
        });
    }
}

// Makes a class that is another one each time.
class Changes {
    static final Class<?> made = Maker.make();

    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {});
    }
}

class Maker {
    static Class<?> make() {
        int makings = Integer.parseInt(Left.BEHIND.getOrDefault("makings", "0")) + 1;
        Left.BEHIND.put("makings", String.valueOf(makings));
        try {
            byte[] bytes = Changes.class.getResourceAsStream("ChangesOld.class").readAllBytes();
            String text = new String(bytes, "ISO-8859-1").replace("ChangesOld", "ChangesNew");
            text = text.replace("1000", String.valueOf(1000 + makings));
            return java.lang.invoke.MethodHandles.lookup().defineClass(text.getBytes("ISO-8859-1"));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}

class ChangesLater {
    static Class<?> made;

    public static void main(String[] arguments) throws Exception {
        Together.run(() -> {
            synchronized (ChangesLater.class) {
                if (made == null) {
                    made = Maker.make();
                }
            }
        });
    }
}

class ChangesOld {
    static final String number = "1000";
}
"#;

fn each(check: impl Fn(&Raddle<'_>, &dyn Fn(&str) -> (i32, Value), &str)) {
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Programs.java");
    std::fs::write(&file, PROGRAMS).unwrap();
    for jdk in jdks() {
        println!("JDK {}", jdk.version);
        let classes = compile(&jdk, std::slice::from_ref(&file), "");
        let (raddle, class_path) = (Raddle::new(&jdk), classes.path().to_str().unwrap());
        check(
            &raddle,
            &|target| raddle.explore(&[target, "--classpath", class_path, "--executions", "1000"]),
            class_path,
        );
    }
}

const REGISTERED: &str = "static state of Registered cannot be put back: its static initialiser fails when it runs again \
     (java.lang.IllegalStateException: registered twice)";

#[test]
fn an_initialiser_that_cannot_run_again_is_named_and_gives_no_certificate() {
    each(|_, run, _| {
        let (status, report) = run("Holds");
        assert_eq!((status, &report["verdict"]), (0, &"clean".into()), "{report:#}");
        assert_eq!((&report["certificate"], &report["incomplete"]), (&Value::Null, &REGISTERED.into()), "{report:#}");
        assert!(report["preemptions_covered"].is_null(), "{report:#}");
    });
}

#[test]
fn what_fails_in_the_first_execution_of_a_virtual_machine_is_found_and_replays() {
    each(|raddle, run, class_path| {
        let (status, report) = run("Loses");
        assert_eq!(
            (status, &report["findings"][0]["what"]),
            (1, &"java.lang.AssertionError: lost".into()),
            "{report:#}"
        );
        let finding = report["findings"][0]["replay"].as_str().unwrap();
        let output = raddle.run(&["replay", finding, "--times", "3", "--classpath", class_path]);
        let text = String::from_utf8(output.stdout).unwrap();
        let last = "Loses: failed 3 of 3 times, with the same events as when it was found";
        assert_eq!((text.lines().last(), output.status.code()), (Some(last), Some(1)), "{text}");
    });
}

#[test]
fn what_fails_by_what_others_have_left_behind_is_unconfirmed() {
    each(|_, run, _| {
        let (status, report) = run("Leaves");
        assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
        assert_eq!(report["unconfirmed"][0]["what"], "java.lang.AssertionError: left", "{report:#}");
        assert_eq!(report["incomplete"], REGISTERED, "{report:#}");
    });
}

#[test]
fn nothing_is_said_where_static_state_is_gone() {
    each(|_, run, _| {
        let (status, report) = run("Twice");
        assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
        assert!(
            report["reason"].as_str().unwrap().starts_with("static state of Twice cannot be put back"),
            "{report:#}"
        );
    });
}

#[test]
fn a_class_that_is_defined_otherwise_each_time_cannot_be_put_back() {
    each(|_, run, _| {
        let (status, report) = run("Changes");
        assert_eq!((status, &report["verdict"]), (0, &"clean".into()), "{report:#}");
        let why = report["incomplete"].as_str().unwrap();
        assert!(why.starts_with("static state of Changes cannot be put back"), "{report:#}");
        let (status, report) = run("ChangesLater");
        assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
        let unconfirmed = report["unconfirmed"][0]["what"].as_str().unwrap();
        assert!(unconfirmed.starts_with("java.lang.LinkageError: "), "{report:#}");
        let why = "class ChangesNew cannot be defined again: the code defines it otherwise in each execution";
        assert_eq!(report["incomplete"], why, "{report:#}");
    });
}

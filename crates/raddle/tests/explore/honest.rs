//! What is said of a program is no more than what is known of it.

use crate::jdks;
use crate::support::{Raddle, compile};
use serde_json::Value;

const PROGRAMS: &str = r#"
import java.util.concurrent.atomic.AtomicInteger;

class Together {
    static Thread start(Runnable body) {
        Thread thread = new Thread(body);
        thread.start();
        return thread;
    }
}

// Gives up if the other one is slow, which it may be.
class Impatient {
    static final Object lock = new Object();
    static boolean ready;

    public static void main(String[] arguments) throws Exception {
        Thread other = Together.start(() -> {
            synchronized (lock) {
                ready = true;
                lock.notify();
            }
        });
        synchronized (lock) {
            if (!ready) {
                lock.wait(100);
            }
            if (!ready) {
                throw new AssertionError("not ready");
            }
        }
        other.join();
    }
}

// Each may miss what the other has stored lazily; no order of the accesses shows it.
class Lazy {
    static final AtomicInteger one = new AtomicInteger(), two = new AtomicInteger();
    static int first, second;

    public static void main(String[] arguments) throws Exception {
        Thread thread = Together.start(() -> {
            one.lazySet(1);
            first = two.get();
        });
        two.lazySet(1);
        second = one.get();
        thread.join();
    }
}

// Ends, after more events than an execution may have.
class Long {
    static volatile boolean stop;

    public static void main(String[] arguments) {
        Together.start(() -> {
            for (int round = 0; round < 200_000 && !stop; round++) {
            }
        });
    }
}

// Who was notified before it was interrupted goes on as usual.
class Notified {
    static final Object lock = new Object();
    static boolean waits, late;

    public static void main(String[] arguments) throws Exception {
        Thread waiter = Together.start(() -> {
            synchronized (lock) {
                if (late) {
                    return;
                }
                waits = true;
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    return;
                }
                throw new AssertionError("notified");
            }
        });
        synchronized (lock) {
            late = true;
            if (waits) {
                lock.notify();
                waiter.interrupt();
            }
        }
        waiter.join();
    }
}

class Leaves {
    static volatile int last;

    public static void main(String[] arguments) {
        Together.start(() -> last = 1);
        System.exit(0);
    }
}

// Only the first executions do without the lock.
class Remembers {
    static int count;

    static void increment(boolean isFirst) {
        if (isFirst) {
            count++;
        } else {
            synchronized (Remembers.class) {
                count++;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int executions = Integer.parseInt(Left.BEHIND.getOrDefault("executions", "0")) + 1;
        Left.BEHIND.put("executions", String.valueOf(executions));
        boolean isFirst = executions < 6;
        Thread other = Together.start(() -> increment(isFirst));
        increment(isFirst);
        other.join();
    }
}

// Fields of interfaces are not put back between executions.
interface Left {
    java.util.Map<String, String> BEHIND = new java.util.HashMap<>();
}

// Loses an update, and minds only once it has run a while.
class Tires {
    static int count;

    public static void main(String[] arguments) throws Exception {
        int executions = Integer.parseInt(Left.BEHIND.getOrDefault("executions", "0")) + 1;
        Left.BEHIND.put("executions", String.valueOf(executions));
        Runnable increments = () -> {
            count++;
            count++;
        };
        Thread one = Together.start(increments), other = Together.start(increments);
        one.join();
        other.join();
        if (count != 4 && executions > 20) {
            throw new AssertionError("count " + count);
        }
    }
}

// Fails once, in the middle of an exploration.
class Flickers {
    static void flicker() {
        int executions = Integer.parseInt(Left.BEHIND.getOrDefault("executions", "0")) + 1;
        Left.BEHIND.put("executions", String.valueOf(executions));
        if (executions == 3) {
            throw new IllegalStateException("Flickers");
        }
    }

    public static void main(String[] arguments) throws Exception {
        flicker();
        Together.start(() -> {}).join();
    }
}

// Fails in the first execution only.
class Starts {
    public static void main(String[] arguments) {
        if (Left.BEHIND.put("started", "yes") == null) {
            throw new IllegalStateException("Starts");
        }
    }
}

// Has a fault of its own, too.
class Both {
    static int count;

    public static void main(String[] arguments) throws Exception {
        Flickers.flicker();
        Thread other = Together.start(() -> count++);
        count++;
        other.join();
        if (count != 2) {
            throw new AssertionError("lost");
        }
    }
}

abstract class Above {
    public static void main(String[] arguments) {
    }

    public void test() {
    }
}

class Below extends Above {
}
"#;

fn explore(check: impl Fn(&dyn Fn(&[&str]) -> (i32, Value))) {
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Programs.java");
    std::fs::write(&file, PROGRAMS).unwrap();
    for jdk in jdks() {
        println!("JDK {}", jdk.version);
        let classes = compile(&jdk, std::slice::from_ref(&file), "");
        let class_path = ["--classpath", classes.path().to_str().unwrap()];
        check(&|arguments| Raddle::new(&jdk).explore(&[arguments, &class_path].concat()));
    }
}

#[test]
fn waits_that_could_have_ended_otherwise_bound_a_certificate() {
    explore(|run| {
        let (status, report) = run(&["Impatient"]);
        assert_eq!((status, &report["certificate"]["timeouts_last"]), (0, &true.into()), "{report:#}");
        assert_eq!(report["certificate"]["wakeups_none"], true, "{report:#}");
        let (status, report) = run(&["Impatient", "--early-timeouts"]);
        assert_eq!(status, 1, "the bound is a real one: {report:#}");
    });
}

#[test]
fn nothing_is_said_about_the_memory_model_where_accesses_are_weaker_than_volatile() {
    explore(|run| {
        let (status, report) = run(&["Lazy"]);
        assert_eq!((status, &report["certificate"]["race_free"]), (0, &false.into()), "{report:#}");
        assert_eq!(report["weak_accesses"], "Lazy", "{report:#}");
    });
}

#[test]
fn a_program_that_is_only_long_is_not_held_to_be_stuck() {
    explore(|run| {
        let (status, report) = run(&["Long", "--executions", "3"]);
        assert_eq!(status, 0, "it may have as many events as it needs: {report:#}");
        let (status, report) = run(&["Long", "--max-events", "100000"]);
        assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
        assert!(report["reason"].as_str().unwrap().starts_with("no end after 100000 events"), "{report:#}");
        let (status, report) = run(&["Long", "--max-events", "1000000", "--executions", "3"]);
        assert_eq!(status, 0, "it has an end: {report:#}");
    });
}

#[test]
fn who_was_notified_before_it_was_interrupted_was_notified() {
    explore(|run| {
        let (status, report) = run(&["Notified"]);
        assert_eq!((status, &report["findings"][0]["kind"]), (1, &"exception".into()), "{report:#}");
    });
}

#[test]
fn what_does_not_fail_in_a_fresh_virtual_machine_is_unconfirmed() {
    explore(|run| {
        let (status, report) = run(&["Tires"]);
        assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
        assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{report:#}");
        assert!(report["certificate"].is_null(), "{report:#}");
        assert!(report["incomplete"].as_str().unwrap().contains("in a fresh virtual machine"), "{report:#}");
        let unconfirmed = &report["unconfirmed"][0];
        assert_eq!(unconfirmed["kind"], "exception", "{report:#}");
        assert!(unconfirmed["what"].as_str().unwrap().starts_with("java.lang.AssertionError: count "), "{report:#}");
        assert!(unconfirmed["where"].as_str().unwrap().starts_with("Tires.main(Programs.java:"), "{report:#}");
        assert_eq!(unconfirmed["why"], "it did not fail in a fresh virtual machine", "{report:#}");
        assert!(report["reason"].as_str().unwrap().contains("could not be reproduced"), "{report:#}");
    });
}

#[test]
fn what_fails_once_and_not_again_under_its_schedule_is_unconfirmed() {
    explore(|run| {
        for program in ["Flickers", "Starts"] {
            let (status, report) = run(&[program]);
            assert_eq!((status, &report["verdict"]), (2, &"unknown".into()), "{report:#}");
            assert!(report["certificate"].is_null() && report["preemptions_covered"].is_null(), "{report:#}");
            let unconfirmed = report["unconfirmed"].as_array().unwrap();
            assert_eq!(unconfirmed.len(), 1, "{report:#}");
            assert_eq!(unconfirmed[0]["what"], format!("java.lang.IllegalStateException: {program}"), "{report:#}");
            assert_eq!(unconfirmed[0]["why"], "it did not fail again under the same schedule", "{report:#}");
        }
    });
}

#[test]
fn what_is_unconfirmed_is_listed_beside_findings() {
    explore(|run| {
        let (status, report) = run(&["Both"]);
        assert_eq!((status, &report["verdict"]), (1, &"violation".into()), "{report:#}");
        assert_eq!(report["findings"].as_array().unwrap().len(), 1, "{report:#}");
        assert_eq!(report["findings"][0]["what"], "java.lang.AssertionError: lost", "{report:#}");
        assert_eq!(report["unconfirmed"][0]["what"], "java.lang.IllegalStateException: Flickers", "{report:#}");
    });
}

#[test]
fn an_unconfirmed_failure_is_told_in_words() {
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Programs.java");
    std::fs::write(&file, PROGRAMS).unwrap();
    for jdk in jdks() {
        let classes = compile(&jdk, std::slice::from_ref(&file), "");
        let output = Raddle::new(&jdk).run(&["explore", "Flickers", "--classpath", classes.path().to_str().unwrap()]);
        let (told, error) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let failure = "java.lang.IllegalStateException: Flickers (at Flickers.flicker(Programs.java:";
        assert!(told.contains(&format!("unconfirmed: {failure}")), "{told}");
        assert!(told.contains("Flickers: 1 unconfirmed failure in "), "{told}");
        assert!(!told.contains("nothing found") && !told.contains("certified: every"), "{told}");
        let line = format!("Flickers: nothing can be said: a failure could not be reproduced: {failure}");
        assert!(error.lines().last().unwrap().contains(&line), "{error}");
        assert_eq!(output.status.code(), Some(2), "{told}");
    }
}

#[test]
fn what_ends_before_its_threads_is_not_certified_and_more_executions_are_no_help() {
    explore(|run| {
        let (status, report) = run(&["Leaves", "--executions", "500"]);
        let why = report["incomplete"].as_str().unwrap_or_default();
        assert!(status == 0 && why.contains("ended before all threads had"), "{report:#}");
    });
}

#[test]
fn what_executions_leave_behind_for_later_ones_keeps_from_a_certificate() {
    explore(|run| {
        let (status, report) = run(&["Remembers"]);
        let why = report["incomplete"].as_str().unwrap_or_default();
        assert!(status == 0 && why.contains("did not go as the schedule says"), "{report:#}");
    });
}

#[test]
fn what_a_class_inherits_is_run() {
    explore(|run| {
        for target in ["Below", "Below#test", "Above"] {
            let (status, report) = run(&[target]);
            assert_eq!((status, &report["verdict"]), (0, &"clean".into()), "{report:#}");
        }
    });
}

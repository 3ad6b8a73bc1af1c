//! What emitted programs do, under every schedule: the test in them, their own way to start its threads, and their
//! own look at what came of it. So it does not depend on chance whether they show what is wrong with classes of the
//! JDK.
//!
//! `crates/emit` runs the whole programs, where no schedule can be chosen.

use crate::support::{Raddle, compile};
use crate::{cases, jdks};
use classpath::{ClassPath, Jdk};
use emit::{Request, Shows};
use raddle::java_types::JavaTypes;
use serde_json::Value;
use testcase::TestCase;

/// One round of a program. The delays by which it varies its rounds are left out: what comes first, the schedule says.
const ROUND: &str = r#"
public class Round {
    public static void main(String[] arguments) throws Throwable {
        @PREPARE@
        @PROGRAM@.TestRound round = @PROGRAM@.prepare();
        round.start(new java.util.Random() {
            @Override public int nextInt(int bound) { return 0; }
        });
        for (int thread = 0; thread < @THREADS@; thread++) round.threads[thread].join();
        for (int probes = @THREADS@; probes < round.parts.length; probes++) round.run(probes);
        @LOOK@
    }
}
"#;

/// Fails if a program would say that something is wrong.
const LOOK: &str = "String wrong = @PROGRAM@.violation(round); if (wrong != null) throw new AssertionError(wrong);";

/// Serial orders of single calls need no threads. So there is no need to wait for any here.
const PREPARE_RESULTS: &str = r#"
        for (int order = 0; order < @PROGRAM@.ORDERS.size(); order++) {
            @PROGRAM@.TestRound serial = @PROGRAM@.prepare();
            for (int part : @PROGRAM@.ORDERS.get(order)) serial.run(part);
            for (int probes = @THREADS@; probes < serial.parts.length; probes++) serial.run(probes);
            @PROGRAM@.explain(order, serial);
        }
"#;

const LOOK_AT_RESULTS: &str = "String[][] results = @PROGRAM@.results(round);
        if (!@PROGRAM@.isExplained(results)) throw new AssertionError(@PROGRAM@.text(results));";

/// Explores a round of the program for a test.
fn explore(jdk: &Jdk, class: &str, test: &TestCase, shows: Shows) -> (i32, Value) {
    let source = tempfile::tempdir().unwrap();
    let sources = cases::SOURCES.into_iter().filter(|(path, _)| *path == "Ticket.java");
    let write = |name: &str, text: &str| {
        let file = source.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    };
    let under_test: Vec<_> = sources.map(|(path, text)| write(path, text)).collect();
    let classes = compile(jdk, &under_test, "");
    let mut class_path = ClassPath::new(jdk.feature);
    class_path.push(classes.path()).unwrap();
    class_path.append(ClassPath::of_jdk(jdk).unwrap());
    let of_results = shows == Shows::Linearizability;
    let program = emit::program(test, &Request::new(class, shows), &JavaTypes::new(&class_path)).unwrap();
    let (prepare, look) = if of_results { (PREPARE_RESULTS, LOOK_AT_RESULTS) } else { ("", LOOK) };
    let round = ROUND.replace("@PREPARE@", prepare).replace("@LOOK@", look);
    let round = round.replace("@PROGRAM@", &program.name).replace("@THREADS@", &test.suffixes.len().to_string());
    let files = [write(&format!("{}.java", program.name), &program.text), write("Round.java", &round)];
    let programs = compile(jdk, &files, classes.path().to_str().unwrap());
    let all = format!("{}:{}", programs.path().display(), classes.path().display());
    Raddle::new(jdk).explore(&["Round", "--first", "--classpath", &all])
}

#[test]
fn what_is_wrong_with_classes_shows_in_programs() {
    let null = || Shows::Exception { class: "java.lang.NullPointerException".into() };
    for jdk in jdks() {
        for (class, test, shows, kind, what) in [
            ("java/lang/StringBuffer", cases::buffers(), Shows::Deadlock, "deadlock", "waits to lock"),
            ("java/io/PushbackInputStream", cases::stream(), null(), "exception", "NullPointerException"),
            ("Ticket", cases::tickets(), Shows::Linearizability, "exception", "0 | 0 | 1"),
        ] {
            let (status, report) = explore(&jdk, class, &test, shows);
            println!("JDK {} {class}: {} executions", jdk.version, report["executions"]);
            let finding = &report["findings"][0];
            assert_eq!((status, &finding["kind"]), (1, &kind.into()), "{report:#}");
            assert!(finding["what"].as_str().unwrap().contains(what), "{report:#}");
        }
    }
}

#[test]
fn what_is_right_with_classes_shows_in_no_schedule() {
    for jdk in jdks() {
        let (status, report) = explore(&jdk, "java/util/Vector", &cases::vector(), Shows::Linearizability);
        println!("JDK {}: {} executions, {}", jdk.version, report["executions"], report["certificate"]);
        assert_eq!(status, 0, "{report:#}");
        assert!(report["certificate"].is_object(), "{report:#}");
    }
}

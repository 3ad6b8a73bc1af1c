//! Programs show what they are to show. Nothing here waits for chance: what fails does so in the first round (see
//! `forced`), and what is right is run for a number of rounds.

use crate::{Bench, cases, forced, jdks};
use emit::{Request, Shows};

/// Far more seconds than any of these programs needs: it only bounds a program that hangs.
const SECONDS: u64 = 600;

/// What fails does so in the first round, so more would only make a test that fails take longer.
fn request(class: &str, shows: Shows) -> Request<'_> {
    Request { rounds: 3, seconds: SECONDS, ..Request::new(class, shows) }
}

/// Runs a program; gives its status and what it said.
fn run(bench: &Bench, test: &testcase::TestCase, request: &Request<'_>, arguments: &[&str]) -> (i32, String) {
    let program = bench.compile(test, request);
    let output = bench.run(&program, arguments);
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    println!("JDK {}: {} {said}", bench.jdk.version, program.name);
    (output.status.code().unwrap_or(-1), said)
}

#[test]
fn deadlocks_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        for (test, class) in [(forced::buffers(), "java/lang/StringBuffer"), (cases::accounts(), "bank/Account")] {
            let (status, said) = run(&bench, &test, &request(class, Shows::Deadlock), &[]);
            assert_eq!(status, 1, "{said}");
            // Each waits for the other, and not for the other to come.
            assert!(said.starts_with("round 1: deadlock\n"), "{said}");
            for holder in [1, 2] {
                assert!(said.contains(&format!("held by \"test thread {holder}\"")), "{said}");
            }
        }
    }
}

#[test]
fn threads_that_never_end_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        for (method, shows, expected) in [
            ("waitForever()V", Shows::Deadlock, "deadlock: nobody goes on"),
            ("runForever()V", Shows::Hang, "hang: a thread does not end"),
        ] {
            let (status, said) = run(&bench, &cases::ticket(method), &request("Ticket", shows), &[]);
            assert_eq!(status, 1, "{said}");
            assert!(said.contains(expected) && said.contains("at ") && said.contains("Ticket."), "{said}");
        }
        let running = Request { seconds: 1, ..Request::new("Ticket", Shows::Deadlock) };
        let (status, said) = run(&bench, &cases::ticket("runForever()V"), &running, &[]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 0 rounds"), "a loop is no deadlock");
    }
}

#[test]
fn exceptions_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let shows = Shows::Exception { class: "java.util.ConcurrentModificationException".into() };
        let (status, said) = run(&bench, &forced::list(), &request("java/util/ArrayList", shows), &[]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("at java.base/java.util.ArrayList.forEach"), "{said}");
        assert!(said.ends_with("round 1: java.util.ConcurrentModificationException\n"), "{said}");
    }
}

#[test]
fn results_that_no_order_gives_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let request = request("Dispenser", Shows::Linearizability);
        let (status, said) = run(&bench, &forced::dispenser(), &request, &[]);
        let results = "no serial order gives 0 | 0 | 1; the nearest that one gives: 0 | 1 | 2  or  1 | 0 | 2";
        assert_eq!((status, said), (1, format!("round 1: {results}\n")));
    }
}

#[test]
fn what_is_right_shows_nothing() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        for shows in [Shows::Deadlock, Shows::Linearizability] {
            let request = Request { rounds: 100, ..request("java/util/Vector", shows) };
            let (status, said) = run(&bench, &cases::vector(), &request, &[]);
            assert_eq!((status, said.trim_end()), (0, "not seen in 100 rounds"));
        }
        let (status, said) = run(&bench, &cases::implemented(), &request("acme/Task", Shows::Hang), &["50"]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 50 rounds"));
    }
}

#[test]
fn what_is_one_for_all_is_new_in_each_round() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let worn = || Shows::Exception { class: "java.lang.IllegalStateException".into() };
        for shows in [Shows::Deadlock, worn(), Shows::Linearizability] {
            for (class, test) in [("bank/Seal", cases::seal()), ("bank/Stamp", cases::stamp())] {
                let (status, said) = run(&bench, &test, &request(class, shows.clone()), &["20"]);
                assert_eq!((status, said.trim_end()), (0, "not seen in 20 rounds"));
            }
        }
    }
}

#[test]
fn calls_that_wait_for_others_are_explained() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let request = request("java/util/concurrent/LinkedBlockingQueue", Shows::Linearizability);
        let (status, said) = run(&bench, &cases::queue(), &request, &["500"]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 500 rounds"));
    }
}

#[test]
fn what_differs_by_itself_is_not_compared() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let request = request("java/lang/System", Shows::Linearizability);
        let (status, said) = run(&bench, &cases::clocks(), &request, &["200"]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 200 rounds"));
    }
}

#[test]
fn what_serial_orders_show_too_proves_nothing() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let shows = Shows::Exception { class: "java.io.IOException".into() };
        let (status, said) = run(&bench, &cases::implemented(), &request("acme/Task", shows), &[]);
        assert_eq!(status, 0, "{said}");
        assert!(said.contains("this proves nothing") && said.contains("java.io.IOException: undeclared"), "{said}");
        for shows in [Shows::Exception { class: "none".into() }, Shows::Linearizability] {
            let (status, said) = run(&bench, &cases::ticket("waitForever()V"), &request("Ticket", shows), &["1"]);
            assert_eq!((status, said.trim_end()), (0, "not seen in 0 rounds; serial orders can be stuck"));
        }
    }
}

#[test]
fn a_test_that_cannot_begin_says_so() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let (status, said) = run(&bench, &cases::overloads(), &request("acme/Kinds", Shows::Deadlock), &["20"]);
        assert_eq!(status, 2, "{said}");
        assert!(
            said.contains("no round could run") && said.contains("at java.base/java.lang.String.valueOf"),
            "{said}"
        );
    }
}

#[test]
fn exceptions_in_threads_that_the_class_starts_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let shows = Shows::Exception { class: "java.lang.NullPointerException".into() };
        let (status, said) = run(&bench, &forced::booth(), &request("Booth", shows), &[]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("at Booth.lambda$open$0") && said.contains("\nround 1: java.lang.Null"), "{said}");
    }
}

#[test]
fn objects_of_other_classes_than_those_of_the_jdk_are_compared_by_their_fields() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let request = request("Till", Shows::Linearizability);
        let (status, said) = run(&bench, &forced::till(), &request, &[]);
        assert_eq!(status, 1, "{said}");
        assert!(said.starts_with("round 1: no serial order gives  | Till$Sale[price=1, paid=0]"), "{said}");
    }
}

//! Programs show what they are to show.

use crate::{Bench, cases, jdks};
use emit::{Request, Shows};

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
        for (test, class) in [(cases::buffers(), "java/lang/StringBuffer"), (cases::accounts(), "bank/Account")] {
            let (status, said) = run(&bench, &test, &Request::new(class, Shows::Deadlock), &["10000000", "300"]);
            assert_eq!(status, 1, "{said}");
            assert!(said.contains("deadlock") && said.contains("held by \"test thread"), "{said}");
        }
    }
}

#[test]
fn threads_that_never_end_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        for (method, shows, expected) in [
            ("waitForever()V", Shows::Deadlock, "deadlock: nobody goes on"),
            ("waitForever()V", Shows::Exception { class: "none".into() }, "deadlock: nobody goes on"),
            ("runForever()V", Shows::Hang, "hang: a thread does not end"),
        ] {
            let (status, said) = run(&bench, &cases::ticket(method), &Request::new("Ticket", shows), &[]);
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
        let shows = Shows::Exception { class: "java.lang.NullPointerException".into() };
        let request = Request::new("java/io/PushbackInputStream", shows);
        let (status, said) = run(&bench, &cases::stream(), &request, &["10000000", "300"]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("at java.base/java.io.PushbackInputStream.read"), "{said}");
    }
}

#[test]
fn results_that_no_order_gives_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let serial = vec!["0 | 1 | 2".to_owned(), "1 | 0 | 2".to_owned()];
        let request = Request::new("Ticket", Shows::Linearizability { serial });
        let (status, said) = run(&bench, &cases::tickets(), &request, &["10000000", "300"]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("no serial order gives 0 | 0 | 1"), "{said}");
    }
}

#[test]
fn what_is_right_shows_nothing() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let serial = vec!["true | true | 2".to_owned()];
        for shows in [Shows::Deadlock, Shows::Linearizability { serial }] {
            let request = Request { rounds: 100, ..Request::new("java/util/Vector", shows) };
            let (status, said) = run(&bench, &cases::vector(), &request, &[]);
            assert_eq!((status, said.trim_end()), (0, "not seen in 100 rounds"));
        }
        let (status, said) = run(&bench, &cases::implemented(), &Request::new("acme/Task", Shows::Hang), &["50"]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 50 rounds"));
    }
}

#[test]
fn an_exception_of_an_implemented_type_shows() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let shows = Shows::Exception { class: "java.io.IOException".into() };
        let (status, said) = run(&bench, &cases::implemented(), &Request::new("acme/Task", shows), &[]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("java.io.IOException: undeclared"), "{said}");
    }
}

#[test]
fn a_test_that_cannot_begin_says_so() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let (status, said) = run(&bench, &cases::overloads(), &Request::new("acme/Kinds", Shows::Deadlock), &["20"]);
        assert_eq!(status, 2, "{said}");
        assert!(
            said.contains("no round could run") && said.contains("at java.base/java.lang.String.valueOf"),
            "{said}"
        );
    }
}

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
        let request = Request::new("Ticket", Shows::Linearizability);
        let (status, said) = run(&bench, &cases::tickets(), &request, &["10000000", "300"]);
        assert_eq!(status, 1, "{said}");
        let expected = "no serial order gives 0 | 0 | 1; the nearest that one gives: 0 | 1 | 2  or  1 | 0 | 2";
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn what_is_right_shows_nothing() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        for shows in [Shows::Deadlock, Shows::Linearizability] {
            let request = Request { rounds: 100, ..Request::new("java/util/Vector", shows) };
            let (status, said) = run(&bench, &cases::vector(), &request, &[]);
            assert_eq!((status, said.trim_end()), (0, "not seen in 100 rounds"));
        }
        let (status, said) = run(&bench, &cases::implemented(), &Request::new("acme/Task", Shows::Hang), &["50"]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 50 rounds"));
    }
}

#[test]
fn calls_that_wait_for_others_are_explained() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let request = Request::new("java/util/concurrent/LinkedBlockingQueue", Shows::Linearizability);
        let (status, said) = run(&bench, &cases::queue(), &request, &["2000"]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 2000 rounds"));
    }
}

#[test]
fn what_differs_by_itself_is_not_compared() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let request = Request::new("java/lang/System", Shows::Linearizability);
        let (status, said) = run(&bench, &cases::clocks(), &request, &["500"]);
        assert_eq!((status, said.trim_end()), (0, "not seen in 500 rounds"));
    }
}

#[test]
fn what_serial_orders_show_too_proves_nothing() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let shows = Shows::Exception { class: "java.io.IOException".into() };
        let (status, said) = run(&bench, &cases::implemented(), &Request::new("acme/Task", shows), &[]);
        assert_eq!(status, 0, "{said}");
        assert!(said.contains("this proves nothing") && said.contains("java.io.IOException: undeclared"), "{said}");
        for shows in [Shows::Exception { class: "none".into() }, Shows::Linearizability] {
            let request = Request { seconds: 8, ..Request::new("Ticket", shows) };
            let (status, said) = run(&bench, &cases::ticket("waitForever()V"), &request, &[]);
            assert_eq!((status, said.trim_end()), (0, "not seen in 0 rounds; serial orders can be stuck"));
        }
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

#[test]
fn exceptions_in_threads_that_the_class_starts_show() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let shows = Shows::Exception { class: "java.lang.NullPointerException".into() };
        let (status, said) = run(&bench, &cases::booth(), &Request::new("Booth", shows), &["10000000", "300"]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("at Booth.lambda$open$0"), "{said}");
    }
}

#[test]
fn objects_of_other_classes_than_those_of_the_jdk_are_compared_by_their_fields() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let request = Request::new("Booth", Shows::Linearizability);
        let (status, said) = run(&bench, &cases::sale(), &request, &["10000000", "300"]);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("no serial order gives  | Booth$Sale[price=1, paid=0]"), "{said}");
    }
}

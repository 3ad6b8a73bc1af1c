//! Everything that is written compiles, with each JDK; what cannot be said is refused.

use crate::calls::*;
use crate::{Bench, golden, jdks};
use emit::{Program, Request, Shows, Stress, Unsayable, Why};
use testcase::TestCase;

#[test]
fn programs_compile() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let what = "c:\\users */ \u{1f600}\nsecond line";
        let cases = golden::all();
        for shows in [Shows::Deadlock, Shows::Exception { class: "acme.Kinds$Inner".into() }, Shows::Linearizability] {
            let request = |class| Request { what, seed: u64::MAX, ..Request::new(class, shows.clone()) };
            let tests: Vec<_> = cases.iter().map(|(_, class, test)| (test, request(*class))).collect();
            bench.compile_all(&tests);
        }
    }
}

#[test]
fn stress_loops_compile_and_count() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        let cases = golden::all();
        let write = |(_, class, test): &(&str, &str, TestCase)| {
            emit::stress(test, &Stress { class, what: "*/", class_path: &[] }, &bench.types()).unwrap()
        };
        let programs: Vec<Program> = cases.iter().map(write).collect();
        bench.compile_programs(&programs);
        let stream = programs.iter().find(|program| program.name == "PushbackInputStreamStress").unwrap();
        for arguments in [&["1"][..], &["1", "prefix"]] {
            let output = bench.run(stream, arguments);
            let said = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert!(said.trim().parse::<f64>().unwrap() > 1.0, "{said}");
        }
    }
}

#[test]
fn what_cannot_be_said_is_refused() {
    let bench = Bench::new(&jdks()[0]);
    let refused = |prefix| {
        let test = TestCase { prefix, suffixes: vec![vec![], vec![]], probes: vec![] };
        let request = Request::new("acme/Kinds", Shows::Deadlock);
        emit::program(&test, &request, &bench.types()).unwrap_err()
    };
    let hidden = |what: &str| Unsayable { what: what.into(), why: Why::Hidden };
    let of_two = vec![new("acme/Hidden"), new("Ticket")];
    assert_eq!(refused(of_two), hidden("Ticket"), "no package sees both");
    let of_jdk =
        vec![new("java/lang/Object"), invoke("java/lang/Object", "clone()Ljava/lang/Object;", value(0), vec![])];
    assert_eq!(refused(of_jdk), hidden("java.lang.Object.clone()Ljava.lang.Object;"));
    let inside = vec![new("java/util/ArrayList$Itr")];
    assert_eq!(refused(inside), hidden("java.util.ArrayList$Itr"));
    let private = vec![get("java/util/Vector", "serialVersionUID:J", None)];
    assert_eq!(refused(private), hidden("java.util.Vector.serialVersionUIDJ"));
    let finals = vec![put("java/lang/Integer", "MAX_VALUE:I", None, testcase::Argument::Int(0))];
    assert_eq!(refused(finals), Unsayable { what: "java.lang.Integer.MAX_VALUE".into(), why: Why::Final });
    for name in ["add-WZ4Q5Ns", "import", "_"] {
        let of_another_language = vec![new("Ticket"), invoke("Ticket", &format!("{name}()V"), value(0), vec![])];
        assert_eq!(refused(of_another_language), Unsayable { what: format!("Ticket.{name}"), why: Why::Nameless });
    }
    let unexported = vec![new("jdk/internal/util/ArraysSupport")];
    assert_eq!(refused(unexported).why, Why::Hidden);
}

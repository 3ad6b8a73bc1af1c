//! Everything that is written compiles, with each JDK; what cannot be said is refused.

use crate::calls::*;
use crate::{Bench, golden, jdks};
use classfile::{Attribute, AttributeValue, ClassFile, Flags};
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
fn an_interface_may_declare_what_objects_have_as_protected() {
    let copied = || implement("acme/Copied", vec![]);
    let call = || vec![invoke("acme/Copied", "clone()Ljava/lang/Object;", value(0), vec![])];
    let test = TestCase { prefix: vec![copied()], suffixes: vec![call(), call()], probes: vec![] };
    let bench = Bench::new(&jdks()[0]);
    let program = bench.compile(&test, &Request::new("acme/Copied", Shows::Deadlock));
    assert!(
        program.text.contains("public Object clone() {") && !program.text.contains("String toString()"),
        "{}",
        program.text
    );
}

#[test]
fn what_an_attribute_says_is_synthetic_is_refused() {
    let bench = Bench::new(&jdks()[0]);
    let mut class = ClassFile::new("acme/Old", "java/lang/Object", 46).unwrap();
    let name = class.constants.add_utf8("Synthetic").unwrap();
    let flags = Flags::PUBLIC.with(Flags::ABSTRACT);
    let method = class.add_method(flags, "access$000", "()V", None).unwrap();
    method.attributes.push(Attribute { name, value: AttributeValue::Synthetic });
    std::fs::write(bench.folder.path().join("acme/Old.class"), class.write().unwrap()).unwrap();
    let call = || vec![invoke("acme/Old", "access$000()V", value(0), vec![])];
    let test = TestCase { prefix: vec![new("acme/Old")], suffixes: vec![call(), call()], probes: vec![] };
    let refused = emit::program(&test, &Request::new("acme/Old", Shows::Deadlock), &bench.types()).unwrap_err();
    assert!(refused.what.contains("access$000"), "{refused:?}");
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

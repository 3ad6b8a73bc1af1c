//! Texts as they should be. `BLESS=1` writes them anew.

use crate::{Bench, cases, jdks};
use emit::{Request, Shows, Statements, Stress, statements};
use std::path::Path;
use testcase::TestCase;

/// Each with a name and the class under test.
pub fn all() -> [(&'static str, &'static str, TestCase); 9] {
    [
        ("buffers", "java/lang/StringBuffer", cases::buffers()),
        ("stream", "java/io/PushbackInputStream", cases::stream()),
        ("vector", "java/util/Vector", cases::vector()),
        ("kinds", "acme/Kinds", cases::kinds()),
        ("overloads", "java/util/List", cases::overloads()),
        ("implemented", "acme/Task", cases::implemented()),
        ("accounts", "bank/Account", cases::accounts()),
        ("tickets", "Ticket", cases::tickets()),
        ("handed_over", "Ticket", cases::handed_over()),
    ]
}

#[test]
fn texts_are_as_they_should_be() {
    for jdk in jdks() {
        let bench = Bench::new(&jdk);
        for (name, class, test) in all() {
            let shows = Shows::Exception { class: "java.lang.NullPointerException".into() };
            let what = "Something is wrong.";
            let request = Request { what, replay: Some("raddle replay finding.json"), ..Request::new(class, shows) };
            let program = emit::program(&test, &request, &bench.types()).unwrap();
            let (own, _) = program.text.split_once("\n    // What follows").expect("the harness is at the end");
            let short = written(&statements(&test, &bench.types()));
            check(name, &format!("{short}\n---- {}.java\n{own}", program.name), &jdk.version);
        }
    }
}

#[test]
fn the_harness_is_as_it_should_be() {
    let bench = Bench::new(&jdks()[0]);
    let class_path = ["/a folder/classes".to_owned(), "lib.jar".to_owned()];
    let request = Request { class_path: &class_path, seed: 7, ..Request::new("Ticket", Shows::Linearizability) };
    let program = emit::program(&cases::tickets(), &request, &bench.types()).unwrap();
    check("harness", &program.text, "");
}

#[test]
fn the_harness_of_stress_loops_is_as_it_should_be() {
    let bench = Bench::new(&jdks()[0]);
    let class_path = ["/a folder/classes".to_owned(), "lib.jar".to_owned()];
    let request = Stress { class: "java/lang/StringBuffer", what: "One of the tests.", class_path: &class_path };
    let program = emit::stress(&cases::buffers(), &request, &bench.types()).unwrap();
    check("stress", &program.text, "");
}

fn written(short: &Statements) -> String {
    let mut text = short.imports.iter().map(|import| format!("import {import}\n")).collect::<String>();
    short.prefix.iter().for_each(|line| text += &format!("{line}\n"));
    for (number, thread) in short.threads.iter().enumerate() {
        text += &format!("thread {}: {}\n", number + 1, thread.join("; "));
    }
    text + &format!("probes: {}\n", short.probes.join("; "))
}

fn check(name: &str, text: &str, jdk: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/java/golden/{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(expected == text, "{name} with JDK {jdk} is not as {} says; it is\n{text}", file.display());
}

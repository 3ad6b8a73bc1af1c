//! Fields and elements that the test itself touches are events, as they would be in code.

use crate::calls::{call, compile, invoke, new, run_seeds, value, written};
use crate::jdks;
use crate::worker::Worker;
use std::collections::HashSet;
use testcase::{Argument, Call, Operation, TestCase};

const COUNTER: &str = r#"
public class Counter extends Counts {
    public volatile long stamp;
    public static int total;
    public void add() { count = count + 1; total = 5; stamp = 7; }
}
class Counts { public int count; }
"#;

fn get(name: &str, descriptor: &str) -> Call {
    let (class, name, descriptor) = ("Counter".into(), name.into(), descriptor.into());
    call(Operation::GetField { class, name, descriptor, receiver: value(0) }, vec![])
}

fn put(name: &str, descriptor: &str, argument: Argument) -> Call {
    let (class, name, descriptor) = ("Counter".into(), name.into(), descriptor.into());
    call(Operation::PutField { class, name, descriptor, receiver: value(0) }, vec![argument])
}

#[test]
fn accesses_of_the_test_are_events_of_the_same_fields() {
    let of_class = || ("Counter".to_owned(), "total".to_owned(), "I".to_owned());
    let (class, name, descriptor) = of_class();
    let get_total = call(Operation::GetStatic { class, name, descriptor }, vec![]);
    let (class, name, descriptor) = of_class();
    let put_total = call(Operation::PutStatic { class, name, descriptor }, vec![Argument::Int(3)]);
    let array = call(Operation::Array { element: "java/lang/Object".into() }, vec![value(0), Argument::Null]);
    let own = vec![
        get("count", "I"),
        put("count", "I", Argument::Int(10)),
        get("stamp", "J"),
        put("stamp", "J", Argument::Long(1)),
        get_total,
        put_total,
        array,
    ];
    let code = vec![invoke("Counter", "add()V", value(0), vec![])];
    let test = TestCase { prefix: vec![new("Counter")], suffixes: vec![own, code], probes: vec![get("count", "I")] };
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Counter.java", COUNTER)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let reports = run_seeds(&mut worker, &test, 60);
        let expected = [
            "1 read #0 Counts.count at test.get Counter.count",
            "1 write #0 Counts.count at test.put Counter.count",
            "1 volatile read #0 Counter.stamp at test.get Counter.stamp",
            "1 volatile write #0 Counter.stamp at test.put Counter.stamp",
            "1 read - Counter.total at test.get Counter.total",
            "1 write - Counter.total at test.put Counter.total",
        ];
        for report in &reports {
            let events = &report.shown.events;
            let of_thread: Vec<_> = events.iter().filter(|event| event.starts_with("1 ")).collect();
            assert_eq!(of_thread[1..=6], expected.iter().collect::<Vec<_>>(), "JDK {}", jdk.version);
            for index in 0..2 {
                let element = of_thread[7 + index];
                assert!(element.ends_with(&format!(" {index} at test.fill java.lang.Object[]")), "{element}");
            }
            // The code under test names the same field, though it is looked up in a superclass.
            assert!(events.iter().any(|event| event.starts_with("2 write #0 Counts.count at Counter.add()V")));
        }
        let results: HashSet<_> = reports
            .iter()
            .map(|report| (written(&report.shown.suffixes[0][0]), written(&report.shown.probes[0])))
            .collect();
        // Before and after the code; and in its midst, where one of the two writes is lost.
        for (first, last) in [("0", "11"), ("1", "10"), ("0", "1"), ("0", "10")] {
            assert!(results.contains(&(first.into(), last.into())), "JDK {}: {results:?}", jdk.version);
        }
    }
}

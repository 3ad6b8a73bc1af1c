//! Tests that are written for classes which are not of the JDK: what they need may be anywhere on the class path.

use std::path::Path;
use std::process::Command;

use analysis::{Analyzer, ByteStore};
use classpath::{ClassName, ClassPath, Jdk};
use testcase::{Argument, Call, Operation, TestCase};
use testgen::{Feedback, Generator, Settings, Strategy};

/// An interface, a class that gets one and looks into it, and, in a package of which neither knows, what implements it; a class
/// whose finalizer anyone may call; a class inside another one.
const SOURCES: [(&str, &str); 5] = [
    (
        "wire/Message.java",
        "package wire;
         public interface Message { java.util.Map<String, Object> extra(); void a(); void b(); }",
    ),
    (
        "clock/Clock.java",
        "package clock;
         import java.util.Map;
         public class Clock {
             private int offset;
             private byte[] data;
             public void receive(wire.Message message) {
                 Map<String, Object> extra = message.extra();
                 data = extra == null ? null : (byte[]) extra.get(\"data\");
                 Map<String, Object> sync = extra == null ? null : (Map<String, Object>) extra.get(\"sync\");
                 if (sync != null) {
                     offset += ((Number) sync.get(\"time\")).intValue();
                 }
             }
             public int offset() { return offset; }
         }",
    ),
    (
        "transport/Packet.java",
        "package transport;
         import java.util.Map;
         public class Packet extends java.util.HashMap<String, Object> implements wire.Message {
             public Map<String, Object> extra() { return (Map<String, Object>) get(\"extra\"); }
             public void a() {}
             public void b() {}
         }",
    ),
    (
        "clock/Handle.java",
        "package clock;
         public class Handle {
             private boolean closed;
             public int read() { if (closed) { throw new IllegalStateException(); } return 1; }
             public void close() { closed = true; }
             public void finalize() { close(); }
             public void finalize(int times) { closed = times > 0; }
         }",
    ),
    (
        "clock/Hall.java",
        "package clock;
         import java.util.BitSet;
         import java.util.List;
         public class Hall {
             private int taken;
             public class Seat {
                 public Seat(List<BitSet> rows) {}
                 public void take() { taken++; }
                 public int taken() { return taken; }
             }
         }",
    ),
];

/// Tests for a class, on each installed JDK.
fn tests(class: &str) -> Vec<TestCase> {
    let mut tests = Vec::new();
    for jdk in Jdk::installed() {
        println!("JDK {}", jdk.version);
        let folder = tempfile::tempdir().unwrap();
        compile(&jdk, folder.path());
        let mut class_path = ClassPath::parse(folder.path().to_str().unwrap(), jdk.feature).unwrap();
        class_path.append(ClassPath::of_jdk(&jdk).unwrap());
        let name = ClassName::parse(class).unwrap();
        let bytes = ByteStore::new();
        let facts = Analyzer::new(&class_path, &bytes).analyze(&name).unwrap();
        let settings = Settings { strategy: Strategy::Auto, seed: 1, observe: true, skip: vec![] };
        let mut generator = Generator::new(&class_path, name.internal(), &facts, settings).unwrap();
        for _ in 0..400 {
            let Some(candidate) = generator.next() else { break };
            assert_eq!(candidate.test.check(), Ok(()), "{:?}", candidate.test);
            generator.learn(&candidate, Feedback::Ran { overlapped: true });
            tests.push(candidate.test);
        }
    }
    assert!(!tests.is_empty());
    tests
}

fn compile(jdk: &Jdk, folder: &Path) {
    let files = SOURCES.map(|(path, text)| {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    });
    let output = Command::new(jdk.javac()).args(["-nowarn", "-d"]).arg(folder).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The values that a call of the prefix puts under a key, into a map of which that call made it.
fn put(test: &TestCase, map: usize, key: &str) -> Vec<usize> {
    let puts = test.prefix.iter().filter_map(|call| match (&call.operation, &*call.arguments) {
        (Operation::Virtual { receiver, name, .. }, [Argument::String(text), Argument::Value(value)]) => {
            (name == "put" && *receiver == Argument::Value(map) && text == key).then_some(*value)
        }
        _ => None,
    });
    puts.collect()
}

fn makes(test: &TestCase, call: usize, wanted: &str) -> bool {
    matches!(&test.prefix[call].operation, Operation::Construct { class, .. } if class == wanted)
}

#[test]
fn what_implements_an_interface_is_found_wherever_it_is() {
    let tests = tests("clock.Clock");
    let made = tests.iter().filter(|test| (0..test.prefix.len()).any(|call| makes(test, call, "transport/Packet")));
    let implements = |test: &&TestCase| {
        let is =
            |operation: &Operation| matches!(operation, Operation::Implement { class, .. } if class == "wire/Message");
        test.prefix.iter().any(|call| is(&call.operation))
    };
    let (made, written) = (made.count(), tests.iter().filter(implements).count());
    println!("{made} of {} tests have it, {written} one of their own", tests.len());
    assert!(made * 5 > tests.len() && written * 5 > tests.len());
}

#[test]
fn maps_hold_what_is_looked_for_in_them() {
    let tests = tests("clock.Clock");
    let is_number = |test: &TestCase, call: usize| match &test.prefix[call].operation {
        Operation::Static { class, name, .. } => class.starts_with("java/lang/") && name == "valueOf",
        Operation::Construct { class, .. } => class.starts_with("java/lang/"),
        _ => false,
    };
    // A packet with a map, in which there is a map with a number.
    let is_whole = |test: &&TestCase| {
        (0..test.prefix.len()).filter(|call| makes(test, *call, "transport/Packet")).any(|packet| {
            let extras = put(test, packet, "extra").into_iter();
            let syncs = extras.flat_map(|extra| put(test, extra, "sync"));
            let mut times = syncs.flat_map(|sync| put(test, sync, "time"));
            times.any(|time| is_number(test, time))
        })
    };
    let has_bytes = |test: &&TestCase| {
        let data = (0..test.prefix.len()).flat_map(|map| put(test, map, "data"));
        let mut data = data.map(|value| &test.prefix[value].operation);
        data.any(|operation| matches!(operation, Operation::Array { element } if element == "byte"))
    };
    let (whole, bytes) = (tests.iter().filter(is_whole).count(), tests.iter().filter(has_bytes).count());
    println!("{whole} of {} tests have one, and {bytes} have bytes", tests.len());
    assert!(whole * 50 > tests.len() && bytes * 50 > tests.len());
}

#[test]
fn no_test_calls_a_finalizer() {
    let tests = tests("clock.Handle");
    let calls = tests.iter().flat_map(|test| test.prefix.iter().chain(test.suffixes.iter().flatten()));
    let mut called: Vec<(&str, &str)> = calls.filter_map(|call| method(&call.operation)).collect();
    called.sort_unstable();
    called.dedup();
    assert!(!called.contains(&("finalize", "()V")), "{called:?}");
    // One that only shares its name is a method like others.
    for other in [("finalize", "(I)V"), ("close", "()V"), ("read", "()I")] {
        assert!(called.contains(&other), "{other:?} is missing in {called:?}");
    }
}

#[test]
fn an_inner_object_is_made_in_the_one_around_it() {
    let tests = tests("clock.Hall$Seat");
    let calls = || tests.iter().flat_map(|test| test.prefix.iter().map(move |call| (test, call)));
    let constructs =
        |call: &Call, wanted: &str| matches!(&call.operation, Operation::Construct { class, .. } if class == wanted);
    let seats = calls().filter(|(_, call)| constructs(call, "clock/Hall$Seat"));
    let is_inside = |test: &TestCase, seat: &Call| matches!(seat.arguments[0], Argument::Value(hall) if makes(test, hall, "clock/Hall"));
    let (inside, apart): (Vec<_>, Vec<_>) = seats.partition(|(test, seat)| is_inside(test, seat));
    let rows = calls().filter(|(_, call)| constructs(call, "java/util/BitSet")).count();
    println!("{} in a hall, {} in none, with {rows} rows", inside.len(), apart.len());
    assert!(inside.len() > 10 * apart.len());
    // What the signature of the constructor says of the other parameters is not lost.
    assert!(rows * 10 > inside.len());
}

fn method(operation: &Operation) -> Option<(&str, &str)> {
    match operation {
        Operation::Virtual { name, descriptor, .. } => Some((name, descriptor)),
        _ => None,
    }
}

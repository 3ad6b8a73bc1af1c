//! Interfaces and abstract classes implemented by classes that the host writes.

use crate::calls::{
    call, compile, construct, does, implement, invoke, invoke_static, new, once, run_seeds, show, text, value,
};
use crate::jdks;
use crate::worker::Worker;
use host::CallResult;
use raddle::worker::protocol::Answer;
use testcase::{Argument, Behaviour, Call, Implementation, Operation, TestCase};

const OBJECT: &str = "Ljava/lang/Object;";

fn returns(method: &str, argument: Argument) -> Implementation {
    does(method, Behaviour::Return(argument))
}

fn back(call: Call) -> Behaviour {
    Behaviour::Call(Box::new(call))
}

#[test]
fn types_of_the_jdk_are_implemented() {
    let apply = format!("apply({OBJECT}){OBJECT}");
    let compare = format!("compare({OBJECT}{OBJECT})I");
    let int = |n: i32| Argument::Int(n);
    let compute = format!("computeIfAbsent({OBJECT}Ljava/util/function/Function;){OBJECT}");
    let add =
        |list: usize, what: &str| invoke("java/util/List", &format!("add({OBJECT})Z"), value(list), vec![text(what)]);
    let in_turn = |values: &[bool]| {
        let turns = values.iter().map(|&z| Behaviour::Return(Argument::Boolean(z))).collect();
        Behaviour::InTurn(turns)
    };
    let prefix = vec![
        new("java/util/ArrayList"),
        add(0, "b"),
        add(0, "a"),
        // 3: compares the wrong way round.
        implement(
            "java/util/Comparator",
            vec![does(
                &compare,
                back(invoke(
                    "java/lang/String",
                    "compareTo(Ljava/lang/String;)I",
                    Argument::Parameter(1),
                    vec![Argument::Parameter(0)],
                )),
            )],
        ),
        // 4: iterates over 7, 8, and then throws.
        implement(
            "java/util/Iterator",
            vec![
                does("hasNext()Z", in_turn(&[true, true, false])),
                does(
                    &format!("next(){OBJECT}"),
                    Behaviour::InTurn(vec![
                        Behaviour::Return(int(7)),
                        Behaviour::Return(int(8)),
                        Behaviour::Throw {
                            class: "java/util/NoSuchElementException".into(),
                            message: Some("over".into()),
                        },
                    ]),
                ),
            ],
        ),
        // 5: a list of two.
        implement(
            "java/util/AbstractList",
            vec![returns("size()I", int(2)), returns(&format!("get(I){OBJECT}"), Argument::Parameter(0))],
        ),
        // 6: gives the first list.
        implement("java/util/concurrent/Callable", vec![returns(&format!("call(){OBJECT}"), value(0))]),
        new("java/util/HashMap"),
        // 8: changes the map that calls it.
        implement(
            "java/util/function/Function",
            vec![does(
                &apply,
                back(invoke(
                    "java/util/Map",
                    &format!("put({OBJECT}{OBJECT}){OBJECT}"),
                    value(7),
                    vec![text("other"), Argument::Parameter(0)],
                )),
            )],
        ),
        // 9: does nothing.
        implement("java/util/TimerTask", vec![]),
        // 10: default methods and those of Object stay.
        implement("java/util/function/Function", vec![]),
    ];
    let suffix = vec![
        invoke("java/util/List", "sort(Ljava/util/Comparator;)V", value(0), vec![value(3)]),
        invoke("java/util/concurrent/Callable", &format!("call(){OBJECT}"), value(6), vec![]),
        invoke("java/util/Iterator", "hasNext()Z", value(4), vec![]),
        invoke("java/util/Iterator", &format!("next(){OBJECT}"), value(4), vec![]),
        invoke("java/util/Iterator", &format!("next(){OBJECT}"), value(4), vec![]),
        invoke("java/util/Iterator", "hasNext()Z", value(4), vec![]),
        invoke("java/util/Iterator", "hasNext()Z", value(4), vec![]),
        invoke("java/util/AbstractCollection", "toString()Ljava/lang/String;", value(5), vec![]),
        invoke("java/util/TimerTask", "run()V", value(9), vec![]),
        invoke("java/util/function/Function", &apply, value(10), vec![text("x")]),
        invoke(
            "java/util/function/Function",
            "andThen(Ljava/util/function/Function;)Ljava/util/function/Function;",
            value(10),
            vec![Argument::Null],
        ),
    ];
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let shown = show(&mut worker, prefix.clone(), suffix.clone());
        // The list is a value of the prefix, so it is not looked into.
        let expected =
            ["void", "java.util.ArrayList#0", "true", "7", "8", "true", "false", "\"[0, 1]\"", "void", "null"];
        assert_eq!(shown[..expected.len()], expected, "JDK {}", jdk.version);
        assert_eq!(shown[expected.len()], "java.lang.NullPointerException: no message", "a default method runs");

        let sorted = vec![
            suffix[0].clone(),
            invoke("java/util/AbstractCollection", "toString()Ljava/lang/String;", value(0), vec![]),
        ];
        assert_eq!(show(&mut worker, prefix.clone(), sorted), ["void", "\"[b, a]\""]);
        let reentered = vec![invoke("java/util/HashMap", &compute, value(7), vec![text("key"), value(8)])];
        let reentered = show(&mut worker, prefix.clone(), reentered);
        assert_eq!(reentered, ["java.util.ConcurrentModificationException: no message"]);
        let next = || invoke("java/util/Iterator", &format!("next(){OBJECT}"), value(4), vec![]);
        let ended = show(&mut worker, prefix.clone(), vec![next(), next(), next()]);
        assert_eq!(ended[2], "java.util.NoSuchElementException: over");
    }
}

const LISTENERS: [(&str, &str); 4] = [
    (
        "acme/Root.java",
        r#"package acme;
        public interface Root<T> {
            T get();
            long count(T of, double scale);
            boolean equals(Object other);
            default String both(T of) { return get() + ":" + count(of, 2.0); }
        }"#,
    ),
    ("acme/Other.java", "package acme; public interface Other { String get(); }"),
    (
        "acme/Leaf.java",
        r#"package acme;
        interface Leaf extends Root<String>, Other {
            int[] own(byte b, short s, char c, boolean z, float f);
        }"#,
    ),
    (
        "acme/Base.java",
        r#"package acme;
        abstract class Base implements Leaf {
            final String early;
            private int calls;
            protected Base(int offset, long by) { early = "" + name() + (offset + by); }
            abstract Object name();
            protected abstract void fail() throws Exception;
            public static String use(Base base) { return base.early + "," + base.name() + "," + base.get() + "," + base.both("x"); }
            public static Object asRoot(Root<?> root) { return root.get(); }
            public static Object asOther(Other other) { return other.get(); }
            public void callBack() throws Exception { calls++; fail(); }
            public int calls() { return calls; }
            static final class Closed extends Base {
                Closed() { super(0, 0); }
                public String get() { return null; }
                public long count(String of, double scale) { return 0; }
                public int[] own(byte b, short s, char c, boolean z, float f) { return null; }
                Object name() { return null; }
                protected void fail() { }
            }
            static abstract class Private { private Private() { } }
            sealed interface Sealed permits Closing { }
            record Closing() implements Sealed { }
            enum Named { ONE { }; }
        }"#,
    ),
];

fn base(methods: Vec<Implementation>) -> Call {
    let operation = Operation::Implement { class: "acme/Base".into(), descriptor: "(IJ)V".into(), methods };
    call(operation, vec![Argument::Int(40), Argument::Long(2)])
}

#[test]
fn what_only_its_package_sees_is_implemented_with_all_that_is_inherited() {
    let prefix = vec![
        construct("java/lang/Integer", "(I)V", vec![Argument::Int(5)]),
        // The constructor of the class calls this, when captured values must be there.
        base(vec![returns(&format!("name(){OBJECT}"), value(0)), returns("get()Ljava/lang/String;", text("got"))]),
        base(vec![]),
        implement("acme/Leaf", vec![returns("get()Ljava/lang/String;", text("leaf"))]),
    ];
    let on_base = |method: &str, number: usize| invoke_static("acme/Base", method, vec![value(number)]);
    let suffix = vec![
        on_base("use(Lacme/Base;)Ljava/lang/String;", 1),
        on_base("use(Lacme/Base;)Ljava/lang/String;", 2),
        // A method that differs by its return type only: compilers write a bridge.
        on_base(&format!("asRoot(Lacme/Root;){OBJECT}"), 3),
        on_base(&format!("asOther(Lacme/Other;){OBJECT}"), 3),
        invoke(
            "acme/Leaf",
            "own(BSCZF)[I",
            value(3),
            vec![
                Argument::Byte(1),
                Argument::Short(1),
                Argument::Char(1),
                Argument::Boolean(true),
                Argument::Float(1.0),
            ],
        ),
        invoke("acme/Root", &format!("count({OBJECT}D)J"), value(3), vec![text("x"), Argument::Double(1.0)]),
        invoke("java/lang/Object", &format!("equals({OBJECT})Z"), value(3), vec![value(3)]),
    ];
    for jdk in jdks() {
        let folder = compile(&jdk, &LISTENERS);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let shown = show(&mut worker, prefix.clone(), suffix.clone());
        let expected =
            ["\"542,5,got,got:0\"", "\"null42,null,null,null:0\"", "\"leaf\"", "\"leaf\"", "null", "0", "true"];
        assert_eq!(shown, expected, "JDK {}", jdk.version);
    }
}

#[test]
fn callbacks_reenter_the_subject_and_are_scheduled_with_it() {
    // Each thread calls the subject, which calls back, which calls the subject again: two increments that can be lost.
    let again = back(invoke("acme/Base", "callBack()V", value(0), vec![]));
    let prefix = vec![base(vec![]), base(vec![does("fail()V", again)])];
    let through = vec![invoke("acme/Base", "callBack()V", value(1), vec![])];
    let probes = vec![invoke("acme/Base", "calls()I", value(0), vec![])];
    let test = TestCase { prefix, suffixes: vec![through.clone(), through], probes };
    for jdk in jdks() {
        let folder = compile(&jdk, &LISTENERS);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut counts: Vec<_> =
            run_seeds(&mut worker, &test, 40).iter().map(|report| format!("{:?}", report.shown.probes[0])).collect();
        counts.sort();
        counts.dedup();
        assert_eq!(counts, ["Returned(Int(1))", "Returned(Int(2))"], "JDK {}", jdk.version);
    }
}

#[test]
fn a_class_has_the_same_name_in_every_process_and_is_written_once() {
    let runnable = |n: i32| {
        implement("java/util/concurrent/Callable", vec![returns(&format!("call(){OBJECT}"), Argument::Int(n))])
    };
    let name = || invoke("java/lang/Object", "getClass()Ljava/lang/Class;", value(0), vec![]);
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        let mut in_other_order = [2, 1];
        for _ in 0..2 {
            let mut worker = Worker::start(&jdk, folder.path(), &[]);
            in_other_order.reverse();
            let of = in_other_order.map(|n| {
                let first = show(&mut worker, vec![runnable(n)], vec![name()]);
                assert_eq!(show(&mut worker, vec![runnable(n)], vec![name()]), first);
                first
            });
            assert!(of[0][0].starts_with("raddle.Callable$raddle$"), "{of:?}");
            assert_ne!(of[0], of[1], "they do different things");
            names.push(if in_other_order == [1, 2] { of } else { [of[1].clone(), of[0].clone()] });
        }
        assert_eq!(names[0], names[1]);
    }
}

#[test]
fn a_type_that_only_the_jdk_sees_is_implemented_inside_it() {
    let class = "java/util/ImmutableCollections$AbstractImmutableCollection";
    let sized = implement(class, vec![returns("size()I", Argument::Int(3))]);
    let size = invoke("java/util/Collection", "size()I", value(0), vec![]);
    let empty = invoke("java/util/Collection", "isEmpty()Z", value(0), vec![]);
    let out_of_sight = implement(class, vec![does("size()I", back(invoke_static("acme/Base", "size()I", vec![])))]);
    for jdk in jdks() {
        let folder = compile(&jdk, &LISTENERS);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        assert_eq!(show(&mut worker, vec![sized.clone()], vec![size.clone(), empty.clone()]), ["3", "false"]);
        let test = TestCase { prefix: vec![out_of_sight.clone()], ..TestCase::default() };
        let Answer::Refused(reason) = worker.ask(&once(&test, 0)) else { panic!("not refused") };
        assert!(reason.ends_with("from where acme/Base is not seen"), "{reason}");
    }
}

#[test]
fn what_cannot_be_implemented_is_refused_with_the_reason() {
    let refused = [
        (implement("java/lang/String", vec![]), "java.lang.String cannot be implemented: it is final"),
        (implement("acme/Base$Closed", vec![]), "acme.Base$Closed cannot be implemented: it is final"),
        (implement("acme/Base$Sealed", vec![]), "acme.Base$Sealed cannot be implemented: it is sealed"),
        (
            implement("acme/Base$Named", vec![]),
            "acme.Base$Named cannot be implemented: it is an array, an enum or a record, which nothing extends",
        ),
        (
            implement("acme/Base$Private", vec![]),
            "acme.Base$Private cannot be implemented: its constructor ()V is private",
        ),
        (
            implement("java/lang/Runnable", vec![returns("runs()I", Argument::Int(1))]),
            "java.lang.Runnable cannot be implemented: it has no method runs()I that can be overridden",
        ),
        (
            implement("java/lang/Runnable", vec![returns("getClass()Ljava/lang/Class;", Argument::Null)]),
            "java.lang.Runnable cannot be implemented: it has no method getClass()Ljava/lang/Class; that can be overridden",
        ),
        (
            implement(
                "java/util/Comparator",
                vec![returns(&format!("compare({OBJECT}{OBJECT})I"), Argument::Parameter(0))],
            ),
            "java.util.Comparator cannot be implemented: compare(Ljava/lang/Object;Ljava/lang/Object;)I: \
             Ljava/lang/Object; is no I",
        ),
        (
            implement(
                "java/util/Comparator",
                vec![returns(&format!("compare({OBJECT}{OBJECT})I"), Argument::Parameter(2))],
            ),
            "java.util.Comparator cannot be implemented: compare(Ljava/lang/Object;Ljava/lang/Object;)I has no parameter 2",
        ),
        (
            call(
                Operation::Implement { class: "java/lang/Runnable".into(), descriptor: "(I)V".into(), methods: vec![] },
                vec![Argument::Int(1)],
            ),
            "java.lang.Runnable cannot be implemented: it is an interface and has no constructor (I)V",
        ),
    ];
    for jdk in jdks() {
        let folder = compile(&jdk, &LISTENERS);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for (call, expected) in &refused {
            let test = TestCase { prefix: vec![call.clone()], ..TestCase::default() };
            match worker.ask(&once(&test, 0)) {
                Answer::Refused(reason) => assert_eq!(reason, *expected, "JDK {}", jdk.version),
                other => panic!("{expected}: {other:?}"),
            }
        }
        let clear = invoke("java/util/Vector", "clear()V", value(0), vec![]);
        let gives_nothing =
            implement("java/util/concurrent/Callable", vec![returns(&format!("call(){OBJECT}"), value(1))]);
        let test = TestCase { prefix: vec![new("java/util/Vector"), clear, gives_nothing], ..TestCase::default() };
        let Answer::Refused(reason) = worker.ask(&once(&test, 0)) else { panic!("not refused") };
        assert_eq!(reason, "java.util.concurrent.Callable cannot be implemented: call 1 gives no value");
        // Arguments of the wrong type would be a crash, or worse, garbage.
        let test = TestCase {
            prefix: vec![construct("java/lang/Long", "(J)V", vec![Argument::Int(1)])],
            ..TestCase::default()
        };
        assert!(matches!(worker.ask(&once(&test, 0)), Answer::Refused(_)));
    }
}

#[test]
fn exceptions_of_behaviours_come_back() {
    let throws = does("run()V", Behaviour::Throw { class: "java/lang/IllegalStateException".into(), message: None });
    let test = TestCase {
        prefix: vec![implement("java/lang/Runnable", vec![throws])],
        suffixes: vec![vec![invoke("java/lang/Runnable", "run()V", value(0), vec![])]],
        probes: vec![],
    };
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let shown = worker.run(&once(&test, 0)).shown;
        let CallResult::Threw(thrown) = &shown.suffixes[0][0] else { panic!("{:?}", shown.suffixes) };
        assert_eq!((&*thrown.class, &thrown.message), ("java.lang.IllegalStateException", &None));
        assert!(thrown.frames[0].contains("raddle.Runnable$raddle$"), "{:?}", thrown.frames);
    }
}

//! What calls give: values whole, the same for the same results under every schedule.

use crate::calls::{call, compile, invoke, invoke_static, new, once, run_seeds, show, text, value, written};
use crate::jdks;
use crate::worker::Worker;
use host::{CallResult, Value};
use std::collections::HashSet;
use testcase::{Argument, Call, Operation, TestCase};

const KINDS: &str = r#"
import java.util.*;
import java.util.concurrent.*;

public class Kinds {
    enum Color { RED, GREEN { int code() { return 2; } }; int code() { return 1; } }

    static class Base {
        private int hidden = 7;
        // None of these may ever run.
        public String toString() { throw new IllegalStateException(); }
        public int hashCode() { throw new IllegalStateException(); }
        public boolean equals(Object other) { throw new IllegalStateException(); }
    }

    static class Pair extends Base {
        Object first, second;
        transient volatile long id = 5;
        static int ignored = 1;
        Pair(Object first, Object second) { this.first = first; this.second = second; }
    }

    static class Stack<T> extends ArrayList<T> {
        int limit = 3;
        public Iterator<T> iterator() { throw new IllegalStateException(); }
        public T get(int index) { throw new IllegalStateException(); }
        public int size() { throw new IllegalStateException(); }
    }

    static class Node { Node next; int number; }

    public static byte aByte() { return -1; }
    public static char aChar() { return 'x'; }
    public static double nan() { return 0.0 / 0.0; }
    public static Object boxed() { return 5L; }
    public static Object color() { return Color.GREEN; }
    public static Object aClass() { return Map.Entry.class; }
    public static Object nothing() { return null; }
    public static Object ints() { return new int[] {1, 2}; }
    public static Object nested() { return new Object[] {"a", new long[][] {{1}, null}}; }
    public static Object pair() { return new Pair("a", new Pair(1, null)); }
    public static Object cycle() { Pair a = new Pair(null, "x"); a.first = new Pair(a, a); return a; }
    public static Object shared() { Object o = new Object(); return new Object[] {o, new Object(), o}; }
    public static Object stack() { Stack<String> s = new Stack<>(); s.add("a"); return s; }
    public static Object buffer() { return new StringBuilder("abc").append('\u20ac').deleteCharAt(0); }
    public static Object thread() { return Thread.currentThread(); }
    public static Object lambda() { Object captured = "c"; return (Callable<Object>) () -> captured; }
    public static Object failure() { return new IllegalStateException("m", null); }

    public static Object chain(int length) {
        Node first = null;
        for (int i = 0; i < length; i++) { Node node = new Node(); node.next = first; node.number = i; first = node; }
        return first;
    }
    public static Object list(int length) {
        List<Integer> list = new LinkedList<>();
        for (int i = 0; i < length; i++) list.add(i);
        return list;
    }
    public static Object array(int length) { return new byte[length]; }
}
"#;

#[test]
fn values_are_shown_whole() {
    let expected = [
        ("aByte()B", "-1"),
        ("aChar()C", "'x'"),
        ("nan()D", "NaN"),
        ("boxed()Ljava/lang/Object;", "5"),
        ("color()Ljava/lang/Object;", "Kinds$Color.GREEN"),
        ("aClass()Ljava/lang/Object;", "java.util.Map$Entry.class"),
        ("nothing()Ljava/lang/Object;", "null"),
        ("ints()Ljava/lang/Object;", "[I#0[1, 2]"),
        ("nested()Ljava/lang/Object;", "[Ljava.lang.Object;#1[\"a\", [[J#2[[J#3[1], null]]"),
        (
            "pair()Ljava/lang/Object;",
            "Kinds$Pair#4{hidden=7, first=\"a\", second=Kinds$Pair#5{hidden=7, first=1, second=null, id=5}, id=5}",
        ),
        (
            "cycle()Ljava/lang/Object;",
            "Kinds$Pair#6{hidden=7, first=Kinds$Pair#7{hidden=7, first=#6, second=#6, id=5}, second=\"x\", id=5}",
        ),
        ("shared()Ljava/lang/Object;", "[Ljava.lang.Object;#8[java.lang.Object#9{}, java.lang.Object#10{}, #9]"),
        ("stack()Ljava/lang/Object;", "Kinds$Stack#11{limit=3}[\"a\"]"),
        ("buffer()Ljava/lang/Object;", "java.lang.StringBuilder#12\"bc€\""),
        ("thread()Ljava/lang/Object;", "java.lang.Thread#13"),
        ("lambda()Ljava/lang/Object;", "Kinds$$Lambda#14{arg$1=\"c\"}"),
        ("failure()Ljava/lang/Object;", "java.lang.IllegalStateException#15{detailMessage=\"m\", cause=null}"),
    ];
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Kinds.java", KINDS)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let calls = expected.iter().map(|(method, _)| invoke_static("Kinds", method, vec![])).collect();
        let shown = show(&mut worker, vec![], calls);
        assert_eq!(shown, expected.map(|(_, shown)| shown), "JDK {}", jdk.version);
    }
}

/// Made by static initialisers, where nothing is an event: a hundred thousand nodes are too many events.
const LARGE: &str = r#"
public class Large {
    static final Object CHAIN = Kinds.chain(100_000), LIST = Kinds.list(100_000), ARRAY = Kinds.array(100_000);
    public static Object chain() { return CHAIN; }
    public static Object list() { return LIST; }
    public static Object array() { return ARRAY; }
}
"#;

#[test]
fn large_values_are_cut_and_say_so() {
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Kinds.java", KINDS), ("Large.java", LARGE)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for name in ["chain", "list", "array"] {
            let small = invoke_static("Kinds", &format!("{name}(I)Ljava/lang/Object;"), vec![Argument::Int(5)]);
            let large = invoke_static("Large", &format!("{name}()Ljava/lang/Object;"), vec![]);
            let test = TestCase { prefix: vec![], suffixes: vec![vec![small, large]], probes: vec![] };
            let shown = worker.run(&once(&test, 0)).shown;
            let [CallResult::Returned(small), CallResult::Returned(large)] = &shown.suffixes[0][..] else {
                panic!("{name}: {:?}", shown.suffixes)
            };
            assert!(small.is_whole() && !large.is_whole(), "JDK {} {name}: {small} {large}", jdk.version);
            let large = large.to_string();
            assert!(large.contains("...") && large.len() < 20_000, "{name}: {} {large}", large.len());
        }
    }
}

const COLLECTIONS: &str = r#"
import java.util.*;
import java.util.concurrent.*;

public class Collected {
    static <T extends Collection<Object>> T fill(T c, Object... items) {
        for (Object item : items) c.add(item);
        return c;
    }
    static <T extends Map<Object, Object>> T fill(T m, boolean forwards) {
        for (int i = 0; i < 3; i++) { int k = forwards ? i : 2 - i; m.put("k" + k, k); }
        m.put("gone", 0);
        m.remove("gone");
        return m;
    }
    public static Object of(String kind, boolean forwards) {
        Object a = forwards ? "a" : "b", b = forwards ? "b" : "a";
        switch (kind) {
            case "HashMap": return fill(new HashMap<>(forwards ? 16 : 4096), forwards);
            case "Hashtable": return fill(new Hashtable<>(), forwards);
            case "WeakHashMap": return fill(new WeakHashMap<>(), forwards);
            case "IdentityHashMap": return fill(new IdentityHashMap<>(), forwards).size();
            case "TreeMap": return fill(new TreeMap<>(), forwards);
            case "ConcurrentHashMap": return fill(new ConcurrentHashMap<>(), forwards);
            case "ConcurrentSkipListMap": return fill(new ConcurrentSkipListMap<>(), forwards);
            case "HashSet": return fill(new HashSet<>(), a, b);
            case "TreeSet": return fill(new TreeSet<>(), a, b);
            case "PriorityQueue": return fill(new PriorityQueue<>(), a, b);
            case "Set.of": return forwards ? Set.of("a", "b", "c") : Set.of("c", "b", "a");
            case "Map.of": return forwards ? Map.of("a", 1, "b", 2) : Map.of("b", 2, "a", 1);
            case "keys": {
                // Keys that only identity tells apart: their hash codes follow from who touched them first.
                Object one = new Object(), two = new Object();
                if (forwards) { one.hashCode(); two.hashCode(); } else { two.hashCode(); one.hashCode(); }
                Map<Object, Object> map = new HashMap<>();
                map.put(one, "one");
                map.put(two, "two");
                return map;
            }
            default: return null;
        }
    }
    public static Object ordered(String kind) {
        switch (kind) {
            case "ArrayList": return fill(new ArrayList<>(), "b", null, "a");
            case "Vector": return fill(new Vector<>(), "b", "a");
            case "LinkedList": return fill(new LinkedList<>(), "b", null, "a");
            case "ArrayDeque": {
                ArrayDeque<Object> d = fill(new ArrayDeque<>(3), "b", "a");
                d.addFirst("c"); d.addFirst("d"); d.pollLast();
                return d;
            }
            case "LinkedHashMap": {
                Map<Object, Object> map = new LinkedHashMap<>();
                map.put("b", 1); map.put("a", null);
                return map;
            }
            case "LinkedHashSet": return fill(new LinkedHashSet<>(), "b", "a");
            case "CopyOnWriteArrayList": return fill(new CopyOnWriteArrayList<>(), "b", "a");
            case "CopyOnWriteArraySet": return fill(new CopyOnWriteArraySet<>(), "b", "a");
            case "ConcurrentLinkedQueue": {
                ConcurrentLinkedQueue<Object> q = fill(new ConcurrentLinkedQueue<>(), "x", "b", "a");
                q.poll();
                return q;
            }
            case "ConcurrentLinkedDeque": return fill(new ConcurrentLinkedDeque<>(), "b", "a");
            case "LinkedBlockingQueue": {
                LinkedBlockingQueue<Object> q = fill(new LinkedBlockingQueue<>(), "x", "b", "a");
                q.poll();
                return q.toArray().length + ":" + q.peek();
            }
            case "ArrayBlockingQueue": return fill(new ArrayBlockingQueue<>(4), "b", "a").size();
            case "iterator": {
                List<Object> list = fill(new ArrayList<>(), "b", "a");
                list.add("x"); list.remove("x");
                return list.iterator();
            }
            case "entry": return fill(new HashMap<>(), true).entrySet().iterator().next();
            case "List.of": return List.of("b", "a", "c");
            case "List.of1": return List.of("b");
            case "asList": return Arrays.asList("b", "a");
            default: return null;
        }
    }
}
"#;

#[test]
fn collections_of_the_jdk_are_shown_by_what_they_hold() {
    let unordered = [
        ("HashMap", "java.util.HashMap#0[\"k0\": 0, \"k1\": 1, \"k2\": 2]"),
        ("Hashtable", "java.util.Hashtable#0[\"k0\": 0, \"k1\": 1, \"k2\": 2]"),
        ("WeakHashMap", "java.util.WeakHashMap#0[\"k0\": 0, \"k1\": 1, \"k2\": 2]"),
        ("IdentityHashMap", "3"),
        ("HashSet", "java.util.HashSet#0[\"a\", \"b\"]"),
        ("TreeSet", "java.util.TreeSet#0[\"a\", \"b\"]"),
        ("PriorityQueue", "java.util.PriorityQueue#0[\"a\", \"b\"]"),
        ("Set.of", "java.util.ImmutableCollections$SetN#0[\"a\", \"b\", \"c\"]"),
        ("Map.of", "java.util.ImmutableCollections$MapN#0[\"a\": 1, \"b\": 2]"),
        ("keys", "java.util.HashMap#0[java.lang.Object#1{}: \"one\", java.lang.Object#2{}: \"two\"]"),
    ];
    let maps = ["TreeMap", "ConcurrentHashMap", "ConcurrentSkipListMap"];
    let ordered = [
        ("ArrayList", "java.util.ArrayList#0[\"b\", null, \"a\"]"),
        ("Vector", "java.util.Vector#0[\"b\", \"a\"]"),
        ("LinkedList", "java.util.LinkedList#0[\"b\", null, \"a\"]"),
        ("ArrayDeque", "java.util.ArrayDeque#0[\"d\", \"c\", \"b\"]"),
        ("LinkedHashMap", "java.util.LinkedHashMap#0[\"b\": 1, \"a\": null]"),
        ("LinkedHashSet", "java.util.LinkedHashSet#0[\"b\", \"a\"]"),
        ("CopyOnWriteArrayList", "java.util.concurrent.CopyOnWriteArrayList#0[\"b\", \"a\"]"),
        ("CopyOnWriteArraySet", "java.util.concurrent.CopyOnWriteArraySet#0[\"b\", \"a\"]"),
        ("ConcurrentLinkedQueue", "java.util.concurrent.ConcurrentLinkedQueue#0[\"b\", \"a\"]"),
        ("ConcurrentLinkedDeque", "java.util.concurrent.ConcurrentLinkedDeque#0[\"b\", \"a\"]"),
        ("LinkedBlockingQueue", "\"2:b\""),
        ("ArrayBlockingQueue", "2"),
        ("iterator", "java.util.ArrayList$Itr#0{cursor=0, lastRet=-1, this$0=java.util.ArrayList#1[\"b\", \"a\"]}"),
        ("entry", "java.util.HashMap$Node#0[\"k0\": 0]"),
        ("List.of", "java.util.ImmutableCollections$ListN#0[\"b\", \"a\", \"c\"]"),
        ("List.of1", "java.util.ImmutableCollections$List12#0[\"b\"]"),
        ("asList", "java.util.Arrays$ArrayList#0[\"b\", \"a\"]"),
    ];
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Collected.java", COLLECTIONS)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut of = |kind: &str, forwards: bool| {
            let arguments = vec![text(kind), Argument::Boolean(forwards)];
            let call = invoke_static("Collected", "of(Ljava/lang/String;Z)Ljava/lang/Object;", arguments);
            show(&mut worker, vec![], vec![call]).remove(0)
        };
        for (kind, shown) in unordered {
            assert_eq!((of(kind, true), of(kind, false)), (shown.into(), shown.into()), "JDK {} {kind}", jdk.version);
        }
        for kind in maps {
            let (forwards, backwards) = (of(kind, true), of(kind, false));
            assert_eq!(forwards, backwards, "JDK {} {kind}", jdk.version);
            assert!(forwards.ends_with(&format!("{kind}#0[\"k0\": 0, \"k1\": 1, \"k2\": 2]")), "{forwards}");
        }
        for (kind, shown) in ordered {
            let call = invoke_static("Collected", "ordered(Ljava/lang/String;)Ljava/lang/Object;", vec![text(kind)]);
            assert_eq!(show(&mut worker, vec![], vec![call]), [shown], "JDK {} {kind}", jdk.version);
        }
    }
}

const SUBJECT: &str = r#"
import java.util.*;

public class Subject {
    static class Box { int content; }

    private final Box shared = new Box();
    private final Vector<Object> vector = new Vector<>(List.of("a"));
    private int unrelated;

    public Object shared() { return shared; }
    public Object fresh() { unrelated++; return new Box(); }
    public void change() { shared.content++; }
    public Subject self() { unrelated++; return this; }
    public Object vector() { return vector; }
    public void hold() { synchronized (vector) { unrelated = 1; unrelated = 2; unrelated = 3; } }
    public Object probe() { return this; }
}
"#;

fn subject(method: &str) -> Call {
    invoke("Subject", method, value(0), vec![])
}

#[test]
fn identity_is_the_same_in_all_results_and_under_all_schedules() {
    let object = "Ljava/lang/Object;";
    let both = vec![subject(&format!("fresh(){object}")), subject(&format!("shared(){object}"))];
    let test =
        TestCase { prefix: vec![new("Subject")], suffixes: vec![both.clone(), both.clone()], probes: both.clone() };
    let fresh = |number: u32| format!("Subject$Box#{number}{{content=0}}");
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Subject.java", SUBJECT)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let reports = run_seeds(&mut worker, &test, 30);
        for report in &reports {
            let shown = &report.shown;
            let all: Vec<_> =
                shown.prefix.iter().chain(shown.suffixes.iter().flatten()).chain(&shown.probes).map(written).collect();
            let expected = ["Subject#0".to_owned(), fresh(1), fresh(2), fresh(3), fresh(2), fresh(4), fresh(2)];
            assert_eq!(all, expected, "JDK {} seed {}", jdk.version, shown.seed);
        }
        let traces: HashSet<_> = reports.iter().map(|report| report.shown.hash).collect();
        assert!(traces.len() > 5, "{} traces", traces.len());
    }
}

#[test]
fn a_value_is_read_when_the_call_returns_and_subjects_only_afterwards() {
    let object = "Ljava/lang/Object;";
    let returns = vec![subject(&format!("shared(){object}")), subject("self()LSubject;")];
    let probes = vec![subject(&format!("probe(){object}"))];
    let test = TestCase { prefix: vec![new("Subject")], suffixes: vec![returns, vec![subject("change()V")]], probes };
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Subject.java", SUBJECT)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut seen = HashSet::new();
        for report in run_seeds(&mut worker, &test, 30) {
            let shown = report.shown;
            seen.insert(written(&shown.suffixes[0][0]));
            assert_eq!(written(&shown.suffixes[0][1]), "Subject#0", "others may be changing it");
            let probed = written(&shown.probes[0]);
            let whole = "Subject#0{shared=Subject$Box#1{content=1}, vector=java.util.Vector#2[\"a\"], unrelated=1}";
            assert_eq!(probed, whole, "JDK {}", jdk.version);
        }
        let both = ["Subject$Box#1{content=0}", "Subject$Box#1{content=1}"];
        assert_eq!(seen, both.map(str::to_owned).into(), "JDK {}", jdk.version);
    }
}

#[test]
fn reading_waits_for_no_lock_and_is_no_event() {
    let suffixes = vec![vec![subject("hold()V")], vec![subject("vector()Ljava/lang/Object;")]];
    let test = TestCase { prefix: vec![new("Subject")], suffixes, probes: vec![] };
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Subject.java", SUBJECT)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for report in run_seeds(&mut worker, &test, 50) {
            let shown = report.shown;
            assert_eq!(written(&shown.suffixes[1][0]), "java.util.Vector#1[\"a\"]");
            let own = shown.events.iter().filter(|event| event.starts_with("2 ")).collect::<Vec<_>>();
            // It begins, reads the field, and ends.
            assert_eq!(own.len(), 3, "{own:#?}");
        }
    }
}

#[test]
fn arrays_of_primitives_can_be_passed() {
    let array = |element: &str, elements: Vec<Argument>| call(Operation::Array { element: element.into() }, elements);
    let prefix = vec![
        array("int", vec![Argument::Int(3), Argument::Int(-1)]),
        array("boolean", vec![Argument::Boolean(true)]),
        array("double", vec![Argument::Double(0.5), Argument::Double(f64::NAN)]),
    ];
    let to_string = |descriptor: &str, number: usize| {
        invoke_static("java/util/Arrays", &format!("toString({descriptor})Ljava/lang/String;"), vec![value(number)])
    };
    let suffix = vec![to_string("[I", 0), to_string("[Z", 1), to_string("[D", 2)];
    for jdk in jdks() {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let shown = show(&mut worker, prefix.clone(), suffix.clone());
        assert_eq!(shown, ["\"[3, -1]\"", "\"[true]\"", "\"[0.5, NaN]\""]);
    }
}

#[test]
fn the_same_text_is_the_same_object_wherever_it_is_written_down() {
    const TEXTS: &str = r#"
public class Texts {
    public static boolean isOwn(Object text) { return text == "here"; }
    public static boolean areOne(Object one, Object other) { return one == other; }
}
"#;
    let is_own = |written: &str| invoke_static("Texts", "isOwn(Ljava/lang/Object;)Z", vec![text(written)]);
    let are_one = "areOne(Ljava/lang/Object;Ljava/lang/Object;)Z";
    let are_one = |one: &str, other: &str| invoke_static("Texts", are_one, vec![text(one), text(other)]);
    let suffix = vec![is_own("here"), is_own("there"), are_one("there", "there"), are_one("here", "there")];
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Texts.java", TEXTS)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        assert_eq!(show(&mut worker, vec![], suffix.clone()), ["true", "false", "true", "false"]);
    }
}

#[test]
fn not_a_number_is_equal_to_itself() {
    assert_eq!(Value::Double(host::Double(f64::NAN)), Value::Double(host::Double(-f64::NAN)));
    assert_ne!(Value::Double(host::Double(0.0)), Value::Double(host::Double(-0.0)));
}

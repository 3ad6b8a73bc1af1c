//! The test cases, and the classes that they are about.

use crate::calls::*;
use testcase::{Argument, Behaviour, TestCase};

const OBJECT: &str = "Ljava/lang/Object;";
const STRING: &str = "Ljava/lang/String;";

pub const SOURCES: [(&str, &str); 10] = [
    (
        "acme/Kinds.java",
        r#"package acme;
        import java.util.*;
        public class Kinds {
            public static class Base { public int hidden = 1; public Object any; }
            public static class Derived extends Base { public int hidden = 2; }
            public class Inner { public Inner(int n) { } public Object outer() { return Kinds.this; } }
            public static class Names extends ArrayList<String> { }
            public static byte aByte; public static short aShort; public static Object[] objects;
            public long count;
            public static Object all(boolean z, byte b, char c, short s, int i, long j, float f, double d, String t) {
                return t;
            }
            public static String one(Object o) { return "o"; }
            public static String one(String s) { return "s"; }
            public static String one(Integer s) { return "i"; }
            public static String one(long j) { return "j"; }
            public static String many(String s, Object... more) { return "many"; }
            public static String many(String s, Object more) { return "two"; }
            public static <T> T of(Class<T> type, T value) { return value; }
            public static Derived derived() { return new Derived(); }
            static Hidden hidden() { return new Hidden(); }
            public static Hidden shown() { return new Hidden(); }
        }
        class Hidden extends ArrayList<Object> { int secret; Hidden() { } void poke(Hidden other) { secret++; } }"#,
    ),
    (
        "acme/Copied.java",
        "package acme; public interface Copied extends Cloneable { int size(); Object clone(); String toString(); }",
    ),
    (
        "bank/Account.java",
        r#"package bank;
        class Account {
            int balance;
            private final Object lock = new Object();
            Account(int balance) { this.balance = balance; }
            private static final acme.Meeting BOTH = new acme.Meeting();
            void transfer(Account to, int amount) {
                synchronized (lock) {
                    BOTH.meet();
                    synchronized (to.lock) { balance -= amount; to.balance += amount; }
                }
            }
            static class Thread { Thread() { } }
        }
        class String { String() { } int length() { return 0; } }"#,
    ),
    (
        "bank/Seal.java",
        r#"package bank;
        enum Seal {
            ONLY;
            private int used;
            synchronized int use() {
                if (used == 2) throw new IllegalStateException("worn out");
                return ++used;
            }
        }"#,
    ),
    (
        "bank/Stamp.java",
        r#"package bank;
        class Stamp {
            private static int made;
            Stamp() { press(); }
            static synchronized int press() {
                if (made == 2) throw new IllegalStateException("worn out");
                return ++made;
            }
        }"#,
    ),
    ("bank/AccountTest.java", "package bank; class AccountTest { }"),
    (
        "acme/Order.java",
        r#"package acme;
        import java.util.*;
        public interface Order extends Comparator<CharSequence> {
            void failing() throws java.io.IOException;
            default int twice(CharSequence of) { return 2 * compare(of, of); }
        }"#,
    ),
    ("acme/Visitor.java", "package acme; public interface Visitor { Visitor visit(Visitor of, long times); }"),
    (
        "acme/Task.java",
        r#"package acme;
        public abstract class Task implements Runnable {
            protected Object task = "a field that would hide a variable";
            protected Task(int number) { }
            protected abstract long work(Task other, int[] numbers);
            public static void failing() throws Exception { throw new Exception("from task"); }
        }"#,
    ),
    (
        "Ticket.java",
        r#"public class Ticket {
            private int next;
            public int take() { int taken = next; next = taken + 1; return taken; }
            public int next() { return next; }
            public synchronized void waitForever() throws InterruptedException { while (next == 0) wait(); }
            public void runForever() { while (next == 0) Thread.onSpinWait(); }
        }"#,
    ),
];

pub fn test(prefix: Vec<testcase::Call>, suffixes: Vec<Vec<testcase::Call>>, probes: Vec<testcase::Call>) -> TestCase {
    let test = TestCase { prefix, suffixes, probes };
    assert_eq!(test.check(), Ok(()));
    test
}

/// Two buffers that are appended to each other.
pub fn buffers() -> TestCase {
    const BUFFER: &str = "java/lang/StringBuffer";
    let append = |to, what| {
        invoke(BUFFER, "append(Ljava/lang/StringBuffer;)Ljava/lang/StringBuffer;", value(to), vec![value(what)])
    };
    let first = construct(BUFFER, "(Ljava/lang/String;)V", vec![text("a\n")]);
    test(vec![first, new(BUFFER)], vec![vec![append(0, 1)], vec![append(1, 0)]], vec![])
}

/// A stream that is closed while it is read.
pub fn stream() -> TestCase {
    const STREAM: &str = "java/io/PushbackInputStream";
    let prefix = vec![
        array("byte", vec![Argument::Byte(1), Argument::Byte(-128)]),
        construct("java/io/ByteArrayInputStream", "([B)V", vec![value(0)]),
        construct(STREAM, "(Ljava/io/InputStream;)V", vec![value(1)]),
    ];
    let read = || invoke(STREAM, "read()I", value(2), vec![]);
    test(prefix, vec![vec![invoke(STREAM, "close()V", value(2), vec![])], vec![read(), read()]], vec![])
}

/// What the threads were told is used afterwards: two numbers and a text.
pub fn handed_over() -> TestCase {
    let take = || invoke("Ticket", "take()I", value(0), vec![]);
    let list = |method: &str, arguments| invoke("java/util/ArrayList", method, value(1), arguments);
    let prefix = vec![new("Ticket"), new("java/util/ArrayList"), list(&format!("add({OBJECT})Z"), vec![text("x")])];
    let last = list(&format!("get(I){OBJECT}"), vec![Argument::Int(0)]);
    let returned = |suffix, call| Argument::Returned { suffix, call };
    let probes = vec![
        invoke_static("java/lang/Math", "max(II)I", vec![returned(0, 0), returned(1, 0)]),
        invoke("java/lang/Object", &format!("toString(){STRING}"), returned(1, 1), vec![]),
        list(&format!("add({OBJECT})Z"), vec![returned(1, 1)]),
    ];
    test(prefix, vec![vec![take()], vec![take(), last]], probes)
}

/// Nothing is wrong with it.
pub fn vector() -> TestCase {
    let add = |what| invoke("java/util/Vector", &format!("add({OBJECT})Z"), value(0), vec![text(what)]);
    let size = invoke("java/util/Vector", "size()I", value(0), vec![]);
    test(vec![new("java/util/Vector")], vec![vec![add("a")], vec![add("b")]], vec![size])
}

/// Each operation and argument.
pub fn kinds() -> TestCase {
    const KINDS: &str = "acme/Kinds";
    const DERIVED: &str = "acme/Kinds$Derived";
    let numbers = vec![
        Argument::Boolean(true),
        Argument::Byte(-5),
        Argument::Char(0x27),
        Argument::Short(7),
        Argument::Int(i32::MIN),
        Argument::Long(-3),
        Argument::Float(f32::NAN),
        Argument::Double(1e-7),
        text("\u{e4} \"quoted\" \u{202e}\\u0041"),
    ];
    let prefix = vec![
        new(KINDS),
        invoke_static(KINDS, &format!("all(ZBCSIJFD{STRING}){OBJECT}"), numbers),
        // 2: the receiver of a method and of a field of a narrower type than it has.
        invoke_static(KINDS, "derived()Lacme/Kinds$Derived;", vec![]),
        put("acme/Kinds$Base", &format!("any:{OBJECT}"), Some(value(2)), value(1)),
        get("acme/Kinds$Base", &format!("any:{OBJECT}"), Some(value(2))),
        invoke("java/lang/String", "length()I", value(4), vec![]),
        put("acme/Kinds$Base", "hidden:I", Some(value(2)), value(5)),
        put(DERIVED, "hidden:I", Some(value(2)), Argument::Int(-1)),
        put(KINDS, "aByte:B", None, Argument::Byte(-5)),
        put(KINDS, "aShort:S", None, Argument::Short(5)),
        get(KINDS, "aByte:B", None),
        // 11: arrays.
        array("java/lang/Object", vec![value(2), Argument::Null, text("x")]),
        put(KINDS, &format!("objects:[{OBJECT}"), None, value(11)),
        array("int", vec![Argument::Int(1), value(5)]),
        array("[I", vec![value(13)]),
        array("byte", vec![value(10), Argument::Byte(3)]),
        invoke("[I", &format!("clone(){OBJECT}"), value(13), vec![]),
        // 17: an inner class.
        construct("acme/Kinds$Inner", "(Lacme/Kinds;I)V", vec![value(0), Argument::Int(3)]),
        invoke("acme/Kinds$Inner", &format!("outer(){OBJECT}"), value(17), vec![]),
        construct("acme/Kinds$Inner", "(Lacme/Kinds;I)V", vec![value(18), Argument::Int(i32::MAX)]),
        // 20: literals of classes.
        array(
            "java/lang/Class",
            ["java/util/Map$Entry", "[I", "[Lacme/Kinds;"].map(|c| Argument::Class(c.into())).into(),
        ),
        invoke("java/lang/Class", &format!("getName(){STRING}"), Argument::Class("acme/Kinds".into()), vec![]),
        // 22: a local with a type that can be named.
        invoke_static(KINDS, "shown()Lacme/Hidden;", vec![]),
        invoke("java/util/ArrayList", &format!("add({OBJECT})Z"), value(22), vec![Argument::Null]),
        // 24: of two classes with one name.
        construct("java/awt/List", "()V", vec![]),
        array("java/util/List", vec![value(22)]),
        array("java/awt/List", vec![value(24)]),
    ];
    let suffixes = vec![
        vec![
            put(KINDS, "count:J", Some(value(0)), Argument::Long(i64::MAX)),
            get(KINDS, "count:J", Some(value(0))),
            invoke_static("java/lang/Math", "abs(J)J", vec![value(28)]),
        ],
        vec![
            invoke("java/lang/Object", &format!("toString(){STRING}"), Argument::Null, vec![]),
            get(KINDS, &format!("objects:[{OBJECT}"), None),
        ],
    ];
    test(prefix, suffixes, vec![invoke("java/lang/Object", "hashCode()I", value(14), vec![])])
}

/// Calls that would be others without casts, and some that need none.
pub fn overloads() -> TestCase {
    const KINDS: &str = "acme/Kinds";
    let one = |of: &str, argument| invoke_static(KINDS, &format!("one({of}){STRING}"), vec![argument]);
    let many = |of: &str, argument| {
        invoke_static(KINDS, &format!("many({STRING}{of}){STRING}"), vec![Argument::Null, argument])
    };
    let list = |method: &str, arguments| invoke("java/util/List", method, value(0), arguments);
    let prefix = vec![
        new("java/util/ArrayList"),
        list(&format!("add({OBJECT})Z"), vec![text("x")]),
        list(&format!("get(I){OBJECT}"), vec![Argument::Int(0)]),
        invoke_static("java/lang/Integer", "valueOf(I)Ljava/lang/Integer;", vec![Argument::Int(1)]),
        one(OBJECT, Argument::Null),
        one(STRING, Argument::Null),
        one(OBJECT, value(3)),
        one("Ljava/lang/Integer;", value(3)),
        one(STRING, value(2)),
        one("J", Argument::Long(1)),
        list(&format!("remove({OBJECT})Z"), vec![value(3)]),
        list(&format!("remove(I){OBJECT}"), vec![Argument::Int(0)]),
        array("java/lang/Object", vec![]),
        many("[Ljava/lang/Object;", value(12)),
        many("[Ljava/lang/Object;", Argument::Null),
        many(OBJECT, value(12)),
        invoke_static("java/lang/String", &format!("valueOf([C){STRING}"), vec![Argument::Null]),
        invoke_static(
            KINDS,
            &format!("of(Ljava/lang/Class;{OBJECT}){OBJECT}"),
            vec![Argument::Class("java/lang/String".into()), value(2)],
        ),
        // 18: a list of strings, to which something else is added.
        new("acme/Kinds$Names"),
        invoke("java/util/ArrayList", &format!("add({OBJECT})Z"), value(18), vec![value(3)]),
        invoke("java/util/ArrayList", &format!("add({OBJECT})Z"), value(18), vec![text("name")]),
        // 21: a method that only a bridge leads to.
        invoke("java/lang/Integer", &format!("compareTo({OBJECT})I"), value(3), vec![value(2)]),
        invoke("java/lang/Integer", &format!("compareTo({OBJECT})I"), value(3), vec![value(3)]),
        new("java/lang/StringBuilder"),
        invoke("java/lang/AbstractStringBuilder", "length()I", value(23), vec![]),
        invoke("java/lang/StringBuilder", "append(C)Ljava/lang/Appendable;", value(23), vec![Argument::Char(120)]),
    ];
    test(prefix, vec![vec![list("size()I", vec![])], vec![list("clear()V", vec![])]], vec![])
}

/// Each behaviour.
pub fn implemented() -> TestCase {
    let compare = format!("compare({OBJECT}{OBJECT})I");
    let next = format!("next(){OBJECT}");
    let call = format!("call(){OBJECT}");
    let in_turn = |turns: Vec<Behaviour>| Behaviour::InTurn(turns);
    let give = Behaviour::Return;
    let parameter = Argument::Parameter;
    let run = |does_what| implement("java/lang/Runnable", vec![does("run()V", does_what)]);
    let add = |argument| {
        let arguments = vec![argument];
        back(invoke("java/util/List", &format!("add({OBJECT})Z"), value(0), arguments))
    };
    let mut task = implement("acme/Task", vec![does("work(Lacme/Task;[I)J", give(Argument::Long(5)))]);
    task.arguments.push(Argument::Int(1));
    if let testcase::Operation::Implement { descriptor, .. } = &mut task.operation {
        *descriptor = "(I)V".into();
    }
    let to_string = invoke("java/lang/Object", &format!("toString(){STRING}"), parameter(0), vec![]);
    let prefix = vec![
        new("java/util/ArrayList"),
        implement("java/util/Comparator", vec![returns(&compare, Argument::Int(-1))]),
        implement(
            "java/util/Comparator",
            vec![does(
                &compare,
                back(invoke("java/lang/String", &format!("compareTo({STRING})I"), parameter(1), vec![parameter(0)])),
            )],
        ),
        implement(
            "java/util/Iterator",
            vec![
                does(
                    "hasNext()Z",
                    in_turn(vec![
                        give(Argument::Boolean(true)),
                        in_turn(vec![Behaviour::Nothing, throws("java/io/IOException", Some("over"))]),
                    ]),
                ),
                does(&next, in_turn(vec![give(Argument::Int(7)), give(value(0)), Behaviour::Nothing])),
            ],
        ),
        implement("java/util/concurrent/Callable", vec![does(&call, throws("java/io/IOException", None))]),
        run(throws("java/io/IOException", Some("undeclared"))),
        run(Behaviour::Nothing),
        run(add(Argument::Int(-3))),
        run(back(invoke_static("acme/Task", "failing()V", vec![]))),
        run(back(get("acme/Kinds", &format!("objects:[{OBJECT}"), None))),
        // 10: types that say what a parameter above them stands for.
        implement("acme/Order", vec![returns(&compare, Argument::Int(2))]),
        // 11: an abstract class.
        task,
        implement("java/util/TimerTask", vec![]),
        implement("java/util/function/Function", vec![does(&format!("apply({OBJECT}){OBJECT}"), back(to_string))]),
        implement("java/util/concurrent/Callable", vec![returns(&call, Argument::Int(4))]),
        implement("acme/Visitor", vec![returns("visit(Lacme/Visitor;J)Lacme/Visitor;", parameter(0))]),
    ];
    let sort = |by| invoke("java/util/List", "sort(Ljava/util/Comparator;)V", value(0), vec![value(by)]);
    let suffixes = vec![
        vec![
            sort(1),
            sort(2),
            invoke("java/util/concurrent/Callable", &call, value(14), vec![]),
            implement("java/lang/Runnable", vec![]),
            invoke(
                "acme/Visitor",
                "visit(Lacme/Visitor;J)Lacme/Visitor;",
                value(15),
                vec![value(15), Argument::Long(0)],
            ),
        ],
        vec![
            invoke("java/util/Iterator", "hasNext()Z", value(3), vec![]),
            sort(10),
            invoke("java/lang/Runnable", "run()V", value(11), vec![]),
            invoke("java/lang/Runnable", "run()V", value(5), vec![]),
        ],
    ];
    test(prefix, suffixes, vec![])
}

/// Of classes that only their package sees, one of which has a name of `java.lang`.
pub fn accounts() -> TestCase {
    const ACCOUNT: &str = "bank/Account";
    let transfer =
        |from, to| invoke(ACCOUNT, "transfer(Lbank/Account;I)V", value(from), vec![value(to), Argument::Int(1)]);
    let open = || construct(ACCOUNT, "(I)V", vec![Argument::Int(10)]);
    let prefix =
        vec![open(), open(), new("bank/String"), new("bank/Account$Thread"), array("bank/String", vec![value(2)])];
    let balance = get(ACCOUNT, "balance:I", Some(value(0)));
    test(prefix, vec![vec![transfer(0, 1)], vec![transfer(1, 0)]], vec![balance])
}

/// What can be used twice, and is one for all, is used twice.
pub fn seal() -> TestCase {
    let only = get("bank/Seal", "ONLY:Lbank/Seal;", None);
    let name = invoke("bank/Seal", &format!("name(){STRING}"), value(0), vec![]);
    let used = || vec![invoke("bank/Seal", "use()I", value(0), vec![])];
    test(vec![only], vec![used(), used()], vec![name])
}

/// A constructor and a static method that can be called twice, both together.
pub fn stamp() -> TestCase {
    let press = invoke_static("bank/Stamp", "press()I", vec![]);
    test(vec![], vec![vec![new("bank/Stamp")], vec![press]], vec![])
}

/// Two take the same ticket.
pub fn tickets() -> TestCase {
    let take = || vec![invoke("Ticket", "take()I", value(0), vec![])];
    test(vec![new("Ticket")], vec![take(), take()], vec![invoke("Ticket", "next()I", value(0), vec![])])
}

/// Two are taken where nothing is, while one and one are put: some orders wait, and nothing is wrong.
pub fn queue() -> TestCase {
    const QUEUE: &str = "java/util/concurrent/LinkedBlockingQueue";
    let take = || invoke(QUEUE, &format!("take(){OBJECT}"), value(0), vec![]);
    let put = |what| invoke(QUEUE, &format!("put({OBJECT})V"), value(0), vec![text(what)]);
    let size = || invoke(QUEUE, "size()I", value(0), vec![]);
    test(vec![new(QUEUE)], vec![vec![take(), take()], vec![put("a"), size(), put("b")]], vec![size()])
}

/// Results that are others each time; one that is not; and a view of what the other thread changes.
pub fn clocks() -> TestCase {
    const VECTOR: &str = "java/util/Vector";
    let add = invoke(VECTOR, &format!("add({OBJECT})Z"), value(0), vec![text("a")]);
    let list = |from, to| {
        let range = vec![Argument::Int(from), Argument::Int(to)];
        invoke(VECTOR, "subList(II)Ljava/util/List;", value(0), range)
    };
    let clock = || invoke_static("java/lang/System", "currentTimeMillis()J", vec![]);
    let hash = |of| invoke("java/lang/Object", "hashCode()I", value(of), vec![]);
    let suffixes = vec![vec![list(0, 0), clock(), new("java/lang/Object"), hash(3)], vec![add, clock()]];
    test(vec![new(VECTOR)], suffixes, vec![list(0, 1)])
}

/// A method of a ticket, beside one that goes well.
pub fn ticket(method: &str) -> TestCase {
    let call = |method| vec![invoke("Ticket", method, value(0), vec![])];
    test(vec![new("Ticket")], vec![call(method), call("next()I")], vec![])
}

//! Classes that fail under one order of their steps, and that bring about this order themselves when their methods
//! overlap. So the first round of a program shows what is wrong, whatever the machine does; and no round of a
//! program whose threads do not overlap shows it.

use crate::calls::*;
use crate::cases::test;
use testcase::TestCase;

pub const SOURCES: [(&str, &str); 5] = [
    (
        // Serial orders must pass, so nobody waits for a thread that waits for its turn.
        "acme/Meeting.java",
        r#"package acme;
        import java.util.concurrent.atomic.AtomicInteger;
        public class Meeting implements java.util.function.Consumer<Object> {
            private final AtomicInteger present = new AtomicInteger();
            private final Signal inside = new Signal();

            /** Waits until two threads are here. */
            public void meet() {
                present.incrementAndGet();
                while (present.get() < 2 && !isAlone(Thread.currentThread())) Thread.yield();
            }

            /** Called by what is to be interrupted: waits until all other threads of the test have ended. */
            public void accept(Object any) {
                inside.give();
                while (!isAlone(Thread.currentThread())) Thread.yield();
            }

            /** Waits until there is something to interrupt. */
            public void awaitInside() { inside.await(Thread.currentThread()); }

            public static class Signal {
                private volatile boolean given;
                public void give() { given = true; }
                /** Waits for the signal, as part of a call of that thread. */
                public void await(Thread caller) { while (!given && !isAlone(caller)) Thread.yield(); }
            }

            /** Whether no other thread of the test is in a call, or will be before this call ends. */
            private static boolean isAlone(Thread caller) {
                for (var other : Thread.getAllStackTraces().entrySet()) {
                    if (other.getKey() == caller || !other.getKey().getName().startsWith("test thread ")) continue;
                    if (!waitsForItsTurn(other.getValue())) return false;
                }
                return true;
            }

            private static boolean waitsForItsTurn(StackTraceElement[] stack) {
                for (StackTraceElement frame : stack) {
                    if (frame.getClassName().endsWith("$TestTurn")) return frame.getMethodName().equals("await");
                }
                return false;
            }
        }"#,
    ),
    (
        // Its text is that of a buffer; whoever asks for the length meets another who does.
        "acme/Mirror.java",
        r#"package acme;
        public class Mirror implements CharSequence {
            private final StringBuffer of;
            private final Meeting meeting;
            public Mirror(StringBuffer of, Meeting meeting) { this.of = of; this.meeting = meeting; }
            public int length() { meeting.meet(); return of.length(); }
            public char charAt(int index) { return of.charAt(index); }
            public CharSequence subSequence(int start, int end) { return of.subSequence(start, end); }
        }"#,
    ),
    (
        "Dispenser.java",
        r#"public class Dispenser {
            private final acme.Meeting both = new acme.Meeting();
            private volatile int next;
            public int take() { int taken = next; both.meet(); next = taken + 1; return taken; }
            public int next() { return next; }
        }"#,
    ),
    (
        // Its other thread looks, and the clerk leaves before it looks again.
        "Booth.java",
        r#"import acme.Meeting.Signal;
        public class Booth {
            private final Signal looked = new Signal(), left = new Signal();
            private volatile Object clerk = this;
            public void open() throws InterruptedException {
                Thread caller = Thread.currentThread();
                Thread opener = new Thread(() -> {
                    if (clerk != null) { looked.give(); left.await(caller); clerk.hashCode(); }
                });
                opener.start();
                opener.join();
            }
            public void close() { looked.await(Thread.currentThread()); clerk = null; left.give(); }
        }"#,
    ),
    (
        // What is sold last is looked at before it is paid.
        "Till.java",
        r#"import acme.Meeting.Signal;
        public class Till {
            public static final class Sale {
                private final int price, paid;
                Sale(int price, int paid) { this.price = price; this.paid = paid; }
            }
            private final Signal priced = new Signal(), seen = new Signal();
            private volatile int price, paid;
            public void sell() { price = 1; priced.give(); seen.await(Thread.currentThread()); paid = 1; }
            public Sale last() {
                priced.await(Thread.currentThread());
                Sale last = new Sale(price, paid);
                seen.give();
                return last;
            }
        }"#,
    ),
];

const MEETING: &str = "acme/Meeting";

/// Two buffers, each of which is appended to the other while its own lock is held.
pub fn buffers() -> TestCase {
    const BUFFER: &str = "java/lang/StringBuffer";
    const MIRROR: &str = "acme/Mirror";
    let mirror = |of| construct(MIRROR, "(Ljava/lang/StringBuffer;Lacme/Meeting;)V", vec![value(of), value(2)]);
    let append = |to, what| {
        invoke(BUFFER, "append(Ljava/lang/CharSequence;)Ljava/lang/StringBuffer;", value(to), vec![value(what)])
    };
    let prefix = vec![new(BUFFER), new(BUFFER), new(MEETING), mirror(0), mirror(1)];
    test(prefix, vec![vec![append(0, 4)], vec![append(1, 3)]], vec![])
}

/// A list that is cleared while somebody goes through it.
pub fn list() -> TestCase {
    const LIST: &str = "java/util/ArrayList";
    let add = invoke(LIST, "add(Ljava/lang/Object;)Z", value(0), vec![text("a")]);
    let each = invoke(LIST, "forEach(Ljava/util/function/Consumer;)V", value(0), vec![value(1)]);
    let inside = invoke(MEETING, "awaitInside()V", value(1), vec![]);
    let clear = invoke(LIST, "clear()V", value(0), vec![]);
    test(vec![new(LIST), new(MEETING), add], vec![vec![each], vec![inside, clear]], vec![])
}

/// Two are given the same number.
pub fn dispenser() -> TestCase {
    let take = || vec![invoke("Dispenser", "take()I", value(0), vec![])];
    test(vec![new("Dispenser")], vec![take(), take()], vec![invoke("Dispenser", "next()I", value(0), vec![])])
}

/// A thread that one call starts fails where the other comes between.
pub fn booth() -> TestCase {
    let call = |method| vec![invoke("Booth", method, value(0), vec![])];
    test(vec![new("Booth")], vec![call("open()V"), call("close()V")], vec![])
}

/// What is read of an object in the middle of a change is given out in another one.
pub fn till() -> TestCase {
    let call = |method| vec![invoke("Till", method, value(0), vec![])];
    test(vec![new("Till")], vec![call("sell()V"), call("last()LTill$Sale;")], vec![])
}

//! Static state that takes long to make is put back without making it again.

use crate::calls::{compile, invoke_static, show};
use crate::jdks;
use crate::worker::Worker;

/// Its initialiser takes milliseconds, and counts how often it ran where nothing is put back. `change` tells of everything, and
/// changes everything: `CALENDAR` by code of an opaque package, `HASHED` by nothing but being asked.
const TABLES: &str = r#"
import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Calendar;
import java.util.HashMap;
import java.util.Map;
import java.util.TimeZone;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

public class Tables {
    /** Fields of interfaces are not put back between executions. */
    interface Left {
        java.util.Map<String, String> BEHIND = new java.util.HashMap<>();
    }

    enum Light { RED, GREEN; int passed; }

    static class Node { Node next; final int[] numbers = {1, 2, 3}; }

    static final Map<String, int[]> TABLE = new HashMap<>();
    static final ConcurrentHashMap<Integer, StringBuilder> TEXTS = new ConcurrentHashMap<>();
    static final ArrayDeque<String> QUEUE = new ArrayDeque<>();
    static final WeakHashMap<Object, String> WEAK = new WeakHashMap<>();
    static final Calendar CALENDAR = Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    static final AtomicInteger ATOMIC = new AtomicInteger(7);
    static final SoftReference<int[]> SOFT = new SoftReference<>(new int[] {4});
    static final Exception EXCEPTION = new Exception("made once");
    static final ClassLoader LOADER = Tables.class.getClassLoader();
    static final Object[] SLOTS = new Object[3];
    static final Object HASHED = new Object();
    static final Object[] OF_THE_MACHINE = ofTheMachine();
    static final ThreadLocal<String> LOCAL = ThreadLocal.withInitial(() -> "local");
    static final Thread NEVER_STARTED = new Thread("waiting");
    static Node head = new Node();
    static double wide = 1.5;
    static String text;

    static {
        Left.BEHIND.put("tables.made", "" + (Integer.parseInt(Left.BEHIND.getOrDefault("tables.made", "0")) + 1));
        int number = 1;
        for (int i = 0; i < 3_000_000; i++) {
            number = number * 1664525 + 1013904223;
        }
        for (int i = 0; i < 50; i++) {
            TABLE.put("" + i, new int[] {i, number});
        }
        TEXTS.put(1, new StringBuilder("one"));
        QUEUE.add("first");
        WEAK.put(HASHED, "weak");
        CALENDAR.setTimeInMillis(1_000_000);
        SLOTS[0] = TABLE;
        head.next = new Node();
    }

    private static Object[] ofTheMachine() {
        try {
            java.lang.reflect.Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
            unsafe.setAccessible(true);
            java.lang.reflect.Type generic = Tables.class.getDeclaredField("TABLE").getGenericType();
            Thread current = Thread.currentThread();
            return new Object[] {
                System.in, System.out, System.err, current, current.getThreadGroup(), new RuntimePermission("none"),
                StackWalker.getInstance(), System.getLogger("Tables"), unsafe.get(null), generic,
                Map.class.getTypeParameters()
            };
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static String change() {
        String told = TABLE.size() + " " + TABLE.get("3")[0] + " " + TEXTS + QUEUE + WEAK.values() + CALENDAR.getTimeInMillis() + " "
            + CALENDAR.get(Calendar.DAY_OF_MONTH) + " " + ATOMIC + (SLOTS[0] == TABLE) + SLOTS[1] + " " + head.next.numbers[1]
            + (head.next.next == null) + " " + wide + text + Light.GREEN.passed + " " + SOFT.get()[0] + EXCEPTION.getSuppressed().length + " " + System.identityHashCode(HASHED) + " "
            + LOCAL.get() + " " + NEVER_STARTED.getName() + NEVER_STARTED.getPriority() + NEVER_STARTED.isDaemon();
        TABLE.put("3", new int[] {5});
        TABLE.get("4")[0]++;
        TABLE.remove("5");
        TEXTS.get(1).append("more");
        TEXTS.put(2, new StringBuilder());
        QUEUE.poll();
        QUEUE.add("second");
        WEAK.clear();
        CALENDAR.add(Calendar.DAY_OF_MONTH, 3);
        ATOMIC.incrementAndGet();
        Arrays.fill(SLOTS, told);
        head.next.numbers[1] = 9;
        head.next.next = head;
        head = null;
        wide = Double.NaN;
        text = told;
        Light.GREEN.passed++;
        SOFT.get()[0]++;
        EXCEPTION.addSuppressed(new RuntimeException());
        LOCAL.set("other");
        NEVER_STARTED.setName("renamed");
        NEVER_STARTED.setPriority(3);
        NEVER_STARTED.setDaemon(true);
        start();
        return told;
    }

    private static void start() {}

    public static int made() { return Integer.parseInt(Left.BEHIND.get("tables.made")); }
}
"#;

/// With it there is something that cannot be written back.
const WITH_ADDRESS: &str =
    "    static final Object ADDRESS = java.nio.ByteBuffer.allocateDirect(8);\n    static String text;\n";

fn told_and_made(source: &str) -> Vec<(String, String, u32)> {
    let mut all = Vec::new();
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Tables.java", source)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut first = None;
        for round in 0..30 {
            let change = invoke_static("Tables", "change()Ljava/lang/String;", vec![]);
            let told = show(&mut worker, vec![], vec![change]).remove(0);
            assert_eq!(first.get_or_insert(told.clone()), &told, "JDK {} round {round}", jdk.version);
        }
        let made = show(&mut worker, vec![], vec![invoke_static("Tables", "made()I", vec![])]).remove(0);
        println!("JDK {}: made {made} times: {first:?}", jdk.version);
        all.push((jdk.version.to_string(), first.unwrap(), made.parse().unwrap()));
    }
    all
}

#[test]
fn what_takes_long_to_make_is_put_back_as_it_was() {
    for (version, told, made) in told_and_made(TABLES) {
        assert!(
            told.contains("50 3 {1=one}[first][weak]1000000 1 7truenull 2true 1.5null0 40 "),
            "JDK {version}: {told}"
        );
        assert!(told.contains(" local waiting5false"), "JDK {version}: {told}");
        assert!(made < 10, "JDK {version}: made {made} times");
    }
}

#[test]
fn what_cannot_be_written_back_is_made_again() {
    for (version, _, made) in told_and_made(&TABLES.replace("    static String text;\n", WITH_ADDRESS)) {
        assert!(made >= 30, "JDK {version}: made {made} times");
    }
}

#[test]
fn a_thread_that_was_started_is_made_again() {
    let starts = TABLES.replace("void start() {}", "void start() { NEVER_STARTED.start(); }");
    for (version, told, made) in told_and_made(&starts) {
        assert!(told.contains(" local waiting5false"), "JDK {version}: {told}");
        assert!(made >= 30, "JDK {version}: made {made} times");
    }
}

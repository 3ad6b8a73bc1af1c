//! How executions end: exceptions with all that belongs to them, and deadlocks with who waits for what.

use crate::calls::{compile, construct, invoke, new, once, run_seeds, show, value, written};
use crate::jdks;
use crate::worker::Worker;
use host::{CallResult, Thrown};
use raddle::worker::protocol::{Plan, Shown};
use testcase::{Argument, Call, TestCase};

const FAILING: &str = r#"
import java.util.concurrent.Callable;

public class Failing {
    static class Own extends RuntimeException {
        Own(String message, Throwable cause) { super(message, cause); }
        public String getMessage() { throw new AssertionError("code under test"); }
        public StackTraceElement[] getStackTrace() { throw new AssertionError("code under test"); }
    }
    public void chain() throws Exception {
        Exception bottom = new IllegalArgumentException("bottom");
        RuntimeException middle = new Own("middle", bottom);
        middle.addSuppressed(new IllegalStateException("beside"));
        throw new Exception(null, middle);
    }
    public void circle() {
        RuntimeException one = new RuntimeException("one"), two = new RuntimeException("two", one);
        one.initCause(two);
        throw one;
    }
    public void wrongMonitor() throws Exception { wait(); }
    public void reflected() throws Exception { getClass().getMethod("circle").invoke(this); }
    public Object lambda() throws Exception {
        Callable<Object> task = () -> { throw new Exception("inside"); };
        return task.call();
    }
    public void deep(int n) { if (n == 0) throw new RuntimeException("deep"); deep(n - 1); }
    public void deep() { deep(200); }
    public Object nothing() { Object nothing = null; return nothing.toString(); }
    public class Inside {
        public Inside() {}
        public Inside(Failing other) {}
    }
    public static class Beside {
        public Beside(Failing other) {}
    }
}
"#;

fn thrown(worker: &mut Worker, call: Call) -> Thrown {
    let test = TestCase { prefix: vec![new("Failing")], suffixes: vec![vec![call]], probes: vec![] };
    match worker.run(&once(&test, 0)).shown.suffixes[0].remove(0) {
        CallResult::Threw(thrown) => thrown,
        other => panic!("{other:?}"),
    }
}

#[test]
fn exceptions_come_with_causes_and_frames_and_without_our_own() {
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Failing.java", FAILING)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut of = |method: &str| thrown(&mut worker, invoke("Failing", method, value(0), vec![]));

        let chain = of("chain()V");
        assert_eq!((&*chain.class, &chain.message), ("java.lang.Exception", &None));
        let middle = chain.cause.unwrap();
        assert_eq!((&*middle.class, middle.message.as_deref()), ("Failing$Own", Some("middle")));
        assert_eq!(middle.suppressed[0].message.as_deref(), Some("beside"));
        assert!(middle.frames[0].ends_with("Failing.chain(Failing.java:12)"), "{:?}", middle.frames);
        assert_eq!(middle.cause.unwrap().message.as_deref(), Some("bottom"));

        let circle = of("circle()V");
        assert!(circle.cause.unwrap().cause.is_none(), "it would be the first again");

        let wrong = of("wrongMonitor()V");
        assert_eq!(wrong.class, "java.lang.IllegalMonitorStateException");
        assert!(wrong.frames[0].contains("java.lang.Object.wait"), "{:?}", wrong.frames);
        let inside = |thrown: &Thrown| {
            let has = |part: &str| thrown.frames.iter().any(|frame| frame.contains(part));
            has("Raddle") || has("raddle$") || has("jdk.internal.reflect") || has("0x")
        };
        assert!(!inside(&wrong), "{:?}", wrong.frames);

        let reflected = of("reflected()V");
        assert_eq!(reflected.class, "java.lang.reflect.InvocationTargetException");
        assert_eq!(reflected.cause.as_ref().unwrap().message.as_deref(), Some("one"), "its own kind of cause");
        assert!(!inside(&reflected) && !inside(reflected.cause.as_ref().unwrap()), "{reflected:?}");

        let lambda = of("lambda()Ljava/lang/Object;");
        assert!(lambda.frames[0].contains("Failing.lambda$lambda$"), "{:?}", lambda.frames);
        assert!(!inside(&lambda), "{:?}", lambda.frames);

        let deep = of("deep()V");
        assert_eq!((deep.frames.len(), deep.frames.last().map(String::as_str)), (65, Some("... 138 more")));
        let nothing = of("nothing()Ljava/lang/Object;").message.unwrap();
        assert!(nothing.contains("\"nothing\" is null"), "the JDK's own messages are asked for: {nothing}");
    }
}

#[test]
fn what_java_does_not_do_with_null_is_not_done() {
    const NULL: &str = "java.lang.NullPointerException";
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Failing.java", FAILING)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let mut made = |class: &str, descriptor: &str, arguments: Vec<Argument>| {
            let results = show(&mut worker, vec![new("Failing")], vec![construct(class, descriptor, arguments)]);
            !results[0].starts_with(NULL)
        };
        assert!(!made("Failing$Inside", "(LFailing;)V", vec![Argument::Null]));
        assert!(!made("Failing$Inside", "(LFailing;LFailing;)V", vec![Argument::Null, value(0)]));
        assert!(made("Failing$Inside", "(LFailing;LFailing;)V", vec![value(0), Argument::Null]));
        assert!(made("Failing$Beside", "(LFailing;)V", vec![Argument::Null]));
        let called = thrown(&mut worker, invoke("Failing", "chain()V", Argument::Null, vec![]));
        assert_eq!(called.class, NULL);
    }
}

const LOCKING: &str = r#"
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

public class Locking {
    static class Left { }
    static class Right { }
    private final Object left = new Left(), right = new Right();
    private final ReentrantLock a = new ReentrantLock(), b = new ReentrantLock();
    private final ReentrantLock c = new ReentrantLock(true), d = new ReentrantLock(true);
    private final CountDownLatch latch = new CountDownLatch(1);

    public void leftRight() { synchronized (left) { synchronized (right) { } } }
    public void rightLeft() { synchronized (right) { synchronized (left) { } } }
    public void ab() { a.lock(); try { b.lock(); b.unlock(); } finally { a.unlock(); } }
    public void ba() { b.lock(); try { a.lock(); a.unlock(); } finally { b.unlock(); } }
    public void cd() { c.lock(); try { d.lock(); d.unlock(); } finally { c.unlock(); } }
    public void dc() { d.lock(); try { c.lock(); c.unlock(); } finally { d.unlock(); } }
    public void await() throws Exception { latch.await(); }
    public void waits() throws Exception { synchronized (left) { left.wait(); } }
    public void wraps() { try { leftRight(); } catch (Throwable thrown) { throw new IllegalStateException(thrown); } }
    public boolean hides() { try { rightLeft(); return true; } catch (Throwable thrown) { return false; } }
    public void starts() throws Exception { Thread thread = new Thread(this::wraps); thread.start(); thread.join(); }
}
"#;

/// The first deadlock of two methods.
fn deadlock(worker: &mut Worker, one: &str, two: &str) -> Shown {
    let suffix = |method: &str| vec![invoke("Locking", method, value(0), vec![])];
    let test = TestCase { prefix: vec![new("Locking")], suffixes: vec![suffix(one), suffix(two)], probes: vec![] };
    let mut job = once(&test, 0);
    job.plan = Plan::Random { seed: 0, executions: 500, exhaust: false };
    let shown = worker.run(&job).shown;
    assert!(shown.stop.as_ref().is_some_and(|stop| stop.starts_with("deadlock: ")), "{shown:#?}");
    shown
}

#[test]
fn a_deadlock_says_who_waits_for_what_and_who_has_it() {
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Locking.java", LOCKING)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);

        let monitors = deadlock(&mut worker, "leftRight()V", "rightLeft()V");
        let stop = monitors.stop.as_deref().unwrap();
        let number = |class: &str| {
            let at = stop.find(&format!("{class}#")).unwrap() + class.len();
            stop[at..].split([' ', ';']).next().unwrap().to_owned()
        };
        let (left, right) = (number("Locking$Left"), number("Locking$Right"));
        let expected = format!(
            "deadlock: thread 0 waits for the end of thread 1; \
             thread 1 waits to lock Locking$Right{right} held by thread 2 and holds Locking$Left{left}; \
             thread 2 waits to lock Locking$Left{left} held by thread 1 and holds Locking$Right{right}"
        );
        assert_eq!(stop, expected, "JDK {}", jdk.version);
        assert_eq!(monitors.suffixes, [[CallResult::CutOff], [CallResult::CutOff]]);

        let locks = deadlock(&mut worker, "ab()V", "ba()V").stop.unwrap();
        let lock = "java.util.concurrent.locks.ReentrantLock#";
        assert!(locks.contains(&format!("thread 1 waits to lock {lock}")), "{locks}");
        assert_eq!(locks.matches(" held by thread ").count(), 2, "{locks}");
        assert_eq!(locks.matches(&format!(" and holds {lock}")).count(), 2, "{locks}");

        let fair = deadlock(&mut worker, "cd()V", "dc()V").stop.unwrap();
        assert!(fair.contains(&format!("thread 1 is parked for {lock}")), "{fair}");
        assert_eq!(fair.matches(" held by thread ").count(), 2, "{fair}");

        let latch = deadlock(&mut worker, "await()V", "leftRight()V").stop.unwrap();
        let latched = "thread 1 is parked for java.util.concurrent.CountDownLatch#";
        assert!(latch.contains(latched) && !latch.contains("held by"), "{latch}");

        let waiting = deadlock(&mut worker, "waits()V", "leftRight()V").stop.unwrap();
        assert!(waiting.contains("thread 1 waits to be notified on Locking$Left#"), "{waiting}");
    }
}

#[test]
fn what_threads_make_of_being_sent_home_is_not_what_they_do() {
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Locking.java", LOCKING)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for (one, two) in [("wraps()V", "hides()Z"), ("starts()V", "rightLeft()V")] {
            let shown = deadlock(&mut worker, one, two);
            assert_eq!(shown.suffixes, [[CallResult::CutOff], [CallResult::CutOff]], "{one} beside {two}");
            assert_eq!(shown.uncaught, [], "{one} beside {two}");
        }
    }
}

#[test]
fn a_deadlock_leaves_nothing_behind_for_the_next_execution() {
    let suffix = |method: &str| vec![invoke("Locking", method, value(0), vec![])];
    let suffixes = vec![suffix("leftRight()V"), suffix("rightLeft()V")];
    let test = TestCase { prefix: vec![new("Locking")], suffixes, probes: vec![] };
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Locking.java", LOCKING)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let first: Vec<_> = run_seeds(&mut worker, &test, 20).into_iter().map(|report| report.shown).collect();
        let again: Vec<_> = run_seeds(&mut worker, &test, 20).into_iter().map(|report| report.shown).collect();
        assert_eq!(first, again);
        assert!(first.iter().any(|shown| shown.stop.is_some()) && first.iter().any(|shown| shown.stop.is_none()));
    }
}

/// A constructor that makes a great many accesses: more than an execution may have events.
const LONG_WAY: &str = r#"
public class LongWay {
    private final int[] numbers = new int[10];
    private int last;

    public LongWay() {
        for (int i = 0; i < 500_000; i++) {
            numbers[i % 10] = last;
            last = i;
        }
    }

    public int sum() {
        return numbers[3] + last;
    }
}
"#;

#[test]
fn what_happens_before_there_are_other_threads_is_no_event() {
    for jdk in jdks() {
        let folder = compile(&jdk, &[("LongWay.java", LONG_WAY)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        let sum = invoke("LongWay", "sum()I", value(0), vec![]);
        let test =
            TestCase { prefix: vec![new("LongWay")], suffixes: vec![vec![sum.clone()], vec![sum]], probes: vec![] };
        let shown = worker.run(&once(&test, 0)).shown;
        assert_eq!(shown.stop, None, "JDK {}", jdk.version);
        let sums: Vec<_> = shown.suffixes.iter().flatten().map(written).collect();
        assert_eq!(sums, ["999991", "999991"], "JDK {}", jdk.version);
    }
}

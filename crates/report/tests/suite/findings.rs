//! Findings of small programs, as an exploration would tell them.

use report::{Ending, Fact, Finding, FindingKind, Frame, JavaTest, Object, Proof, Step, StepKind};

/// A call stack, innermost first: `Account.deposit:13 AccountTest.run:5`.
pub fn stack(frames: &str) -> Vec<Frame> {
    let frame = |text: &str| {
        let (name, line) = text.rsplit_once(':').expect("a line");
        let (class, method) = name.rsplit_once('.').expect("a method");
        let outer = class.rsplit('.').next().and_then(|class| class.split('$').next()).expect("a class");
        Frame::new(class, method, &format!("{outer}.java"), line.parse().expect("a number"))
    };
    frames.split_whitespace().map(frame).collect()
}

pub fn step(thread: u16, kind: StepKind, frames: &str) -> Step {
    Step { frames: stack(frames), ..Step::new(thread, kind) }
}

/// A step on a field of an object; `Account#1 balance 5`.
pub fn access(thread: u16, kind: StepKind, what: &str, frames: &str) -> Step {
    let mut words = what.splitn(3, ' ');
    let (class, number) = words.next().and_then(|object| object.split_once('#')).expect("an object");
    let object = Some(Object::new(class, number.parse().expect("a number")));
    let what = words.next().map(|field| if field.starts_with('[') { field.into() } else { format!("{class}.{field}") });
    Step { object, what, value: words.next().map(str::to_owned), ..step(thread, kind, frames) }
}

pub fn preempting(step: Step) -> Step {
    Step { preempts: true, ..step }
}

/// The schedule that steps followed.
pub fn schedule(steps: &[Step]) -> Vec<(u16, u32)> {
    steps.chunk_by(|a, b| a.thread == b.thread).map(|turn| (turn[0].thread, turn.len() as u32)).collect()
}

fn finding(kind: FindingKind, target: &str, what: &str, threads: &[&str], steps: Vec<Step>) -> Finding {
    Finding {
        java: "17.0.15".into(),
        raddle: "0.1.0".into(),
        class_path: vec!["classes".into()],
        seed: 1,
        executions_to_find: 4,
        threads: threads.iter().map(|name| name.to_string()).collect(),
        schedule: schedule(&steps),
        preemptions: steps.iter().filter(|step| step.preempts).count() as u64,
        hash: "00c0ffee00c0ffee".into(),
        test: serde_json::json!({ "class": "com.acme.AccountTest", "method": "transfer" }),
        limits: serde_json::json!({ "events": 10000 }),
        steps,
        ..Finding::new(kind, target, what)
    }
}

/// Two threads change a balance; what one writes is lost.
pub fn lost_update() -> Finding {
    use StepKind::{Begin, End, Read, Write};
    let balance = |thread, kind, value: i32, line: u32| {
        let method = if thread == 1 { "deposit" } else { "withdraw" };
        let outer = if thread == 1 { "lambda$transfer$0:21" } else { "lambda$transfer$1:22" };
        let frames = format!("com.acme.Account.{method}:{line} com.acme.AccountTest.{outer} java.lang.Thread.run:840");
        access(thread, kind, &format!("com.acme.Account#1 balance {value}"), &frames)
    };
    let steps = vec![
        step(1, Begin, ""),
        balance(1, Read, 100, 13),
        preempting(step(2, Begin, "")),
        balance(2, Read, 100, 18),
        balance(2, Write, 50, 19),
        step(2, End, ""),
        balance(1, Write, 150, 14),
        step(1, End, ""),
    ];
    let what = "java.lang.AssertionError: expected 100 but was 150";
    Finding {
        cause: vec![Fact { first: 1, second: 4 }, Fact { first: 4, second: 6 }],
        proof: Proof::Smallest,
        ..finding(
            FindingKind::Exception,
            "com.acme.AccountTest#transfer",
            what,
            &["main", "deposit", "withdraw"],
            steps,
        )
    }
}

/// Two string buffers, each appended to the other.
pub fn deadlock() -> Finding {
    let lock = |thread, object: &str, frames: &str| access(thread, StepKind::Lock, object, frames);
    let steps = vec![
        lock(1, "com.acme.Account#1", "com.acme.Account.transfer:30 com.acme.Bank.one:8"),
        preempting(lock(2, "com.acme.Account#2", "com.acme.Account.transfer:30 com.acme.Bank.two:12")),
    ];
    let waits =
        |object: u16, holder: u16| Ending::Waits(format!("waits to lock Account#{object}, held by thread {holder}"));
    Finding {
        cause: vec![Fact { first: 0, second: 3 }, Fact { first: 1, second: 2 }],
        pending: vec![
            lock(1, "com.acme.Account#2", "com.acme.Account.transfer:31 com.acme.Bank.one:8"),
            lock(2, "com.acme.Account#1", "com.acme.Account.transfer:31 com.acme.Bank.two:12"),
        ],
        endings: [(1, waits(2, 2)), (2, waits(1, 1))].into(),
        proof: Proof::FewestPreemptions,
        ..finding(FindingKind::Deadlock, "com.acme.Bank", "a cycle of 2 monitors", &["", "one()", "two()"], steps)
    }
}

/// The notification comes before the wait.
pub fn lost_notification() -> Finding {
    use StepKind::{End, Lock, Notify, Read, Unlock, Wait, Write};
    let on = |thread, kind, what: &str, line: u32| {
        let method = if thread == 1 { "put" } else { "take" };
        access(thread, kind, &format!("Box#1{what}"), &format!("Box.{method}:{line}"))
    };
    let steps = vec![
        on(2, Read, " full false", 12),
        preempting(on(1, Lock, "", 4)),
        on(1, Write, " full true", 5),
        on(1, Notify, "", 6),
        on(1, Unlock, "", 7),
        step(1, End, ""),
        on(2, Lock, "", 13),
        on(2, Wait, "", 14),
    ];
    Finding {
        cause: vec![Fact { first: 3, second: 7 }],
        pending: vec![on(2, StepKind::Wake, "", 14)],
        endings: [(1, Ending::Ended), (2, Ending::Waits("waits to be notified on Box#1, and nobody is left".into()))]
            .into(),
        ..finding(FindingKind::Deadlock, "Box", "a lost notification", &["", "put", "take"], steps)
    }
}

/// A main that starts a thread and reads too early; a list is filled on the way, and a sleep is over by time.
pub fn started() -> Finding {
    use StepKind::{Begin, End, Lock, Read, Sleep, Start, Unlock, VolatileRead, VolatileWrite, Write};
    let target = |step: Step| Step { what: Some("thread 1".into()), ..step };
    let list = |thread, kind, what: &str, inner: &str| {
        let frames = format!("{inner} java.util.ArrayList.add:476 Main.run:20 java.lang.Thread.run:840");
        access(thread, kind, &format!("java.util.ArrayList#2 {what}"), &frames)
    };
    let steps = vec![
        target(step(0, Start, "java.lang.Thread.start:793 Main.main:9")),
        step(0, Sleep, "java.lang.Thread.sleep:345 Main.main:10"),
        step(1, Begin, ""),
        access(1, Lock, "Main#1", "Main.run:19 java.lang.Thread.run:840"),
        list(1, Read, "modCount 0", ""),
        list(1, Write, "modCount 1", ""),
        list(1, Read, "elementData Object[]#3", "java.util.ArrayList.add:453"),
        list(1, Read, "size 0", "java.util.ArrayList.add:454"),
        list(1, Write, "size 1", "java.util.ArrayList.add:457"),
        Step { time_passed: true, ..preempting(access(0, VolatileRead, "Main#1 done false", "Main.main:11")) },
        step(0, End, ""),
        access(1, Unlock, "Main#1", "Main.run:21 java.lang.Thread.run:840"),
        access(1, VolatileWrite, "Main#1 done true", "Main.run:22 java.lang.Thread.run:840"),
        step(1, End, ""),
    ];
    Finding {
        cause: vec![Fact { first: 9, second: 12 }],
        endings: [(0, Ending::Threw("java.lang.IllegalStateException: not done".into()))].into(),
        ..finding(
            FindingKind::Exception,
            "Main",
            "java.lang.IllegalStateException: not done",
            &["main", "Thread-0"],
            steps,
        )
    }
}

/// Two threads add to a list; what it is about happens within the JDK.
pub fn in_the_jdk() -> Finding {
    use StepKind::{Read, Write};
    let list = |thread, kind, what: &str, line: u32| {
        let frames = format!("java.util.ArrayList.add:{line} java.util.ArrayList.add:476 Order.note:{}", 6 + thread);
        access(thread, kind, &format!("java.util.ArrayList#1 {what}"), &frames)
    };
    let adds = |thread, size: u32| {
        let modified = size.to_string();
        vec![
            list(thread, Read, &format!("modCount {modified}"), 475),
            list(thread, Read, "elementData Object[]#2", 453),
            list(thread, Read, &format!("size {size}"), 454),
            access(
                thread,
                Write,
                "java.lang.Object[]#2 [0] Item#3",
                &format!("java.util.ArrayList.add:456 Order.note:{}", 6 + thread),
            ),
            list(thread, Write, &format!("size {}", size + 1), 457),
        ]
    };
    let (mut steps, second) = (adds(1, 0), adds(2, 0));
    let last = steps.split_off(3);
    steps.extend(second);
    steps[3].preempts = true;
    steps.extend(last);
    Finding {
        cause: vec![Fact { first: 2, second: 7 }, Fact { first: 5, second: 9 }],
        ..finding(FindingKind::Linearizability, "Order", "size() gives 1 after two calls", &["", "note", "note"], steps)
    }
}

/// A class of the JDK itself is checked: its methods are what the user asks about, and those that it calls are not.
pub fn string_buffer() -> Finding {
    use StepKind::{Begin, End, Lock, Read, Unlock, Write};
    let on = |thread, kind, what: &str, frames: &str| {
        access(thread, kind, &format!("java.lang.StringBuffer#{what}"), frames)
    };
    let append = "java.lang.StringBuffer.append";
    let steps = vec![
        step(1, Begin, ""),
        on(1, Lock, "1", &format!("{append}:300")),
        on(1, Write, "1 toStringCache null", &format!("{append}:300")),
        on(
            1,
            Read,
            "2 count 3",
            "java.lang.AbstractStringBuilder.length:88 java.lang.AbstractStringBuilder.append:570 java.lang.StringBuffer.append:301",
        ),
        preempting(step(2, Begin, "")),
        on(2, Lock, "2", "java.lang.StringBuffer.delete:470"),
        on(2, Write, "2 count 0", "java.lang.AbstractStringBuilder.delete:900 java.lang.StringBuffer.delete:472"),
        on(2, Unlock, "2", "java.lang.StringBuffer.delete:473"),
        step(2, End, ""),
        on(
            1,
            Read,
            "2 count 0",
            "java.lang.AbstractStringBuilder.getChars:480 java.lang.AbstractStringBuilder.append:573 java.lang.StringBuffer.append:301",
        ),
        step(1, End, ""),
    ];
    let threw = "java.lang.StringIndexOutOfBoundsException: begin 0, end 3, length 0";
    let texts = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
    let (one, other) = ("StringBuffer one = new StringBuffer();", "StringBuffer other = new StringBuffer(\"abc\");");
    Finding {
        java_test: Some(JavaTest {
            prefix: texts(&[one, "Object unseen = new Object();", other]),
            threads: vec![texts(&["one.append(other)"]), texts(&["other.delete(0, 3)"])],
            // No step is about what the second gives.
            objects: [(0, 1), (1, 7), (2, 2)].into(),
            ..JavaTest::default()
        }),
        cause: vec![Fact { first: 3, second: 6 }, Fact { first: 6, second: 9 }],
        endings: [(1, Ending::Threw(threw.into()))].into(),
        ..finding(
            FindingKind::Exception,
            "java.lang.StringBuffer",
            threw,
            &["", "append(StringBuffer)", "delete(int, int)"],
            steps,
        )
    }
}

/// Two locks of java.util.concurrent, taken in opposite order: what threads do last is in the JDK.
pub fn parked() -> Finding {
    use StepKind::{Park, Update, VolatileRead};
    let own = |thread: u16, line: u32| format!("Transfer.run:{} java.lang.Thread.run:840", 10 * thread as u32 + line);
    let acquire =
        "java.util.concurrent.locks.ReentrantLock$Sync.lock:153 java.util.concurrent.locks.ReentrantLock.lock:322";
    let sync = |number: u32, rest: &str| {
        format!("java.util.concurrent.locks.ReentrantLock$NonfairSync#{number} java.util.concurrent.locks.{rest}")
    };
    let takes = |thread: u16, number: u32| {
        let frames = format!("{acquire} {}", own(thread, 1));
        access(thread, Update, &sync(number, "AbstractQueuedSynchronizer.state 1"), &frames)
    };
    let looks = |thread: u16, number: u32| {
        let frames = format!("{acquire} {}", own(thread, 2));
        access(thread, VolatileRead, &sync(number, "AbstractQueuedSynchronizer.state 1"), &frames)
    };
    let parks = |thread: u16| {
        let park = "jdk.internal.misc.Unsafe.park:1 java.util.concurrent.locks.LockSupport.park:211";
        step(thread, Park, &format!("{park} {acquire} {}", own(thread, 2)))
    };
    let steps = vec![takes(1, 1), preempting(takes(2, 2)), looks(2, 1), looks(1, 2)];
    let waits =
        |number: u32, holder: u16| Ending::Waits(format!("waits for ReentrantLock#{number}, held by thread {holder}"));
    Finding {
        cause: vec![Fact { first: 0, second: 2 }, Fact { first: 1, second: 3 }],
        pending: vec![parks(1), parks(2)],
        endings: [(1, waits(2, 2)), (2, waits(1, 1))].into(),
        ..finding(FindingKind::Deadlock, "Transfer", "2 threads wait for each other", &["main", "a", "b"], steps)
    }
}

/// Calls from one method: the same from the same line goes on, from another line it is another.
pub fn calls() -> Finding {
    let on = |frames: &str| access(1, StepKind::Write, "A#1 x 1", frames);
    let steps = vec![
        on("A.set:1 A.run:5"),
        on("A.set:2 A.run:5"),
        on("A.set:1 A.run:6"),
        on("A.run:7"),
        on("A.<init>:9 A.make:8 java.util.stream.Stream.map:1 A.run:7"),
        on("A.set:1 A.run:7"),
    ];
    finding(FindingKind::Hang, "A", "", &["main", "run"], steps)
}

pub fn all() -> [Finding; 8] {
    [parked(), calls(), string_buffer(), lost_update(), deadlock(), lost_notification(), started(), in_the_jdk()]
}

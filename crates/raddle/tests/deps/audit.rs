//! The summaries held against executions: whatever a method is seen to do must be in its summary.
//!
//! Each method and constructor in the facts of some classes runs alone in a worker, on a subject that a prefix
//! has built. Each access of an object that the prefix touched, each access of a static field and each lock of
//! such an object must be in the static summary, by field and kind. What is not is named, with the reason, in `unseen.txt`; an entry
//! there that is no longer needed fails the test, too. An entry is a method with a kind and a location or a
//! star, or the start of locations wherever they are accessed.

use std::collections::BTreeSet;
use std::path::Path;

use analysis::{Analyzer, ByteStore, ClassFacts, MethodFacts};
use classpath::{ClassName, ClassPath, Jdk};
use raddle::worker::protocol::{Answer, Job, Plan};
use testcase::{Argument, Call, Operation, TestCase};

use crate::support::{fixtures, jdks};
use crate::worker::Worker;

/// How a subject is built: the class, the descriptor of its constructor, and calls that fill it.
struct Subject {
    class: &'static str,
    descriptor: &'static str,
    fill: &'static [(&'static str, &'static str)],
}

const fn subject(
    class: &'static str,
    descriptor: &'static str,
    fill: &'static [(&'static str, &'static str)],
) -> Subject {
    Subject { class, descriptor, fill }
}

const ADD: &[(&str, &str)] = &[("add", "(Ljava/lang/Object;)Z"), ("add", "(Ljava/lang/Object;)Z")];
const PUT: &[(&str, &str)] = &[("put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;")];

const SUBJECTS: [Subject; 20] = [
    subject("java/util/Vector", "()V", ADD),
    subject("java/util/Stack", "()V", ADD),
    subject("java/util/Hashtable", "()V", PUT),
    subject("java/util/HashMap", "()V", PUT),
    subject("java/util/ArrayList", "()V", ADD),
    subject("java/util/LinkedList", "()V", ADD),
    subject("java/util/ArrayDeque", "()V", ADD),
    subject("java/lang/StringBuffer", "()V", &[("append", "(I)Ljava/lang/StringBuffer;")]),
    subject("java/util/Collections$SynchronizedMap", "(Ljava/util/Map;)V", PUT),
    subject("java/util/Collections$SynchronizedList", "(Ljava/util/List;)V", ADD),
    subject("java/util/concurrent/atomic/AtomicInteger", "()V", &[]),
    subject("java/util/concurrent/LinkedBlockingQueue", "()V", ADD),
    subject("java/util/concurrent/CopyOnWriteArrayList", "()V", ADD),
    subject("java/io/ByteArrayOutputStream", "()V", &[("write", "(I)V")]),
    subject("BufferedStream", "(Ljava/io/InputStream;)V", &[]),
    subject("Table", "()V", &[]),
    subject("Motivating", "()V", &[]),
    subject("Account", "()V", &[("foo", "()V"), ("bar", "()V")]),
    subject("Locks", "()V", &[]),
    subject("Accesses", "()V", &[("list", "()V"), ("push", "(I)V")]),
];

#[test]
fn every_access_and_lock_that_is_seen_is_in_the_summary() {
    let explained: BTreeSet<&str> = include_str!("unseen.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split(" : ").next().unwrap())
        .collect();
    let mut needed = BTreeSet::new();
    let mut missing = BTreeSet::new();
    for jdk in jdks() {
        let folder = fixtures(&jdk);
        let mut tally = Tally::default();
        for subject in &SUBJECTS {
            audit(&jdk, folder.path(), subject, &mut tally);
        }
        println!("JDK {}: {} methods ran, {} events of shared state", jdk.version, tally.methods, tally.events);
        assert!(tally.methods > 400 && tally.events > 4_000, "too little ran to say anything");
        for unseen in tally.unseen {
            let location = unseen.rsplit(' ').next().unwrap();
            let explains = |entry: &&&str| match entry.strip_suffix(" *") {
                Some(method) => unseen.starts_with(method),
                None => **entry == unseen || location.starts_with(**entry),
            };
            match explained.iter().find(explains) {
                Some(known) => drop(needed.insert(*known)),
                None => drop(missing.insert(format!("JDK {}: {unseen}", jdk.feature))),
            }
        }
    }
    assert!(missing.is_empty(), "not in the summaries:\n{}", missing.into_iter().collect::<Vec<_>>().join("\n"));
    let idle: Vec<_> = explained.difference(&needed).collect();
    assert!(idle.is_empty(), "explained, but not seen any more: {idle:?}");
}

#[derive(Default)]
struct Tally {
    methods: usize,
    events: usize,
    unseen: BTreeSet<String>,
}

fn audit(jdk: &Jdk, folder: &Path, subject: &Subject, tally: &mut Tally) {
    let mut class_path = ClassPath::new(jdk.feature);
    class_path.push(folder).unwrap();
    class_path.append(ClassPath::of_jdk(jdk).unwrap());
    let bytes = ByteStore::new();
    let facts = Analyzer::new(&class_path, &bytes).analyze(&ClassName::parse(subject.class).unwrap()).unwrap();
    let mut worker = Worker::start(jdk, folder, &[]);
    for method in &facts.methods {
        let job = job(subject, method);
        let Answer::Done(report) = worker.ask(&job) else { continue };
        tally.methods += 1;
        let before: BTreeSet<u32> = report
            .shown
            .events
            .iter()
            .filter_map(|line| Event::parse(line))
            .filter(|e| e.thread == 0)
            .filter_map(|e| e.object)
            .collect();
        for event in report.shown.events.iter().filter_map(|line| Event::parse(line)) {
            let shared = event.object.is_none_or(|object| before.contains(&object));
            // Hashes and clocks are kept by the virtual machine; no summary has them.
            if event.thread != 1 || !shared || ["identity", "clock"].contains(&event.what) {
                continue;
            }
            tally.events += 1;
            if !event.is_in(&facts, method) {
                let signature = method.signature();
                tally.unseen.insert(format!("{}.{signature} {} {}", facts.class, event.kind, event.what));
            }
        }
    }
}

/// The subject comes first; what the parameters need follows, and the call is the only suffix. Before all that another thread is
/// started: what a thread does while it is the only one is not told of, and here it says which objects are there.
fn job(subject: &Subject, method: &MethodFacts) -> Job {
    let (class, descriptor): (String, String) = ("java/lang/Thread".into(), "()V".into());
    let start = Operation::Virtual {
        class: class.clone(),
        name: "start".into(),
        descriptor: descriptor.clone(),
        receiver: Argument::Value(0),
    };
    let other = Operation::Construct { class, descriptor };
    let mut prefix: Vec<Call> =
        [other, start].into_iter().map(|operation| Call { operation, arguments: vec![] }).collect();
    let arguments = arguments(subject, subject.descriptor, &mut prefix, None);
    let receiver = prefix.len();
    let construct =
        |descriptor: &str| Operation::Construct { class: subject.class.into(), descriptor: descriptor.into() };
    prefix.push(Call { operation: construct(subject.descriptor), arguments });
    for (name, descriptor) in subject.fill {
        let arguments = self::arguments(subject, descriptor, &mut prefix, Some(receiver));
        prefix.push(call(subject, name, descriptor, receiver, arguments, false));
    }
    let arguments = self::arguments(subject, &method.descriptor, &mut prefix, Some(receiver));
    let suffix = call(subject, &method.name, &method.descriptor, receiver, arguments, method.is_static);
    let test = TestCase { prefix, suffixes: vec![vec![suffix]], probes: vec![] };
    let plan = Plan::Random { seed: 1, executions: 1, exhaust: true };
    // Synchronizers are under test as well, so that all that they do is seen.
    let under_test = vec![subject.class.into(), "java/util/concurrent/locks/AbstractQueuedSynchronizer".into()];
    Job { test, under_test, plan, limits: host::Limits::default(), opened: vec![] }
}

fn call(
    subject: &Subject,
    name: &str,
    descriptor: &str,
    receiver: usize,
    arguments: Vec<Argument>,
    is_static: bool,
) -> Call {
    let (class, name, descriptor) = (subject.class.into(), name.into(), descriptor.into());
    let operation = match is_static {
        _ if name == "<init>" => Operation::Construct { class, descriptor },
        true => Operation::Static { class, name, descriptor },
        false => Operation::Virtual { class, name, descriptor, receiver: Argument::Value(receiver) },
    };
    Call { operation, arguments }
}

/// A value for each parameter: literals, or objects that the prefix builds and fills.
fn arguments(subject: &Subject, descriptor: &str, prefix: &mut Vec<Call>, receiver: Option<usize>) -> Vec<Argument> {
    let java = classfile::JavaStr::new(descriptor.as_bytes()).unwrap();
    let parsed = classfile::MethodDescriptor::new(java).unwrap();
    let mut build = |class: &str, fill: &[(&str, &str)]| {
        let number = prefix.len();
        let operation = Operation::Construct { class: class.into(), descriptor: "()V".into() };
        prefix.push(Call { operation, arguments: vec![] });
        for (name, descriptor) in fill {
            let texts = vec![Argument::String("x".into()); descriptor.matches("Ljava/lang/Object;").count().min(2)];
            let texts = if descriptor.ends_with(")Z") { texts[..1].to_vec() } else { texts };
            let operation = Operation::Virtual {
                class: class.into(),
                name: (*name).into(),
                descriptor: (*descriptor).into(),
                receiver: Argument::Value(number),
            };
            prefix.push(Call { operation, arguments: texts });
        }
        Argument::Value(number)
    };
    let argument = |parameter: classfile::TypeDescriptor<'_>| match &*parameter.text().to_str() {
        "Z" => Argument::Boolean(true),
        "B" => Argument::Byte(1),
        "C" => Argument::Char(120),
        "S" => Argument::Short(1),
        "I" => Argument::Int(0),
        "J" => Argument::Long(0),
        "F" => Argument::Float(0.5),
        "D" => Argument::Double(0.5),
        "Ljava/lang/String;" | "Ljava/lang/CharSequence;" => Argument::String("x".into()),
        "Ljava/util/Collection;" | "Ljava/util/List;" => build("java/util/ArrayList", ADD),
        "Ljava/util/Map;" => build("java/util/HashMap", PUT),
        // A second subject is what a double lock needs; keys and elements are texts while the subject is built.
        "Ljava/lang/Object;" => match receiver {
            Some(_) if subject.class == "Table" => build(subject.class, &[]),
            _ => Argument::String("x".into()),
        },
        "Ljava/lang/StringBuffer;" => build("java/lang/StringBuffer", &[]),
        _ => Argument::Null,
    };
    parsed.parameters().map(argument).collect()
}

/// An event as the worker tells it: `1 write #0 java.util.Vector.elementCount at ...`.
struct Event<'e> {
    thread: u16,
    kind: &'e str,
    object: Option<u32>,
    what: &'e str,
}

impl<'e> Event<'e> {
    /// The events that summaries speak of; None for others.
    fn parse(line: &'e str) -> Option<Event<'e>> {
        let (thread, rest) = line.split_once(' ')?;
        const KINDS: [&str; 6] = ["volatile read", "volatile write", "read", "write", "update", "lock"];
        let kind = KINDS.into_iter().find(|kind| rest.strip_prefix(kind).is_some_and(|rest| rest.starts_with(' ')))?;
        let mut words = rest[kind.len() + 1..].split(' ');
        let object = words.next()?.strip_prefix('#').map(|number| number.parse().unwrap());
        Some(Event { thread: thread.parse().ok()?, kind, object, what: words.next()? })
    }

    fn is_in(&self, facts: &ClassFacts, method: &MethodFacts) -> bool {
        if self.kind == "lock" {
            return !method.takes.is_empty();
        }
        // Elements have no name, only an index.
        let elements = self.what.bytes().all(|byte| byte.is_ascii_digit());
        method.accesses.iter().any(|access| {
            let location = &facts.locations[access.location];
            let same = match elements {
                true => location.class == "[]",
                false => {
                    self.what.strip_suffix(&location.field).is_some_and(|class| class == format!("{}.", location.class))
                }
            };
            let kind = match self.kind {
                "read" | "volatile read" => access.kind.reads(),
                "write" | "volatile write" => access.kind.writes(),
                _ => access.kind.reads() && access.kind.writes(),
            };
            same && kind
        })
    }
}

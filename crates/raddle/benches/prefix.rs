//! What building the objects of a test costs in a worker, beside the same calls in plain Java.
//!
//! `cargo bench -p raddle --bench prefix` fetches the jars of `fixtures/speed/pom.xml` with Maven. Words after `--` select
//! rows. Each row is a prefix. A worker with the options of a check runs a test of it whose threads do nothing to speak of, and
//! then the same with an empty list in its place: the difference is the prefix, and what must be put back after it. In
//! plain Java the calls run in a loop in one thread, warmed up, as the crate `emit` writes them. The three take turns, and
//! the medians count. Times are processor time: of the worker with all its threads, and of the thread that runs the loop.

#[path = "shared/again.rs"]
mod again;
#[path = "shared/estimate.rs"]
mod estimate;
#[path = "shared/fetched.rs"]
mod fetched;
#[path = "shared/plain.rs"]
mod plain;

use std::path::Path;
use std::time::Duration;

use again::Again;
use classpath::{ClassPath, Jdk};
use emit::Stress;
use estimate::estimate;
use plain::Plain;
use raddle::java_types::JavaTypes;
use raddle::supervisor::Task;
use raddle::worker::protocol::{Check, Explore, Explorer, Job, Oracle, Plan};
use testcase::{Argument, Behaviour, Call, Implementation, Operation, TestCase};

/// How often the three take turns.
const TURNS: usize = 3;
/// Processor time for which the tests of a worker warm up before the first turn.
const WARM_UP: Duration = Duration::from_secs(2);
/// Processor time of each test in a turn.
const TURN: Duration = Duration::from_millis(500);
/// Seconds for which plain Java warms up in a turn, and as many that count.
const PLAIN_SECONDS: u64 = 2;

fn main() {
    // `cargo test --benches` runs this too; then there is nothing to fetch for it.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let jdk = Jdk::installed().into_iter().next().expect("no JDK of Java 17 to 25 was found");
    let jars = fetched::jars("speed");
    let class_path = fetched::class_path(&jars);
    let mut classes = ClassPath::new(jdk.feature);
    std::env::split_paths(&class_path).for_each(|jar| classes.push(&jar).expect("a jar"));
    classes.append(ClassPath::of_jdk(&jdk).expect("the classes of the JDK"));
    let folder = tempfile::tempdir().expect("a folder");
    println!("Java {}, microseconds of processor time\n", jdk.version);
    println!("| prefix | execution | without it | prefix | plain Java | ratio |");
    println!("|---|---|---|---|---|---|");
    let mut ratios = Vec::new();
    let is_wanted = |row: &Row| words.is_empty() || words.iter().any(|word| row.name.contains(word.as_str()));
    for row in rows().into_iter().filter(is_wanted) {
        let folder = folder.path().join(ratios.len().to_string());
        let plain = plain(&row, &classes, &jdk, &class_path, &folder);
        let mut worker = Again::start(&jdk, &class_path, &folder);
        let [with, without] = [&row, &nothing()].map(|row| task(row.class, row.test()));
        let mut micros = |task: &Task, time| 1e6 / worker.rate(task, time).expect("a test that can be run").processor;
        micros(&with, WARM_UP);
        micros(&without, WARM_UP / 4);
        let (mut execution, mut rest, mut java) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TURNS {
            execution.push(micros(&with, TURN));
            rest.push(micros(&without, TURN));
            java.push(1e6 / plain.rate(PLAIN_SECONDS, true).expect("a prefix that plain Java can run").processor);
        }
        let [execution, rest, java] = [execution, rest, java].map(|times| estimate(times).middle);
        let ratio = (execution - rest) / java;
        println!("| {} | {execution:.1} | {rest:.1} | {:.1} | {java:.1} | {ratio:.2} |", row.name, execution - rest);
        ratios.push(ratio);
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!("\nGeometric mean of the ratios: {mean:.2}; the most {:.2}", ratios.iter().copied().fold(0.0, f64::max));
}

/// The prefix of a row as a loop in plain Java.
fn plain(row: &Row, classes: &ClassPath, jdk: &Jdk, class_path: &std::ffi::OsStr, folder: &Path) -> Plain {
    let request = Stress { class: row.class, what: row.name, class_path: &[] };
    let program = emit::stress(&row.test(), &request, &JavaTypes::new(classes)).expect("a test that Java can say");
    std::fs::create_dir_all(folder).expect("a folder");
    let source = folder.join(format!("{}.java", program.name));
    std::fs::write(&source, program.text).expect("the source");
    Plain::compile(jdk, class_path, &source).expect("a program that compiles")
}

/// A check of a test, as a campaign makes it.
fn task(class: &str, test: TestCase) -> Task {
    let explore = Explore {
        explorer: Explorer::Auto,
        seed: 1,
        executions: 1_000,
        events: None,
        millis: None,
        first: false,
        explain_millis: 0,
        must_end: false,
        may_lengthen: false,
        events_alone: None,
    };
    let plan = Plan::Check(Check { explore, oracle: Oracle::Safety, wanted: None, goals: vec![] });
    // As a campaign has them: to count calls in each other costs something, too.
    let limits = host::Limits { max_frames: Some(1_000), early_of_started: 1, ..host::Limits::default() };
    let job = Job { test, under_test: vec![class.to_owned()], plan, limits, opened: vec![] };
    Task { key: class.to_owned(), job, budget: None, until: None, fresh: false }
}

/// A prefix that builds something.
struct Row {
    name: &'static str,
    /// The class under test.
    class: &'static str,
    calls: Vec<Call>,
    /// The value that it is about.
    subject: usize,
}

impl Row {
    /// Two threads that ask for the class of the subject, which is no event.
    fn test(&self) -> TestCase {
        let get_class = on(self.subject, "java/lang/Object", "getClass", "()Ljava/lang/Class;", vec![]);
        TestCase {
            prefix: self.calls.clone(),
            suffixes: vec![vec![get_class.clone()], vec![get_class]],
            probes: vec![],
        }
    }
}

/// An object that costs next to nothing.
fn nothing() -> Row {
    let class = "java/util/ArrayList";
    Row { name: "", class, calls: vec![new(class, "()V", vec![])], subject: 0 }
}

fn rows() -> Vec<Row> {
    let row = |name, class, calls| Row { name, class, calls, subject: 0 };
    let bare = |name, class| row(name, class, vec![new(class, "()V", vec![])]);
    let (axis, series) = ("org/jfree/chart/axis/PeriodAxis", "org/jfree/data/xy/XYSeries");
    let mut points = vec![new(series, "(Ljava/lang/Comparable;)V", vec![text("a")])];
    points.extend((0..100).map(|x| {
        let point = vec![Argument::Double(f64::from(x)), Argument::Double(1.0)];
        on(0, series, "add", "(DD)V", point)
    }));
    let mut entries = vec![new("java/util/HashMap", "()V", vec![])];
    entries.extend((0..500).map(|number| {
        let entry = vec![text(&format!("key {number}")), text("value")];
        on(0, "java/util/HashMap", "put", "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;", entry)
    }));
    let copies = vec![
        of(
            "java/util/Collections",
            "nCopies",
            "(ILjava/lang/Object;)Ljava/util/List;",
            vec![Argument::Int(1_000), text("a")],
        ),
        new("java/util/Vector", "(Ljava/util/Collection;)V", vec![Argument::Value(0)]),
        new("java/util/concurrent/ConcurrentLinkedQueue", "(Ljava/util/Collection;)V", vec![Argument::Value(1)]),
    ];
    let pool = "org/apache/commons/pool2/impl/GenericObjectPool";
    let pooled =
        vec![factory(), new(pool, "(Lorg/apache/commons/pool2/PooledObjectFactory;)V", vec![Argument::Value(0)])];
    let regex = text("(?i)^([a-z0-9_.+-]+)@((?:[a-z0-9-]+\\.)+[a-z]{2,63})(?:\\s*[,;]\\s*([^,;]+))*$");
    let compile =
        of("java/util/regex/Pattern", "compile", "(Ljava/lang/String;)Ljava/util/regex/Pattern;", vec![regex]);
    let format = new("java/text/SimpleDateFormat", "(Ljava/lang/String;)V", vec![text("yyyy-MM-dd'T'HH:mm:ss.SSSZ")]);
    let histogram = "org/HdrHistogram/ConcurrentHistogram";
    let counts = new(histogram, "(JI)V", vec![Argument::Long(3_600_000_000), Argument::Int(3)]);
    vec![
        row("new PeriodAxis(String)", axis, vec![new(axis, "(Ljava/lang/String;)V", vec![text("a")])]),
        bare("new XYPlot()", "org/jfree/chart/plot/XYPlot"),
        row("new XYSeries, 100 add", series, points),
        bare("new XStream()", "com/thoughtworks/xstream/XStream"),
        bare("new ObjectMapper()", "com/fasterxml/jackson/databind/ObjectMapper"),
        bare("new Gson()", "com/google/gson/Gson"),
        Row { subject: 1, ..row("new GenericObjectPool(factory)", pool, pooled) },
        bare("new HashedWheelTimer()", "io/netty/util/HashedWheelTimer"),
        row("new ConcurrentHistogram(one hour, 3)", histogram, vec![counts]),
        row("new HashMap, 500 put", "java/util/HashMap", entries),
        Row {
            subject: 2,
            ..row("ConcurrentLinkedQueue of a Vector of 1,000", "java/util/concurrent/ConcurrentLinkedQueue", copies)
        },
        row("Pattern.compile", "java/util/regex/Pattern", vec![compile]),
        row("new SimpleDateFormat(String)", "java/text/SimpleDateFormat", vec![format]),
    ]
}

/// A factory of a pool, which makes nothing.
fn factory() -> Call {
    let pooled = "Lorg/apache/commons/pool2/PooledObject;";
    let of_one = format!("({pooled})V");
    let method =
        |name: &str, descriptor: String| Implementation { name: name.into(), descriptor, does: Behaviour::Nothing };
    let mut methods: Vec<Implementation> =
        ["activateObject", "destroyObject", "passivateObject"].map(|name| method(name, of_one.clone())).into();
    methods.push(method("makeObject", format!("(){pooled}")));
    methods.push(method("validateObject", format!("({pooled})Z")));
    let class = "org/apache/commons/pool2/PooledObjectFactory".into();
    Call { operation: Operation::Implement { class, descriptor: "()V".into(), methods }, arguments: vec![] }
}

fn text(text: &str) -> Argument {
    Argument::String(text.into())
}

fn new(class: &str, descriptor: &str, arguments: Vec<Argument>) -> Call {
    Call { operation: Operation::Construct { class: class.into(), descriptor: descriptor.into() }, arguments }
}

fn of(class: &str, name: &str, descriptor: &str, arguments: Vec<Argument>) -> Call {
    let operation = Operation::Static { class: class.into(), name: name.into(), descriptor: descriptor.into() };
    Call { operation, arguments }
}

fn on(receiver: usize, class: &str, name: &str, descriptor: &str, arguments: Vec<Argument>) -> Call {
    let receiver = Argument::Value(receiver);
    let operation =
        Operation::Virtual { class: class.into(), name: name.into(), descriptor: descriptor.into(), receiver };
    Call { operation, arguments }
}

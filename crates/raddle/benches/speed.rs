//! How fast `raddle check` is on classes of libraries, which have heavy constructors and many accesses a call, beside a
//! stress loop in plain Java.
//!
//! `cargo bench -p raddle --bench speed` fetches the jars of `fixtures/speed/pom.xml` with Maven and checks each class for
//! ten seconds with one worker, on the first JDK. After `--` come a number of seconds and words that select classes by
//! their names. With the path of another `raddle` in `RADDLE_BEFORE`, each class is checked by that one first, so that both
//! are in one table.
//!
//! Of the tests that passed, some are taken that are spread over the check, and each is run in three ways:
//!
//! - as a stress loop in plain Java, with new objects and two or more new threads in each iteration;
//! - in the check itself, where it ran once: executions of all kinds by the time that the worker took;
//! - again and again in a worker with the options of a check, right after its stress loop. Like the stress loop, it is warm.
//!
//! The last two are divided by the first, test by test, and the last also in processor time, which other work on the machine
//! changes far less. The table has medians over the tests.

#[path = "shared/again.rs"]
mod again;
#[path = "shared/estimate.rs"]
mod estimate;
#[path = "shared/fetched.rs"]
mod fetched;
#[path = "shared/plain.rs"]
mod plain;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use again::Again;
use classpath::Jdk;
use estimate::estimate;
use plain::{Plain, Rate};
use raddle::supervisor::Task;
use serde_json::Value;

const SECONDS: u64 = 10;

/// Tests of a class that are timed.
const TIMED: usize = 5;
/// Tests that are kept for that: not all can be run so.
const KEPT: usize = 12;
/// Seconds for which a test is run to warm up, and as many that count.
const SECONDS_A_TEST: u64 = 1;

const CLASSES: [&str; 22] = [
    "org.jfree.chart.axis.PeriodAxis",
    "org.jfree.chart.axis.NumberAxis",
    "org.jfree.chart.plot.XYPlot",
    "com.thoughtworks.xstream.XStream",
    "com.fasterxml.jackson.databind.ObjectMapper",
    "com.google.gson.Gson",
    "org.apache.commons.pool2.impl.GenericObjectPool",
    "org.HdrHistogram.ConcurrentHistogram",
    "com.zaxxer.hikari.util.ConcurrentBag",
    "io.netty.util.HashedWheelTimer",
    "io.netty.util.DefaultAttributeMap",
    "com.lmax.disruptor.RingBuffer",
    "org.agrona.concurrent.OneToOneConcurrentArrayQueue",
    "io.micrometer.core.instrument.simple.SimpleMeterRegistry",
    "org.apache.logging.log4j.core.LoggerContext",
    "org.apache.commons.collections4.queue.CircularFifoQueue",
    "org.eclipse.collections.impl.map.mutable.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentLinkedQueue",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.LinkedBlockingDeque",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.ConcurrentSkipListMap",
];

fn main() {
    // `cargo test --benches` runs this too; then there is nothing to fetch for it.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let seconds: u64 = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(SECONDS);
    let words: Vec<&String> = arguments.iter().filter(|argument| argument.parse::<u64>().is_err()).collect();
    let jdk = Jdk::installed().into_iter().next().expect("no JDK of Java 17 to 25 was found");
    let jars = fetched::jars("speed");
    let class_path = fetched::class_path(&jars);
    let before = std::env::var_os("RADDLE_BEFORE").map(PathBuf::from);
    let now = Path::new(env!("CARGO_BIN_EXE_raddle"));
    println!("Java {}, {seconds} s each, one worker\n", jdk.version);
    println!(
        "| class | executions a second | tests a second | certified | tried a second | seconds | tests timed | plain Java | \
         in the check | ratio | again | ratio | of processor time |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let is_wanted = |class: &&&str| words.is_empty() || words.iter().any(|word| class.contains(word.as_str()));
    let mut ratios: Vec<[f64; 3]> = Vec::new();
    for class in CLASSES.iter().filter(is_wanted) {
        let check = |raddle: &Path, kept| Row::of(raddle, &jdk, &jars, class, seconds, kept);
        let mut rows: Vec<Row> = before.iter().map(|before| check(before, 0)).collect();
        rows.push(check(now, KEPT));
        let cell =
            |of: fn(&Row) -> f64| rows.iter().map(|row| format!("{:.1}", of(row))).collect::<Vec<_>>().join(" -> ");
        let kept = &rows.last().expect("there is one").kept;
        let timed = timed(&jdk, &class_path, &found(&jars, class), kept);
        let middle = |of: fn(&Timed) -> f64| estimate(timed.iter().map(of)).middle;
        let all = [
            middle(|timed| timed.in_check / timed.plain.clock),
            middle(|timed| timed.again.clock / timed.plain.clock),
            middle(|timed| timed.again.processor / timed.plain.processor),
        ];
        println!(
            "| {class} | {} | {} | {} | {} | {} | {} | {:.0} | {:.0} | {:.2} | {:.0} | {:.2} | {:.2} |",
            cell(|row| row.executions),
            cell(|row| row.tests),
            cell(|row| row.certified),
            cell(|row| row.tried),
            cell(|row| row.seconds),
            timed.len(),
            middle(|timed| timed.plain.clock),
            middle(|timed| timed.in_check),
            all[0],
            middle(|timed| timed.again.clock),
            all[1],
            all[2],
        );
        ratios.extend((!timed.is_empty()).then_some(all));
    }
    let mean = |way: usize| (ratios.iter().map(|all| all[way].ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!(
        "\nGeometric means of the ratios: {:.2} in the check, {:.2} again, {:.2} of processor time",
        mean(0),
        mean(1),
        mean(2)
    );
}

/// Where the check of a class writes.
fn found(jars: &Path, class: &str) -> PathBuf {
    jars.join("../found").join(class)
}

/// What one check did, a second.
struct Row {
    executions: f64,
    tests: f64,
    certified: f64,
    tried: f64,
    /// How long the whole command took.
    seconds: f64,
    /// What it says of the tests that it kept.
    kept: Vec<Value>,
}

impl Row {
    fn of(raddle: &Path, jdk: &Jdk, jars: &Path, class: &str, seconds: u64, kept: usize) -> Row {
        let (out, budget, keep) = (found(jars, class), format!("{seconds}s"), kept.to_string());
        let begun = Instant::now();
        let mut options = vec!["--jobs", "1", "--budget", &budget, "--out", out.to_str().expect("a path of UTF-8")];
        if kept > 0 {
            options.extend(["--keep-tests", &keep]);
        }
        let said = fetched::check(raddle, jdk, jars, class, &options);
        let count = |key: &str| said[key].as_f64().unwrap_or_default();
        let took = count("seconds").max(0.001);
        Row {
            executions: count("executions") / took,
            tests: count("tests") / took,
            certified: count("certified") / took,
            tried: (count("tests") + count("rejected")) / took,
            seconds: begun.elapsed().as_secs_f64(),
            kept: said["kept"].as_array().cloned().unwrap_or_default(),
        }
    }
}

/// Executions or iterations a second of one test, each of which has its own objects and threads.
struct Timed {
    plain: Rate,
    in_check: f64,
    again: Rate,
}

/// Times some of the tests that were kept, spread over all of them.
fn timed(jdk: &Jdk, class_path: &OsStr, folder: &Path, kept: &[Value]) -> Vec<Timed> {
    let mut worker = Again::start(jdk, class_path, folder);
    let step = kept.len().div_ceil(TIMED).max(1);
    let spread = (0..step).flat_map(|first| kept.iter().skip(first).step_by(step));
    spread.filter_map(|test| time(jdk, class_path, &mut worker, test)).take(TIMED).collect()
}

/// None if the test cannot be written in Java, or does not come to an end in it.
fn time(jdk: &Jdk, class_path: &OsStr, worker: &mut Again, test: &Value) -> Option<Timed> {
    let plain = Plain::compile(jdk, class_path, Path::new(test["java"].as_str()?))?.rate(SECONDS_A_TEST, false)?;
    let spent = |key: &str| test["spent"][key].as_f64().unwrap_or_default();
    let in_check = spent("executions") / (spent("serial") + spent("exploring"));
    let task = std::fs::read_to_string(test["task"].as_str()?).expect("a task");
    let task: Task = serde_json::from_str(&task).expect("a task");
    let time = Duration::from_secs(SECONDS_A_TEST);
    worker.rate(&task, time)?;
    Some(Timed { plain, in_check, again: worker.rate(&task, time)? })
}

//! How fast `raddle check` is on classes of libraries, which have heavy constructors and many accesses a call.
//!
//! `cargo bench -p raddle --bench speed` fetches the jars of `fixtures/speed/pom.xml` with Maven and checks each class for
//! ten seconds with one worker, on the first JDK. That takes about five minutes. After `--` come a number of seconds and
//! words that select classes by their names. With the path of another `raddle` in `RADDLE_BEFORE`, each class is checked
//! by that one first, so that both are in one table.

#[path = "shared/fetched.rs"]
mod fetched;

use std::path::{Path, PathBuf};
use std::time::Instant;

use classpath::Jdk;

const SECONDS: u64 = 10;

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
    let before = std::env::var_os("RADDLE_BEFORE").map(PathBuf::from);
    let now = Path::new(env!("CARGO_BIN_EXE_raddle"));
    println!("Java {}, {seconds} s each, one worker\n", jdk.version);
    println!("| class | executions a second | tests a second | certified | tried a second | seconds |");
    println!("|---|---|---|---|---|---|");
    let is_wanted = |class: &&&str| words.is_empty() || words.iter().any(|word| class.contains(word.as_str()));
    for class in CLASSES.iter().filter(is_wanted) {
        let rows: Vec<Row> = before
            .iter()
            .map(|it| &**it)
            .chain([now])
            .map(|raddle| Row::of(raddle, &jdk, &jars, class, seconds))
            .collect();
        let cell =
            |of: fn(&Row) -> f64| rows.iter().map(|row| format!("{:.1}", of(row))).collect::<Vec<_>>().join(" -> ");
        println!(
            "| {class} | {} | {} | {} | {} | {} |",
            cell(|row| row.executions),
            cell(|row| row.tests),
            cell(|row| row.certified),
            cell(|row| row.tried),
            cell(|row| row.seconds)
        );
    }
}

/// What one check did, a second.
struct Row {
    executions: f64,
    tests: f64,
    certified: f64,
    tried: f64,
    /// How long the whole command took.
    seconds: f64,
}

impl Row {
    fn of(raddle: &Path, jdk: &Jdk, jars: &Path, class: &str, seconds: u64) -> Row {
        let out = jars.join("../found").join(class);
        let budget = format!("{seconds}s");
        let begun = Instant::now();
        let options = ["--jobs", "1", "--budget", &budget, "--out", out.to_str().expect("a path of UTF-8")];
        let said = fetched::check(raddle, jdk, jars, class, &options);
        let count = |key: &str| said[key].as_f64().unwrap_or_default();
        let took = count("seconds").max(0.001);
        Row {
            executions: count("executions") / took,
            tests: count("tests") / took,
            certified: count("certified") / took,
            tried: (count("tests") + count("rejected")) / took,
            seconds: begun.elapsed().as_secs_f64(),
        }
    }
}

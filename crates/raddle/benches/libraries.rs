//! What `raddle check` says of well-known classes of libraries that are documented as thread-safe.
//!
//! `cargo bench -p raddle --bench libraries` fetches the jars of `fixtures/libraries/pom.xml` with Maven and checks
//! each class for 30 seconds with two workers, on the first JDK. That takes about ten minutes. After `--` come a number
//! of seconds and words that select classes by their names. `docs/design/check.md` argues each alarm.

#[path = "shared/fetched.rs"]
mod fetched;

use std::path::Path;

use classpath::Jdk;
use serde_json::Value;

const SECONDS: u64 = 30;
/// Caches, queues, monitors, rate limiters, pools, event buses, maps, meters.
const CLASSES: [&str; 23] = [
    "com.google.common.util.concurrent.RateLimiter",
    "com.google.common.util.concurrent.Monitor",
    "com.google.common.util.concurrent.AtomicLongMap",
    "com.google.common.util.concurrent.SettableFuture",
    "com.google.common.eventbus.EventBus",
    "com.google.common.collect.ConcurrentHashMultiset",
    "org.apache.commons.pool2.impl.GenericObjectPool",
    "org.apache.commons.pool2.impl.GenericKeyedObjectPool",
    "org.apache.commons.lang3.concurrent.EventCountCircuitBreaker",
    "org.apache.commons.lang3.concurrent.TimedSemaphore",
    "org.apache.commons.lang3.concurrent.Memoizer",
    "org.jctools.queues.MpmcArrayQueue",
    "org.jctools.queues.MpmcUnboundedXaddArrayQueue",
    "org.jctools.maps.NonBlockingHashMap",
    "org.agrona.concurrent.ManyToManyConcurrentArrayQueue",
    "com.codahale.metrics.Meter",
    "com.codahale.metrics.ExponentiallyDecayingReservoir",
    "com.codahale.metrics.SlidingTimeWindowArrayReservoir",
    "com.codahale.metrics.MetricRegistry",
    "org.HdrHistogram.ConcurrentHistogram",
    "io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter",
    "io.github.resilience4j.circuitbreaker.internal.CircuitBreakerStateMachine",
    "com.googlecode.concurrentlinkedhashmap.ConcurrentLinkedHashMap",
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
    let jars = fetched::jars("libraries");
    let budget = format!("{seconds}s");
    println!(
        "Java {}, {seconds} s each\n\n| class | verdict | pairs tested | certified | tests | findings |",
        jdk.version
    );
    println!("|---|---|---|---|---|---|");
    let is_wanted = |class: &&&str| words.is_empty() || words.iter().any(|word| class.contains(word.as_str()));
    for class in CLASSES.iter().filter(is_wanted) {
        let out = jars.join("../found").join(class);
        let options = ["--budget", &budget, "--out", out.to_str().expect("a path of UTF-8")];
        let said = fetched::check(Path::new(env!("CARGO_BIN_EXE_raddle")), &jdk, &jars, class, &options);
        let targets = &said["targets"];
        let share = |key: &str| format!("{} of {}", targets[key], targets["total"]);
        let findings = said["findings"].as_array().cloned().unwrap_or_default();
        let told: Vec<String> = findings.iter().map(tell).collect();
        let verdict = said["verdict"].as_str().unwrap_or("nothing was said");
        let (tested, certified) = (share("tested"), share("certified"));
        println!("| {class} | {verdict} | {tested} | {certified} | {} | {} |", said["tests"], told.join("; "));
    }
}

/// The kind of failure, the methods that take part, and the finding's number.
fn tell(finding: &Value) -> String {
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let methods: Vec<String> =
        finding["methods"].as_array().into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect();
    format!("{} {} in {} ({})", text("kind"), text("exception"), methods.join(", "), text("id"))
}

//! Whether checks of slow classes end within their budgets, and what memory they take.
//!
//! `cargo bench -p raddle --bench budgets` fetches the jars of `fixtures/speed/pom.xml` with Maven and runs twenty checks,
//! one after the other, for about nine minutes. Words after `--` select rows. The promise of the README: a check ends within
//! its budget and a tenth of it, or five seconds if that is more. Memory is the most that was resident, as the kernel keeps
//! it (`VmHWM`), read some times a second: of the supervisor, and of the worker that had most.

#[path = "shared/fetched.rs"]
mod fetched;

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use classpath::Jdk;
use serde_json::Value;

const CHECKS: [(u64, &str); 20] = [
    (10, "org.jfree.chart.axis.PeriodAxis"),
    (10, "com.fasterxml.jackson.databind.ObjectMapper"),
    (10, "org.HdrHistogram.ConcurrentHistogram"),
    (10, "org.apache.logging.log4j.core.LoggerContext"),
    (15, "com.thoughtworks.xstream.XStream"),
    (15, "org.apache.commons.pool2.impl.GenericObjectPool"),
    (15, "io.netty.util.HashedWheelTimer"),
    (15, "com.google.gson.Gson"),
    (20, "org.jfree.chart.plot.XYPlot"),
    (20, "com.zaxxer.hikari.util.ConcurrentBag"),
    (20, "io.micrometer.core.instrument.simple.SimpleMeterRegistry"),
    (20, "org.eclipse.collections.impl.map.mutable.ConcurrentHashMap"),
    (30, "org.jfree.chart.axis.NumberAxis"),
    (30, "com.lmax.disruptor.RingBuffer"),
    (30, "org.agrona.concurrent.OneToOneConcurrentArrayQueue"),
    (30, "org.apache.commons.collections4.queue.CircularFifoQueue"),
    (60, "org.jfree.chart.JFreeChart"),
    (60, "com.zaxxer.hikari.HikariConfig"),
    (60, "com.fasterxml.jackson.databind.util.LRUMap"),
    (60, "org.jfree.data.time.TimeSeries"),
];

/// Pause between two looks at what processes there are.
const LOOK: Duration = Duration::from_millis(100);

fn main() {
    // `cargo test --benches` runs this too; then there is nothing to fetch for it.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let words: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let jdk = Jdk::installed().into_iter().next().expect("no JDK of Java 17 to 25 was found");
    let class_path = fetched::class_path(&fetched::jars("speed"));
    println!("Java {}, as many workers as cores\n", jdk.version);
    println!("| class | verdict | budget | seconds | within the promise | supervisor, MB | worker, MB |");
    println!("|---|---|---|---|---|---|---|");
    let is_wanted =
        |(_, class): &&(u64, &str)| words.is_empty() || words.iter().any(|word| class.contains(word.as_str()));
    let (mut kept, mut all) = (0, 0);
    for (budget, class) in CHECKS.iter().filter(is_wanted) {
        let folder = tempfile::tempdir().expect("a folder");
        let json = folder.path().join("report.json");
        let mut check = Command::new(env!("CARGO_BIN_EXE_raddle"));
        check.args(["check", class, "--quiet", "--budget", &format!("{budget}s"), "--json"]).arg(&json);
        check.arg("--java-home").arg(&jdk.home).arg("--classpath").arg(&class_path);
        check.arg("--out").arg(folder.path().join("out"));
        let begun = Instant::now();
        let mut child = check.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("raddle");
        let mut peaks = BTreeMap::new();
        while child.try_wait().expect("a child").is_none() {
            look(child.id(), &mut peaks);
            std::thread::sleep(LOOK);
        }
        let took = begun.elapsed().as_secs_f64();
        let supervisor = peaks.remove(&child.id()).unwrap_or_default();
        let worker = peaks.values().copied().max().unwrap_or_default();
        let promised = (*budget as f64 * 1.1).max(*budget as f64 + 5.0);
        let report: Value = std::fs::read(&json).map(|text| serde_json::from_slice(&text).unwrap()).unwrap_or_default();
        let verdict = report["classes"][0]["verdict"].as_str().unwrap_or("none");
        let word = if took <= promised { "yes" } else { "no" };
        println!("| {class} | {verdict} | {budget} | {took:.1} | {word} | {} | {} |", supervisor >> 10, worker >> 10);
        (kept, all) = (kept + usize::from(took <= promised), all + 1);
    }
    println!("\n{kept} of {all} within the promise");
}

/// Notes the most resident memory so far of a process and all that it has started, in kilobytes.
fn look(process: u32, peaks: &mut BTreeMap<u32, u64>) {
    // A process may end at any time.
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak: u64 = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default();
    let known = peaks.entry(process).or_default();
    *known = peak.max(*known);
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    for thread in threads {
        let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.split_whitespace().filter_map(|child| child.parse().ok()).for_each(|child| look(child, peaks));
    }
}

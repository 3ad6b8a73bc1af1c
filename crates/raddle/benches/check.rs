//! How long `raddle check` takes to find what is known to be wrong with classes of the JDK and of `fixtures/classes`, and where
//! the time goes.
//!
//! `cargo bench -p raddle --bench check` runs every class with five seeds on the first JDK: those of the JDK until all that is known
//! of each was found or a minute is over, fixtures for ten seconds. With a number behind `--`, so many seeds; with `jobs`, only
//! two workers beside one, and with a part of a name behind that, only for a row of classes of which one has that.

#[path = "../tests/check_command/classes.rs"]
#[allow(dead_code)] // The tests use all of it.
mod classes;
#[path = "../tests/check_command/support.rs"]
#[allow(dead_code)]
mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use classpath::Jdk;
use serde_json::Value;

/// What is known of a class: each is a kind or an exception, and a method that must be among those that run together; it may have to
/// be given the object that it is called on.
struct Subject {
    class: &'static str,
    known: &'static [(&'static str, &'static str)],
}

const SUBJECTS: &[Subject] = &[
    Subject {
        class: "java.lang.StringBuffer",
        known: &[("deadlock", "append"), ("IndexOutOfBoundsException", "insert of itself")],
    },
    Subject {
        class: "java.util.Hashtable",
        known: &[("deadlock", "equals"), ("deadlock", "hashCode"), ("ConcurrentModificationException", "putAll")],
    },
    Subject {
        class: "java.util.Vector",
        known: &[("deadlock", "containsAll"), ("ConcurrentModificationException", "containsAll")],
    },
    Subject { class: "java.util.Collections$SynchronizedMap", known: &[("deadlock", "equals")] },
    Subject { class: "java.util.Collections$SynchronizedList", known: &[("deadlock", "addAll")] },
    Subject { class: "java.util.Collections$SynchronizedSet", known: &[("deadlock", "equals")] },
    Subject { class: "java.io.ByteArrayOutputStream", known: &[("deadlock", "writeTo")] },
    Subject { class: "java.io.PushbackInputStream", known: &[("NullPointerException", "close")] },
];

const BUDGET: Duration = Duration::from_secs(60);
const SEEDS: u64 = 5;

fn main() {
    // `cargo test --benches` runs this too; then once is enough.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let seeds =
        std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(if quick { 1 } else { SEEDS });
    let jdk = Jdk::installed().into_iter().next().expect("no JDK of Java 17 to 25 was found");
    let mut arguments = std::env::args().filter(|argument| !argument.starts_with('-'));
    if arguments.any(|argument| argument == "jobs") {
        return jobs(&jdk, &arguments.next().unwrap_or_default());
    }
    println!("Java {}, seeds 1 to {seeds}, a minute at the most\n", jdk.version);
    println!("| class | what | seconds to it, a seed each | executions to it |");
    println!("|---|---|---|---|");
    let mut totals = Totals::default();
    for subject in SUBJECTS.iter().take(if quick { 1 } else { usize::MAX }) {
        let runs: Vec<Value> = (1..=seeds).map(|seed| run(&jdk, subject, seed)).collect();
        runs.iter().for_each(|report| totals.add(report));
        for (kind, method) in subject.known {
            let each = |field: &str, digits: usize| {
                let found = runs.iter().map(|report| match find(report, kind, method) {
                    Some(finding) => format!("{:.digits$}", finding[field].as_f64().unwrap_or_default()),
                    None => "-".into(),
                });
                found.collect::<Vec<_>>().join(", ")
            };
            let (seconds, executions) = (each("seconds_to_find", 1), each("executions_to_find", 0));
            println!("| {} | {kind} in {method} | {seconds} | {executions} |", subject.class);
        }
    }
    totals.print();
    if !quick {
        fixtures(&jdk, seeds);
        jobs(&jdk, "");
    }
}

/// How long it takes to find what the papers' figures show.
fn fixtures(jdk: &Jdk, seeds: u64) {
    let mut classes = classes::all();
    classes.retain(|class| !class.expected.is_empty());
    let compiled = classes::Compiled::new(jdk, &classes);
    println!("\n| class of `fixtures/classes` | what | seconds to it, a seed each | executions to it |");
    println!("|---|---|---|---|");
    for class in &classes {
        let run = |seed: u64, first: &[&str]| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut command = command(jdk, folder.path(), &class.name);
            command.args(["--seed", &seed.to_string(), "--budget", "10s"]).args(&class.options).args(first);
            command.arg("--classpath").arg(compiled.of(class)).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().expect("raddle");
            report(folder.path())
        };
        let is_whole = |report: &Value| {
            let met = |expected: &classes::Expected| expected.find(report).is_some();
            class.expected.iter().all(met)
        };
        // Mostly the first finding is what was expected, and the rest of the ten seconds can be saved.
        let runs = (1..=seeds).map(|seed| {
            let at_first = Some(run(seed, &["--first"])).filter(is_whole);
            at_first.unwrap_or_else(|| run(seed, &[]))
        });
        let runs: Vec<Value> = runs.collect();
        for expected in &class.expected {
            let each = |field: &str, digits: usize| {
                let found = runs.iter().map(|report| {
                    let found = expected.find(report);
                    found.map_or("-".into(), |found| format!("{:.digits$}", found[field].as_f64().unwrap_or_default()))
                });
                found.collect::<Vec<_>>().join(", ")
            };
            let (seconds, executions) = (each("seconds_to_find", 1), each("executions_to_find", 0));
            println!("| {} | {expected} | {seconds} | {executions} |", class.name);
        }
    }
    println!();
}

/// One check, ended as soon as everything was found.
fn run(jdk: &Jdk, subject: &Subject, seed: u64) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = command(jdk, folder.path(), subject.class)
        .args(["--seed", &seed.to_string(), "--budget", &format!("{}s", BUDGET.as_secs())])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("raddle");
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(50));
        let documents = documents(folder.path());
        let has = |(kind, method): &(&str, &str)| documents.iter().any(|document| is(document, kind, method));
        if subject.known.iter().all(has) || begun.elapsed() > 2 * BUDGET {
            let pid = rustix::process::Pid::from_child(&child);
            // It may have ended by itself.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
            break;
        }
    }
    child.wait().expect("a child");
    report(folder.path())
}

fn command(jdk: &Jdk, folder: &Path, class: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.arg("check").arg(class).arg("--java-home").arg(&jdk.home).arg("--out").arg(folder.join("out"));
    command.arg("--json").arg(folder.join("report.json")).arg("--quiet");
    command
}

fn report(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("report.json")).unwrap_or_default();
    let document: Value = serde_json::from_str(&text).unwrap_or_default();
    document["classes"][0].clone()
}

/// What was written down so far.
fn documents(folder: &Path) -> Vec<Value> {
    let folders = std::fs::read_dir(folder.join("out")).into_iter().flatten().flatten();
    let text = folders.filter_map(|folder| std::fs::read_to_string(folder.path().join("finding.json")).ok());
    text.filter_map(|text| serde_json::from_str(&text).ok()).collect()
}

fn is(document: &Value, kind: &str, method: &str) -> bool {
    let what = document["what"].as_str().unwrap_or_default();
    let matches = document["kind"] == kind || what.split([':', ' ']).next().unwrap_or_default().ends_with(kind);
    let threads = document["java_test"]["threads"].to_string() + &document["threads"].to_string();
    matches && calls(&threads, method)
}

/// Whether such a call is in the text of threads.
fn calls(threads: &str, method: &str) -> bool {
    let (method, of_itself) = method.split_once(' ').map_or((method, false), |(method, _)| (method, true));
    threads.match_indices(&format!(".{method}(")).any(|(at, call)| {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let before = &threads[..at];
        let receiver = &before[before.rfind(|c| !is_name(c)).map_or(0, |at| at + 1)..];
        // A statement is a text of its own, and what comes after it is of others.
        let arguments = threads[at + call.len()..].split(")\"").next().unwrap_or_default();
        !of_itself || arguments.split(|c| !is_name(c)).any(|word| word == receiver)
    })
}

fn find<'r>(report: &'r Value, kind: &str, method: &str) -> Option<&'r Value> {
    let mut sure = report["findings"].as_array()?.iter().filter(|finding| finding["confirmed"] == true);
    sure.find(|finding| is(finding, kind, method))
}

/// What all checks did together.
#[derive(Default)]
struct Totals {
    seconds: f64,
    executions: f64,
    spent: [(&'static str, f64); 4],
}

impl Totals {
    fn add(&mut self, report: &Value) {
        self.seconds += report["seconds"].as_f64().unwrap_or_default();
        self.executions += report["executions"].as_f64().unwrap_or_default();
        for (slot, name) in self.spent.iter_mut().zip(["generating", "serial", "exploring", "shrinking"]) {
            *slot = (name, slot.1 + report["spent"][name].as_f64().unwrap_or_default());
        }
    }

    fn print(&self) {
        println!("\n{:.0} executions a second, all told.", self.executions / self.seconds.max(0.001));
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        let parts: Vec<String> = self
            .spent
            .iter()
            .map(|(name, seconds)| {
                let of = if *name == "generating" { self.seconds } else { self.seconds * cores };
                format!("{name} {:.0} %", 100.0 * seconds / of.max(0.001))
            })
            .collect();
        println!(
            "Of the supervisor's time, and of all workers' together: {}; the rest is start and waiting.",
            parts.join(", ")
        );
    }
}

/// Classes of whose tests each has many executions.
const LONG_TESTS: [&str; 3] = [
    "java.util.concurrent.ConcurrentLinkedQueue",
    "java.util.concurrent.LinkedBlockingQueue",
    "java.util.concurrent.Semaphore",
];
/// One whose tests have few, so that the supervisor has more to do.
const SHORT_TESTS: [&str; 1] = ["java.util.concurrent.CopyOnWriteArrayList"];
/// Classes with such tests whose search ends by itself after a few seconds, a part of which are needed to start.
const FEW_TESTS: [&str; 3] = [
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLongArray",
    "java.util.concurrent.atomic.AtomicReferenceArray",
];

/// Two workers beside one. One has more than one core if there are more: the supervisor writes tests meanwhile. So there is also one
/// that has to share a core with all that; and two checks that have nothing to do with each other, on a core each, show what the machine
/// has to give. What that is changes from second to second where others use it, too: so all are tried in turn, and of what each turn says the
/// one in the middle counts. Of classes of which one has this in its name.
fn jobs(jdk: &Jdk, part: &str) {
    println!(
        "| classes | two workers beside one | beside one that has one core | two checks beside that one \
         | cores: one, two, one on one core, two checks |"
    );
    println!("|---|---|---|---|---|");
    let known: Vec<&str> = SUBJECTS.iter().map(|subject| subject.class).collect();
    let rows: [(&[&str], &str, u64); 4] =
        [(&known, "10s", 2), (&LONG_TESTS, "10s", 3), (&SHORT_TESTS, "15s", 6), (&FEW_TESTS, "60s", 4)];
    for (classes, budget, seeds) in rows {
        if !classes.iter().any(|class| class.contains(part)) {
            continue;
        }
        let mut turns: Vec<[Speed; 4]> = Vec::new();
        for (class, seed) in classes.iter().flat_map(|class| (1..=seeds).map(move |seed| (class, seed))) {
            turns.push(WAYS.map(|way| Speed::of(jdk, class, budget, seed, way)));
        }
        let middle = |of: &dyn Fn(&[Speed; 4]) -> f64| Middle::of(turns.iter().map(of));
        println!(
            "| {} | {} | {} | {} | {} |",
            classes.join(", "),
            middle(&|[one, two, ..]| two.rate() / one.rate()),
            middle(&|[_, two, on_one_core, _]| two.rate() / on_one_core.rate()),
            middle(&|[_, _, on_one_core, apart]| apart.rate() / on_one_core.rate()),
            [0, 1, 2, 3].map(|way| middle(&|turn| turn[way].cores()).to_string()).join(", ")
        );
    }
}

/// The one in the middle, the lower of two, and between which about a half of them are.
struct Middle {
    middle: f64,
    half: (f64, f64),
}

impl Middle {
    fn of(values: impl Iterator<Item = f64>) -> Middle {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |part: usize| values[(values.len() - 1) * part / 4];
        Middle { middle: at(2), half: (at(1), at(3)) }
    }
}

impl std::fmt::Display for Middle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.middle, self.half.0, self.half.1)
    }
}

/// How something is checked.
#[derive(Clone, Copy)]
struct Way {
    /// So many checks at a time.
    checks: usize,
    /// With so many workers each.
    jobs: usize,
    /// Whether each check has one core.
    is_pinned: bool,
}

/// One worker, two, one on one core, two checks.
const WAYS: [Way; 4] = [
    Way { checks: 1, jobs: 1, is_pinned: false },
    Way { checks: 1, jobs: 2, is_pinned: false },
    Way { checks: 1, jobs: 1, is_pinned: true },
    Way { checks: 2, jobs: 1, is_pinned: true },
];

/// What some checks did.
#[derive(Clone, Copy, Default)]
struct Speed {
    executions: f64,
    seconds: f64,
    /// Seconds of a processor, and of a clock.
    busy: f64,
    clock: f64,
}

impl Speed {
    fn of(jdk: &Jdk, class: &str, budget: &str, seed: u64, way: Way) -> Speed {
        let Way { checks, jobs, is_pinned } = way;
        let mut speed = Speed::default();
        let (begun, before) = (Instant::now(), processor_time_of_children());
        let begin = |core: usize| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut check = command(jdk, folder.path(), class);
            check.args(["--budget", budget, "--seed", &seed.to_string(), "--jobs", &jobs.to_string()]);
            if is_pinned {
                let mut pinned = Command::new("taskset");
                pinned.args(["-c", &core.to_string()]).arg(check.get_program()).args(check.get_args());
                check = pinned;
            }
            let child = check.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            (folder, child.expect("raddle, or taskset to pin it"))
        };
        for (folder, mut child) in (0..checks).map(begin).collect::<Vec<_>>() {
            let status = child.wait().expect("a child");
            assert!(status.code().is_some_and(|code| code < 2), "a check of {class} ended with {status}");
            let report = report(folder.path());
            speed.executions += report["executions"].as_f64().unwrap_or_default();
            // Of checks at a time the seconds are the same ones.
            speed.seconds += report["seconds"].as_f64().unwrap_or_default() / checks as f64;
        }
        speed.busy = processor_time_of_children() - before;
        speed.clock = begun.elapsed().as_secs_f64();
        speed
    }

    /// Executions a second.
    fn rate(&self) -> f64 {
        self.executions / self.seconds.max(0.001)
    }

    fn cores(&self) -> f64 {
        self.busy / self.clock.max(0.001)
    }
}

/// The processor time of all children that have ended, and of theirs, in seconds.
fn processor_time_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("what the kernel says of this process");
    // The name may hold anything; behind it are numbers, of which the fourteenth and fifteenth are meant.
    let numbers = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(13).take(2);
    let ticks: f64 = numbers.map(|number| number.parse::<f64>().expect("a number")).sum();
    ticks / rustix::param::clock_ticks_per_second() as f64
}

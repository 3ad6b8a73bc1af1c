//! How long `raddle deps` takes from a cold start, and at what rate a whole package is analysed.
//!
//!     cargo bench -p raddle --bench deps
//!
//! Each class is analysed by a new process, as a user starts it, several times; the median and the range are
//! printed, and the mean of the processor time, which depends less on what else the machine does. Counts of work, which
//! do not depend on it at all, are in `cargo bench -p analysis --bench work`.
//! The package is `java.util`, whole.

#[path = "../../analysis/benches/shared/classes.rs"]
mod classes;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use classes::CLASSES;
use classpath::Jdk;

/// How long a tick of the kernel's clock is that Linux tells processor time in.
const MS_A_TICK: u64 = 10;

fn main() {
    // `cargo test` runs this too; then once is enough.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let (times, classes) = if quick { (1, &CLASSES[..1]) } else { (9, &CLASSES[..]) };
    let jdk = Jdk::find(None).expect("the benchmark needs a JDK");
    println!("JDK {}", jdk.version);
    for class in classes {
        let before = ticks_of_children();
        let mut taken: Vec<Duration> = (0..times).map(|_| time(&jdk, class)).collect();
        let processor = (ticks_of_children() - before) * MS_A_TICK / times as u64;
        taken.sort_unstable();
        let ms = |at: usize| taken[at].as_secs_f64() * 1e3;
        let head = head(&jdk, class);
        let (median, least, most) = (ms(times / 2), ms(0), ms(times - 1));
        println!("{class}: {median:.0} ms ({least:.0} to {most:.0}), processor {processor} ms: {head}");
    }
    if quick {
        return;
    }
    let start = Instant::now();
    let output = deps(&jdk, "java.util.*").output().expect("the package is analysed");
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    let analysed: f64 = last.split(' ').next().and_then(|count| count.parse().ok()).expect("a count of classes");
    println!("java.util.*: {last}, in {seconds:.1} s: {:.1} classes a second", analysed / seconds);
    println!("java.util.*: peak memory {} kB", peak_memory(&jdk));
}

fn deps(jdk: &Jdk, target: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["--color", "never", "deps", target]).env("JAVA_HOME", &jdk.home).stderr(Stdio::null());
    command
}

fn time(jdk: &Jdk, class: &str) -> Duration {
    let start = Instant::now();
    let status = deps(jdk, class).stdout(Stdio::null()).status().expect("the command starts");
    assert!(status.success(), "{class}");
    start.elapsed()
}

/// The processor time of all children that have ended, user and system, in ticks.
fn ticks_of_children() -> u64 {
    let status = std::fs::read_to_string("/proc/self/stat").expect("Linux tells of processes");
    // The name of the program, which may have spaces in it, ends with the last parenthesis.
    let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

/// The line that counts methods and pairs, and whether limits were reached.
fn head(jdk: &Jdk, class: &str) -> String {
    let output = deps(jdk, class).output().expect("the command starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let counts = text.lines().find(|line| line.contains(" pairs: ")).unwrap_or_default();
    let cut = if text.contains("limits of the analysis") { "; limits reached" } else { "" };
    format!("{counts}{cut}")
}

/// The peak of resident memory of a process that analyses the package, as Linux counts it, watched while it runs.
fn peak_memory(jdk: &Jdk) -> u64 {
    let mut child = deps(jdk, "java.util.*").stdout(Stdio::null()).spawn().expect("the command starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("the child is ours").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let high = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = high.and_then(|high| high.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(peak);
        std::thread::sleep(Duration::from_millis(20));
    }
    peak
}

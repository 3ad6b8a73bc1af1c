//! Stress loops as `raddle` writes them, run with plain Java: no agent, no hooks, the JDK's default options.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use classpath::Jdk;

/// A compiled stress loop.
pub struct Plain {
    java: PathBuf,
    /// Where it runs: what a test writes to files must not end up elsewhere.
    folder: PathBuf,
    class_path: OsString,
    main: String,
}

impl Plain {
    /// Compiles a program into the folder in which it is. None if the compiler refuses it.
    pub fn compile(jdk: &Jdk, class_path: &OsStr, source: &Path) -> Option<Plain> {
        let folder = source.parent().expect("a file is in a folder");
        let mut javac = Command::new(jdk.javac());
        // Quick to compile: only this start of the compiler pays for it.
        javac.args(["-J-XX:TieredStopAtLevel=1", "-nowarn", "-proc:none", "-cp"]).arg(class_path);
        javac.arg("-d").arg(folder).arg(source);
        let status = javac.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("javac");
        let text = std::fs::read_to_string(source).expect("the source");
        let package = text.lines().find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
        let name = source.file_stem().expect("a name").to_string_lossy();
        let main = package.map_or(name.to_string(), |package| format!("{package}.{name}"));
        let entries = std::iter::once(folder.to_owned()).chain(std::env::split_paths(class_path));
        let class_path = std::env::join_paths(entries).expect("a class path");
        status.success().then(|| Plain { java: jdk.java(), folder: folder.to_owned(), class_path, main })
    }

    /// Runs it for so many seconds, after as many to warm up. None if it cannot build its objects or does not end.
    pub fn rate(&self, seconds: u64, is_prefix: bool) -> Option<Rate> {
        let mut java = Command::new(&self.java);
        java.current_dir(&self.folder);
        java.arg("-cp").arg(&self.class_path).arg(&self.main).arg(seconds.to_string());
        java.args(is_prefix.then_some("prefix")).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = java.spawn().expect("java");
        let mut looks = Vec::new();
        while child.try_wait().expect("a child").is_none() {
            looks.push((Instant::now(), used(child.id(), is_prefix)));
            std::thread::sleep(LOOK);
        }
        let output = child.wait_with_output().expect("java");
        if !output.status.success() {
            return None;
        }
        // The code under test may print, too.
        let clock: f64 = String::from_utf8_lossy(&output.stdout).lines().last()?.parse().ok()?;
        // The thread that runs the loop uses most. At the very end, it may have ended already.
        let (thread, _) = looks.iter().flat_map(|(_, used)| used).max_by(|one, other| one.1.total_cmp(other.1))?;
        let looks: Vec<(Instant, f64)> =
            looks.iter().filter_map(|(at, used)| Some((*at, *used.get(thread)?))).collect();
        // What counts is run last.
        let (end, after) = *looks.last()?;
        let (begin, before) = *looks.iter().find(|(at, _)| end - *at < Duration::from_secs(seconds))?;
        Some(Rate { clock, processor: clock * (end - begin).as_secs_f64() / (after - before) })
    }
}

/// How often something is done, in a second on the clock and in one of processor time, which other work on the machine changes
/// far less.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code)] // Benchmarks each use a part.
pub struct Rate {
    pub clock: f64,
    pub processor: f64,
}

/// Pause between two looks at the processor time of a program.
const LOOK: Duration = Duration::from_millis(20);

/// The processor time in seconds that each thread of a process has used; or under the number of the process, that of all
/// threads, also of those that have ended.
fn used(process: u32, by_thread: bool) -> BTreeMap<u32, f64> {
    if !by_thread {
        return processor_seconds(process).map(|seconds| (process, seconds)).into_iter().collect();
    }
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let time = |thread: std::fs::DirEntry| {
        // A thread may end in between.
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        let nanos: f64 = text.split(' ').next()?.parse().ok()?;
        Some((thread.file_name().to_str()?.parse().ok()?, nanos / 1e9))
    };
    threads.filter_map(time).collect()
}

/// The processor time that a process has used.
pub fn processor_seconds(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which is in brackets: user and system time are the 12th and 13th.
    let ticks = stat.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    Some(ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

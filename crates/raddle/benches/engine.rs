//! Executions a second of a small test, beside the classic stress iteration, in one run.
//!
//!     cargo bench -p raddle --bench engine
//!
//! Two threads call `add` on one `Vector` each, under random schedules, in a worker whose threads are all
//! pinned to one core; then plain Java does the same with two new threads, started and joined, for each
//! iteration, pinned likewise and not. Before that, memory, files and threads over a million executions.

#[path = "shared/vector.rs"]
mod vector;
#[path = "../tests/engine/worker.rs"]
mod worker;

use classpath::Jdk;
use std::process::Command;
use std::time::Instant;
use vector::job;
use worker::Worker;

fn main() {
    // `cargo test` runs this too; then once is enough.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    for jdk in Jdk::installed().into_iter().filter(|jdk| jdk.javac().is_file()) {
        let folder = tempfile::tempdir().unwrap();
        let mut worker = Worker::start_pinned(&jdk, folder.path(), &[]);
        let warm_up = if quick { 10 } else { 50_000 };
        worker.run(&job(warm_up));
        let executions = if quick { 10 } else { 200_000 };
        let (start, used) = (Instant::now(), worker.processor_seconds());
        let report = worker.run(&job(executions));
        let rate = executions as f64 / start.elapsed().as_secs_f64();
        let processor_rate = executions as f64 / (worker.processor_seconds() - used);
        assert_eq!((report.executions, report.failures), (executions, 0), "{:?}", report.shown);
        let events = report.shown.events.len();
        println!("JDK {}: {rate:.0} executions a second of {events} events, {} traces", jdk.version, report.traces);
        println!("JDK {}: {processor_rate:.0} executions a second of processor time", jdk.version);
        let before = worker.usage();
        worker.run(&job(if quick { 10 } else { 1_000_000 }));
        let after = worker.usage();
        println!(
            "JDK {}: over 1,000,000 more executions: {} to {} kB, {} to {} files, {} to {} threads",
            jdk.version, before.0, after.0, before.1, after.1, before.2, after.2
        );
        for pin in [true, false] {
            let stress = stress(&jdk, if quick { 10 } else { 20_000 }, pin);
            let how = if pin { "pinned" } else { "not pinned" };
            println!("JDK {}: {stress:.0} stress iterations a second {how}, ratio {:.1}", jdk.version, rate / stress);
        }
    }
}

/// What the papers' tools do: two new threads for every iteration.
fn stress(jdk: &Jdk, iterations: u64, pin: bool) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Stress.java");
    std::fs::write(&source, STRESS).unwrap();
    let compiled = Command::new(jdk.javac()).arg("-d").arg(folder.path()).arg(&source).status().unwrap();
    assert!(compiled.success());
    let mut java = Command::new(jdk.java());
    java.arg("-XX:+UseSerialGC").arg("-cp").arg(folder.path()).arg("Stress").arg(iterations.to_string());
    let output = if pin { worker::pinned(&mut java).output() } else { java.output() }.unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

const STRESS: &str = "
import java.util.Vector;

public class Stress {
    public static void main(String[] args) throws Exception {
        int iterations = Integer.parseInt(args[0]);
        run(iterations / 4);
        long start = System.nanoTime();
        run(iterations);
        System.out.println(iterations * 1e9 / (System.nanoTime() - start));
    }

    static void run(int iterations) throws Exception {
        for (int i = 0; i < iterations; i++) {
            Vector<String> vector = new Vector<>();
            Thread one = new Thread(() -> vector.add(\"a\"));
            Thread two = new Thread(() -> vector.add(\"b\"));
            one.start();
            two.start();
            one.join();
            two.join();
        }
    }
}
";

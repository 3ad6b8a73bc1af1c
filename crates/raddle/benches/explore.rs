//! How soon each explorer finds the failures of the fixtures, and how fast they go.
//!
//!     cargo bench -p raddle --bench explore
//!
//! For each explorer the executions until the first failure, as the mean over 20 seeds for each fail fixture; then
//! traces a second of complete reduction and schedules a second of the sweep, in a worker pinned to one core, on tests of
//! growing size. Behind `--`, of `failures`, `growth`, `sweep` and `large` those that are wanted.

#[path = "shared/estimate.rs"]
mod estimate;
#[path = "../tests/engine/fixtures.rs"]
mod fixtures;
#[path = "../tests/engine/worker.rs"]
mod worker;

use classpath::Jdk;
use estimate::{Estimate, estimate};
use host::Limits;
use raddle::worker::protocol::{Explore, Explorer, Job, Plan};
use std::time::Instant;
use testcase::{Argument, Call, Operation, TestCase};
use worker::Worker;

const EXPLORERS: [(&str, Explorer); 7] = [
    ("auto", Explorer::Auto),
    ("sweep", Explorer::Sweep),
    ("dpor", Explorer::Dpor),
    ("pct", Explorer::Pct),
    ("pos", Explorer::Pos),
    ("surw", Explorer::Surw),
    ("random", Explorer::Random),
];

/// Whoever has not found anything after so many executions is taken to have needed so many.
const MOST: u64 = 2_000;

fn plan(explorer: Explorer, seed: u64, executions: u64) -> Explore {
    Explore {
        explorer,
        seed,
        executions,
        events: None,
        millis: None,
        first: true,
        explain_millis: 0,
        must_end: false,
        may_lengthen: false,
        events_alone: None,
    }
}

fn main() {
    // `cargo test` runs this too; then once is enough.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let jdk = Jdk::installed().into_iter().find(|jdk| jdk.javac().is_file()).expect("this needs a JDK");
    println!("JDK {}", jdk.version);
    let parts: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let unknown = parts.iter().find(|part| !["failures", "growth", "sweep", "large"].contains(&part.as_str()));
    assert!(unknown.is_none(), "no such part: {unknown:?}");
    let wants = |part: &str| parts.is_empty() || parts.iter().any(|it| it == part);
    if wants("failures") {
        to_first_failure(&jdk, if quick { 1 } else { 20 }, if quick { 3 } else { usize::MAX });
    }
    if wants("growth") {
        growth(&jdk, if quick { 20 } else { 20_000 });
    }
    if wants("sweep") {
        sweep(&jdk, if quick { 2 } else { 3_000 });
    }
    if wants("large") && !quick {
        large(&jdk);
    }
}

/// What is known in the end of fixtures that have more traces than tests have time for.
fn large(jdk: &Jdk) {
    const EXECUTIONS: u64 = 150_000;
    let fixtures = fixtures::all("large", jdk);
    let folder = tempfile::tempdir().unwrap();
    fixtures::compile(jdk, &fixtures, folder.path());
    let mut worker = Worker::start_pinned(jdk, folder.path(), &[]);
    let each = |fixture| [("auto", Explorer::Auto), ("dpor", Explorer::Dpor)].map(|explorer| (fixture, explorer));
    for (fixture, (by, explorer)) in fixtures.iter().flat_map(each) {
        let begun = Instant::now();
        let report = worker.run(&fixture.job(Plan::Explore(plan(explorer, 1, EXECUTIONS))));
        let (explored, seconds) = (report.explored.unwrap(), begun.elapsed().as_secs_f64());
        assert!(explored.findings.is_empty(), "{}: {:#?}", fixture.name, explored.findings);
        let known = match (explored.certificate, explored.covered) {
            (Some(certificate), _) => format!("certified, {} traces", certificate.traces),
            (None, Some(most)) => format!("not certified, every schedule with at most {most} preemptions"),
            (None, None) => "not certified".into(),
        };
        let (executions, redundant) = (report.executions, explored.redundant);
        println!("{by}: {}: {known}; {executions} executions, {redundant} redundant, {seconds:.1} s", fixture.name);
    }
}

fn to_first_failure(jdk: &Jdk, seeds: u64, most_fixtures: usize) {
    let fixtures = fixtures::all("fail", jdk);
    let folder = tempfile::tempdir().unwrap();
    fixtures::compile(jdk, &fixtures, folder.path());
    let mut worker = Worker::start_pinned(jdk, folder.path(), &[]);
    for (name, explorer) in EXPLORERS {
        let (mut means, mut missed) = (Vec::new(), 0);
        for fixture in fixtures.iter().take(most_fixtures) {
            let mut sum = 0;
            for seed in 1..=seeds {
                let report = worker.run(&fixture.job(Plan::Explore(plan(explorer, seed, MOST))));
                let found = report.explored.unwrap().findings.first().map(|finding| finding.executions_to_find);
                missed += found.is_none() as u64;
                sum += found.unwrap_or(MOST);
            }
            means.push(sum as f64 / seeds as f64);
        }
        means.sort_by(f64::total_cmp);
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let at = |share: f64| means[((means.len() - 1) as f64 * share) as usize];
        println!(
            "{name}: {mean:.1} executions to the first failure in the mean over {} fixtures, median {:.1}, 90 % within {:.1}; {missed} of {} runs found nothing within {MOST}",
            means.len(),
            at(0.5),
            at(0.9),
            means.len() as u64 * seeds
        );
    }
}

/// Threads that each call `add` on one `Vector` so many times.
fn vector(threads: usize, calls: usize, explorer: Explorer, executions: u64) -> Job {
    let class = "java/util/Vector".to_owned();
    let add = Call {
        operation: Operation::Virtual {
            class: class.clone(),
            name: "add".into(),
            descriptor: "(Ljava/lang/Object;)Z".into(),
            receiver: Argument::Value(0),
        },
        arguments: vec![Argument::Null],
    };
    let new =
        Call { operation: Operation::Construct { class: class.clone(), descriptor: "()V".into() }, arguments: vec![] };
    Job {
        test: TestCase { prefix: vec![new], suffixes: vec![vec![add; calls]; threads], probes: vec![] },
        under_test: vec![class],
        plan: Plan::Explore(Explore { first: false, ..plan(explorer, 1, executions) }),
        limits: Limits::default(),
        opened: vec![],
    }
}

fn growth(jdk: &Jdk, executions: u64) {
    let folder = tempfile::tempdir().unwrap();
    let mut worker = Worker::start_pinned(jdk, folder.path(), &[]);
    worker.run(&vector(2, 1, Explorer::Random, executions));
    for (name, explorer) in [("dpor", Explorer::Dpor), ("random", Explorer::Random)] {
        for (threads, calls) in [(2, 1), (2, 2), (2, 4), (2, 8), (3, 1), (3, 2), (4, 1), (4, 2)] {
            let begun = Instant::now();
            let report = worker.run(&vector(threads, calls, explorer, executions));
            let seconds = begun.elapsed().as_secs_f64();
            let certificate = report.explored.and_then(|explored| explored.certificate);
            println!(
                "{name}: {threads} threads of {calls} calls, {} events: {} executions, {:.1} us each{}",
                report.shown.events.len(),
                report.executions,
                seconds * 1e6 / report.executions as f64,
                certificate.map_or(String::new(), |certificate| format!(", all {} traces", certificate.traces))
            );
        }
    }
}

/// What a schedule of the sweep costs: the median over pairs of jobs, one that sweeps and one that ends after one schedule, run one after
/// the other so that what else the machine does falls on both.
fn sweep(jdk: &Jdk, pairs: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut worker = Worker::start_pinned(jdk, folder.path(), &[]);
    worker.run(&vector(2, 1, Explorer::Random, pairs as u64 * 10));
    let mut timed = |most| {
        let job = vector(2, 1, Explorer::Sweep, most);
        let begun = Instant::now();
        let schedules = worker.run(&job).executions;
        (schedules as f64, begun.elapsed().as_secs_f64() * 1e6)
    };
    let pairs: Vec<_> = (0..pairs).map(|_| (timed(u64::MAX), timed(1))).collect();
    let ((swept, _), (one, _)) = pairs[0];
    let with_job = estimate(pairs.iter().map(|((_, sweep), _)| sweep / swept));
    let further = estimate(pairs.iter().map(|((_, sweep), (_, job))| (sweep - job) / (swept - one)));
    println!(
        "sweep: {swept} schedules a job, medians of {} pairs of jobs: {} us a schedule with its share of the job, {} us for each further one",
        pairs.len(),
        within(with_job),
        within(further)
    );
}

fn within(Estimate { middle, bounds }: Estimate) -> String {
    let bounds = bounds.map_or("too few for bounds".into(), |(low, high)| format!("95 %: {low:.2} to {high:.2}"));
    format!("{middle:.2} ({bounds})")
}

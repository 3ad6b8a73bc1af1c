//! Explorers on toy programs: schedules to the first failure, executions a second, growth. Prints Markdown tables.

#[path = "../tests/suite/programs.rs"]
#[allow(dead_code)]
mod programs;
#[path = "../tests/suite/toy/mod.rs"]
mod toy;

use explore::*;
use programs::*;
use schedule::{Choice, Event, EventKind, ObjectId, SiteId, Step, ThreadId, Trace};
use std::time::{Duration, Instant};
use toy::{Extras, Num, Op, Program, Ran, run_with};

const SEEDS: u64 = 20;
const LIMIT: usize = 10_000;

type Fails = fn(&Ran) -> bool;

fn failing() -> Vec<(&'static str, Program, Fails)> {
    let lost: Fails = |ran| ran.outcome.variables[0] < 4;
    let stuck: Fails = |ran| !ran.outcome.stuck.is_empty();
    let failed: Fails = |ran| ran.outcome.failed;
    vec![
        ("lost update, 2 x 2 increments", increments(2, 2), lost),
        ("all but two updates lost, 2 x 4", increments(2, 4), |ran| ran.outcome.variables[0] == 2),
        ("check then act, 2 threads", check_then_act(2), failed),
        ("check then act after 10 other events", delayed(10), failed),
        ("check then act before 40 others", check_then_act_before_more(40), failed),
        ("unfinished publication", publication(), failed),
        ("accounts, money lost", accounts(), |ran| ran.outcome.variables.iter().sum::<i64>() != 0),
        ("2 philosophers", philosophers(2, false), stuck),
        ("4 philosophers", philosophers(4, false), stuck),
        ("lost notification", lost_notification(), stuck),
        ("the wrong one notified", notified_wrong(), stuck),
    ]
}

/// Check then act, where each thread does other things first, one more than the other.
fn delayed(events: usize) -> Program {
    let mut program = check_then_act(2);
    for (number, thread) in program.threads.iter_mut().enumerate() {
        let before = events * (number + 1);
        thread.iter_mut().for_each(|op| {
            if let Op::IfNot { to, .. } = op {
                *to += before;
            }
        });
        let var = 2 + number;
        thread.splice(0..0, (0..before).map(|_| Op::Write { var, value: Num::Const(1) }));
    }
    program.variables = 4;
    program
}

/// An execution with what the explorer makes of it.
fn step(program: &Program, explorer: &mut dyn Explorer, extras: Extras) -> Option<(Ran, Learnt)> {
    let mut scheduler = explorer.next()?;
    let ran = run_with(program, &mut *scheduler, extras, 10_000);
    let learnt = explorer.finish(&ran.execution());
    Some((ran, learnt))
}

fn dpor() -> Dpor {
    Dpor::new(DporSettings { max_events_a_thread: Some(200) })
}

fn explorers(seed: u64) -> Vec<(&'static str, Box<dyn Explorer>)> {
    let settings = DporSettings { max_events_a_thread: Some(200) };
    vec![
        ("auto", Box::new(Auto::new(AutoSettings { dpor: settings, seed, ..AutoSettings::default() }))),
        ("sweep", Box::new(Sweep::default())),
        ("dpor", Box::new(dpor())),
        ("bounded", Box::new(Bounded::new(4))),
        ("surw", Box::new(Surw::new(seed))),
        ("pos", Box::new(Pos::new(seed))),
        ("pct-3", Box::new(Pct::new(seed, 3))),
        ("random", Box::new(Random::new(seed))),
    ]
}

fn first_failures() {
    let names: Vec<_> = explorers(0).into_iter().map(|(name, _)| name).collect();
    println!("\n## Schedules to the first failure\n");
    println!("| program | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
    for (name, program, fails) in failing() {
        let mut cells = Vec::new();
        for kind in 0..names.len() {
            let (mut sum, mut missed) = (0, 0);
            for seed in 1..=SEEDS {
                let (_, mut explorer) = explorers(seed).swap_remove(kind);
                let mut found = None;
                for count in 1..=LIMIT {
                    let Some((ran, _)) = step(&program, &mut *explorer, Extras::default()) else { break };
                    if fails(&ran) {
                        found = Some(count);
                        break;
                    }
                }
                found.map_or_else(|| missed += 1, |count| sum += count);
            }
            let found = SEEDS as usize - missed;
            cells.push(match (found, missed) {
                (0, _) => "not found".to_string(),
                (_, 0) => format!("{:.1}", sum as f64 / found as f64),
                _ => format!("{:.1} ({missed} missed)", sum as f64 / found as f64),
            });
        }
        println!("| {name} | {} |", cells.join(" | "));
    }
}

struct Timed {
    counts: DporCounts,
    events: usize,
    time: Duration,
}

fn complete(program: &Program, extras: Extras) -> Timed {
    let mut dpor = dpor();
    let (start, mut events) = (Instant::now(), 0);
    while let Some((ran, _)) = step(program, &mut dpor, extras) {
        events += ran.trace.steps.len();
    }
    assert!(dpor.is_complete());
    Timed { counts: dpor.counts(), events, time: start.elapsed() }
}

fn print_complete(name: &str, program: &Program) {
    let timed = complete(program, Extras::default());
    let executions = timed.counts.traces + timed.counts.redundant;
    // The same number of executions under a random walk: what the toy machine costs by itself.
    let (start, mut walk, mut walked) = (Instant::now(), Random::new(1), 0);
    for _ in 0..executions {
        walked += step(program, &mut walk, Extras::default()).map_or(0, |(ran, _)| ran.trace.steps.len());
    }
    let (micros, alone) = (timed.time.as_secs_f64() * 1e6, start.elapsed().as_secs_f64() * 1e6);
    println!(
        "| {name} | {} | {} | {:.1} | {:.0} | {:.1} | {:.1} |",
        timed.counts.traces,
        timed.counts.redundant,
        timed.events as f64 / executions as f64,
        executions as f64 / micros * 1e6,
        micros / executions as f64,
        alone / executions as f64 * (timed.events as f64 / walked as f64),
    );
}

const COMPLETE: &str = "| program | traces | redundant | events | executions a second | us each | of that the toy machine |\n|---|---:|---:|---:|---:|---:|---:|";

fn complete_exploration() {
    println!("\n## Complete exploration\n\n{COMPLETE}");
    print_complete("2 x 8 atomic increments", &atomic_increments(2, 8));
    print_complete("3 x 3 atomic increments", &atomic_increments(3, 3));
    print_complete("2 x 4 increments, read and write", &increments(2, 4));
    print_complete("2 x 6 locked increments", &locked_increments(2, 6));
    print_complete("8 philosophers", &philosophers(8, false));
    print_complete("10 readers, 1 writer", &readers(10));
    print_complete("indexer, 15 threads", &indexer(15));
    print_complete("last zero, 10", &last_zero(10));
    print_complete("accounts", &accounts());
    println!("\n## Growth with events: 2 threads, m atomic increments each\n\n{COMPLETE}");
    (2..=9).for_each(|m| print_complete(&format!("m = {m}"), &atomic_increments(2, m)));
    println!("\n## Growth with threads: n threads, one atomic increment each\n\n{COMPLETE}");
    (2..=8).for_each(|n| print_complete(&format!("n = {n}"), &atomic_increments(n, 1)));
}

type Make = fn() -> Box<dyn Explorer>;

/// Two threads of ten writes each, run by as little as possible, so that what is left is the explorer.
fn choosing() {
    println!("\n## What choosing costs: 2 threads, 10 events each, nothing run\n");
    println!("| explorer | schedules | ns a schedule | decisions a schedule |\n|---|---:|---:|---:|");
    let make: [(&str, Make); 7] = [
        ("sweep", || Box::new(Sweep::default())),
        ("dpor", || Box::new(dpor())),
        ("bounded", || Box::new(Bounded::new(2))),
        ("pos", || Box::new(Pos::new(1))),
        ("pct-3", || Box::new(Pct::new(1, 3))),
        ("surw", || Box::new(Surw::new(1))),
        ("random", || Box::new(Random::new(1))),
    ];
    for (name, make) in make {
        let (mut schedules, mut decisions, mut trace) = (0u64, 0u64, Trace::default());
        let mut time = Duration::ZERO;
        while schedules < 100_000 {
            let mut explorer = make();
            let start = Instant::now();
            for _ in 0..20_000 {
                let Some(mut scheduler) = explorer.next() else { break };
                decisions += bare(&mut *scheduler, &mut trace);
                explorer.finish(&Execution { trace: &trace, pending: &[], timed_out: &[], end: End::Done });
                schedules += 1;
            }
            time += start.elapsed();
        }
        let nanos = time.as_secs_f64() * 1e9 / schedules as f64;
        println!("| {name} | {schedules} | {nanos:.0} | {:.1} |", decisions as f64 / schedules as f64);
    }
}

fn bare(scheduler: &mut dyn schedule::Scheduler, trace: &mut Trace) -> u64 {
    const EVENTS: u32 = 10;
    // Every other event is on a place that the two share.
    let event = |thread: u32, done: u32| {
        let object = if done.is_multiple_of(2) { 0 } else { 1 + thread };
        Event { kind: EventKind::Write, object: ObjectId(object), slot: 0, site: SiteId(thread * 100 + done) }
    };
    trace.steps.clear();
    let (mut done, mut decisions, mut last) = ([0u32; 2], 0, None);
    loop {
        let mut runnable = [(ThreadId(0), event(0, 0)); 2];
        let mut count = 0;
        for (thread, &done) in done.iter().enumerate().filter(|&(_, &done)| done < EVENTS) {
            runnable[count] = (ThreadId(thread as u16 + 1), event(thread as u32, done));
            count += 1;
        }
        if count == 0 {
            return decisions;
        }
        decisions += 1;
        let choice = Choice { trace, last, runnable: &runnable[..count] };
        let Ok(turn) = scheduler.choose(&choice) else { return decisions };
        last = Some(turn.thread);
        let thread = turn.thread.0 as usize - 1;
        for _ in 0..turn.events.min(EVENTS - done[thread]) {
            trace.steps.push(Step { thread: turn.thread, event: event(thread as u32, done[thread]) });
            done[thread] += 1;
        }
    }
}

fn main() {
    choosing();
    complete_exploration();
    first_failures();
}

//! Samplers have the distributions that they promise. Seeds are fixed, so nothing here is left to chance; the bounds
//! are five standard deviations wide, and a sampler that is wrong in the obvious way is far outside them.

use explore::{End, Execution, Explorer, Pct, Pos, Random, Surw};
use schedule::{Choice, Event, EventKind, ObjectId, Scheduler, SiteId, Step, ThreadId, Trace};
use std::collections::BTreeMap;

fn write(object: u32) -> Event {
    Event { kind: EventKind::Write, object: ObjectId(object), slot: 0, site: SiteId(object) }
}

/// Runs threads that only write these objects, with numbers from 1, and gives the order of threads.
fn interleave(scheduler: &mut dyn Scheduler, threads: &[Vec<u32>]) -> Trace {
    let mut trace = Trace::default();
    let mut done = vec![0; threads.len()];
    loop {
        let next = |thread: usize| Some((ThreadId(thread as u16 + 1), write(*threads[thread].get(done[thread])?)));
        let runnable: Vec<_> = (0..threads.len()).filter_map(next).collect();
        if runnable.is_empty() {
            return trace;
        }
        let last = trace.steps.last().map(|step| step.thread);
        let turn = scheduler.choose(&Choice { trace: &trace, last, runnable: &runnable }).unwrap();
        for _ in 0..turn.events {
            let thread = turn.thread.0 as usize - 1;
            let Some(&object) = threads[thread].get(done[thread]) else { break };
            done[thread] += 1;
            trace.steps.push(Step { thread: turn.thread, event: write(object) });
        }
    }
}

/// How often each order of the events on object 0 came.
fn orders(explorer: &mut dyn Explorer, threads: &[Vec<u32>], times: usize) -> BTreeMap<Vec<u16>, usize> {
    let mut orders = BTreeMap::new();
    for _ in 0..times {
        let trace = interleave(&mut *explorer.next().unwrap(), threads);
        explorer.finish(&Execution { trace: &trace, pending: &[], timed_out: &[], end: End::Done });
        let on_it = trace.steps.iter().filter(|step| step.event.object == ObjectId(0));
        *orders.entry(on_it.map(|step| step.thread.0).collect()).or_default() += 1;
    }
    orders
}

#[track_caller]
fn check_about(count: usize, times: usize, probability: f64) {
    let (mean, deviation) = (times as f64 * probability, (times as f64 * probability * (1.0 - probability)).sqrt());
    let off = (count as f64 - mean).abs() / deviation;
    assert!(off < 5.0, "{count} of {times} is {off:.1} deviations from {mean:.0}");
}

const TIMES: usize = 20_000;

/// The first thread has eight events of its own before the one that matters.
fn late() -> Vec<Vec<u32>> {
    vec![vec![1, 1, 1, 1, 1, 1, 1, 1, 0], vec![0]]
}

#[test]
fn a_random_walk_rarely_lets_the_late_one_go_first() {
    let orders = orders(&mut Random::new(1), &late(), TIMES);
    check_about(orders[&vec![1, 2]], TIMES, 1.0 / 512.0);
}

#[test]
fn pos_lets_the_late_one_go_first_if_all_its_events_beat_the_other() {
    let orders = orders(&mut Pos::new(1), &late(), TIMES);
    check_about(orders[&vec![1, 2]], TIMES, 1.0 / 10.0);
}

#[test]
fn pos_draws_anew_for_events_that_lost_a_race() {
    // Without that the one that lost once would lose again with probability 2/3.
    let orders = orders(&mut Pos::new(2), &[vec![0, 0], vec![0, 0]], TIMES);
    let same = orders[&vec![1, 1, 2, 2]] + orders[&vec![2, 2, 1, 1]];
    check_about(same, TIMES, 0.5);
    check_about(orders[&vec![1, 2, 1, 2]], TIMES, 0.125);
}

#[test]
fn pct_preempts_at_each_point_alike() {
    // The second thread whole after just so many events of the first: first the first, and one point of twelve.
    let threads = [vec![0; 6], vec![0; 6]];
    let mut pct = Pct::new(3, 2);
    // The first execution tells how many events there are.
    orders(&mut pct, &threads, 1);
    let orders = orders(&mut pct, &threads, TIMES);
    for at in 1..6 {
        let mut order = vec![1; at];
        order.extend([2; 6]);
        order.extend(vec![1; 6 - at]);
        check_about(orders.get(&order).copied().unwrap_or(0), TIMES, 1.0 / 24.0);
    }
    assert!(orders.keys().all(|order| order.windows(2).filter(|pair| pair[0] != pair[1]).count() <= 2));
}

#[test]
fn pct_of_depth_one_never_preempts() {
    let orders = orders(&mut Pct::new(4, 1), &[vec![0; 4], vec![0; 4]], 1000);
    assert_eq!(orders.len(), 2);
    check_about(orders[&vec![1, 1, 1, 1, 2, 2, 2, 2]], 1000, 0.5);
}

#[test]
fn surw_is_uniform_over_interleavings() {
    let threads = [vec![0; 2], vec![0; 6]];
    let mut surw = Surw::new(5);
    orders(&mut surw, &threads, 1);
    let uniform = orders(&mut surw, &threads, TIMES);
    assert_eq!(uniform.len(), 28);
    uniform.values().for_each(|&count| check_about(count, TIMES, 1.0 / 28.0));
    // A random walk is not.
    let walk = orders(&mut Random::new(5), &threads, TIMES);
    check_about(walk[&vec![1, 1, 2, 2, 2, 2, 2, 2]], TIMES, 0.25);
}

#[test]
fn surw_is_not_misled_by_events_of_no_interest() {
    let threads = [vec![1, 1, 1, 1, 1, 1, 1, 1, 0, 0], vec![0, 0]];
    let mut surw = Surw::new(6);
    orders(&mut surw, &threads, 1);
    let orders = orders(&mut surw, &threads, TIMES);
    assert_eq!(orders.len(), 6);
    orders.values().for_each(|&count| check_about(count, TIMES, 1.0 / 6.0));
}

//! How much is done: the estimate ends at all of it, and grows on the way.

use crate::programs::*;
use crate::toy::{Program, run};
use explore::{Auto, AutoSettings, Dpor, DporSettings, Explorer};

/// The estimate after each execution.
fn estimates(program: &Program) -> Vec<f64> {
    let mut dpor = Dpor::new(DporSettings { max_events_a_thread: Some(10_000) });
    assert_eq!(dpor.explored_part(), Some(0.0), "nothing was run");
    let mut estimates = Vec::new();
    while let Some(mut scheduler) = dpor.next() {
        let ran = run(program, &mut *scheduler);
        dpor.finish(&ran.execution());
        estimates.push(dpor.explored_part().expect("nothing unexpected happens"));
    }
    estimates
}

#[test]
fn an_estimate_grows_until_everything_was_run() {
    let programs = [
        ("increments", increments(3, 2)),
        ("atomic", atomic_increments(3, 3)),
        ("locked", locked_increments(3, 2)),
        ("philosophers", philosophers(4, false)),
        ("readers", readers(8)),
        ("last zero", last_zero(5)),
        ("spin lock", spin_lock(2)),
    ];
    for (name, program) in programs {
        let estimates = estimates(&program);
        assert_eq!(estimates.last(), Some(&1.0), "{name}");
        assert!(estimates.iter().all(|part| (0.0..=1.0).contains(part)), "{name}: {estimates:?}");
        let count = estimates.len();
        let drop = estimates.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
        let at = |quarter: usize| estimates[count * quarter / 4];
        println!("{name}: {count} executions, {:.2} {:.2} {:.2}, largest drop {drop:.2}", at(1), at(2), at(3));
        // Where a loop becomes known all is begun anew, and the estimate with it.
        if name != "spin lock" {
            assert!(at(1) <= at(2) && at(2) <= at(3) && at(3) < 1.0, "{name}: {estimates:?}");
            assert!(drop < 0.5, "{name} goes back by {drop}");
        }
    }
}

#[test]
fn where_executions_are_sampled_nothing_is_estimated() {
    let program = increments(3, 2);
    let mut auto = Auto::new(AutoSettings { reduction_budget: 10, ..AutoSettings::default() });
    let mut said = Vec::new();
    for _ in 0..500 {
        let Some(mut scheduler) = auto.next() else { break };
        let ran = run(&program, &mut *scheduler);
        auto.finish(&ran.execution());
        said.push(auto.explored_part().is_some());
    }
    let first = said.iter().position(|&said| said).expect("complete reduction says how far it is");
    assert_eq!(said[..first + 10], [vec![false; first], vec![true; 10]].concat());
    assert!(!said[said.len() - 1] && auto.certificate().is_none());
}

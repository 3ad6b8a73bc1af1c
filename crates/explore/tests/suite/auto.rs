//! The automatic order.

use crate::programs::*;
use crate::toy::{Extras, Program, Ran, explore};
use explore::{Auto, AutoSettings, Bounded, Bounds, Certificate, Dpor, DporSettings, Explorer, Phase};

fn auto(program: &Program, budget: u64, executions: usize, mut see: impl FnMut(&Ran)) -> Auto {
    let dpor = DporSettings { max_events_a_thread: Some(100) };
    let mut auto = Auto::new(AutoSettings { reduction_budget: budget, dpor, ..AutoSettings::default() });
    explore(program, &mut auto, Extras::default(), 10_000, executions, |ran, _| see(ran));
    auto
}

fn certificate(program: &Program) -> Certificate {
    let mut fails = false;
    let auto = auto(program, 100_000, 200_000, |ran| fails |= ran.outcome.failed);
    assert!(!fails);
    auto.certificate().expect("everything was run")
}

#[test]
fn what_was_explored_is_certified_with_its_bounds() {
    let none = Bounds::default();
    let expected = |traces, bounds, race_free| Certificate { traces, redundant: 0, bounds, race_free };
    assert_eq!(certificate(&locked_increments(2, 3)), expected(20, none, true));
    assert_eq!(certificate(&readers(4)), expected(16, none, false));
    assert_eq!(certificate(&spin(true)), expected(3, Bounds { loops: true, ..none }, true));
    let endless = certificate(&endless());
    assert_eq!((endless.bounds.events_a_thread, endless.bounds.loops), (Some(100), false));
    let sleeps = {
        use crate::toy::{Num, Op};
        let write = Op::VolatileWrite { var: 0, value: Num::Const(1) };
        Program::new(1, vec![vec![Op::Sleep(10), write], vec![write]])
    };
    assert_eq!(certificate(&sleeps).bounds, Bounds { timeouts: true, ..none });
}

#[test]
fn past_the_budget_there_is_sampling_and_no_certificate() {
    let auto = auto(&increments(3, 3), 50, 500, |_| {});
    assert_eq!((auto.phase(), auto.executions(), auto.counts().traces), (Phase::Sampling, 500, 50));
    assert_eq!(auto.certificate(), None);
}

#[test]
fn every_failing_program_is_found_out() {
    for program in [check_then_act(2), publication(), check_then_act(3)] {
        let mut found = false;
        auto(&program, 10_000, 20_000, |ran| found |= ran.outcome.failed);
        assert!(found, "{program:?}");
    }
    for program in [philosophers(3, false), lost_notification(), notified_wrong()] {
        let mut found = false;
        auto(&program, 10_000, 20_000, |ran| found |= !ran.outcome.stuck.is_empty());
        assert!(found, "{program:?}");
    }
}

/// Reduction that does not come to its end shares its time with schedules of few preemptions, and says of how many all were run:
/// not before they were.
#[test]
fn what_is_too_large_is_covered_up_to_some_preemptions() {
    let program = increments(2, 8);
    let alone = |bound| {
        let mut bounded = Bounded::new(bound);
        explore(&program, &mut bounded, Extras::default(), 10_000, usize::MAX, |_, _| {}) as u64
    };
    let settings = AutoSettings { reduction_budget: 300, ..AutoSettings::default() };
    let first = |covered: usize| {
        // One execution more each time, until so much is covered.
        let mut auto = Auto::new(settings);
        let mut executions = 0;
        while auto.covered() < Some(covered) {
            executions += explore(&program, &mut auto, Extras::default(), 10_000, 1, |_, _| {}) as u64;
        }
        (auto, executions)
    };
    for bound in [1, 2] {
        let (auto, executions) = first(bound);
        assert_eq!(auto.covered(), Some(bound));
        // Samples of other kinds come between any two of these.
        assert!(executions > 2 * alone(bound), "{executions}, {} with {bound} preemptions", alone(bound));
        assert_eq!((auto.phase() == Phase::Complete, auto.certificate()), (false, None));
    }
}

#[test]
fn a_certificate_takes_reduction_and_a_tenth() {
    let programs = [locked_increments(2, 3), locked_increments(2, 6), readers(4), readers(10), increments(2, 4)];
    for program in programs.iter().chain(&[indexer(12), philosophers(4, true)]) {
        let auto = auto(program, 100_000, 200_000, |_| {});
        let counts = auto.counts();
        let reduced = counts.traces + counts.redundant;
        assert_eq!(auto.phase(), Phase::Complete, "{program:?}");
        let others = auto.executions() - reduced - counts.restarts;
        assert!(10 * others <= reduced, "{others} beside {reduced}: {program:?}");
    }
}

/// What fails is at the beginning of long executions, and reduction starts with the reversals at their end.
#[test]
fn what_reduction_comes_to_last_is_found_by_a_sample() {
    let first = |mut explorer: Box<dyn Explorer>| {
        let (mut executions, mut first) = (0, None);
        explore(&check_then_act_before_more(40), &mut *explorer, Extras::default(), 10_000, 500, |ran, _| {
            executions += 1;
            first = first.or(ran.outcome.failed.then_some(executions));
        });
        first
    };
    assert_eq!(first(Box::new(Dpor::new(DporSettings::default()))), None);
    let found = first(Box::new(Auto::new(AutoSettings::default())));
    assert!(found.is_some_and(|executions| executions < 20), "{found:?}");
}

//! Random toy programs: what orders of whole calls show is never a violation, and what none of them shows is always one.

use crate::toy::{Value, run, run_both, test};
use oracle::{Ended, Oracle, Serial, linearizations};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use testcase::TestCase;

fn programs() -> impl Strategy<Value = TestCase> {
    let call = prop::sample::select(vec!["push1", "push2", "push3", "pop", "size"]);
    let suffixes = prop::collection::vec(prop::collection::vec(call, 0..4), 1..4);
    suffixes.prop_map(|suffixes| test(&suffixes.iter().map(Vec::as_slice).collect::<Vec<_>>()))
}

fn serial(test: &TestCase) -> Serial<Value> {
    let mut serial = Serial::new(test);
    for linearization in linearizations(test) {
        run_both(test, &linearization).into_iter().for_each(|observation| serial.add(observation));
    }
    serial
}

/// All orders, found in another way: by choosing who is next.
fn orders(left: &mut Vec<usize>, so_far: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if left.iter().all(|calls| *calls == 0) {
        visit(so_far);
    }
    for suffix in 0..left.len() {
        if left[suffix] > 0 {
            left[suffix] -= 1;
            so_far.push(suffix);
            orders(left, so_far, visit);
            so_far.pop();
            left[suffix] += 1;
        }
    }
}

fn lengths(test: &TestCase) -> Vec<usize> {
    test.suffixes.iter().map(Vec::len).collect()
}

/// The same programs in every run. `PROPTEST_RNG_SEED` gives others.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = if default.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { default.rng_seed };
    ProptestConfig { rng_seed, failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_order_of_whole_calls_is_never_a_violation(test in programs()) {
        let serial = serial(&test);
        orders(&mut lengths(&test), &mut vec![], &mut |order| {
            assert_eq!(serial.judge(&run(&test, order, false), Oracle::Linearizability), None, "{order:?}");
        });
    }

    #[test]
    fn an_outcome_that_no_order_has_is_always_one(test in programs(), at in any::<prop::sample::Index>(), by in 1..3) {
        let linearizations: Vec<_> = linearizations(&test).collect();
        let mut changed = run(&test, at.get(&linearizations).order(), false);
        let calls: usize = changed.suffixes.iter().map(Vec::len).sum();
        prop_assume!(calls > 0);
        let ended = changed.suffixes.iter_mut().flatten().nth(at.index(calls)).unwrap();
        if let Ended::Returned(Value::Number(number)) = ended {
            *number += by;
        }
        let mut is_some_order = false;
        orders(&mut lengths(&test), &mut vec![], &mut |order| is_some_order |= run(&test, order, false) == changed);
        let violation = serial(&test).judge(&changed, Oracle::Linearizability);
        prop_assert_eq!(violation.is_none(), is_some_order);
    }

    #[test]
    fn as_many_linearizations_as_orders(test in programs()) {
        let mut count = 0;
        orders(&mut lengths(&test), &mut vec![], &mut |_| count += 1);
        let all = linearizations(&test);
        prop_assert_eq!((all.total(), all.count() as u64), (count, count));
    }
}

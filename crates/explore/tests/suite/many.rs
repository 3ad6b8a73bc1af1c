//! Many threads, of which few matter.

use crate::programs::unfinished_among;
use crate::toy::{Extras, explore};
use explore::{Auto, AutoSettings, Explorer, Surw, Sweep};

/// In how many executions the fault is found.
fn found(explorer: &mut dyn Explorer, threads: usize, limit: usize) -> Option<usize> {
    let (mut count, mut first) = (0, None);
    let extras = Extras { shared_code: true, ..Extras::default() };
    explore(&unfinished_among(threads), explorer, extras, 10_000, limit, |ran, _| {
        count += 1;
        if ran.outcome.failed && first.is_none() {
            first = Some(count);
        }
    });
    first
}

#[test]
fn the_pair_that_matters_comes_first_where_most_threads_are_alike() {
    for threads in [10, 100, 500] {
        let sweep = found(&mut Sweep::default(), threads, 20).expect("the sweep finds it");
        assert!(sweep <= 12, "{threads} threads: {sweep} executions");
    }
    let auto = found(&mut Auto::new(AutoSettings::default()), 100, 200);
    assert!(auto.is_some(), "auto finds it");
}

#[test]
fn walks_go_through_more_threads_than_a_word_has_bits() {
    let mut count = 0;
    explore(&unfinished_among(150), &mut Surw::new(1), Extras::default(), 10_000, 5, |ran, _| {
        count += usize::from(ran.outcome.variables[0] == 1);
    });
    assert_eq!(count, 5);
}

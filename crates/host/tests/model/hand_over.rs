//! The baton alone.
//!
//! Each of these changes was tried, and fails all that is here: `Relaxed` in place of `Acquire` in `Baton::take`, or of `AcqRel`
//! in `Baton::pass` (what the one has done is not seen by the other); no `futex::wake`, or a load and a store in place of the
//! exchange in `Baton::wait` (nobody can go on).

use crate::baton::Baton;
use crate::held::Held;
use loom::sync::Arc;
use loom::thread;

/// Two threads hand over to each other so many times, with as many preemptions as are named or any number.
fn back_and_forth(rounds: u32, patience: u32, preemptions: Option<usize>) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        let shared = Arc::new((Baton::default(), Baton::default(), Held::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            let (to, back, held) = &*other;
            for round in 0..rounds {
                to.wait(patience);
                assert_eq!(held.touch(), 2 * round + 1);
                back.pass();
            }
        });
        let (to, back, held) = &*shared;
        for round in 0..rounds {
            assert_eq!(held.touch(), 2 * round);
            to.pass();
            back.wait(patience);
        }
        assert_eq!(held.touch(), 2 * rounds);
        thread.join().unwrap();
    });
}

#[test]
fn nobody_waits_for_ever_and_one_has_it_at_a_time() {
    back_and_forth(1, 0, None);
    back_and_forth(2, 0, Some(3));
}

#[test]
fn nor_where_threads_wait_awake_first() {
    back_and_forth(1, 2, None);
}

#[test]
fn a_pass_before_the_wait_is_kept_for_it() {
    loom::model(|| {
        let shared = Arc::new((Baton::default(), Held::new()));
        let other = shared.clone();
        let thread = thread::spawn(move || {
            other.1.touch();
            other.0.pass();
        });
        thread::yield_now();
        shared.0.wait(0);
        assert_eq!(shared.1.touch(), 1);
        thread.join().unwrap();
    });
}

#[test]
fn three_hand_it_round() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let shared = Arc::new((std::array::from_fn::<_, 3, _>(|_| Baton::default()), Held::new()));
        let threads: Vec<_> = (1..3)
            .map(|number| {
                let shared = shared.clone();
                thread::spawn(move || {
                    shared.0[number].wait(0);
                    assert_eq!(shared.1.touch(), number as u32);
                    shared.0[(number + 1) % 3].pass();
                })
            })
            .collect();
        assert_eq!(shared.1.touch(), 0);
        shared.0[1].pass();
        shared.0[0].wait(0);
        assert_eq!(shared.1.touch(), 3);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

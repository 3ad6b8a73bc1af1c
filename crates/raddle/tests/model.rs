//! The queue of a pool under loom: in every order in which slots, whoever hands in tasks and whoever stops the pool can meet.
//!
//! Each of these changes was tried, and fails what is named: `notify_one` in `stop`, or no `notify_one` in `push` (a slot
//! waits for ever); the lock given up in `begun` between looking and noting (a process lives on).

#[path = "../src/supervisor/queue.rs"]
mod queue;

/// Loom's in place of the standard library's.
mod sync {
    pub use loom::sync::{Condvar, Mutex, MutexGuard};
}

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;
use queue::{Process, Queue};

#[derive(Clone)]
struct Fake(Arc<AtomicBool>);

impl Process for Fake {
    fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn every_task_is_given_out_once() {
    loom::model(|| {
        let shared = Arc::new((Queue::<usize, Fake>::new(2), std::array::from_fn::<_, 2, _>(|_| AtomicUsize::new(0))));
        let slots: Vec<_> = (0..2)
            .map(|_| {
                let shared = shared.clone();
                thread::spawn(move || {
                    let task = shared.0.take().expect("nobody stops it");
                    shared.1[task].fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        (0..2).for_each(|task| shared.0.push(task));
        slots.into_iter().for_each(|slot| slot.join().unwrap());
        assert!(shared.1.iter().all(|times| times.load(Ordering::Relaxed) == 1));
    });
}

#[test]
fn a_stop_lets_every_slot_go_and_no_process_live() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let queue = Arc::new(Queue::<usize, Fake>::new(2));
        let slots: Vec<_> = (0..2)
            .map(|slot| {
                let queue = queue.clone();
                let process = Fake(Arc::new(AtomicBool::new(false)));
                let thread = thread::spawn({
                    let process = process.clone();
                    move || {
                        queue.begun(slot, process);
                        while queue.take().is_some() {}
                    }
                });
                (thread, process)
            })
            .collect();
        queue.push(0);
        queue.stop();
        assert!(queue.is_stopped());
        for (thread, process) in slots {
            thread.join().unwrap();
            assert!(process.0.load(Ordering::Relaxed), "it lives on");
        }
    });
}

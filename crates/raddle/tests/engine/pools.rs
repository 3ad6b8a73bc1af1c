//! Threads of fork/join pools that wait on conditions: the pool makes up for them.

use crate::calls::{compile, invoke, new, once, value};
use crate::jdks;
use crate::worker::Worker;
use raddle::worker::protocol::{Job, Plan};
use testcase::TestCase;

/// The one thread of a pool waits for what another task of the pool does. Without another thread that would be for ever.
const WAITING: &str = r#"
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

public class Waiting {
    private boolean done;

    public void plain() throws Exception { run(new ReentrantLock()); }
    public void fair() throws Exception { run(new ReentrantLock(true)); }

    private void run(ReentrantLock lock) throws Exception {
        Condition condition = lock.newCondition();
        ForkJoinPool pool = new ForkJoinPool(1);
        ForkJoinTask<?> waits = pool.submit(() -> {
            lock.lock();
            try {
                while (!done) {
                    condition.await();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                lock.unlock();
            }
        });
        pool.submit(() -> {
            lock.lock();
            done = true;
            condition.signal();
            lock.unlock();
        });
        waits.get();
    }
}
"#;

#[test]
fn a_pool_makes_up_for_a_thread_that_waits_on_a_condition() {
    for jdk in jdks() {
        let folder = compile(&jdk, &[("Waiting.java", WAITING)]);
        let mut worker = Worker::start(&jdk, folder.path(), &[]);
        for method in ["plain()V", "fair()V"] {
            let call = invoke("Waiting", method, value(0), vec![]);
            let test = TestCase { prefix: vec![new("Waiting")], suffixes: vec![vec![call]], probes: vec![] };
            let plan = Plan::Random { seed: 0, executions: 100, exhaust: true };
            let report = worker.run(&Job { plan, ..once(&test, 0) });
            assert_eq!((report.failures, report.unstable), (0, 0), "JDK {} {method}: {:#?}", jdk.version, report.shown);
            assert!(report.traces > 1, "{method}");
        }
    }
}

//! A worker as a check has it, which does one task again and again.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use classpath::Jdk;
use raddle::check::ONE_COMPILER;
use raddle::supervisor::{Event, Pool, PoolSettings, PrivateFolders, Task};
use raddle::worker::protocol::{Answer, News};

use crate::plain::{Rate, processor_seconds};

/// One worker behind its fence, with the options of a check.
pub struct Again(Pool);

impl Again {
    /// Starts it, with its private folders below this one.
    pub fn start(jdk: &Jdk, class_path: &OsStr, folder: &Path) -> Again {
        let program = env!("CARGO_BIN_EXE_raddle").into();
        let class_path = class_path.to_str().expect("a class path of UTF-8").to_owned();
        let mut settings = PoolSettings::new(program, jdk.home.clone(), class_path);
        settings.workers = 1;
        settings.options = ONE_COMPILER.map(str::to_owned).to_vec();
        let folders = PrivateFolders::new(&folder.join("workers")).expect("a folder for workers");
        Again(Pool::start(settings, folders).expect("a worker"))
    }

    /// Executions of a task that checks a test, over about so much processor time: all of them, also single suffixes and
    /// linearizations, and all that comes between them. None if the worker cannot do the task.
    pub fn rate(&mut self, task: &Task, time: Duration) -> Option<Rate> {
        // Now there is a worker.
        self.once(task)?;
        let worker = newest_child()?;
        let (begun, before) = (Instant::now(), processor_seconds(worker)?);
        let (mut executions, mut used) = (0, 0.0);
        while used < time.as_secs_f64() {
            executions += self.once(task)?;
            used = processor_seconds(worker)? - before;
        }
        let clock = begun.elapsed().as_secs_f64();
        Some(Rate { clock: executions as f64 / clock, processor: executions as f64 / used })
    }

    /// Does the task, and says how many executions that were.
    fn once(&mut self, task: &Task) -> Option<u64> {
        self.0.submit(task.clone());
        let mut executions = 0;
        while let Some(event) = self.0.next() {
            match event.expect("a worker") {
                Event::News(_, News::Spent(spent)) => executions = spent.executions,
                Event::News(..) => {}
                Event::Done(_, outcome) => match outcome.answer {
                    Answer::Done(report)
                        if report.checked.as_ref().is_some_and(|checked| checked.rejected.is_none()) => {}
                    _ => return None,
                },
            }
        }
        Some(executions)
    }
}

/// The worker: nothing else that this process has started is running now.
fn newest_child() -> Option<u32> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?.flatten();
    let children: Vec<String> =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok()).collect();
    children.iter().flat_map(|line| line.split_whitespace()).filter_map(|child| child.parse().ok()).max()
}

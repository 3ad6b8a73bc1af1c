//! A worker process, as the supervisor would have one.

use classpath::Jdk;
use raddle::worker::protocol::{self, Answer, Budget, Job, Ready, Report, Setup};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    is_killed: bool,
    folder: tempfile::TempDir,
}

/// Pins what a command will run, and all its threads, to one core.
#[allow(dead_code)] // For the benchmark.
pub fn pinned(command: &mut Command) -> Command {
    let mut taskset = Command::new("taskset");
    taskset.args(["-c", "0"]).arg(command.get_program()).args(command.get_args());
    taskset
}

#[allow(dead_code)] // Tests and benchmark each use a part.
impl Worker {
    pub fn start(jdk: &Jdk, class_path: &Path, options: &[&str]) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.arg("worker");
        Worker::start_by(command, jdk, class_path, options, &[])
    }

    /// A worker in which a hook does nothing.
    pub fn start_without(hook: &str, jdk: &Jdk, class_path: &Path) -> Worker {
        Worker::start_without_all(&[hook], jdk, class_path)
    }

    /// A worker in which some hooks do nothing.
    pub fn start_without_all(hooks: &[&str], jdk: &Jdk, class_path: &Path) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.arg("worker");
        Worker::start_by(command, jdk, class_path, &[], hooks)
    }

    pub fn start_pinned(jdk: &Jdk, class_path: &Path, options: &[&str]) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        Worker::start_by(pinned(command.arg("worker")), jdk, class_path, options, &[])
    }

    fn start_by(mut command: Command, jdk: &Jdk, class_path: &Path, options: &[&str], left_out: &[&str]) -> Worker {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let setup = Setup {
            java_home: jdk.home.clone(),
            class_path: class_path.to_str().unwrap().to_owned(),
            folder: folder.path().to_owned(),
            options: options.iter().map(|option| option.to_string()).collect(),
            left_out: left_out.iter().map(|hook| hook.to_string()).collect(),
            fence: None,
            supervisor: None,
        };
        protocol::send(&mut input, &setup).unwrap();
        let mut output = child.stdout.take().unwrap();
        let ready = protocol::receive::<Ready>(&mut output).unwrap().expect("the worker is gone");
        assert_eq!(ready.failure, None);
        Worker { child, input: Some(input), output: Some(output), is_killed: false, folder }
    }

    /// The resident memory in kilobytes, the number of open files and the number of threads.
    pub fn usage(&self) -> (u64, usize, usize) {
        let folder = Path::new("/proc").join(self.child.id().to_string());
        let status = std::fs::read_to_string(folder.join("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let resident = line.trim().trim_end_matches(" kB").parse().unwrap();
        let count = |what: &str| std::fs::read_dir(folder.join(what)).unwrap().count();
        (resident, count("fd"), count("task"))
    }

    /// The processor time that it has used, in seconds.
    pub fn processor_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // After the name, which is in brackets: user and system time are the 12th and 13th.
        let ticks = stat.rsplit(')').next().unwrap().split_whitespace().skip(11).take(2);
        ticks.map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
    }

    pub fn ask(&mut self, job: &Job) -> Answer {
        self.ask_within(job, None)
    }

    /// The same with a limit of time, after which nothing can be said.
    pub fn ask_within(&mut self, job: &Job, budget: Budget) -> Answer {
        protocol::send(self.input.as_mut().unwrap(), &(job, budget)).unwrap();
        protocol::receive_reply(self.output.as_mut().unwrap()).unwrap().expect("the worker is gone").answer
    }

    pub fn run(&mut self, job: &Job) -> Report {
        match self.ask(job) {
            Answer::Done(report) => *report,
            Answer::Refused(reason) => panic!("refused: {reason}"),
            Answer::Unknown(reason) => panic!("unknown: {reason}"),
        }
    }
}

/// Time without work after which a worker is held to be stuck.
const IDLE: Duration = Duration::from_secs(10);
/// Less processor time than this in all of it is no work: a virtual machine looks around now and then.
const WORK: f64 = 0.1;
/// Processor seconds after which a worker is held to have no end: several times what any of these jobs takes.
const MOST_WORK: f64 = 20.0;

impl Worker {
    /// Runs a job; None if the worker dies or does not come to an end, and has to be killed. That does not depend
    /// on what else the machine does: only the worker's own time counts.
    #[allow(dead_code)] // For some tests.
    pub fn try_run(mut self, job: &Job) -> Option<Report> {
        protocol::send(self.input.as_mut().unwrap(), &(job, Budget::None)).unwrap();
        let (sender, answers) = std::sync::mpsc::channel();
        let mut output = self.output.take().unwrap();
        std::thread::spawn(move || {
            // Nobody may be there any more to hear it.
            let _ = sender.send(protocol::receive_reply(&mut output).ok().flatten());
        });
        let begun = self.processor_seconds();
        let mut last = (Instant::now(), begun);
        let answer = loop {
            if let Ok(answer) = answers.recv_timeout(Duration::from_millis(100)) {
                break answer.map(|reply| reply.answer);
            }
            let used = self.processor_seconds();
            if used - last.1 >= WORK {
                last = (Instant::now(), used);
            }
            if last.0.elapsed() >= IDLE || used - begun >= MOST_WORK {
                break None;
            }
        };
        let _ = self.child.kill();
        self.input = None;
        self.is_killed = true;
        match answer {
            Some(Answer::Done(report)) => Some(*report),
            _ => None,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker ends when its input does.
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        if !std::thread::panicking() && !self.is_killed {
            assert!(status.success(), "the worker ended with {status}; its folder was {:?}", self.folder.path());
        }
    }
}

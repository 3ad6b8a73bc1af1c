//! A worker process, as the supervisor would have one.

use classpath::Jdk;
use raddle::worker::protocol::{self, Answer, Budget, Job, Ready, Reply, Report, Setup};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
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
        Worker::start_by(command, jdk, class_path, options)
    }

    pub fn start_pinned(jdk: &Jdk, class_path: &Path, options: &[&str]) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        Worker::start_by(pinned(command.arg("worker")), jdk, class_path, options)
    }

    fn start_by(mut command: Command, jdk: &Jdk, class_path: &Path, options: &[&str]) -> Worker {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let setup = Setup {
            java_home: jdk.home.clone(),
            class_path: class_path.to_str().unwrap().to_owned(),
            folder: folder.path().to_owned(),
            options: options.iter().map(|option| option.to_string()).collect(),
            fence: None,
            supervisor: None,
        };
        protocol::send(&mut input, &setup).unwrap();
        let mut output = child.stdout.take().unwrap();
        let ready = protocol::receive::<Ready>(&mut output).unwrap().expect("the worker is gone");
        assert_eq!(ready.failure, None);
        Worker { child, input: Some(input), output, folder }
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

    pub fn ask(&mut self, job: &Job) -> Answer {
        protocol::send(self.input.as_mut().unwrap(), &(job, Budget::None)).unwrap();
        protocol::receive::<Reply>(&mut self.output).unwrap().expect("the worker is gone").answer
    }

    pub fn run(&mut self, job: &Job) -> Report {
        match self.ask(job) {
            Answer::Done(report) => report,
            Answer::Refused(reason) => panic!("refused: {reason}"),
            Answer::Unknown(reason) => panic!("unknown: {reason}"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The worker ends when its input does.
        drop(self.input.take());
        let status = self.child.wait().unwrap();
        if !std::thread::panicking() {
            assert!(status.success(), "the worker ended with {status}; its folder was {:?}", self.folder.path());
        }
    }
}

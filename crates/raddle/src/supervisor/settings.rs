//! How workers are started, and what they may have.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::fence::{Extent, Fence};
use crate::worker::protocol::Setup;

const MEGABYTE: u64 = 1 << 20;

/// The stack of a Java thread, in bytes: HotSpot's default on x86-64.
const STACK: u64 = MEGABYTE;

/// How a pool is run.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// How many workers there are at once. Each may have to wait for another that does a single task in its place.
    pub workers: usize,
    /// The executable that hosts them: our own.
    pub program: PathBuf,
    /// The JDK.
    pub java_home: PathBuf,
    /// The class path of the classes under test.
    pub class_path: String,
    /// What the manifests of the class path name as well: the virtual machine reads it by itself.
    pub by_manifest: Vec<PathBuf>,
    /// Further options of the virtual machines.
    pub options: Vec<String>,
    /// Whether workers are fenced, and how.
    pub fence: Option<Extent>,
    /// What may be read besides the JDK and the class path.
    pub readable: Vec<PathBuf>,
    /// How long a task may take if it does not say so itself.
    pub budget: Duration,
    /// The heap of a worker, in megabytes.
    pub heap: u64,
    /// After so many executions a worker is replaced.
    pub executions_a_worker: u64,
    /// How often a task is begun before being killed is held against it.
    pub attempts: u32,
    /// Whether a worker that finds something has another started beside it, which has run nothing: it will be needed.
    pub spare: bool,
}

impl PoolSettings {
    /// What suits most.
    pub fn new(program: PathBuf, java_home: PathBuf, class_path: String) -> PoolSettings {
        PoolSettings {
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            program,
            java_home,
            class_path,
            by_manifest: Vec::new(),
            options: Vec::new(),
            fence: Some(Extent::Whole),
            readable: Vec::new(),
            budget: Duration::from_secs(60),
            heap: 512,
            executions_a_worker: 10_000_000,
            attempts: 5,
            spare: false,
        }
    }

    /// How many workers suit the machine.
    pub fn most_workers(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    /// With more resident memory than this a worker is ended: twice its heap, and what a virtual machine takes besides.
    pub(super) fn most_memory(&self) -> u64 {
        (2 * self.heap + 1024) * MEGABYTE
    }

    /// Upper bound on the memory that a worker may write to, whether it does or not. The stacks of all threads that can be
    /// controlled count from their start, though little of them is ever resident.
    fn most_writable(&self) -> u64 {
        self.most_memory() + schedule::MAX_THREADS as u64 * STACK
    }

    /// With more than this a worker is replaced between two tasks.
    pub(super) fn spent_memory(&self) -> u64 {
        (self.heap + 512) * MEGABYTE
    }

    /// The options of a virtual machine whose worker has this private folder.
    pub fn options(&self, folder: &Path) -> Vec<String> {
        let mut options = vec![
            format!("-Xmx{}m", self.heap),
            format!("-XX:MaxDirectMemorySize={}m", self.heap),
            "-XX:MaxMetaspaceSize=512m".into(),
            // The same name in every worker for another folder in each: what code under test sees does not tell
            // which worker it is in.
            "-Djava.io.tmpdir=/proc/self/cwd".into(),
            "-Duser.dir=/proc/self/cwd".into(),
            // What the virtual machine says about its crash is read before the folder is removed.
            format!("-XX:ErrorFile={}", crash_report(folder).display()),
            "-XX:-CreateCoredumpOnCrash".into(),
            // It tells of memory that ran out, with the time; that is reported by other means.
            "-Xlog:jvmti=off:stderr".into(),
            // No files of its own elsewhere, no socket to attach to, no limits raised.
            "-XX:-UsePerfData".into(),
            "-XX:+DisableAttachMechanism".into(),
            "-XX:-MaxFDLimit".into(),
        ];
        options.extend(self.options.iter().cloned());
        options
    }

    /// What is said first to a worker whose private folder is this.
    pub(super) fn setup(&self, folder: &Path) -> Setup {
        let fence = self.fence.map(|extent| Fence {
            private: scratch(folder),
            readable: self.readable(folder),
            memory: self.most_writable(),
            file_size: 64 * MEGABYTE,
            extent,
        });
        Setup {
            left_out: Vec::new(),
            java_home: self.java_home.clone(),
            class_path: self.class_path.clone(),
            folder: folder.to_owned(),
            options: self.options(folder),
            fence,
            supervisor: Some(std::process::id()),
        }
    }

    fn readable(&self, folder: &Path) -> Vec<PathBuf> {
        // A virtual machine that writes about its crash looks up names of functions in the program that it is part of.
        let mut paths = vec![self.java_home.clone(), folder.to_owned(), self.program.clone()];
        linked(&self.java_home, &mut paths);
        paths.extend(std::env::split_paths(&self.class_path).filter(|path| !path.as_os_str().is_empty()));
        paths.extend(self.by_manifest.iter().chain(&self.readable).cloned());
        paths
    }
}

/// What symbolic links below a folder lead to: distributions keep parts of a JDK elsewhere.
fn linked(folder: &Path, found: &mut Vec<PathBuf>) {
    // What cannot be read now, the worker cannot read either.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => linked(&entry.path(), found),
            Ok(kind) if kind.is_symlink() => found.extend(entry.path().canonicalize()),
            _ => {}
        }
    }
}

/// The part of a private folder where code under test can write: the current folder of the worker. The rest has the hook
/// classes.
pub(super) fn scratch(folder: &Path) -> PathBuf {
    folder.join("tmp")
}

/// Where a virtual machine writes what it knows about its crash.
pub(super) fn crash_report(folder: &Path) -> PathBuf {
    scratch(folder).join("hs_err.log")
}

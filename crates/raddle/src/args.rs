//! The arguments as they are parsed. What they mean, each command resolves for itself.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

/// Tests Java classes for thread safety on your own JVM.
#[derive(Debug, Parser)]
#[command(name = "raddle", version)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    #[allow(missing_docs)] // Clap takes its help from the arguments.
    Check(CheckArgs),
    #[allow(missing_docs)] // Clap takes its help from the arguments.
    Deps(DepsArgs),
    #[allow(missing_docs)] // Clap takes its help from the arguments.
    Explore(ExploreArgs),
    #[allow(missing_docs)] // Clap takes its help from the arguments.
    Inspect(InspectArgs),
    #[allow(missing_docs)] // Clap takes its help from the arguments.
    Replay(ReplayArgs),
    #[allow(missing_docs)]
    #[command(hide = true)]
    Jobs(JobsArgs),
    /// Hosts a virtual machine for the supervisor. Not for people.
    #[command(hide = true)]
    Worker,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Shows what a class file holds.
///
/// Volatile fields, synchronized methods and methods that enter a monitor are marked with a star. Types
/// are written as in Java source: those of java.lang without their package.
#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// A class, such as java.util.Map.Entry, or the path of a class file.
    ///
    /// If there is a file of this name, the file is shown. A class is looked up on the class path, then
    /// in the JDK.
    #[arg(value_name = "CLASS|FILE")]
    pub target: OsString,

    /// Show the instructions of each method.
    #[arg(long)]
    pub code: bool,

    /// Show only the methods of this name; <init> and <clinit> are names too.
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,

    /// Where to look for classes: folders and jars, separated as for java.
    #[arg(long, value_name = "CP")]
    pub classpath: Option<String>,

    /// The JDK to use; by default JAVA_HOME, then java on PATH, then the usual places.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
}

/// Shows which methods of a class can hurt each other, without running it.
///
/// For each public method: what it reads and writes of what threads share, the locks that protect all of it,
/// and locks that it takes inside others. For each pair: whether one writes what the other reads (conflict),
/// whether no common lock keeps them apart (parallel), and whether they take locks in opposite order.
#[derive(Debug, clap::Args)]
pub struct DepsArgs {
    /// A class, such as java.util.Vector; a package, such as com.acme.*; or a jar or folder, for all classes in it.
    #[arg(value_name = "CLASS|PACKAGE.*|JAR|FOLDER")]
    pub target: String,

    /// Explain the pair of these two methods: names, or names with parameters such as add(Object).
    #[arg(long, value_name = "M1,M2")]
    pub pair: Option<String>,

    /// Write everything that was found out as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Draw the matrix of dependencies.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// Where to look for classes: folders and jars, separated as for java.
    #[arg(long, value_name = "CP")]
    pub classpath: Option<String>,

    /// Where to look for sources, to show lines of them with --pair: folders and archives, separated as for java.
    ///
    /// Looked into after these: sources jars and source folders that lie near the class path, and the JDK's own.
    #[arg(long, value_name = "PATH")]
    pub source_path: Option<String>,

    /// The JDK to use; by default JAVA_HOME, then java on PATH, then the usual places.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,
}

/// Searches classes for violations of thread safety.
///
/// Tests are written for each class: calls that build its objects, and calls that threads then make at once. Each test is run
/// under all schedules that matter. An exception, deadlock or hang is a violation if no order of the same calls, one after the
/// other, ends so. What is found is shrunk, explained, and written down with a Java test that shows it without Raddle.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Classes, such as java.lang.StringBuffer, or packages, such as com.acme.*.
    #[arg(value_name = "CLASS|PACKAGE.*", required = true)]
    pub targets: Vec<String>,

    /// How long to search in each class: 500ms, 60s, 5m. What was found by then is made small and run again for half a minute more at the
    /// most.
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub budget: String,

    /// Upper bound on the work for each class, in events of all executions, besides the budget; by default none. No
    /// test is ended by time then, so that with --jobs 1 the same seed gives the same findings on every machine, as
    /// long as the budget is not spent.
    #[arg(long, value_name = "N")]
    pub effort: Option<u64>,

    /// For what is chosen at random: with --jobs 1 the same seed gives the same tests, and the same findings in the same order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// How many workers run at once; by default one for each core.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// How tests are chosen.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub strategy: StrategyName,

    /// What decides on the next schedule of a test.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub explorer: ExplorerName,

    /// What executions are held against.
    #[arg(long, value_name = "NAME", default_value = "safety")]
    pub oracle: OracleName,

    /// A method that no test calls, such as one that is documented not to be atomic: a name, or a name with parameters such as
    /// add(Object). Can be given several times.
    #[arg(long, value_name = "METHOD")]
    pub skip: Vec<String>,

    /// Stop at the first finding.
    #[arg(long)]
    pub first: bool,

    /// Where findings go.
    #[arg(long, value_name = "DIR", default_value = "raddle-out")]
    pub out: PathBuf,

    /// Write this many of the tests that passed, spread over the check, to DIR/tests/CLASS/NUMBER: each as a Java program
    /// that runs it in a loop, and as JSON. What an earlier check of the class has written there is removed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub keep_tests: usize,

    /// Write the report as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub view: ViewArgs,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
}

/// How tests are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// Pairs of methods that depend on each other, then longer tests of them, then random ones.
    Auto,
    /// Pairs of methods that depend on each other.
    Pairs,
    /// Random calls.
    Random,
}

/// What executions are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OracleName {
    /// How calls end: exceptions, deadlocks and hangs that no order of the calls has.
    Safety,
    /// That, and what calls return.
    Linearizability,
}

/// Runs a concurrent program or test under all its schedules.
///
/// Uncaught exceptions, failed assertions, deadlocks and hangs are found, shown as a timeline and written down to be
/// replayed. If all schedules were run, it says so.
#[derive(Debug, clap::Args)]
pub struct ExploreArgs {
    /// A class with a main, such as com.acme.Main, or a test method, such as com.acme.AccountTest#transfer.
    #[arg(value_name = "CLASS|CLASS#METHOD")]
    pub target: String,

    /// What decides on the next schedule.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub explorer: ExplorerName,

    /// How long to explore: 500ms, 60s, 5m.
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub budget: String,

    /// How many executions to run at the most.
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    pub executions: u64,

    /// For what is chosen at random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Stop at the first finding.
    #[arg(long)]
    pub first: bool,

    /// How many events an execution may have before it is held to have no end: 100000, or more if the program is longer.
    #[arg(long, value_name = "N")]
    pub max_events: Option<usize>,

    /// Let timed waits be over at any moment, and not only when nothing else can go on.
    #[arg(long)]
    pub early_timeouts: bool,

    /// How many waits of each thread may end without cause.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub spurious_wakeups: u32,

    /// Where findings go.
    #[arg(long, value_name = "DIR", default_value = "raddle-out")]
    pub out: PathBuf,

    /// Write the report as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub view: ViewArgs,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
}

/// Runs a finding again.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// What an earlier run has written: raddle-out/ID/finding.json.
    #[arg(value_name = "FINDING.json")]
    pub finding: PathBuf,

    /// How often to run it.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub times: u64,

    /// Wait for a debugger on this port, and run it once under it.
    #[arg(long, value_name = "PORT")]
    pub debug: Option<u16>,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub view: ViewArgs,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
}

/// How findings are shown.
#[derive(Debug, clap::Args)]
pub struct ViewArgs {
    /// Show the whole timeline, however long it is.
    #[arg(long)]
    pub whole: bool,

    /// Where to look for source files besides the places next to the classes: folders and archives.
    #[arg(long, value_name = "PATH")]
    pub source_path: Option<String>,

    /// No progress, and nothing but the verdict.
    #[arg(long)]
    pub quiet: bool,
}

/// Where and how code under test is run.
#[derive(Clone, Debug, clap::Args)]
pub struct RunArgs {
    /// Where to look for classes: folders and jars, separated as for java.
    #[arg(long, value_name = "CP")]
    pub classpath: Option<String>,

    /// The JDK to use; by default JAVA_HOME, then java on PATH, then the usual places.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,

    /// Let the code under test do whatever you can do.
    #[arg(long)]
    pub no_fence: bool,

    /// What the code under test may read, besides the JDK and the class path.
    #[arg(long, value_name = "PATH")]
    pub allow_read: Vec<PathBuf>,

    /// A further option of the virtual machine, such as --add-opens=java.base/java.util=ALL-UNNAMED; may be given many times.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub java_option: Vec<String>,

    /// The heap of the virtual machine in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 512)]
    pub heap: u64,
}

/// What decides on the next schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExplorerName {
    /// Complete reduction with samples beside it, then samples.
    Auto,
    /// One thread whole inside another, at each point.
    Sweep,
    /// Complete partial-order reduction.
    Dpor,
    /// Few changes of priority at random points.
    Pct,
    /// Partial order sampling.
    Pos,
    /// The selectively uniform random walk.
    Surw,
    /// A random walk.
    Random,
}

/// Runs a list of jobs in fenced workers, and reports what came of each. For tests of Raddle itself.
#[derive(Debug, clap::Args)]
pub struct JobsArgs {
    /// The jobs: a JSON object of key, job and maybe budget in each line.
    #[arg(value_name = "FILE")]
    pub list: PathBuf,

    /// Where to look for the classes under test: folders and jars, separated as for java.
    #[arg(long, value_name = "CP", default_value = "")]
    pub classpath: String,

    /// The JDK to use; by default JAVA_HOME, then java on PATH, then the usual places.
    #[arg(long, value_name = "DIR")]
    pub java_home: Option<PathBuf>,

    /// How many workers run at once; by default one for each core.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// Where the journal and the report go.
    #[arg(long, value_name = "DIR", default_value = "raddle-out")]
    pub out: PathBuf,

    /// Go on where an earlier run ended: nothing that is in its journal is done again.
    #[arg(long)]
    pub resume: bool,

    /// Let the code under test do whatever you can do.
    #[arg(long)]
    pub no_fence: bool,

    /// What the code under test may read, besides the JDK and the class path.
    #[arg(long, value_name = "PATH")]
    pub allow_read: Vec<PathBuf>,

    /// A class whose jobs are run even where the kernel has no Landlock to fence them with; may be given many times.
    ///
    /// They could read and write all files that you can. The network, processes and limits are as behind the fence. Jobs
    /// of other classes are not run there. Where there is Landlock, this changes nothing.
    #[arg(long, value_name = "CLASS")]
    pub allow_unfenced: Vec<String>,

    /// How many seconds a job may take, where the list does not say so.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub budget: u64,

    /// The heap of a worker in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 512)]
    pub heap: u64,
}

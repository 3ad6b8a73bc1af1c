//! Executions until `raddle explore` finds a fault or gives a certificate, for each explorer, and
//! how `auto` compares with the best.
//!
//! `cargo bench -p raddle --bench search` runs each program of `fixtures/search`,
//! `fixtures/programs` and `fixtures/fail` that has a fault until the first failure, for at most 20
//! seconds, and each of `fixtures/pass` until its certificate. That takes several hours. After `--`
//! come a number of seconds and beginnings of names, such as `5 QuietTally search/R`.
//!
//! Fixtures without a `main` get one that runs each of their methods in a thread and then `check`. A
//! finding counts only if it is what the header of the program expects. A median is over the seeds;
//! a run without a finding counts as larger than all others.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::process::Command;

use classpath::Jdk;
use serde_json::Value;

/// Default budget of an exploration.
const SECONDS: u64 = 20;
const SEEDS: [u64; 3] = [1, 2, 3];
/// A fixture that interrupts the thread which makes it. Here that thread joins the others, so it
/// fails in another way.
const SKIPPED: &str = "InterruptsMaker";
/// Maximum number of events in an execution of a fixture without a `main`, as in the engine's tests.
/// Certificates depend on it.
const MAX_EVENTS_OF_TESTS: &str = "20000";
const EXPLORERS: [&str; 5] = ["auto", "dpor", "surw", "pos", "random"];

fn main() {
    // `cargo test --benches` runs this too.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let seconds = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(SECONDS);
    let words: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| argument.parse::<u64>().is_err()).collect();
    let is_wanted = |program: &Program| {
        words.is_empty() || words.iter().any(|word| program.class().starts_with(word) || program.name.starts_with(word))
    };
    let jdk = Jdk::installed().into_iter().find(|jdk| jdk.javac().is_file()).expect("this needs a JDK");
    let setting = Setting { jdk, folder: tempfile::tempdir().expect("a folder"), seconds };
    let programs = |of: &str| {
        let mut programs = programs(of, &setting.jdk);
        programs.retain(is_wanted);
        setting.compile(&programs, of);
        programs
    };
    println!("Java {}, {seconds} s at most, seeds {SEEDS:?}", setting.jdk.version);
    let mut faulty: Vec<Program> = ["search", "programs", "fail"].into_iter().flat_map(programs).collect();
    faulty.retain(|program| program.expect.is_some());
    if !faulty.is_empty() {
        faults(&faulty, &setting);
    }
    let sound = programs("pass");
    if !sound.is_empty() {
        certificates(&sound, &setting);
    }
}

/// Prints the executions to the first failure.
fn faults(programs: &[Program], setting: &Setting) {
    println!("\n| program | {} | auto to best |\n|---{}|---|", EXPLORERS.join(" | "), "|---".repeat(EXPLORERS.len()));
    let mut ratios = Ratios::default();
    for program in programs {
        let results = EXPLORERS.map(|explorer| {
            // Nothing in complete reduction is random.
            let seeds = if explorer == "dpor" { &SEEDS[..1] } else { &SEEDS[..] };
            Explored::median(seeds.iter().map(|seed| setting.explore(program, explorer, *seed)).collect())
        });
        ratios.print_row(&program.name, &results);
    }
    ratios.print_summary();
}

/// Prints the executions to the certificate. Samples give none, so only two explorers are asked.
fn certificates(programs: &[Program], setting: &Setting) {
    println!("\n| program | auto | dpor | auto to best |\n|---|---|---|---|");
    let mut ratios = Ratios::default();
    for program in programs {
        let results = ["auto", "dpor"].map(|explorer| setting.explore(program, explorer, SEEDS[0]));
        ratios.print_row(&program.name, &results);
    }
    ratios.print_summary();
}

/// How one explorer ended with one program.
#[derive(Clone, Copy)]
struct Explored {
    /// Whether it found the failure, or gave the certificate, that was asked for.
    reached: bool,
    /// Number of executions until then, or within the budget.
    executions: u64,
}

impl Explored {
    fn median(mut seeds: Vec<Explored>) -> Explored {
        seeds.sort_by_key(|explored| (!explored.reached, explored.executions));
        seeds[seeds.len() / 2]
    }

    fn cell(self) -> String {
        if self.reached { self.executions.to_string() } else { "-".into() }
    }
}

/// The ratios of `auto` to the best explorer, for programs in which any of them reached the end.
#[derive(Default)]
struct Ratios {
    /// Name and ratio of each program.
    known: Vec<(String, f64)>,
    /// Number of programs in which `auto` did not reach the end. Their ratios are lower bounds.
    missed: usize,
    /// Programs in which no explorer reached the end.
    by_none: Vec<String>,
}

impl Ratios {
    /// The first result is that of `auto`.
    fn print_row(&mut self, name: &str, results: &[Explored]) {
        let auto = results[0];
        let best = results.iter().filter(|result| result.reached).map(|result| result.executions).min();
        let ratio = best.map(|best| (auto.executions as f64 / best.max(1) as f64).max(1.0));
        match ratio {
            Some(ratio) => {
                self.known.push((name.to_owned(), ratio));
                self.missed += usize::from(!auto.reached);
            }
            None => self.by_none.push(name.to_owned()),
        }
        let cells: Vec<String> = results.iter().map(|result| result.cell()).collect();
        let bound = if auto.reached { "" } else { "> " };
        let ratio = ratio.map_or("-".into(), |ratio| format!("{bound}{ratio:.2}"));
        println!("| {name} | {} | {ratio} |", cells.join(" | "));
    }

    fn print_summary(&self) {
        let by_ratio = |a: &&(String, f64), b: &&(String, f64)| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal);
        if let Some((name, worst)) = self.known.iter().max_by(by_ratio) {
            let logarithms: f64 = self.known.iter().map(|(_, ratio)| ratio.ln()).sum();
            let mean = (logarithms / self.known.len() as f64).exp();
            let above = self.known.iter().filter(|(_, ratio)| *ratio > 2.0).count();
            let programs = self.known.len();
            println!(
                "\nauto to best: geometric mean {mean:.2}, worst {worst:.2} ({name}), {above} of {programs} above 2."
            );
            if self.missed > 0 {
                println!("auto misses {} of them, whose ratios are lower bounds.", self.missed);
            }
        }
        if !self.by_none.is_empty() {
            println!("\nNo explorer reaches the end of {}.", self.by_none.join(", "));
        }
    }
}

/// A fixture.
struct Program {
    /// Its folder and its class, such as `search/QuietTally`.
    name: String,
    source: PathBuf,
    /// Kind of the finding, or beginning of what it says. None if the program is sound.
    expect: Option<String>,
    /// What the header asks of the explorer.
    options: Vec<String>,
    /// Methods that a `main` has to be written for. Empty if the program has one.
    methods: Vec<&'static str>,
}

/// The programs of a folder below `fixtures/` that a JDK can run.
fn programs(folder: &str, jdk: &Jdk) -> Vec<Program> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder);
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(sources).expect("the fixtures").map(|entry| entry.expect("a fixture").path()).collect();
    sources.sort();
    sources.into_iter().filter_map(|source| Program::read(folder, source, jdk)).collect()
}

impl Program {
    fn read(folder: &str, source: PathBuf, jdk: &Jdk) -> Option<Program> {
        let text = std::fs::read_to_string(&source).expect("the source");
        let header = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("// {key}: ")));
        let is_later = |since: &str| since.parse().is_ok_and(|since: u32| since > jdk.feature);
        let class = source.file_stem()?.to_str()?;
        if class == SKIPPED || header("since").is_some_and(is_later) {
            return None;
        }
        let expect = header("expect").filter(|it| !it.starts_with("certified") && !it.starts_with("unknown"));
        let has_main = text.contains("static void main(");
        let max_events = header("max events").or((!has_main).then_some(MAX_EVENTS_OF_TESTS));
        let numbers = [("--max-events", max_events), ("--spurious-wakeups", header("spurious wake-ups"))];
        let options = numbers.into_iter().filter_map(|(option, number)| Some(format!("{option}={}", number?)));
        let options = options.chain(header("early timeouts").map(|_| "--early-timeouts".to_owned())).collect();
        let is_there = |name: &&str| !has_main && text.contains(&format!("void {name}()"));
        Some(Program {
            name: format!("{folder}/{class}"),
            // A line about the kind may follow it.
            expect: expect.map(|it| it.split(", ").next().unwrap_or(it).replace("too many events", "hang")),
            options,
            methods: ["one", "two", "three", "check"].into_iter().filter(is_there).collect(),
            source,
        })
    }

    /// The parts of its name.
    fn folder_and_class(&self) -> (&str, &str) {
        self.name.split_once('/').expect("a folder and a class")
    }

    fn class(&self) -> &str {
        self.folder_and_class().1
    }

    /// The class to explore.
    fn target(&self) -> String {
        format!("{}{}", self.class(), if self.methods.is_empty() { "" } else { "Main" })
    }

    /// A class with a `main` that does what the harness of `tests/engine` does with the methods.
    fn main_class(&self) -> String {
        let (class, target) = (self.class(), self.target());
        let threads: Vec<&str> = self.methods.iter().copied().filter(|name| *name != "check").collect();
        let body = match threads[..] {
            // A fixture of one method starts its threads itself.
            [only] => format!("test.{only}();\n"),
            _ => {
                let start = |name: &&str| format!("Thread {name} = new Thread(unchecked(test::{name}));\n");
                let mut lines: Vec<String> = threads.iter().map(start).collect();
                lines.extend(threads.iter().map(|name| format!("{name}.start();\n")));
                lines.extend(threads.iter().map(|name| format!("{name}.join();\n")));
                lines.concat()
            }
        };
        let check = if self.methods.contains(&"check") { "test.check();" } else { "" };
        MAIN.replace("TARGET", &target).replace("CLASS", class).replace("BODY", &body).replace("CHECK", check)
    }
}

const MAIN: &str = r#"
public class TARGET {
    interface Part {
        void run() throws Throwable;
    }

    static Runnable unchecked(Part part) {
        return () -> {
            try {
                part.run();
            } catch (Throwable thrown) {
                TARGET.<RuntimeException>rethrow(thrown);
            }
        };
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> void rethrow(Throwable thrown) throws T {
        throw (T) thrown;
    }

    public static void main(String[] arguments) throws Throwable {
        CLASS test = new CLASS();
        BODY
        CHECK
    }
}
"#;

/// What all explorations share.
struct Setting {
    jdk: Jdk,
    /// Holds the findings, and a folder of classes for each folder of fixtures, for some names
    /// occur in two of them.
    folder: tempfile::TempDir,
    /// Budget of an exploration.
    seconds: u64,
}

impl Setting {
    /// Compiles the programs of a folder of fixtures, with the mains that they need.
    fn compile(&self, programs: &[Program], of: &str) {
        if programs.is_empty() {
            return;
        }
        let into = self.folder.path().join(of);
        std::fs::create_dir_all(&into).expect("a folder");
        let mut sources: Vec<PathBuf> = programs.iter().map(|program| program.source.clone()).collect();
        for program in programs.iter().filter(|program| !program.methods.is_empty()) {
            let source = into.join(program.target()).with_extension("java");
            std::fs::write(&source, program.main_class()).expect("a file");
            sources.push(source);
        }
        let output = Command::new(self.jdk.javac()).args(["-g", "-nowarn", "-d"]).arg(into).args(sources).output();
        let output = output.expect("javac");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn explore(&self, program: &Program, explorer: &str, seed: u64) -> Explored {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
        command.arg("explore").arg(program.target()).arg("--java-home").arg(&self.jdk.home);
        command.arg("--classpath").arg(self.folder.path().join(program.folder_and_class().0));
        command.args(["--first", "--explorer", explorer, "--seed", &seed.to_string()]).args(&program.options);
        command.args(["--budget", &format!("{}s", self.seconds), "--json", "-", "--out"]);
        let output = command.arg(self.folder.path().join("found")).output().expect("raddle");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if document.is_null() {
            eprintln!("{} by {explorer}: {}", program.name, String::from_utf8_lossy(&output.stderr));
        }
        let executions = document["executions"].as_u64().unwrap_or_default();
        let Some(expect) = &program.expect else {
            return Explored { reached: document["certificate"].is_object(), executions };
        };
        let finding = &document["findings"][0];
        let says = |key: &str| finding[key].as_str().is_some_and(|said| said.starts_with(&**expect));
        match finding["executions_to_find"].as_u64() {
            Some(executions) if says("kind") || says("what") => Explored { reached: true, executions },
            _ => Explored { reached: false, executions },
        }
    }
}

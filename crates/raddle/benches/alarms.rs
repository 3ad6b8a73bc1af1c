//! Whether `raddle check` stays quiet about classes in which nothing is wrong.
//!
//! `cargo bench -p raddle --bench alarms` checks classes of the JDK that are known to be safe to share, every `pass` fixture and every
//! clean one of `fixtures/classes` on the first JDK, with three seeds and a minute each, and says how much was tried. That takes hours.
//! Behind `--`: a number of seconds for each, `jdk` or `fixtures` for these alone, and words of which one must be in the name of a class,
//! such as `10 jdk Atomic Queue`.
//!
//! It goes on where it was stopped: what a check has said is kept in the target folder, as long as the program is the same.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use classpath::{ClassPath, Jdk};
use serde_json::Value;

const IN_JDK: &[&str] = &[
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.ConcurrentLinkedQueue",
    "java.util.concurrent.ConcurrentLinkedDeque",
    "java.util.concurrent.LinkedBlockingQueue",
    "java.util.Random",
    "java.util.concurrent.locks.ReentrantLock",
    "java.util.concurrent.Semaphore",
];
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
const SECONDS: u64 = 60;

fn main() {
    // `cargo test --benches` runs this too; then a glance is enough.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let given = arguments.iter().find_map(|argument| argument.parse().ok());
    let seconds = given.unwrap_or(if quick { 1 } else { SECONDS });
    let is_kind = |argument: &&String| ["jdk", "fixtures"].contains(&argument.as_str());
    let wants = |kind: &str| !arguments.iter().any(|it| is_kind(&it)) || arguments.iter().any(|it| it == kind);
    let words: Vec<&String> = arguments.iter().filter(|it| it.parse::<u64>().is_err() && !is_kind(it)).collect();
    let jdk = Jdk::installed().into_iter().next().expect("no JDK of Java 17 to 25 was found");
    let compiled = tempfile::tempdir().expect("a folder");
    let kept = kept(&jdk, seconds, quick);
    let mut classes = Vec::new();
    if wants("jdk") {
        classes.extend(of_package(&jdk, "java.util.concurrent.atomic"));
        classes.extend(IN_JDK.iter().map(|class| class.to_string()));
    }
    if wants("fixtures") {
        classes.extend(compile(&jdk, compiled.path()));
    }
    classes.retain(|class| words.is_empty() || words.iter().any(|word| class.contains(*word)));
    classes.truncate(if quick { 1 } else { usize::MAX });
    println!("Java {}, seeds {} to {}, {seconds} s at the most\n", jdk.version, SEEDS.start(), SEEDS.end());
    println!("| class | verdict, a seed each | tests | certified | executions | seconds |");
    println!("|---|---|---|---|---|---|");
    let mut alarms = 0;
    for class in &classes {
        let check = |seed| {
            let file = kept.join(format!("{class}-{seed}-{:08x}", hash(&std::fs::read(source(class)).ok()) as u32));
            run(&jdk, compiled.path(), class, seed, seconds, &file)
        };
        let runs: Vec<Value> = SEEDS.map(check).collect();
        let each = |field: &str| {
            let text = runs.iter().map(|run| match &run[field] {
                Value::String(text) => text.clone(),
                Value::Null => "-".into(),
                number => format!("{:.0}", number.as_f64().unwrap_or_default()),
            });
            text.collect::<Vec<_>>().join(", ")
        };
        alarms += runs.iter().filter(|run| run["verdict"] == "violation").count();
        let [verdict, tests, certified, executions, seconds] =
            ["verdict", "tests", "certified", "executions", "seconds"].map(each);
        println!("| {class} | {verdict} | {tests} | {certified} | {executions} | {seconds} |");
    }
    println!("\n{} classes, {alarms} checks with findings; the reports are in {}.", classes.len(), kept.display());
}

/// Where is kept what this program has said in so many seconds; for a glance a folder of its own, that is empty.
fn kept(jdk: &Jdk, seconds: u64, quick: bool) -> PathBuf {
    let program = std::fs::read(env!("CARGO_BIN_EXE_raddle")).expect("the program");
    let folder = format!("alarms/{:016x}-{}-{seconds}s", hash(&program), jdk.version);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(if quick { "glance".into() } else { folder });
    if quick {
        // There may be none.
        let _ = std::fs::remove_dir_all(&folder);
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// The source of a fixture that is no class of the JDK.
fn source(class: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let of = |kind: &str| folder.join(kind).join(format!("{class}.java"));
    if of("pass").is_file() { of("pass") } else { of("classes") }
}

fn run(jdk: &Jdk, compiled: &Path, class: &str, seed: u64, seconds: u64, kept: &Path) -> Value {
    if let Some(known) =
        std::fs::read(kept.with_added_extension("json")).ok().and_then(|it| serde_json::from_slice(&it).ok())
    {
        return known;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.arg("check").arg(class).arg("--java-home").arg(&jdk.home).arg("--quiet").arg("--json").arg(&report);
    command.arg("--out").arg(folder.path().join("out")).arg("--classpath").arg(compiled);
    command.args(["--seed", &seed.to_string(), "--budget", &format!("{seconds}s")]);
    if std::fs::read_to_string(source(class)).is_ok_and(|text| text.contains("public void check()")) {
        // It says what must hold when all is over, and not meanwhile.
        command.args(["--skip", "check"]);
    }
    let output = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).output().expect("raddle");
    let text = std::fs::read_to_string(report).unwrap_or_default();
    let document: Value = serde_json::from_str(&text).unwrap_or_default();
    if document["classes"][0]["verdict"] == "violation" {
        // Somebody has to say whether it is a true one.
        std::fs::write(kept.with_added_extension("txt"), &output.stdout).expect("the report is kept");
    }
    let said = document["classes"][0].clone();
    // Who was stopped has more to say.
    if !said.is_null() && output.status.code().is_some() {
        std::fs::write(kept.with_added_extension("json"), said.to_string()).expect("what was said is kept");
    }
    said
}

/// The public classes of a package of the JDK, those that are made by others aside.
fn of_package(jdk: &Jdk, package: &str) -> Vec<String> {
    let class_path = ClassPath::of_jdk(jdk).expect("a class path");
    let all = class_path.classes_in(package).expect("a package");
    let outer = all.iter().filter(|name| !name.internal().contains('$') && !name.internal().ends_with("-info"));
    outer.map(|name| name.to_string()).collect()
}

/// Compiles fixtures in which nothing is wrong, and says their names.
fn compile(jdk: &Jdk, to: &Path) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let of = |kind: &str| {
        let entries = std::fs::read_dir(folder.join(kind)).expect("fixtures").flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "java"));
        files.sort();
        files
    };
    let is_clean = |file: &PathBuf| std::fs::read_to_string(file).expect("a source").contains("\n// clean\n");
    let since = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).expect("a source");
        text.lines().find_map(|line| line.strip_prefix("// since: ")?.parse().ok()).unwrap_or(0)
    };
    let mut sources = of("pass");
    sources.retain(|file| since(file) <= jdk.feature);
    sources.extend(of("classes").into_iter().filter(is_clean));
    let status = Command::new(jdk.home.join("bin/javac")).arg("-nowarn").arg("-d").arg(to).args(&sources).status();
    assert!(status.expect("javac").success(), "the fixtures do not compile");
    sources.iter().map(|source| source.file_stem().expect("a name").to_string_lossy().into_owned()).collect()
}

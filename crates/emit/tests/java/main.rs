//! Test cases as Java, held against golden texts, compiled by real compilers and run.

mod calls;
mod cases;
mod compiled;
mod forced;
mod golden;
mod run;

// What the program itself knows of classes; it needs no more than this test has.
#[path = "../../../raddle/src/java_types.rs"]
mod java_types;

use classpath::{ClassPath, Jdk};
use emit::{Program, Request};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use tempfile::TempDir;
use testcase::TestCase;

/// Every JDK on the machine; the tests need at least one.
fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    jdks.retain(|jdk| jdk.javac().is_file() && jdk.feature >= 17);
    assert!(!jdks.is_empty(), "these tests need a JDK: install one, or set JAVA_HOME");
    jdks
}

/// A folder with the classes of these tests, and a JDK to use them with.
struct Bench {
    jdk: Jdk,
    folder: TempDir,
    class_path: ClassPath,
}

impl Bench {
    fn new(jdk: &Jdk) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        copy(&classes(jdk), folder.path());
        let mut class_path = ClassPath::new(jdk.feature);
        class_path.push(folder.path()).unwrap();
        class_path.append(ClassPath::of_jdk(jdk).unwrap());
        Bench { jdk: jdk.clone(), folder, class_path }
    }

    fn types(&self) -> java_types::JavaTypes<'_> {
        java_types::JavaTypes::new(&self.class_path)
    }

    /// Writes a program, and compiles it as its header says.
    fn compile(&self, test: &TestCase, request: &Request<'_>) -> Program {
        let mut programs = self.compile_all(&[(test, request.clone())]);
        programs.pop().expect("one was written")
    }

    fn compile_all(&self, tests: &[(&TestCase, Request<'_>)]) -> Vec<Program> {
        let write = |(test, request): &(&TestCase, Request<'_>)| emit::program(test, request, &self.types()).unwrap();
        let programs: Vec<Program> = tests.iter().map(write).collect();
        self.compile_programs(&programs);
        programs
    }

    fn compile_programs(&self, programs: &[Program]) {
        let files: Vec<String> = programs.iter().map(|program| format!("{}.java", program.name)).collect();
        for (file, program) in files.iter().zip(programs) {
            std::fs::write(self.folder.path().join(file), &program.text).unwrap();
        }
        let options = ["-Werror", "-Xlint:unchecked,rawtypes", "-cp", ".", "-d", "."];
        let arguments: Vec<&str> = options.into_iter().chain(files.iter().map(String::as_str)).collect();
        succeed(self.javac(&arguments), &programs.iter().map(|program| program.text.as_str()).collect::<String>());
    }

    fn run(&self, program: &Program, arguments: &[&str]) -> Output {
        let full = format!("{}{}{}", program.package, if program.package.is_empty() { "" } else { "." }, program.name);
        command(&self.jdk.java(), self.folder.path()).args(["-cp", ".", &full]).args(arguments).output().unwrap()
    }

    fn javac(&self, arguments: &[&str]) -> Output {
        command(&self.jdk.javac(), self.folder.path()).args(arguments).output().unwrap()
    }
}

/// A program of a JDK, to be run in a folder.
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_remove("JAVA_TOOL_OPTIONS").env("LC_ALL", "C");
    command
}

/// Where the classes of these tests are, compiled by each JDK once.
fn classes(jdk: &Jdk) -> PathBuf {
    static KNOWN: Mutex<BTreeMap<u32, PathBuf>> = Mutex::new(BTreeMap::new());
    let compile = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("emit-{}", jdk.feature));
        // What an earlier run has left may be of other sources.
        let _ = std::fs::remove_dir_all(&folder);
        let sources = || cases::SOURCES.into_iter().chain(forced::SOURCES);
        for (path, text) in sources() {
            let file = folder.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let files = sources().map(|(path, _)| path);
        succeed(command(&jdk.javac(), &folder).args(files).output().unwrap(), "the classes of the tests");
        folder
    };
    KNOWN.lock().unwrap().entry(jdk.feature).or_insert_with(compile).clone()
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn succeed(output: Output, what: &str) {
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{told}\n{what}");
}

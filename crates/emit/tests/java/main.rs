//! Test cases as Java, held against golden texts, compiled by real compilers and run.

mod calls;
mod cases;
mod compiled;
mod golden;
mod run;

// What the program itself knows of classes; it needs no more than this test has.
#[path = "../../../raddle/src/java_types.rs"]
mod java_types;

use classpath::{ClassPath, Jdk};
use emit::{Program, Request};
use std::path::Path;
use std::process::{Command, Output};
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
        let bench = |class_path| Bench { jdk: jdk.clone(), folder, class_path };
        let empty = bench(ClassPath::new(jdk.feature));
        for (path, text) in cases::SOURCES {
            let file = empty.folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let files: Vec<&str> = cases::SOURCES.iter().map(|(path, _)| *path).collect();
        succeed(empty.javac(&files), "the classes of the tests");
        let mut class_path = ClassPath::new(jdk.feature);
        class_path.push(empty.folder.path()).unwrap();
        class_path.append(ClassPath::of_jdk(jdk).unwrap());
        Bench { class_path, ..empty }
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
        let files: Vec<String> = programs.iter().map(|program| format!("{}.java", program.name)).collect();
        for (file, program) in files.iter().zip(&programs) {
            std::fs::write(self.folder.path().join(file), &program.text).unwrap();
        }
        let options = ["-Werror", "-Xlint:unchecked,rawtypes", "-cp", ".", "-d", "."];
        let arguments: Vec<&str> = options.into_iter().chain(files.iter().map(String::as_str)).collect();
        succeed(self.javac(&arguments), &programs.iter().map(|program| program.text.as_str()).collect::<String>());
        programs
    }

    fn run(&self, program: &Program, arguments: &[&str]) -> Output {
        let full = format!("{}{}{}", program.package, if program.package.is_empty() { "" } else { "." }, program.name);
        self.command(&self.jdk.java()).args(["-cp", ".", &full]).args(arguments).output().unwrap()
    }

    fn javac(&self, arguments: &[&str]) -> Output {
        self.command(&self.jdk.javac()).args(arguments).output().unwrap()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env_remove("JAVA_TOOL_OPTIONS").env("LC_ALL", "C");
        command
    }
}

fn succeed(output: Output, what: &str) {
    let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{told}\n{what}");
}

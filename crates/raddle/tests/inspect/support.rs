//! How these tests run things, and read what was printed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use classpath::Jdk;
use tempfile::TempDir;

/// The JDKs of this machine. These tests compile and read classes, so there has to be one.
pub fn jdks() -> Vec<Jdk> {
    let jdks = Jdk::installed();
    assert!(!jdks.is_empty(), "these tests need a JDK: install one or set JAVA_HOME");
    for jdk in &jdks {
        println!("JDK {} in {}", jdk.version, jdk.home.display());
    }
    jdks
}

/// `raddle inspect`, with a JDK in the environment.
pub fn inspect(jdk: &Jdk, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(["--color", "never", "inspect"]).args(args).env("JAVA_HOME", &jdk.home);
    command
}

/// What a command prints that must succeed, and must not complain.
pub fn shown(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{command:?}: {status}: {stderr}");
    assert_eq!(stderr, "", "{command:?}");
    String::from_utf8(stdout).unwrap()
}

/// A command must fail with exactly this line, and print nothing else.
pub fn check_refused(command: &mut Command, line: &str) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&stderr), format!("error: {line}\n"), "{command:?}");
    assert_eq!(String::from_utf8_lossy(&stdout), "", "{command:?}");
    assert_eq!(status.code(), Some(2), "{command:?}");
}

/// Each of these lines must be there, as it stands and in this order.
pub fn check_lines(text: &str, expected: &str) {
    let mut lines = text.lines();
    for wanted in expected.lines().filter(|line| !line.trim().is_empty()) {
        assert!(lines.any(|line| line == wanted), "no line {wanted:?}, or not in this order, in\n{text}");
    }
}

/// A folder with the classes of a Java source, compiled for Java 17.
pub fn compiled(jdk: &Jdk, file: &str, source: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), file, source.as_bytes());
    let mut javac = Command::new(jdk.javac());
    javac.args(["--release", "17", "-encoding", "UTF-8", "-d"]).arg(folder.path()).arg(path);
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

pub fn write(folder: &Path, file: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(file);
    fs::write(&path, content).unwrap();
    path
}

/// What `javap` prints of these classes.
pub fn javap(jdk: &Jdk, options: &[&str], classes: &[String]) -> String {
    let mut javap = Command::new(jdk.java().with_file_name("javap"));
    let output = javap.args(options).args(classes).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The rows of the method table: bytes and instructions, or None for methods without code.
pub fn method_rows(text: &str) -> Vec<Option<(usize, usize)>> {
    let table = text.lines().skip_while(|line| !line.starts_with("methods ")).skip(2);
    let row = |line: &str| {
        let line = line.strip_prefix("  * ").or(line.strip_prefix("    "))?;
        let [_lines, bytes, instructions, _, ..] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return None;
        };
        match (bytes.parse(), instructions.parse()) {
            (Ok(bytes), Ok(instructions)) => Some(Some((bytes, instructions))),
            _ => (bytes == "-" && instructions == "-").then_some(None),
        }
    };
    table.filter(|line| instruction(line).is_none()).filter_map(row).collect()
}

/// The instruction on a line of a listing: its offset and its name.
pub fn instruction(line: &str) -> Option<(u32, &str)> {
    let (place, rest) = line.split_at_checked(18)?;
    let name = rest.strip_prefix("  ")?.split(' ').next()?;
    let named = name.starts_with(|c: char| c.is_ascii_lowercase()) && name != "handles";
    let offset = place.get(11..)?;
    (named && offset.starts_with("  ")).then(|| offset.trim().parse().ok())?.map(|pc| (pc, name))
}

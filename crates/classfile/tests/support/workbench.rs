//! A workbench: Java fixtures are compiled, some of their classes edited, and the result is run.

use classfile::ClassFile;
use classpath::Jdk;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiled fixtures in a folder of their own.
pub struct Workbench<'j> {
    jdk: &'j Jdk,
    folder: tempfile::TempDir,
}

#[allow(dead_code)] // Not every test file uses all of it.
impl<'j> Workbench<'j> {
    /// Compiles `tests/java/{Probe,Subject}.java`, with all debug tables.
    pub fn new(jdk: &'j Jdk) -> Self {
        let bench = Workbench { jdk, folder: tempfile::tempdir().unwrap() };
        bench.compile(&fixtures(), &[]);
        bench
    }

    /// Compiles the fixtures again, for an older version of Java.
    pub fn compile_for(&self, release: &str) {
        self.compile(&fixtures(), &["--release", release]);
    }

    /// Compiles one more class from its text.
    pub fn add_source(&self, class: &str, text: &str) {
        let file = self.folder.path().join(format!("{class}.java"));
        std::fs::write(&file, text).unwrap();
        self.compile(&[file], &[]);
    }

    fn compile(&self, files: &[PathBuf], options: &[&str]) {
        let mut javac = Command::new(self.jdk.javac());
        javac.args(options);
        let output =
            javac.arg("-g").arg("-cp").arg(self.folder.path()).arg("-d").arg(self.folder.path()).args(files).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The bytes of a class.
    pub fn bytes(&self, class: &str) -> Vec<u8> {
        std::fs::read(self.file(class)).unwrap()
    }

    /// Changes a class.
    pub fn edit(&self, class: &str, change: impl FnOnce(&mut ClassFile<'_>)) {
        let bytes = self.bytes(class);
        let mut parsed = ClassFile::parse(&bytes).unwrap();
        change(&mut parsed);
        let edited = parsed.write().unwrap();
        ClassFile::parse(&edited).unwrap_or_else(|e| panic!("the edited {class} does not read back: {e}"));
        self.put(class, &edited);
    }

    /// Puts a class there.
    pub fn put(&self, class: &str, bytes: &[u8]) {
        std::fs::write(self.file(class), bytes).unwrap();
    }

    /// Runs a class under full verification and gives what it printed.
    pub fn run(&self, class: &str, arguments: &[&str]) -> String {
        let mut java = Command::new(self.jdk.java());
        let output = java.arg("-Xverify:all").arg("-cp").arg(self.folder.path()).arg(class).args(arguments).output();
        let output = output.unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{out}\n{err}");
        out.into_owned()
    }

    fn file(&self, class: &str) -> PathBuf {
        self.folder.path().join(format!("{class}.class"))
    }
}

fn fixtures() -> [PathBuf; 2] {
    let java = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java");
    [java.join("Probe.java"), java.join("Subject.java")]
}

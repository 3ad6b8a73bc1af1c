//! What the benchmarks share: the classes of java.base, in memory.

use classpath::{ClassPath, Jdk};

/// The classes of java.base of one JDK.
pub struct JavaBase {
    pub jdk_version: String,
    pub classes: Vec<Vec<u8>>,
}

impl JavaBase {
    /// All of them, or a few for when a benchmark is only tried out.
    pub fn load(trial: bool) -> JavaBase {
        let jdk = Jdk::find(None).expect("the benchmarks need a JDK");
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        let names = class_path.classes_in_module("java.base").unwrap();
        let stride = if trial { 100 } else { 1 };
        let bytes = |name| class_path.find_exact(name).unwrap().expect("a listed class is there").bytes.to_vec();
        JavaBase { jdk_version: jdk.version, classes: names.iter().step_by(stride).map(bytes).collect() }
    }

    /// How many bytes the classes take.
    pub fn size(&self) -> usize {
        self.classes.iter().map(Vec::len).sum()
    }
}

/// Whether the benchmark was started by `cargo bench` and not as a test.
pub fn in_earnest() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

//! What the tests of this crate share: the classes of every JDK on the machine.

use classpath::{ClassName, ClassPath, Jdk};

/// Every JDK on the machine; the tests need at least one.
pub fn jdks() -> Vec<Jdk> {
    let mut jdks = Jdk::installed();
    // A runtime without a compiler cannot build the fixtures, and other versions are not supported.
    jdks.retain(|jdk| jdk.javac().is_file() && (17..=25).contains(&jdk.feature));
    assert!(!jdks.is_empty(), "these tests need a JDK of Java 17 to 25: install one, or set JAVA_HOME");
    jdks
}

/// Calls `check` with the name and bytes of each class, on all cores.
#[allow(dead_code)] // Not every test file uses it.
pub fn for_each_class(classes: &ClassPath, names: &[ClassName], check: impl Fn(&str, &[u8]) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for chunk in names.chunks(names.len().div_ceil(threads).max(1)) {
            let check = &check;
            scope.spawn(move || {
                for name in chunk {
                    let class = classes.find_exact(name).unwrap().expect("a listed class is there");
                    check(name.internal(), &class.bytes);
                }
            });
        }
    });
}

//! How much work the analysis of a class is, in counts that are the same on every machine and under every load.
//!
//!     cargo bench -p analysis --bench work [-- [--work=LIMIT] CLASS...]

use std::time::Instant;

use analysis::{Analyzer, ByteStore, Limits};
use classpath::{ClassName, ClassPath, Jdk};

const CLASSES: [&str; 19] = [
    "java.util.Vector",
    "java.util.Hashtable",
    "java.lang.StringBuffer",
    "java.util.Collections$SynchronizedMap",
    "java.util.Collections$SynchronizedList",
    "java.util.Stack",
    "java.util.HashMap",
    "java.util.TreeMap",
    "java.util.LinkedList",
    "java.util.ArrayList",
    "java.util.concurrent.LinkedBlockingQueue",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.Arrays",
    "java.util.Timer",
    "java.io.BufferedInputStream",
    "java.io.PipedInputStream",
    "java.util.logging.Logger",
    "javax.swing.JTable",
];

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let given_work = std::env::args().find_map(|argument| argument.strip_prefix("--work=")?.parse().ok());
    let mut usual = Limits::default();
    if let Some(d) = std::env::args().find_map(|argument| argument.strip_prefix("--depth=")?.parse().ok()) {
        usual.depth = d;
    }
    let limits = given_work.map_or(usual, |work| Limits { work, effects: work, ..usual });
    let classes: Vec<&str> = match given.is_empty() {
        true => CLASSES.to_vec(),
        false => given.iter().map(String::as_str).collect(),
    };
    let jdk = Jdk::find(None).expect("the benchmark needs a JDK");
    let class_path = ClassPath::of_jdk(&jdk).expect("the JDK can be read");
    println!("JDK {}: class, methods reached, work, effects taken over, accesses, M_pc, M_d, notes", jdk.version);
    for class in classes {
        let bytes = ByteStore::new();
        let start = Instant::now();
        let name = ClassName::parse(class).expect("a name of a class");
        let facts = Analyzer::new(&class_path, &bytes).with_limits(limits).analyze(&name).expect("a class of the JDK");
        let taken = start.elapsed();
        let pairs = facts.pairs();
        let pc = pairs.iter().filter(|pair| pair.is_pc()).count();
        let double_lock = pairs.iter().filter(|pair| pair.double_lock).count();
        let accesses: usize = facts.methods.iter().map(|method| method.accesses.len()).sum();
        println!(
            "{class}: {} {} {} {accesses} {pc} {double_lock} {:?} ({:.0} ms)",
            facts.reached,
            facts.work,
            facts.taken_over,
            facts.notes,
            taken.as_secs_f64() * 1e3
        );
    }
}

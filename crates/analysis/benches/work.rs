//! How much work the analysis of a class is, in counts that are the same on every machine and under every load.
//!
//!     cargo bench -p analysis --bench work [-- [--work=LIMIT] CLASS...]
//!
//! Work is instructions walked and stores of callees taken over. `valgrind --tool=callgrind` on the program tells the
//! instructions of the processor, which are as steady.

#[path = "shared/classes.rs"]
mod classes;

use analysis::{Analyzer, ByteStore, Limits};
use classes::CLASSES;
use classpath::{ClassName, ClassPath, Jdk};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with("--")).collect();
    // `cargo test` runs this too; then one class is enough.
    let classes = match (!arguments.iter().any(|argument| argument == "--bench"), given.is_empty()) {
        (true, _) => &CLASSES[..1],
        (false, true) => &CLASSES[..],
        (false, false) => &given[..],
    };
    let usual = Limits::default();
    let work = arguments.iter().find_map(|argument| argument.strip_prefix("--work=")?.parse().ok());
    let limits = work.map_or(usual, |work| Limits { work, most_work: work, ..usual });
    let jdk = Jdk::find(None).expect("the benchmark needs a JDK");
    let class_path = ClassPath::of_jdk(&jdk).expect("the JDK can be read");
    println!("JDK {}", jdk.version);
    for class in classes {
        let bytes = ByteStore::new();
        let name = ClassName::parse(class).expect("a name of a class");
        let facts = Analyzer::new(&class_path, &bytes).with_limits(limits).analyze(&name).expect("a class of the JDK");
        let accesses: usize = facts.methods.iter().map(|method| method.accesses.len()).sum();
        println!(
            "{class}: {} methods reached, {} work, {} effects taken over, {accesses} accesses; {}",
            facts.reached,
            facts.work,
            facts.taken_over,
            facts.notes.join("; ")
        );
    }
}

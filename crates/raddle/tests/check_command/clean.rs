//! Where nothing is wrong nothing is found, though every call is held against the serial orders.

use crate::classes::{Compiled, all};
use crate::jdks;
use crate::support::Raddle;

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let mut classes = all();
    classes.retain(|class| class.expected.is_empty());
    let names: Vec<&str> = classes.iter().map(|class| &*class.name).collect();
    for jdk in &jdks() {
        let compiled = Compiled::new(jdk, &classes);
        let class_path = std::env::join_paths(classes.iter().map(|class| compiled.of(class))).unwrap();
        let raddle = Raddle::new(jdk);
        // One command for all of them: that a virtual machine starts takes longer than some tests do.
        let arguments = [&names[..], &["--effort", "1500000", "--oracle", "linearizability"]].concat();
        let (status, report) = raddle.check(class_path.as_ref(), &arguments);
        let reports = report["classes"].as_array().unwrap();
        for (report, name) in reports.iter().zip(&names) {
            println!("JDK {} {name}: {}, {} tests", jdk.version, report["verdict"], report["tests"]);
            assert!(report["class"] == *name && report["verdict"] == "clean", "{report:#}");
            assert!(report["tests"].as_u64() > Some(0), "{report:#}");
        }
        assert_eq!((status, reports.len()), (0, names.len()));
        let left: Vec<_> = std::fs::read_dir(raddle.folder.path()).unwrap().collect();
        assert!(left.is_empty(), "nothing was found, and nothing is left: {left:?}");
    }
}

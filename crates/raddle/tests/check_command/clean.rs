//! Where nothing is wrong nothing is found, though every call is held against the serial orders, with its results
//! unless a class promises less; nor where listeners call back and timers fire in the midst of calls, which they do
//! where only exceptions, deadlocks and hangs count.

use crate::classes::{Class, Compiled, all};
use crate::support::Raddle;
use crate::{is_thorough, jdks};

fn clean() -> Vec<Class> {
    all().into_iter().filter(|class| class.expected.is_empty()).collect()
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let mut classes = clean();
    classes.retain(|class| class.oracle == "linearizability");
    nothing_is_found(&classes, "linearizability", "600000", 0);
}

#[test]
fn nothing_is_found_where_listeners_call_back_and_timers_fire() {
    nothing_is_found(&clean(), "safety", "300000", 1);
}

/// Each JDK has some of the classes, and others for each test. With `RADDLE_SEEDS=all` it has all of them. What shows only
/// after long is a matter of the benchmark `alarms`.
fn nothing_is_found(all: &[Class], oracle: &str, effort: &str, turn: usize) {
    let jdks = jdks();
    let mut wrong = Vec::new();
    for (number, jdk) in jdks.iter().enumerate() {
        let is_its = |place: usize| is_thorough() || (place + turn) % jdks.len() == number;
        let classes: Vec<&Class> = (0..all.len()).filter(|&place| is_its(place)).map(|place| &all[place]).collect();
        let names: Vec<&str> = classes.iter().map(|class| &*class.name).collect();
        let compiled = Compiled::new(jdk, all);
        let class_path = std::env::join_paths(classes.iter().map(|class| compiled.of(class))).unwrap();
        let raddle = Raddle::new(jdk);
        // One command for all of them: that a virtual machine starts takes longer than some tests do.
        let arguments = [&names[..], &["--effort", effort, "--oracle", oracle]].concat();
        let (_, report) = raddle.check(class_path.as_ref(), &arguments);
        let reports = report["classes"].as_array().unwrap();
        assert_eq!(reports.len(), names.len());
        for (report, name) in reports.iter().zip(&names) {
            println!("JDK {} {name}: {}, {} tests", jdk.version, report["verdict"], report["tests"]);
            let is_silent =
                report["verdict"] != "violation" && report["unconfirmed"].as_array().is_some_and(Vec::is_empty);
            if report["class"] != *name || !is_silent || report["tests"].as_u64() == Some(0) {
                println!("{report:#}");
                wrong.push(format!("{name} on {}", jdk.version));
            }
        }
        if wrong.is_empty() {
            let left: Vec<_> = std::fs::read_dir(raddle.folder.path()).unwrap().collect();
            assert!(left.is_empty(), "nothing was found, and nothing is left: {left:?}");
        }
    }
    assert!(wrong.is_empty(), "accused, or not tested: {wrong:?}");
}

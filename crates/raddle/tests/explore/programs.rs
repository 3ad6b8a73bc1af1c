//! Classic programs, broken and sound, through the command.

use crate::jdks;
use crate::support::{Raddle, compile, folder};
use serde_json::Value;

#[test]
fn classic_programs_are_found_or_certified_as_they_say() {
    let mut sources: Vec<_> =
        std::fs::read_dir(folder("programs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    for jdk in jdks() {
        let classes = compile(&jdk, &sources, "");
        let class_path = classes.path().to_str().unwrap();
        for source in &sources {
            let name = source.file_stem().unwrap().to_str().unwrap();
            let text = std::fs::read_to_string(source).unwrap();
            let expect = text.lines().find_map(|line| line.strip_prefix("// expect: ")).unwrap();
            let raddle = Raddle::new(&jdk);
            let (status, report) = raddle.explore(&[name, "--classpath", class_path, "--first"]);
            println!("JDK {} {name}: {} executions, {}", jdk.version, report["executions"], report["certificate"]);
            if let Some(reason) = expect.strip_prefix("unknown, ") {
                let expected = (2, &"unknown".into(), &reason.into());
                assert_eq!((status, &report["verdict"], &report["reason"]), expected, "{name}: {report:#}");
                continue;
            }
            match expect.strip_prefix("certified") {
                Some(races) => {
                    assert_eq!((status, &report["verdict"]), (0, &"clean".into()), "{name}: {report:#}");
                    assert!(report["certificate"]["traces"].as_u64() > Some(0), "{name}: {report:#}");
                    let race_free = report["certificate"]["race_free"] == Value::Bool(true);
                    match races {
                        ", free of races" => assert!(race_free, "{name}: {report:#}"),
                        ", but for a race" => {
                            assert!(!race_free && report["races"][0][0].is_string(), "{name}: {report:#}")
                        }
                        _ => {}
                    }
                }
                None => {
                    assert_eq!((status, &report["verdict"]), (1, &"violation".into()), "{name}: {report:#}");
                    let finding = &report["findings"][0];
                    let what = finding["what"].as_str().unwrap();
                    // A kind may be told with what the line about it says last.
                    let (kind, last) = expect.split_once(", ").unwrap_or((expect, ""));
                    assert!(finding["kind"] == kind || what.starts_with(kind), "{name}: {report:#}");
                    assert!(what.ends_with(last), "{name}: {report:#}");
                    replays(&raddle, name, finding["replay"].as_str().unwrap());
                }
            }
        }
    }
}

fn replays(raddle: &Raddle<'_>, name: &str, finding: &str) {
    let output = raddle.run(&["replay", finding, "--times", "100"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let last = format!("{name}: failed 100 of 100 times, with the same events as when it was found");
    assert_eq!(text.lines().last(), Some(&*last), "{text}");
}

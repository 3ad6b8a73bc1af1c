//! What the command shows, and how it refuses.

use crate::jdks;
use crate::support::{Raddle, compile, folder};
use std::path::PathBuf;

fn account() -> PathBuf {
    folder("programs/Account.java")
}

#[test]
fn a_finding_is_shown_with_cause_timeline_values_and_source_lines() {
    for jdk in jdks() {
        let classes = compile(&jdk, &[account()], "");
        let raddle = Raddle::new(&jdk);
        let sources = folder("programs");
        let arguments =
            ["explore", "Account", "--first", "--classpath", classes.path().to_str().unwrap(), "--source-path"];
        let output = raddle.run(&[&arguments[..], &[sources.to_str().unwrap()]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}{}", String::from_utf8_lossy(&output.stderr));
        for part in [
            "Account fails: java.lang.AssertionError: balance ",
            "Cause: ",
            "reads balance = 0",
            "writes balance = ",
            "preemption: thread ",
            "Account.java:7 int before = ba",
            "Fails with 1 preemption; every schedule with fewer, and every smaller one with as many, was run and passes.",
            "See it again: raddle replay raddle-out/",
            "data race: ",
            "Account: 1 finding in ",
        ] {
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(part), "no {part:?} in\n{text}");
        }
        assert!(output.stderr.is_empty(), "no progress where nobody watches");
    }
}

#[test]
fn a_certificate_says_what_it_holds_for() {
    let jdk = &jdks()[0];
    let classes = compile(jdk, &[folder("programs/AccountLocked.java")], "");
    let raddle = Raddle::new(jdk);
    let output = raddle.run(&["explore", "AccountLocked", "--classpath", classes.path().to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("certified: every execution was run, up to equivalence ("), "{text}");
    assert!(text.contains("none has a data race, so this holds under the Java memory model"), "{text}");
    let left: Vec<_> = std::fs::read_dir(raddle.folder.path()).unwrap().collect();
    assert!(left.is_empty(), "nothing was found, and nothing is left: {left:?}");
}

#[test]
fn a_report_says_whether_everything_was_run_and_why_not() {
    let jdk = &jdks()[0];
    let classes = compile(jdk, &[account(), folder("programs/AccountLocked.java")], "");
    for (arguments, verdict, incomplete) in [
        (&["AccountLocked"][..], "clean", None),
        (&["Account"], "violation", None),
        (&["Account", "--first"], "violation", Some("stopped at the first finding")),
        (&["AccountLocked", "--executions", "1"], "clean", Some("as many executions ran as --executions allows")),
        (&["AccountLocked", "--explorer", "pos", "--executions", "3"], "clean", Some("this explorer does not")),
    ] {
        let class_path = ["--classpath", classes.path().to_str().unwrap()];
        let (_, report) = Raddle::new(jdk).explore(&[arguments, &class_path].concat());
        assert_eq!((&report["verdict"], &report["complete"]), (&verdict.into(), &incomplete.is_none().into()));
        let is_certified = verdict == "clean" && incomplete.is_none();
        assert_eq!(report["certificate"].is_object(), is_certified, "everything ran and passed: {report:#}");
        match incomplete {
            None => assert!(report["incomplete"].is_null(), "{report:#}"),
            Some(why) => assert!(report["incomplete"].as_str().unwrap().starts_with(why), "{report:#}"),
        }
    }
}

/// One execution fails, whatever its schedule is: the first that counts.
const MOODY: &str = r#"
public class Moody {
    /** Fields of interfaces are not put back between executions. */
    interface Left {
        java.util.Map<String, String> BEHIND = new java.util.HashMap<>();
    }

    public static void main(String[] arguments) throws Exception {
        int executions = Integer.parseInt(Left.BEHIND.getOrDefault("executions", "0")) + 1;
        Left.BEHIND.put("executions", Integer.toString(executions));
        Thread other = new Thread(() -> {});
        other.start();
        other.join();
        if (executions == 2) throw new IllegalStateException();
    }
}
"#;

#[test]
fn what_did_not_fail_again_is_said_to_be_why_nothing_is_certified() {
    let jdk = &jdks()[0];
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Moody.java");
    std::fs::write(&file, MOODY).unwrap();
    let classes = compile(jdk, &[file], "");
    let (status, report) = Raddle::new(jdk).explore(&["Moody", "--classpath", classes.path().to_str().unwrap()]);
    assert_eq!((status, &report["verdict"], &report["complete"]), (2, &"unknown".into(), &false.into()), "{report:#}");
    let why = "1 execution failed, but not again under the same schedule";
    assert!(report["incomplete"].as_str().unwrap().starts_with(why), "{report:#}");
}

#[test]
fn the_same_seed_gives_the_same_findings() {
    let jdk = &jdks()[0];
    let classes = compile(jdk, &[account()], "");
    let class_path = classes.path().to_str().unwrap();
    for explorer in ["auto", "sweep", "dpor", "pct", "pos", "surw", "random"] {
        let explore = || {
            let arguments =
                ["Account", "--classpath", class_path, "--explorer", explorer, "--executions", "200", "--seed", "7"];
            let (status, mut report) = Raddle::new(jdk).explore(&arguments);
            assert_eq!(status, 1, "{explorer}: {report:#}");
            report["seconds"].take();
            report
        };
        assert_eq!(explore(), explore(), "{explorer}");
    }
}

#[test]
fn bad_input_gets_one_line_that_says_what_to_do() {
    let jdk = &jdks()[0];
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Odd.java");
    std::fs::write(
        &file,
        "abstract class Odd { void given(int number) {} void test() {} static class Plain { void test() {} int gives() { return 1; } } }",
    )
    .unwrap();
    let classes = compile(jdk, &[account(), file], "");
    let class_path = classes.path().to_str().unwrap();
    let raddle = Raddle::new(jdk);
    let refused = |target: &str| raddle.refused(&["explore", target, "--classpath", class_path]);
    for (target, part) in [
        ("Acount", "class Acount is not on the class path"),
        ("Odd", "Odd has no main and no test"),
        ("Odd#missing", "Odd has no method missing"),
        ("Odd#given", "takes parameters"),
        ("Odd#test", "Odd is abstract"),
        ("Odd.Plain#gives", "takes parameters or gives a value"),
        ("java.util.Map", "java.util.Map has no main"),
    ] {
        let line = refused(target);
        assert!(line.contains(part), "{target}: {line}");
    }
    let line = raddle.refused(&["explore", "Account", "--classpath", class_path, "--budget", "soon"]);
    assert!(line.contains("write 500ms, 60s, 5m or 1h"), "{line}");
    let line = raddle.refused(&["explore", "Account", "--classpath", "/no/such/folder"]);
    assert!(line.contains("correct --classpath"), "{line}");
    let line = raddle.refused(&["replay", "nothing.json"]);
    assert!(line.contains("cannot read nothing.json"), "{line}");
    std::fs::write(raddle.folder.path().join("broken.json"), "{").unwrap();
    let line = raddle.refused(&["replay", "broken.json"]);
    assert!(line.contains("broken.json") && line.contains("no finding"), "{line}");
}

#[test]
fn a_finding_whose_code_has_changed_is_not_taken_for_the_same() {
    let jdk = &jdks()[0];
    let classes = compile(jdk, &[account()], "");
    let raddle = Raddle::new(jdk);
    let (_, report) = raddle.explore(&["Account", "--first", "--classpath", classes.path().to_str().unwrap()]);
    let finding = report["findings"][0]["replay"].as_str().unwrap();
    let mended = std::fs::read_to_string(account()).unwrap().replace("void deposit", "synchronized void deposit");
    let source = tempfile::tempdir().unwrap();
    let file = source.path().join("Account.java");
    std::fs::write(&file, mended).unwrap();
    let mended = compile(jdk, &[file], "");
    let output = raddle.run(&["replay", finding, "--classpath", mended.path().to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("is not what it was when this was found"), "{text}");
}

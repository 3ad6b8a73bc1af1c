//! Tests that are written for classes of the JDK.

use analysis::{Analyzer, ByteStore, ClassFacts};
use classpath::{ClassName, ClassPath, Jdk};
use testcase::{Argument, Call, Operation, TestCase};
use testgen::{Candidate, Feedback, Generator, Mode, Settings, Strategy, Untestable};

/// Calls on each installed JDK with the facts of a class.
fn with_facts(class: &str, check: impl Fn(&ClassPath, &str, &ClassFacts)) {
    let jdks = Jdk::installed();
    assert!(!jdks.is_empty(), "no JDK of Java 17 to 25 was found");
    for jdk in jdks {
        println!("JDK {}", jdk.version);
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        let bytes = ByteStore::new();
        let name = ClassName::parse(class).unwrap();
        let facts = Analyzer::new(&class_path, &bytes).analyze(&name).unwrap();
        check(&class_path, name.internal(), &facts);
    }
}

fn settings(strategy: Strategy, seed: u64) -> Settings {
    Settings { strategy, seed, observe: false, skip: vec![] }
}

/// The first tests, if all go well.
fn tests(class_path: &ClassPath, class: &str, facts: &ClassFacts, settings: Settings, count: usize) -> Vec<Candidate> {
    let mut generator = Generator::new(class_path, class, facts, settings).unwrap();
    let mut found = Vec::new();
    while found.len() < count {
        let Some(candidate) = generator.next() else { break };
        assert_eq!(candidate.test.check(), Ok(()), "{:?}", candidate.test);
        generator.learn(&candidate, Feedback::Ran { overlapped: true });
        found.push(candidate);
    }
    found
}

fn names(test: &TestCase) -> Vec<&str> {
    let name = |operation| match operation {
        &Operation::Virtual { ref name, .. } | &Operation::Static { ref name, .. } => &**name,
        _ => "",
    };
    test.suffixes.iter().flatten().map(|call| name(&call.operation)).collect()
}

#[test]
fn two_buffers_that_append_each_other_are_among_the_first() {
    with_facts("java.lang.StringBuffer", |class_path, class, facts| {
        for seed in 1..6 {
            let tests = tests(class_path, class, facts, settings(Strategy::Auto, seed), 60);
            let crossing = tests.iter().position(|candidate| {
                let test = &candidate.test;
                let on = |thread: usize| test.suffixes[thread][0].operation.receiver().cloned();
                let given = |thread: usize| test.suffixes[thread][0].arguments.contains(&on(1 - thread).unwrap());
                names(test) == ["append", "append"] && on(0) != on(1) && given(0) && given(1)
            });
            assert!(crossing.is_some(), "seed {seed}");
        }
    });
}

#[test]
fn a_method_that_is_left_out_is_called_nowhere() {
    with_facts("java.lang.StringBuffer", |class_path, class, facts| {
        for strategy in [Strategy::Auto, Strategy::Random] {
            let skip = vec!["append".into(), "insert".into()];
            let settings = Settings { skip, ..settings(strategy, 1) };
            for candidate in tests(class_path, class, facts, settings, 200) {
                let test = &candidate.test;
                let all = test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
                let of_class = all.filter(|call| call.operation.class() == class);
                let left_out = |call: &Call| matches!(&call.operation, Operation::Virtual { name, .. } if name == "append" || name == "insert");
                assert!(!of_class.clone().any(left_out), "{test:?}");
                assert!(of_class.count() > 0);
            }
        }
    });
}

#[test]
fn a_class_that_only_a_factory_makes_is_made_by_it() {
    with_facts("java.util.Collections$SynchronizedMap", |class_path, class, facts| {
        for candidate in tests(class_path, class, facts, settings(Strategy::Auto, 1), 100) {
            let made = candidate.test.prefix.iter().any(
                |call| matches!(&call.operation, Operation::Static { name, .. } if name.starts_with("synchronized")),
            );
            assert!(made, "{:?}", candidate.test);
            let named = candidate.test.suffixes.iter().flatten().map(|call| call.operation.class());
            assert!(named.clone().all(|class| !class.contains("Synchronized")), "{:?}", candidate.test);
        }
    });
}

#[test]
fn a_class_that_only_a_method_makes_is_made_by_it() {
    // What `iterator` declares to give says nothing of the class that it makes.
    with_facts("java.util.Vector$Itr", |class_path, class, facts| {
        for candidate in tests(class_path, class, facts, settings(Strategy::Auto, 1), 50) {
            let makes = |name: &str| name == "iterator" || name == "listIterator";
            let mut calls = candidate.test.prefix.iter();
            let made = calls.any(|call| matches!(&call.operation, Operation::Virtual { name, .. } if makes(name)));
            assert!(made, "{:?}", candidate.test);
        }
    });
}

#[test]
fn texts_that_go_well_are_chosen_more_often() {
    with_facts("java.util.StringTokenizer", |class_path, class, facts| {
        let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Auto, 1)).unwrap();
        let (mut good, mut bad) = (0, 0);
        for number in 0..400 {
            let Some(candidate) = generator.next() else { break };
            let mut feedback = Feedback::Ran { overlapped: true };
            for (suffix, calls) in candidate.test.suffixes.iter().enumerate() {
                for (call, of) in calls.iter().enumerate() {
                    let mut texts = of.arguments.iter().filter_map(|argument| match argument {
                        Argument::String(text) => Some(&**text),
                        _ => None,
                    });
                    match texts.next() {
                        None => {}
                        Some("b") => good += u32::from(number >= 200),
                        Some(_) => {
                            bad += u32::from(number >= 200);
                            feedback = Feedback::SuffixFails { suffix, call };
                        }
                    }
                }
            }
            generator.learn(&candidate, feedback);
        }
        // By chance it would be one in five or fewer.
        assert!(3 * good > bad, "{good} good, {bad} bad");
    });
}

#[test]
fn what_can_hardly_be_made_is_made_less_often() {
    // A reader is wanted by constructors and methods alike, and all but one kind of them cannot be made, let us say.
    with_facts("java.io.StreamTokenizer", |class_path, class, facts| {
        let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Auto, 1)).unwrap();
        let is_bad = |operation: &Operation| match operation {
            Operation::Construct { class, .. } => class.ends_with("Reader") && class != "java/io/StringReader",
            _ => false,
        };
        let (mut early, mut late) = (0, 0);
        for number in 0..1200 {
            let candidate = generator.next().unwrap();
            let call = candidate.test.prefix.iter().position(|call| is_bad(&call.operation));
            match number {
                0..200 => early += u32::from(call.is_some()),
                1000.. => late += u32::from(call.is_some()),
                _ => {}
            }
            let feedback = call.map_or(Feedback::Ran { overlapped: true }, |call| Feedback::PrefixFails { call });
            generator.learn(&candidate, feedback);
        }
        assert!(3 * late < early, "{early} early, {late} late");
    });
}

#[test]
fn what_an_implemented_type_has_to_give_out_is_learnt() {
    // Of the nineteen methods of an iterator over attributed characters, one must give something, let us say.
    with_facts("java.text.AttributedString", |class_path, class, facts| {
        let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Auto, 1)).unwrap();
        let given = |operation: &Operation| match operation {
            Operation::Implement { class, methods, .. } if class.ends_with("AttributedCharacterIterator") => {
                Some(methods.iter().any(|method| method.name == "getAllAttributeKeys"))
            }
            _ => None,
        };
        let (mut with, mut all) = (0, 0);
        for number in 0..1200 {
            let Some(candidate) = generator.next() else { break };
            let prefix = &candidate.test.prefix;
            let mut feedback = Feedback::Ran { overlapped: true };
            for (call, of) in prefix.iter().enumerate() {
                let passed = of.arguments.iter().find_map(|argument| match argument {
                    Argument::Value(value) => given(&prefix[*value].operation),
                    _ => None,
                });
                if let Some(is_given) = passed {
                    with += u32::from(is_given && number >= 200);
                    all += u32::from(number >= 200);
                    if !is_given {
                        feedback = Feedback::PrefixFails { call };
                        break;
                    }
                }
            }
            generator.learn(&candidate, feedback);
        }
        // By chance it would be three in nineteen.
        assert!(all > 50 && 2 * with > all, "{with} of {all} give it");
    });
}

#[test]
fn texts_that_the_maker_of_an_object_mentions_are_tried() {
    // What reads numbers mentions how they can begin.
    with_facts("java.util.Vector", |class_path, class, facts| {
        let tests = tests(class_path, class, facts, settings(Strategy::Auto, 1), 1000);
        let of_integer = tests.iter().flat_map(|candidate| &candidate.test.prefix).filter(|call| {
            matches!(&call.operation, Operation::Construct { class, .. } | Operation::Static { class, .. }
                if class == "java/lang/Integer")
        });
        let mut texts = of_integer.flat_map(|call| &call.arguments);
        assert!(texts.any(|argument| matches!(argument, Argument::String(text) if text == "0x" || text == "#")));
    });
}

#[test]
fn arguments_are_of_the_types_that_generics_ask_for() {
    with_facts("java.util.Hashtable", |class_path, class, facts| {
        let tests = tests(class_path, class, facts, settings(Strategy::Auto, 3), 300);
        // A map is passed where a map is wanted, and it has something in it now and then.
        let put_all =
            |call: &testcase::Call| matches!(&call.operation, Operation::Virtual { name, .. } if name == "putAll");
        let filled = tests.iter().any(|candidate| {
            let test = &candidate.test;
            let calls = test.prefix.iter().chain(test.suffixes.iter().flatten());
            calls.filter(|call| put_all(call)).any(|call| {
                let filled = test.prefix.iter().any(|other| {
                    other.operation.receiver() == call.arguments.first()
                        && matches!(&other.operation, Operation::Virtual { name, .. } if name == "put")
                });
                filled && call.operation.receiver() != call.arguments.first()
            })
        });
        assert!(filled);
    });
}

#[test]
fn the_same_seed_gives_the_same_tests() {
    with_facts("java.util.Vector", |class_path, class, facts| {
        for strategy in [Strategy::Auto, Strategy::Pairs, Strategy::Random] {
            let write = |seed| -> Vec<TestCase> {
                tests(class_path, class, facts, settings(strategy, seed), 200).into_iter().map(|c| c.test).collect()
            };
            let first = write(7);
            assert_eq!(first.len(), 200);
            assert!(first == write(7), "{strategy:?}");
            assert!(first != write(8), "{strategy:?}");
            let different: std::collections::HashSet<String> = first.iter().map(|test| format!("{test:?}")).collect();
            assert_eq!(different.len(), 200, "a test that ran tells nothing when it is run again");
        }
    });
}

#[test]
fn what_fails_is_chosen_less_often() {
    with_facts("java.util.Vector", |class_path, class, facts| {
        let share = |refuse: bool| {
            let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Random, 5)).unwrap();
            let (mut negative, mut all) = (0, 0);
            for round in 0..1500 {
                let Some(candidate) = generator.next() else { break };
                let calls = candidate.test.suffixes.iter().enumerate();
                let bad = calls.flat_map(|(suffix, calls)| {
                    calls
                        .iter()
                        .enumerate()
                        .filter(|(_, call)| call.arguments.contains(&Argument::Int(-1)))
                        .map(move |(call, _)| (suffix, call))
                });
                let bad: Vec<_> = bad.collect();
                if round >= 1000 {
                    all += 1;
                    negative += usize::from(!bad.is_empty());
                }
                generator.learn(
                    &candidate,
                    match bad.first() {
                        Some(&(suffix, call)) if refuse => Feedback::SuffixFails { suffix, call },
                        _ => Feedback::Ran { overlapped: true },
                    },
                );
            }
            f64::from(negative as u32) / f64::from(all)
        };
        let (refused, taken) = (share(true), share(false));
        assert!(refused < taken * 0.7, "{refused} of those that fail, {taken} of those that do not");
    });
}

#[test]
fn pairs_with_a_method_that_hardly_ever_runs_wait() {
    // Whatever takes an argument fails, let us say: that is most of the methods, and more of the pairs.
    with_facts("java.util.LinkedList", |class_path, class, facts| {
        let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Pairs, 1)).unwrap();
        let mut wasted = 0;
        for number in 0..900 {
            let candidate = generator.next().unwrap();
            let mut calls = candidate.test.suffixes.iter().enumerate();
            let failing = calls.find_map(|(suffix, calls)| {
                calls.iter().position(|call| !call.arguments.is_empty()).map(|call| (suffix, call))
            });
            wasted += u32::from(number >= 600 && failing.is_some());
            let ran = Feedback::Ran { overlapped: true };
            generator.learn(&candidate, failing.map_or(ran, |(suffix, call)| Feedback::SuffixFails { suffix, call }));
        }
        assert!(wasted < 100, "{wasted} of 300");
        assert!(wasted > 0, "a method may run after all, once more was learnt");
    });
}

#[test]
fn what_makes_tests_unusable_is_chosen_less_often() {
    // A vector of size two or more takes all memory, let us say, and nobody says which call it was.
    with_facts("java.util.Vector", |class_path, class, facts| {
        let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Auto, 1)).unwrap();
        let is_large = |call: &testcase::Call| {
            matches!(call.operation, Operation::Construct { .. })
                && call.arguments.iter().any(|argument| matches!(argument, Argument::Int(2..)))
        };
        let mut unusable = 0;
        for number in 0..3000 {
            let candidate = generator.next().unwrap();
            let is_unusable = candidate.test.prefix.iter().any(is_large);
            unusable += u32::from(is_unusable && number >= 2000);
            let ran = Feedback::Ran { overlapped: true };
            generator.learn(&candidate, if is_unusable { Feedback::Unusable } else { ran });
        }
        // By chance it would be one in eight.
        assert!(unusable < 90, "{unusable} of 1000");
    });
}

#[test]
fn every_mode_has_its_tests() {
    with_facts("java.util.Vector", |class_path, class, facts| {
        let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Pairs, 1)).unwrap();
        let (mut conflict, mut apart, mut deadlock, mut share) = (0, 0, 0, 0);
        for _ in 0..60 {
            let Some(candidate) = generator.next() else { break };
            let subjects: std::collections::HashSet<String> = candidate
                .test
                .suffixes
                .iter()
                .flatten()
                .filter_map(|call| call.operation.receiver())
                .map(|receiver| format!("{receiver:?}"))
                .collect();
            match generator.targets()[candidate.target.unwrap()].mode {
                Mode::Conflict | Mode::Opaque => {
                    conflict += u32::from(subjects.len() == 1);
                    apart += u32::from(subjects.len() == 2);
                }
                Mode::Deadlock => {
                    deadlock += 1;
                    assert_eq!(subjects.len(), 2);
                }
                Mode::Share { .. } => {
                    share += 1;
                    assert_eq!(subjects.len(), 2);
                }
                Mode::Apart => assert_eq!(subjects.len(), 2),
            }
            generator.learn(&candidate, Feedback::Ran { overlapped: true });
        }
        assert!(conflict > 5 && deadlock > 5 && share > 5, "{conflict} {deadlock} {share}");
        assert!(apart < conflict, "two that share nothing are the exception");
    });
}

#[test]
fn what_cannot_be_tested_is_refused_with_the_reason() {
    let refused = |class: &str| {
        let jdk = Jdk::find(None).unwrap();
        let class_path = ClassPath::of_jdk(&jdk).unwrap();
        let bytes = ByteStore::new();
        let name = ClassName::parse(class).unwrap();
        let facts = Analyzer::new(&class_path, &bytes).analyze(&name).unwrap();
        Generator::new(&class_path, name.internal(), &facts, settings(Strategy::Auto, 1)).err()
    };
    assert_eq!(refused("java.lang.Math"), Some(Untestable::NoConstructor("java.lang.Math".into())));
    assert_eq!(
        refused("java.util.concurrent.TimeUnit"),
        Some(Untestable::Enum("java.util.concurrent.TimeUnit".into()))
    );
    assert_eq!(refused("java.util.Vector"), None);
}

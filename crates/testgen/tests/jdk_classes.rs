//! Tests that are written for classes of the JDK.

use analysis::{Analyzer, ByteStore, ClassFacts};
use classpath::{ClassName, ClassPath, Jdk};
use testcase::{Argument, Behaviour, Call, Operation, TestCase};
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
        generator.learn(&candidate.test, &candidate.origin, Feedback::Ran { overlapped: true, failing_probe: None });
        found.push(candidate);
    }
    found
}

const RAN: Feedback = Feedback::Ran { overlapped: true, failing_probe: None };

/// So many tests with each of some seeds, of which a teacher says how they went, given how many there were before.
fn teach(
    (class_path, class, facts): (&ClassPath, &str, &ClassFacts),
    strategy: Strategy,
    count: usize,
    mut teacher: impl FnMut(usize, &TestCase) -> Feedback,
) {
    for seed in 1..=4 {
        let mut generator = Generator::new(class_path, class, facts, settings(strategy, seed)).unwrap();
        for number in 0..count {
            let Some(candidate) = generator.next() else { break };
            let feedback = teacher(number, &candidate.test);
            generator.learn(&candidate.test, &candidate.origin, feedback);
        }
    }
}

/// What is said of a test in which such a call of a suffix fails.
fn fails_if(test: &TestCase, fails: impl Fn(&Call) -> bool) -> Feedback {
    let mut suffixes = test.suffixes.iter().enumerate();
    let failing = suffixes.find_map(|(suffix, calls)| calls.iter().position(&fails).map(|call| (suffix, call)));
    failing.map_or(RAN, |(suffix, call)| Feedback::SuffixFails { suffix, call })
}

fn is_method(call: &Call, method: &str) -> bool {
    matches!(&call.operation, Operation::Virtual { name, .. } if name == method)
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
            let tests = tests(class_path, class, facts, settings(Strategy::Auto, seed), 100);
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
fn of_methods_with_one_name_one_can_be_left_out() {
    with_facts("java.lang.StringBuffer", |class_path, class, facts| {
        let skip = vec!["insert( int,char )".into()];
        let candidates = tests(class_path, class, facts, Settings { skip, ..settings(Strategy::Auto, 1) }, 1000);
        let called = candidates.iter().flat_map(|candidate| candidate.test.suffixes.iter().flatten());
        let inserts = called.filter_map(|call| match &call.operation {
            Operation::Virtual { name, descriptor, .. } if name == "insert" => Some(&**descriptor),
            _ => None,
        });
        let inserts: std::collections::HashSet<&str> = inserts.collect();
        assert!(inserts.len() > 5 && !inserts.iter().any(|insert| insert.starts_with("(IC)")), "{inserts:?}");
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
fn a_class_that_a_method_makes_by_another_is_made_by_it() {
    // `elements` and `keys` call a private method that makes it.
    with_facts("java.util.Hashtable$Enumerator", |class_path, class, facts| {
        let found = tests(class_path, class, facts, settings(Strategy::Auto, 1), 50);
        assert!(!found.is_empty());
        for candidate in found {
            let makes = |name: &str| name == "elements" || name == "keys";
            let mut calls = candidate.test.prefix.iter();
            let made = calls.any(|call| matches!(&call.operation, Operation::Virtual { name, .. } if makes(name)));
            assert!(made, "{:?}", candidate.test);
        }
    });
}

#[test]
fn texts_that_go_well_are_chosen_more_often() {
    with_facts("java.util.StringTokenizer", |class_path, class, facts| {
        let text = |call: &Call| match call.arguments.first() {
            Some(Argument::String(text)) => Some(text.clone()),
            _ => None,
        };
        let (mut good, mut bad) = (0, 0);
        teach((class_path, class, facts), Strategy::Auto, 400, |number, test| {
            let is_bad = |call: &Call| text(call).is_some_and(|text| text != "b");
            // A test that comes again without a call of its prefix has the same suffixes.
            let counts = number >= 200 && !test.prefix.iter().any(is_bad);
            for text in test.suffixes.iter().flatten().filter_map(text).filter(|_| counts) {
                *if text == "b" { &mut good } else { &mut bad } += 1;
            }
            fails_if(test, is_bad)
        });
        // By chance it would be one in five or fewer.
        assert!(3 * good > bad, "{good} good, {bad} bad");
    });
}

#[test]
fn what_can_hardly_be_made_is_made_less_often() {
    // A reader is wanted by constructors and methods alike, and all but one kind of them cannot be made, let us say.
    with_facts("java.io.StreamTokenizer", |class_path, class, facts| {
        let is_bad = |call: &Call| match &call.operation {
            Operation::Construct { class, .. } => class.ends_with("Reader") && class != "java/io/StringReader",
            _ => false,
        };
        let (mut early, mut late) = (0, 0);
        teach((class_path, class, facts), Strategy::Auto, 1200, |number, test| {
            let call = test.prefix.iter().position(is_bad);
            match number {
                0..100 => early += u32::from(call.is_some()),
                1100.. => late += u32::from(call.is_some()),
                _ => {}
            }
            call.map_or(RAN, |call| Feedback::PrefixFails { call })
        });
        assert!(3 * late < early, "{early} early, {late} late");
    });
}

#[test]
fn what_an_implemented_type_has_to_give_out_is_learnt() {
    // Of the many methods of an iterator over attributed characters, one must give something, let us say.
    with_facts("java.text.AttributedString", |class_path, class, facts| {
        let is_given = |operation: &Operation| match operation {
            Operation::Implement { class, methods, .. } if class.ends_with("AttributedCharacterIterator") => {
                Some(methods.iter().any(|method| method.name == "getAllAttributeKeys"))
            }
            _ => None,
        };
        let (mut with, mut all) = (0, 0);
        teach((class_path, class, facts), Strategy::Auto, 800, |number, test| {
            let prefix = test.prefix.iter().enumerate().map(|(call, of)| (of, Feedback::PrefixFails { call }));
            let suffixes = test.suffixes.iter().enumerate().flat_map(|(suffix, calls)| {
                calls.iter().enumerate().map(move |(call, of)| (of, Feedback::SuffixFails { suffix, call }))
            });
            for (of, failure) in prefix.chain(suffixes) {
                let passed = of.arguments.iter().find_map(|argument| match argument {
                    Argument::Value(value) => is_given(&test.prefix.get(*value)?.operation),
                    _ => None,
                });
                if let Some(is_given) = passed {
                    with += u32::from(is_given && number >= 200);
                    all += u32::from(number >= 200);
                    if !is_given {
                        return failure;
                    }
                }
            }
            RAN
        });
        // By chance it would be one in six.
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
        let is_bad = |call: &Call| call.arguments.contains(&Argument::Int(-1));
        let share = |refuse: bool| {
            let (mut negative, mut all) = (0, 0);
            teach((class_path, class, facts), Strategy::Random, 1500, |number, test| {
                all += u32::from(number >= 1000);
                negative += u32::from(number >= 1000 && test.suffixes.iter().flatten().any(is_bad));
                if refuse { fails_if(test, is_bad) } else { RAN }
            });
            f64::from(negative) / f64::from(all)
        };
        let (refused, taken) = (share(true), share(false));
        assert!(refused < taken * 0.7, "{refused} of those that fail, {taken} of those that do not");
    });
}

#[test]
fn pairs_with_a_method_that_hardly_ever_runs_wait() {
    // Whatever takes an argument fails, let us say: that is most of the methods, and more of the pairs.
    with_facts("java.util.LinkedList", |class_path, class, facts| {
        let is_bad = |call: &Call| !call.arguments.is_empty();
        for strategy in [Strategy::Pairs, Strategy::Auto] {
            let (mut wasted, mut all) = (0, 0);
            teach((class_path, class, facts), strategy, 900, |number, test| {
                all += u32::from(number >= 600);
                wasted += u32::from(number >= 600 && test.suffixes.iter().flatten().any(is_bad));
                fails_if(test, is_bad)
            });
            assert!(3 * wasted < all, "{wasted} of {all} with {strategy:?}");
            assert!(wasted > 0, "a method may run after all, once more was learnt");
        }
    });
}

#[test]
fn null_is_passed_more_often_where_it_is_taken() {
    with_facts("java.util.Vector", |class_path, class, facts| {
        let is_null = |call: &Call| is_method(call, "addElement") && call.arguments == [Argument::Null];
        let share = |is_taken: bool| {
            let (mut nulls, mut all) = (0, 0);
            teach((class_path, class, facts), Strategy::Auto, 6000, |number, test| {
                let calls = test.suffixes.iter().flatten().filter(|_| number >= 1000);
                for call in calls.filter(|call| is_method(call, "addElement")) {
                    nulls += u32::from(is_null(call));
                    all += 1;
                }
                if is_taken { RAN } else { fails_if(test, is_null) }
            });
            f64::from(nulls) / f64::from(all)
        };
        let (taken, refused) = (share(true), share(false));
        assert!(taken > 0.04 && 2.0 * refused < taken, "{taken} where it is taken, {refused} where it is not");
    });
}

#[test]
fn what_makes_tests_unusable_is_chosen_less_often() {
    // A vector of size two or more takes all memory, let us say, and nobody says which call it was.
    with_facts("java.util.Vector", |class_path, class, facts| {
        let is_large = |call: &Call| {
            matches!(call.operation, Operation::Construct { .. })
                && call.arguments.iter().any(|argument| matches!(argument, Argument::Int(2..)))
        };
        let share = |is_unusable: bool| {
            let (mut large, mut all) = (0, 0);
            teach((class_path, class, facts), Strategy::Auto, 1500, |number, test| {
                let found = test.prefix.iter().any(is_large);
                large += u32::from(found && number >= 500);
                all += u32::from(number >= 500);
                if is_unusable && found { Feedback::Unusable } else { RAN }
            });
            f64::from(large) / f64::from(all)
        };
        let (unusable, usable) = (share(true), share(false));
        assert!(unusable < 0.6 * usable, "{unusable} if it is unusable, {usable} if not");
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
            let calls_back = candidate.test.prefix.iter().any(|call| match &call.operation {
                Operation::Implement { methods, .. } => methods.iter().any(|it| matches!(it.does, Behaviour::Call(_))),
                _ => false,
            });
            match generator.targets()[candidate.origin.target().unwrap()].mode {
                // Two subjects may each keep something that calls the other, whatever the target.
                _ if calls_back => assert!(subjects.len() <= 2),
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
                    // A constructor is given the one subject, and has no other.
                    let makes = |call: &Call| matches!(call.operation, Operation::Construct { .. });
                    let makes = candidate.test.suffixes.iter().flatten().any(makes);
                    assert_eq!(subjects.len(), if makes { 1 } else { 2 });
                }
                Mode::Crossing | Mode::Wait | Mode::Common { .. } => {
                    assert_eq!(subjects.len(), 1, "{:?}", candidate.test)
                }
                Mode::Part(_) => assert_eq!(subjects.len(), 2),
                Mode::Apart => assert_eq!(subjects.len(), 2),
                Mode::Born => assert!(subjects.len() <= 1),
            }
            generator.learn(
                &candidate.test,
                &candidate.origin,
                Feedback::Ran { overlapped: true, failing_probe: None },
            );
        }
        assert!(conflict > 5 && deadlock > 5 && share > 5, "{conflict} {deadlock} {share}");
        assert!(apart < conflict, "two that share nothing are the exception");
    });
}

#[test]
fn listeners_call_subjects_now_and_then_but_not_where_results_are_compared() {
    with_facts("java.util.Observable", |class_path, class, facts| {
        let count = |observe: bool| {
            let settings = Settings { observe, ..settings(Strategy::Auto, 1) };
            let candidates = tests(class_path, class, facts, settings, 400);
            let calling = candidates.iter().filter(|candidate| candidate.test.calls_back()).count();
            (calling, candidates.len())
        };
        let (calling, all) = count(false);
        assert!(calling > 10 && calling < all / 2, "{calling} of {all}");
        assert_eq!(count(true).0, 0);
    });
}

#[test]
fn an_abstract_class_that_nobody_extends_is_extended_by_the_test() {
    with_facts("java.util.concurrent.RecursiveAction", |class_path, class, facts| {
        for candidate in tests(class_path, class, facts, settings(Strategy::Auto, 1), 40) {
            let is_it = |call: &Call| matches!(&call.operation, Operation::Implement { class: of, .. } if of == class);
            assert!(candidate.test.prefix.iter().any(is_it), "{:?}", candidate.test);
        }
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
    assert_eq!(refused("java.lang.Void"), Some(Untestable::NoConstructor("java.lang.Void".into())));
    assert_eq!(
        refused("java.util.concurrent.TimeUnit"),
        Some(Untestable::Enum("java.util.concurrent.TimeUnit".into()))
    );
    assert_eq!(refused("java.util.Vector"), None);
    assert_eq!(refused("java.lang.Math"), None, "static methods are enough");
}

#[test]
fn a_method_without_an_end_waits_sooner_than_one_that_fails() {
    with_facts("java.util.LinkedList", |class_path, class, facts| {
        let is_bad = |call: &Call| is_method(call, "addFirst") || is_method(call, "removeLast");
        let place = |test: &TestCase| {
            let mut suffixes = test.suffixes.iter().enumerate();
            suffixes.find_map(|(suffix, calls)| Some((suffix, calls.iter().position(is_bad)?)))
        };
        let wasted = |runs_away: bool| {
            let mut wasted = 0;
            teach((class_path, class, facts), Strategy::Pairs, 300, |_, test| {
                wasted += u32::from(place(test).is_some());
                match place(test) {
                    Some((suffix, call)) if runs_away => Feedback::SuffixRunsAway { suffix, call },
                    Some((suffix, call)) => Feedback::SuffixFails { suffix, call },
                    None => RAN,
                }
            });
            wasted
        };
        let (runs_away, fails) = (wasted(true), wasted(false));
        assert!(runs_away < fails, "{runs_away} tests of what has no end, {fails} of what fails");
        let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Pairs, 1)).unwrap();
        let mut is_known = false;
        for _ in 0..200 {
            let candidate = generator.next().unwrap();
            let bad = place(&candidate.test);
            assert!(is_known || !generator.may_run_away(&candidate.test), "nothing has had no end yet");
            let feedback = bad.map_or(RAN, |(suffix, call)| Feedback::SuffixRunsAway { suffix, call });
            generator.learn(&candidate.test, &candidate.origin, feedback);
            assert!(bad.is_none() || generator.may_run_away(&candidate.test));
            is_known |= bad.is_some();
        }
        assert!(is_known);
    });
}

#[test]
fn a_pair_counts_only_if_both_of_its_calls_returned() {
    with_facts("java.util.LinkedList", |class_path, class, facts| {
        let is_bad = |call: &Call| is_method(call, "addFirst");
        let bad = facts.methods.iter().position(|method| method.name == "addFirst").unwrap();
        for is_left_out in [false, true] {
            let mut generator = Generator::new(class_path, class, facts, settings(Strategy::Auto, 1)).unwrap();
            for _ in 0..1_500 {
                let Some(Candidate { test, goals, is_scout, origin, .. }) = generator.next() else { break };
                if is_scout {
                    // Whatever is looked for, the first call that does not fail gets there: what reaches it is another method.
                    let first = test.suffixes[0].iter().position(|call| !is_bad(call)).unwrap_or_default();
                    let hits: Vec<(usize, u64)> = goals.iter().map(|&(place, _)| (first, place)).collect();
                    generator.scouted(&origin, &hits, vec![true; test.suffixes[0].len()], &[]);
                } else if is_left_out {
                    let mut shown = test.clone();
                    shown.suffixes.iter_mut().for_each(|calls| calls.retain(|call| !is_bad(call)));
                    generator.learn(&shown, &origin, RAN);
                    generator.certified(&shown, &origin);
                } else {
                    generator.learn(&test, &origin, fails_if(&test, is_bad));
                }
            }
            let targets = generator.targets().iter().filter(|it| !matches!(it.mode, Mode::Part(_)));
            let (with, without): (Vec<_>, Vec<_>) = targets.partition(|it| it.methods.0 == bad || it.methods.1 == bad);
            let counted = with.iter().filter(|target| target.ran > 0 || target.certified > 0);
            assert_eq!(counted.count(), 0, "none of {} was tested", with.len());
            assert!(with.len() > 10 && without.iter().filter(|target| target.ran > 0).count() > 10);
        }
    });
}

//! Tests that are written for classes which are not of the JDK: what they need may be anywhere on the class path.

mod sources;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use analysis::{Analyzer, ByteStore};
use classpath::{ClassName, ClassPath, Jdk};
use testcase::{Argument, Call, Implementation, Operation, TestCase};
use testgen::{Feedback, Generator, Settings, Strategy};

use sources::SOURCES;

/// Tests for a class, on each installed JDK.
fn tests(class: &str) -> Vec<TestCase> {
    tests_that(class, true)
}

/// Tests that look at the subjects when threads have ended, or make any calls then.
fn tests_that(class: &str, observe: bool) -> Vec<TestCase> {
    let mut tests = Vec::new();
    generate_as(class, observe, |generator| {
        for _ in 0..400 {
            let Some(candidate) = generator.next() else { break };
            assert_eq!(candidate.test.check(), Ok(()), "{:?}", candidate.test);
            generator.learn(
                &candidate.test,
                &candidate.origin,
                Feedback::Ran { overlapped: true, failing_probe: None },
            );
            tests.push(candidate.test);
        }
    });
    assert!(!tests.is_empty());
    tests
}

/// Whoever writes tests for a class, on each installed JDK.
fn generate(class: &str, look: impl FnMut(&mut Generator<'_>)) {
    generate_as(class, true, look);
}

fn generate_as(class: &str, observe: bool, mut look: impl FnMut(&mut Generator<'_>)) {
    for jdk in Jdk::installed() {
        println!("JDK {}", jdk.version);
        let folder = tempfile::tempdir().unwrap();
        compile(&jdk, folder.path());
        let mut class_path = ClassPath::parse(folder.path().to_str().unwrap(), jdk.feature).unwrap();
        class_path.append(ClassPath::of_jdk(&jdk).unwrap());
        let name = ClassName::parse(class).unwrap();
        let bytes = ByteStore::new();
        let facts = Analyzer::new(&class_path, &bytes).analyze(&name).unwrap();
        let settings = Settings { strategy: Strategy::Auto, seed: 1, observe, skip: vec![] };
        look(&mut Generator::new(&class_path, name.internal(), &facts, settings).unwrap());
    }
}

fn compile(jdk: &Jdk, folder: &Path) {
    let files = SOURCES.map(|(path, text)| {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    });
    let output = Command::new(jdk.javac()).args(["-nowarn", "-d"]).arg(folder).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The values that a call of the prefix puts under a key, into a map of which that call made it.
fn put(test: &TestCase, map: usize, key: &str) -> Vec<usize> {
    let puts = test.prefix.iter().filter_map(|call| match (&call.operation, &*call.arguments) {
        (Operation::Virtual { receiver, name, .. }, [Argument::String(text), Argument::Value(value)]) => {
            (name == "put" && *receiver == Argument::Value(map) && text == key).then_some(*value)
        }
        _ => None,
    });
    puts.collect()
}

fn makes(test: &TestCase, call: usize, wanted: &str) -> bool {
    matches!(&test.prefix[call].operation, Operation::Construct { class, .. } if class == wanted)
}

#[test]
fn what_implements_an_interface_is_found_wherever_it_is() {
    let tests = tests("clock.Clock");
    let made = tests.iter().filter(|test| (0..test.prefix.len()).any(|call| makes(test, call, "transport/Packet")));
    let implements = |test: &&TestCase| {
        let is =
            |operation: &Operation| matches!(operation, Operation::Implement { class, .. } if class == "wire/Message");
        test.prefix.iter().any(|call| is(&call.operation))
    };
    let (made, written) = (made.count(), tests.iter().filter(implements).count());
    println!("{made} of {} tests have it, {written} one of their own", tests.len());
    assert!(made * 5 > tests.len() && written * 5 > tests.len());
}

#[test]
fn maps_hold_what_is_looked_for_in_them() {
    let tests = tests("clock.Clock");
    let is_number = |test: &TestCase, call: usize| match &test.prefix[call].operation {
        Operation::Static { class, name, .. } => class.starts_with("java/lang/") && name == "valueOf",
        Operation::Construct { class, .. } => class.starts_with("java/lang/"),
        _ => false,
    };
    // A packet with a map, in which there is a map with a number.
    let is_whole = |test: &&TestCase| {
        (0..test.prefix.len()).filter(|call| makes(test, *call, "transport/Packet")).any(|packet| {
            let extras = put(test, packet, "extra").into_iter();
            let syncs = extras.flat_map(|extra| put(test, extra, "sync"));
            let mut times = syncs.flat_map(|sync| put(test, sync, "time"));
            times.any(|time| is_number(test, time))
        })
    };
    let has_bytes = |test: &&TestCase| {
        let data = (0..test.prefix.len()).flat_map(|map| put(test, map, "data"));
        let mut data = data.map(|value| &test.prefix[value].operation);
        data.any(|operation| matches!(operation, Operation::Array { element } if element == "byte"))
    };
    let (whole, bytes) = (tests.iter().filter(is_whole).count(), tests.iter().filter(has_bytes).count());
    println!("{whole} of {} tests have one, and {bytes} have bytes", tests.len());
    assert!(whole * 50 > tests.len() && bytes * 50 > tests.len());
}

#[test]
fn no_test_calls_a_finalizer() {
    let tests = tests("clock.Handle");
    let calls = tests.iter().flat_map(|test| test.prefix.iter().chain(test.suffixes.iter().flatten()));
    let mut called: Vec<(&str, &str)> = calls.filter_map(|call| method(&call.operation)).collect();
    called.sort_unstable();
    called.dedup();
    assert!(!called.contains(&("finalize", "()V")), "{called:?}");
    // One that only shares its name is a method like others.
    for other in [("finalize", "(I)V"), ("close", "()V"), ("read", "()I")] {
        assert!(called.contains(&other), "{other:?} is missing in {called:?}");
    }
}

#[test]
fn an_inner_object_is_made_in_the_one_around_it() {
    let tests = tests("clock.Hall$Seat");
    let calls = || tests.iter().flat_map(|test| test.prefix.iter().map(move |call| (test, call)));
    let constructs =
        |call: &Call, wanted: &str| matches!(&call.operation, Operation::Construct { class, .. } if class == wanted);
    let seats = calls().filter(|(_, call)| constructs(call, "clock/Hall$Seat"));
    let is_inside = |test: &TestCase, seat: &Call| matches!(seat.arguments[0], Argument::Value(hall) if makes(test, hall, "clock/Hall"));
    let (inside, apart): (Vec<_>, Vec<_>) = seats.partition(|(test, seat)| is_inside(test, seat));
    let rows = calls().filter(|(_, call)| constructs(call, "java/util/BitSet")).count();
    println!("{} in a hall, {} in none, with {rows} rows", inside.len(), apart.len());
    assert!(inside.len() > 10 * apart.len());
    // What the signature of the constructor says of the other parameters is not lost.
    assert!(rows * 10 > inside.len());
}

/// What a call of the prefix is given, or called on, is what that other one gave.
fn receives(call: &Call, number: usize) -> bool {
    call.operation.receiver() == Some(&Argument::Value(number))
}

/// The calls of a method in the prefix, by their numbers.
fn called<'t>(test: &'t TestCase, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_it = move |operation: &Operation| match operation {
        Operation::Virtual { name, .. } | Operation::Static { name, .. } => name == wanted,
        _ => false,
    };
    (0..test.prefix.len()).filter(move |&number| is_it(&test.prefix[number].operation))
}

#[test]
fn a_builder_is_made_by_whom_it_builds_and_told_what_it_needs() {
    let tests = tests("clock.Built");
    let is_built = |test: &&TestCase| {
        let mut sizes = called(test, "size");
        let is_sized = |&builder: &usize| sizes.any(|size| receives(&test.prefix[size], builder));
        let Some(builder) = called(test, "builder").find(is_sized) else { return false };
        let is_named = called(test, "name").any(|name| receives(&test.prefix[name], builder) || name > builder);
        // What a setter gives is the builder, too, as far as anyone can say.
        let last = called(test, "size").find(|&size| receives(&test.prefix[size], builder)).unwrap();
        is_named && called(test, "build").any(|build| receives(&test.prefix[build], last))
    };
    let (built, all) = (tests.iter().filter(is_built).count(), tests.len());
    println!("{built} of {all} tests have all that the builder can be told");
    assert!(built * 20 > all);
}

#[test]
fn what_a_subject_gives_out_is_given_back_to_it() {
    let tests = tests("clock.Desk");
    let gives_back = |test: &TestCase, call: &Call| match (&call.operation, &*call.arguments) {
        (Operation::Virtual { name, receiver, .. }, [Argument::Value(ticket)]) if name == "give" => {
            test.prefix.get(*ticket).is_some_and(|call| call.operation.receiver() == Some(receiver))
        }
        _ => false,
    };
    let by_one = |test: &&TestCase| test.suffixes.iter().flatten().any(|call| gives_back(test, call));
    // All that can be done with a ticket is to ask it, so two threads may have the same.
    let by_two = |test: &&TestCase| {
        let given = test.suffixes.iter().flatten().filter(|call| gives_back(test, call)).map(|call| &call.arguments);
        let given: Vec<_> = given.collect();
        given.len() > 1 && given.iter().all(|arguments| *arguments == given[0])
    };
    let (one, two) = (tests.iter().filter(by_one).count(), tests.iter().filter(by_two).count());
    println!("{one} of {} tests give a ticket back, {two} the same in two threads", tests.len());
    assert!(one * 3 > tests.len() && two * 50 > tests.len());
}

/// What is passed to the method of that name, in suffixes.
fn passed<'t>(test: &'t TestCase, wanted: &'t str) -> impl Iterator<Item = (&'t Call, &'t Argument)> {
    let calls = test.suffixes.iter().flatten();
    let calls = calls.filter(move |call| method(&call.operation).is_some_and(|(name, _)| name == wanted));
    calls.flat_map(|call| call.arguments.iter().map(move |argument| (call, argument)))
}

#[test]
fn what_a_subject_lends_is_not_made_by_the_test() {
    let (mut brought, mut twice, mut by_thread) = (0, 0, 0);
    for test in &tests("clock.Rental") {
        let mut boats = BTreeSet::new();
        for (suffix, calls) in test.suffixes.iter().enumerate() {
            let only = TestCase { suffixes: vec![calls.clone()], ..TestCase::default() };
            for (call, boat) in passed(&only, "bring") {
                let Argument::Value(boat) = *boat else { panic!("{boat:?} is no boat: {test:?}") };
                // What the thread itself was lent has a number past those of the prefix.
                let own = boat.checked_sub(test.prefix.len());
                let lent = own.map_or_else(|| &test.prefix[boat].operation, |own| &calls[own].operation);
                assert_eq!(method(lent).map(|(name, _)| name), Some("rent"), "{test:?}");
                assert_eq!(lent.receiver(), call.operation.receiver(), "{test:?}");
                brought += 1;
                by_thread += usize::from(own.is_some());
                twice += usize::from(!boats.insert((own.map(|_| suffix), boat)));
            }
        }
    }
    assert!(brought > 50 && twice == 0, "{brought} boats were brought, {twice} twice");
    assert!(by_thread > 10, "{by_thread} were rented by the thread that brought them");
}

#[test]
fn what_only_others_give_out_is_asked_of_them() {
    let tests = tests("clock.Barrier");
    // A route is planned by a planner in its package, which no one else knows.
    let is_planned = |test: &TestCase, argument: &Argument| match argument {
        Argument::Value(route) => {
            let maker = test.prefix.get(*route).and_then(|call| method(&call.operation));
            maker.is_some_and(|(name, _)| name == "plan")
        }
        _ => false,
    };
    let planned = |test: &TestCase| passed(test, "pass").filter(|(_, argument)| is_planned(test, argument)).count();
    let planned: usize = tests.iter().map(planned).sum();
    // The terms are told by another barrier, which a booth opens, which a toll has: no barrier can be made before.
    let opened = tests.iter().filter(|test| called(test, "open").next().is_some()).count();
    println!("{planned} planned routes, {opened} opened booths in {} tests", tests.len());
    assert!(planned > 20 && opened > 20, "{planned} planned routes, {opened} opened booths");
}

/// What probes use of what suffixes returned: the call that they make, and the one that gave it.
fn used_afterwards(test: &TestCase) -> Vec<(&Call, &Call)> {
    let used = |probe: &Call| -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        probe.for_each_argument(&mut |argument| {
            if let Argument::Returned { suffix, call } = *argument {
                found.push((suffix, call));
            }
        });
        found
    };
    let of_probe = |probe| used(probe).into_iter().map(move |(suffix, call)| (probe, &test.suffixes[suffix][call]));
    test.probes.iter().flat_map(of_probe).collect()
}

#[test]
fn what_threads_were_told_is_used_when_they_have_ended() {
    let tests = tests_that("clock.Rental", false);
    let used: Vec<_> = tests.iter().flat_map(used_afterwards).collect();
    let named = |probe: &str, by: &str| {
        let is_named = |call: &Call, wanted: &str| method(&call.operation).is_some_and(|(name, _)| name == wanted);
        used.iter().filter(|(call, from)| is_named(call, probe) && is_named(from, by)).count()
    };
    println!("{} uses of what threads were told", used.len());
    assert!(named("bring", "rent") > 5, "{} boats are brought afterwards", named("bring", "rent"));
    assert!(tests.iter().all(|test| test.check().is_ok()));
}

#[test]
fn what_only_exceptions_say_is_no_argument() {
    let tests = tests("clock.Rental");
    let names = tests.iter().flat_map(|test| passed(test, "name")).filter_map(|(_, argument)| match argument {
        Argument::String(text) => Some(text.as_str()),
        _ => None,
    });
    let names: BTreeSet<&str> = names.collect();
    assert!(names.contains("ark") && names.contains("old"), "{names:?}");
    assert!(!names.contains("no boat is out") && !names.contains("bad: "), "{names:?}");
}

#[test]
fn a_function_gives_an_object() {
    let tests = tests("clock.Rental");
    let functions = tests.iter().flat_map(|test| &test.prefix).filter_map(|call| match &call.operation {
        Operation::Implement { class, methods, .. } if class == "java/util/function/Supplier" => Some(methods),
        _ => None,
    });
    let functions: Vec<_> = functions.collect();
    assert!(functions.len() > 50 && functions.iter().all(|methods| methods.len() == 1), "{functions:?}");
}

fn method(operation: &Operation) -> Option<(&str, &str)> {
    match operation {
        Operation::Virtual { name, descriptor, .. } => Some((name, descriptor)),
        _ => None,
    }
}

#[test]
fn threads_share_no_argument_that_can_change() {
    let (mut shades, mut wheels) = (0, 0);
    for test in tests("clock.Depot") {
        // What each thread passes: objects by the call that makes them, and constants by their class.
        let passed = |calls: &[Call]| -> BTreeSet<String> {
            let values = calls.iter().flat_map(|call| &call.arguments).filter_map(|argument| match argument {
                // What its own calls returned is passed on by one thread only.
                Argument::Value(number) => Some(*number).filter(|number| *number < test.prefix.len()),
                _ => None,
            });
            values
                .map(|number| match &test.prefix[number].operation {
                    Operation::GetStatic { class, .. } => class.clone(),
                    operation => format!("{} {number}", operation.class()),
                })
                .collect()
        };
        let threads: Vec<_> = test.suffixes.iter().map(|suffix| passed(suffix)).collect();
        for (number, one) in threads.iter().enumerate() {
            for shared in threads[number + 1..].iter().flat_map(|other| one.intersection(other)) {
                let can_change = ["Cursor", "Visitor", "Basin", "Source"].iter().any(|name| shared.contains(name));
                // A cursor is made by a call of its depot.
                let is_cursor = shared.starts_with("clock/Depot ") && {
                    let number: usize = shared.rsplit(' ').next().unwrap().parse().unwrap();
                    matches!(&test.prefix[number].operation, Operation::Virtual { name, .. } if name == "open")
                };
                assert!(!can_change && !is_cursor, "{shared} is shared by threads of {test:?}");
                shades += usize::from(shared == "clock/Depot$Shade");
                wheels += usize::from(shared.starts_with("clock/Depot$Wheel"));
            }
        }
    }
    assert!(shades > 0, "nobody can change a shade, so threads may share it");
    assert!(wheels > 0, "a wheel is locked, so threads may share it");
}

/// The names of what two threads call first, in order.
fn first_calls(test: &TestCase) -> Vec<&str> {
    let mut names: Vec<&str> = test.suffixes.iter().map(|calls| name(&calls[0])).collect();
    names.sort_unstable();
    names
}

fn name(call: &Call) -> &str {
    match &call.operation {
        Operation::Static { name, .. } | Operation::Virtual { name, .. } => name,
        Operation::Construct { .. } => "new",
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_subject_is_configured_by_is_only_looked_at_beside_it() {
    let tests = tests("clock.Engine");
    let calls = |class: &str, wanted: &str| {
        let of_threads = tests.iter().flat_map(|test| test.suffixes.iter().flatten());
        let is_it = |call: &&Call| call.operation.class() == class && name(call) == wanted;
        of_threads.filter(is_it).count()
    };
    assert_eq!(calls("clock/Extensions", "add"), 0);
    assert!(calls("clock/Extensions", "size") > 0 && calls("clock/Session", "use") > 0);
}

#[test]
fn static_methods_need_no_subject() {
    let tests = tests("clock.Tally");
    let is_static = |call: &Call| matches!(&call.operation, Operation::Static { class, .. } if class == "clock/Tally");
    for test in &tests {
        let calls = test.prefix.iter().chain(test.suffixes.iter().flatten()).chain(&test.probes);
        assert!(calls.into_iter().all(is_static), "{test:?}");
    }
    assert!(tests.iter().any(|test| test.prefix.is_empty() && first_calls(test) == ["add", "total"]));
    assert!(tests.iter().any(|test| !test.prefix.is_empty()), "static state is changed first");
    assert!(tests.iter().any(|test| !test.probes.is_empty()), "static state is looked at afterwards");
}

#[test]
fn what_needs_an_object_that_nobody_can_make_is_named() {
    generate("clock.Sundial", |generator| {
        let candidate = generator.next().unwrap();
        assert_eq!(first_calls(&candidate.test), ["turn", "turn"]);
        let (methods, pairs) = generator.out_of_reach();
        assert_eq!((methods, pairs), (vec!["shadow()".to_owned()], 1));
    });
    generate("clock.Watch", |generator| assert_eq!(generator.out_of_reach(), (vec![], 0)));
}

#[test]
fn constructors_that_touch_static_state_are_called_beside_others() {
    let tests = tests("clock.Watch");
    for wanted in [["made", "new"], ["new", "new"]] {
        assert!(tests.iter().any(|test| first_calls(test) == wanted), "{wanted:?}");
    }
    // What a thread has made, it passes on.
    let passes_on = |test: &TestCase| {
        let first = test.prefix.len();
        test.suffixes.iter().any(|calls| {
            let mut later = calls.iter().skip(1);
            name(&calls[0]) == "new" && later.any(|call| call.arguments == [Argument::Value(first)])
        })
    };
    assert!(tests.iter().any(passes_on));
}

#[test]
fn what_takes_a_type_gets_classes() {
    let tests = tests("holes/Codecs");
    let types = tests.iter().flat_map(|test| passed(test, "codec")).map(|(_, argument)| argument);
    let (classes, others): (Vec<_>, Vec<_>) = types.partition(|argument| matches!(argument, Argument::Class(_)));
    assert!(classes.len() > others.len(), "{} classes and {} others", classes.len(), others.len());
    assert!(classes.iter().any(|class| **class != *classes[0]), "always {:?}", classes[0]);
}

#[test]
fn numbers_are_those_that_the_code_mentions() {
    let tests = tests("holes.Board");
    let passes = |number: i32| {
        let passes = |test: &&TestCase| {
            let all = test.prefix.iter().chain(test.suffixes.iter().flatten());
            all.flat_map(|call| &call.arguments).any(|argument| *argument == Argument::Int(number))
        };
        tests.iter().filter(passes).count()
    };
    // What is shifted by 6 has parts of 64, and there may be room for two of them at first.
    for number in [63, 64, 65, 128] {
        assert!(passes(number) > 0, "no test passes {number}");
    }
}

#[test]
fn a_handle_is_taken_out_of_what_it_is_wrapped_in() {
    let tests = tests("holes.Pool");
    let is_unwrapped = |test: &&TestCase| {
        passed(test, "give").any(|(_, key)| match key {
            Argument::Value(key) => method(&test.prefix[*key].operation).is_some_and(|(name, _)| name == "get"),
            _ => false,
        })
    };
    let unwrapped = tests.iter().filter(is_unwrapped).count();
    println!("{unwrapped} of {} tests give back what an Optional had in it", tests.len());
    assert!(unwrapped * 4 > tests.len());
}

#[test]
fn parts_that_two_methods_give_out_are_used_beside_each_other() {
    let tests = tests("holes.Pipe");
    let calls = |test: &TestCase, thread: usize, wanted: &str| {
        test.suffixes.get(thread).is_some_and(|calls| calls.iter().any(|call| name(call) == wanted))
    };
    let both = |test: &&TestCase| calls(test, 0, "put") && calls(test, 1, "take");
    assert!(tests.iter().any(|test| both(&test)), "no test puts into the one while it takes from the other");
    // A thread may ask for its part itself, while others are at it.
    let is_own = |test: &TestCase, call: &Call| {
        let made = test.prefix.len();
        matches!(call.operation.receiver(), Some(Argument::Value(number)) if *number >= made)
    };
    let asks_itself = |test: &&TestCase| {
        let mut calls = test.suffixes.iter().flatten();
        calls.any(|call| ["put", "take"].contains(&name(call)) && is_own(test, call))
    };
    let (own, all) = (tests.iter().filter(asks_itself).count(), tests.len());
    println!("in {own} of {all} tests a thread asks for its part");
    assert!(own > 0 && own * 2 < all);
}

/// Each `ConcurrentHashMap` asks one generator of random numbers, which is no matter of the classes that use maps.
#[test]
fn what_the_jdk_keeps_for_itself_is_no_reason_to_test_two_subjects() {
    let tests = tests("holes.Parlance");
    let is_subject = |call: &&Call| call.operation.class() == "holes/Parlance" && name(call) == "new";
    let of_two = tests.iter().filter(|test| test.prefix.iter().filter(is_subject).count() > 1).count();
    let all = tests.len();
    println!("{of_two} of {all} tests with two subjects");
    assert!(of_two * 5 < all, "what is not known of is tried now and then, and no more");
}

/// Whoever goes through a `Vector` has to keep others away from it, whatever locks it has.
#[test]
fn collections_that_look_for_changes_are_not_shared() {
    let mut shared = BTreeSet::new();
    for test in tests("holes.Drain") {
        let passed = |calls: &[Call]| -> BTreeSet<usize> {
            let arguments = calls.iter().flat_map(|call| &call.arguments);
            arguments.filter_map(|it| if let Argument::Value(number) = it { Some(*number) } else { None }).collect()
        };
        let [first, second, ..] = &test.suffixes[..] else { continue };
        for number in passed(first).intersection(&passed(second)).filter(|number| **number < test.prefix.len()) {
            shared.insert(test.prefix[*number].operation.class().to_owned());
        }
    }
    let fails_fast = |class: &String| ["Vector", "Stack"].iter().any(|it| class.ends_with(it));
    assert!(!shared.iter().any(fails_fast), "{shared:?}");
    println!("shared: {shared:?}");
}

/// How many of so many tests run, of the last so many, where a call of the prefix fails or not.
fn share_that_runs(class: &str, fails: impl Fn(&TestCase, &Call) -> bool) -> Vec<f64> {
    let mut shares = Vec::new();
    generate_as(class, false, |generator| {
        let mut ran = Vec::new();
        for _ in 0..600 {
            let Some(candidate) = generator.next() else { break };
            assert_eq!(candidate.test.check(), Ok(()), "{:?}", candidate.test);
            let failing = candidate.test.prefix.iter().position(|call| fails(&candidate.test, call));
            let in_suffix = |calls: &Vec<Call>| calls.iter().position(|call| fails(&candidate.test, call));
            let mut suffixes = candidate.test.suffixes.iter().enumerate();
            let beside = suffixes.find_map(|(suffix, calls)| Some((suffix, in_suffix(calls)?)));
            let feedback = match (failing, beside) {
                (Some(call), _) => Feedback::PrefixFails { call },
                (None, Some((suffix, call))) => Feedback::SuffixFails { suffix, call },
                (None, None) => Feedback::Ran { overlapped: true, failing_probe: None },
            };
            ran.push(matches!(feedback, Feedback::Ran { .. }));
            generator.learn(&candidate.test, &candidate.origin, feedback);
        }
        let late = &ran[ran.len() / 2..];
        shares.push(late.iter().filter(|ran| **ran).count() as f64 / late.len() as f64);
    });
    println!("{class}: {shares:.2?} of the later tests run");
    shares
}

#[test]
fn arguments_that_fit_each_other_are_passed_again_together() {
    let is_wrong = |from: i32, to: i32| from < 3 || to <= from || to > 40;
    let shares = share_that_runs("holes.Ruler", |_, call| match (&call.operation, &*call.arguments) {
        (Operation::Construct { class, .. }, [Argument::Int(from), Argument::Int(to)]) => {
            class == "holes/Ruler$Span" && is_wrong(*from, *to)
        }
        _ => false,
    });
    assert!(shares.iter().all(|share| *share > 0.6), "{shares:?}");
}

#[test]
fn a_pool_gets_back_what_it_lent_whatever_that_is() {
    // What was not taken before is refused.
    let shares = share_that_runs("holes.Lot", |test, call| match (&call.operation, &*call.arguments) {
        (Operation::Virtual { name, .. }, [Argument::Value(given)]) if name == "give" => {
            let maker = test.prefix.get(*given).map(|call| &call.operation);
            !matches!(maker, Some(Operation::Virtual { name, .. }) if name == "take")
        }
        (Operation::Virtual { name, .. }, [_]) => name == "give",
        _ => false,
    });
    assert!(shares.iter().all(|share| *share > 0.4), "{shares:?}");
}

#[test]
fn a_test_goes_on_without_a_call_that_fails_before_the_threads_begin() {
    generate_as("holes.Lot", false, |generator| {
        let is_refused = |call: &Call| matches!(&call.operation, Operation::Virtual { name, .. } if name == "give");
        for _ in 0..300 {
            let Some(candidate) = generator.next() else { break };
            let Some(call) = candidate.test.prefix.iter().position(is_refused) else {
                generator.learn(&candidate.test, &candidate.origin, Feedback::Unusable);
                continue;
            };
            generator.learn(&candidate.test, &candidate.origin, Feedback::PrefixFails { call });
            let next = generator.next().expect("a test without the call");
            assert_eq!(next.test.check(), Ok(()));
            assert_eq!(next.test.prefix.len() + 1, candidate.test.prefix.len());
            assert_eq!(next.test.suffixes.len(), candidate.test.suffixes.len());
            return;
        }
        panic!("no test gives anything back");
    });
}

#[test]
fn a_call_that_needs_others_before_it_gets_them_once_it_was_seen_to_return() {
    // Threads are spun between two knots that were tied before.
    let text = |argument: &Argument| match argument {
        Argument::String(text) => Some(text.clone()),
        _ => None,
    };
    let is = |call: &Call, method: &str| matches!(&call.operation, Operation::Virtual { name, .. } if name == method);
    let mut shares = Vec::new();
    generate_as("holes.Web", false, |generator| {
        let (mut spun, mut ran) = (0, 0);
        for number in 0..2_000 {
            let Some(candidate) = generator.next() else { break };
            let test = &candidate.test;
            let fails = |call: &Call, before: usize| {
                let tied: BTreeSet<_> = test.prefix[..before]
                    .iter()
                    .filter(|call| is(call, "tie"))
                    .filter_map(|call| text(&call.arguments[0]))
                    .collect();
                let [from, to] = &call.arguments[..] else { return false };
                is(call, "spin")
                    && (from == to || [from, to].iter().any(|it| text(it).is_none_or(|it| !tied.contains(&it))))
            };
            let failing = (0..test.prefix.len()).find(|&call| fails(&test.prefix[call], call));
            let in_suffix = |calls: &Vec<Call>| calls.iter().position(|call| fails(call, test.prefix.len()));
            let beside = test.suffixes.iter().enumerate().find_map(|(suffix, it)| Some((suffix, in_suffix(it)?)));
            let feedback = match (failing, beside) {
                (Some(call), _) => Feedback::PrefixFails { call },
                (None, Some((suffix, call))) => Feedback::SuffixFails { suffix, call },
                (None, None) => Feedback::Ran { overlapped: true, failing_probe: None },
            };
            if number >= 1_000 && failing.is_none() && test.suffixes.iter().flatten().any(|call| is(call, "spin")) {
                spun += 1;
                ran += u32::from(beside.is_none());
            }
            generator.learn(test, &candidate.origin, feedback);
        }
        shares.push(f64::from(ran) / f64::from(spun));
    });
    println!("{shares:.2?} of the later tests that spin a thread run");
    assert!(shares.iter().all(|share| *share > 0.4), "{shares:?}");
}

#[test]
fn a_call_that_its_own_thread_has_to_prepare_gets_that_call_before_it() {
    // What a thread weaves it has warped itself.
    let is = |call: &Call, method: &str| matches!(&call.operation, Operation::Virtual { name, .. } if name == method);
    let unwarped = |calls: &[Call]| {
        let mut warped = 0;
        calls.iter().position(|call| {
            warped += i32::from(is(call, "warp"));
            let fails = is(call, "weave") && warped == 0;
            warped = if is(call, "weave") { 0 } else { warped };
            fails
        })
    };
    let mut shares = Vec::new();
    generate_as("holes.Loom", false, |generator| {
        let (mut woven, mut ran) = (0, 0);
        for number in 0..600 {
            let Some(candidate) = generator.next() else { break };
            let test = &candidate.test;
            let in_prefix = unwarped(&test.prefix);
            let beside = test.suffixes.iter().enumerate().find_map(|(suffix, calls)| Some((suffix, unwarped(calls)?)));
            let feedback = match (in_prefix, beside) {
                (Some(call), _) => Feedback::PrefixFails { call },
                (None, Some((suffix, call))) => Feedback::SuffixFails { suffix, call },
                (None, None) => Feedback::Ran { overlapped: true, failing_probe: None },
            };
            let weaving = test.suffixes.iter().filter(|calls| calls.iter().any(|call| is(call, "weave"))).count();
            if number >= 300 && weaving > 1 {
                woven += 1;
                ran += u32::from(beside.is_none() && in_prefix.is_none());
            }
            generator.learn(test, &candidate.origin, feedback);
        }
        shares.push(f64::from(ran) / f64::from(woven));
    });
    println!("{shares:.2?} of the later tests in which two threads weave run");
    assert!(shares.iter().all(|share| *share > 0.5), "{shares:?}");
}

#[test]
fn an_executor_that_a_test_writes_runs_what_it_gets() {
    let mut written = 0;
    for test in tests("holes.Crew") {
        for call in &test.prefix {
            let Operation::Implement { class, methods, .. } = &call.operation else { continue };
            if class == "java/util/concurrent/Executor" {
                written += 1;
                let runs = |it: &Implementation| it.does.runs_what_it_gets() || it.does.throws();
                assert!(methods.iter().any(runs), "{test:?}");
            }
        }
    }
    assert!(written > 0, "no test wrote an executor");
}

#[test]
fn another_object_that_a_subject_gives_out_is_called_beside_it() {
    // What `bear` gives is the subject itself.
    let receiver = |call: &Call| match call.operation.receiver() {
        Some(Argument::Value(number)) => Some(*number),
        _ => None,
    };
    let is_of = |test: &TestCase, number: usize, method: &str| {
        let of = test.prefix.get(number).map(|call| &call.operation);
        matches!(of, Some(Operation::Virtual { name, .. }) if name == method)
    };
    let (mut with_shoot, mut with_itself) = (0, 0);
    for test in tests("holes.Vine") {
        let called: BTreeSet<usize> = test.suffixes.iter().filter_map(|calls| receiver(calls.first()?)).collect();
        let is_beside = |method: &str| {
            called.iter().any(|&number| {
                is_of(&test, number, method) && called.contains(&receiver(&test.prefix[number]).unwrap_or(usize::MAX))
            })
        };
        with_shoot += u32::from(is_beside("shoot"));
        with_itself += u32::from(is_beside("bear"));
    }
    println!("{with_shoot} tests call a shoot beside its vine, and {with_itself} what is the vine itself");
    assert!(with_shoot > 10 && with_itself == 0, "{with_shoot} and {with_itself}");
}

//! Smaller test cases: fewer calls, simpler arguments.

use testcase::{Argument, Behaviour, Call, Implementation, Operation, TestCase};

/// So many calls are worth a try at once.
const MANY: usize = 4;

/// Test cases that are one step smaller, those that promise the most first. All are valid if the given one is.
pub fn smaller(test: &TestCase) -> Vec<TestCase> {
    let mut found = Vec::new();
    if test.suffixes.len() > 2 {
        found.extend((0..test.suffixes.len()).filter_map(|suffix| without_suffix(test, suffix)));
    }
    for (suffix, calls) in test.suffixes.iter().enumerate() {
        if calls.len() > 1 {
            for call in (0..calls.len()).rev() {
                found.extend(without_suffix_call(test, suffix, call));
            }
            found.push(with_first_in_prefix(test, suffix));
        }
    }
    found.extend(without_many(test));
    found.extend(with_one_for_two(test));
    // Later calls use earlier ones, so they go first.
    for call in (0..test.prefix.len()).rev() {
        found.extend(without_prefix_call(test, call));
    }
    for probe in (0..test.probes.len()).rev() {
        let mut less = test.clone();
        less.probes.remove(probe);
        found.push(less);
    }
    found.extend(all_simpler(test));
    found.extend(simpler_arguments(test));
    found
}

/// All arguments simpler at once, if several can be: each trial that succeeds may take a second.
fn all_simpler(test: &TestCase) -> Option<TestCase> {
    let (mut less, mut changed) = (test.clone(), 0);
    let lists = less.suffixes.iter_mut().chain([&mut less.prefix, &mut less.probes]);
    for argument in lists.flatten().flat_map(|call| &mut call.arguments) {
        if let Some(simple) = simpler(argument).into_iter().next() {
            (*argument, changed) = (simple, changed + 1);
        }
    }
    (changed > 1).then_some(less)
}

fn uses(calls: &[Call], number: usize) -> bool {
    let mut found = false;
    for call in calls {
        call.for_each_argument(&mut |argument| found |= *argument == Argument::Value(number));
    }
    found
}

/// Without all that can be left out of a long prefix, and without the second or first half of it.
fn without_many(test: &TestCase) -> Vec<TestCase> {
    let is_needed = |number: usize| {
        let mut lists = test.suffixes.iter().chain([&test.prefix, &test.probes]);
        lists.any(|calls| uses(calls, number))
    };
    let open: Vec<usize> = (0..test.prefix.len()).filter(|&number| !is_needed(number)).collect();
    if open.len() < MANY {
        return Vec::new();
    }
    let half = open.len() / 2;
    let parts = [&open[..], &open[half..], &open[..half]];
    let without =
        |part: &[usize]| part.iter().rev().try_fold(test.clone(), |less, &call| without_prefix_call(&less, call));
    parts.into_iter().filter_map(without).collect()
}

/// A test without a call of its prefix; None if another call needs what it gives.
pub fn without_prefix_call(test: &TestCase, number: usize) -> Option<TestCase> {
    let lists = || test.suffixes.iter().chain([&test.prefix, &test.probes]);
    // Values past the prefix are each list's own.
    if lists().any(|calls| uses(calls, number)) {
        return None;
    }
    let mut less = test.clone();
    less.prefix.remove(number);
    let down = |value: usize| value - usize::from(value > number);
    less.prefix.iter_mut().for_each(|call| call.renumber(&down));
    less.probes.iter_mut().for_each(|call| call.renumber(&down));
    less.suffixes.iter_mut().flatten().for_each(|call| call.renumber(&down));
    Some(less)
}

/// One subject where there are two of a class. That fewer objects have to be shared says more: that `s.insert(0, s)`
/// fails is worse than that `s.insert(0, t)` does. Other objects are not brought together, for each belongs to one thread.
fn with_one_for_two(test: &TestCase) -> Vec<TestCase> {
    let is_subject = |number: usize| {
        let mut calls = test.suffixes.iter().flatten();
        calls.any(|call| call.operation.receiver() == Some(&Argument::Value(number)))
    };
    // As what its maker declares.
    let made = |number: usize| match &test.prefix[number].operation {
        _ if !is_subject(number) => None,
        Operation::Construct { class, .. } => Some(&**class),
        Operation::Static { descriptor, .. } | Operation::Virtual { descriptor, .. } => {
            descriptor.rsplit_once(")L")?.1.strip_suffix(';')
        }
        Operation::GetStatic { descriptor, .. } => descriptor.strip_prefix('L')?.strip_suffix(';'),
        _ => None,
    };
    let mut found = Vec::new();
    for second in (1..test.prefix.len()).rev() {
        let alike = (0..second).filter(|&first| made(first).is_some() && made(first) == made(second));
        for first in alike {
            let mut less = test.clone();
            let replace = |argument: &mut Argument| {
                if *argument == Argument::Value(second) {
                    *argument = Argument::Value(first);
                }
            };
            let after = less.prefix.iter_mut().skip(second).chain(&mut less.probes);
            after.chain(less.suffixes.iter_mut().flatten()).for_each(|call| call.change_arguments(&mut { replace }));
            found.extend(without_prefix_call(&less, second));
        }
    }
    found
}

fn without_suffix_call(test: &TestCase, suffix: usize, call: usize) -> Option<TestCase> {
    let number = test.prefix.len() + call;
    if uses(&test.suffixes[suffix], number) {
        return None;
    }
    let mut less = test.clone();
    less.suffixes[suffix].remove(call);
    less.suffixes[suffix].iter_mut().for_each(|call| call.renumber(&|value| value - usize::from(value > number)));
    let moved = |of: usize, number: usize| match of == suffix {
        true if number == call => None,
        true => Some(Argument::Returned { suffix, call: number - usize::from(number > call) }),
        false => Some(Argument::Returned { suffix: of, call: number }),
    };
    hands_over(&mut less.probes, &moved).then_some(less)
}

fn without_suffix(test: &TestCase, suffix: usize) -> Option<TestCase> {
    let mut less = test.clone();
    less.suffixes.remove(suffix);
    let moved = |of: usize, call: usize| {
        (of != suffix).then_some(Argument::Returned { suffix: of - usize::from(of > suffix), call })
    };
    hands_over(&mut less.probes, &moved).then_some(less)
}

/// Changes what probes use of what suffixes return. Says whether all of that is still there.
fn hands_over(probes: &mut [Call], moved: &dyn Fn(usize, usize) -> Option<Argument>) -> bool {
    probes.iter_mut().all(|probe| probe.change_returned(moved))
}

/// The first call of a suffix made before the others begin: one call a thread is easier to understand, and what it
/// shows does not rely on what the thread was told before.
fn with_first_in_prefix(test: &TestCase, suffix: usize) -> TestCase {
    let mut less = test.clone();
    let end = less.prefix.len();
    let first = less.suffixes[suffix].remove(0);
    less.prefix.push(first);
    // In its own suffix all values keep their numbers. In other lists, their own values come one later.
    let up = |value: usize| value + usize::from(value >= end);
    let others = less.suffixes.iter_mut().enumerate().filter(|(other, _)| *other != suffix);
    others.flat_map(|(_, calls)| calls).chain(&mut less.probes).for_each(|call| call.renumber(&up));
    let moved = |of: usize, call: usize| match (of == suffix, call.checked_sub(1)) {
        (true, None) => Some(Argument::Value(end)),
        (true, Some(call)) => Some(Argument::Returned { suffix, call }),
        (false, _) => Some(Argument::Returned { suffix: of, call }),
    };
    let is_there = hands_over(&mut less.probes, &moved);
    debug_assert!(is_there, "each of them has moved somewhere");
    less
}

/// One argument simpler, everywhere in turn.
fn simpler_arguments(test: &TestCase) -> Vec<TestCase> {
    let mut found = Vec::new();
    let lists = 2 + test.suffixes.len();
    for list in 0..lists {
        let calls = list_of(test, list).len();
        for call in 0..calls {
            for argument in 0..list_of(test, list)[call].arguments.len() {
                let given = &list_of(test, list)[call].arguments[argument];
                let literal = literal(&list_of(test, list)[call].operation, argument).filter(|_| is_value(given));
                for simple in simpler(given).into_iter().chain(literal) {
                    let mut less = test.clone();
                    list_of_mut(&mut less, list)[call].arguments[argument] = simple;
                    found.push(less);
                }
            }
            if let Operation::Array { .. } = list_of(test, list)[call].operation {
                for element in 0..list_of(test, list)[call].arguments.len() {
                    let mut less = test.clone();
                    list_of_mut(&mut less, list)[call].arguments.remove(element);
                    found.push(less);
                }
            }
            found.extend(plainer(test, list, call));
        }
    }
    found
}

/// A class that the test writes, with one method less that does something. What gives an object goes on to give
/// one: null in its place may be all that is wrong then.
fn plainer(test: &TestCase, list: usize, call: usize) -> Vec<TestCase> {
    let Operation::Implement { methods, .. } = &list_of(test, list)[call].operation else { return Vec::new() };
    let change = |method: usize| {
        let mut less = test.clone();
        if let Operation::Implement { methods, .. } = &mut list_of_mut(&mut less, list)[call].operation {
            methods.remove(method);
        }
        less
    };
    let gives_object = |method: &Implementation| method.descriptor.contains(")L") || method.descriptor.contains(")[");
    let matters = |method: &usize| {
        let method = &methods[*method];
        // Somebody may wait for the task that an executor is to run.
        method.does != Behaviour::Nothing && !method.does.runs_what_it_gets() && !gives_object(method)
    };
    (0..methods.len()).filter(matters).map(change).collect()
}

fn is_value(argument: &Argument) -> bool {
    matches!(argument, Argument::Value(_) | Argument::Returned { .. })
}

/// A literal that can be passed instead of an object.
fn literal(operation: &Operation, argument: usize) -> Option<Argument> {
    let descriptor = match operation {
        Operation::Construct { descriptor, .. }
        | Operation::Static { descriptor, .. }
        | Operation::Virtual { descriptor, .. }
        | Operation::Implement { descriptor, .. } => descriptor,
        _ => return None,
    };
    let parameters = classfile::MethodSignature::parse(descriptor).ok()?.parameters;
    let takes_text = ["java.lang.String", "java.lang.CharSequence", "java.lang.Object"];
    let wanted = parameters.get(argument)?.to_string();
    takes_text.contains(&&*wanted).then(|| Argument::String(String::new()))
}

fn simpler(argument: &Argument) -> Vec<Argument> {
    let simple = match argument {
        Argument::Boolean(true) => Argument::Boolean(false),
        Argument::Byte(value) if *value != 0 => Argument::Byte(0),
        Argument::Short(value) if *value != 0 => Argument::Short(0),
        Argument::Int(value) if *value != 0 => Argument::Int(0),
        Argument::Long(value) if *value != 0 => Argument::Long(0),
        Argument::Float(value) if *value != 0.0 => Argument::Float(0.0),
        Argument::Double(value) if *value != 0.0 => Argument::Double(0.0),
        Argument::String(text) if text.chars().count() > 1 => Argument::String(text.chars().take(1).collect()),
        _ => return Vec::new(),
    };
    let mut found = vec![simple];
    match argument {
        Argument::Int(value) if ![0, 1].contains(value) => found.push(Argument::Int(1)),
        Argument::Long(value) if ![0, 1].contains(value) => found.push(Argument::Long(1)),
        Argument::String(_) => found.insert(0, Argument::String(String::new())),
        _ => {}
    }
    found
}

fn list_of(test: &TestCase, list: usize) -> &[Call] {
    match list {
        0 => &test.prefix,
        1 => &test.probes,
        suffix => &test.suffixes[suffix - 2],
    }
}

fn list_of_mut(test: &mut TestCase, list: usize) -> &mut Vec<Call> {
    match list {
        0 => &mut test.prefix,
        1 => &mut test.probes,
        suffix => &mut test.suffixes[suffix - 2],
    }
}

/// How large a test case is: calls, then what they are given.
pub fn size(test: &TestCase) -> (usize, usize) {
    let mut test = test.clone();
    let mut weight = 0;
    let mut calls = 0;
    let mut weigh = |list: &mut Vec<Call>| {
        for call in list {
            calls += 1;
            call.change_arguments(&mut |argument| weight += simpler(argument).len());
        }
    };
    weigh(&mut test.prefix);
    weigh(&mut test.probes);
    test.suffixes.iter_mut().for_each(weigh);
    (calls, weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(class: &str) -> Call {
        Call { operation: Operation::Construct { class: class.into(), descriptor: "()V".into() }, arguments: vec![] }
    }

    fn call(receiver: usize, arguments: &[usize]) -> Call {
        let operation = Operation::Virtual {
            class: "Subject".into(),
            name: "call".into(),
            descriptor: "()V".into(),
            receiver: Argument::Value(receiver),
        };
        Call { operation, arguments: arguments.iter().map(|&value| Argument::Value(value)).collect() }
    }

    #[test]
    fn two_subjects_become_one() {
        let test = TestCase {
            prefix: vec![new("Subject"), new("Subject"), call(1, &[])],
            suffixes: vec![vec![call(0, &[1])], vec![call(1, &[0])]],
            probes: vec![call(1, &[])],
        };
        let one = TestCase {
            prefix: vec![new("Subject"), call(0, &[])],
            suffixes: vec![vec![call(0, &[0])], vec![call(0, &[0])]],
            probes: vec![call(0, &[])],
        };
        assert_eq!(with_one_for_two(&test), [one]);
    }

    #[test]
    fn a_subject_that_another_gives_becomes_one_with_it() {
        let given = Call {
            operation: Operation::Virtual {
                class: "Subject".into(),
                name: "self".into(),
                descriptor: "()LSubject;".into(),
                receiver: Argument::Value(0),
            },
            arguments: vec![],
        };
        let test = TestCase {
            prefix: vec![new("Subject"), given],
            suffixes: vec![vec![call(0, &[1])], vec![call(1, &[])]],
            probes: vec![],
        };
        let suffixes = vec![vec![call(0, &[0])], vec![call(0, &[])]];
        assert_eq!(with_one_for_two(&test), [TestCase { prefix: vec![new("Subject")], suffixes, probes: vec![] }]);
    }

    #[test]
    fn two_constants_become_one() {
        let constant = |name: &str| {
            let (class, descriptor) = ("Subject".into(), "LSubject;".into());
            Call { operation: Operation::GetStatic { class, name: name.into(), descriptor }, arguments: vec![] }
        };
        let test = TestCase {
            prefix: vec![constant("ONE"), constant("TWO")],
            suffixes: vec![vec![call(0, &[])], vec![call(1, &[])]],
            probes: vec![],
        };
        let suffixes = vec![vec![call(0, &[])], vec![call(0, &[])]];
        assert_eq!(with_one_for_two(&test), [TestCase { prefix: vec![constant("ONE")], suffixes, probes: vec![] }]);
    }

    #[test]
    fn a_long_prefix_goes_at_once_or_by_halves() {
        let test = |calls: usize| TestCase {
            prefix: [vec![new("Subject"), new("Other")], vec![call(0, &[1]); calls]].concat(),
            suffixes: vec![vec![call(0, &[])], vec![call(0, &[])]],
            probes: vec![],
        };
        assert_eq!(without_many(&test(6)), [test(0), test(3), test(3)]);
        assert_eq!(without_many(&test(3)), []);
        assert_eq!(smaller(&test(6))[0], test(0));
    }

    #[test]
    fn what_belongs_to_one_thread_stays_its_own() {
        let test = TestCase {
            prefix: vec![new("Subject"), new("List"), new("List")],
            suffixes: vec![vec![call(0, &[1])], vec![call(0, &[2])]],
            probes: vec![],
        };
        assert_eq!(with_one_for_two(&test), []);
    }

    #[test]
    fn the_first_call_of_a_suffix_goes_to_the_prefix() {
        let test = TestCase {
            prefix: vec![new("Subject")],
            suffixes: vec![vec![call(0, &[]), call(0, &[1])], vec![call(0, &[]), call(0, &[1])]],
            probes: vec![call(0, &[])],
        };
        let moved = TestCase {
            prefix: vec![new("Subject"), call(0, &[])],
            suffixes: vec![vec![call(0, &[1])], vec![call(0, &[]), call(0, &[2])]],
            probes: vec![call(0, &[])],
        };
        assert_eq!(with_first_in_prefix(&test, 0), moved);
        assert!(smaller(&test).contains(&moved));
    }

    #[test]
    fn a_function_goes_on_to_give_an_object() {
        let function = |methods: &[(&str, Argument)]| {
            let methods = methods.iter().map(|(descriptor, gives)| Implementation {
                name: "get".into(),
                descriptor: (*descriptor).into(),
                does: Behaviour::Return(gives.clone()),
            });
            let (class, descriptor) = ("Source".into(), "()V".into());
            let operation = Operation::Implement { class, descriptor, methods: methods.collect() };
            TestCase { prefix: vec![Call { operation, arguments: vec![] }], ..TestCase::default() }
        };
        let text = ("()Ljava/lang/String;", Argument::String("a".into()));
        let both = function(&[text.clone(), ("()I", Argument::Int(1))]);
        assert_eq!(plainer(&both, 0, 0), [function(&[text])]);
    }
}

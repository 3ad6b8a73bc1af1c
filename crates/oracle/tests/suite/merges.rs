//! Linearizations: which there are, and as test cases.

use crate::toy::test;
use oracle::{MOST, linearizations};
use testcase::{Argument, Behaviour, Call, Implementation, Operation, TestCase};

/// A test case with suffixes of so many calls.
fn sized(lengths: &[usize]) -> TestCase {
    let suffixes: Vec<Vec<&str>> = lengths.iter().map(|&length| vec!["size"; length]).collect();
    test(&suffixes.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[test]
fn all_merges_are_given_once_each() {
    for (lengths, count) in
        [(&[1, 1][..], 2), (&[3, 3], 20), (&[5, 5], 252), (&[3, 3, 3], 1_680), (&[2, 0], 1), (&[], 1), (&[1, 2, 3], 60)]
    {
        let all = linearizations(&sized(lengths));
        assert_eq!((all.total(), all.are_all()), (count, true), "{lengths:?}");
        let orders: std::collections::HashSet<_> = all.map(|of| of.order().to_vec()).collect();
        assert_eq!(orders.len() as u64, count, "{lengths:?}");
        for order in orders {
            let counts: Vec<_> =
                (0..lengths.len()).map(|suffix| order.iter().filter(|of| **of == suffix).count()).collect();
            assert_eq!(counts, lengths);
        }
    }
}

#[test]
fn too_many_are_not_run_and_it_says_so() {
    let all = linearizations(&sized(&[4, 4, 4]));
    assert_eq!((all.total(), all.are_all()), (34_650, false));
    assert_eq!(all.count() as u64, MOST);
    let all = linearizations(&sized(&[90, 90]));
    assert_eq!((all.total(), all.are_all()), (u64::MAX, false));
}

fn on(receiver: usize, argument: usize) -> Call {
    let operation = Operation::Virtual {
        class: "A".into(),
        name: "m".into(),
        descriptor: "(LA;)LA;".into(),
        receiver: Argument::Value(receiver),
    };
    Call { operation, arguments: vec![Argument::Value(argument)] }
}

#[test]
fn values_have_the_numbers_that_they_have_in_the_merge() {
    let construct = Operation::Construct { class: "A".into(), descriptor: "()V".into() };
    let back = Behaviour::InTurn(vec![Behaviour::Return(Argument::Value(1)), Behaviour::Call(Box::new(on(1, 0)))]);
    let methods = vec![Implementation { name: "m".into(), descriptor: "()V".into(), does: back }];
    let implement = Operation::Implement { class: "I".into(), descriptor: "()V".into(), methods };
    let test = TestCase {
        prefix: vec![Call { operation: construct, arguments: vec![] }],
        // Value 1 is what the first call of each suffix gave: another in each.
        suffixes: vec![
            vec![on(0, 0), on(1, 0)],
            vec![on(0, 0), Call { operation: implement, arguments: vec![Argument::Value(1)] }],
        ],
        probes: vec![on(0, 0)],
    };
    assert_eq!(test.check(), Ok(()));
    let merge = linearizations(&test).find(|of| of.order() == [1, 0, 1, 0]).unwrap();
    let merged = merge.test_case(&test);
    assert_eq!(merged.check(), Ok(()));
    assert_eq!((&merged.prefix, &merged.probes, merged.suffixes.len()), (&test.prefix, &test.probes, 1));
    let calls = &merged.suffixes[0];
    assert_eq!((&calls[0], &calls[1]), (&on(0, 0), &on(0, 0)));
    let Operation::Implement { methods, .. } = &calls[2].operation else { panic!("{:?}", calls[2]) };
    let of_first = Behaviour::InTurn(vec![Behaviour::Return(Argument::Value(1)), Behaviour::Call(Box::new(on(1, 0)))]);
    assert_eq!(
        (&methods[0].does, &calls[2].arguments),
        (&of_first, &vec![Argument::Value(1)]),
        "made first in the merge"
    );
    assert_eq!(calls[3], on(2, 0), "made second in the merge");
}

#[test]
fn what_came_of_a_merge_goes_back_to_the_suffixes() {
    let test = sized(&[2, 2]);
    let merge = linearizations(&test).find(|of| of.order() == [1, 0, 0, 1]).unwrap();
    assert_eq!(merge.calls().collect::<Vec<_>>(), [(1, 0), (0, 0), (0, 1), (1, 1)]);
    assert_eq!(merge.split(["a", "b", "c", "d"], 2), [vec!["b", "c"], vec!["a", "d"]]);
    assert_eq!(merge.split(["a", "b"], 2), [vec!["b"], vec!["a"]], "the third threw nothing: it was not made");
}

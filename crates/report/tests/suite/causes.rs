//! The sentence that a report leads with.

use crate::findings::{access, step};
use StepKind::{Join, Lock, Read, Unlock, Wake, Write};
use report::{Fact, Finding, FindingKind, Step, StepKind, View};

/// The cause of steps, of which the last `pending` never happened.
fn check(steps: Vec<Step>, pending: usize, facts: &[(usize, usize)], sentence: &str) {
    let mut steps = steps;
    let pending = steps.split_off(steps.len() - pending);
    let cause = facts.iter().map(|&(first, second)| Fact { first, second }).collect();
    let finding = Finding { steps, pending, cause, ..Finding::new(FindingKind::Hang, "Main", "") };
    let text = finding.text(&View { width: 2000, ..View::default() });
    let told = text.lines().find_map(|line| line.strip_prefix("Cause: ")).unwrap_or_default();
    assert_eq!(told, sentence);
}

fn count(thread: u16, kind: StepKind, line: u32) -> Step {
    access(thread, kind, "a.Counter#1 count 0", &format!("a.Counter.add:{line}"))
}

fn lock(thread: u16, number: u32) -> Step {
    access(thread, Lock, &format!("a.Fork#{number}"), &format!("a.Eater.eat:{number}"))
}

#[test]
fn both_threads_act_on_what_they_read() {
    let steps = vec![count(1, Read, 5), count(2, Read, 5), count(2, Write, 6), count(1, Write, 6)];
    let each = "each thread reads Counter.count (Counter.java:5) before the other writes it (Counter.java:6).";
    check(steps.clone(), 0, &[(0, 2), (1, 3)], each);
    check(steps, 0, &[(1, 3), (0, 2)], each);
    let steps = vec![count(1, Read, 5), count(2, Read, 7), count(2, Write, 8), count(1, Write, 6)];
    check(
        steps,
        0,
        &[(0, 2), (1, 3)],
        "thread 1 reads Counter.count (Counter.java:5) before thread 2 writes it (Counter.java:8); and thread 2 reads it \
         (Counter.java:7) before thread 1 writes it (Counter.java:6).",
    );
}

#[test]
fn a_thread_comes_between() {
    let steps = vec![count(1, Read, 5), count(2, Write, 9), count(1, Write, 6)];
    let between = "thread 2 writes Counter.count (Counter.java:9) between thread 1's read (Counter.java:5) and its write \
                   (Counter.java:6).";
    check(steps.clone(), 0, &[(0, 1), (1, 2)], between);
    check(steps, 0, &[(1, 2), (0, 1)], between);
    let on = |thread, kind, line: u32| access(thread, kind, "a.Map#4", &format!("a.Map.put:{line}"));
    let steps = vec![on(1, Unlock, 3), on(2, Lock, 1), count(2, Write, 9), count(1, Read, 5)];
    check(
        steps,
        0,
        &[(0, 1), (2, 3)],
        "thread 2 locks Map#4 (Map.java:1) and writes Counter.count (Counter.java:9) between thread 1's unlock (Map.java:3) \
         and its read of Counter.count (Counter.java:5).",
    );
}

#[test]
fn locks_in_a_circle() {
    let steps = vec![lock(1, 1), lock(2, 2), lock(3, 3), lock(1, 2), lock(2, 3), lock(3, 1)];
    check(
        steps,
        3,
        &[(0, 5), (1, 3), (2, 4)],
        "each thread holds what the next one wants: thread 1 holds Fork#1 (Eater.java:1) and wants Fork#2 (Eater.java:2); \
         thread 3 holds Fork#3 (Eater.java:3) and wants Fork#1 (Eater.java:1); thread 2 holds Fork#2 (Eater.java:2) and \
         wants Fork#3 (Eater.java:3).",
    );
    // Two threads that want what a third holds are no circle.
    let steps = vec![lock(1, 1), lock(1, 2), lock(2, 1), lock(3, 2)];
    check(
        steps,
        2,
        &[(0, 2), (1, 3)],
        "thread 1 locks Fork#1 (Eater.java:1), and then thread 2 never locks it (Eater.java:1); and thread 1 locks Fork#2 \
         (Eater.java:2), and then thread 3 never locks it (Eater.java:2).",
    );
}

#[test]
fn what_has_no_place_and_no_object_is_told_too() {
    check(
        vec![step(1, StepKind::End, ""), step(0, Join, ""), step(2, Wake, "")],
        1,
        &[(0, 1)],
        "thread 1 ends before thread 0 joins.",
    );
    check(vec![count(1, Read, 5)], 0, &[(0, 7)], "");
    check(vec![], 0, &[], "");
}

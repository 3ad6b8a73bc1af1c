//! Long executions fit on a screen, and what matters is on it.

use crate::findings::{access, preempting};
use report::{Ending, Fact, Finding, FindingKind, Step, StepKind, View};

/// Two threads that count to thousands; the cause is in the middle.
pub fn long() -> Finding {
    let count = |number: usize| {
        let (thread, kind) = (1 + (number / 50 % 2) as u16, [StepKind::Read, StepKind::Write][number % 2]);
        let frames = format!("Counter.add:{} Main.run:{thread}", 5 + number % 2);
        let step = access(thread, kind, &format!("Counter#1 count {number}"), &frames);
        if number > 0 && number.is_multiple_of(50) { preempting(step) } else { step }
    };
    Finding {
        steps: (0..10_000).map(count).collect(),
        cause: vec![Fact { first: 4998, second: 5001 }, Fact { first: 5001, second: 5051 }],
        endings: [(1, Ending::Threw("java.lang.AssertionError".into()))].into(),
        ..Finding::new(FindingKind::Exception, "Main", "java.lang.AssertionError")
    }
}

#[test]
fn ten_thousand_steps_fit_on_a_screen() {
    let text = long().text(&View::default());
    assert!(text.lines().count() <= 40, "{text}");
    for kept in ["> ", "count = 4998", "count = 5001", "count = 5051", "throws AssertionError", "Counter.add"] {
        assert!(text.contains(kept), "{kept} is missing\n{text}");
    }
    let marked = text.lines().filter(|line| line.starts_with('>')).count();
    assert_eq!(marked, 3, "{text}");
}

#[test]
fn all_steps_are_shown_or_counted() {
    for height in [0, 20, 24, 33, 40, 100, 1000] {
        let text = long().text(&View { height: Some(height), ..View::default() });
        let shown = text.lines().filter(|line| line.contains("count = ")).count();
        let left_out = text.lines().filter_map(|line| line.trim_start().strip_prefix("… ")?.split(' ').next());
        let left_out: usize = left_out.map(|number| number.replace(',', "").parse::<usize>().unwrap()).sum();
        assert_eq!(shown + left_out, 10_000, "{text}");
        assert!(text.lines().count() <= height.max(24), "{text}");
    }
}

#[test]
fn without_a_height_all_is_shown() {
    let text = long().text(&View { height: None, ..View::default() });
    assert_eq!(text.lines().filter(|line| line.contains("count = ")).count(), 10_000);
    assert!(!text.contains("left out"));
}

#[test]
fn many_threads_share_a_column() {
    let write = |thread| Step { what: Some("Main.x".into()), ..Step::new(thread, StepKind::Write) };
    let steps: Vec<Step> = (0..64).map(write).collect();
    let waits = |thread: u16| (thread, Ending::Waits(format!("waits for thread {}", (thread + 1) % 64)));
    let endings = (0..64).map(waits).collect();
    let finding = Finding { steps, endings, ..Finding::new(FindingKind::Deadlock, "Main", "64 threads wait") };
    let text = finding.text(&View::default());
    assert!(text.lines().count() <= 40, "{text}");
    assert!(text.contains("  thread 0  │ waits for thread 1\n"), "{text}");
    let three = Finding { steps: (1..4).map(write).collect(), ..Finding::new(FindingKind::Hang, "Main", "") };
    assert!(three.text(&View::default()).contains("thread 1             │ thread 2             │ thread 3\n"));
}

//! Findings in words, held against `tests/golden`. With `BLESS=1` set, what is said is written there instead.

use crate::findings;
use report::{Finding, Frame, View};
use std::path::Path;

fn check(name: &str, finding: &Finding, view: &View<'_>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    let text = finding.text(view);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, golden, "{name} has changed; if that is right, run with BLESS=1\n{text}");
}

/// As if Account.java were at hand.
fn source(frame: &Frame) -> Option<String> {
    let lines =
        [(13, "    int old = balance;"), (14, "    balance = old + amount;"), (19, "\tbalance = old - amount;")];
    let line = lines.iter().find(|(line, _)| frame.line == Some(*line) && frame.class == "com.acme.Account")?;
    Some(line.1.into())
}

const SAVED: View<'_> = View {
    width: 100,
    height: Some(40),
    fold: true,
    colors: false,
    source: &source,
    document: "raddle-out/3b1f/finding.json",
};

#[test]
fn a_lost_update() {
    check("lost_update", &findings::lost_update(), &SAVED);
}

#[test]
fn a_lost_update_in_colours() {
    let (finding, view) = (findings::lost_update(), View { colors: true, ..SAVED });
    check("lost_update_colors", &finding, &view);
    let plain = anstream::adapter::strip_str(&finding.text(&view)).to_string();
    assert_eq!(plain, finding.text(&SAVED), "colours change nothing else");
}

#[test]
fn a_deadlock_of_two_locks() {
    check("deadlock", &findings::deadlock(), &SAVED);
}

#[test]
fn a_lost_notification() {
    check("lost_notification", &findings::lost_notification(), &View::default());
}

#[test]
fn a_main_and_a_thread_that_it_starts() {
    check("started", &findings::started(), &View::default());
}

#[test]
fn what_happens_in_the_jdk_is_folded() {
    check("in_the_jdk", &findings::in_the_jdk(), &View::default());
    check("in_the_jdk_unfolded", &findings::in_the_jdk(), &View { fold: false, ..View::default() });
}

#[test]
fn ten_thousand_steps() {
    check("long", &crate::screen::long(), &View::default());
}

#[test]
fn a_target_in_the_jdk_is_not_folded() {
    check("string_buffer", &findings::string_buffer(), &View { width: 80, ..View::default() });
}

#[test]
fn what_blocks_in_the_jdk_is_shown() {
    check("parked", &findings::parked(), &View::default());
}

#[test]
fn calls_are_told_by_where_they_come_from() {
    check("calls", &findings::calls(), &View::default());
}

#[test]
fn a_narrow_terminal_has_one_column() {
    check("lost_update_60", &findings::lost_update(), &View { width: 60, ..SAVED });
    check("deadlock_40", &findings::deadlock(), &View { width: 40, ..SAVED });
}

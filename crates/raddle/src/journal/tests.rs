//! Journals that are cut off, damaged, foreign and in use.

use super::*;
use crate::supervisor::Printed;
use crate::worker::protocol::{Answer, Failure, Job, Plan};
use testcase::TestCase;

fn task(key: &str, executions: u64) -> Task {
    let plan = Plan::Random { seed: 1, executions, exhaust: true };
    let job =
        Job { test: TestCase::default(), under_test: vec![], plan, limits: host::Limits::default(), opened: vec![] };
    Task { key: key.into(), job, budget: None, until: None, fresh: false }
}

fn outcome(text: &str) -> Outcome {
    Outcome { answer: Answer::Refused(text.into()), refused: vec![], printed: Printed::default() }
}

/// A journal with three tasks, and where each record ends.
fn three(folder: &Path) -> Vec<u64> {
    let mut journal = Journal::open(folder, "run", false).unwrap();
    let mut ends = vec![journal.file.stream_position().unwrap()];
    for key in ["a", "b", "c"] {
        journal.finish(&task(key, 1), outcome(key)).unwrap();
        ends.push(journal.file.stream_position().unwrap());
    }
    ends
}

#[test]
fn wherever_it_is_cut_off_whole_records_stay_and_more_can_follow() {
    let folder = tempfile::tempdir().unwrap();
    let ends = three(folder.path());
    let whole = std::fs::read(folder.path().join(NAME)).unwrap();
    for length in 0..=whole.len() {
        std::fs::write(folder.path().join(NAME), &whole[..length]).unwrap();
        let mut journal = Journal::open(folder.path(), "run", true).unwrap();
        let expected = ends[1..].iter().filter(|&&end| end <= length as u64).count();
        assert_eq!(journal.len(), expected, "cut off at {length} of {ends:?}");
        journal.finish(&task("d", 1), outcome("d")).unwrap();
        drop(journal);
        let records = read(folder.path()).unwrap();
        assert_eq!(records.len(), expected + 1);
        let last = records.last().unwrap();
        assert_eq!((&*last.key, &last.entry), ("d", &Entry::Finished(outcome("d"))));
    }
}

#[test]
fn a_damaged_record_and_those_after_it_are_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let ends = three(folder.path());
    let whole = std::fs::read(folder.path().join(NAME)).unwrap();
    for at in ends[1]..ends[2] {
        let mut bytes = whole.clone();
        bytes[at as usize] ^= 1;
        std::fs::write(folder.path().join(NAME), bytes).unwrap();
        assert_eq!(read(folder.path()).unwrap().len(), 1, "byte {at}");
    }
}

#[test]
fn only_the_very_same_task_of_the_same_run_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    three(folder.path());
    let journal = Journal::open(folder.path(), "run", true).unwrap();
    assert_eq!(journal.finished(&task("b", 1)), Some(&outcome("b")));
    assert_eq!(journal.finished(&task("b", 2)), None, "another job under the same key");
    assert_eq!(journal.finished(&task("d", 1)), None);
    drop(journal);
    let other = Journal::open(folder.path(), "another run", true).unwrap();
    assert_eq!(other.finished(&task("b", 1)), None);
    assert!(other.is_outdated(&task("b", 1)) && !other.is_outdated(&task("d", 1)));
}

#[test]
fn what_was_found_is_known_before_the_task_is_done_and_never_twice() {
    let folder = tempfile::tempdir().unwrap();
    let failure = |place: u32| Failure { place: place.to_string(), ..Failure::default() };
    let finding = |place| Finding { failure: failure(place), as_found: true, ..Finding::default() };
    let mut journal = Journal::open(folder.path(), "run", false).unwrap();
    assert!(journal.find(&task("a", 1), &finding(1)).unwrap());
    drop(journal);
    let mut journal = Journal::open(folder.path(), "run", true).unwrap();
    assert_eq!((journal.finished(&task("a", 1)), journal.len()), (None, 0));
    assert!(!journal.find(&task("a", 1), &finding(1)).unwrap(), "it was known");
    assert!(journal.find(&task("a", 1), &finding(2)).unwrap());
    journal.finish(&task("a", 1), outcome("a")).unwrap();
    drop(journal);
    let mut journal = Journal::open(folder.path(), "run", true).unwrap();
    assert_eq!(journal.found(&task("a", 1)), [finding(1), finding(2)]);
    assert_eq!(journal.finished(&task("a", 1)), Some(&outcome("a")));
    // Another task of the same key has found nothing, and once it has, what the first one found is nobody's.
    assert_eq!(journal.found(&task("a", 2)), []);
    assert!(journal.find(&task("a", 2), &finding(1)).unwrap());
    assert_eq!((journal.found(&task("a", 1)), journal.finished(&task("a", 1))), (&[][..], None));
    assert_eq!(read(folder.path()).unwrap().len(), 4);
}

#[test]
fn what_is_better_known_takes_the_place_of_what_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let found = Finding { as_found: true, executions_to_find: 7, ..Finding::default() };
    let explained = Finding { as_found: false, preemptions: 1, ..found.clone() };
    let mut journal = Journal::open(folder.path(), "run", false).unwrap();
    assert!(journal.find(&task("a", 1), &found).unwrap());
    assert!(journal.find(&task("a", 1), &explained).unwrap());
    assert_eq!(journal.found(&task("a", 1)), std::slice::from_ref(&explained));
    drop(journal);
    let mut journal = Journal::open(folder.path(), "run", true).unwrap();
    // The task is done again, and finds the same.
    assert!(!journal.find(&task("a", 1), &found).unwrap());
    assert!(!journal.find(&task("a", 1), &explained).unwrap());
    assert_eq!(journal.found(&task("a", 1)), [explained]);
}

#[test]
fn without_resume_the_old_journal_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    three(folder.path());
    assert!(Journal::open(folder.path(), "run", false).unwrap().is_empty());
    std::fs::rename(folder.path().join(PREVIOUS), folder.path().join(NAME)).unwrap();
    assert_eq!(read(folder.path()).unwrap().len(), 3);
}

#[test]
fn one_run_at_a_time_has_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let first = Journal::open(folder.path(), "run", false).unwrap();
    assert!(matches!(Journal::open(folder.path(), "run", true), Err(JournalError::InUse(_))));
    drop(first);
    assert!(Journal::open(folder.path(), "run", true).is_ok());
}

#[test]
fn what_is_no_journal_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(NAME), "raddle journal 9\n").unwrap();
    assert!(matches!(Journal::open(folder.path(), "run", true), Err(JournalError::Foreign(_))));
    assert_eq!(std::fs::read(folder.path().join(NAME)).unwrap(), b"raddle journal 9\n");
}

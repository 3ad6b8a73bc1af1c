//! Who may have what: sets of threads, one thread for each.

use crate::thread_set::ThreadSet;

/// Whether each of these sets of threads can have a thread of its own.
///
/// A notification is for one of the threads that waited when it was given, and no thread takes two. This says whether some threads can
/// take all of them.
pub fn one_each(sets: &[ThreadSet]) -> bool {
    let mut takes = Vec::new();
    (0..sets.len()).all(|set| gives(sets, set, &mut takes, &mut ThreadSet::default()))
}

/// Finds a thread for a set, of those that were not asked yet; whoever has one already may have to give it to another set.
fn gives(sets: &[ThreadSet], set: usize, takes: &mut Vec<Option<usize>>, asked: &mut ThreadSet) -> bool {
    for thread in sets[set].iter() {
        if asked.contains(thread) {
            continue;
        }
        asked.insert(thread);
        takes.resize(takes.len().max(thread + 1), None);
        if takes[thread].is_none_or(|other| gives(sets, other, takes, asked)) {
            takes[thread] = Some(set);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{ThreadSet, one_each};

    fn check(sets: &[&[usize]], expected: bool) {
        let sets: Vec<ThreadSet> = sets.iter().map(|set| set.iter().copied().collect()).collect();
        assert_eq!(one_each(&sets), expected);
    }

    #[test]
    fn a_thread_that_was_taken_is_given_up_where_another_will_do() {
        check(&[], true);
        check(&[&[0, 1], &[0]], true);
        check(&[&[1, 2], &[0, 1], &[0]], true);
        check(&[&[0, 1], &[0], &[1]], false);
        check(&[&[0], &[]], false);
        check(&[&[70, 900], &[70]], true);
        check(&[&[900], &[900]], false);
    }
}

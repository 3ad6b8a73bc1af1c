//! Who may have what: sets of threads, one thread for each.

/// Whether each of these sets of threads, given as bits, can have a thread of its own.
///
/// A notification is for one of the threads that waited when it was given, and no thread takes two. This says whether some threads can
/// take all of them.
pub fn one_each(sets: &[u64]) -> bool {
    let mut takes = [None; 64];
    (0..sets.len()).all(|set| gives(sets, set, &mut takes, &mut 0))
}

/// Finds a thread for a set, of those that were not asked yet; whoever has one already may have to give it to another set.
fn gives(sets: &[u64], set: usize, takes: &mut [Option<usize>; 64], asked: &mut u64) -> bool {
    for thread in (0..64).filter(|thread| sets[set] & 1 << thread != 0) {
        if *asked & 1 << thread != 0 {
            continue;
        }
        *asked |= 1 << thread;
        if takes[thread].is_none_or(|other| gives(sets, other, takes, asked)) {
            takes[thread] = Some(set);
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::one_each;

    #[test]
    fn a_thread_that_was_taken_is_given_up_where_another_will_do() {
        assert!(one_each(&[]));
        assert!(one_each(&[0b11, 0b01]));
        assert!(one_each(&[0b110, 0b011, 0b001]));
        assert!(!one_each(&[0b11, 0b01, 0b10]));
        assert!(!one_each(&[0b1, 0]));
    }
}

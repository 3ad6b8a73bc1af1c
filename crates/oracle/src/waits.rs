//! Which calls linearizations leave waiting.
//!
//! That some linearization is stuck does not explain every execution that is: two takers may wait for good where each
//! linearization leaves one. And a linearization in which a call waits while others are made runs the same code that
//! may lose a notification. So where a call that is left waiting can come after all others, it must wait there, too:
//! then it waits because of the state that the others left, and not because it has missed something.

use crate::observation::{Ended, Observation};

/// What linearizations have left waiting, each call in the thread of its suffix.
#[derive(Clone, Debug)]
pub struct Waits<V> {
    runs: Vec<Run<V>>,
}

/// One linearization.
#[derive(Clone, PartialEq, Debug)]
struct Run<V> {
    /// How the calls of each suffix ended that did.
    ended: Vec<Vec<Ended<V>>>,
    stuck: bool,
    /// How many calls each suffix had made at each moment when no call was running, for as long as all calls were made
    /// without a break.
    quiet: Vec<Vec<usize>>,
}

impl<V> Default for Waits<V> {
    fn default() -> Self {
        Waits { runs: Vec::new() }
    }
}

impl<V: Clone + PartialEq> Waits<V> {
    /// A linearization has shown this. `quiet` says how many calls each suffix had made whenever nobody was within a
    /// call, up to the first call that another has interrupted.
    pub fn add(&mut self, observation: &Observation<V>, quiet: Vec<Vec<usize>>) {
        let run = Run { ended: ended(observation), stuck: observation.stuck, quiet };
        if !observation.endless && !self.runs.contains(&run) {
            self.runs.push(run);
        }
    }

    /// Whether calls of an execution that is stuck wait for good which no linearization explains: none leaves the same
    /// calls waiting, or none does in which those come after all others and the others end as they did, though they can
    /// be made so. The second holds only if the others act the same whether those wait already or not: `come_last`.
    pub fn are_unexplained(&self, observation: &Observation<V>, come_last: bool) -> bool {
        self.are_not_explained(observation, true, come_last)
    }

    /// Whether a linearization explains them, so that it is of no matter what others show: it leaves the same calls
    /// waiting, and if it has to be one in which those come after all others, that is so and the others ended as they did.
    pub fn are_explained(&self, observation: &Observation<V>, come_last: bool) -> bool {
        let of_execution = ended(observation);
        let made: Vec<usize> = of_execution.iter().map(Vec::len).collect();
        self.runs.iter().any(|run| {
            let leaves_them = run.stuck && run.ended.iter().map(Vec::len).eq(made.iter().copied());
            leaves_them && (!come_last || run.quiet.contains(&made) && run.ended == of_execution)
        })
    }

    /// Whether it may be so, for all that is known before anybody has read what calls returned.
    pub fn may_be_unexplained(&self, observation: &Observation<V>) -> bool {
        self.are_not_explained(observation, false, true)
    }

    /// Whether calls of these suffixes, which are left at locks that calls hold which wait, could have been made before
    /// those, and then all calls end: the ones that wait have locked out whoever would come for them. That a
    /// linearization is stuck in the same way is no excuse.
    pub fn are_locked_out(&self, observation: &Observation<V>, suffixes: &[usize]) -> bool {
        let of_execution = ended(observation);
        let made: Vec<usize> = of_execution.iter().map(Vec::len).collect();
        let with_them = |(suffix, made): (usize, &usize)| made + usize::from(suffixes.contains(&suffix));
        let first: Vec<usize> = made.iter().enumerate().map(with_them).collect();
        let is_same = |run: &Run<V>| run.ended.iter().zip(&of_execution).all(|(run, ended)| run.starts_with(ended));
        self.runs.iter().any(|run| !run.stuck && run.quiet.contains(&first) && is_same(run))
    }

    fn are_not_explained(&self, observation: &Observation<V>, by_results: bool, come_last: bool) -> bool {
        let of_execution = ended(observation);
        let made: Vec<usize> = of_execution.iter().map(Vec::len).collect();
        let leaves_them = |run: &Run<V>| run.stuck && run.ended.iter().map(Vec::len).eq(made.iter().copied());
        if !self.runs.iter().any(leaves_them) {
            return true;
        }
        if !come_last {
            return false;
        }
        // Runs in which all other calls were made before those that wait.
        let mut before = self.runs.iter().filter(|run| run.quiet.contains(&made));
        if !by_results {
            return before.any(|run| !leaves_them(run));
        }
        let is_same = |run: &Run<V>| run.ended.iter().zip(&of_execution).all(|(run, ended)| run.starts_with(ended));
        let mut of_same = before.filter(|run| is_same(run)).peekable();
        of_same.peek().is_some() && !of_same.any(leaves_them)
    }
}

/// The calls that ended, of each suffix.
fn ended<V: Clone>(observation: &Observation<V>) -> Vec<Vec<Ended<V>>> {
    let has_ended = |end: &&Ended<V>| !matches!(end, Ended::CutOff);
    observation.suffixes.iter().map(|ends| ends.iter().filter(has_ended).cloned().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation(made: &[usize], stuck: bool) -> Observation<u8> {
        let suffixes = made.iter().map(|&calls| vec![Ended::Returned(0); calls]).collect();
        Observation { suffixes, stuck, ..Observation::default() }
    }

    #[test]
    fn two_that_wait_are_not_explained_by_one() {
        // Two that take, and one that puts.
        let mut waits = Waits::default();
        waits.add(&observation(&[1, 0, 1], true), vec![vec![0, 0, 0]]);
        waits.add(&observation(&[0, 1, 1], true), vec![vec![0, 0, 0]]);
        assert!(waits.are_unexplained(&observation(&[0, 0, 1], true), true));
        assert!(!waits.are_unexplained(&observation(&[0, 1, 1], true), true));
    }

    #[test]
    fn whoever_waits_where_it_need_not_if_it_comes_last_has_missed_something() {
        let mut waits = Waits::default();
        // It waits first, and is stuck; it comes last, and goes on.
        waits.add(&observation(&[0, 1], true), vec![vec![0, 0]]);
        assert!(!waits.are_unexplained(&observation(&[0, 1], true), true), "nobody has shown that it can come last");
        waits.add(&observation(&[1, 1], false), vec![vec![0, 0], vec![0, 1], vec![1, 1]]);
        assert!(waits.are_unexplained(&observation(&[0, 1], true), true));
        assert!(!waits.are_explained(&observation(&[0, 1], true), true));
        assert!(waits.are_explained(&observation(&[0, 1], true), false));
        // It waits in one order in which it comes last: that is the state.
        waits.add(&observation(&[0, 1], true), vec![vec![0, 0], vec![0, 1]]);
        assert!(waits.are_explained(&observation(&[0, 1], true), true));
        assert!(!waits.are_unexplained(&observation(&[0, 1], true), true));
    }

    #[test]
    fn an_order_that_leaves_it_waiting_explains_only_what_the_others_have_said_there() {
        // A call waits for an answer. Whoever answers first finds no call and says so.
        let mut waits = Waits::default();
        let mut too_early = observation(&[0, 1], true);
        too_early.suffixes[1] = vec![Ended::Returned(1)];
        waits.add(&too_early, vec![vec![0, 0], vec![0, 1]]);
        waits.add(&observation(&[1, 1], false), vec![vec![0, 0], vec![0, 1], vec![1, 1]]);
        assert!(!waits.are_unexplained(&too_early, true));
        let answered = observation(&[0, 1], true);
        assert!(waits.may_be_unexplained(&answered));
        assert!(waits.are_unexplained(&answered, true));
    }

    #[test]
    fn whoever_waits_with_a_lock_must_not_lock_out_what_it_waits_for() {
        // The first waits with a lock that the second needs; the other way round both end.
        let mut waits = Waits::default();
        waits.add(&observation(&[0, 0], true), vec![vec![0, 0]]);
        assert!(!waits.are_locked_out(&observation(&[0, 0], true), &[1]), "no order ends");
        waits.add(&observation(&[1, 1], false), vec![vec![0, 0], vec![0, 1], vec![1, 1]]);
        assert!(waits.are_locked_out(&observation(&[0, 0], true), &[1]));
        assert!(!waits.are_locked_out(&observation(&[0, 0], true), &[0]), "it never goes first");
    }

    #[test]
    fn an_order_in_which_the_others_end_otherwise_shows_nothing() {
        let mut waits = Waits::default();
        waits.add(&observation(&[0, 1], true), vec![vec![0, 0]]);
        let mut other = observation(&[1, 1], false);
        other.suffixes[1] = vec![Ended::Returned(1)];
        waits.add(&other, vec![vec![0, 0], vec![0, 1], vec![1, 1]]);
        assert!(!waits.are_unexplained(&observation(&[0, 1], true), true));
        assert!(waits.may_be_unexplained(&observation(&[0, 1], true)));
    }
}

//! How much of a check's budget is left, and what may still be done.
//!
//! A budget of time is a promise: a check ends within it and a tenth of it, or five seconds if that is more. What was found
//! late is made smaller in a hurry then, or only confirmed, or stays unconfirmed. So in the last fifth of the budget what
//! was found goes before what is searched for. A budget of work promises nothing of time, and every run with it does the
//! same.

use std::time::{Duration, Instant};

/// How little time there is for what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Haste {
    /// It is made as small as can be, and explained.
    None,
    /// It is explained in a hurry.
    Hurry,
    /// It is only confirmed.
    Confirm,
    /// It stays as it is.
    Over,
}

/// The time of one check.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    begun: Instant,
    budget: Duration,
    /// The work that is allowed, if that is bounded.
    effort: Option<u64>,
}

/// What half a second counts as, where something is ended by time or a worker has to be started again.
pub const HALF_A_SECOND: u64 = 100_000;
/// A check may take so much longer than its budget, or a tenth of that.
const LEAST_EXTRA: Duration = Duration::from_secs(5);
/// With a budget of work, each stage of haste begins so long after the one before.
const GRACE: Duration = Duration::from_secs(10);
/// It takes a while until a worker that is told to end has ended.
const TO_END: Duration = Duration::from_millis(500);

impl Clock {
    /// Of a check that began then.
    pub fn new(begun: Instant, budget: Duration, effort: Option<u64>) -> Clock {
        Clock { begun, budget, effort }
    }

    /// How long the check has taken.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether the budget is spent, after so much work.
    pub fn is_over(&self, effort: u64) -> bool {
        self.past(effort).is_some()
    }

    /// How little time is left for what was found.
    pub fn haste(&self, effort: u64) -> Haste {
        let Some(past) = self.past(effort) else { return Haste::None };
        let stage = if self.effort.is_some() { GRACE } else { self.extra() / 4 };
        match () {
            _ if past >= 3 * stage => Haste::Over,
            _ if past >= 2 * stage => Haste::Confirm,
            _ if past >= stage => Haste::Hurry,
            _ => Haste::None,
        }
    }

    /// Whether what was found goes first, because the end of the budget is near.
    pub fn is_late(&self) -> bool {
        self.effort.is_none() && self.elapsed() >= self.budget.mul_f64(0.8)
    }

    /// How long the schedules of a test may take; None if time does not count. There are always more tests.
    pub fn for_test(&self) -> Option<Duration> {
        let share = (self.budget / 20).clamp(TO_END, Duration::from_secs(10));
        self.effort.is_none().then(|| self.budget.saturating_sub(self.elapsed()).clamp(TO_END, share))
    }

    /// The work for one of so many tests, if all of them are to have a turn within half of the budget.
    pub fn share(&self, tests: usize) -> u64 {
        let half_seconds = self.budget.as_millis() as u64 / 500;
        self.effort.unwrap_or(half_seconds * HALF_A_SECOND) / 2 / tests.max(1) as u64
    }

    /// After how long a worker that says nothing is ended; None if time does not count.
    pub fn patience(&self) -> Option<Duration> {
        let share = (self.budget / 4).clamp(Duration::from_secs(5), Duration::from_secs(20));
        self.at_all().map(|left| left.min(share))
    }

    /// When anything has to be at its end that waits for its turn now; None if time does not count.
    pub fn until(&self) -> Option<Instant> {
        self.effort.is_none().then(|| self.begun + (self.budget + self.extra()).saturating_sub(TO_END))
    }

    /// How long anything may take; None if time does not count.
    pub fn at_all(&self) -> Option<Duration> {
        let end = (self.budget + self.extra()).saturating_sub(TO_END);
        self.effort.is_none().then(|| end.saturating_sub(self.elapsed()).max(TO_END))
    }

    fn extra(&self) -> Duration {
        LEAST_EXTRA.max(self.budget / 10)
    }

    /// For how long the budget, or the work that is allowed, has been spent; None if neither is.
    fn past(&self, effort: u64) -> Option<Duration> {
        let by_time = self.elapsed().checked_sub(self.budget);
        let by_work = self.effort.and_then(|most| effort.checked_sub(most));
        by_time.max(by_work.map(|effort| Duration::from_millis(500).mul_f64(effort as f64 / HALF_A_SECOND as f64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: u64, budget: u64, effort: Option<u64>) -> Clock {
        let begun = Instant::now().checked_sub(Duration::from_secs(seconds)).expect("the machine runs for longer");
        Clock { begun, budget: Duration::from_secs(budget), effort }
    }

    #[test]
    fn a_budget_of_time_is_passed_by_five_seconds_or_a_tenth() {
        let hastes = [9, 10, 12, 13, 14].map(|seconds| after(seconds, 10, None).haste(0));
        assert_eq!(hastes, [Haste::None, Haste::None, Haste::Hurry, Haste::Confirm, Haste::Over]);
        let hastes = [200, 204, 206, 212, 216].map(|seconds| after(seconds, 200, None).haste(0));
        assert_eq!(hastes, [Haste::None, Haste::None, Haste::Hurry, Haste::Confirm, Haste::Over]);
        assert!(after(8, 10, None).is_late() && !after(7, 10, None).is_late());
        assert_eq!(after(7, 100, None).for_test(), Some(Duration::from_secs(5)));
        assert_eq!(after(7, 60, None).patience().map(|patience| patience.as_secs()), Some(15));
        assert!(after(97, 100, None).for_test().is_some_and(|left| left <= Duration::from_secs(3)));
        assert!(after(12, 10, None).at_all().is_some_and(|left| left <= Duration::from_millis(2_500)));
    }

    #[test]
    fn a_budget_of_work_is_passed_by_work() {
        let clock = after(1, 1_000, Some(1_000));
        assert!(!clock.is_over(999) && clock.is_over(1_000) && !clock.is_late());
        assert_eq!((clock.for_test(), clock.patience(), clock.at_all()), (None, None, None));
        let hastes = [0, 19, 20, 40, 60].map(|halves| clock.haste(1_000 + halves * HALF_A_SECOND));
        assert_eq!(hastes, [Haste::None, Haste::None, Haste::Hurry, Haste::Confirm, Haste::Over]);
    }
}

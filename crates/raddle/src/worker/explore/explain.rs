//! What was found, shrunk and explained.

use std::time::{Duration, Instant};

use explore::{Attempt, End, cause, interference, shrink};
use host::Execution;
use schedule::{Scheduler, Step, Trace};

use super::{Exploration, KEPT, MAX_EVENTS_KEPT, MOST_TOLD, attempt, beginning, is_past};
use crate::worker::ending::{end, tell};
use crate::worker::protocol::{Explore, Fact, Failure, FailureKind, Proof};
use crate::worker::reason::Reason;
use crate::worker::runs::Runs;
use crate::worker::{show, told};

/// So many executions may shrinking take.
const SHRINKING: usize = 2_000;
/// What has no end is cut off after so many times what happens before threads only look, and not before so many events.
const SHORTENED: usize = 8;
const SHORTEST: usize = 4_000;
/// Past the end of the budget, explaining may take this part of it.
const PAST: u32 = 5;

/// Until when there is time to shrink and explain, if the exploration had to end at `deadline` and it is `now`.
fn until(plan: &Explore, deadline: Option<Instant>, now: Instant) -> Instant {
    let most = now + Duration::from_millis(plan.explain_millis);
    let past = Duration::from_millis(plan.millis.unwrap_or_default()) / PAST;
    deadline.map_or(most, |deadline| most.min(deadline + past))
}

impl Exploration<'_> {
    /// Whether what is found is explained at all.
    pub(super) fn explains(&self) -> bool {
        self.plan.explain_millis > 0
    }

    /// Shrinks each finding, and looks for its cause.
    pub(super) fn explain(&mut self, runs: &mut Runs<'_>) -> Result<(), Reason> {
        let until = until(&self.plan, self.deadline, Instant::now());
        let findings = if self.explains() { self.explored.findings.len() } else { 0 };
        if findings > 0 {
            self.run_passing_aloud(runs, until)?;
        }
        for number in 0..findings {
            // Long executions take long to shrink, and whoever waits wants to see something. Each gets its share.
            let now = Instant::now();
            let deadline = now + until.saturating_duration_since(now) / (findings - number) as u32;
            self.explain_one(runs, number, deadline)?;
            runs.explained(&self.explored.findings[number]);
        }
        Ok(())
    }

    /// Executions that passed silently are run once more, with all their accesses: they tell what failing ones have in common.
    fn run_passing_aloud(&mut self, runs: &mut Runs<'_>, until: Instant) -> Result<(), Reason> {
        let now = Instant::now();
        let until = now + until.saturating_duration_since(now) / PAST;
        for schedule in self.silence.take_passing() {
            if Instant::now() >= until || self.passing.len() >= KEPT {
                break;
            }
            let execution = runs.run(Box::new(schedule.replay()))?;
            let end = end(&execution);
            if end == End::Done {
                self.passing.push(attempt(execution, end, false));
            }
        }
        Ok(())
    }

    fn explain_one(&mut self, runs: &mut Runs<'_>, number: usize, deadline: Instant) -> Result<(), Reason> {
        let limit = runs.settings().limits.max_events;
        let explained = self.explain_within(runs, number, deadline);
        runs.limit_events(limit);
        explained
    }

    /// The same failing execution cut off early, if it has no end and that shows by then. From now on all are cut off there.
    fn shorten(
        &mut self,
        runs: &mut Runs<'_>,
        failing: &Attempt,
        failure: &Failure,
    ) -> Result<Option<Attempt>, Reason> {
        let limit = runs.settings().limits.max_events;
        let short = (SHORTENED * beginning(&failing.trace)).max(SHORTEST);
        if failure.kind != FailureKind::Hang || short >= limit {
            return Ok(None);
        }
        runs.limit_events(short);
        let attempt = self.attempt_under(runs, Box::new(failing.schedule().replay()), failure)?;
        if !attempt.fails {
            runs.limit_events(limit);
        }
        Ok(Some(attempt).filter(|attempt| attempt.fails))
    }

    fn explain_within(&mut self, runs: &mut Runs<'_>, number: usize, deadline: Instant) -> Result<(), Reason> {
        let Some((_, failing)) = self.failing.iter().find(|(of, _)| *of == number).cloned() else { return Ok(()) };
        let failure = self.explored.findings[number].failure.clone();
        let limit = runs.settings().limits.max_events;
        let failing = self.shorten(runs, &failing, &failure)?.unwrap_or(failing);
        let (mut is_late, mut doubt, mut events) = (false, None, 0);
        let mut seen: Vec<Attempt> = Vec::new();
        // An execution without an end takes long.
        let budget = if failure.kind == FailureKind::Hang { SHRINKING / 20 } else { SHRINKING };
        let shrunk = shrink(failing, budget, |scheduler| {
            is_late |= Instant::now() >= deadline || is_past(self.plan.events, events);
            let attempt = match doubt {
                // Nothing more is run; what was found stands.
                _ if is_late => nothing(),
                Some(_) => nothing(),
                None => self.attempt_under(runs, scheduler, &failure).unwrap_or_else(|reason| {
                    doubt = Some(reason);
                    nothing()
                }),
            };
            events += attempt.trace.steps.len() as u64;
            if seen.len() < KEPT && events <= MAX_EVENTS_KEPT as u64 {
                seen.push(attempt.clone());
            }
            attempt
        });
        if let Some(reason) = doubt {
            return Err(reason);
        }
        let is_hang = failure.kind == FailureKind::Hang;
        let is_endless = is_hang || failure.is_recursion();
        let is_told = !is_endless && shrunk.attempt.trace.steps.len() <= MOST_TOLD;
        let execution = runs.follow(shrunk.attempt.schedule(), is_told)?;
        let beginning = is_endless.then(|| runs.tell_beginning(&execution, beginning(&execution.trace))).transpose()?;
        let told = beginning.as_ref().unwrap_or(&execution);
        let facts = self.facts(runs, number, told, &seen);
        // What is said is of the execution that is shown: another failure at the same place may have another message or value.
        let again = self.judge.failure(runs, &execution, end(&execution))?.filter(|again| again.is_same(&failure));
        runs.limit_events(limit);
        // What was cut off early may have an end after all.
        if is_hang && !self.hangs_after(runs, execution.schedule())? {
            return Ok(());
        }
        let finding = &mut self.explored.findings[number];
        finding.shown = show::show(runs.host, &execution, finding.executions_to_find, execution.trace.hash());
        told::add(&mut finding.shown, runs.host, told, &execution);
        finding.preemptions = interference(&shrunk.attempt.execution()).preemptions;
        finding.proof = match shrunk.proof {
            _ if is_late => Proof::None,
            explore::Proof::Smallest => Proof::Smallest,
            explore::Proof::FewestPreemptions => Proof::FewestPreemptions,
            explore::Proof::None => Proof::None,
        };
        finding.cause = facts;
        finding.failure = again.unwrap_or(failure);
        finding.as_found = false;
        finding.max_frames = runs.settings().limits.max_frames;
        Ok(())
    }

    /// Runs under a scheduler, and says whether the failure is the one that is looked for.
    fn attempt_under(
        &mut self,
        runs: &mut Runs<'_>,
        scheduler: Box<dyn Scheduler + Send>,
        wanted: &Failure,
    ) -> Result<Attempt, Reason> {
        let execution = runs.run(scheduler)?;
        let end = end(&execution);
        let mut fails = false;
        if end != End::Stopped {
            fails = self.judge.failure(runs, &execution, end)?.is_some_and(|found| found.is_same(wanted));
        }
        if fails && wanted.kind == FailureKind::Hang {
            fails = self.hangs_fairly(runs, &execution)?;
        }
        Ok(attempt(execution, end, fails))
    }

    /// What tells failing executions from passing ones, as steps of the one that is shown.
    fn facts(&self, runs: &Runs<'_>, number: usize, shown: &Execution, seen: &[Attempt]) -> Vec<Fact> {
        let first = tell(shown, end(shown));
        // Those that are as long as can be say no more than shorter ones.
        let is_short = |attempt: &&Attempt| attempt.trace.steps.len() <= MOST_TOLD;
        let others = self.failing.iter().filter(|(of, _)| *of == number).map(|(_, attempt)| attempt).filter(is_short);
        let failing: Vec<_> = std::iter::once(first)
            .chain(others.chain(seen.iter().filter(|attempt| attempt.fails)).map(Attempt::execution))
            .collect();
        let passing =
            self.passing.iter().chain(seen.iter().filter(|attempt| !attempt.fails && attempt.end == End::Done));
        let passing: Vec<_> = passing.map(Attempt::execution).collect();
        let Some(cause) = cause(&failing, &passing) else { return Vec::new() };
        let describe = |step: usize| match shown.trace.steps.get(step) {
            Some(step) => show::describe(runs.host, step),
            None => {
                let (thread, event) = shown.pending[step - shown.trace.steps.len()];
                show::describe(runs.host, &Step { thread, event })
            }
        };
        let fact = |at: &explore::FactAt| Fact {
            first: at.first,
            second: at.second,
            first_event: describe(at.first),
            second_event: describe(at.second),
        };
        cause.facts.iter().map(fact).collect()
    }
}

/// An attempt that was not made.
fn nothing() -> Attempt {
    Attempt { trace: Trace::default(), pending: Vec::new(), timed_out: Vec::new(), end: End::Stopped, fails: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::Explorer;

    #[test]
    fn explaining_ends_soon_after_the_budget() {
        let plan = |millis, explain_millis| Explore {
            explorer: Explorer::Auto,
            seed: 1,
            executions: u64::MAX,
            events: None,
            millis,
            first: false,
            explain_millis,
            must_end: false,
            may_lengthen: false,
            events_alone: None,
        };
        let begun = Instant::now();
        let at = |millis: u64| begun + Duration::from_millis(millis);
        let ends = |millis: u64, explain, now| until(&plan(Some(millis), explain), Some(at(millis)), at(now));
        assert_eq!(ends(60_000, 10_000, 60_000), at(70_000), "its whole limit");
        assert_eq!(ends(1_000, 10_000, 1_000), at(1_200), "a fifth of the budget past it");
        assert_eq!(ends(1_000, 10_000, 100), at(1_200), "what is left of the budget, too");
        assert_eq!(ends(60_000, 300, 2_000), at(2_300), "no longer than its limit, whatever is left");
        assert_eq!(until(&plan(None, 10_000), None, at(5)), at(10_005), "without a budget");
    }
}

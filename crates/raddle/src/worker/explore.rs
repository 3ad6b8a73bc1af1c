//! Every schedule that matters: an explorer chooses, the host runs, and what fails is shrunk and explained.

use std::collections::HashSet;
use std::time::{Duration, Instant};

pub use explore::End;
use explore::{Attempt, Learnt, ThenFair, cause, interference, races, shrink};
use host::{Execution, Host, Stop};
use schedule::{Event, Schedule, Scheduler, Step, Trace};

use super::chosen::Chosen;
use super::doubt::Ends;
use super::failure::failure;
use super::protocol::{self, Certificate, Explored, Fact, Failure, FailureKind, Finding, Proof};
use super::reason::Reason;
use super::runs::Runs;
use super::{show, told};

/// An execution as explorers want to be told of it.
pub fn tell(execution: &Execution, end: End) -> explore::Execution<'_> {
    explore::Execution { trace: &execution.trace, pending: &execution.pending, timed_out: &execution.timed_out, end }
}

/// How an execution ended.
pub fn end(execution: &Execution) -> End {
    match &execution.stop {
        None if execution.left.is_empty() => End::Done,
        None | Some(Stop::Deadlock(_)) => End::Stuck,
        Some(Stop::Diverged(_)) => End::Stopped,
        // Nothing that others would have done is lost if there are none.
        Some(Stop::Exit(_)) if execution.pending.is_empty() => End::Done,
        Some(Stop::TooManyEvents | Stop::TooManyThreads | Stop::Exit(_)) => End::Cut,
    }
}

/// So many executions of each kind are kept to find out what tells them apart.
const KEPT: usize = 200;
/// So long may it take to shrink and explain everything.
const EXPLAINING: Duration = Duration::from_secs(10);
/// So many executions may shrinking take.
const SHRINKING: usize = 2_000;
/// So many different failures are told.
const MOST_FINDINGS: usize = 16;
/// Longer executions are told without calls and values.
const MOST_TOLD: usize = 5_000;
/// So many races are told.
const MOST_RACES: usize = 16;

/// Explores.
pub fn run(runs: &mut Runs<'_>, plan: &protocol::Explore) -> Result<(), Reason> {
    let mut exploration = Exploration {
        plan: *plan,
        explorer: Chosen::new(plan, runs.settings().limits.max_events),
        deadline: plan.millis.map(|millis| Instant::now() + Duration::from_millis(millis)),
        ends: Ends::default(),
        passing: Vec::new(),
        failing: Vec::new(),
        known: HashSet::new(),
        explored: Explored::default(),
    };
    exploration.go(runs)?;
    if plan.explain {
        exploration.explain(runs)?;
    }
    runs.explored(exploration.explored);
    Ok(())
}

struct Exploration {
    plan: protocol::Explore,
    explorer: Chosen,
    deadline: Option<Instant>,
    ends: Ends,
    /// Executions that passed, and those that failed with the number of their finding.
    passing: Vec<Attempt>,
    failing: Vec<(usize, Attempt)>,
    /// Races that are known, by their sites.
    known: HashSet<(u32, u32)>,
    explored: Explored,
}

impl Exploration {
    fn is_over(&self, executions: u64) -> bool {
        executions >= self.plan.executions
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.plan.first && !self.explored.findings.is_empty()
    }

    fn go(&mut self, runs: &mut Runs<'_>) -> Result<(), Reason> {
        while !self.is_over(runs.executions())
            && let Some(scheduler) = self.explorer.explorer().next()
        {
            let execution = runs.run(scheduler)?;
            let mut end = end(&execution);
            match self.explorer.explorer().finish(&tell(&execution, end)) {
                Learnt::Counts => {}
                Learnt::Bounded => end = End::Cut,
                Learnt::Redundant => {
                    self.explored.redundant += 1;
                    continue;
                }
                Learnt::Unexpected => {
                    self.explored.unexpected += 1;
                    if end == End::Stopped {
                        continue;
                    }
                }
            }
            runs.count(&execution);
            self.judge(runs, execution, end)?;
        }
        let race_free = self.explored.races.is_empty();
        let complete = self.explorer.certificate().filter(|_| !self.explored.abandoned && !runs.is_unstable());
        self.explored.certificate = complete.map(|certificate| Certificate { race_free, ..certificate });
        Ok(())
    }

    fn judge(&mut self, runs: &mut Runs<'_>, execution: Execution, end: End) -> Result<(), Reason> {
        self.note_races(runs, &execution, end);
        self.explored.abandoned |= execution.abandoned;
        let exits = matches!(execution.stop, Some(Stop::Exit(_)));
        let can_judge = self.ends.see_end(end == End::Cut && !exits, &execution)?;
        let failure = failure(&execution, end, self.plan.must_end);
        match failure.filter(|failure| can_judge || failure.kind != FailureKind::Hang) {
            None => {
                if self.passing.is_empty() {
                    runs.show_if_none_failed(&execution, 0);
                }
                if self.passing.len() < KEPT {
                    self.passing.push(attempt(execution, end, false));
                }
            }
            Some(failure) => {
                let known = self.explored.findings.iter().position(|finding| same(&finding.failure, &failure));
                let number = match known {
                    Some(number) => number,
                    None => match self.find(runs, &execution, failure)? {
                        Some(number) => number,
                        None => return Ok(()),
                    },
                };
                if self.failing.len() < KEPT {
                    self.failing.push((number, attempt(execution, end, true)));
                }
            }
        }
        Ok(())
    }

    /// A failure that was not known. Says which it is, if it is one: it must fail again.
    fn find(&mut self, runs: &mut Runs<'_>, execution: &Execution, failure: Failure) -> Result<Option<usize>, Reason> {
        if self.explored.findings.len() >= MOST_FINDINGS {
            return Ok(None);
        }
        if failure.kind == FailureKind::Hang {
            if !hangs_fairly(runs, execution, self.plan.must_end)? {
                return Ok(None);
            }
        } else {
            let again = runs.run(Box::new(execution.schedule().replay()))?;
            let found = self::failure(&again, end(&again), self.plan.must_end);
            if again.trace.hash() != execution.trace.hash() || !found.is_some_and(|found| same(&found, &failure)) {
                runs.found_unstable();
                return Ok(None);
            }
        }
        runs.found(execution, runs.executions());
        let finding = Finding { failure, executions_to_find: runs.executions(), ..Finding::default() };
        self.explored.findings.push(finding);
        Ok(Some(self.explored.findings.len() - 1))
    }

    fn note_races(&mut self, runs: &Runs<'_>, execution: &Execution, end: End) {
        if self.explored.races.len() >= MOST_RACES {
            return;
        }
        for race in races(&tell(execution, end)) {
            let of_synchronizer = |step: usize| is_of_synchronizer(runs.host, &execution.trace.steps[step].event);
            if of_synchronizer(race.first) && of_synchronizer(race.second) {
                continue;
            }
            let sites = (race.first_site.0, race.second_site.0);
            let new = self.known.insert((sites.0.min(sites.1), sites.0.max(sites.1)));
            if new && self.explored.races.len() < MOST_RACES {
                let step = |step: usize| show::describe(runs.host, &execution.trace.steps[step]);
                self.explored.races.push((step(race.first), step(race.second)));
            }
        }
    }

    /// Shrinks each finding, and looks for its cause.
    fn explain(&mut self, runs: &mut Runs<'_>) -> Result<(), Reason> {
        let findings = self.explored.findings.len();
        for number in 0..findings {
            // Long executions take long to shrink, and whoever waits wants to see something.
            let deadline = Instant::now() + EXPLAINING / findings as u32;
            let mut is_late = false;
            let failure = self.explored.findings[number].failure.clone();
            let Some((_, failing)) = self.failing.iter().find(|(of, _)| *of == number).cloned() else { continue };
            let mut doubt = None;
            let must_end = self.plan.must_end;
            let mut seen: Vec<Attempt> = Vec::new();
            // An execution without an end takes long.
            let budget = if failure.kind == FailureKind::Hang { SHRINKING / 20 } else { SHRINKING };
            let shrunk = shrink(failing, budget, |scheduler| {
                is_late |= Instant::now() >= deadline;
                let attempt = match doubt {
                    // Nothing more is run; what was found stands.
                    _ if is_late => nothing(),
                    Some(_) => nothing(),
                    None => attempt_under(runs, scheduler, &failure, must_end).unwrap_or_else(|reason| {
                        doubt = Some(reason);
                        nothing()
                    }),
                };
                if seen.len() < KEPT {
                    seen.push(attempt.clone());
                }
                attempt
            });
            if let Some(reason) = doubt {
                return Err(reason);
            }
            let again = Schedule::of(&shrunk.attempt.trace).replay();
            let is_long = shrunk.attempt.trace.steps.len() > MOST_TOLD;
            let execution = if is_long { runs.run(Box::new(again)) } else { runs.run_told(Box::new(again)) }?;
            let facts = self.facts(runs, number, &execution, &seen);
            let finding = &mut self.explored.findings[number];
            finding.shown = show::show(runs.host, &execution, finding.executions_to_find, execution.trace.hash());
            told::add(&mut finding.shown, runs.host, &execution);
            finding.preemptions = interference(&shrunk.attempt.execution()).preemptions;
            finding.proof = match shrunk.proof {
                _ if is_late => Proof::None,
                explore::Proof::Smallest => Proof::Smallest,
                explore::Proof::FewestPreemptions => Proof::FewestPreemptions,
                explore::Proof::None => Proof::None,
            };
            finding.cause = facts;
        }
        Ok(())
    }

    /// What tells failing executions from passing ones, as steps of the one that is shown.
    fn facts(&self, runs: &Runs<'_>, number: usize, shown: &Execution, seen: &[Attempt]) -> Vec<Fact> {
        let first = tell(shown, end(shown));
        let others = self.failing.iter().filter(|(of, _)| *of == number).map(|(_, attempt)| attempt);
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

/// Whether an execution that was cut off does not end either when everyone gets turns from there on.
fn hangs_fairly(runs: &mut Runs<'_>, execution: &Execution, must_end: bool) -> Result<bool, Reason> {
    // Most of the events that are allowed are for what is fair.
    let events = runs.settings().limits.max_events / 4;
    let fair = runs.run(Box::new(ThenFair::new(execution.schedule(), events)))?;
    let end = end(&fair);
    Ok(failure(&fair, end, must_end).is_some_and(|failure| failure.kind == FailureKind::Hang))
}

/// Whether an access is of what the JDK's synchronizers are made of. They have races that they are known to live with.
fn is_of_synchronizer(host: &Host, event: &Event) -> bool {
    let field = host.field(event.slot);
    let site = host.site(event.site).map(|site| site.class);
    field.is_some_and(|(class, _)| class.starts_with("java/util/concurrent/"))
        || site.is_some_and(|class| class.starts_with("java/util/concurrent/"))
}

/// An attempt that was not made.
fn nothing() -> Attempt {
    Attempt { trace: Trace::default(), pending: Vec::new(), timed_out: Vec::new(), end: End::Stopped, fails: false }
}

/// Runs under a scheduler, and says whether the failure is the one that is looked for.
fn attempt_under(
    runs: &mut Runs<'_>,
    scheduler: Box<dyn Scheduler + Send>,
    wanted: &Failure,
    must_end: bool,
) -> Result<Attempt, Reason> {
    let execution = runs.run(scheduler)?;
    let end = end(&execution);
    let mut fails = end != End::Stopped && failure(&execution, end, must_end).is_some_and(|found| same(&found, wanted));
    if fails && wanted.kind == FailureKind::Hang {
        fails = hangs_fairly(runs, &execution, must_end)?;
    }
    Ok(attempt(execution, end, fails))
}

fn attempt(execution: Execution, end: End, fails: bool) -> Attempt {
    let Execution { trace, pending, timed_out, .. } = execution;
    Attempt { trace, pending, timed_out, end, fails }
}

fn same(one: &Failure, other: &Failure) -> bool {
    (one.kind, &one.place) == (other.kind, &other.place)
}

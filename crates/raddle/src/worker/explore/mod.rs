//! Every schedule that matters: an explorer chooses, the host runs, a judge says what is wrong, and what fails is shrunk and
//! explained.

mod bounds;
mod explain;
mod races;
mod silence;
mod unseen;

use std::time::{Duration, Instant};

use explore::{Attempt, Explorer, Learnt, Serial, ThenFair, interference};
use host::{Execution, Stop};
use schedule::{Schedule, Scheduler, Trace, is_idle};

use super::chosen::Chosen;
use super::doubt::Ends;
use super::ending::{End, end, tell};
use super::judge::Judge;
use super::protocol::{self, Certificate, Explored, Failure, FailureKind, Finding};
use super::reason::Reason;
use super::runs::Runs;
use super::{show, stop, told};
use bounds::Bounds;
use races::Races;
use silence::Silence;
use unseen::Blind;

/// So many executions of each kind are kept to find out what tells them apart.
const KEPT: usize = 200;
/// Upper bound on the events of all executions that are kept of one kind, for each takes memory.
const MAX_EVENTS_KEPT: usize = 1_000_000;
/// Once in so many executions it is estimated how many are left.
const ESTIMATED: u64 = 64;
/// Upper bound on how often all begins anew because an execution did not come again.
const MAX_FLEETING: u32 = 5;
/// So many different failures are told.
const MOST_FINDINGS: usize = 16;
/// Longer executions are told without calls and values.
const MOST_TOLD: usize = 5_000;
/// Of an execution without an end that changes things for ever, so many events are told.
const MOST_OF_ENDLESS: usize = 300;
/// About this many silent accesses take as long as an event.
pub const SILENT_PER_EVENT: u64 = 8;
/// So many events are told after the last change, where threads only look.
const LOOKS: usize = 12;

/// Explores. What is a failure, the judge says. Classes were initialised by an execution that does not count, if it
/// is given.
pub fn run(
    runs: &mut Runs<'_>,
    plan: &protocol::Explore,
    judge: &mut dyn Judge,
    warm_up: Option<&Execution>,
) -> Result<(), Reason> {
    runs.forget_raised();
    let begins_serially =
        warm_up.is_some() && matches!(plan.explorer, protocol::Explorer::Auto | protocol::Explorer::Dpor);
    let mut exploration = Exploration {
        plan: *plan,
        judge,
        explorer: Chosen::new(plan, runs.settings().limits.max_events),
        deadline: plan.millis.map(|millis| Instant::now() + Duration::from_millis(millis)),
        events: 0,
        ends: Ends::default(),
        early_hangs: Vec::new(),
        passing: Vec::new(),
        passing_events: 0,
        failing: Vec::new(),
        races: Races::default(),
        bounds: Bounds::default(),
        blind: Blind::default(),
        // Whoever chooses an explorer wants to see what it does with all events.
        silence: Silence::new(runs.is_check() && plan.explorer == protocol::Explorer::Auto),
        begins_serially,
        serial_is_next: begins_serially,
        is_fleeting: false,
        fleeting: 0,
        first: None,
        explored: Explored::default(),
    };
    if let Some(warm_up) = warm_up {
        exploration.blind.see_initialisers(runs.host, warm_up);
    }
    exploration.go(runs)?;
    // Others went with other hashes, which what they gave may tell.
    if exploration.judge.judges_each() && exploration.orders_by_hash() {
        exploration.mirror(runs)?;
    }
    let explained = exploration.explain(runs);
    runs.mirror(false);
    explained?;
    let Exploration { explored, races, .. } = exploration;
    runs.explored(Explored { races: races.told(), ..explored });
    Ok(())
}

/// Whether there were as many events as there may be.
fn is_past(most: Option<u64>, events: u64) -> bool {
    most.is_some_and(|most| events >= most)
}

struct Exploration<'j> {
    plan: protocol::Explore,
    judge: &'j mut dyn Judge,
    explorer: Chosen,
    deadline: Option<Instant>,
    /// How many events there were.
    events: u64,
    ends: Ends,
    /// Those that had no end before one had, the first of each kind. Once one has, they are hangs.
    early_hangs: Vec<(Execution, Failure)>,
    /// Executions that passed, and those that failed with the number of their finding.
    passing: Vec<Attempt>,
    /// Number of events of all that passed.
    passing_events: usize,
    failing: Vec<(usize, Attempt)>,
    races: Races,
    bounds: Bounds,
    blind: Blind,
    silence: Silence,
    /// Whether one serial execution comes before those of the explorer.
    begins_serially: bool,
    /// Whether it is the next.
    serial_is_next: bool,
    /// Whether the last execution failed and went otherwise the next time. Then reduction must not go on from it, for it may
    /// have ended early.
    is_fleeting: bool,
    /// How often that was so.
    fleeting: u32,
    /// How the first execution went.
    first: Option<(Schedule, u64)>,
    explored: Explored,
}

impl Exploration<'_> {
    fn is_over(&self, executions: u64) -> bool {
        executions >= self.plan.executions
            || is_past(self.plan.events, self.events)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.plan.first && !self.explored.findings.is_empty()
    }

    /// The scheduler of the next execution, and whether it is the explorer's.
    ///
    /// The first of a program is serial, like the one that initialised classes. What fails serially is found so, however large the
    /// program is; if it comes to an end the program has one, which reduction cannot show where it stops threads; and it
    /// does nothing for the first time, so it can be compared with a later one.
    fn next(&mut self) -> Option<(Box<dyn Scheduler + Send>, bool)> {
        match std::mem::take(&mut self.serial_is_next) {
            true => Serial::default().next().map(|scheduler| (scheduler, false)),
            false => self.explorer.explorer().next().map(|scheduler| (scheduler, true)),
        }
    }

    fn go(&mut self, runs: &mut Runs<'_>) -> Result<(), Reason> {
        while !self.is_over(runs.executions())
            && let Some((scheduler, is_explorers)) = self.next()
        {
            let execution = self.run_next(runs, scheduler)?;
            self.events += effort(&execution);
            let mut end = end(&execution);
            let places = self.blind.see(runs.host, &execution, end, runs.opened());
            if !places.is_empty() {
                self.open(runs, places);
                continue;
            }
            let unheard = self.silence.unheard(&execution, end);
            if !unheard.is_empty() {
                // What is wrong is wrong, whatever the exploration does not know. One that an explorer has stopped says nothing.
                if end != End::Stopped {
                    self.judge(runs, execution, end)?;
                }
                self.raise(runs, &unheard);
                continue;
            }
            let learnt = match is_explorers {
                true => self.explorer.explorer().finish(&tell(&execution, end)),
                false => Learnt::Counts,
            };
            match learnt {
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
            if self.explored.exhausted.is_none() && self.explorer.is_exhausted() {
                self.explored.exhausted = Some(self.events);
            }
            if runs.executions().is_multiple_of(ESTIMATED) {
                runs.estimate(self.explorer.explored_part());
            }
            // The same events in the same order have the same races, and the same bounds.
            if runs.count(&execution) {
                self.races.note(runs.host, &execution, end);
                self.bounds.see(runs.host, &execution);
            }
            if self.first.is_none() && self.explains() {
                self.first = Some((execution.schedule(), execution.trace.hash()));
            }
            self.judge(runs, execution, end)?;
            if std::mem::take(&mut self.is_fleeting) && self.fleeting < MAX_FLEETING {
                self.fleeting += 1;
                self.explorer = Chosen::new(&self.plan, runs.settings().limits.max_events);
            }
        }
        self.ends.close(runs.settings().limits.max_events)?;
        self.explored.weak = self.bounds.weak().map(|class| class.replace('/', "."));
        let race_free = self.races.is_empty() && self.explored.weak.is_none();
        self.blind.see_circles(runs.host);
        self.explored.unseen = self.blind.told();
        let is_sure = !self.explored.abandoned && self.blind.is_empty() && !runs.is_unstable();
        let stays = is_sure && self.goes_as_at_first(runs)?;
        // It may have failed now, and not when it was run once more.
        let stays = stays && !runs.is_unstable();
        let complete = self.explorer.certificate().filter(|_| stays);
        self.explored.covered = self.explorer.covered().filter(|_| stays);
        let bound = |certificate| self.bounds.put_to(certificate, &runs.settings().limits);
        self.explored.certificate = complete.map(|certificate| Certificate { race_free, ..bound(certificate) });
        Ok(())
    }

    /// Whether all that could be run was, nothing was wrong, and objects may have been put in order by their
    /// identity hashes.
    fn orders_by_hash(&self) -> bool {
        self.explored.certificate.is_some() && self.explored.findings.is_empty() && self.bounds.hashed()
    }

    /// Explores once more, with identity hashes that put objects in the opposite order. If nothing is wrong with
    /// that either, what is said is what was said before.
    fn mirror(&mut self, runs: &mut Runs<'_>) -> Result<(), Reason> {
        runs.mirror(true);
        let (first, covered, opened) = (self.explored.certificate, self.explored.covered, runs.opened().len());
        self.explorer = Chosen::new(&self.plan, runs.settings().limits.max_events);
        self.forget();
        self.go(runs)?;
        let is_worse = !self.explored.findings.is_empty() || !self.blind.is_empty() || runs.is_unstable();
        // What was opened meanwhile the first round did not know of.
        if !is_worse && runs.opened().len() == opened {
            // Races and bounds are those of both rounds. One that did not come to its end leaves hashes with one
            // order, which is a bound.
            let race_free = self.races.is_empty() && self.explored.weak.is_none();
            let both = |first: Certificate| match self.explored.certificate {
                Some(second) => Certificate { traces: first.traces, ..second },
                None => Certificate { race_free, ..first },
            };
            (self.explored.certificate, self.explored.covered) = (first.map(both), covered);
        }
        Ok(())
    }

    /// Begins again with more events: what was explored so far did not know of them.
    fn open(&mut self, runs: &mut Runs<'_>, places: Vec<String>) {
        runs.open(places);
        self.explorer = Chosen::new(&self.plan, runs.settings().limits.max_events);
        self.forget();
        (self.races, self.explored) = (Races::default(), Explored::default());
    }

    /// Begins again, because some accesses that were silent are events from now on. What was found is found.
    fn raise(&mut self, runs: &mut Runs<'_>, keys: &[u32]) {
        runs.raise(keys);
        self.explorer = Chosen::new(&self.plan, runs.settings().limits.max_events);
        self.silence.forget();
        self.races = Races::default();
        self.first = None;
        let findings = std::mem::take(&mut self.explored.findings);
        self.explored = Explored { findings, ..Explored::default() };
    }

    /// What was kept of executions is of another exploration.
    fn forget(&mut self) {
        self.passing_events = 0;
        (self.passing, self.failing, self.early_hangs) = (Vec::new(), Vec::new(), Vec::new());
        (self.first, self.serial_is_next) = (None, self.begins_serially);
        self.ends.begin_anew();
        self.silence.forget();
        self.silence.take_passing();
    }

    /// Runs the next execution of the exploration.
    fn run_next(&self, runs: &mut Runs<'_>, scheduler: Box<dyn Scheduler + Send>) -> Result<Execution, Reason> {
        if self.silence.is_on { runs.run_silently(scheduler) } else { runs.run(scheduler) }
    }

    /// Whether the first execution still goes as it did, before everything is said to be known. If it does not, executions leave something
    /// behind that later ones see. If it fails, that is judged like any other failure.
    fn goes_as_at_first(&mut self, runs: &mut Runs<'_>) -> Result<bool, Reason> {
        let Some((schedule, hash)) = self.first.take().filter(|_| self.explorer.certificate().is_some()) else {
            return Ok(true);
        };
        let again = self.run_next(runs, Box::new(schedule.replay()))?;
        let (same, end) = (again.trace.hash() == hash, end(&again));
        self.explored.unexpected += u64::from(!same);
        if end != End::Stopped && self.judge.suspects(&again, end) {
            self.judge(runs, again, end)?;
        }
        Ok(same)
    }

    fn judge(&mut self, runs: &mut Runs<'_>, execution: Execution, end: End) -> Result<(), Reason> {
        self.judge.see(&execution);
        self.explored.abandoned |= execution.abandoned;
        self.explored.cut += u64::from(end == End::Cut && !self.explorer.is_sampling());
        let can_judge = self.ends.see_end(is_endless(&execution, end), &execution)?;
        let (execution, end) = match self.silence.is_on {
            false => (execution, end),
            true if !self.judge.suspects(&execution, end) => {
                self.silence.keep(&execution);
                return Ok(());
            }
            true => match self.aloud(runs, &execution)? {
                Some(aloud) => (aloud, end),
                None => return Ok(()),
            },
        };
        let failure = self.judge.failure(runs, &execution, end)?;
        if let Some(failure) = failure.as_ref().filter(|failure| !can_judge && failure.kind == FailureKind::Hang) {
            if !self.early_hangs.iter().any(|(_, known)| known.is_same(failure)) {
                self.early_hangs.push((execution, failure.clone()));
            }
            return Ok(());
        }
        if can_judge {
            for (early, failure) in std::mem::take(&mut self.early_hangs) {
                self.keep(runs, early, End::Cut, Some(failure))?;
            }
        }
        self.keep(runs, execution, end, failure)
    }

    /// A silent execution once more, with all its accesses as events. If that cannot be followed, nothing is silent any more,
    /// and the exploration begins anew.
    fn aloud(&mut self, runs: &mut Runs<'_>, execution: &Execution) -> Result<Option<Execution>, Reason> {
        let aloud = runs.run(Box::new(execution.schedule_with_silent().replay()))?;
        let end = self::end(&aloud);
        if end != End::Stopped && end == self::end(execution) {
            return Ok(Some(aloud));
        }
        self.silence.is_on = false;
        self.raise(runs, &[]);
        Ok(None)
    }

    /// Keeps an execution with those of its kind, and what was found with it.
    fn keep(
        &mut self,
        runs: &mut Runs<'_>,
        execution: Execution,
        end: End,
        failure: Option<Failure>,
    ) -> Result<(), Reason> {
        match failure {
            None => {
                if self.passing.is_empty() && self.judge.shows_passing() {
                    runs.show_if_none_failed(&execution, 0);
                }
                let events = execution.trace.steps.len();
                if self.passing.len() < KEPT && self.passing_events + events <= MAX_EVENTS_KEPT {
                    self.passing_events += events;
                    self.passing.push(attempt(execution, end, false));
                }
            }
            Some(failure) => {
                let number = match self.known(&failure) {
                    Some(number) => number,
                    None => match self.find(runs, &execution, end, failure)? {
                        Some(number) => number,
                        None => return Ok(()),
                    },
                };
                // Those without an end are as long as can be, and of each one is enough.
                let is_one_more = || !self.failing.iter().any(|(of, _)| *of == number);
                if self.failing.len() < KEPT && (execution.trace.steps.len() <= MOST_TOLD || is_one_more()) {
                    self.failing.push((number, attempt(execution, end, true)));
                }
            }
        }
        Ok(())
    }

    /// The number of the finding that has this failure.
    fn known(&self, failure: &Failure) -> Option<usize> {
        self.explored.findings.iter().position(|finding| finding.failure.is_same(failure))
    }

    /// A failure that was not known. Says which it is, if it is one: it must fail again.
    fn find(
        &mut self,
        runs: &mut Runs<'_>,
        execution: &Execution,
        end: End,
        failure: Failure,
    ) -> Result<Option<usize>, Reason> {
        // What initialisers do before they are needed may be why it fails.
        if self.explored.findings.len() >= MOST_FINDINGS || self.blind.doubts_initialisers() {
            return Ok(None);
        }
        let is_hang = failure.kind == FailureKind::Hang;
        let is_stuck = is_hang || failure.kind == FailureKind::Deadlock;
        if is_stuck && execution.doubts_ends() && !stop::is_circle(execution) {
            return Ok(None);
        }
        if is_hang {
            match self.fairly(runs, execution)? {
                (_, Some(fair)) if fair.kind == FailureKind::Hang => {}
                // It was cut off, maybe by the bound of reduction, before it failed otherwise.
                (fair, Some(failure)) if failure.kind != FailureKind::Hang && self.known(&failure).is_none() => {
                    let end = self::end(&fair);
                    let number = self.find(runs, &fair, end, failure)?;
                    self.failing.extend(number.map(|number| (number, attempt(fair, end, true))));
                    return Ok(None);
                }
                _ => return Ok(None),
            }
        }
        let is_endless = is_hang || failure.is_recursion();
        // It is run again in any case, so it may as well be told in full, for whoever sees no more of it than this.
        let is_told = !is_endless && self.explains() && execution.trace.steps.len() <= MOST_TOLD;
        let mut again = None;
        if !is_hang {
            again = Some(runs.follow(execution.schedule(), is_told)?);
        }
        if let Some(again) = &again {
            let found = self.judge.failure(runs, again, self::end(again))?;
            let (is_same, other) = match found {
                Some(found) if found.is_same(&failure) => (true, None),
                other => (false, other),
            };
            if again.trace.hash() != execution.trace.hash() || !is_same {
                runs.found_unstable(failure);
                self.is_fleeting = again.trace.hash() != execution.trace.hash();
                // What fails only once may fail in just this execution.
                if let Some(other) = other.filter(|other| other.kind != FailureKind::Hang) {
                    runs.found_unstable(other);
                }
                return Ok(None);
            }
        }
        let executions = runs.executions();
        let same = again.as_ref().filter(|again| again.trace.hash() == execution.trace.hash());
        let mut finding = Finding {
            failure,
            // The second time values are read whole.
            shown: show::show(runs.host, same.unwrap_or(execution), executions, execution.trace.hash()),
            preemptions: interference(&tell(execution, end)).preemptions,
            executions_to_find: executions,
            as_found: true,
            max_frames: runs.settings().limits.max_frames,
            opened: runs.opened().to_vec(),
            ..Finding::default()
        };
        if let Some(again) = same.filter(|_| is_told) {
            told::add(&mut finding.shown, runs.host, again, again);
        }
        if is_endless && self.explains() {
            let beginning = runs.tell_beginning(execution, beginning(&execution.trace))?;
            told::add(&mut finding.shown, runs.host, &beginning, execution);
        }
        runs.found(&finding);
        self.explored.findings.push(finding);
        Ok(Some(self.explored.findings.len() - 1))
    }

    /// Whether what follows a whole schedule does not end when everyone gets turns from there on.
    fn hangs_after(&mut self, runs: &mut Runs<'_>, schedule: Schedule) -> Result<bool, Reason> {
        let fair = runs.run(Box::new(ThenFair::new(schedule, usize::MAX)))?;
        let failure = self.judge.failure(runs, &fair, end(&fair))?;
        Ok(failure.is_some_and(|failure| failure.kind == FailureKind::Hang))
    }

    /// Whether an execution that was cut off does not end either when everyone gets turns from there on.
    fn hangs_fairly(&mut self, runs: &mut Runs<'_>, execution: &Execution) -> Result<bool, Reason> {
        let (_, failure) = self.fairly(runs, execution)?;
        Ok(failure.is_some_and(|failure| failure.kind == FailureKind::Hang))
    }

    /// How an execution that was cut off goes on when everyone gets turns from there on, and what is wrong with it then.
    fn fairly(&mut self, runs: &mut Runs<'_>, execution: &Execution) -> Result<(Execution, Option<Failure>), Reason> {
        // Most of the events that are allowed are for what is fair.
        let events = runs.settings().limits.max_events / 4;
        let fair = runs.run(Box::new(ThenFair::new(execution.schedule(), events)))?;
        let failure = self.judge.failure(runs, &fair, end(&fair))?;
        Ok((fair, failure))
    }
}

/// Whether an execution was cut off, other than by itself.
fn is_endless(execution: &Execution, end: End) -> bool {
    end == End::Cut && !matches!(execution.stop, Some(Stop::Exit(_)))
}

/// What an execution counts for, in events. Silent accesses take less time than events.
fn effort(execution: &Execution) -> u64 {
    execution.trace.steps.len() as u64 + execution.silent.count() / SILENT_PER_EVENT
}

/// So many events of an execution without an end are told: up to where threads only look, and some of that.
fn beginning(trace: &Trace) -> usize {
    let steps = &trace.steps;
    let changed = steps.iter().rposition(|step| !is_idle(step.event.kind)).map_or(0, |last| last + 1);
    steps.len().min(changed.min(MOST_OF_ENDLESS) + LOOKS)
}

fn attempt(execution: Execution, end: End, fails: bool) -> Attempt {
    let Execution { trace, pending, timed_out, .. } = execution;
    Attempt { trace, pending, timed_out, end, fails }
}

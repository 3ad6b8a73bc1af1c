//! The search for violations in one class: write a test, run it, learn from it; shrink and explain what is found.
//!
//! The loop is [`Campaign::run`]. What it does next is in [`Campaign::task`], what it makes of an answer in [`Campaign::note`].
//! Tests come from `testgen`, and workers run them; nothing here decides on either.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use host::Limits;
use oracle::Oracle;
use testcase::TestCase;
use testgen::{Candidate, Feedback, Generator, Origin};

use super::clock::{Clock, HALF_A_SECOND, Haste};
use super::counts::Counts;
use super::coverage::Coverage;
use super::findings::{Again, Findings, Step};
use super::found::Found;
use super::kept::{Kept, Sample};
use super::methods;
use super::progress::Progress;
use super::refusals;
use super::shrinking::{Shrinking, Trial};
use super::unsure;
use crate::supervisor::{Event, Outcome, Session, Task};
use crate::worker::protocol::{
    Answer, Check, Checked, Explore, Explored, Explorer, FailureKind, Finding, Job, News, Plan, Rejected, Report,
    Scouted, Spent,
};
use crate::worker::reason::Reason;

/// How a class is searched.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub explorer: Explorer,
    pub oracle: Oracle,
    pub seed: u64,
    pub budget: Duration,
    /// Upper bound on the work, in events; if there is one, only a worker that hangs is ended by time.
    pub effort: Option<u64>,
    /// Whether one finding is enough.
    pub first: bool,
    /// How many workers there are.
    pub jobs: usize,
    /// Number of tests that are kept.
    pub keep: usize,
}

/// The search in one class.
pub struct Campaign<'c> {
    settings: Settings,
    class: String,
    generator: Generator<'c>,
    clock: Clock,
    /// What workers are at, by the keys of the tasks.
    under_way: BTreeMap<String, Purpose>,
    /// Tasks under way that have told of something new.
    fresh: BTreeSet<String>,
    /// Time spent on tests under way, by the keys of their tasks.
    spent: BTreeMap<String, Spent>,
    /// Where threads have met so far.
    contacts: HashSet<u64>,
    round: Round,
    number: u64,
    turns: Turns,
    pub counts: Counts,
    pub findings: Findings,
    /// Tests that passed.
    pub kept: Sample,
}

/// A round of all kinds of tests.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    number: u32,
    /// So many tests of it were certified.
    certified: u64,
    /// One was not, or has shown something that none had before.
    is_of_use: bool,
    /// So many rounds in a row before it have shown nothing new.
    quiet: u32,
}

/// How much was done for the search and to make findings smaller, in events. Findings have their turn when less was done for them, so that
/// one that is hard to shrink does not keep others from being found. Not in time: the same seed gives the same.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    searching: u64,
    shrinking: u64,
}

impl Turns {
    fn is_of_findings(&self) -> bool {
        self.shrinking <= self.searching
    }

    /// A test has cost so much. What was done long before anything was found gives findings no claim.
    fn searched(&mut self, effort: u64) {
        self.searching = (self.searching + effort).min(self.shrinking + CREDIT);
    }

    fn shrunk(&mut self, effort: u64) {
        self.shrinking += effort;
    }
}

/// What a task is for.
enum Purpose {
    /// To run a test that was written so.
    Test(Box<Origin>),
    Shrink(Box<Shrinking>, Trial),
    /// The finding with this number.
    Confirm(usize),
}

/// No test has more events, and neither has shrinking its schedules: some seconds. There are always more tests.
const MOST_EVENTS: u64 = 1_000_000;
/// Upper bound on what one test is charged. A stream without an end that is copied into memory has a thousand times as many events
/// as a test may have before anything ends it, and would use up the work of a whole search.
const MAX_CHARGED: u64 = 4 * MOST_EVENTS;
/// Every test may have this many, however many pairs there are.
const LEAST_EVENTS: u64 = 15_000;
/// For a machine on which that takes long, and code that is slow between its events. Where this ends a test, another run with the
/// same seed may differ.
const MOST_MILLIS: u64 = 10_000;
/// So long may it take to find the fewest preemptions of a finding, and its cause.
const EXPLAINING: u64 = 8_000;
/// The same where there is no time.
const IN_A_HURRY: u64 = 300;
/// So far ahead may the search be at the most.
const CREDIT: u64 = 10 * HALF_A_SECOND;
/// A worker that takes longer than this for a test is ended, where the work is bounded: tests end by their events,
/// however slow the machine is, and this bounds one that has none.
const PATIENCE_FOR_WORK: Duration = Duration::from_secs(600);
/// Work charged for a test that ends before it has events.
const LEAST_EFFORT: u64 = 1_000;
/// So many rounds in a row without anything new, and the search is over: each draws other values and other rows of calls.
const QUIET: u32 = 2;
/// So many tests in a row that cannot be run, and none that could, and something is wrong with the class itself.
const MOST_UNUSABLE: u64 = 30;
/// So many tests of which a call fails alone, and none that is of use: what was learnt from them has led to nothing.
const MOST_IN_VAIN: u64 = 5_000;
/// Executions for each smaller test, and for the smallest.
const FOR_SHRINKING: u64 = 1_000;
const FOR_EXPLAINING: u64 = 5_000;
/// An execution of a generated test has no end if it has more events than this.
const MAX_EVENTS: usize = 100_000;
/// A recursion has no end if so many calls are in each other. What is found by that must fill a real stack as well.
const MAX_FRAMES: u32 = 1_000;
/// How often a timer of the class under test may fire while others could go on. Linearizations have to explain what
/// that leads to, and once is before or after each call; where it may be more often, they would be too many. So
/// they are where all results count.
const EARLY_OF_STARTED: u32 = 1;
/// A call that has had no end in another test is given up after so many events when it is made alone: tests with it are tried again
/// and again, and each would go to the limit.
const EVENTS_OF_RUNAWAY: usize = 10_000;
/// Something smaller that has no end is looked for with so many, for each trial goes to the limit, many times. It is confirmed with all.
const EVENTS_OF_HANG: usize = 4_000;
/// The same for calls in each other without end.
const FRAMES_OF_RECURSION: u32 = 100;

impl<'c> Campaign<'c> {
    /// A search in a class, which class files name so, with tests of this generator.
    pub fn new(class: &str, generator: Generator<'c>, settings: Settings, begun: Instant) -> Campaign<'c> {
        Campaign {
            settings,
            class: class.to_owned(),
            generator,
            clock: Clock::new(begun, settings.budget, settings.effort),
            under_way: BTreeMap::new(),
            fresh: BTreeSet::new(),
            spent: BTreeMap::new(),
            contacts: HashSet::new(),
            round: Round::default(),
            number: 0,
            turns: Turns::default(),
            counts: Counts::default(),
            findings: Findings::new(settings.first),
            kept: Sample::of(settings.keep),
        }
    }

    /// Searches until the budget is spent, or there is nothing more to do. Each finding is handed on when it is sure and when more
    /// is known of it, and put in a line by that. Says whether it was stopped before.
    pub fn run(
        &mut self,
        session: &mut Session,
        progress: &mut Progress,
        mut tell: impl FnMut(&Found) -> anyhow::Result<String>,
    ) -> anyhow::Result<bool> {
        let mut stopped = false;
        loop {
            // One task waits for each worker, so that two that are done at once need not wait until two more are written.
            while session.under_way() < 2 * self.settings.jobs
                && let Some(task) = self.task()
            {
                session.submit(task);
            }
            if session.under_way() == 0 {
                break;
            }
            let Some(event) = session.next()? else {
                stopped = true;
                break;
            };
            if let Some(number) = self.note(event) {
                let found = &self.findings.all[number];
                let line = tell(found)?;
                if found.is_concluded {
                    progress.found(&line);
                }
            }
            progress.tell(&self.counts, self.findings.told());
        }
        self.findings.end(stopped);
        (self.counts.withdrawn, self.counts.untold) = (self.findings.withdrawn, self.findings.untold);
        self.counts.unsure = unsure::conclude(std::mem::take(&mut self.counts.unsure), &self.findings);
        self.counts.seconds = self.clock.elapsed().as_secs_f64();
        Ok(stopped)
    }

    /// How many pairs of methods there are, and how many depend on each other.
    pub fn pairs(&self) -> (usize, usize) {
        self.generator.pairs()
    }

    /// How much of the class was tested.
    pub fn coverage(&self) -> Coverage {
        Coverage::of(&self.generator)
    }

    /// What is to be done next; None if nothing is, or nothing before something under way has come to its end.
    fn task(&mut self) -> Option<Task> {
        let is_over = self.clock.is_over(self.counts.effort) || self.is_over();
        let is_late = is_over || self.clock.is_late() && self.has_findings_under_way();
        let may_shrink = is_late || self.turns.is_of_findings();
        if let Some(step) = self.findings.next(self.clock.haste(self.counts.effort), may_shrink) {
            return Some(self.step(step));
        }
        if is_late {
            return None;
        }
        let begun = Instant::now();
        let candidate = self.generator.next();
        self.counts.spent.generating += begun.elapsed().as_secs_f64();
        let Some(Candidate { test, executions, round, goals, is_scout, origin }) = candidate else {
            // What is under way may teach something that leads to new tests.
            self.counts.exhausted = self.under_way.is_empty();
            return self.findings.next(Haste::None, true).map(|step| self.step(step));
        };
        if round != self.round.number {
            // Every test that came to mind has passed under every schedule, and each was as good as another before it.
            let is_quiet = self.round.certified > 0 && !self.round.is_of_use;
            let quiet = if is_quiet { self.round.quiet + 1 } else { 0 };
            self.counts.saturated = quiet >= QUIET && self.generator.is_done();
            self.round = Round { number: round, quiet, ..Round::default() };
            if self.counts.saturated {
                return self.task();
            }
        }
        let mut explore = self.explore(executions, false, 0);
        explore.millis = self.clock.for_test().map(|left| left.as_millis() as u64);
        explore.events = Some(self.most_events(round));
        explore.events_alone = self.generator.may_run_away(&test).then_some(EVENTS_OF_RUNAWAY);
        let plan = match is_scout {
            true => Plan::Scout { wanted: goals.into_iter().map(|(place, _)| place).collect() },
            false => Plan::Check(Check { explore, oracle: self.settings.oracle, wanted: None, goals }),
        };
        Some(self.begin(Purpose::Test(Box::new(origin)), test, plan))
    }

    /// Whether something that was found is not done with.
    fn has_findings_under_way(&self) -> bool {
        self.findings.has_work() || self.under_way.values().any(|purpose| !matches!(purpose, Purpose::Test(_)))
    }

    /// Whether there is nothing more to search for, or it would lead to nothing.
    fn is_over(&self) -> bool {
        let unusable = self.counts.unknown.values().sum::<u64>();
        let hopeless = self.counts.tests == 0 && (unusable >= MOST_UNUSABLE || self.counts.rejected >= MOST_IN_VAIN);
        self.findings.is_enough() || hopeless || self.counts.exhausted || self.counts.saturated
    }

    /// What a finding needs.
    fn step(&mut self, step: Step) -> Task {
        let oracle = self.settings.oracle;
        match step {
            // What tests leave behind that ran before may be why it fails.
            Step::Confirm(number) => {
                let Found { job, finding, .. } = &self.findings.all[number];
                let (turns, timeouts) = (finding.shown.turns.clone(), finding.shown.timeouts.clone());
                let wanted = Some(finding.failure.clone());
                let (test, explore) = (job.test.clone(), self.explore(1, true, 0));
                let plan = Plan::Recheck { check: Check { explore, oracle, wanted, goals: vec![] }, turns, timeouts };
                let (max_frames, watched, opened) = (finding.max_frames, finding.shown.watched, finding.opened.clone());
                let mut task = self.begin(Purpose::Confirm(number), test, plan);
                (task.job.limits.max_frames, task.job.limits.watched) = (max_frames, watched);
                task.job.opened = opened;
                Task { fresh: true, ..task }
            }
            Step::Shrink { shrinking, trial, hurry } => {
                let (test, explore) = match &trial {
                    Trial::Smaller(test) => (test.clone(), self.explore(FOR_SHRINKING, true, 0)),
                    Trial::Last => {
                        let millis = match self.settings.effort {
                            Some(_) => PATIENCE_FOR_WORK.as_millis() as u64,
                            None if hurry => IN_A_HURRY,
                            None => EXPLAINING,
                        };
                        (shrinking.test().clone(), self.explore(FOR_EXPLAINING, true, millis))
                    }
                };
                let is_hang = shrinking.failure().kind == FailureKind::Hang;
                let finding = &self.findings.all[shrinking.number()].finding;
                let (max_frames, watched) = match shrinking.failure().is_recursion() {
                    true => (Some(FRAMES_OF_RECURSION), finding.shown.watched),
                    false => (finding.max_frames, finding.shown.watched),
                };
                let check = Check { explore, oracle, wanted: Some(shrinking.failure().clone()), goals: vec![] };
                let mut task = self.begin(Purpose::Shrink(shrinking, trial), test, Plan::Check(check));
                if is_hang {
                    task.job.limits.max_events = EVENTS_OF_HANG;
                }
                (task.job.limits.max_frames, task.job.limits.watched) = (max_frames, watched);
                task
            }
        }
    }

    /// Upper bound on the events of a test: at first so few that every pair of a large class has a turn, and four times as
    /// many in each round.
    fn most_events(&self, round: u32) -> u64 {
        let rounds = round.saturating_sub(testgen::FIRST_ROUND) / testgen::ROUND_STEP;
        let share = self.clock.share(self.generator.targets().len()).max(LEAST_EVENTS);
        share.saturating_mul(4_u64.saturating_pow(rounds)).min(MOST_EVENTS)
    }

    fn explore(&self, executions: u64, first: bool, explain_millis: u64) -> Explore {
        Explore {
            explorer: self.settings.explorer,
            // Each test has its own, so that the same test in another place is explored otherwise.
            seed: self.settings.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(self.number),
            executions,
            events: Some(MOST_EVENTS),
            millis: self.clock.at_all().map(|left| MOST_MILLIS.min(left.as_millis() as u64)),
            first,
            explain_millis,
            must_end: false,
            may_lengthen: false,
            events_alone: None,
        }
    }

    fn begin(&mut self, purpose: Purpose, test: TestCase, plan: Plan) -> Task {
        self.number += 1;
        let key = format!("{} {}", self.class, self.number);
        self.under_way.insert(key.clone(), purpose);
        let limits = Limits {
            max_events: MAX_EVENTS,
            max_frames: Some(MAX_FRAMES),
            early_of_started: if self.settings.oracle == Oracle::Safety { EARLY_OF_STARTED } else { 0 },
            ..Limits::default()
        };
        let under_test = vec![self.class.clone()];
        let patience = self.clock.patience().unwrap_or(PATIENCE_FOR_WORK);
        Task {
            key,
            job: Job { test, under_test, plan, limits, opened: vec![] },
            budget: Some(patience),
            until: self.clock.until(),
            fresh: false,
        }
    }

    /// What has happened; says which finding is new or better known, if one is.
    fn note(&mut self, event: Event) -> Option<usize> {
        match event {
            Event::News(task, News::Found(finding)) => {
                // It may be the last that is heard of this task.
                let is_test = matches!(self.under_way.get(&task.key), Some(Purpose::Test(_)));
                if is_test && self.found(&task.job, *finding, 0) {
                    self.fresh.insert(task.key.clone());
                }
                None
            }
            Event::News(task, News::Spent(spent)) => {
                let [serial, exploring] = [spent.serial, spent.exploring].map(|micros| micros as f64 / 1e6);
                match self.under_way.get(&task.key) {
                    Some(Purpose::Test(_)) => {
                        self.counts.spent.serial += serial;
                        self.counts.spent.exploring += exploring;
                        if self.settings.keep > 0 {
                            self.spent.insert(task.key.clone(), spent);
                        }
                    }
                    _ => self.counts.spent.shrinking += serial + exploring,
                }
                None
            }
            Event::News(..) => None,
            Event::Done(task, outcome) => {
                let effort = effort(&outcome.answer);
                self.counts.effort += effort.max(LEAST_EFFORT);
                match self.under_way.remove(&task.key)? {
                    Purpose::Test(origin) => {
                        self.turns.searched(effort);
                        self.generator.price(&task.job.test, &origin, executions(&outcome.answer), effort);
                        self.ran(&origin, &task, outcome);
                        None
                    }
                    Purpose::Shrink(shrinking, trial) => {
                        let is_last = matches!(trial, Trial::Last);
                        self.turns.shrunk(if is_last { 4 * HALF_A_SECOND } else { effort });
                        self.tried(*shrinking, trial, &task, outcome)
                    }
                    Purpose::Confirm(number) => self.findings.ran_again(number, again(&outcome.answer)),
                }
            }
        }
    }

    /// A test was run.
    fn ran(&mut self, origin: &Origin, task: &Task, outcome: Outcome) {
        let spent = self.spent.remove(&task.key).unwrap_or_default();
        let test = &task.job.test;
        self.counts.refused.extend(outcome.refused);
        let mut report = match outcome.answer {
            Answer::Done(report) => report,
            Answer::Refused(why) => {
                self.round.is_of_use = true;
                return self.unusable_test(test, origin, why);
            }
            // Its turn came too late, and it was not run.
            Answer::Unknown(Reason::TimedOut { millis: 0, .. }) => return,
            Answer::Unknown(reason) => {
                // A test that asks for more memory than there is, is like one that throws: nothing is left open.
                self.round.is_of_use |= reason != Reason::OutOfMemory;
                return self.unusable_test(test, origin, reason.to_string());
            }
        };
        if let Some(scouted) = report.scouted.take() {
            return self.scouted(test, origin, scouted);
        }
        let checked = report.checked.take().unwrap_or_default();
        if let Some(rejected) = &checked.rejected {
            self.counts.rejected += 1;
            if let Some(class) = checked.missing {
                *self.counts.missing.entry(class).or_default() += 1;
            }
            *self.counts.rejections.entry(methods::rejection(test, rejected)).or_default() += 1;
            self.generator.learn(test, origin, feedback(rejected));
            return;
        }
        let shown = without(test, &checked.thrown);
        self.generator.learn(
            &shown,
            origin,
            Feedback::Ran { overlapped: checked.overlaps > 0, failing_probe: checked.failing_probe },
        );
        self.generator.reached(origin, &checked.reached);
        if self.count(test, methods::pairs(&shown), &report, &checked) {
            self.generator.certified(&shown, origin);
        }
        if report.failures == 0 && report.unstable == 0 {
            self.kept.see(|| Kept::new(task, &report, spent));
        }
        unsure::note(test, std::mem::take(&mut report.unconfirmed), &mut self.counts.unsure);
        let findings = report.explored.map(|explored| explored.findings).unwrap_or_default();
        let fails = findings.iter().any(|finding| !finding.failure.is_refusal);
        let mut is_new = false;
        for finding in findings {
            is_new |= self.found(&task.job, finding, report.executions);
        }
        // What was told while the test went on is new, too.
        let is_variant = fails && !is_new && !self.fresh.remove(&task.key);
        self.counts.variants += u64::from(is_variant && !self.settings.first);
    }

    /// A row of calls has shown where it gets.
    fn scouted(&mut self, test: &TestCase, origin: &Origin, scouted: Scouted) {
        match scouted.failed_in_prefix {
            Some(call) => self.generator.learn(test, origin, Feedback::PrefixFails { call }),
            None => self.generator.scouted(origin, &scouted.hits, scouted.returned, &scouted.paths),
        }
    }

    fn unusable_test(&mut self, test: &TestCase, origin: &Origin, why: String) {
        *self.counts.unknown.entry(why).or_default() += 1;
        self.generator.learn(test, origin, Feedback::Unusable);
    }

    /// Counts a test that has run; says whether every schedule of it ran, and passed.
    fn count(&mut self, test: &TestCase, pairs: Vec<(String, String)>, report: &Report, checked: &Checked) -> bool {
        self.counts.tests += 1;
        self.counts.executions += report.executions;
        // Every schedule ran, and passed; what was refused to a test may be why it did.
        let passed = |explored: &Explored| explored.certificate.is_some() && explored.findings.is_empty();
        let is_certified = report.explored.as_ref().is_some_and(passed) && !checked.refused;
        if is_certified {
            self.counts.certified += 1;
            self.round.certified += 1;
            self.counts.certain.extend(pairs.iter().cloned());
        } else {
            self.round.is_of_use = true;
        }
        for unseen in report.explored.iter().flat_map(|explored| &explored.unseen) {
            *self.counts.unseen.entry(unseen.clone()).or_default() += 1;
        }
        self.counts.excused += u64::from(checked.excused > 0);
        self.counts.lacks.extend(checked.lacks.clone());
        self.counts.unrestored.extend(report.unrestored.clone());
        let known = self.contacts.len();
        self.contacts.extend(&checked.contacts);
        self.round.is_of_use |= self.contacts.len() > known;
        self.counts.tested.extend(pairs);
        for (suffix, calls) in test.suffixes.iter().enumerate() {
            for (number, call) in calls.iter().enumerate() {
                let Some(name) = methods::name(call) else { continue };
                let (tests, unsteady) = self.counts.steadiness.entry(name).or_default();
                *tests += 1;
                *unsteady += u64::from(checked.unsteady.contains(&(suffix, number)));
            }
        }
        is_certified
    }

    /// What looks like a violation; says whether it is a new one.
    fn found(&mut self, job: &Job, finding: Finding, executions: u64) -> bool {
        if finding.failure.is_refusal {
            refusals::note(&job.test, &finding.failure, &mut self.counts.refusals);
            return false;
        }
        let before = self.counts.executions.saturating_sub(executions) + finding.executions_to_find;
        self.findings.found(job, finding, before, self.clock.elapsed().as_secs_f64())
    }

    /// A trial of something that is being shrunk has come to its end.
    fn tried(&mut self, shrinking: Shrinking, trial: Trial, task: &Task, outcome: Outcome) -> Option<usize> {
        let report = match outcome.answer {
            Answer::Done(report) => Some(report),
            Answer::Refused(_) | Answer::Unknown(_) => None,
        };
        self.counts.executions += report.as_ref().map_or(0, |report| report.executions);
        let found = report.and_then(|report| report.explored).map(|explored| explored.findings).unwrap_or_default();
        let found = found.into_iter().find(|found| found.failure.is_same(shrinking.failure()));
        self.findings.tried(shrinking, trial, found.map(|finding| (task.job.clone(), finding)))
    }
}

/// A test without calls that have never returned: it has not tested them.
fn without(test: &TestCase, thrown: &[(usize, usize)]) -> TestCase {
    let mut less = test.clone();
    for (suffix, calls) in less.suffixes.iter_mut().enumerate() {
        let mut numbers = 0..;
        calls.retain(|_| numbers.next().is_some_and(|call| !thrown.contains(&(suffix, call))));
    }
    less
}

/// How much work something was.
fn effort(answer: &Answer) -> u64 {
    match answer {
        Answer::Done(report) => match report.checked.as_ref().and_then(|checked| checked.rejected.as_ref()) {
            // How deep a stack is that overflows depends on what was compiled by then.
            Some(Rejected::Exhausts { .. }) => MAX_EVENTS as u64,
            _ => report.effort.min(MAX_CHARGED),
        },
        Answer::Refused(_) => 0,
        Answer::Unknown(Reason::TimedOut { millis, .. }) => HALF_A_SECOND * millis / 500,
        Answer::Unknown(Reason::Endless { .. }) => MOST_EVENTS,
        Answer::Unknown(_) => HALF_A_SECOND,
    }
}

/// How many executions that was, at least one; those in which calls come one after the other are not counted.
fn executions(answer: &Answer) -> u64 {
    match answer {
        Answer::Done(report) => report.executions.max(1),
        Answer::Refused(_) | Answer::Unknown(_) => 1,
    }
}

fn again(answer: &Answer) -> Again {
    match answer {
        Answer::Done(report) if report.failures > 0 => Again::Fails,
        Answer::Done(_) | Answer::Refused(_) => Again::Passes,
        Answer::Unknown(_) => Again::Unknown,
    }
}

fn feedback(rejected: &Rejected) -> Feedback {
    match rejected {
        Rejected::Prefix { call, .. } | Rejected::Another { call, .. } => Feedback::PrefixFails { call: *call },
        Rejected::PrefixStuck { call } => Feedback::PrefixWaits { call: *call },
        Rejected::PrefixEndless { call } => Feedback::PrefixRunsAway { call: *call },
        Rejected::SuffixEndless { suffix, call } => Feedback::SuffixRunsAway { suffix: *suffix, call: *call },
        Rejected::SuffixSpins { suffix, call } => Feedback::SuffixSpins { suffix: *suffix, call: *call },
        Rejected::Suffix { suffix, call, .. } => Feedback::SuffixFails { suffix: *suffix, call: *call },
        Rejected::SuffixStuck { suffix, call } => Feedback::SuffixWaits { suffix: *suffix, call: *call },
        Rejected::Exits | Rejected::Exhausts { .. } | Rejected::TooMany { .. } => Feedback::Unusable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hard_to_shrink_waits_for_the_search() {
        let mut turns = Turns::default();
        turns.searched(100 * CREDIT);
        let mut trials = 0;
        while turns.is_of_findings() {
            turns.shrunk(MOST_EVENTS);
            trials += 1;
        }
        assert!(trials <= 2, "{trials} trials in a row");
        turns.searched(MOST_EVENTS / 2);
        assert!(!turns.is_of_findings());
        turns.searched(MOST_EVENTS);
        assert!(turns.is_of_findings());
    }
}

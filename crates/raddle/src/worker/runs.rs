//! The executions of one job, whatever plan they follow, and what is known of them so far.
//!
//! A plan is a file beside this one with a function `run`: it asks for executions one after the other, counts those that
//! are its own, and says which of them are found failures. What a plan has counted and found by then is known to the
//! supervisor while the job goes on, so it is not lost if that never ends.

use std::collections::HashSet;

use host::{Bounds, CallResult, Execution, Host, Limits, Prepared, RunSettings, Thrown, Unrestored, Values};
use schedule::{Schedule, Scheduler};

use super::explore::SILENT_PER_EVENT;
use super::protocol::{
    Checked, Explore, Explored, Failure, Finding, Passed, Plan, Progress, Report, Scouted, Shown, Unconfirmed,
};
use super::reason::Reason;
use super::{desk, doubt, missing, show};

/// To begin and end an execution takes about as long as so many events.
const TO_START: u64 = 50;

/// Limits of calls in each other are not above this: a real stack has room for some thousands.
const VERY_DEEP: u32 = 1_000;

/// The executions of a job.
pub struct Runs<'h> {
    pub(super) host: &'h mut Host,
    test: Prepared,
    settings: RunSettings,
    /// Whether the code under test may end the virtual machine.
    may_exit: bool,
    /// Whether executions are held against linearizations.
    is_check: bool,
    /// The first class that was missing.
    missing: Option<String>,
    /// By their digests.
    traces: HashSet<u64>,
    /// About how many of a thousand traces were run, if that can be said.
    explored_part: Option<u16>,
    /// The failures that were told.
    told: Vec<Failure>,
    /// Whether some execution does not show all that it would.
    is_open: bool,
    /// Number of executions that ran, counted by the plan or not.
    performed: u64,
    /// Number of threads that are not under control.
    uncontrolled: usize,
    report: Report,
    /// Places whose accesses by opaque code are events.
    opened: Vec<String>,
}

impl<'h> Runs<'h> {
    pub fn new(
        host: &'h mut Host,
        test: Prepared,
        settings: RunSettings,
        plan: &Plan,
        opened: Vec<String>,
    ) -> Runs<'h> {
        let may_exit = match plan {
            Plan::Explore(Explore { must_end, .. })
            | Plan::Replay { must_end, .. }
            | Plan::ReplayFirst { must_end, .. } => *must_end,
            Plan::Random { .. } | Plan::Check(_) | Plan::Recheck { .. } | Plan::Scout { .. } => false,
        };
        Runs {
            host,
            test,
            settings: RunSettings { is_program: may_exit, is_check: plan.is_of_check(), ..settings },
            may_exit,
            is_check: plan.is_of_check(),
            missing: None,
            traces: HashSet::new(),
            explored_part: None,
            told: Vec::new(),
            is_open: false,
            performed: 0,
            uncontrolled: 0,
            report: Report::default(),
            opened,
        }
    }

    /// Accesses of these places by opaque code are events, too, from now on. What was found before cannot be
    /// followed any more.
    pub fn open(&mut self, places: impl IntoIterator<Item = String>) {
        self.opened.extend(places);
        self.host.open(&self.opened);
        (self.report.failures, self.report.unstable) = (0, 0);
    }

    /// The places whose accesses by opaque code are events.
    pub fn opened(&self) -> &[String] {
        &self.opened
    }

    /// Runs the test case once, unless nothing can be said any more.
    pub fn run(&mut self, scheduler: Box<dyn Scheduler + Send>) -> Result<Execution, Reason> {
        let execution = perform(self.host, &mut self.performed, &mut self.report, &self.test, scheduler, self.settings);
        self.unless(doubt::doubt(&execution, self.may_exit), execution)
    }

    /// The same, with accesses that no thread can notice as no events, unless their keys were raised.
    pub fn run_silently(&mut self, scheduler: Box<dyn Scheduler + Send>) -> Result<Execution, Reason> {
        let settings = RunSettings { silent: true, ..self.settings };
        let execution = perform(self.host, &mut self.performed, &mut self.report, &self.test, scheduler, settings);
        self.unless(doubt::doubt(&execution, self.may_exit), execution)
    }

    /// Whether executions are those of a check, of which nobody sees more than whether they fail.
    pub fn is_check(&self) -> bool {
        self.is_check
    }

    /// Accesses with these keys are events from now on, also in executions that run silently.
    pub fn raise(&mut self, keys: &[u32]) {
        self.host.raise(keys);
    }

    /// No key is raised any more.
    pub fn forget_raised(&mut self) {
        self.host.forget_raised();
    }

    /// Follows a schedule, with values read whole, and maybe with every step told.
    pub fn follow(&mut self, schedule: Schedule, tell: bool) -> Result<Execution, Reason> {
        let values = Values::Graphs(Bounds::default());
        let settings = RunSettings { tell, values, ..self.settings };
        let execution = perform(
            self.host,
            &mut self.performed,
            &mut self.report,
            &self.test,
            Box::new(schedule.replay()),
            settings,
        );
        self.unless(doubt::doubt(&execution, self.may_exit), execution)
    }

    /// Runs the test case once on real stacks, with so many events at the most, and gives the errors of those that were full. Nothing can be
    /// said if a full stack may have left something behind.
    pub fn overflow(&mut self, scheduler: Box<dyn Scheduler + Send>, events: usize) -> Result<Vec<Thrown>, Reason> {
        let limits = Limits { max_events: events, max_frames: None, ..self.settings.limits };
        let settings = RunSettings { limits, ..self.settings };
        let execution = perform(self.host, &mut self.performed, &mut self.report, &self.test, scheduler, settings);
        let errors = doubt::of_full_stacks(&execution);
        match doubt::doubt(&execution, self.may_exit) {
            Some(Reason::StackOverflow) if !errors.is_empty() && doubt::is_over(&Reason::StackOverflow) => Ok(errors),
            Some(reason) => Err(reason),
            None => Ok(Vec::new()),
        }
    }

    /// Follows so many events of the schedule of an execution, with every step told. Nothing is pending after them that has happened
    /// in the whole.
    pub fn tell_beginning(&mut self, whole: &Execution, events: usize) -> Result<Execution, Reason> {
        let limits = Limits { max_events: events, ..self.settings.limits };
        let settings = RunSettings { tell: true, limits, ..self.settings };
        let scheduler = Box::new(whole.schedule().replay());
        let mut beginning = perform(self.host, &mut self.performed, &mut self.report, &self.test, scheduler, settings);
        if let Some(reason) = doubt::doubt(&beginning, true) {
            return Err(reason);
        }
        beginning.pending.retain(|(thread, _)| whole.pending.iter().any(|(pending, _)| pending == thread));
        Ok(beginning)
    }

    /// Runs an execution once more, in another way to look at it. Calls may be as deep in each other as they were.
    pub fn run_again(&mut self, execution: &Execution, settings: RunSettings) -> Result<Execution, Reason> {
        let replay = Box::new(execution.schedule().replay());
        let again = perform(self.host, &mut self.performed, &mut self.report, &self.test, replay, settings);
        self.unless(doubt::doubt(&again, self.may_exit), again)
    }

    /// Runs the test case once in another way, one call after the other. It may ask the virtual machine to end.
    pub fn run_as(&mut self, scheduler: Box<dyn Scheduler + Send>, settings: RunSettings) -> Result<Execution, Reason> {
        let execution = perform(self.host, &mut self.performed, &mut self.report, &self.test, scheduler, settings);
        self.unless(doubt::doubt_serial(&execution), execution)
    }

    /// The same with other calls.
    pub fn run_other(
        &mut self,
        test: &Prepared,
        scheduler: Box<dyn Scheduler + Send>,
        settings: RunSettings,
    ) -> Result<Execution, Reason> {
        let execution = perform(self.host, &mut self.performed, &mut self.report, test, scheduler, settings);
        self.unless(doubt::doubt_serial(&execution), execution)
    }

    /// The class that is missing, if an exception is there because of that.
    pub fn missing(&self, thrown: &Thrown) -> Option<String> {
        missing::missing(thrown, &|class| self.host.has_class(class))
    }

    /// The first class that was missing in some execution.
    pub fn first_missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// The execution, unless nothing can be said after it. In a check, exceptions are held against other executions first.
    fn unless(&mut self, doubt: Option<Reason>, execution: Execution) -> Result<Execution, Reason> {
        let missing = execution.thrown().find_map(|thrown| self.missing(thrown));
        if self.missing.is_none() {
            self.missing.clone_from(&missing);
        }
        let unrestored = host::unrestored();
        if let Some(Unrestored { what, is_spoiled: true }) = unrestored {
            return Err(Reason::Spoiled { what });
        }
        if self.report.unrestored.is_none() {
            self.report.unrestored = unrestored.map(|unrestored| unrestored.what);
        }
        match (doubt, missing) {
            // In a check what fails has to fail in a fresh virtual machine, too. That such threads do nothing is not known, so
            // nothing is certified.
            (Some(Reason::Uncontrolled { threads }), _) if self.is_check => {
                self.uncontrolled = threads;
                self.leave_open();
                Ok(execution)
            }
            (Some(Reason::Initialiser { .. }), Some(class)) => Err(Reason::MissingClass { class }),
            (None, Some(class)) if !self.is_check => Err(Reason::MissingClass { class }),
            (Some(reason), _) => Err(reason),
            (None, _) => Ok(execution),
        }
    }

    /// Whether an execution fails again, with the same trace, when its schedule is followed.
    pub fn fails_again(&mut self, execution: &Execution) -> Result<bool, Reason> {
        let again = self.follow(execution.schedule(), false)?;
        Ok(fails(&again) && again.trace.hash() == execution.trace.hash())
    }

    /// An execution is one of the plan's. Says whether its trace is one that was not counted before.
    pub fn count(&mut self, execution: &Execution) -> bool {
        let is_new = self.traces.insert(execution.trace.digest());
        self.report.executions += 1;
        let (executions, traces) = (self.report.executions, self.traces.len() as u64);
        desk::advance(Progress { executions, traces, explored_part: self.explored_part });
        is_new
    }

    /// About so many of a thousand traces were run, if that can be said. Told with the next execution.
    pub fn estimate(&mut self, explored_part: Option<u16>) {
        self.explored_part = explored_part;
    }

    /// An execution that was counted failed so. Each failure is told once, and the first that failed is shown. Where executions leave
    /// something behind for others, that may be why, and it is not sure.
    pub fn failed(&mut self, execution: &Execution, failure: Failure, seed: u64) {
        if self.report.unrestored.is_some() {
            return self.found_unstable(failure);
        }
        if self.told.iter().any(|told| told.is_same(&failure)) {
            self.report.failures += 1;
            return;
        }
        self.told.push(failure.clone());
        let (shown, executions_to_find) = (self.show(execution, seed), self.report.executions);
        let max_frames = self.settings.limits.max_frames;
        let opened = self.opened.clone();
        let as_found = true;
        self.found(&Finding { failure, shown, executions_to_find, as_found, max_frames, opened, ..Finding::default() });
    }

    /// A failure was found that is not known yet. The first is shown.
    pub fn found(&mut self, finding: &Finding) {
        self.report.failures += 1;
        if self.report.failures == 1 {
            self.report.shown = finding.shown.clone();
        }
        desk::found(finding);
    }

    /// More is known of a failure that was found.
    pub fn explained(&mut self, finding: &Finding) {
        desk::found(finding);
    }

    /// An execution failed so, but did not fail in the same way when its schedule was followed again.
    pub fn found_unstable(&mut self, failure: Failure) {
        self.report.unstable += 1;
        Unconfirmed { failure, passed: Passed::SameSchedule }.add_to(&mut self.report.unconfirmed);
    }

    /// The first execution, which only loads classes, failed so. An exploration that is over has not seen that again, unless it is among
    /// its findings.
    pub fn failed_at_first(&mut self, failure: Failure) {
        let Some(explored) = &mut self.report.explored else { return };
        if !explored.findings.iter().any(|finding| finding.failure.is_same(&failure)) {
            (explored.certificate, explored.covered) = (None, None);
            self.found_unstable(failure);
        }
    }

    /// An execution does not show all that it would: it was ended early, or lacks something. So nothing can be certified.
    pub fn leave_open(&mut self) {
        self.is_open = true;
    }

    /// An execution is shown as long as none has failed.
    pub fn show_if_none_failed(&mut self, execution: &Execution, seed: u64) {
        if self.report.failures == 0 {
            self.report.shown = self.show(execution, seed);
        }
    }

    /// An exploration has come to this.
    pub fn explored(&mut self, mut explored: Explored) {
        if self.uncontrolled > 0 {
            explored
                .unseen
                .push("threads that static initialisers have started, which are not under control".to_owned());
        }
        self.report.explored = Some(explored);
    }

    /// Whether some execution keeps all from being certified: it does not show all that it would, failed and did not fail again, or
    /// has left something behind.
    pub fn is_unstable(&self) -> bool {
        self.is_open || self.report.unstable > 0 || self.report.unrestored.is_some()
    }

    /// Whether threads are there that nobody schedules: what others wait for may come from them.
    pub fn has_uncontrolled(&self) -> bool {
        self.uncontrolled > 0
    }

    /// How many executions were counted.
    pub fn executions(&self) -> u64 {
        self.report.executions
    }

    /// How many executions ran, also those that are not counted: single suffixes, linearizations, and what leads to nothing.
    pub fn performed(&self) -> u64 {
        self.performed
    }

    /// A test case was held against its linearizations.
    pub fn checked(&mut self, checked: Checked) {
        self.report.checked = Some(checked);
    }

    /// What a row of calls has reached.
    pub fn scouted(&mut self, scouted: Scouted) {
        self.report.scouted = Some(scouted);
    }

    /// The test case.
    pub fn test(&self) -> &Prepared {
        &self.test
    }

    /// What an execution may do.
    pub fn settings(&self) -> RunSettings {
        self.settings
    }

    /// From now on executions have so many events at the most.
    pub fn limit_events(&mut self, events: usize) {
        self.settings.limits.max_events = events;
    }

    /// All begins anew, with executions in which threads can be asked what they wait for.
    pub fn watch(&mut self) {
        self.settings.limits.watched = true;
        self.traces.clear();
        self.told.clear();
        self.explored_part = None;
        self.report = Report { effort: self.report.effort, ..Report::default() };
    }

    /// Identity hashes are mirrored from now on, or no longer.
    pub fn mirror(&mut self, mirrored: bool) {
        self.settings.limits.mirrored = mirrored;
    }

    /// From now on calls may be ten times as deep in each other, and if that is very deep, as deep as there is room for. Says whether there was a limit.
    pub fn deepen(&mut self) -> bool {
        let frames = &mut self.settings.limits.max_frames;
        let had_limit = frames.is_some();
        *frames = frames.map(|frames| 10 * frames).filter(|frames| *frames <= VERY_DEEP);
        had_limit
    }

    /// What all of them have shown.
    pub fn report(self) -> Report {
        Report { traces: self.traces.len() as u64, ..self.report }
    }

    fn show(&self, execution: &Execution, seed: u64) -> Shown {
        show::show(self.host, execution, seed, execution.trace.hash())
    }
}

/// Runs calls once. Whatever it is for, it is a part of the effort.
fn perform(
    host: &mut Host,
    performed: &mut u64,
    report: &mut Report,
    test: &Prepared,
    scheduler: Box<dyn Scheduler + Send>,
    settings: RunSettings,
) -> Execution {
    let execution = host.run(test, scheduler, settings);
    *performed += 1;
    report.effort += TO_START + execution.trace.steps.len() as u64 + execution.silent.count() / SILENT_PER_EVENT;
    execution
}

/// Whether an execution ended otherwise than with all calls returned.
pub fn fails(execution: &Execution) -> bool {
    let calls = execution.suffixes.iter().flatten().chain(&execution.prefix).chain(&execution.probes);
    execution.stop.is_some()
        || !execution.uncaught.is_empty()
        || calls.into_iter().any(|result| !matches!(result, CallResult::Returned(_)))
}

//! Executions held against linearizations.

use host::{Blocked, CallResult, Execution, RunSettings, Stop, Thrown, Values};
use oracle::{Place, Serial, Violation, Waits};
use testcase::{Call, TestCase};

use super::contacts::Contacts;
use super::guessed::{complains, is_guessed};
use super::linearize::Care;
use super::observe::{Seen, observe};
use super::refused::Refusals;
use super::{linearize, overlap, recursion, waits, words};
use crate::worker::ending::End;
use crate::worker::failure::{is_of_holding_itself, of_endless, of_stuck, of_thrown};
use crate::worker::judge::Judge;
use crate::worker::protocol::{Check, Failure, Oracle};
use crate::worker::reached::Reached;
use crate::worker::reason::Reason;
use crate::worker::runs::{Runs, fails};
use crate::worker::{desk, doubt, stop};

/// Judges executions by what the linearizations of their test have shown.
pub struct Against<'t> {
    serial: Serial<Seen>,
    check: Check,
    test: &'t TestCase,
    /// Whether a recursion must fill a real stack before it counts.
    must_be_sure: bool,
    looks: Looks,
    refused: Refusals,
    overlaps: u64,
    contacts: Contacts,
    reached: Reached,
    /// So many different things had the fence refused to linearizations.
    refusals: usize,
    /// In so many executions exceptions may be by what it refused to them alone.
    excused: u64,
    /// A class that an execution lacked which linearizations did not ask for.
    lacks: Option<String>,
}

/// What was done beyond what every test needs, because something looked like a violation.
#[derive(Default)]
struct Looks {
    /// Linearizations were run with other random numbers, and with patience, too.
    varied: bool,
    /// They were run with other random numbers and each call in its thread, which can be stuck there.
    waited: bool,
    /// They were run so that calls which sleep let others go on.
    dozed: bool,
    /// They were run so that threads which the code under test has started run between calls, too.
    helped: bool,
    /// What they leave waiting, once an execution is stuck where one of them is, too.
    waits: Option<Waits<Seen>>,
    /// They were run for that with other random numbers, too.
    varied_waits: bool,
    /// Those leave others waiting.
    by_chance: bool,
    /// The places of recursions that were seen to fill a real stack.
    without_end: Vec<String>,
    /// So many others were seen to end.
    with_end: u32,
}

/// After so many recursions that end, others of the test are held to do so.
const MOST_WITH_END: u32 = 10;

/// What a thread gets that is interrupted where it waits.
const INTERRUPTED: &str = "java.lang.InterruptedException";

impl<'t> Against<'t> {
    /// By what these have shown. Whoever makes something smaller need not be sure yet that it has no end.
    pub fn new(serial: Serial<Seen>, check: &Check, test: &'t TestCase, must_be_sure: bool) -> Against<'t> {
        Against {
            serial,
            check: check.clone(),
            test,
            must_be_sure,
            looks: Looks::default(),
            refused: Refusals::default(),
            overlaps: 0,
            contacts: Contacts::default(),
            reached: Reached::new(&check.goals),
            refusals: desk::refusals(),
            excused: 0,
            lacks: None,
        }
    }

    /// In how many executions calls really overlapped.
    pub fn overlaps(&self) -> u64 {
        self.overlaps
    }

    /// How many executions with exceptions were let pass, because something was refused to them.
    pub fn excused(&self) -> u64 {
        self.excused
    }

    /// A class that is missing, and that only threads have asked for.
    pub fn lacks(&self) -> Option<String> {
        self.lacks.clone()
    }

    /// Whether the fence has refused something that it has not refused to linearizations. What both were refused is no matter of
    /// schedules.
    fn may_be_by_refusal(&self) -> bool {
        desk::refusals() > self.refusals || self.refusals >= host::MOST_REFUSALS
    }

    /// Where threads have met.
    pub fn contacts(&self) -> Vec<u64> {
        self.contacts.told()
    }

    /// The goals that were reached.
    pub fn reached(&self, runs: &Runs<'_>) -> Vec<usize> {
        self.reached.told(runs.host)
    }

    /// With how much care linearizations are run again: what is found in the end is run in a fresh virtual machine, too.
    fn care(&self) -> Care {
        if self.must_be_sure { Care::Full } else { Care::Glance }
    }

    /// Runs linearizations in ways that would take too long for every test, where what they show may be all that there is to a
    /// violation. Says whether it did.
    fn look_again(&mut self, runs: &mut Runs<'_>, execution: &Execution, at: &Violation) -> Result<bool, Reason> {
        let (by_time, does_not_end) = match at {
            Violation::Values { .. } => (false, false),
            Violation::Exception { class, .. } => (class == INTERRUPTED || linearize::is_by_time(execution), false),
            // Whole calls that each hold what the other wants are in no order of them.
            Violation::Stuck if stop::is_circle(execution) => return Ok(false),
            Violation::Stuck | Violation::Endless => (linearize::is_by_time(execution), true),
        };
        let once = |wanted: bool, done: &mut bool| wanted && !std::mem::replace(done, true);
        let care = self.care();
        let (check, test, serial) = (&self.check, self.test, &mut self.serial);
        let doze = once(by_time, &mut self.looks.dozed);
        if doze {
            linearize::doze(runs, check, test, serial)?;
        }
        let has_helpers = execution.trace.steps.iter().any(|step| step.thread.0 as usize > test.suffixes.len());
        let help = once(has_helpers, &mut self.looks.helped);
        if help {
            linearize::help(runs, check, test, serial, execution.timed, care)?;
        }
        let vary = once(true, &mut self.looks.varied);
        if vary {
            linearize::vary(runs, check, test, serial, care)?;
            linearize::wait_out(runs, check, test, serial)?;
        }
        let wait = once(does_not_end, &mut self.looks.waited);
        if wait {
            linearize::vary_waits(runs, check, test, serial, care)?;
        }
        Ok(doze || help || vary || wait)
    }

    /// What is wrong with an execution in which a call fails and threads make several: nothing, if one of them was
    /// told before what no linearization tells it. Such a test has no certificate.
    fn by_results(&self, runs: &mut Runs<'_>, execution: &Execution, end: End) -> Result<Option<Violation>, Reason> {
        let read = self.with_values(runs, execution)?;
        let observation = observe(read.as_ref().unwrap_or(execution), end, self.check.explore.must_end);
        let violation = self.serial.judge_by_results(&observation, self.check.oracle);
        if violation.is_none() {
            runs.leave_open();
        }
        Ok(violation)
    }

    /// The same execution, with what calls returned. Where values are not compared nobody has read them yet.
    fn with_values(&self, runs: &mut Runs<'_>, execution: &Execution) -> Result<Option<Execution>, Reason> {
        if self.check.oracle == Oracle::Linearizability {
            return Ok(None);
        }
        let settings = RunSettings { values: Values::Identities, ..runs.settings() };
        runs.run_again(execution, settings).map(Some)
    }

    /// What is wrong with an execution that is stuck as some linearization is: calls may wait in it that wait in none.
    /// When there are many calls, time has passed, calls were not made because one before them has thrown, or the code under
    /// test has started threads or given the test's own objects something to run, there are more orders than are run here.
    fn by_waits(&mut self, runs: &mut Runs<'_>, execution: &Execution, end: End) -> Result<Option<Violation>, Reason> {
        let suffixes = self.test.suffixes.len();
        let is_helped = execution.trace.steps.iter().any(|step| step.thread.0 as usize > suffixes);
        // What a call throws is a result like others, unless calls after it were not made because of that.
        let throws = |result: &CallResult| matches!(result, CallResult::Threw(_));
        let breaks_off =
            |(made, calls): (&Vec<CallResult>, &Vec<Call>)| made.len() < calls.len() && made.iter().any(throws);
        let mut suffixes_made = execution.suffixes.iter().zip(&self.test.suffixes);
        let has_thrown = !execution.uncaught.is_empty() || suffixes_made.any(breaks_off);
        let is_given_work = self.test.calls_back() || oracle::drops_tasks(self.test);
        let is_long = self.test.suffixes.iter().map(Vec::len).sum::<usize>() > linearize::MOST_WAITING;
        let may_be_else = is_long || is_helped || !execution.timed_out.is_empty() || is_given_work || has_thrown;
        let is_stuck = matches!(execution.stop, Some(Stop::Deadlock(_)));
        if may_be_else || !is_stuck || execution.overflow.is_some() {
            if is_stuck {
                runs.leave_open();
            }
            return Ok(None);
        }
        let (check, test, care) = (&self.check, self.test, self.care());
        let mut waits = match self.looks.waits.take() {
            Some(waits) => waits,
            None => {
                let mut waits = Waits::default();
                linearize::waits(runs, check, test, &mut waits, false, care)?;
                waits
            }
        };
        let mut is_unexplained = waits.may_be_unexplained(&observe(execution, end, check.explore.must_end));
        if is_unexplained && !self.looks.varied_waits {
            // What one run explains no further ones change, and there are hundreds of those.
            let read = self.with_values(runs, execution)?;
            let observation = observe(read.as_ref().unwrap_or(execution), end, check.explore.must_end);
            is_unexplained = !waits.are_explained(&observation, !waits::is_looked_at(runs.host, execution));
            if !is_unexplained {
                runs.leave_open();
            }
        }
        if is_unexplained && !std::mem::replace(&mut self.looks.varied_waits, true) {
            self.looks.by_chance = linearize::waits(runs, check, test, &mut waits, true, care)?;
        }
        if is_unexplained {
            let read = self.with_values(runs, execution)?;
            let observation = observe(read.as_ref().unwrap_or(execution), end, check.explore.must_end);
            let come_last = !waits::is_looked_at(runs.host, execution);
            is_unexplained = !self.looks.by_chance && waits.are_unexplained(&observation, come_last);
            if !is_unexplained {
                runs.leave_open();
            }
        }
        let locked_out = waits::locked_out(execution);
        if !is_unexplained && !locked_out.is_empty() {
            if !std::mem::replace(&mut self.looks.varied_waits, true) {
                self.looks.by_chance = linearize::waits(runs, check, test, &mut waits, true, care)?;
            }
            let read = self.with_values(runs, execution)?;
            let observation = observe(read.as_ref().unwrap_or(execution), end, check.explore.must_end);
            is_unexplained = !self.looks.by_chance && waits.are_locked_out(&observation, &locked_out);
        }
        self.looks.waits = Some(waits);
        Ok(is_unexplained.then_some(Violation::Stuck))
    }

    /// What is wrong with an execution in which calls were too deep in each other: that they have no end, as this error has it.
    fn recursion(
        &mut self,
        runs: &mut Runs<'_>,
        execution: &Execution,
        error: &Thrown,
    ) -> Result<Option<Failure>, Reason> {
        let failure = of_thrown(error);
        let is_sure = !self.must_be_sure || self.looks.without_end.contains(&failure.place);
        if is_sure {
            return Ok(Some(failure));
        }
        // Deep, and no fault, mostly for the same reason as before.
        if self.looks.with_end >= MOST_WITH_END {
            return Ok(None);
        }
        let has_no_end = recursion::has_no_end(runs, execution, error)?;
        match has_no_end {
            true => self.looks.without_end.push(failure.place.clone()),
            false => self.looks.with_end += 1,
        }
        Ok(has_no_end.then_some(failure))
    }

    fn violation(&self, execution: &Execution, end: End) -> Option<Violation> {
        // What the prefix does is the same for every order of the calls after it: if it is not, that is not by threads of the
        // test but by something outside, such as files.
        let returned = |result: &CallResult| matches!(result, CallResult::Returned(_));
        if execution.prefix.len() < self.test.prefix.len() || !execution.prefix.iter().all(returned) {
            return None;
        }
        let may_be_stuck = self.check.explore.must_end && !execution.left.is_empty();
        // Most executions end well, and then only values can be wrong.
        if self.check.oracle == Oracle::Safety && end != End::Cut && !may_be_stuck && !fails(execution) {
            return None;
        }
        self.serial.judge(&observe(execution, end, self.check.explore.must_end), self.check.oracle)
    }
}

impl Judge for Against<'_> {
    fn see(&mut self, execution: &Execution) {
        self.overlaps += u64::from(overlap::overlap(execution));
        self.contacts.see(execution);
        self.reached.see(execution);
    }

    fn suspects(&self, execution: &Execution, end: End) -> bool {
        let may_wait = self.serial.is_stuck() && end != End::Done;
        execution.overflow.is_some() || may_wait || self.violation(execution, end).is_some()
    }

    fn failure(&mut self, runs: &mut Runs<'_>, execution: &Execution, end: End) -> Result<Option<Failure>, Reason> {
        let mut recursion = None;
        if execution.overflow.is_some() {
            // All else that is wrong with it may be so only because a stack was full so early.
            recursion = doubt::of_limit(execution).find(|error| !is_of_holding_itself(error));
            if recursion.is_none() {
                runs.leave_open();
                return Ok(None);
            }
        }
        let mut violation = self.violation(execution, end);
        let is_circle = |violation: &Violation| *violation == Violation::Stuck && stop::is_circle(execution);
        if self.test.calls_back() && violation.as_ref().is_some_and(|violation| !is_circle(violation)) {
            // Calls of other threads may come between a call and what its callback calls.
            runs.leave_open();
            return Ok(None);
        }
        if self.test.throws() && matches!(violation, Some(Violation::Exception { .. })) {
            // What the test throws may reach other threads as the cause of another exception.
            runs.leave_open();
            return Ok(None);
        }
        if let Some(first) = &violation
            && self.look_again(runs, execution, first)?
        {
            violation = self.violation(execution, end);
        }
        let is_of_suffix = |thread: usize| thread <= self.test.suffixes.len();
        let has_helpers = !execution.trace.steps.iter().all(|step| is_of_suffix(step.thread.0 as usize));
        if has_helpers && matches!(violation, Some(Violation::Values { .. })) {
            // What threads of the class have done by then no order of calls says, and not every way was run.
            runs.leave_open();
            return Ok(None);
        }
        let is_cut_off_after = matches!(execution.probes.last(), Some(CallResult::CutOff));
        if violation.is_none() && self.serial.is_stuck() && !is_cut_off_after {
            violation = self.by_waits(runs, execution, end)?;
        }
        let goes_on = !execution.probes.is_empty() || self.test.suffixes.iter().any(|calls| calls.len() > 1);
        let may_be_misled = match violation {
            Some(Violation::Exception { .. }) => goes_on,
            Some(Violation::Stuck | Violation::Endless) => is_cut_off_after,
            _ => false,
        };
        if may_be_misled {
            violation = self.by_results(runs, execution, end)?;
        }
        if let Some(Violation::Exception { at, .. }) = violation
            && complains(execution, at)
        {
            let read = self.with_values(runs, execution)?;
            if is_guessed(self.test, read.as_ref().unwrap_or(execution), at) {
                runs.leave_open();
                return Ok(None);
            }
        }
        let failure = match violation {
            None => None,
            Some(Violation::Stuck | Violation::Endless) if runs.has_uncontrolled() && !stop::is_circle(execution) => {
                None
            }
            // What was not run may be what is waited for.
            Some(Violation::Stuck | Violation::Endless)
                if (execution.doubts_ends() || oracle::drops_tasks(self.test)) && !stop::is_circle(execution) =>
            {
                runs.leave_open();
                None
            }
            Some(Violation::Exception { .. }) if self.may_be_by_refusal() => {
                self.excused += 1;
                None
            }
            Some(Violation::Exception { at, .. })
                if thrown(execution, at).is_some_and(is_of_null) && oracle::gives_null(self.test) =>
            {
                runs.leave_open();
                None
            }
            Some(Violation::Exception { at, .. })
                if thrown(execution, at).is_some_and(is_of_amount) && oracle::gives_no_amount(self.test) =>
            {
                runs.leave_open();
                None
            }
            // Nor does it count when it comes at another call than in every order.
            Some(Violation::Values { ref differs, .. })
                if oracle::gives_null(self.test)
                    && differs.iter().any(|at| thrown(execution, *at).is_some_and(is_of_null)) =>
            {
                runs.leave_open();
                None
            }
            Some(_) if let Some(error) = recursion => self.recursion(runs, execution, error)?,
            Some(Violation::Exception { at, .. }) if thrown(execution, at).is_some_and(is_not_offered) => {
                runs.leave_open();
                None
            }
            Some(Violation::Exception { at, .. }) => match thrown(execution, at) {
                Some(thrown) if let Some(class) = runs.missing(thrown) => {
                    self.lacks.get_or_insert(class);
                    runs.leave_open();
                    None
                }
                thrown => thrown.map(of_thrown),
            },
            Some(Violation::Stuck) => of_stuck(execution, self.check.explore.must_end).map(|failure| {
                let left = &execution.left;
                let blocked = if let Some(Stop::Deadlock(blocked)) = &execution.stop { blocked } else { left };
                // That the first thread waits for the others goes without saying, until they have ended.
                let counts = |blocked: &&Blocked| blocked.thread.0 > 0 || is_cut_off_after;
                let others: Vec<_> = blocked.iter().filter(counts).cloned().collect();
                let others = words::in_the_way(others);
                let what = format!("deadlock: {}", stop::describe_all(&others, &execution.awaited));
                let place = words::where_stuck(runs.host, &others);
                Failure { what, place, awaited: words::what_is_awaited(&others, &execution.awaited), ..failure }
            }),
            Some(Violation::Endless) => Some(of_endless(execution, end)),
            Some(Violation::Values { rank, .. }) => {
                let observation = observe(execution, end, self.check.explore.must_end);
                let is_refusal = self.refused.explain(runs, &self.check, self.test, observation)?;
                let failure = words::of_values(self.test, execution, rank);
                Some(if is_refusal { words::of_refusal(failure) } else { failure })
            }
        };
        if recursion.is_some() && failure.is_none() {
            // It was ended early all the same, so nothing can be certified.
            runs.leave_open();
        }
        Ok(failure.filter(|failure| self.check.wanted.as_ref().is_none_or(|wanted| wanted.is_same(failure))))
    }
}

/// Whether an iterator says that it does not offer `remove`, which it is asked for only if something is to be removed.
fn is_not_offered(thrown: &Thrown) -> bool {
    let by = thrown.frames.first().and_then(|frame| frame.split('(').next()).unwrap_or_default();
    thrown.class == "java.lang.UnsupportedOperationException" && by.ends_with(".remove") && by.contains("Iterator")
}

/// Whether something was null where it must not be.
fn is_of_null(thrown: &Thrown) -> bool {
    thrown.class == "java.lang.NullPointerException" || thrown.cause.as_deref().is_some_and(is_of_null)
}

/// Whether somebody may have been given a number that means nothing.
fn is_of_amount(thrown: &Thrown) -> bool {
    let complains = ["java.lang.IllegalArgumentException", "java.lang.IllegalStateException"];
    complains.contains(&&*thrown.class) || thrown.cause.as_deref().is_some_and(is_of_amount)
}

/// The exception at a place.
fn thrown(execution: &Execution, at: Place) -> Option<&Thrown> {
    let result = match at {
        Place::Prefix { call } => execution.prefix.get(call),
        Place::Suffix { suffix, call } => execution.suffixes.get(suffix).and_then(|calls| calls.get(call)),
        Place::Probe { call } => execution.probes.get(call),
        Place::Started { number } => return execution.uncaught.get(number).map(|(_, thrown)| thrown),
    };
    match result {
        Some(CallResult::Threw(thrown)) => Some(thrown),
        _ => None,
    }
}

//! All linearizations of a test case, each run in every way that an order of calls can be meant.
//!
//! Each order runs in one thread, as ConTeGe has it, and it runs there twice: once with the clock, identity hashes and
//! random numbers that all executions see, and once with others. What differs between the two is not compared. Each order
//! also runs with every call in the thread of its suffix, because one thread may take a lock twice and two may not.
//!
//! Once there is something to explain, [`vary`], [`vary_waits`], [`waits`], [`help`], [`doze`] and [`wait_out`] run the
//! orders in further ways.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use host::{CallResult, Execution, Limits, Prepared, RunSettings, Stop, Values};
use oracle::{Ended, Linearization, Observation, Serial, Waits, linearizations};
use schedule::{Event, EventKind, ThreadId, all_went_round};
use testcase::TestCase;

use super::call_by_call::{CallByCall, Manner};
use super::observe::{Seen, observe};
use super::refused::leave_out;
use super::waits::quiet;
use crate::worker::ending::end;
use crate::worker::protocol::{Check, Oracle, Rejected};
use crate::worker::reason::Reason;
use crate::worker::runs::Runs;

/// After so many events it is looked at whether all threads of a serial execution spin, if one of its calls has had no end before.
const EVENTS_OF_SPIN: usize = 2_000;

/// If all suffixes wait when they are alone, and none of so many orders that are unlike each other has an end, the others are
/// taken to have none.
const FIRST_LOOK: usize = 8;

/// What the linearizations show, or why nobody can say. Where calls wait that are alone, nothing more is shown once it is
/// likely that they do in every order.
pub fn linearize(
    runs: &mut Runs<'_>,
    check: &Check,
    test: &TestCase,
    waits: bool,
) -> Result<Result<Serial<Seen>, Rejected>, Reason> {
    let all = linearizations(test);
    if !all.are_all() {
        return Ok(Err(Rejected::TooMany { linearizations: all.total() }));
    }
    let mut serial = Serial::new(test);
    let ways = Ways { few: check.explore.events_alone.map(|_| EVENTS_OF_SPIN), ..Ways::new(check, test) };
    let all: Vec<Linearization> = all.collect();
    // One of each part comes first: those that follow each other are alike.
    let part = all.len().div_ceil(FIRST_LOOK).max(1);
    let places = (0..part).flat_map(|first| (first..all.len()).step_by(part));
    for (number, place) in places.enumerate() {
        if waits && number >= FIRST_LOOK && !serial.has_ended() {
            break;
        }
        let linearization = &all[place];
        if !ways.run(runs, linearization, &mut serial)? {
            return Ok(Err(Rejected::Exits));
        }
        // Then the test is of no use, whatever others show, and each of them would go to the limit several times.
        if serial.is_endless_afterwards() {
            break;
        }
    }
    Ok(Ok(serial))
}

/// In so many manners can calls of a test that has [`MOST_WAITING`] calls go on, each time one of two before the other.
const MIXTURES: u32 = 64;
/// What a test with more calls leaves waiting is not asked: there are too many manners.
pub const MOST_WAITING: usize = 4;

/// How often things are looked at again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Care {
    /// As often as it takes to be sure.
    Full,
    /// An eighth of that: for one smaller test of many, of which the smallest will be looked at with full care.
    Glance,
}

impl Care {
    fn of(self, times: u32) -> u32 {
        match self {
            Care::Full => times,
            Care::Glance => (times / 8).max(2),
        }
    }

    /// How often each linearization is run where chance has a part in it: it is worth some hundred executions to know.
    fn tries(self, linearizations: u64) -> u32 {
        self.of((400 / linearizations.max(1)).clamp(2, 32) as u32)
    }
}

/// Runs all once more, with other random numbers, clocks and identity hashes each time: what some of them lead to is no matter of
/// threads.
pub fn vary(
    runs: &mut Runs<'_>,
    check: &Check,
    test: &TestCase,
    serial: &mut Serial<Seen>,
    care: Care,
) -> Result<(), Reason> {
    let all = linearizations(test);
    let (tries, ways) = (care.tries(all.total()), Ways::new(check, test));
    for linearization in all {
        let merged = runs.test().merged(linearization.order());
        // What is compared with the first is all that differs from any. Where that one waits for good there is nothing to compare.
        let Some(first) = ways.in_one_thread(runs, &merged, &linearization, 0)?.filter(says_something) else {
            continue;
        };
        // The first two were run before.
        for variation in 2..2 + tries {
            let other = ways.in_one_thread(runs, &merged, &linearization, variation)?;
            if let Some(other) = other.filter(says_something) {
                serial.add_twice(first.clone(), other);
            }
        }
    }
    Ok(())
}

/// The same with each call in its thread: one that waits for good by chance is stuck, where one thread would only say nothing.
pub fn vary_waits(
    runs: &mut Runs<'_>,
    check: &Check,
    test: &TestCase,
    serial: &mut Serial<Seen>,
    care: Care,
) -> Result<(), Reason> {
    let all = linearizations(test);
    let (tries, ways) = (care.tries(all.total()), Ways::new(check, test));
    for linearization in all {
        for variation in 0..tries {
            let (execution, _) = ways.once(runs, None, linearization.order(), Manner::Soon, 2 + variation)?;
            if let Some(observation) = ways.observe(&execution) {
                serial.add(observation);
            }
        }
    }
    Ok(())
}

/// Runs all once more, where threads that the code under test has started run between calls as well. What they wait
/// for may be over by then, up to as often as the job allows, if anybody waits for what can be.
pub fn help(
    runs: &mut Runs<'_>,
    check: &Check,
    test: &TestCase,
    serial: &mut Serial<Seen>,
    is_timed: bool,
    care: Care,
) -> Result<(), Reason> {
    let all = linearizations(test);
    let most = if is_timed { runs.settings().limits.early_of_started } else { 0 };
    // Each thread has a place of its own among the calls: there are more ways than chance has.
    let (tries, ways) = (4 * u64::from(care.tries(all.total())), Ways::new(check, test));
    for linearization in all {
        for (seed, early) in (0..tries).flat_map(|seed| (0..=most).map(move |early| (seed, early))) {
            let between = || CallByCall::new(linearization.order(), Manner::Soon).between(seed);
            for scheduler in [between(), between().also_in_prefix()] {
                let mut settings = ways.settings(runs, 0);
                settings.limits.early_of_started = early;
                let execution = runs.run_as(Box::new(scheduler), settings)?;
                if let Some(observation) = ways.observe(&execution) {
                    serial.add(observation);
                }
            }
        }
    }
    Ok(())
}

/// Runs all once more for what they leave waiting, each call in its thread; with other random numbers, if `is_varied`.
/// Where a call begins before one that was told to go on does, it may take what that one waits for. But a call that waits
/// itself has taken nothing: such runs do not count. Says whether other random numbers leave others waiting: then chance
/// has a part in it, and has more to show than can be run.
pub fn waits(
    runs: &mut Runs<'_>,
    check: &Check,
    test: &TestCase,
    waits: &mut Waits<Seen>,
    is_varied: bool,
    care: Care,
) -> Result<bool, Reason> {
    let all = linearizations(test);
    let (tries, ways) = (care.tries(all.total()), Ways::new(check, test));
    let max_events = runs.settings().limits.max_events;
    let mut is_by_chance = false;
    for linearization in all {
        let order = linearization.order();
        let mut first: Option<Vec<usize>> = None;
        let manners = [Manner::Soon, Manner::Untimed, Manner::Late];
        let plain = manners.iter().map(|&manner| (CallByCall::new(order, manner), 0));
        let patient = manners.iter().map(|&manner| (CallByCall::new(order, manner).patient(max_events), 0));
        let varied = (0..tries).map(|variation| (CallByCall::new(order, Manner::Soon), variation));
        let mixed = (0..care.of(MIXTURES)).map(|bits| (CallByCall::new(order, Manner::Mixed(bits)), 0));
        let schedulers: Vec<(CallByCall, u32)> =
            if is_varied { varied.chain(patient).chain(mixed).collect() } else { plain.collect() };
        for (number, (scheduler, variation)) in schedulers.into_iter().enumerate() {
            let pushed_in = scheduler.pushed_in();
            let execution = runs.run_as(Box::new(scheduler), ways.settings(runs, variation))?;
            let pushed_in = std::mem::take(&mut *pushed_in.lock().unwrap_or_else(PoisonError::into_inner));
            let is_made = |(thread, calls): &(ThreadId, u32)| {
                let results = thread.0.checked_sub(1).and_then(|suffix| execution.suffixes.get(suffix as usize));
                let made = results.into_iter().flatten().filter(|result| !matches!(result, CallResult::CutOff));
                made.count() as u32 >= *calls
            };
            let observation = ways.observe(&execution);
            if is_varied && (number as u32) < tries {
                let has_ended = |end: &&Ended<Seen>| !matches!(end, Ended::CutOff);
                let count = |ends: &Vec<Ended<Seen>>| ends.iter().filter(has_ended).count();
                let made: Vec<usize> = observation.iter().flat_map(|it| it.suffixes.iter().map(count)).collect();
                is_by_chance |= first.get_or_insert_with(|| made.clone()) != &made;
            }
            if let Some(observation) = observation
                && pushed_in.iter().all(is_made)
            {
                waits.add(&observation, quiet(&execution));
            }
        }
    }
    Ok(is_by_chance)
}

/// Runs all once more, where a call that sleeps lets the others go on.
pub fn doze(runs: &mut Runs<'_>, check: &Check, test: &TestCase, serial: &mut Serial<Seen>) -> Result<(), Reason> {
    let ways = Ways::new(check, test);
    for linearization in linearizations(test) {
        let (execution, _) = ways.once(runs, None, linearization.order(), Manner::Untimed, 0)?;
        if let Some(observation) = ways.observe(&execution) {
            serial.add(observation);
        }
    }
    Ok(())
}

/// Runs all once more, where a call that spins is taken for one that will come to its end.
pub fn wait_out(runs: &mut Runs<'_>, check: &Check, test: &TestCase, serial: &mut Serial<Seen>) -> Result<(), Reason> {
    let (ways, max_events) = (Ways::new(check, test), runs.settings().limits.max_events);
    for linearization in linearizations(test) {
        for manner in [Manner::Soon, Manner::Untimed] {
            let scheduler = CallByCall::new(linearization.order(), manner).patient(max_events);
            let execution = runs.run_as(Box::new(scheduler), ways.settings(runs, 0))?;
            if let Some(observation) = ways.observe(&execution) {
                serial.add(observation);
            }
            if !waited_in_vain(&execution) {
                break;
            }
        }
    }
    Ok(())
}

/// What the linearizations show without some calls of the suffixes, in one thread. None if others need what they give.
pub fn without(
    runs: &mut Runs<'_>,
    check: &Check,
    test: &TestCase,
    calls: &[(usize, usize)],
) -> Result<Option<Serial<Seen>>, Reason> {
    let Some(prepared) = runs.test().without(calls) else { return Ok(None) };
    let mut less = test.clone();
    leave_out(&mut less.suffixes, calls);
    let (ways, mut serial) = (Ways::new(check, test), Serial::new(&less));
    for linearization in linearizations(&less) {
        let merged = prepared.merged(linearization.order());
        let [one, other] = ways.twice_in_one_thread(runs, &merged, &linearization)?;
        if let (Some(one), Some(other)) = (one.filter(says_something), other.filter(says_something)) {
            serial.add_twice(one, other);
        }
    }
    Ok(Some(serial))
}

/// How each linearization is run.
struct Ways {
    must_end: bool,
    oracle: Oracle,
    suffixes: usize,
    /// After so many events an execution ends, if its threads only go round by then.
    few: Option<usize>,
}

impl Ways {
    fn new(check: &Check, test: &TestCase) -> Ways {
        Ways { must_end: check.explore.must_end, oracle: check.oracle, suffixes: test.suffixes.len(), few: None }
    }

    /// Runs one in one thread. None if it asks the virtual machine to end.
    fn in_one_thread(
        &self,
        runs: &mut Runs<'_>,
        merged: &Prepared,
        of: &Linearization,
        variation: u32,
    ) -> Result<Option<Observation<Seen>>, Reason> {
        let in_one = vec![0; of.order().len()];
        let (execution, _) = self.once(runs, Some(merged), &in_one, Manner::Soon, variation)?;
        Ok(self.observe(&execution).map(|mut observation| {
            let merged = observation.suffixes.pop().unwrap_or_default();
            observation.suffixes = of.split(merged, self.suffixes);
            observation
        }))
    }

    /// The same in two variations.
    fn twice_in_one_thread(
        &self,
        runs: &mut Runs<'_>,
        merged: &Prepared,
        of: &Linearization,
    ) -> Result<[Option<Observation<Seen>>; 2], Reason> {
        Ok([self.in_one_thread(runs, merged, of, 0)?, self.in_one_thread(runs, merged, of, 1)?])
    }

    /// Runs one in all ways. False if it asks the virtual machine to end.
    fn run(&self, runs: &mut Runs<'_>, of: &Linearization, serial: &mut Serial<Seen>) -> Result<bool, Reason> {
        let merged = runs.test().merged(of.order());
        let [Some(one), Some(other)] = self.twice_in_one_thread(runs, &merged, of)? else { return Ok(false) };
        if says_something(&one) && says_something(&other) {
            serial.add_twice(one, other);
        }
        let (first, was_blocked) = self.once(runs, None, of.order(), Manner::Soon, 0)?;
        let mut further = Vec::new();
        further.extend(was_blocked.then_some(Manner::Late));
        further.extend(waited_in_vain(&first).then_some(Manner::Untimed));
        let Some(observation) = self.observe(&first) else { return Ok(false) };
        serial.add(observation);
        for manner in further {
            let (execution, _) = self.once(runs, None, of.order(), manner, 0)?;
            let Some(observation) = self.observe(&execution) else { return Ok(false) };
            if manner == Manner::Late && observation.thrown().next().is_some() && !changes_before_waiting(&execution) {
                continue;
            }
            serial.add(observation);
        }
        Ok(true)
    }

    /// Runs once, in one thread if there is a test with one, and says whether a call had to let another go on.
    fn once(
        &self,
        runs: &mut Runs<'_>,
        merged: Option<&Prepared>,
        order: &[usize],
        manner: Manner,
        variation: u32,
    ) -> Result<(Execution, bool), Reason> {
        let settings = self.settings(runs, variation);
        if let Some(few) = self.few {
            let scheduler = CallByCall::new(order, manner);
            let was_blocked = scheduler.was_blocked();
            let limits = Limits { max_events: settings.limits.max_events.min(few), ..settings.limits };
            let settings = RunSettings { limits, ..settings };
            let execution = match merged {
                Some(merged) => runs.run_other(merged, Box::new(scheduler), settings)?,
                None => runs.run_as(Box::new(scheduler), settings)?,
            };
            let is_cut = matches!(execution.stop, Some(Stop::TooManyEvents));
            if !is_cut || all_went_round(&execution.trace.steps) {
                return Ok((execution, was_blocked.load(Ordering::Relaxed)));
            }
        }
        let scheduler = CallByCall::new(order, manner);
        let was_blocked = scheduler.was_blocked();
        let execution = match merged {
            // One thread makes all calls, and nobody else is there to notice accesses.
            Some(merged) => {
                let settings = RunSettings { silent: true, alone: true, ..settings };
                runs.run_other(merged, Box::new(scheduler), settings)?
            }
            None => runs.run_as(Box::new(scheduler), settings)?,
        };
        Ok((execution, was_blocked.load(Ordering::Relaxed)))
    }

    fn settings(&self, runs: &Runs<'_>, variation: u32) -> RunSettings {
        let of_job = runs.settings();
        RunSettings {
            // A wait that is over early, or without cause, is not what an order of calls is about.
            limits: Limits { early_timeouts: false, early_of_started: 0, spurious_wakeups: 0, ..of_job.limits },
            values: if self.oracle == Oracle::Safety { Values::Identities } else { of_job.values },
            variation,
            ..of_job
        }
    }

    /// None for an execution that asks the virtual machine to end.
    fn observe(&self, execution: &Execution) -> Option<Observation<Seen>> {
        let exits = matches!(execution.stop, Some(Stop::Exit(_)));
        (!exits).then(|| observe(execution, end(execution), self.must_end))
    }
}

/// One thread that waits for a call which it would make itself later says nothing: other threads would go on.
fn says_something(observation: &Observation<Seen>) -> bool {
    !observation.stuck && !observation.endless
}

/// Whether a wait was over by time that another call could have ended. Nobody else ends a sleep. Whoever has no event after
/// that waits for something else by now, as for the lock that it gave up.
pub fn waited_in_vain(execution: &Execution) -> bool {
    execution.timed_out.iter().any(|&(at, thread)| {
        let next = execution.trace.steps[at..].iter().find(|step| step.thread == thread);
        next.is_none_or(|step| step.event.kind != EventKind::Sleep)
    })
}

/// Whether what an execution shows may be by how long calls take: a wait was over by time, a thread was interrupted, or one has looked at the
/// clock while time has passed.
pub fn is_by_time(execution: &Execution) -> bool {
    let has = |wanted: &dyn Fn(&Event) -> bool| execution.trace.steps.iter().any(|step| wanted(&step.event));
    let looks = |event: &Event| event.kind.is_access() && event.slot == Event::CLOCK;
    waited_in_vain(execution)
        || has(&|event| event.kind == EventKind::Interrupt)
        || !execution.timed_out.is_empty() && has(&looks)
}

/// Whether a call that let others go on had changed something before. One that had not is as if it had begun when it went on again:
/// what it throws then it throws in another merge as well, and if it does not, it should have looked again.
fn changes_before_waiting(execution: &Execution) -> bool {
    let steps = &execution.trace.steps;
    execution.ends.iter().enumerate().any(|(suffix, ends)| {
        let thread = ThreadId(suffix as u16 + 1);
        // Its last step, the call that this was in, and whether that has changed something.
        let (mut last, mut of, mut changed) = (None, usize::MAX, false);
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.thread == thread) {
            let call = ends.iter().take_while(|&&end| end <= at).count();
            if call != of {
                (of, changed) = (call, false);
            } else if changed && last.is_some_and(|last| last + 1 < at) {
                return true;
            }
            changed |= step.event.kind.is_write();
            last = Some(at);
        }
        false
    })
}

//! A test case held against its linearizations.
//!
//! First each suffix runs alone: one that fails by itself says nothing about threads. Then all linearizations run
//! ([`linearize`]), and then schedules that matter, with the oracle for a judge ([`against`]). `docs/design/oracle.md` says
//! why.

mod against;
mod alone;
mod call_by_call;
mod contacts;
mod guessed;
mod linearize;
mod observe;
mod overlap;
mod recursion;
mod refused;
mod waits;
mod words;

use std::time::Instant;

use host::{RunSettings, Values};
use oracle::{Place, Serial};
use schedule::Schedule;

use super::protocol::{Check, Checked, FailureKind, Job, Oracle, Rejected, Spent};
use super::reason::Reason;
use super::runs::Runs;
use super::{desk, doubt, explore, repeat};
use against::Against;
use alone::Alone;
use observe::Seen;

/// How executions of such a plan are run. Values are only read where they are compared: that is what takes longest.
pub fn settings(check: &Check, settings: RunSettings) -> RunSettings {
    match check.oracle {
        Oracle::Safety => RunSettings { values: Values::Unread, ..settings },
        Oracle::Linearizability => settings,
    }
}

/// Checks the test case of a job: under all schedules that matter, or under one.
pub fn run(runs: &mut Runs<'_>, check: &Check, job: &Job, under: Option<&Schedule>) -> Result<(), Reason> {
    let mut checked = Checked::default();
    let mut clock = Clock { begun: Instant::now(), spent: Spent::default() };
    let tried = try_all(runs, check, job, under, &mut checked, &mut clock);
    clock.spent.exploring = clock.so_far() - clock.spent.serial;
    clock.spent.executions = runs.performed();
    desk::spent(clock.spent);
    match tried? {
        Ok(()) => {}
        Err(rejected) => checked.rejected = Some(rejected),
    }
    checked.refused = desk::refusals() > 0;
    checked.missing = runs.first_missing().map(str::to_owned);
    runs.checked(checked);
    Ok(())
}

/// Where the time goes.
struct Clock {
    begun: Instant,
    spent: Spent,
}

impl Clock {
    fn so_far(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    fn serial_is_over(&mut self) {
        self.spent.serial = self.so_far();
    }
}

/// A test case that is of no use is an error of the inner kind.
fn try_all(
    runs: &mut Runs<'_>,
    check: &Check,
    job: &Job,
    under: Option<&Schedule>,
    checked: &mut Checked,
    clock: &mut Clock,
) -> Result<Result<(), Rejected>, Reason> {
    let test = &job.test;
    let serial = loop {
        match one_by_one(runs, check, job, checked, clock) {
            Ok(Ok(Some(serial))) => break serial,
            Ok(Ok(None)) => return Ok(Ok(())),
            Ok(Err(rejected)) => return Ok(Err(rejected)),
            // Calls that are deep in each other when they are made one after the other, and end, may be so under schedules as well.
            Err(reason @ Reason::StackOverflow) if doubt::is_over(&reason) && runs.deepen() => {}
            // What must be known of one schedule is asked of a worker that does nothing else.
            Err(reason) if under.is_none() && doubt::is_over(&reason) => {
                return Ok(Err(Rejected::Exhausts { what: reason.to_string() }));
            }
            Err(reason) => return Err(reason),
        }
    };
    if serial.is_endless_afterwards() {
        // Every execution would run into that.
        return Ok(Err(Rejected::Exhausts { what: "a call afterwards has no end".into() }));
    }
    checked.linearizations = oracle::linearizations(test).total();
    for place in serial.unsteady() {
        match place {
            Place::Prefix { call } => checked.unsteady_prefix.push(call),
            Place::Suffix { suffix, call } => checked.unsteady.push((suffix, call)),
            Place::Probe { call } => checked.unsteady_probes.push(call),
            Place::Started { .. } => {}
        }
    }
    checked.failing_probe = serial.failing_probe();
    checked.endings = serial.thrown().map(str::to_owned).collect();
    checked.endings.extend(serial.is_stuck().then(|| "stuck".to_owned()));
    checked.endings.extend(serial.is_endless().then(|| "endless".to_owned()));
    let must_be_sure = under.is_some() || check.wanted.is_none();
    let mut against = Against::new(serial, check, test, must_be_sure);
    match under {
        None => explore::run(runs, &check.explore, &mut against, None)?,
        Some(schedule) if check.wanted.as_ref().is_some_and(|wanted| wanted.kind == FailureKind::Hang) => {
            repeat::then_fair(runs, schedule, &mut against)?;
        }
        Some(schedule) => repeat::run(runs, schedule, check.explore.executions, &mut against)?,
    }
    checked.overlaps = against.overlaps();
    checked.excused = against.excused();
    checked.lacks = against.lacks();
    checked.contacts = against.contacts();
    checked.reached = against.reached(runs);
    Ok(Ok(()))
}

/// What calls show that are made one after the other; nothing if nobody wants to know.
fn one_by_one(
    runs: &mut Runs<'_>,
    check: &Check,
    job: &Job,
    checked: &mut Checked,
    clock: &mut Clock,
) -> Result<Result<Option<Serial<Seen>>, Rejected>, Reason> {
    let alone = alone::try_suffixes(runs, job, check);
    clock.serial_is_over();
    let waits = match alone? {
        Alone::Returns(thrown) => {
            checked.thrown = thrown;
            None
        }
        Alone::Fails(rejected) => return Ok(Err(rejected)),
        Alone::Waits(rejected) => Some(rejected),
    };
    if check.explore.executions == 0 {
        return Ok(waits.map_or(Ok(None), Err));
    }
    let serial = linearize::linearize(runs, check, &job.test, waits.is_some());
    clock.serial_is_over();
    // Where it is stuck in every order, nobody has come whom it waits for.
    Ok(match (serial?, waits) {
        (Ok(serial), Some(waits)) if !serial.has_ended() => Err(waits),
        // Each execution would go to the limit as well.
        (Ok(serial), None) if !serial.has_ended() && serial.is_endless() => {
            Err(Rejected::Exhausts { what: "no order of the calls has an end".into() })
        }
        (serial, _) => serial.map(Some),
    })
}

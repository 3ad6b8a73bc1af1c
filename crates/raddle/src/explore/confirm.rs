//! Findings, run again in virtual machines that have done nothing else.
//!
//! Not all that a program does is undone between its executions (`ARCHITECTURE.md` has the list). What fails only because of
//! what others have left behind is nobody's schedule.

use super::settings::{self, Place};
use crate::supervisor::{Event, Task, run};
use crate::worker::protocol::{Answer, Finding, Job, Passed, Plan};

/// What became of these findings of a job: nothing if they fail again, and else how they did not.
pub fn confirm(place: &Place, job: &Job, must_end: bool, findings: &[Finding]) -> anyhow::Result<Vec<Option<Passed>>> {
    // What could not be tried because a signal came stands as it is.
    let mut passed = vec![None; findings.len()];
    let all: Vec<usize> = (0..findings.len()).collect();
    let after_others = |finding: &Finding| {
        let (turns, timeouts) = (finding.shown.turns.clone(), finding.shown.timeouts.clone());
        Plan::Replay { turns, timeouts, times: 1, must_end }
    };
    let first = |finding: &Finding| {
        let (turns, timeouts) = (finding.shown.turns.clone(), finding.shown.timeouts.clone());
        Plan::ReplayFirst { turns, timeouts, must_end }
    };
    let unrestored = try_again(place, job, findings, &all, &after_others, &mut passed)?;
    // Where executions leave something behind, only the first of a virtual machine proves anything.
    try_again(place, job, findings, &unrestored, &first, &mut passed)?;
    Ok(passed)
}

/// Follows these findings in a virtual machine of their own each. Gives those in which executions left something behind for others.
fn try_again(
    place: &Place,
    job: &Job,
    findings: &[Finding],
    numbers: &[usize],
    plan: &dyn Fn(&Finding) -> Plan,
    passed: &mut [Option<Passed>],
) -> anyhow::Result<Vec<usize>> {
    let task = |&number: &usize| {
        let finding = &findings[number];
        let job = Job {
            plan: plan(finding),
            limits: finding.limits(job.limits),
            opened: finding.opened.clone(),
            ..job.clone()
        };
        Task { key: number.to_string(), job, budget: None, until: None, fresh: true }
    };
    let mut unrestored = Vec::new();
    if numbers.is_empty() {
        return Ok(unrestored);
    }
    run(place.pool.clone(), settings::folders, numbers.iter().map(task).collect(), |event| {
        if let Event::Done(task, outcome) = event
            && let Ok(number) = task.key.parse::<usize>()
        {
            passed[number] = match outcome.answer {
                Answer::Done(report) => {
                    unrestored.extend(report.unrestored.is_some().then_some(number));
                    (report.failures == 0).then_some(Passed::Fresh)
                }
                Answer::Refused(why) => Some(Passed::Unclear(why)),
                Answer::Unknown(reason) => Some(Passed::Unclear(reason.to_string())),
            };
        }
        Ok(())
    })?;
    Ok(unrestored)
}

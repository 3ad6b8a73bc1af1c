//! Findings, run again in virtual machines that have done nothing else.
//!
//! Not all that a program does is undone between its executions (`ARCHITECTURE.md` has the list). What fails only because of
//! what others have left behind is nobody's schedule.

use super::settings::{self, Place};
use crate::supervisor::{Event, Task, run};
use crate::worker::protocol::{Answer, Finding, Job, Plan};

/// Which of these findings of a job fail again.
pub fn confirm(place: &Place, job: &Job, must_end: bool, findings: &[Finding]) -> anyhow::Result<Vec<bool>> {
    let task = |(number, finding): (usize, &Finding)| {
        let (turns, timeouts) = (finding.shown.turns.clone(), finding.shown.timeouts.clone());
        let plan = Plan::Replay { turns, timeouts, times: 1, must_end };
        let job = Job { plan, limits: finding.limits(job.limits), opened: finding.opened.clone(), ..job.clone() };
        Task { key: number.to_string(), job, budget: None, fresh: true }
    };
    let tasks = findings.iter().enumerate().map(task).collect();
    // What could not be tried, for a signal came or there was no time, stands as it is.
    let mut fails = vec![true; findings.len()];
    run(place.pool.clone(), settings::folders, tasks, |event| {
        if let Event::Done(task, outcome) = event
            && let (Ok(number), Answer::Done(report)) = (task.key.parse::<usize>(), &outcome.answer)
        {
            fails[number] = report.failures > 0;
        }
        Ok(())
    })?;
    Ok(fails)
}

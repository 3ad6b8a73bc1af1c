//! One schedule, followed again and again.

use explore::ThenFair;
use schedule::Schedule;

use super::ending::end;
use super::judge::Judge;
use super::reason::Reason;
use super::runs::Runs;

/// After so many executions of one schedule nothing is initialised any more.
const WARM_UP: u64 = 10;

/// Follows one schedule so many times. What is a failure, the judge says.
pub fn run(runs: &mut Runs<'_>, schedule: &Schedule, times: u64, judge: &mut dyn Judge) -> Result<(), Reason> {
    let mut last = None;
    for _ in 0..WARM_UP {
        let hash = Some(runs.follow(schedule.clone(), false)?.trace.hash());
        if std::mem::replace(&mut last, hash) == hash {
            break;
        }
    }
    for number in 0..times {
        let execution = runs.follow(schedule.clone(), false)?;
        runs.count(&execution);
        judge.see(&execution);
        if let Some(failure) = judge.failure(runs, &execution, end(&execution))? {
            runs.failed(&execution, failure, number);
        } else if number == 0 {
            runs.show_if_none_failed(&execution, number);
        }
    }
    Ok(())
}

/// Follows one schedule as the first execution of its virtual machine.
pub fn first(runs: &mut Runs<'_>, schedule: Schedule, judge: &mut dyn Judge) -> Result<(), Reason> {
    let execution = runs.follow(schedule, false)?;
    runs.count(&execution);
    match judge.failure(runs, &execution, end(&execution))? {
        Some(failure) => runs.failed(&execution, failure, 0),
        None => runs.show_if_none_failed(&execution, 0),
    }
    Ok(())
}

/// Follows one schedule, and gives everyone turns then: what had no end may have been cut off too soon.
pub fn then_fair(runs: &mut Runs<'_>, schedule: &Schedule, judge: &mut dyn Judge) -> Result<(), Reason> {
    let execution = runs.run(Box::new(ThenFair::new(schedule.clone(), usize::MAX)))?;
    runs.count(&execution);
    judge.see(&execution);
    match judge.failure(runs, &execution, end(&execution))? {
        Some(failure) => runs.failed(&execution, failure, 0),
        None => runs.show_if_none_failed(&execution, 0),
    }
    Ok(())
}

//! One schedule, followed again and again.

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

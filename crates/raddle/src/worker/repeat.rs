//! One schedule, followed again and again.

use schedule::Schedule;

use super::ending::end;
use super::failure::failure;
use super::reason::Reason;
use super::runs::Runs;

/// After so many executions of one schedule nothing is initialised any more.
const WARM_UP: u64 = 10;

/// Follows one schedule so many times.
pub fn run(runs: &mut Runs<'_>, schedule: &Schedule, times: u64, must_end: bool) -> Result<(), Reason> {
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
        if let Some(failure) = failure(&execution, end(&execution), must_end) {
            runs.failed(&execution, failure, number);
        } else if number == 0 {
            runs.show_if_none_failed(&execution, number);
        }
    }
    Ok(())
}

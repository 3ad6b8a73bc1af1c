//! Random walks: schedules by seed, one after the other.

use host::Execution;
use schedule::RandomWalk;

use super::doubt::Ends;
use super::ending::end;
use super::failure::{failure, unnamed};
use super::reason::Reason;
use super::runs::{Runs, fails};

/// Walks at random. A failure counts if its schedule leads to the same trace again: parts of the JDK that are initialised
/// on first use, past the serial execution, may make it another.
pub fn run(runs: &mut Runs<'_>, serial: &Execution, seed: u64, executions: u64, exhaust: bool) -> Result<(), Reason> {
    let mut ends = Ends::default();
    let mut can_judge = ends.see(serial)?;
    for seed in (seed..).take(executions as usize) {
        let execution = runs.run(Box::new(RandomWalk::new(seed)))?;
        runs.count(&execution);
        can_judge = ends.see(&execution)?;
        if fails(&execution) && can_judge {
            let failure = failure(&execution, end(&execution), false).unwrap_or_else(|| unnamed(&execution));
            if !runs.fails_again(&execution)? {
                runs.found_unstable(failure);
                continue;
            }
            runs.failed(&execution, failure, seed);
            if !exhaust {
                break;
            }
        } else if runs.executions() == executions {
            runs.show_if_none_failed(&execution, seed);
        }
    }
    let events = runs.settings().limits.max_events;
    if can_judge { Ok(()) } else { Err(Reason::Endless { events }) }
}

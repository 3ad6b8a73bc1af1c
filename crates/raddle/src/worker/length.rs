//! How long a program is that has more events than are allowed.
//!
//! A program with much to do looks at first like one without an end. To tell them apart, everyone gets turns, and
//! there may be many times the events.

use std::time::{Duration, Instant};

use explore::ThenFair;
use host::{Execution, Stop};
use schedule::{Choice, Divergence, Schedule, Scheduler, ThreadId, Turn};

use super::protocol::Explore;
use super::reason::Reason;
use super::runs::Runs;

/// A program may have so many times the events that are allowed.
const FURTHER: usize = 32;
/// It may take this part of the time there is.
const SHARE: u64 = 4;

/// Whether the program ends after more events than are allowed. `first` is how it went at first, one thread after the
/// other. Then nothing else can be said of it.
pub fn ask(runs: &mut Runs<'_>, plan: &Explore, first: &Execution) -> Result<(), Reason> {
    if first.stop != Some(Stop::TooManyEvents) || !plan.may_lengthen {
        return Ok(());
    }
    let deadline = plan.millis.map(|millis| Instant::now() + Duration::from_millis(millis / SHARE));
    let allowed = runs.settings().limits.max_events;
    runs.limit_events(allowed.saturating_mul(FURTHER));
    let fair = runs.run(Box::new(Until { fair: ThenFair::new(Schedule::default(), 0), deadline }));
    runs.limit_events(allowed);
    let fair = fair?;
    let events = fair.trace.steps.len();
    match fair.stop {
        Some(Stop::TooManyEvents | Stop::Diverged(_)) => Ok(()),
        _ if events > allowed => Err(Reason::Longer { events }),
        // Whoever waits in a loop only needs others to have turns.
        _ => Ok(()),
    }
}

/// Gives everyone turns, and ends the execution when time is over.
struct Until {
    fair: ThenFair,
    deadline: Option<Instant>,
}

impl Scheduler for Until {
    fn choose(&mut self, choice: &Choice<'_>) -> Result<Turn, Divergence> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let runnable = choice.threads().collect();
            return Err(Divergence { step: choice.trace.steps.len(), expected: None, runnable });
        }
        self.fair.choose(choice)
    }

    fn timed_out(&mut self, thread: ThreadId) {
        self.fair.timed_out(thread);
    }

    fn waits_for_time(&mut self, choice: &Choice<'_>) -> bool {
        self.fair.waits_for_time(choice)
    }
}

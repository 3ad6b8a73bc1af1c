//! Executions after which nothing can be said about the test case: neither that it passes nor that it fails.
//!
//! What such an execution shows depends on how full a heap or a stack was, or on threads that nobody scheduled; and mostly it
//! leaves a virtual machine behind that later test cases should not run in: [`is_over`] has the exceptions.

use std::sync::atomic::{AtomicU64, Ordering};

use host::{Execution, Host, PrepareError, ResolveError, Stop, Thrown};

use super::desk;
use super::missing::missing;
use super::protocol::OVERFLOW;
use super::reason::Reason;

/// Why nothing can be said after an execution; None if something can. With `may_exit`, the code under test may end the
/// virtual machine: a program does so.
pub fn doubt(execution: &Execution, may_exit: bool) -> Option<Reason> {
    let exits = may_exit && matches!(execution.stop, Some(Stop::Exit(_)));
    let asked = || execution.asked.then_some(Reason::Asked);
    desk::host_is_exhausted()
        .or_else(asked)
        .or_else(|| of_stop(execution).filter(|_| !exits))
        .or_else(|| {
            // Errors of a limit are as good as any: they come at the same place every time, and with much room left.
            execution.thrown().filter(|thrown| !is_of_limit(thrown)).find_map(of_thrown)
        })
        .or_else(uncontrolled)
}

/// The same where calls are made one after the other: if they run out of stack there, that is not by threads.
pub fn doubt_serial(execution: &Execution) -> Option<Reason> {
    let overflow = execution.overflow.map(|_| Reason::StackOverflow);
    doubt(execution, true).or(overflow)
}

/// The errors of real stacks that were full, which no limit has thrown.
pub fn of_full_stacks(execution: &Execution) -> Vec<Thrown> {
    execution.thrown().filter(|thrown| &*thrown.class == OVERFLOW && !is_of_limit(thrown)).cloned().collect()
}

/// The errors of calls that were too deep in others and have ended by it.
pub fn of_limit(execution: &Execution) -> impl Iterator<Item = &Thrown> {
    execution.thrown().filter(|thrown| is_of_limit(thrown))
}

/// Whether an error is there because calls were as deep in each other as they may be, in every run at the same place.
pub fn is_of_limit(thrown: &Thrown) -> bool {
    &*thrown.class == OVERFLOW && thrown.message.as_deref() == Some(host::TOO_DEEP)
}

/// Whether a virtual machine is as good as before after calls were made one after the other and this was said of it. A call that has
/// run out of stack or memory is over then, with all that it had taken. But if there is no memory again soon, something keeps it.
pub fn is_over(reason: &Reason) -> bool {
    /// The job in which there was no memory.
    static LAST: AtomicU64 = AtomicU64::new(0);
    match reason {
        Reason::StackOverflow => host::forgive(),
        Reason::OutOfMemory => {
            let job = desk::job();
            let last = LAST.swap(job, Ordering::Relaxed);
            (last == 0 || job - last >= SOON) && host::forgive()
        }
        _ => false,
    }
}

/// A virtual machine that has no memory again before so many other jobs is not used for more.
const SOON: u64 = 100;

/// Whether a test case ends at all. One that never does is not to blame on a schedule; one that does under some schedules
/// and not under others is.
#[derive(Debug, Default)]
pub struct Ends {
    /// One execution had no more events than are allowed.
    some: bool,
    /// How many had, as long as none had not.
    without: u32,
    /// Whether reduction has stopped one, as long as none has ended. It might have gone on to its end.
    stopped: bool,
}

/// After so many executions that did not end it is held to never end. A thread that waits for another in a loop ends
/// under most schedules, though not under a serial one.
const GIVE_UP: u32 = 20;

impl Ends {
    /// Looks at an execution, and says whether it can be judged.
    pub fn see(&mut self, execution: &Execution) -> Result<bool, Reason> {
        self.see_end(execution.stop == Some(Stop::TooManyEvents), execution)
    }

    /// The same where something else has cut the execution off.
    pub fn see_end(&mut self, is_cut: bool, execution: &Execution) -> Result<bool, Reason> {
        if !is_cut {
            self.some = true;
        } else if matches!(execution.stop, Some(Stop::Diverged(_))) {
            self.stopped = true;
        } else if !self.some {
            self.without += 1;
            if self.without >= GIVE_UP {
                return Err(Reason::Endless { events: execution.trace.steps.len() });
            }
        }
        Ok(self.some)
    }

    /// Other executions are counted from now on. A test that has come to an end still has one.
    pub fn begin_anew(&mut self) {
        (self.without, self.stopped) = (0, false);
    }

    /// No more executions come. Whether one has ended, if there were any that had more events than are allowed.
    pub fn close(&self, events: usize) -> Result<(), Reason> {
        if !self.some && (self.without > 0 || self.stopped) { Err(Reason::Endless { events }) } else { Ok(()) }
    }
}

/// Whether a test case that cannot be prepared is one that has done something, and not just a wrong one.
pub fn doubt_preparation(host: &Host, error: &PrepareError) -> Option<Reason> {
    let of_error = || match error {
        PrepareError::Resolve(ResolveError::Missing { thrown, .. }) => {
            let missing = missing(thrown, &|class| host.has_class(class));
            missing.map(|class| Reason::MissingClass { class }).or_else(|| of_thrown(thrown))
        }
        _ => None,
    };
    desk::host_is_exhausted().or_else(of_error)
}

fn of_stop(execution: &Execution) -> Option<Reason> {
    match execution.stop.as_ref()? {
        Stop::Exit(status) => Some(Reason::Exit { status: *status }),
        Stop::TooManyThreads => Some(Reason::TooManyThreads),
        Stop::Deadlock(_) | Stop::TooManyEvents | Stop::Diverged(_) => None,
    }
}

fn uncontrolled() -> Option<Reason> {
    match host::uncontrolled_threads() {
        0 => None,
        threads => Some(Reason::Uncontrolled { threads }),
    }
}

fn of_thrown(thrown: &Thrown) -> Option<Reason> {
    match &*thrown.class {
        "java.lang.OutOfMemoryError" => Some(Reason::OutOfMemory),
        OVERFLOW => Some(Reason::StackOverflow),
        "java.lang.ThreadDeath" => Some(Reason::ThreadDeath),
        "java.lang.ExceptionInInitializerError" => {
            Some(thrown.cause.as_deref().and_then(of_thrown).unwrap_or_else(|| initialiser(thrown)))
        }
        "java.lang.NoClassDefFoundError"
            if thrown.message.as_ref().is_some_and(|message| message.starts_with("Could not initialize class")) =>
        {
            Some(initialiser(thrown))
        }
        // Whoever catches such a thing may throw something else for it.
        _ => thrown.cause.as_deref().and_then(of_thrown),
    }
}

fn initialiser(thrown: &Thrown) -> Reason {
    let thrown = thrown.cause.as_deref().unwrap_or(thrown);
    let message = thrown.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
    Reason::Initialiser { thrown: format!("{}{message}", thrown.class) }
}

//! Where a worker hands out what it has to say: news of a job that goes on, and one answer a job, whoever gives it.
//!
//! News of what was found or refused leave the worker at once, before whatever comes next can take it down. How far the job is, a
//! thread that watches the clock tells from time to time, so executions only count.
//!
//! The answer is mostly given by the main thread. But when the budget of a job runs out, the main thread may hang in the
//! code under test, and when a hook of ours panics, it may be anywhere. Then the answer is given by the thread that
//! notices, and the worker ends on the spot: it hosts a virtual machine that nobody can trust any more.

use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid, kill_process};
use rustix::time::{ClockId, clock_gettime};

use super::protocol::{self, Answer, Finding, News, Progress, Reply, Spent, Word};
use super::reason::{Reason, Standing};

static DESK: Mutex<Option<Desk>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();
/// How far the job is. Three numbers, because whoever counts must not wait for whoever tells.
static EXECUTIONS: AtomicU64 = AtomicU64::new(0);
static TRACES: AtomicU64 = AtomicU64::new(0);
/// More than the whole if it is not known.
static PART: AtomicU64 = AtomicU64::new(u64::MAX);

/// How many different things the operating system has refused to the job.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// So often it is told how far a job is.
const PULSE: Duration = Duration::from_millis(100);
/// A generated test that computes for so long without an access or an event has no end. It is that by the clock, and by the time
/// of processors: a busy machine ends none that goes on, nor do compilers beside it.
const STALL: Duration = Duration::from_secs(2);

struct Desk {
    output: File,
    /// How many jobs were begun.
    jobs: u64,
    /// The job that has no answer yet.
    open: Option<Open>,
}

#[derive(Clone, Copy)]
struct Open {
    /// Whether it may take as long as it likes when nothing is heard of its code.
    may_stall: bool,
    /// When its budget runs out; whoever gives none is no supervisor.
    deadline: Option<Instant>,
    budget: Duration,
    /// What was last told of how far it is.
    told: Progress,
    /// How often findings were told.
    found: usize,
    /// Where the time went, to be told with the answer.
    spent: Option<Spent>,
}

/// Opens the desk, and has it answer for a main thread that cannot.
pub fn open(output: File) -> io::Result<()> {
    *lock() = Some(Desk { output, jobs: 0, open: None });
    std::thread::Builder::new().name("raddle-watch".into()).spawn(watch)?;
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        // A virtual machine without memory breaks what our hooks take for granted.
        let what = panic.to_string().replace('\n', " ");
        answer_and_end(host_is_exhausted().unwrap_or(Reason::Internal { what }));
    }));
    Ok(())
}

/// A job begins. One of which there are many is given up where its code computes and nothing is heard of it.
pub fn begin(budget: protocol::Budget, one_of_many: bool) {
    let mut guard = lock();
    let desk = guard.as_mut().expect("internal bug: the desk is closed");
    desk.jobs += 1;
    let deadline = budget.map(|budget| Instant::now() + budget);
    advance(Progress::default());
    REFUSED.store(0, Ordering::Relaxed);
    desk.open = Some(Open {
        may_stall: !one_of_many,
        deadline,
        budget: budget.unwrap_or_default(),
        told: Progress::default(),
        found: 0,
        spent: None,
    });
    CHANGED.notify_all();
}

/// The number of the job.
pub fn job() -> u64 {
    lock().as_ref().map_or(0, |desk| desk.jobs)
}

/// The job is so far.
pub fn advance(progress: Progress) {
    EXECUTIONS.store(progress.executions, Ordering::Relaxed);
    TRACES.store(progress.traces, Ordering::Relaxed);
    PART.store(progress.explored_part.map_or(u64::MAX, u64::from), Ordering::Relaxed);
}

/// The job has found something, or knows more of it. It has left this process when this returns.
pub fn found(finding: &Finding) {
    if let Some(desk) = lock().as_mut()
        && let Some(open) = &mut desk.open
        && open.found < protocol::MOST_FOUND
    {
        open.found += 1;
        desk.tell(News::Found(Box::new(finding.clone())));
    }
}

/// The time of the job went there.
pub fn spent(spent: Spent) {
    if let Some(open) = lock().as_mut().and_then(|desk| desk.open.as_mut()) {
        open.spent = Some(spent);
    }
}

/// The operating system has refused something to the job. It has left this process when this returns.
pub fn refused(what: &str) {
    // A virtual machine that writes about its crash looks there for itself, under a name that is another in every run.
    if what == format!("read /proc/{}/maps", rustix::thread::gettid()) {
        return;
    }
    REFUSED.fetch_add(1, Ordering::Relaxed);
    if let Some(desk) = lock().as_mut() {
        desk.tell(News::Refused(what.to_owned()));
    }
}

/// How many different things were refused to the job so far; not more than are noted.
pub fn refusals() -> usize {
    REFUSED.load(Ordering::Relaxed)
}

/// The job has an answer.
pub fn answer(answer: Answer) -> io::Result<()> {
    let mut guard = lock();
    let desk = guard.as_mut().expect("internal bug: the desk is closed");
    let open = desk.open.take().expect("internal bug: an answer without a job");
    desk.hand_out(open, answer)
}

/// Why nothing can be said once the virtual machine has run out of something.
pub fn host_is_exhausted() -> Option<Reason> {
    host::exhausted().map(|exhausted| match exhausted {
        host::Exhausted::Memory => Reason::OutOfMemory,
        host::Exhausted::Threads => Reason::TooManyThreads,
    })
}

impl Desk {
    fn hand_out(&mut self, open: Open, answer: Answer) -> io::Result<()> {
        // News and the answer at once, so that the supervisor is woken for them once.
        let mut bytes = Vec::new();
        if open.deadline.is_some() {
            // Whatever becomes of this, the answer must get out.
            let _ = io::stderr().write_all(&protocol::end_of_output(self.jobs));
            let spent = open.spent.map(|spent| protocol::bytes(&Word::News(News::Spent(spent))));
            bytes.extend(spent.into_iter().flatten().flatten());
        }
        bytes.extend(protocol::bytes(&Word::Reply(Reply { answer, refused: host::take_refusals() }))?);
        self.output.write_all(&bytes)
    }

    /// Tells news, if there is a supervisor to hear them.
    fn tell(&mut self, news: News) {
        if self.open.is_some_and(|open| open.deadline.is_some()) {
            // If the supervisor is gone, so will we be.
            let _ = protocol::send(&mut self.output, &Word::News(news));
        }
    }

    /// Tells how far the job is, if it is any further.
    fn tell_progress(&mut self) {
        let traces = TRACES.load(Ordering::Relaxed);
        let explored_part = u16::try_from(PART.load(Ordering::Relaxed)).ok();
        let now = Progress { executions: EXECUTIONS.load(Ordering::Relaxed), traces, explored_part };
        if let Some(open) = &mut self.open
            && open.told != now
        {
            open.told = now;
            self.tell(News::Progress(now));
        }
    }
}

/// Answers for a job that was begun, and ends the process: nothing in it may run on, not even what ends a process in
/// good order.
fn answer_and_end(reason: Reason) {
    let mut guard = lock();
    if let Some(desk) = guard.as_mut()
        && let Some(open) = desk.open.take()
    {
        // If the supervisor is gone, so will we be.
        let _ = desk.hand_out(open, Answer::Unknown(reason));
    }
    let _ = kill_process(getpid(), Signal::KILL);
}

/// The life of the thread that watches the clock.
fn watch() {
    let mut guard = lock();
    let mut heard = Heard::now();
    loop {
        let open = guard.as_ref().and_then(|desk| desk.open);
        let Some(deadline) = open.and_then(|open| open.deadline) else {
            guard = CHANGED.wait(guard).unwrap_or_else(|e| e.into_inner());
            continue;
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        let pulse;
        (guard, pulse) = CHANGED.wait_timeout(guard, left.min(PULSE)).unwrap_or_else(|e| e.into_inner());
        if !pulse.timed_out() {
            continue;
        }
        if let Some(desk) = guard.as_mut() {
            desk.tell_progress();
        }
        if !heard.is_last() || open.is_some_and(|open| open.may_stall) {
            heard = Heard::now();
        }
        if heard.is_long_ago() {
            // Whoever holds the host's lock may need this one.
            drop(guard);
            if host::standing() == host::Standing::Running && heard.is_last() {
                let reason = Reason::TimedOut { millis: STALL.as_millis() as u64, standing: Standing::Computing };
                return answer_and_end(host_is_exhausted().unwrap_or(reason));
            }
            heard = Heard::now();
            guard = lock();
        }
    }
    let millis = guard.as_ref().and_then(|desk| desk.open).map_or(0, |open| open.budget.as_millis() as u64);
    drop(guard);
    // Memory that has run out is often what makes everything slow.
    answer_and_end(host_is_exhausted().unwrap_or(Reason::TimedOut { millis, standing: standing() }));
}

/// When something was last heard of the code under test.
struct Heard {
    beats: u64,
    at: Instant,
    used: Duration,
}

impl Heard {
    fn now() -> Heard {
        Heard { beats: host::beats(), at: Instant::now(), used: used() }
    }

    fn is_last(&self) -> bool {
        host::beats() == self.beats
    }

    fn is_long_ago(&self) -> bool {
        self.at.elapsed() >= STALL && used().saturating_sub(self.used) >= STALL
    }
}

/// How much time of processors this process has had.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn standing() -> Standing {
    match host::standing() {
        host::Standing::Idle => Standing::Preparing,
        host::Standing::Running => Standing::Running,
        host::Standing::Leaving { threads } => Standing::Leaving { threads },
    }
}

fn lock() -> MutexGuard<'static, Option<Desk>> {
    DESK.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

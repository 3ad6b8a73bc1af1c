//! Controlled threads: one at a time runs, and each stops before its next event.
//!
//! The thread that has control decides, in its own hook, who has it next, and hands it over there. There
//! is no thread that only decides. A thread that is not under control passes all hooks at once.

use crate::baton::{Baton, Batons, PATIENCE};
use crate::machine::{Found, Limits, Machine, Next, Remains, Stop, plain};
use crate::objects::Objects;
use crate::outcome::Thrown;
use crate::silence::{self, Silence, Unannounced};
use crate::sync::{LazyLock, Mutex, MutexGuard, thread_local};
use crate::unseen::held::{Held, forget_taken};
use crate::unseen::{Access, Location, Record, Unseen};
use schedule::{Event, EventKind, FastMap, MAX_THREADS, ObjectId, Scheduler, SiteId, ThreadId, ThreadSet};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The execution that is under way. There is one virtual machine in a process, and so one of these.
static EXECUTION: LazyLock<Mutex<Option<Execution>>> = LazyLock::new(|| Mutex::new(None));
/// The batons of threads that live on from execution to execution, by their number.
static LASTING: LazyLock<Batons> = LazyLock::new(Batons::default);
/// The batons of threads that an execution has started, by their number in it.
static STARTED: LazyLock<Batons> = LazyLock::new(Batons::default);

/// Whether accesses of the execution under way can be silent.
static IS_SILENT: AtomicBool = AtomicBool::new(false);
/// How often controlled code has told of itself.
static BEATS: AtomicU64 = AtomicU64::new(0);
/// What is left of [`ALONE`] for the thread that runs next, while the one that was alone waits for its end.
static HANDED_ON: AtomicU32 = AtomicU32::new(0);
/// Whether the execution is over: no thread is alone any more, because those that have to leave must come by their hooks.
static IS_ENDING: AtomicBool = AtomicBool::new(false);
/// The number of the execution under way, from 1.
static NUMBER: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// One more than the number of the controlled thread; 0 for a thread that is not under control.
    static ME: Cell<u16> = const { Cell::new(0) };
    /// How many stretches that must not be interrupted the thread is in.
    static QUIET: Cell<i32> = const { Cell::new(0) };
    /// So many more accesses of the thread are no events, because it is the only one.
    static ALONE: Cell<u32> = const { Cell::new(0) };
    /// Whether its last access was none.
    static WAS_ALONE: Cell<bool> = const { Cell::new(false) };
    /// Whether one of them was a write, since this was asked last.
    static HAS_WRITTEN: Cell<bool> = const { Cell::new(false) };
}

/// So many accesses of a thread that is the only one are no events. Past that they are, so that one without an end comes to one.
const MOST_ALONE: u32 = 3_000_000;

struct Execution {
    machine: Machine,
    objects: Objects,
    /// Which threads wait for their baton. Each wait gets exactly one pass.
    waits: ThreadSet,
    /// Which threads were told to leave.
    leaves: ThreadSet,
    /// Once set, threads are unwound.
    over: bool,
    /// Why it is over before its threads have ended, if it is.
    stop: Option<Stop>,
    /// Threads that were started and have not finished, the first one aside.
    unfinished: usize,
    /// How many threads live on after it.
    lasting: usize,
    /// Exceptions that nobody has caught, in threads that were started.
    uncaught: Vec<(ThreadId, Thrown)>,
    /// Accesses that are no events.
    unseen: Record,
    /// Monitors that opaque code takes without events.
    held: Held,
    /// Words of memory outside the heap, by their address divided by their size.
    memory: FastMap<i64, ObjectId>,
    /// Accesses that are no events for another reason.
    silence: Silence,
}

/// The execution is over, and the thread must leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwind;

/// How an execution went.
#[derive(Debug)]
pub struct Ended {
    /// What happened, and what did not.
    pub remains: Remains,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
    /// Exceptions that nobody has caught, in threads that were started.
    pub uncaught: Vec<(ThreadId, Thrown)>,
    /// Accesses that are no events, of places that several threads touch.
    pub unseen: Vec<Unseen>,
    /// Sites of which nobody knows what is done there.
    pub taints: Vec<SiteId>,
    /// Monitors that opaque code was seen to hold: the numbers of the places that are to be opened.
    pub held: Vec<u32>,
    /// Silent accesses.
    pub silent: Unannounced,
}

/// What is kept from execution to execution for its memory.
#[derive(Default)]
pub struct Tables {
    /// The numbers of objects.
    pub objects: Objects,
    /// Silent accesses.
    pub silence: Silence,
}

/// Starts an execution; the current thread becomes its first. So many threads are given the numbers after
/// it, to be started later.
pub fn begin(scheduler: Box<dyn Scheduler + Send>, limits: Limits, tables: Tables, threads: usize) {
    let Tables { objects, silence } = tables;
    IS_SILENT.store(silence.is_on(), Ordering::Relaxed);
    NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut machine = Machine::new(scheduler, limits);
    for _ in 0..=threads {
        machine.add_thread();
    }
    let mut execution = lock();
    assert!(execution.is_none(), "internal bug: an execution is under way");
    *execution = Some(Execution {
        machine,
        objects,
        waits: ThreadSet::default(),
        leaves: ThreadSet::default(),
        over: false,
        stop: None,
        unfinished: 0,
        lasting: threads + 1,
        uncaught: Vec::new(),
        unseen: Record::default(),
        held: Held::default(),
        memory: FastMap::default(),
        silence,
    });
    ME.set(1);
    QUIET.set(0);
    forget_taken();
    ALONE.set(MOST_ALONE);
    HANDED_ON.store(0, Ordering::Relaxed);
    IS_ENDING.store(false, Ordering::Relaxed);
}

/// A number for a thread that another is about to start. If there are too many, the execution is over: one
/// that is not under control would make everything after it worth nothing.
pub fn reserve_thread(parent: ThreadId, daemon: bool) -> Result<ThreadId, Unwind> {
    ALONE.set(0);
    let mut guard = lock();
    let execution = guard.as_mut().expect("internal bug: a controlled thread without an execution");
    if !execution.over && execution.machine.threads() < MAX_THREADS {
        return Ok(execution.machine.add_child(parent, daemon));
    }
    execution.stop(Stop::TooManyThreads);
    Err(execution.unwind(parent))
}

/// Ends the execution for all its threads, also the current one, for a reason that the machine does not see. Says whether there is one.
pub fn stop(why: Stop) -> bool {
    let mut guard = lock();
    let Some(execution) = guard.as_mut() else { return false };
    execution.stop(why);
    if let Some(thread) = controlled() {
        execution.unwind(thread);
    }
    true
}

/// How the execution stands that is under way, for whoever wonders from another thread why it takes so long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// There is none.
    Idle,
    /// Its threads do what they do.
    Running,
    /// It is over, but so many of its threads have not left.
    Leaving {
        /// How many.
        threads: usize,
    },
}

/// How the execution stands.
pub fn standing() -> Standing {
    // Whoever asks is not what runs.
    match EXECUTION.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).as_ref() {
        None => Standing::Idle,
        Some(execution) if execution.over => Standing::Leaving { threads: execution.unfinished },
        Some(_) => Standing::Running,
    }
}

/// Whether the current thread was told to leave. What its code makes of that, where it catches everything or gives back what it holds, is
/// nothing that the program does.
pub fn leaves() -> bool {
    let is_told = |execution: &Execution| controlled().is_some_and(|thread| execution.leaves.contains(thread.0.into()));
    lock().as_ref().is_some_and(is_told)
}

/// Whether the execution is over before its threads have ended.
pub fn is_over() -> bool {
    lock().as_ref().is_some_and(|execution| execution.over)
}

/// Whether the execution is over because none of its threads can go on.
pub fn is_stuck() -> bool {
    let stuck = |execution: &Execution| execution.over && matches!(execution.stop, None | Some(Stop::Deadlock(_)));
    lock().as_ref().is_some_and(stuck)
}

/// A thread with a number was started, and can have its first turn.
pub fn start_thread(thread: ThreadId) {
    ALONE.set(0);
    let mut guard = lock();
    let Some(execution) = guard.as_mut() else { return };
    execution.unfinished += 1;
    execution.waits.insert(thread.0.into());
    if execution.over {
        pass(execution.release(thread));
    } else {
        execution.machine.announce(thread, plain(EventKind::Begin, 0));
    }
}

/// The next thread to run is alone, as the current one was: that only waits for its end.
pub fn hand_alone_on() {
    HANDED_ON.store(ALONE.get(), Ordering::Relaxed);
}

/// The thread that was alone has ended. If it has started none, the current one is alone again.
pub fn take_alone_back() {
    ALONE.set(HANDED_ON.swap(0, Ordering::Relaxed));
}

/// Waits for the first turn of a thread that [`start_thread`] has started, or will; it is under control from
/// then on.
pub fn await_start(thread: ThreadId, lasting: bool) -> Result<(), Unwind> {
    let batons = if lasting { &LASTING } else { &STARTED };
    batons.of(thread).wait(0);
    ME.set(thread.0 + 1);
    QUIET.set(0);
    forget_taken();
    take_alone_back();
    resume(thread).map(drop)
}

/// The last that a controlled thread does; it is no longer under control after it.
pub fn finish() {
    end_quiet();
    let Some(thread) = current() else { return };
    hand_alone_on();
    // An execution that is over has no more events.
    let _ = event(plain(EventKind::End, 0));
    ME.set(0);
    let mut guard = lock();
    let execution = guard.as_mut().expect("internal bug: no execution");
    execution.unfinished -= 1;
    let released = if !execution.over {
        let next = execution.machine.next();
        execution.follow(next)
    } else if execution.unfinished == 0 {
        execution.release(ThreadId(0))
    } else {
        None
    };
    debug_assert!(thread.0 != 0, "internal bug: the first thread ends the execution");
    drop(guard);
    pass(released);
}

/// Ends the execution for all threads but the first, which waits for them to leave.
pub fn dismiss_others() {
    let mut guard = lock();
    let execution = guard.as_mut().expect("internal bug: no execution");
    execution.dismiss();
    if execution.unfinished > 0 {
        execution.waits.insert(0);
        drop(guard);
        LASTING.of(ThreadId(0)).wait(0);
    }
}

/// The first thread ends, and waits until all others have done what they can.
fn await_others() {
    // An execution that is over has no more events.
    if event(plain(EventKind::End, 0)).is_err() {
        return;
    }
    let mut guard = lock();
    let execution = guard.as_mut().expect("internal bug: no execution");
    execution.waits.insert(0);
    let next = execution.machine.next();
    let released = execution.follow(next);
    drop(guard);
    pass(released);
    LASTING.of(ThreadId(0)).wait(0);
}

/// Ends an execution, in its first thread.
pub fn end() -> (Ended, Tables) {
    await_others();
    dismiss_others();
    ME.set(0);
    let mut guard = lock();
    let Execution { machine, objects, stop, uncaught, unseen, held, mut silence, .. } =
        guard.take().expect("internal bug: no execution");
    IS_SILENT.store(false, Ordering::Relaxed);
    let remains = machine.into_remains();
    let silent = silence.finish(&unseen);
    let (unseen, taints) = unseen.finish(&objects, &remains.trace);
    let held = held.finish(&objects, &remains.trace).into_iter().collect();
    (Ended { remains, stop, uncaught, unseen, taints, held, silent }, Tables { objects, silence })
}

/// The controlled thread that runs here. None for a thread that is not under control, and while it must
/// not be interrupted.
#[inline]
pub fn current() -> Option<ThreadId> {
    match ME.get() {
        0 => None,
        _ if QUIET.get() > 0 => None,
        number => Some(ThreadId(number - 1)),
    }
}

/// The controlled thread that runs here, also while it must not be interrupted.
pub fn controlled() -> Option<ThreadId> {
    ME.get().checked_sub(1).map(ThreadId)
}

/// Whether an access that the current thread is about to make is no event: there is no other thread yet, so all that will ever
/// happen elsewhere happens after it, under every schedule.
#[inline]
pub fn is_alone(kind: EventKind) -> bool {
    let left = ALONE.get();
    if matches!(kind, EventKind::Write | EventKind::VolatileWrite) {
        HAS_WRITTEN.set(true);
    }
    let is_alone = left > 0 && !IS_ENDING.load(Ordering::Relaxed);
    ALONE.set(left.saturating_sub(1));
    WAS_ALONE.set(is_alone);
    is_alone
}

/// Accesses of the current thread do not even get here, as long as it is alone.
pub fn passes_over_accesses() {
    if let Some(execution) = lock().as_mut() {
        execution.unseen.forgets_objects();
    }
}

/// Whether accesses of the current thread are no events still.
pub fn is_still_alone() -> bool {
    ALONE.get() > 0 && !IS_ENDING.load(Ordering::Relaxed)
}

/// So many accesses of the current thread were no events. Says whether the next is none either.
pub fn spend_alone(accesses: u32) -> bool {
    beat();
    ALONE.set(ALONE.get().saturating_sub(accesses));
    is_still_alone()
}

/// Whether the current thread has written something while it was the only one, since this was asked last.
pub fn has_written_alone() -> bool {
    HAS_WRITTEN.replace(false)
}

/// Whether the last access of the current thread was no event.
pub fn was_alone() -> bool {
    WAS_ALONE.get()
}

/// Begins or ends a stretch that must not be interrupted.
pub fn quiet(delta: i32) {
    QUIET.set(QUIET.get() + delta);
}

/// A call has come back to whoever made it from outside, so nothing is under way that must not be interrupted. Where a stack is
/// full, what says that it has ended may not run; then events may be missing. Says whether something was.
pub fn end_quiet() -> bool {
    let was_quiet = QUIET.replace(0) != 0;
    if was_quiet && let Some(execution) = lock().as_mut() {
        execution.machine.doubt_for("calls in each other until the stack was full");
    }
    was_quiet
}

/// Whether the thread that runs here is under control, also while it must not be interrupted.
pub fn is_controlled() -> bool {
    ME.get() != 0
}

/// Runs `body` with events even where the thread must not be interrupted.
pub fn aloud<T>(body: impl FnOnce() -> T) -> T {
    let quiet = QUIET.replace(0);
    let value = body();
    QUIET.set(quiet);
    value
}

/// Runs `body` without control: what it does is not part of the execution.
pub fn uncontrolled<T>(body: impl FnOnce() -> T) -> T {
    let me = ME.replace(0);
    let value = body();
    ME.set(me);
    value
}

/// The number of the execution under way, from 1.
pub fn execution() -> u32 {
    NUMBER.load(Ordering::Relaxed)
}

/// Whether accesses of the current thread can be silent. Not while it is alone, when none is an event anyway.
#[inline]
pub fn may_be_silent() -> bool {
    IS_SILENT.load(Ordering::Relaxed) && !is_still_alone()
}

/// Whether an access that the current thread is about to make is silent, and so no event.
pub fn is_silent(access: &silence::Access) -> bool {
    let Some(thread) = current() else { return false };
    let mut guard = lock();
    let Some(execution) = guard.as_mut().filter(|execution| !execution.over) else { return false };
    let is_silent = execution.silence.is_silent(thread, access, execution.machine.steps());
    if is_silent {
        execution.machine.note_silent(thread, access.kind);
    }
    WAS_ALONE.set(is_silent);
    is_silent
}

/// The number of an object, given its identity hash.
pub fn object(hash: i32) -> ObjectId {
    lock().as_mut().map_or(ObjectId::NONE, |execution| execution.objects.number(hash))
}

/// The same for one that has a number already.
pub fn known_object(hash: i32) -> Option<ObjectId> {
    lock().as_ref().and_then(|execution| execution.objects.find(hash))
}

/// The number of a word of memory outside the heap. Words are numbered by first touch, as objects are.
pub fn memory_word(word: i64) -> ObjectId {
    let mut guard = lock();
    let Some(Execution { objects, memory, .. }) = guard.as_mut() else { return ObjectId::NONE };
    // Identity hashes are never below 0.
    let unused = -1 - memory.len() as i32;
    *memory.entry(word).or_insert_with(|| objects.number(unused))
}

/// The numbers of those words of a range that were touched before, in the order of their addresses.
pub fn known_memory_words(first: i64, last: i64) -> Vec<ObjectId> {
    let guard = lock();
    let Some(Execution { memory, .. }) = guard.as_ref() else { return Vec::new() };
    let mut known: Vec<_> = memory.iter().filter(|(word, _)| (first..=last).contains(*word)).collect();
    known.sort();
    known.into_iter().map(|(_, object)| *object).collect()
}

/// Notes an access of the current thread that is no event, and whether events can be about the same place.
pub fn note_unseen(location: Location, done: Done, meets_events: bool) {
    let Some(thread) = controlled() else { return };
    if let Some(execution) = lock().as_mut().filter(|execution| !execution.over) {
        let Done { kind, site, opens, can_open } = done;
        let at = execution.machine.steps();
        let access = Access { thread, at, kind, site, opens, can_open, by_initialiser: false };
        execution.unseen.note(location, access, meets_events);
    }
}

/// Notes an access by a static initialiser, which is no event. What it has made itself is left out.
pub fn note_initialiser(location: Location, kind: EventKind, site: SiteId) {
    let Some(thread) = controlled() else { return };
    if let Some(execution) = lock().as_mut().filter(|execution| !execution.over)
        && !execution.unseen.is_fresh(location.hash, site, &execution.objects)
    {
        let at = execution.machine.steps();
        let access = Access { thread, at, kind, site, opens: 0, can_open: false, by_initialiser: true };
        execution.unseen.note(location, access, true);
    }
}

/// Notes that a static initialiser takes a monitor that it has not made itself.
pub fn note_initialiser_lock(hash: i32, site: SiteId) {
    if let Some(execution) = lock().as_mut().filter(|execution| !execution.over)
        && !execution.unseen.is_fresh(hash, site, &execution.objects)
    {
        execution.unseen.taint(site);
    }
}

/// Opaque code of the current thread takes the monitor of an object, which is no event.
pub fn enter_unseen(hash: i32, place: u32) {
    let Some(thread) = controlled() else { return };
    if let Some(execution) = lock().as_mut().filter(|execution| !execution.over) {
        execution.held.enter(thread, hash, place, execution.machine.steps());
    }
}

/// Opaque code of the current thread gave up the monitor of an object, which is no event.
pub fn leave_unseen(hash: i32) {
    let Some(thread) = controlled() else { return };
    if let Some(execution) = lock().as_mut().filter(|execution| !execution.over) {
        execution.held.leave(thread, hash, execution.machine.steps());
    }
}

/// The current thread finds the monitor of an object taken, where the machine of events held it to be free.
pub fn contend(hash: i32) {
    if let Some(execution) = lock().as_mut() {
        execution.held.contend(hash);
    }
}

/// What is done by an access that is no event.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// A read, a write or an update, plain or volatile.
    pub kind: EventKind,
    /// Where in the code, if that is known.
    pub site: SiteId,
    /// The number of what is to be opened, so that it is an event.
    pub opens: u32,
    /// Whether that is possible.
    pub can_open: bool,
}

/// Notes that the current thread does something at a site of which nobody knows what it is.
pub fn taint(site: SiteId) {
    if let Some(execution) = lock().as_mut().filter(|execution| !execution.over) {
        execution.unseen.taint(site);
    }
}

/// Notes an exception that nobody has caught.
pub fn note_uncaught(thread: ThreadId, thrown: Thrown) {
    if let Some(execution) = lock().as_mut() {
        execution.uncaught.push((thread, thrown));
    }
}

/// Looks at the machine.
pub fn with_machine<T>(look: impl FnOnce(&mut Machine) -> T) -> Option<T> {
    lock().as_mut().map(|execution| look(&mut execution.machine))
}

/// Does an event in the current thread, when its turn comes. A thread that is not under control does
/// nothing.
pub fn event(event: Event) -> Result<Found, Unwind> {
    event_within(event, None)
}

/// The same for an event that can be over after so many nanoseconds.
pub fn event_within(event: Event, nanos: Option<u64>) -> Result<Found, Unwind> {
    let Some(thread) = current() else { return Ok(Found(false)) };
    let mut guard = lock();
    let mut execution = guard.as_mut().expect("internal bug: a controlled thread without an execution");
    if execution.over {
        return Err(execution.unwind(thread));
    }
    if execution.silence.is_on() && execution.silence.must_tell(thread, event.kind) {
        drop(guard);
        self::event(Event::silent_writes(thread))?;
        guard = lock();
        execution = guard.as_mut().expect("internal bug: a controlled thread without an execution");
        if execution.over {
            return Err(execution.unwind(thread));
        }
    }
    execution.machine.announce_within(thread, event, nanos);
    let next = execution.machine.next();
    if next == Next::Run(thread) {
        return Ok(execution.machine.perform(thread));
    }
    execution.waits.insert(thread.0.into());
    let (released, mine) = (execution.follow(next), execution.baton(thread));
    // Whoever is woken needs the lock at once.
    drop(guard);
    pass(released);
    // The first thread mostly waits for all others to end.
    mine.wait(if thread == ThreadId(0) { 0 } else { PATIENCE });
    resume(thread)
}

fn pass(released: Option<&Baton>) {
    if let Some(baton) = released {
        baton.pass();
    }
}

/// Goes on after the baton was passed to this thread.
fn resume(thread: ThreadId) -> Result<Found, Unwind> {
    let mut guard = lock();
    let execution = guard.as_mut().expect("internal bug: a controlled thread without an execution");
    if execution.over { Err(execution.unwind(thread)) } else { Ok(execution.machine.perform(thread)) }
}

impl Execution {
    /// Tells a thread to leave.
    fn unwind(&mut self, thread: ThreadId) -> Unwind {
        self.leaves.insert(thread.0.into());
        Unwind
    }

    /// The thread that gets control, as the machine has chosen: its baton is to be passed.
    fn follow(&mut self, next: Next) -> Option<&'static Baton> {
        match next {
            Next::Run(thread) => self.release(thread),
            Next::Done => {
                self.dismiss();
                None
            }
            Next::Stop(stop) => {
                self.stop(stop);
                None
            }
        }
    }

    /// Ends it for a reason, unless it has ended.
    fn stop(&mut self, why: Stop) {
        if !self.over {
            self.stop = Some(why);
            self.dismiss();
        }
    }

    /// Every thread leaves at its next event.
    fn dismiss(&mut self) {
        self.over = true;
        IS_ENDING.store(true, Ordering::Relaxed);
        let waiting = std::mem::take(&mut self.waits);
        waiting.iter().for_each(|thread| self.baton(ThreadId(thread as u16)).pass());
    }

    /// A thread that waits for its baton waits no longer, once it is passed.
    fn release(&mut self, thread: ThreadId) -> Option<&'static Baton> {
        self.waits.remove(thread.0.into()).then(|| self.baton(thread))
    }

    fn baton(&self, thread: ThreadId) -> &'static Baton {
        if (thread.0 as usize) < self.lasting { LASTING.of(thread) } else { STARTED.of(thread) }
    }
}

/// Changes whenever controlled code makes an event or an access, loads a class, or begins or ends.
pub fn beats() -> u64 {
    BEATS.load(Ordering::Relaxed)
}

/// It has come so far. A beat that is lost among others does no harm, so this is no update.
pub fn beat() {
    BEATS.store(BEATS.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

fn lock() -> MutexGuard<'static, Option<Execution>> {
    beat();
    EXECUTION.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

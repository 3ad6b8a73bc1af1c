//! Toy programs: threads as lists of operations, run without a virtual machine.
//!
//! A [`Program`] is what is run, [`Machine`] is its state between two events, [`run`] runs it once under a
//! scheduler. Who can go on is decided here independently of the crate's own `state`, after the engine's rules.

// Tests and benchmarks use different parts.
#![allow(dead_code, unused_imports)]

mod brute;
mod machine;
mod run;

pub use brute::{brute_force, reachable, reachable_with};
pub use machine::{Extras, Machine, Outcome};
pub use run::{Ran, explore, run, run_with};

/// Threads that share variables, all zero at first, and monitors.
///
/// Thread 0 does the prefix, then the threads from 1 on are there, and it waits for them as the engine does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    pub prefix: Vec<Op>,
    pub threads: Vec<Vec<Op>>,
    /// Threads that exist once an operation starts them; they have the numbers after the others.
    pub children: Vec<Vec<Op>>,
    pub variables: usize,
}

impl Op {
    /// Whether an attempt at it is told, where attempts are.
    fn is_attempted(self) -> bool {
        matches!(self, Op::Lock(_) | Op::Park | Op::ParkNanos(_) | Op::Sleep(_) | Op::Join(_))
    }

    /// Where it waits: the monitor, and the condition of it, from 1; 0 for the monitor itself.
    fn waits_at(self) -> Option<(usize, usize)> {
        match self {
            Op::Wait(monitor) | Op::TimedWait(monitor, _) => Some((monitor, 0)),
            Op::Await { lock, condition, .. } => Some((lock, condition + 1)),
            _ => None,
        }
    }
}

impl Program {
    pub fn new(variables: usize, threads: Vec<Vec<Op>>) -> Program {
        Program { prefix: Vec::new(), threads, children: Vec::new(), variables }
    }
}

/// A number: fixed, or a register of the thread with something added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Num {
    Const(i64),
    Reg(usize, i64),
}

/// What a thread does. Registers are its own, four of them, all zero at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Read {
        var: usize,
        reg: usize,
    },
    ReadAt {
        base: usize,
        index: usize,
        reg: usize,
    },
    Write {
        var: usize,
        value: Num,
    },
    WriteAt {
        base: usize,
        index: usize,
        value: Num,
    },
    VolatileRead {
        var: usize,
        reg: usize,
    },
    VolatileWrite {
        var: usize,
        value: Num,
    },
    /// Writes if it finds what it expects, and says so in the register.
    Cas {
        var: usize,
        expect: Num,
        new: Num,
        reg: usize,
    },
    CasAt {
        base: usize,
        index: usize,
        expect: Num,
        new: Num,
        reg: usize,
    },
    Add {
        var: usize,
        value: i64,
        reg: usize,
    },
    Lock(usize),
    Unlock(usize),
    Wait(usize),
    TimedWait(usize, u64),
    /// Says in the register whether it took the lock.
    TryLock {
        lock: usize,
        reg: usize,
    },
    /// The same, but waits for so long, and says 2 if it was interrupted.
    LockWithin {
        lock: usize,
        nanos: Option<u64>,
        reg: usize,
    },
    /// Waits on a condition of a lock; the fourth register says whether it was interrupted.
    Await {
        lock: usize,
        condition: usize,
        nanos: Option<u64>,
        interruptible: bool,
    },
    Signal {
        lock: usize,
        condition: usize,
    },
    SignalAll {
        lock: usize,
        condition: usize,
    },
    Notify(usize),
    NotifyAll(usize),
    Park,
    ParkNanos(u64),
    Unpark(usize),
    Sleep(u64),
    Yield,
    Interrupt(usize),
    Interrupted {
        reg: usize,
    },
    Start(usize),
    Join(usize),
    Alive {
        thread: usize,
        reg: usize,
    },
    /// Says in the register what the thread does: 0 it was not started, 1 it runs, 2 it waits for a monitor, 3 or
    /// with a time limit 4 for something else, 5 it has ended.
    State {
        thread: usize,
        reg: usize,
    },
    /// Goes on elsewhere if the register has that value (or has not).
    If {
        reg: usize,
        is: i64,
        to: usize,
    },
    IfNot {
        reg: usize,
        is: i64,
        to: usize,
    },
    Set {
        reg: usize,
        value: Num,
    },
    /// The thread fails if the register has that value (or has not).
    FailIf {
        reg: usize,
        is: i64,
    },
    FailIfNot {
        reg: usize,
        is: i64,
    },
}

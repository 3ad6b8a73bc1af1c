//! Toy programs: some whose numbers of traces are known, some that fail.

use crate::toy::{Num, Op, Program};

/// Threads that each read a variable and write it back with one added, so often.
pub fn increments(threads: usize, times: usize) -> Program {
    let once = [Op::Read { var: 0, reg: 0 }, Op::Write { var: 0, value: Num::Reg(0, 1) }];
    Program::new(1, vec![once.repeat(times); threads])
}

/// The same in one step each: no two steps of different threads commute.
pub fn atomic_increments(threads: usize, times: usize) -> Program {
    Program::new(1, vec![vec![Op::Add { var: 0, value: 1, reg: 0 }; times]; threads])
}

/// The same, each read and write under a lock.
pub fn locked_increments(threads: usize, times: usize) -> Program {
    let once = [Op::Lock(0), Op::Read { var: 0, reg: 0 }, Op::Write { var: 0, value: Num::Reg(0, 1) }, Op::Unlock(0)];
    Program::new(1, vec![once.repeat(times); threads])
}

/// Each takes the fork on its left, then the one on its right. The last may be polite and take them the other way.
pub fn philosophers(count: usize, polite: bool) -> Program {
    let philosopher = |number: usize| {
        let (left, right) = (number, (number + 1) % count);
        let (first, second) = if polite && number + 1 == count { (right, left) } else { (left, right) };
        vec![Op::Lock(first), Op::Lock(second), Op::Unlock(second), Op::Unlock(first)]
    };
    Program::new(0, (0..count).map(philosopher).collect())
}

/// One writes what so many read.
pub fn readers(count: usize) -> Program {
    let mut threads = vec![vec![Op::Write { var: 0, value: Num::Const(1) }]];
    threads.extend(vec![vec![Op::Read { var: 0, reg: 0 }]; count]);
    Program::new(1, threads)
}

/// Threads put four messages each into a table of 128 places; see Flanagan and Godefroid, POPL 2005. Up to eleven
/// never meet.
pub fn indexer(threads: usize) -> Program {
    let thread = |number: usize| {
        let mut ops = Vec::new();
        for message in 0..4 {
            let word = (message * 11 + number) as i64;
            ops.push(Op::Set { reg: 0, value: Num::Const(word * 7 % 128) });
            let again = ops.len();
            let new = Num::Const(word + 1);
            ops.push(Op::CasAt { base: 0, index: 0, expect: Num::Const(0), new, reg: 1 });
            ops.push(Op::If { reg: 1, is: 1, to: again + 4 });
            // Nobody comes to the end of the table.
            ops.push(Op::Set { reg: 0, value: Num::Reg(0, 1) });
            ops.push(Op::If { reg: 1, is: 0, to: again });
        }
        ops
    };
    Program::new(128, (0..threads).map(thread).collect())
}

/// One looks for the last zero from the end; the others make each element one more than the one before it. See
/// Abdulla et al., POPL 2014.
pub fn last_zero(count: usize) -> Program {
    let search = vec![
        Op::Set { reg: 0, value: Num::Const(count as i64) },
        Op::ReadAt { base: 0, index: 0, reg: 1 },
        Op::If { reg: 1, is: 0, to: 5 },
        Op::Set { reg: 0, value: Num::Reg(0, -1) },
        Op::IfNot { reg: 1, is: 0, to: 1 },
    ];
    let mut threads = vec![search];
    for element in 1..=count {
        threads.push(vec![Op::Read { var: element - 1, reg: 0 }, Op::Write { var: element, value: Num::Reg(0, 1) }]);
    }
    Program::new(count + 1, threads)
}

/// The child of the second thread reads what the first writes before it starts a child too: which of the children is
/// started first depends on the order of the two.
pub fn families() -> Program {
    let first = vec![Op::Write { var: 0, value: Num::Const(1) }, Op::Start(3)];
    let children = vec![vec![Op::Yield], vec![Op::Read { var: 0, reg: 0 }]];
    Program { prefix: Vec::new(), threads: vec![first, vec![Op::Start(4)]], children, variables: 1 }
}

/// One spins on a flag that the other sets after it has written something; the reader then fails if it is not there.
pub fn spin(volatile: bool) -> Program {
    let read = |var, reg| if volatile { Op::VolatileRead { var, reg } } else { Op::Read { var, reg } };
    let write = |var, value| if volatile { Op::VolatileWrite { var, value } } else { Op::Write { var, value } };
    let waits =
        vec![read(1, 0), Op::If { reg: 0, is: 0, to: 0 }, Op::Read { var: 0, reg: 1 }, Op::FailIfNot { reg: 1, is: 7 }];
    let sets = vec![Op::Write { var: 0, value: Num::Const(7) }, write(1, Num::Const(1))];
    Program::new(2, vec![waits, sets])
}

/// Threads that add one under a lock made of an update that they try again until it works.
pub fn spin_lock(threads: usize) -> Program {
    let thread = vec![
        Op::Cas { var: 0, expect: Num::Const(0), new: Num::Const(1), reg: 0 },
        Op::If { reg: 0, is: 0, to: 0 },
        Op::Read { var: 1, reg: 1 },
        Op::Write { var: 1, value: Num::Reg(1, 1) },
        Op::VolatileWrite { var: 0, value: Num::Const(0) },
    ];
    Program::new(2, vec![thread; threads])
}

/// Both threads wait for a flag of the other that nobody sets.
pub fn livelock() -> Program {
    let waits = |var| vec![Op::VolatileRead { var, reg: 0 }, Op::If { reg: 0, is: 0, to: 0 }];
    Program::new(2, vec![waits(0), waits(1)])
}

/// A thread that counts without end.
pub fn endless() -> Program {
    let counts = vec![Op::Add { var: 0, value: 1, reg: 0 }, Op::IfNot { reg: 0, is: -1, to: 0 }];
    Program::new(2, vec![counts, vec![Op::Write { var: 1, value: Num::Const(1) }]])
}

/// One waits without looking first; the other notifies once.
pub fn lost_notification() -> Program {
    Program::new(
        0,
        vec![vec![Op::Lock(0), Op::Wait(0), Op::Unlock(0)], vec![Op::Lock(0), Op::Notify(0), Op::Unlock(0)]],
    )
}

/// Two wait, one is notified, which passes it on only if it is the first.
pub fn notified_wrong() -> Program {
    let waits = |pass_on: bool| {
        let mut ops = vec![Op::Lock(0), Op::Wait(0)];
        ops.extend(pass_on.then_some(Op::Notify(0)));
        ops.push(Op::Unlock(0));
        ops
    };
    Program::new(0, vec![waits(true), waits(false), vec![Op::Lock(0), Op::Notify(0), Op::Unlock(0)]])
}

/// Two wait and one is notified; the one who notifies takes the lock once more.
pub fn notified_once() -> Program {
    let waits = vec![Op::Lock(0), Op::Wait(0), Op::Unlock(0)];
    let notifies = vec![Op::Lock(0), Op::Notify(0), Op::Unlock(0), Op::Lock(0), Op::Unlock(0)];
    Program::new(0, vec![waits.clone(), waits, notifies])
}

/// Looks whether something is there and takes it, in two steps; fails if it was gone.
pub fn check_then_act(threads: usize) -> Program {
    let thread = vec![
        Op::Read { var: 0, reg: 0 },
        Op::IfNot { reg: 0, is: 0, to: 5 },
        Op::Add { var: 1, value: 1, reg: 1 },
        Op::Write { var: 0, value: Num::Const(1) },
        Op::FailIf { reg: 1, is: 1 },
    ];
    Program::new(2, vec![thread; threads])
}

/// The same for two threads, each of which then does so many events that depend on the other's.
pub fn check_then_act_before_more(events: usize) -> Program {
    let mut program = check_then_act(2);
    for thread in &mut program.threads {
        thread.extend((0..events).map(|_| Op::Add { var: 2, value: 1, reg: 0 }));
    }
    program.variables = 3;
    program
}

/// Two accounts and a transfer in both directions, each balance read and written under its own lock: money is lost.
pub fn accounts() -> Program {
    let transfer = |from: usize, to: usize| {
        let mut ops = Vec::new();
        for (account, change) in [(from, -1), (to, 1)] {
            ops.extend([Op::Lock(account), Op::Read { var: account, reg: 0 }, Op::Unlock(account)]);
            ops.extend([
                Op::Lock(account),
                Op::Write { var: account, value: Num::Reg(0, change) },
                Op::Unlock(account),
            ]);
        }
        ops
    };
    Program::new(2, vec![transfer(0, 1), transfer(1, 0)])
}

/// The unfinished publication: the flag is set before the value.
pub fn publication() -> Program {
    let publishes = vec![Op::Write { var: 1, value: Num::Const(1) }, Op::Write { var: 0, value: Num::Const(7) }];
    let reads = vec![
        Op::Read { var: 1, reg: 0 },
        Op::IfNot { reg: 0, is: 1, to: 4 },
        Op::Read { var: 0, reg: 1 },
        Op::FailIfNot { reg: 1, is: 7 },
    ];
    Program::new(2, vec![publishes, reads])
}

/// Each writes a variable of its own.
pub fn independent(threads: usize) -> Program {
    let thread = |var| vec![Op::Write { var, value: Num::Const(1) }];
    Program::new(threads, (0..threads).map(thread).collect())
}

/// All but the last write one variable and then another; the last fails if it sees the first without the other.
pub fn unfinished_among(threads: usize) -> Program {
    let write = |var| Op::Write { var, value: Num::Const(1) };
    let mut all = vec![vec![write(0), write(1)]; threads - 1];
    all.push(vec![
        Op::Read { var: 0, reg: 0 },
        Op::Read { var: 1, reg: 1 },
        Op::If { reg: 0, is: 0, to: 4 },
        Op::FailIfNot { reg: 1, is: 1 },
    ]);
    Program::new(2, all)
}

//! Toy programs whose numbers of traces are known.

use crate::toy::{Num, Op, Program};

/// Threads that each read a variable and write it back with one added, so often.
pub fn increments(threads: usize, times: usize) -> Program {
    let once = [Op::Read { var: 0, reg: 0 }, Op::Write { var: 0, value: Num::Reg(0, 1) }];
    Program::new(1, vec![once.repeat(times); threads])
}

/// Threads that each write one variable so often: no two writes of different threads commute.
pub fn writes(threads: usize, times: usize) -> Program {
    let thread = |thread: usize| vec![Op::Write { var: 0, value: Num::Const(thread as i64 + 1) }; times];
    Program::new(1, (0..threads).map(thread).collect())
}

//! What threads are about to do.

use super::{MONITORS, Machine, THREADS, plain};
use crate::toy::{Num, Op};
use schedule::{Event, EventKind, ObjectId, SiteId};

impl Machine<'_> {
    /// Runs the thread's silent operations and announces its next event.
    pub(super) fn announce(&mut self, thread: usize) {
        loop {
            let pc = self.threads[thread].pc;
            let Some(&op) = self.ops(thread).get(pc) else { break self.announce_end(thread) };
            let registers = &mut self.threads[thread].registers;
            let mut go_to = pc + 1;
            match op {
                Op::If { reg, is, to } if registers[reg] == is => go_to = to,
                Op::IfNot { reg, is, to } if registers[reg] != is => go_to = to,
                Op::If { .. } | Op::IfNot { .. } => {}
                Op::Set { reg, value } => {
                    registers[reg] = match value {
                        Num::Const(value) => value,
                        Num::Reg(other, plus) => registers[other] + plus,
                    }
                }
                Op::FailIf { reg, is } => self.failed |= registers[reg] == is,
                Op::FailIfNot { reg, is } => self.failed |= registers[reg] != is,
                _ => {
                    self.threads[thread].op = Some(op);
                    let event = self.event(thread, op);
                    if self.extras.watched && op.is_attempted() {
                        self.threads[thread].next = Some(event.attempt());
                    } else {
                        self.announce_op(thread, op, event);
                    }
                    return;
                }
            }
            self.threads[thread].pc = go_to;
        }
    }

    /// Announces the event of an operation, and when that is over by time.
    pub(super) fn announce_op(&mut self, thread: usize, op: Op, event: Event) {
        let nanos = match op {
            Op::ParkNanos(nanos) | Op::Sleep(nanos) => Some(self.now + nanos),
            Op::LockWithin { nanos, .. } => nanos.map(|nanos| self.now + nanos),
            _ => None,
        };
        let state = &mut self.threads[thread];
        (state.next, state.deadline) = (Some(event), nanos);
    }

    fn announce_end(&mut self, thread: usize) {
        self.threads[thread].op = None;
        if thread != 0 {
            self.threads[thread].next = Some(plain(EventKind::End, 0, SiteId::NONE));
            return;
        }
        let (own, prefix) = (self.program.threads.len(), self.program.prefix.len());
        let joined = self.threads[0].pc - prefix;
        if joined == 0 && !self.threads[0].ending {
            self.threads[0].ending = true;
            for thread in 1..=own {
                self.threads[thread].next = Some(plain(EventKind::Begin, 0, SiteId::NONE));
            }
        }
        if joined < own {
            self.threads[0].next = Some(plain(EventKind::Join, joined as u32 + 1, SiteId::NONE));
        }
    }

    fn event(&mut self, thread: usize, op: Op) -> Event {
        let site = match op {
            Op::Read { var, .. } | Op::VolatileRead { var, .. } if self.extras.getters => SiteId(1 << 16 | var as u32),
            _ if self.extras.shared_code => SiteId(self.threads[thread].pc as u32),
            _ => SiteId((thread as u32) << 8 | self.threads[thread].pc as u32),
        };
        let var = |machine: &mut Self, kind, var: usize| machine.on(kind, var as u32, site);
        let at = |machine: &Self, base: usize, index: usize| base + machine.threads[thread].registers[index] as usize;
        match op {
            Op::Read { var: v, .. } => var(self, EventKind::Read, v),
            Op::ReadAt { base, index, .. } => var(self, EventKind::Read, at(self, base, index)),
            Op::Write { var: v, .. } => var(self, EventKind::Write, v),
            Op::WriteAt { base, index, .. } => var(self, EventKind::Write, at(self, base, index)),
            Op::VolatileRead { var: v, .. } => var(self, EventKind::VolatileRead, v),
            Op::VolatileWrite { var: v, .. } => var(self, EventKind::VolatileWrite, v),
            Op::Cas { var: v, .. } | Op::Add { var: v, .. } => var(self, EventKind::Update, v),
            Op::CasAt { base, index, .. } => var(self, EventKind::Update, at(self, base, index)),
            Op::Lock(monitor) => self.on(EventKind::Lock, MONITORS + monitor as u32, site),
            Op::Unlock(monitor) => self.on(EventKind::Unlock, MONITORS + monitor as u32, site),
            Op::Wait(monitor) | Op::TimedWait(monitor, _) => self.on(EventKind::Wait, MONITORS + monitor as u32, site),
            Op::Notify(monitor) => self.on(EventKind::Notify, MONITORS + monitor as u32, site),
            Op::NotifyAll(monitor) => self.on(EventKind::NotifyAll, MONITORS + monitor as u32, site),
            Op::TryLock { lock, .. } => self.on(EventKind::TryLock, MONITORS + lock as u32, site),
            Op::LockWithin { lock, .. } => self.on(EventKind::LockWithin, MONITORS + lock as u32, site),
            Op::Await { lock, condition, interruptible, .. } => {
                let flag = if interruptible { 0 } else { Event::UNINTERRUPTIBLE };
                let slot = (condition as u32 + 1) | flag;
                Event { slot, ..self.on(EventKind::Wait, MONITORS + lock as u32, site) }
            }
            Op::Signal { lock, condition } => {
                Event { slot: condition as u32 + 1, ..self.on(EventKind::Notify, MONITORS + lock as u32, site) }
            }
            Op::SignalAll { lock, condition } => {
                Event { slot: condition as u32 + 1, ..self.on(EventKind::NotifyAll, MONITORS + lock as u32, site) }
            }
            Op::Park | Op::ParkNanos(_) => plain(EventKind::Park, 0, site),
            Op::Unpark(other) => plain(EventKind::Unpark, self.number_of(other), site),
            Op::Sleep(_) => plain(EventKind::Sleep, 0, site),
            Op::Yield => plain(EventKind::Yield, 0, site),
            Op::Interrupt(other) => plain(EventKind::Interrupt, self.number_of(other), site),
            Op::Interrupted { .. } => plain(EventKind::ClearInterrupted, self.number_of(thread), site),
            Op::Start(child) => plain(EventKind::Start, self.number_of(child), site),
            Op::Join(other) => {
                let slot = self.number_of(other);
                Event { slot, ..self.on(EventKind::Join, THREADS + other as u32, site) }
            }
            Op::Alive { thread: other, .. } => plain(EventKind::Alive, self.number_of(other), site),
            Op::State { thread: other, .. } => plain(EventKind::State, self.number_of(other), site),
            Op::If { .. } | Op::IfNot { .. } | Op::Set { .. } | Op::FailIf { .. } | Op::FailIfNot { .. } => {
                unreachable!("silent operations are no events")
            }
        }
    }

    fn on(&mut self, kind: EventKind, object: u32, site: SiteId) -> Event {
        let number = if self.extras.renumber {
            self.numbers.iter().position(|&known| known == object).unwrap_or_else(|| {
                self.numbers.push(object);
                self.numbers.len() - 1
            }) as u32
        } else {
            object
        };
        Event { kind, object: ObjectId(number), slot: 0, site }
    }
}

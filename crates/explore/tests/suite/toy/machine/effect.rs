//! What operations do.

use super::{Machine, Wait, plain};
use crate::toy::{Num, Op};
use schedule::{Event, EventKind, SiteId};

impl Machine<'_> {
    fn number(&self, thread: usize, number: Num) -> i64 {
        match number {
            Num::Const(value) => value,
            Num::Reg(reg, plus) => self.threads[thread].registers[reg] + plus,
        }
    }

    fn cas(&mut self, thread: usize, var: usize, expect: Num, new: Num, reg: usize, event: &mut Event) {
        let succeeds = self.variables[var] == self.number(thread, expect);
        if succeeds {
            self.variables[var] = self.number(thread, new);
        } else {
            event.kind = EventKind::FailedUpdate;
        }
        self.threads[thread].registers[reg] = succeeds as i64;
    }

    pub(super) fn effect(&mut self, thread: usize, op: Op, event: &mut Event) {
        match op {
            Op::Read { var, reg } | Op::VolatileRead { var, reg } => {
                self.threads[thread].registers[reg] = self.variables[var];
            }
            Op::ReadAt { base, index, reg } => {
                let var = base + self.threads[thread].registers[index] as usize;
                self.threads[thread].registers[reg] = self.variables[var];
            }
            Op::Write { var, value } | Op::VolatileWrite { var, value } => {
                self.variables[var] = self.number(thread, value);
            }
            Op::WriteAt { base, index, value } => {
                let var = base + self.threads[thread].registers[index] as usize;
                self.variables[var] = self.number(thread, value);
            }
            Op::Cas { var, expect, new, reg } => self.cas(thread, var, expect, new, reg, event),
            Op::CasAt { base, index, expect, new, reg } => {
                let var = base + self.threads[thread].registers[index] as usize;
                self.cas(thread, var, expect, new, reg, event);
            }
            Op::Add { var, value, reg } => {
                self.threads[thread].registers[reg] = self.variables[var];
                self.variables[var] += value;
            }
            Op::Lock(monitor) => self.locks.entry(monitor).or_insert((thread, 0)).1 += 1,
            Op::TryLock { lock, reg } => {
                let takes = self.is_free_for(lock, thread);
                if takes {
                    self.locks.entry(lock).or_insert((thread, 0)).1 += 1;
                }
                self.threads[thread].registers[reg] = takes as i64;
            }
            Op::LockWithin { lock, reg, .. } => {
                let free = self.is_free_for(lock, thread);
                let state = &mut self.threads[thread];
                let interrupted = std::mem::take(&mut state.interrupted);
                state.registers[reg] = if interrupted { 2 } else { free as i64 };
                state.early += (!interrupted && !free && state.wait != Wait::Over) as u32;
                if free && !interrupted {
                    self.locks.entry(lock).or_insert((thread, 0)).1 += 1;
                }
            }
            Op::Signal { lock, condition } => {
                if let Some(&first) = self.queued(lock, condition + 1).first() {
                    self.threads[first].wait = Wait::Notified;
                }
            }
            Op::SignalAll { lock, condition } => {
                let queued = self.queued(lock, condition + 1);
                queued.into_iter().for_each(|thread| self.threads[thread].wait = Wait::Notified);
            }
            Op::Unlock(monitor) => {
                if let Some((owner, depth)) = self.locks.get_mut(&monitor)
                    && *owner == thread
                {
                    *depth -= 1;
                    if *depth == 0 {
                        self.locks.remove(&monitor);
                    }
                }
            }
            Op::Notify(monitor) => {
                let queued = self.queued(monitor, 0);
                if self.tokens.iter().filter(|(on, _)| *on == monitor).count() < queued.len() {
                    self.tokens.push((monitor, queued));
                }
            }
            Op::NotifyAll(monitor) => {
                self.tokens.retain(|(on, _)| *on != monitor);
                self.queued(monitor, 0).into_iter().for_each(|thread| self.threads[thread].wait = Wait::Notified);
            }
            Op::Park | Op::ParkNanos(_) => {
                let state = &mut self.threads[thread];
                state.early += (!state.permit && !state.interrupted && state.wait != Wait::Over) as u32;
                state.permit = false;
            }
            Op::Unpark(other) => self.threads[other].permit = true,
            Op::Sleep(_) => {
                let state = &mut self.threads[thread];
                state.early += (!state.interrupted && state.wait != Wait::Over) as u32;
                state.registers[3] = state.interrupted as i64;
                state.interrupted = false;
            }
            Op::Interrupt(other) => {
                self.threads[other].interrupted = true;
                let uninterruptible = matches!(self.threads[other].op, Some(Op::Await { interruptible: false, .. }));
                if self.threads[other].wait == Wait::Queued && !uninterruptible {
                    self.interrupt(other);
                }
            }
            Op::Interrupted { reg } => {
                let state = &mut self.threads[thread];
                state.registers[reg] = std::mem::take(&mut state.interrupted) as i64;
            }
            Op::Start(child) => {
                self.threads[child].next = Some(plain(EventKind::Begin, 0, SiteId::NONE));
            }
            Op::Join(other) if !self.threads[other].ended => {
                let state = &mut self.threads[thread];
                state.registers[3] = state.interrupted as i64;
                state.interrupted = false;
            }
            Op::Alive { thread: other, reg } => {
                let alive = !self.threads[other].ended && self.threads[other].begun_or_announced();
                self.threads[thread].registers[reg] = alive as i64;
            }
            Op::State { thread: other, reg } => self.threads[thread].registers[reg] = self.see(other),
            _ => {}
        }
    }
}
